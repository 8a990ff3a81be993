//! The program while it runs: watched, interrupted at a moment that does not depend on the machine,
//! and waited for.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Ended;

/// After this long it is no longer slowness.
pub const PATIENCE: Duration = Duration::from_secs(300);
/// Most waiting is for a record, for which a file is read and taken apart.
const POLL: Duration = Duration::from_millis(20);
/// The bit of SIGINT in the sets of signals of `/proc`.
const SIGINT: u64 = 1 << 1;
/// Processor time that planning a query does not need, in the ticks of `/proc`, of which Linux has
/// a hundred in a second.
const COMPUTING_TICKS: u64 = 150;

/// A program that runs; killed when its test ends before it does.
pub struct Going {
    child: Child,
    stdout: Output,
    stderr: Output,
}

impl Going {
    pub fn start(command: &mut Command) -> Going {
        command.stdout(Stdio::piped());
        Going::start_printing(command)
    }

    /// As [`start`](Self::start), but it prints to where the command says.
    pub fn start_printing(command: &mut Command) -> Going {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        Going {
            stdout: Output::of(child.stdout.take()),
            stderr: Output::of(child.stderr.take()),
            child,
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// # Panics
    /// If the program ends before, or it takes longer than any machine should.
    #[track_caller]
    pub fn wait_until(&mut self, what: &str, mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            if !self.is_running() && !is_so() {
                panic!("it ended before {what}: {}", self.stderr.so_far());
            }
            if began.elapsed() > PATIENCE {
                panic!("waited too long for {what}: {}", self.stderr.so_far());
            }
            std::thread::sleep(POLL);
        }
    }

    /// Waits until these words are among what it said on its way.
    #[track_caller]
    pub fn wait_for_words(&mut self, words: &str) {
        let stderr = self.stderr.clone();
        self.wait_until(&format!("`{words}`"), || stderr.so_far().contains(words));
    }

    pub fn signal(&self, name: &str) {
        signal(name, &self.id().to_string());
    }

    pub fn interrupt(&self) {
        self.signal("-INT");
    }

    /// Kills it, and waits for its end.
    #[track_caller]
    pub fn kill(self) -> Ended {
        self.signal("-KILL");
        self.end()
    }

    /// # Panics
    /// If it goes on.
    #[track_caller]
    pub fn end(mut self) -> Ended {
        let began = Instant::now();
        while self.is_running() {
            let said = self.stderr.so_far();
            assert!(began.elapsed() < PATIENCE, "it goes on: {said}");
            std::thread::sleep(POLL);
        }
        Ended {
            code: self.child.wait().unwrap().code(),
            stdout: self.stdout.whole(),
            stderr: self.stderr.whole(),
        }
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a program writes, read all the time so that it never waits for us.
#[derive(Clone, Default)]
struct Output {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Output {
    fn of(pipe: Option<impl Read + Send + 'static>) -> Output {
        let output = Output::default();
        if let Some(mut pipe) = pipe {
            let bytes = Arc::clone(&output.bytes);
            let reader = std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                    bytes.lock().unwrap().extend_from_slice(&buffer[..read]);
                }
            });
            *output.reader.lock().unwrap() = Some(reader);
        }
        output
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }

    /// All of it, when the program has ended.
    fn whole(&self) -> String {
        if let Some(reader) = self.reader.lock().unwrap().take() {
            reader.join().unwrap();
        }
        self.so_far()
    }
}

/// # Panics
/// If it takes longer than any machine should.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited for too long: {what}");
        std::thread::sleep(POLL);
    }
}

/// Interrupts a program once it hears of it and has computed for a while, and waits for its end.
#[track_caller]
pub fn interrupt_while_it_computes(mut going: Going) -> Ended {
    let id = going.id();
    going.wait_until("it computed", || {
        catches_interruptions(id) && ticks(id) >= COMPUTING_TICKS
    });
    assert!(going.is_running(), "it ended by itself");
    going.interrupt();
    going.end()
}

/// Sends a signal, such as `-KILL`, to a process; to one that has ended none.
pub fn signal(name: &str, process: &str) {
    Command::new("kill").args([name, process]).status().unwrap();
}

pub fn catches_interruptions(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    caught.is_some_and(|set| set & SIGINT != 0)
}

/// Processor time that a process has used.
fn ticks(id: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // Of the figures behind the name, which is in brackets, the 12th and the 13th.
    let figures = stat.rsplit_once(") ").map_or("", |(_, figures)| figures);
    let times = figures.split(' ').skip(11).take(2);
    times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

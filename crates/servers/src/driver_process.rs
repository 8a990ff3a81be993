//! A process of our own program in which a database driver is loaded, so that a driver that crashes takes
//! nothing else with it.
//!
//! It needs no record: it ends by itself when the socket is closed over which it is talked to, which the
//! system does even if this process is killed.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::environment::keep_needed;
use crate::error::{Error, Result};
use crate::process::ProcessId;

/// Most bytes that are kept of what a driver printed.
const SAID_BYTES: usize = 2 << 10;
/// Lines of it that a message shows.
const SAID_LINES: usize = 3;
/// Longest wait for the last of what a driver printed, which one of its own processes may still hold open.
const SAID_WAIT: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(5);

/// A running process with a driver, killed when this is dropped.
#[derive(Debug)]
pub struct DriverProcess {
    child: Mutex<Child>,
    /// `None` if it has ended before this was known.
    process: Option<ProcessId>,
    said: Arc<Mutex<VecDeque<u8>>>,
    reader: JoinHandle<()>,
}

impl DriverProcess {
    /// Starts a program whose standard input is one end of a socket, and returns the other end. It gets
    /// none of Bakeoff's passwords, and a process group of its own, so that Ctrl-C does not end it while
    /// Bakeoff still tidies up.
    ///
    /// # Errors
    /// Fails with `Io` if the program cannot be run.
    pub fn start(program: &Path, arguments: &[String]) -> Result<(DriverProcess, UnixStream)> {
        let started = start(program, arguments).map_err(Error::io("run", program))?;
        let (child, socket, output) = started;
        let said: Arc<Mutex<VecDeque<u8>>> = Arc::default();
        let kept = Arc::clone(&said);
        let reader = std::thread::spawn(move || keep_last(output, &kept));
        let process = DriverProcess {
            process: ProcessId::from_pid(child.id()).ok(),
            child: Mutex::new(child),
            said,
            reader,
        };
        Ok((process, socket))
    }

    /// Returns the number of the process.
    pub fn id(&self) -> u32 {
        self.child().id()
    }

    /// Kills the process at once.
    pub fn kill(&self) {
        // One that has ended already is what is wanted.
        self.child().kill().ok();
    }

    /// Returns its CPU time so far in seconds; `None` when it has ended.
    pub fn cpu_seconds(&self) -> Option<f64> {
        self.process?.cpu_seconds().ok()
    }

    /// Describes how the process ended, with what it printed last. One that still runs is killed: it has
    /// closed its socket and cannot be used.
    pub fn why_ended(&self) -> String {
        let ended = {
            let mut child = self.child();
            child.kill().ok();
            child.wait()
        };
        let deadline = Instant::now() + SAID_WAIT;
        while !self.reader.is_finished() && Instant::now() < deadline {
            std::thread::sleep(POLL);
        }
        let how = match ended {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        match last_lines(said.make_contiguous()) {
            lines if lines.is_empty() => how,
            lines => format!("{how}, after it printed: {lines}"),
        }
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DriverProcess {
    fn drop(&mut self) {
        let mut child = self.child();
        child.kill().ok();
        // Else it would remain as a zombie.
        child.wait().ok();
    }
}

fn start(program: &Path, arguments: &[String]) -> io::Result<(Child, UnixStream, PipeReader)> {
    let (ours, theirs) = UnixStream::pair()?;
    let (output, printed) = io::pipe()?;
    let mut command = Command::new(program);
    keep_needed(&mut command);
    // Whatever a driver prints goes into the pipe, and cannot be taken for an answer.
    command
        .args(arguments)
        .process_group(0)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::from(printed.try_clone()?))
        .stderr(Stdio::from(printed));
    let child = command.spawn()?;
    // With the command go our copies of the child's ends, so that its end closes them.
    drop(command);
    Ok((child, ours, output))
}

/// Reads all that is printed and keeps the last of it.
fn keep_last(mut output: PipeReader, kept: &Mutex<VecDeque<u8>>) {
    let mut part = [0; 1 << 10];
    while let Ok(length @ 1..) = output.read(&mut part) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&part[..length]);
        let surplus = kept.len().saturating_sub(SAID_BYTES);
        kept.drain(..surplus);
    }
}

fn last_lines(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(SAID_LINES)..];
    let last = last.join(" / ");
    last.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn shell(script: &str) -> (DriverProcess, UnixStream) {
        let arguments = ["-c".to_owned(), script.to_owned()];
        DriverProcess::start(Path::new("/bin/sh"), &arguments).unwrap()
    }

    #[test]
    fn it_is_talked_to_over_its_standard_input_in_both_directions() {
        let (process, mut socket) = shell("read -r line; echo \"$line\" >&0; echo printed");
        socket.write_all(b"hello\n").unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "hello\n");
        let why = process.why_ended();
        assert!(why.contains("printed"), "{why}");
    }

    #[test]
    fn it_is_told_how_one_ended_and_what_it_printed_last() {
        let script = "seq 100000; echo; echo oh >&2; kill -SEGV $$";
        let (process, mut socket) = shell(script);
        socket.read_to_end(&mut Vec::new()).unwrap();
        let why = process.why_ended();
        assert!(why.starts_with("signal: 11 (SIGSEGV)"), "{why}");
        assert!(
            why.ends_with(", after it printed: 99999 / 100000 / oh"),
            "{why}"
        );
        assert_eq!(process.cpu_seconds(), None);
    }

    #[test]
    fn one_that_is_not_needed_any_more_is_gone() {
        let (process, _socket) = shell("exec sleep 600");
        let id = process.process.unwrap();
        assert!(id.is_alive() && process.cpu_seconds().is_some());
        drop(process);
        assert!(!id.is_alive());
    }

    #[test]
    fn a_program_that_cannot_be_run_is_named() {
        let program = Path::new("/nowhere/bakeoff");
        let error = DriverProcess::start(program, &[]).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot run /nowhere/bakeoff: "),
            "{error}"
        );
    }
}

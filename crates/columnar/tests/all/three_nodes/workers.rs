//! The processes that work on a table, and what they say.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bakeoff_testing::Random;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

use super::events::Event;
use super::history::{History, Write};
use super::rows::SHARED_HOST;
use super::worker::{Role, TASK, Task};

/// The number of workers: each has a host of its own.
pub const WORKERS: usize = SHARED_HOST as usize;

/// The distance by which the clock of a worker may be wrong, so that those of two of them are less than 30 s
/// apart.
const WRONG_BY_AT_MOST_MS: u64 = 14_500;

/// The longest time in which every worker has to get something done when there are no faults, but other tests.
const PROGRESS_WITHIN: Duration = Duration::from_secs(600);

/// What all workers have said.
#[derive(Debug, Default)]
pub struct Log {
    pub history: History,
    pub seals: usize,
    pub given_up: Vec<String>,
    pub broken: Vec<String>,
    /// The writes and the reads of each worker that were answered.
    answered: [(usize, usize); WORKERS],
}

/// The processes that work on a table.
pub struct Workers {
    nodes: Vec<SocketAddr>,
    table: String,
    log: Arc<Mutex<Log>>,
    workers: Vec<Worker>,
    /// The number of processes that were started so far.
    started: i64,
}

/// A process, which is killed when this is dropped.
struct Worker {
    process: Child,
    listener: Option<JoinHandle<()>>,
}

impl Workers {
    pub fn start(nodes: Vec<SocketAddr>, table: &str, random: &mut Random) -> Workers {
        let mut workers = Workers {
            nodes,
            table: table.to_owned(),
            log: Arc::default(),
            workers: Vec::new(),
            started: 0,
        };
        for number in 0..WORKERS {
            let worker = workers.launch(number, random);
            workers.workers.push(worker);
        }
        workers
    }

    fn launch(&mut self, number: usize, random: &mut Random) -> Worker {
        let role = Role::Work {
            host: number as u32,
        };
        let ahead = random.below(2 * WRONG_BY_AT_MOST_MS) as i64 - WRONG_BY_AT_MOST_MS as i64;
        println!("worker {number}: its clock is {ahead} ms ahead");
        let mut process = spawn(&self.task(role, ahead, random));
        let output = BufReader::new(process.stdout.take().unwrap());
        let log = Arc::clone(&self.log);
        let listener = std::thread::spawn(move || listen(number, output, &log));
        Worker {
            process,
            listener: Some(listener),
        }
    }

    fn task(&mut self, role: Role, ahead: i64, random: &mut Random) -> Task {
        self.started += 1;
        Task {
            role,
            process: self.started,
            ahead,
            seed: random.number(),
            table: self.table.clone(),
            nodes: self.nodes.clone(),
        }
    }

    /// Kills a worker, and starts another one in its place, whose clock is wrong in another way.
    pub fn kill_and_replace(&mut self, number: usize, random: &mut Random) {
        let again = self.launch(number, random);
        let mut killed = std::mem::replace(&mut self.workers[number], again);
        killed.was_running();
    }

    /// Lets a worker stand still or go on.
    pub fn signal(&self, number: usize, signal: Signal) {
        let process = Pid::from_child(&self.workers[number].process);
        kill_process(process, signal).unwrap();
    }

    /// Starts a process that tries to open the table with a clock that is wrong by more than is allowed.
    pub fn invite(&mut self, ahead: i64, random: &mut Random) -> Visitor {
        let process = spawn(&self.task(Role::Visit, ahead, random));
        Visitor { process, ahead }
    }

    /// Returns the number of writes that were acknowledged so far.
    pub fn acknowledged(&self) -> usize {
        let log = self.log.lock().unwrap();
        log.answered.iter().map(|(writes, _)| writes).sum()
    }

    /// Waits until every worker has written and read something from now on.
    pub async fn make_progress(&self) {
        let began = Instant::now();
        let before = self.log.lock().unwrap().answered;
        loop {
            let now = self.log.lock().unwrap().answered;
            let mut each = before.iter().zip(&now);
            if each.all(|(before, now)| before.0 < now.0 && before.1 < now.1) {
                return;
            }
            if began.elapsed() > PROGRESS_WITHIN {
                let log = self.log.lock().unwrap();
                let last = log.given_up.last();
                panic!("no progress from {before:?} to {now:?}; given up last: {last:?}");
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Kills all workers, and returns what they have said.
    ///
    /// # Panics
    /// Panics if one has ended before.
    pub fn end(mut self) -> Log {
        for worker in &mut self.workers {
            worker.was_running();
        }
        // All listeners have ended.
        self.workers.clear();
        std::mem::take(&mut *self.log.lock().unwrap())
    }
}

impl Worker {
    /// Checks that it still runs.
    fn was_running(&mut self) {
        let ended = self.process.try_wait().unwrap();
        assert_eq!(ended, None, "a worker has ended by itself");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

/// A process with a clock that is too wrong.
pub struct Visitor {
    process: Child,
    ahead: i64,
}

impl Visitor {
    /// Waits until it has ended, and returns why it was refused.
    ///
    /// # Panics
    /// Panics if it has opened the table.
    pub fn why_refused(mut self) -> String {
        let output = BufReader::new(self.process.stdout.take().unwrap());
        let mut lines = output.lines().map_while(Result::ok);
        let said = lines.find_map(|line| Event::heard(&line));
        match said {
            Some(Event::Refused(reason)) => reason,
            said => panic!("with a clock {} ms ahead: {said:?}", self.ahead),
        }
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(task: &Task) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["three_nodes::child", "--exact", "--nocapture"])
        .env(TASK, serde_json::to_string(task).unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Writes down what a worker says until it ends.
fn listen(number: usize, output: impl BufRead, log: &Mutex<Log>) {
    // The last versions that it has begun to write, as a range of those in the history.
    let mut begun = 0..0;
    let events = output.lines().map_while(Result::ok);
    for event in events.filter_map(|line| Event::heard(&line)) {
        let mut log = log.lock().unwrap();
        match event {
            Event::Began {
                at,
                version,
                deleted,
                keys,
            } => {
                let write = |key| Write {
                    key,
                    version,
                    deleted,
                    began: at,
                    acknowledged: None,
                };
                let first = log.history.writes.len();
                log.history.writes.extend(keys.into_iter().map(write));
                begun = first..log.history.writes.len();
            }
            Event::Acknowledged { at } => {
                for write in &mut log.history.writes[begun.clone()] {
                    write.acknowledged = Some(at);
                }
                log.answered[number].0 += 1;
            }
            Event::Read(read) => {
                log.history.reads.push(read);
                log.answered[number].1 += 1;
            }
            Event::Sealed => log.seals += 1,
            Event::GivenUp(reason) => log.given_up.push(reason),
            Event::Broken(reason) => log.broken.push(reason),
            Event::Opened | Event::Refused(_) => {}
        }
    }
}

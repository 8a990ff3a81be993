//! Processes of this machine, distinguished from later ones that get the same id.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::time::{clock_getcpuclockid, clock_gettime};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

const POLL: Duration = Duration::from_millis(50);
/// Time between two looks at threads that are about to stop.
const AFTER_PAUSE: Duration = Duration::from_millis(1);
const AFTER_KILL: Duration = Duration::from_secs(10);

/// The scope in which process ids are unique: a boot of a machine and a pid namespace in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessScope {
    host: String,
    boot: String,
    pid_namespace: String,
}

impl ProcessScope {
    pub(crate) fn here() -> Result<ProcessScope> {
        let namespace = Path::new("/proc/self/ns/pid");
        let link = fs::read_link(namespace).map_err(Error::io("read", namespace))?;
        Ok(ProcessScope {
            host: read_trimmed("/proc/sys/kernel/hostname")?,
            boot: read_trimmed("/proc/sys/kernel/random/boot_id")?,
            pid_namespace: link.to_string_lossy().into_owned(),
        })
    }

    /// Returns whether nothing from `self` can still be running, because its machine has booted
    /// since.
    pub(crate) fn ended_before(&self, now: &ProcessScope) -> bool {
        self.host == now.host && self.boot != now.boot
    }
}

fn read_trimmed(path: &str) -> Result<String> {
    fs::read_to_string(path)
        .map(|text| text.trim().to_owned())
        .map_err(Error::io("read", Path::new(path)))
}

/// A process, identified by its id and its start in clock ticks since boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessId {
    pub(crate) pid: u32,
    pub(crate) start_ticks: u64,
}

impl ProcessId {
    pub(crate) fn this() -> Result<ProcessId> {
        ProcessId::from_pid(std::process::id())
    }

    /// Identifies the process that runs with this id.
    ///
    /// # Errors
    /// Fails with `Gone` when no such process runs.
    pub(crate) fn from_pid(pid: u32) -> Result<ProcessId> {
        let stat = Stat::read(pid).ok_or(Error::Gone { pid })?;
        Ok(ProcessId {
            pid,
            start_ticks: stat.start_ticks,
        })
    }

    /// Returns whether this very process runs; a process that ended and was not yet waited for does
    /// not.
    pub(crate) fn is_alive(self) -> bool {
        self.stat().is_ok()
    }

    /// Returns its CPU time so far in user and system mode, in seconds.
    ///
    /// It is that of the process's own clock, which counts nanoseconds and threads that have ended. The
    /// ticks in its file of statistics are 10 ms, longer than many an answer.
    pub(crate) fn cpu_seconds(self) -> Result<f64> {
        self.stat()?;
        let gone = |_| Error::Gone { pid: self.pid };
        let pid = i32::try_from(self.pid).map_err(|_| Error::Gone { pid: self.pid })?;
        let clock = clock_getcpuclockid(nix::unistd::Pid::from_raw(pid)).map_err(gone)?;
        let used = clock_gettime(clock).map_err(gone)?;
        Ok(used.tv_sec() as f64 + used.tv_nsec() as f64 / 1e9)
    }

    /// Returns the CPU time of its children that ended and were waited for, in seconds, which is known in
    /// clock ticks only.
    pub(crate) fn seconds_of_ended(self) -> Result<f64> {
        let ticks = self.stat()?.ended_ticks;
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// Returns the resident memory in bytes.
    pub(crate) fn resident_bytes(self) -> Result<u64> {
        self.stat()?;
        let statm = fs::read_to_string(format!("/proc/{}/statm", self.pid)).unwrap_or_default();
        let pages = statm
            .split(' ')
            .nth(1)
            .and_then(|pages| pages.parse::<u64>().ok());
        pages
            .map(|pages| pages * rustix::param::page_size() as u64)
            .ok_or(Error::Gone { pid: self.pid })
    }

    /// Runs [`ProcessId::stop_group_blocking`] without blocking the runtime.
    pub(crate) async fn stop_group(self, patience: Duration) -> Result<()> {
        tokio::task::spawn_blocking(move || self.stop_group_blocking(patience))
            .await
            .unwrap_or_else(|_| self.check_ended())
    }

    /// Ends the process group that this process leads by SIGTERM, and by SIGKILL after `patience`.
    ///
    /// # Errors
    /// Fails with `Unstoppable` when even that did not end it.
    pub(crate) fn stop_group_blocking(self, patience: Duration) -> Result<()> {
        self.end_group_blocking(&[(Signal::TERM, patience)])
    }

    /// Ends the process group that this process leads by one signal after the other, each with its
    /// own patience, and finally by SIGKILL.
    ///
    /// # Errors
    /// Fails with `Unstoppable` when even that did not end it.
    pub(crate) fn end_group_blocking(self, signals: &[(Signal, Duration)]) -> Result<()> {
        let last = (Signal::KILL, AFTER_KILL);
        for (signal, patience) in signals.iter().copied().chain([last]) {
            self.signal_group(signal);
            // A paused process receives it only when it is resumed.
            self.signal_group(Signal::CONT);
            let deadline = Instant::now() + patience;
            while Instant::now() < deadline && self.is_alive() {
                std::thread::sleep(POLL);
            }
        }
        self.check_ended()
    }

    /// Kills the group at once, as a crash would.
    ///
    /// # Errors
    /// Fails with `Unstoppable` when it still runs 10 s later.
    pub(crate) async fn kill_group(self) -> Result<()> {
        self.signal_group(Signal::KILL);
        let deadline = Instant::now() + AFTER_KILL;
        while Instant::now() < deadline && self.is_alive() {
            tokio::time::sleep(POLL).await;
        }
        self.check_ended()
    }

    /// Keeps the group from running until [`ProcessId::resume_group`], and waits until the threads
    /// of its leader have stopped: each of them runs until it notices the signal.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub(crate) fn pause_group(self) -> Result<()> {
        self.stat()?;
        self.signal_group(Signal::STOP);
        let deadline = Instant::now() + AFTER_KILL;
        while Instant::now() < deadline && self.has_running_threads() {
            std::thread::sleep(AFTER_PAUSE);
        }
        Ok(())
    }

    fn has_running_threads(self) -> bool {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid));
        let stats = threads
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|thread| {
                // A thread that has ended meanwhile has no such file.
                fs::read_to_string(thread.path().join("stat")).ok()
            });
        let mut states = stats.filter_map(|stat| stat.rsplit_once(") ")?.1.chars().next());
        states.any(|state| !matches!(state, 'T' | 't' | 'Z' | 'X'))
    }

    /// Lets a paused group run again.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub(crate) fn resume_group(self) -> Result<()> {
        self.stat()?;
        self.signal_group(Signal::CONT);
        Ok(())
    }

    pub(crate) fn check_ended(self) -> Result<()> {
        if self.is_alive() {
            return Err(Error::Unstoppable {
                pid: self.pid,
                limit_seconds: AFTER_KILL.as_secs(),
            });
        }
        Ok(())
    }

    /// Signals the group, but only while its leader is the process on record.
    fn signal_group(self, signal: Signal) {
        let group = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        if let (true, Some(group)) = (self.is_alive(), group)
            && let Err(error) = kill_process_group(group, signal)
        {
            tracing::warn!("cannot signal process group {}: {error}", self.pid);
        }
    }

    fn stat(self) -> Result<Stat> {
        Stat::read(self.pid)
            .filter(|stat| stat.start_ticks == self.start_ticks)
            .ok_or(Error::Gone { pid: self.pid })
    }
}

struct Stat {
    start_ticks: u64,
    /// CPU time of children that were waited for.
    ended_ticks: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Stat> {
        Stat::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Reads a line of `/proc/<pid>/stat`, counting fields from behind the program's name, which
    /// may itself hold blanks and brackets. Returns `None` for a process that has ended. One whose
    /// first thread alone has ended is still alive: other threads hold its ports and memory.
    fn parse(line: &str) -> Option<Stat> {
        let fields: Vec<_> = line.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        if matches!(*fields.first()?, "Z" | "X") && number(17)? <= 1 {
            return None;
        }
        Some(Stat {
            ended_ticks: number(13)? + number(14)?,
            start_ticks: number(19)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    fn group_of_two() -> (Child, ProcessId) {
        let child = Command::new("sh")
            .args(["-c", "sleep 60 & wait"])
            .process_group(0)
            .spawn();
        let child = child.unwrap();
        let id = ProcessId::from_pid(child.id()).unwrap();
        (child, id)
    }

    #[test]
    fn an_ended_process_differs_from_one_that_is_ending_whatever_its_name() {
        let line = |name: &str, state: &str, threads: u32| {
            format!("12 ({name}) {state} 1 2 3 4 5 6 7 8 9 10 700 80 13 14 15 16 {threads} 18 4242")
        };
        let stat = Stat::parse(&line("a) b", "S", 5)).unwrap();
        assert_eq!(stat.ended_ticks, 27);
        assert_eq!(stat.start_ticks, 4242);
        assert!(Stat::parse(&line("a", "Z", 1)).is_none());
        assert!(Stat::parse(&line("a", "Z", 5)).is_some());
        assert!(Stat::parse("12 (a) S 1").is_none());
    }

    #[test]
    fn this_process_is_alive_and_uses_memory() {
        let this = ProcessId::this().unwrap();
        assert!(this.is_alive());
        assert!(this.resident_bytes().unwrap() > 0);
    }

    #[test]
    fn cpu_time_is_finer_than_a_clock_tick() {
        let this = ProcessId::this().unwrap();
        let (before, mut steps) = (this.cpu_seconds().unwrap(), 0);
        while this.cpu_seconds().unwrap() < before + 0.01 {
            steps += 1;
        }
        assert!(steps > 1, "one step is a whole tick");
    }

    #[test]
    fn a_reused_pid_is_neither_alive_nor_stopped() {
        let (mut child, id) = group_of_two();
        let earlier = ProcessId {
            start_ticks: id.start_ticks - 1,
            ..id
        };
        assert!(!earlier.is_alive());
        assert!(matches!(earlier.cpu_seconds(), Err(Error::Gone { .. })));
        earlier.stop_group_blocking(Duration::ZERO).unwrap();
        assert!(id.is_alive());
        id.stop_group_blocking(Duration::from_secs(5)).unwrap();
        child.wait().unwrap();
    }

    #[tokio::test]
    async fn one_that_ignores_sigterm_is_killed() {
        let mut child = Command::new("sh")
            .args(["-c", "trap '' TERM; echo; while :; do sleep 1; done"])
            .process_group(0)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        let id = ProcessId::from_pid(child.id()).unwrap();
        id.stop_group(Duration::from_millis(100)).await.unwrap();
        assert!(!id.is_alive());
        child.wait().unwrap();
    }

    #[tokio::test]
    async fn a_paused_one_uses_no_time_and_can_be_stopped() {
        let mut child = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .process_group(0)
            .spawn()
            .unwrap();
        let id = ProcessId::from_pid(child.id()).unwrap();
        let used_in_a_while = || {
            std::thread::sleep(Duration::from_millis(50));
            let before = id.cpu_seconds().unwrap();
            std::thread::sleep(Duration::from_millis(500));
            id.cpu_seconds().unwrap() - before
        };
        id.pause_group().unwrap();
        assert_eq!(used_in_a_while(), 0.0);
        id.resume_group().unwrap();
        // However little of the processor others leave it.
        while used_in_a_while() == 0.0 {}
        id.pause_group().unwrap();
        let began = Instant::now();
        id.stop_group_blocking(Duration::from_secs(60)).unwrap();
        assert!(began.elapsed() < Duration::from_secs(30));
        child.wait().unwrap();
        assert!(matches!(id.pause_group(), Err(Error::Gone { .. })));
        assert!(matches!(id.resume_group(), Err(Error::Gone { .. })));
    }

    #[tokio::test]
    async fn a_killed_group_is_gone_at_once() {
        let (mut child, id) = group_of_two();
        id.kill_group().await.unwrap();
        assert!(!id.is_alive());
        child.wait().unwrap();
        id.kill_group().await.unwrap();
    }

    #[test]
    fn a_place_ends_with_its_boot() {
        let here = ProcessScope::here().unwrap();
        assert!(!here.ended_before(&here));
        assert!(
            ProcessScope {
                boot: "earlier".into(),
                ..here.clone()
            }
            .ended_before(&here)
        );
        let other = ProcessScope {
            boot: "b".into(),
            host: "another".into(),
            ..here.clone()
        };
        assert!(!other.ended_before(&here));
    }
}

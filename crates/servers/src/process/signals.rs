//! Stopping, killing and pausing processes with the groups that they lead.
//!
//! A group is paused before it gets any other signal. Otherwise a process that is started after the group
//! was listed would be missed, and once the leader has ended nothing tells whose the group was.

use std::fs;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::{ProcessId, Stat};
use crate::error::{Error, Result};

const POLL: Duration = Duration::from_millis(50);
/// Time between two looks at threads that are about to stop.
const AFTER_PAUSE: Duration = Duration::from_millis(1);
const AFTER_KILL: Duration = Duration::from_secs(10);
/// Longest time for a group to pause before it is signalled as it is.
const PAUSE_LIMIT: Duration = Duration::from_secs(1);

impl ProcessId {
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
            // A paused process receives it only when it is resumed.
            self.signal_group(&[signal, Signal::CONT]);
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
        tokio::task::spawn_blocking(move || self.end_group_blocking(&[]))
            .await
            .unwrap_or_else(|_| self.check_ended())
    }

    /// Keeps the group from running until [`ProcessId::resume_group`], and waits until all threads
    /// have stopped: each of them runs until it notices the signal.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub(crate) fn pause_group(self) -> Result<()> {
        self.stat()?;
        self.paused_group(AFTER_KILL);
        Ok(())
    }

    /// Pauses the group that this process leads, and returns its processes, this one first. One that has not
    /// stopped after `patience` is among them, but may have started others.
    fn paused_group(self, patience: Duration) -> Vec<ProcessId> {
        let deadline = Instant::now() + patience;
        let (mut group, mut found) = (Vec::new(), vec![self]);
        loop {
            for process in &found {
                process.signal(Signal::STOP);
            }
            // One that is just starting another process stops when it has done so.
            while Instant::now() < deadline && found.iter().any(|p| p.has_running_threads()) {
                std::thread::sleep(AFTER_PAUSE);
            }
            group.append(&mut found);
            found = self.others_of_group();
            found.retain(|process| !group.contains(process));
            if found.is_empty() || Instant::now() >= deadline {
                group.append(&mut found);
                return group;
            }
        }
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
        states.any(|state| !matches!(state, 'T' | 't' | 'Z' | 'X')) && self.is_alive()
    }

    /// Lets a paused group run again.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub(crate) fn resume_group(self) -> Result<()> {
        self.stat()?;
        for process in self.others_of_group().into_iter().chain([self]) {
            process.signal(Signal::CONT);
        }
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

    /// Pauses the group that this process leads, and sends signals to all of it; does nothing if it has ended.
    fn signal_group(self, signals: &[Signal]) {
        let group = self.paused_group(PAUSE_LIMIT);
        for signal in signals {
            // The leader comes last: the kernel disturbs what is paused in a group that has lost it.
            for process in group.iter().rev() {
                process.signal(*signal);
            }
        }
    }

    /// Returns the CPU time of the group that this process leads, including processes that ended and were waited
    /// for, in seconds.
    ///
    /// # Errors
    /// Fails with `Gone` when it has ended.
    pub(crate) fn group_cpu_seconds(self) -> Result<f64> {
        let of_one = |process: ProcessId| -> Result<f64> {
            Ok(process.cpu_seconds()? + process.seconds_of_ended()?)
        };
        let others = self.others_of_group().into_iter();
        // One that has ended meanwhile is in the time of who waited for it.
        let of_others: f64 = others.filter_map(|other| of_one(other).ok()).sum();
        Ok(of_one(self)? + of_others)
    }

    /// Returns the other processes of the group that it leads; none if it has ended, as the group may
    /// be another one by now.
    fn others_of_group(self) -> Vec<ProcessId> {
        let others = without_leader(self.pid);
        if self.is_alive() { others } else { Vec::new() }
    }

    /// Signals this very process, and no other one that has got its id; does nothing if it has ended.
    pub(crate) fn signal(self, signal: Signal) {
        let Some(pid) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) else {
            return;
        };
        let sent = match pidfd_open(pid, PidfdFlags::empty()) {
            // The descriptor stays with the process that had the id when it was opened.
            Ok(process) if self.is_alive() => pidfd_send_signal(process, signal),
            // Linux before 5.3 has no such descriptors, and some containers forbid them.
            Err(Errno::NOSYS | Errno::PERM) if self.is_alive() => kill_process(pid, signal),
            _ => return,
        };
        match sent {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => tracing::warn!("cannot signal process {}: {error}", self.pid),
        }
    }
}

/// Returns the processes of a group except the one whose id it has.
fn without_leader(group: u32) -> Vec<ProcessId> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let others = ids.filter(|pid| *pid != group).filter_map(|pid| {
        let stat = Stat::read(pid)?;
        (stat.group == u64::from(group)).then_some(ProcessId {
            pid,
            start_ticks: stat.start_ticks,
        })
    });
    others.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_testing::times;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    /// Starts a process with a child in its group, and waits until both are there.
    fn group_of_two() -> (Child, ProcessId) {
        let child = Command::new("sh")
            .args(["-c", "sleep 60 & wait"])
            .process_group(0)
            .stdout(Stdio::null())
            .spawn();
        let child = child.unwrap();
        let id = ProcessId::from_pid(child.id()).unwrap();
        while id.others_of_group().is_empty() {
            std::thread::sleep(AFTER_PAUSE);
        }
        (child, id)
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
    async fn the_time_of_a_group_is_that_of_all_its_processes() {
        let mut child = Command::new("sh")
            .args(["-c", "while :; do :; done & read line"])
            .process_group(0)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let id = ProcessId::from_pid(child.id()).unwrap();
        let began = id.group_cpu_seconds().unwrap();
        // Its leader only waits.
        while id.group_cpu_seconds().unwrap() < began + 0.05 {
            std::thread::sleep(AFTER_PAUSE);
        }
        assert!(id.cpu_seconds().unwrap() < began + 0.05);
        id.kill_group().await.unwrap();
        child.wait().unwrap();
        assert!(matches!(id.group_cpu_seconds(), Err(Error::Gone { .. })));
    }

    #[tokio::test]
    async fn a_killed_group_is_gone_at_once() {
        let (mut child, id) = group_of_two();
        id.kill_group().await.unwrap();
        assert!(!id.is_alive());
        child.wait().unwrap();
        id.kill_group().await.unwrap();
    }

    #[tokio::test]
    async fn a_process_that_is_just_started_is_not_missed() {
        for _ in 0..times(20, 200) {
            let mut child = Command::new("sh")
                .args(["-c", "for i in $(seq 500); do sleep 60 & done; wait"])
                .process_group(0)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let id = ProcessId::from_pid(child.id()).unwrap();
            while id.others_of_group().is_empty() {
                std::thread::sleep(AFTER_PAUSE);
            }
            id.kill_group().await.unwrap();
            child.wait().unwrap();
            // Those that were killed are gone long before one that was missed.
            let deadline = Instant::now() + Duration::from_secs(30);
            while Instant::now() < deadline && !without_leader(id.pid).is_empty() {
                std::thread::sleep(AFTER_PAUSE);
            }
            assert_eq!(without_leader(id.pid), []);
        }
    }

    #[tokio::test]
    async fn the_others_of_a_group_are_signalled_with_its_leader_and_not_after_its_end() {
        let (mut child, id) = group_of_two();
        let [other] = id.others_of_group()[..] else {
            panic!("{:?}", id.others_of_group());
        };
        id.signal(Signal::KILL);
        child.wait().unwrap();
        assert_eq!(id.others_of_group(), []);
        id.signal_group(&[Signal::KILL]);
        assert!(other.is_alive());
        other.signal(Signal::KILL);
        while other.is_alive() {
            std::thread::sleep(AFTER_PAUSE);
        }

        let (mut child, id) = group_of_two();
        let [other] = id.others_of_group()[..] else {
            panic!("{:?}", id.others_of_group());
        };
        id.kill_group().await.unwrap();
        child.wait().unwrap();
        while other.is_alive() {
            std::thread::sleep(AFTER_PAUSE);
        }
    }
}

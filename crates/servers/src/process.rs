//! Processes of this machine, distinguished from later ones that get the same id.

mod signals;

use std::fs;
use std::path::Path;

use nix::time::{clock_getcpuclockid, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

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

    /// Returns the page faults of its children that ended and were waited for. Every process has some, so that this
    /// number changes with each one that ends, whatever time it used.
    pub(crate) fn faults_of_ended(self) -> Result<u64> {
        Ok(self.stat()?.ended_faults)
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

    fn stat(self) -> Result<Stat> {
        Stat::read(self.pid)
            .filter(|stat| stat.start_ticks == self.start_ticks)
            .ok_or(Error::Gone { pid: self.pid })
    }
}

struct Stat {
    start_ticks: u64,
    /// Id of its process group.
    group: u64,
    /// CPU time of children that were waited for.
    ended_ticks: u64,
    /// Page faults without reading from a disk of children that were waited for.
    ended_faults: u64,
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
            group: number(2)?,
            ended_ticks: number(13)? + number(14)?,
            ended_faults: number(8)?,
            start_ticks: number(19)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn an_ended_process_differs_from_one_that_is_ending_whatever_its_name() {
        let line = |name: &str, state: &str, threads: u32| {
            format!("12 ({name}) {state} 1 2 3 4 5 6 7 8 9 10 700 80 13 14 15 16 {threads} 18 4242")
        };
        let stat = Stat::parse(&line("a) b", "S", 5)).unwrap();
        assert_eq!((stat.ended_ticks, stat.ended_faults), (27, 8));
        assert_eq!(stat.group, 2);
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

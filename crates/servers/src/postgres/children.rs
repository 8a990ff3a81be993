//! Child processes of a PostgreSQL server. Each is in its own session, so that signals to the group of
//! the first process do not reach it.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::disk_bytes::DiskBytes;
use crate::error::{Error, Result};
use crate::process::ProcessId;

const POLL: Duration = Duration::from_millis(50);
const AFTER_KILL: Duration = Duration::from_secs(10);
/// The highest number of readings of CPU time, which is read again if a child ended meanwhile.
const READINGS: usize = 10;

/// Returns the running children of the cluster of that name, even after their parent's end: the
/// name is random, and in the title of each.
pub(crate) fn children(cluster: &str) -> Vec<ProcessId> {
    let title = format!("postgres: {cluster}: ");
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| ProcessId::from_pid(pid).ok())
        .filter(|process| {
            let shown = fs::read(format!("/proc/{}/cmdline", process.pid));
            shown.is_ok_and(|shown| shown.starts_with(title.as_bytes())) && process.is_alive()
        })
        .collect()
}

/// Kills all children that have outlived their parent.
///
/// # Errors
/// Fails with `Unstoppable` with one that still runs 10 s later.
pub(crate) fn kill_children(cluster: &str) -> Result<()> {
    let deadline = Instant::now() + AFTER_KILL;
    loop {
        let running = children(cluster);
        let Some(first) = running.first() else {
            return Ok(());
        };
        if Instant::now() >= deadline {
            return Err(Error::Unstoppable {
                pid: first.pid,
                limit_seconds: AFTER_KILL.as_secs(),
            });
        }
        running
            .iter()
            .for_each(|process| process.signal(Signal::KILL));
        std::thread::sleep(POLL);
    }
}

/// Returns the CPU time of a server and its children, including children that ended, in seconds.
///
/// # Errors
/// Fails with `Gone` when it has ended.
pub(crate) fn cpu_seconds(server: ProcessId, cluster: &str) -> Result<f64> {
    let mut ended = server.faults_of_ended()?;
    let (mut living, mut of_ended) = (0.0, 0.0);
    for _ in 0..READINGS {
        let children = children_of(server, cluster);
        living = children.into_iter().filter_map(with_ended).sum();
        of_ended = server.seconds_of_ended()?;
        let before = std::mem::replace(&mut ended, server.faults_of_ended()?);
        // Otherwise the time of a child that ended may be in both sums or in neither, or one may be left out.
        if before == ended {
            break;
        }
    }
    Ok(server.cpu_seconds()? + of_ended + living)
}

/// Returns the bytes of the disk that a server and its children have read and written; `None` if they may not be read,
/// or it has ended. The system adds those of a child to its parent's when it ends.
pub(crate) fn disk_bytes(server: ProcessId, cluster: &str) -> Option<DiskBytes> {
    let mut ended = server.faults_of_ended().ok()?;
    let mut all = DiskBytes::default();
    for _ in 0..READINGS {
        let children = children_of(server, cluster).into_iter();
        let living = children.filter_map(DiskBytes::of_process);
        all = living.fold(DiskBytes::of_process(server)?, DiskBytes::and);
        let before = std::mem::replace(&mut ended, server.faults_of_ended().ok()?);
        // Otherwise those of a child that ended may count twice or not at all.
        if before == ended {
            break;
        }
    }
    Some(all)
}

/// Returns the running children of a server that runs itself. The system's list of them is read in microseconds; where
/// it keeps none, all processes of the machine are looked at, which takes milliseconds.
fn children_of(server: ProcessId, cluster: &str) -> Vec<ProcessId> {
    let Ok(listed) = fs::read_to_string(format!("/proc/{0}/task/{0}/children", server.pid)) else {
        return children(cluster);
    };
    let pids = listed.split_ascii_whitespace();
    pids.filter_map(|pid| ProcessId::from_pid(pid.parse().ok()?).ok())
        .collect()
}

fn with_ended(process: ProcessId) -> Option<f64> {
    Some(process.cpu_seconds().ok()? + process.seconds_of_ended().ok()?)
}

/// Returns the memory of a server and its children, in bytes: the private memory of each, and
/// shared memory as counted for the process that has most of it.
///
/// # Errors
/// Fails with `Gone` when it has ended.
pub(crate) fn resident_bytes(server: ProcessId, cluster: &str) -> Result<u64> {
    let own = Memory::read(server).ok_or(Error::Gone { pid: server.pid })?;
    let all = children_of(server, cluster)
        .into_iter()
        .filter_map(Memory::read)
        .fold(own, Memory::and);
    Ok(all.private + all.files + all.shared)
}

/// Resident memory by kind, in bytes.
#[derive(Debug, PartialEq)]
struct Memory {
    private: u64,
    files: u64,
    shared: u64,
}

impl Memory {
    fn read(process: ProcessId) -> Option<Memory> {
        let status = fs::read_to_string(format!("/proc/{}/status", process.pid)).ok()?;
        Memory::parse(&status)
    }

    /// Parses the text of `/proc/<pid>/status`.
    fn parse(status: &str) -> Option<Memory> {
        let bytes = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name))?;
            let kib = value
                .trim()
                .strip_suffix("kB")?
                .trim()
                .parse::<u64>()
                .ok()?;
            Some(kib * 1024)
        };
        Some(Memory {
            private: bytes("RssAnon:")?,
            files: bytes("RssFile:")?,
            shared: bytes("RssShmem:")?,
        })
    }

    fn and(self, other: Memory) -> Memory {
        let Memory {
            private,
            files,
            shared,
        } = other;
        Memory {
            private: self.private + private,
            files: self.files.max(files),
            shared: self.shared.max(shared),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    #[test]
    fn children_are_known_by_the_name_in_their_title_and_killed() {
        let titled = |title: &str| Command::new("sleep").arg0(title).arg("60").spawn().unwrap();
        let mut child = titled("postgres: bakeoff-test-1: checkpointer ");
        let mut stranger = titled("postgres: bakeoff-test-12: checkpointer ");
        while children("bakeoff-test-12").is_empty() || children("bakeoff-test-1").is_empty() {
            std::thread::sleep(POLL);
        }
        assert_eq!(children("bakeoff-test-1")[0].pid, child.id());
        kill_children("bakeoff-test-1").unwrap();
        child.wait().unwrap();
        assert_eq!(children("bakeoff-test-1"), []);
        assert_eq!(children("bakeoff-test-12")[0].pid, stranger.id());
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }

    /// Waits for a child of the process other than the last one.
    fn next_child(parent: ProcessId, last: Option<ProcessId>) -> ProcessId {
        loop {
            let mut found = children_of(parent, "no such cluster").into_iter();
            if let Some(child) = found.find(|child| Some(*child) != last) {
                return child;
            }
            std::thread::sleep(POLL);
        }
    }

    #[test]
    fn children_are_listed_and_each_end_is_noticed_whatever_time_it_used() {
        let script = "sleep 60 & wait; sleep 60 & wait";
        let mut parent = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let id = ProcessId::from_pid(parent.id()).unwrap();
        let first = next_child(id, None);
        let before = id.faults_of_ended().unwrap();
        first.signal(Signal::KILL);
        let second = next_child(id, Some(first));
        assert!(id.faults_of_ended().unwrap() > before);
        assert!(cpu_seconds(id, "no such cluster").unwrap() >= 0.0);
        assert!(disk_bytes(id, "no such cluster").is_some());
        second.signal(Signal::KILL);
        parent.wait().unwrap();
        assert!(cpu_seconds(id, "no such cluster").is_err());
        assert_eq!(disk_bytes(id, "no such cluster"), None);
    }

    #[test]
    fn bytes_of_a_child_that_ended_are_its_parents() {
        let folder = tempfile::tempdir().unwrap();
        let script = "dd if=/dev/zero of=written bs=65536 count=16 2>/dev/null; sleep 60 & wait";
        let mut shell = Command::new("sh");
        let mut parent = { shell.args(["-c", script]).current_dir(folder.path()) }
            .spawn()
            .unwrap();
        let id = ProcessId::from_pid(parent.id()).unwrap();
        while id.faults_of_ended().unwrap() == 0 {
            std::thread::sleep(POLL);
        }
        let counted = disk_bytes(id, "no such cluster").unwrap();
        // Of files that are kept in memory nothing is written to a disk.
        let in_memory = ("filesystem", "tmpfs".to_owned());
        if !crate::disk::settings(folder.path()).contains(&in_memory) {
            assert!(counted.written >= 1 << 20, "{counted:?}");
        }
        next_child(id, None).signal(Signal::KILL);
        parent.wait().unwrap();
    }

    #[test]
    fn shared_memory_counts_once() {
        let memory = |private, files, shared| Memory {
            private,
            files,
            shared,
        };
        let status = "VmRSS:\t 9 kB\nRssAnon:\t       1 kB\nRssFile:\t 2 kB\nRssShmem:\t 3 kB\n";
        assert_eq!(Memory::parse(status), Some(memory(1024, 2048, 3072)));
        assert_eq!(memory(1, 5, 7).and(memory(2, 6, 3)), memory(3, 6, 7));
        assert!(Memory::read(ProcessId::this().unwrap()).is_some());
    }
}

//! Resources that a running server uses, cheap enough to be read every second.

use std::fs;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::server::Server;
use crate::process::ProcessId;

/// Resources that a server has used since it started; counters only grow. `None` means unknown, as
/// everything is for a server that has ended.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// CPU time in user and system mode, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Resident memory at the moment, in bytes, including the pages of mapped files.
    pub resident_bytes: Option<u64>,
    /// Bytes read from the disk rather than the page cache, by reads and by mapped files,
    /// read-ahead included.
    pub disk_read_bytes: Option<u64>,
    /// Bytes written that reached the disk or will. Those of deleted files count until their
    /// deletion is noticed.
    pub disk_written_bytes: Option<u64>,
    /// Garbage collections that paused the server; if Bakeoff attached to it after 10 MiB of log,
    /// those since then.
    pub gc_count: Option<u64>,
    pub gc_seconds: Option<f64>,
    /// Bytes allocated on the heap up to the last pause; unknown with ZGC.
    pub allocated_bytes: Option<u64>,
    /// Bytes of memory at the moment that count against the memory limit; only with a limit.
    pub limited_bytes: Option<u64>,
    /// Bytes of the page cache in it; only with a limit.
    pub page_cache_bytes: Option<u64>,
}

impl Server {
    /// Reads the usage from four small files of the system and the new lines of a log.
    pub fn usage(&self) -> Usage {
        let process = self.record.server;
        if !process.is_alive() {
            return Usage::default();
        }
        let disk = disk_bytes(process);
        let pauses = self
            .gc_log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .read()
            .inspect_err(|error| tracing::debug!("cannot read the log of the collector: {error}"))
            .ok();
        let limit = self.details.limits.memory.as_ref();
        Usage {
            cpu_seconds: process.cpu_seconds().ok(),
            resident_bytes: process.resident_bytes().ok(),
            disk_read_bytes: disk.map(|(read, _)| read),
            disk_written_bytes: disk.map(|(_, written)| self.most_written(written)),
            gc_count: pauses.map(|pauses| pauses.count),
            gc_seconds: pauses.map(|pauses| pauses.seconds),
            allocated_bytes: pauses.and_then(|pauses| pauses.allocated_bytes),
            limited_bytes: limit.and_then(|limit| limit.used_bytes()),
            page_cache_bytes: limit.and_then(|limit| limit.page_cache_bytes()),
        }
    }

    /// Returns the highest value so far: the system subtracts what a deleted file had not yet
    /// written, but a counter must not fall.
    fn most_written(&self, now: u64) -> u64 {
        self.most_written.fetch_max(now, Ordering::Relaxed).max(now)
    }
}

/// Returns the bytes read from and written to the disk; `None` if it is a process of another user
/// that may not be read.
fn disk_bytes(process: ProcessId) -> Option<(u64, u64)> {
    parse_io(&fs::read_to_string(format!("/proc/{}/io", process.pid)).ok()?)
}

/// Parses the text of `/proc/<pid>/io`, see `proc_pid_io(5)`.
fn parse_io(text: &str) -> Option<(u64, u64)> {
    let number = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
    };
    let written = number("write_bytes:")?.saturating_sub(number("cancelled_write_bytes:")?);
    Some((number("read_bytes:")?, written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_of_the_disk_count() {
        let text = "rchar: 9000\nwchar: 8000\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\n\
                    write_bytes: 12288\ncancelled_write_bytes: 8192\n";
        assert_eq!(parse_io(text), Some((4096, 4096)));
        assert_eq!(parse_io("rchar: 1\n"), None);
        assert!(disk_bytes(ProcessId::this().unwrap()).is_some());
    }
}

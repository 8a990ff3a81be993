//! Resources that a running server uses, cheap enough to be read every second.

use std::ops::Add;
use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::server::Server;
use crate::disk_bytes::DiskBytes;

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
    /// Those of them that compactions read.
    pub compaction_read_bytes: Option<u64>,
    /// Those of them that compactions wrote.
    pub compaction_written_bytes: Option<u64>,
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
    /// Reads the usage from small files of the system, two of each thread, and the new lines of a log.
    pub fn usage(&self) -> Usage {
        let process = self.record.server;
        if !process.is_alive() {
            return Usage::default();
        }
        let disk = DiskBytes::of_process(process);
        let compactions = self.compactions();
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
            disk_read_bytes: disk.map(|disk| disk.read),
            disk_written_bytes: disk.map(|disk| self.most_written(disk.written)),
            compaction_read_bytes: compactions.map(|bytes| bytes.read),
            compaction_written_bytes: compactions.map(|bytes| bytes.written),
            gc_count: pauses.map(|pauses| pauses.count),
            gc_seconds: pauses.map(|pauses| pauses.seconds),
            allocated_bytes: pauses.and_then(|pauses| pauses.allocated_bytes),
            limited_bytes: limit.and_then(|limit| limit.used_bytes()),
            page_cache_bytes: limit.and_then(|limit| limit.page_cache_bytes()),
        }
    }

    /// Returns what its compactions have read and written; `None` if it may not be looked at.
    fn compactions(&self) -> Option<DiskBytes> {
        let tasks = format!("/proc/{}/task", self.record.server.pid);
        self.compactions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .look(Path::new(&tasks))
            .inspect_err(|error| tracing::debug!("cannot read what compactions read: {error}"))
            .ok()
    }

    /// Returns the highest value so far: the system subtracts what a deleted file had not yet
    /// written, but a counter must not fall.
    fn most_written(&self, now: u64) -> u64 {
        self.most_written.fetch_max(now, Ordering::Relaxed).max(now)
    }
}

impl Usage {
    /// Adds the usage of another node; a figure that is unknown for one of them is unknown.
    pub(super) fn and(self, other: &Usage) -> Usage {
        let Usage {
            cpu_seconds,
            resident_bytes,
            disk_read_bytes,
            disk_written_bytes,
            compaction_read_bytes,
            compaction_written_bytes,
            gc_count,
            gc_seconds,
            allocated_bytes,
            limited_bytes,
            page_cache_bytes,
        } = *other;
        Usage {
            cpu_seconds: sum(self.cpu_seconds, cpu_seconds),
            resident_bytes: sum(self.resident_bytes, resident_bytes),
            disk_read_bytes: sum(self.disk_read_bytes, disk_read_bytes),
            disk_written_bytes: sum(self.disk_written_bytes, disk_written_bytes),
            compaction_read_bytes: sum(self.compaction_read_bytes, compaction_read_bytes),
            compaction_written_bytes: sum(self.compaction_written_bytes, compaction_written_bytes),
            gc_count: sum(self.gc_count, gc_count),
            gc_seconds: sum(self.gc_seconds, gc_seconds),
            allocated_bytes: sum(self.allocated_bytes, allocated_bytes),
            limited_bytes: sum(self.limited_bytes, limited_bytes),
            page_cache_bytes: sum(self.page_cache_bytes, page_cache_bytes),
        }
    }
}

fn sum<T: Add<Output = T>>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.zip(other).map(|(one, other)| one + other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_of_one_node_is_not_known_of_all() {
        let usage = |gc_count| Usage {
            cpu_seconds: Some(1.5),
            gc_count,
            ..Usage::default()
        };
        let both = usage(Some(2)).and(&usage(None));
        assert_eq!((both.cpu_seconds, both.gc_count), (Some(3.0), None));
    }
}

//! Resources that a running server uses, cheap enough to be read every second.

use std::ops::Add;
use std::sync::atomic::{AtomicU64, Ordering};

use super::children;
use super::server::Server;

/// Resources that a server and its children have used since it started, children that ended included; counters only
/// grow. `None` means unknown, as everything is for a server that has ended.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// CPU time in user and system mode, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Resident memory at the moment, in bytes; what processes share counts once.
    pub resident_bytes: Option<u64>,
    /// Bytes read from the disk rather than the page cache, read-ahead included.
    pub disk_read_bytes: Option<u64>,
    /// Bytes written that reached the disk or will.
    pub disk_written_bytes: Option<u64>,
}

impl Server {
    /// Reads the usage from small files of the system, a few of each process.
    pub fn usage(&self) -> Usage {
        let process = self.record.server;
        if !process.is_alive() {
            return Usage::default();
        }
        let disk = children::disk_bytes(process, &self.details.cluster);
        Usage {
            cpu_seconds: self.cpu_seconds().ok(),
            resident_bytes: self.resident_bytes().ok(),
            disk_read_bytes: disk.map(|disk| highest(&self.most_read, disk.read)),
            disk_written_bytes: disk.map(|disk| highest(&self.most_written, disk.written)),
        }
    }
}

/// Returns the highest value so far: the system subtracts what a deleted file had not yet written, and a process that
/// ends while it is looked at is missed, but a counter must not fall.
fn highest(so_far: &AtomicU64, now: u64) -> u64 {
    so_far.fetch_max(now, Ordering::Relaxed).max(now)
}

impl Usage {
    /// Adds the usage of another server; a figure that is unknown for one of them is unknown.
    pub(super) fn and(self, other: Usage) -> Usage {
        Usage {
            cpu_seconds: sum(self.cpu_seconds, other.cpu_seconds),
            resident_bytes: sum(self.resident_bytes, other.resident_bytes),
            disk_read_bytes: sum(self.disk_read_bytes, other.disk_read_bytes),
            disk_written_bytes: sum(self.disk_written_bytes, other.disk_written_bytes),
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
    fn what_is_not_known_of_one_server_is_not_known_of_all() {
        let usage = |resident_bytes| Usage {
            cpu_seconds: Some(1.5),
            resident_bytes,
            ..Usage::default()
        };
        let both = usage(Some(2)).and(usage(None));
        assert_eq!((both.cpu_seconds, both.resident_bytes), (Some(3.0), None));
    }

    #[test]
    fn a_counter_does_not_fall() {
        let so_far = AtomicU64::default();
        let seen = [5, 3, 8].map(|now| highest(&so_far, now));
        assert_eq!(seen, [5, 5, 8]);
    }
}

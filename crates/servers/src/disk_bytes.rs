//! Bytes that a process, or one of its threads, has read from the disk and written to it, as the system counts them.

use std::fs;

use crate::process::ProcessId;

/// Bytes of the disk rather than of the page cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DiskBytes {
    pub(crate) read: u64,
    /// Bytes that reached the disk or will, less those of files that were deleted before.
    pub(crate) written: u64,
}

impl DiskBytes {
    /// Reads those of a process; `None` if it is one of another user that may not be read.
    pub(crate) fn of_process(process: ProcessId) -> Option<DiskBytes> {
        DiskBytes::parse(&fs::read_to_string(format!("/proc/{}/io", process.pid)).ok()?)
    }

    /// Adds those of another process.
    pub(crate) fn and(self, other: DiskBytes) -> DiskBytes {
        DiskBytes {
            read: self.read.saturating_add(other.read),
            written: self.written.saturating_add(other.written),
        }
    }

    /// Parses the text of `/proc/<pid>/io` or `/proc/<pid>/task/<tid>/io`, see `proc_pid_io(5)`.
    pub(crate) fn parse(text: &str) -> Option<DiskBytes> {
        let number = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
        };
        let written = number("write_bytes:")?.saturating_sub(number("cancelled_write_bytes:")?);
        Some(DiskBytes {
            read: number("read_bytes:")?,
            written,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_of_the_disk_count() {
        let text = "rchar: 9000\nwchar: 8000\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\n\
                    write_bytes: 12288\ncancelled_write_bytes: 8192\n";
        let found = DiskBytes {
            read: 4096,
            written: 4096,
        };
        assert_eq!(DiskBytes::parse(text), Some(found));
        let twice = DiskBytes {
            read: 8192,
            written: 8192,
        };
        assert_eq!(found.and(found), twice);
        assert_eq!(DiskBytes::parse("rchar: 1\n"), None);
        assert!(DiskBytes::of_process(ProcessId::this().unwrap()).is_some());
    }
}

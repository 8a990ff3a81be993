//! Bytes that the compactions of a server have read from the disk and written to it.
//!
//! Cassandra tells bytes of compactions before compression, and when they have ended. The system counts those of each
//! thread in the same way as those of the whole process, so that the two may be compared.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::io::Errno;

use crate::disk_bytes::DiskBytes;

/// What the system has of the name `CompactionExecutor:1`, which older JVMs cut off and newer ones shorten.
const NAMES: [&str; 2] = ["CompactionExec", "Compact..utor"];

/// Sums over the threads of compactions, those that have ended included.
#[derive(Debug, Default)]
pub(crate) struct Compactions {
    /// What each thread had read and written at the last look, by its id.
    threads: BTreeMap<OsString, DiskBytes>,
    total: DiskBytes,
}

impl Compactions {
    /// Adds what the threads in this folder have read and written since the last look, and returns all of it. What a
    /// thread did between a look and its end is missing.
    ///
    /// # Errors
    /// The system does not let the process be looked at.
    pub(crate) fn look(&mut self, tasks: &Path) -> io::Result<DiskBytes> {
        let mut threads = BTreeMap::new();
        for thread in fs::read_dir(tasks)? {
            let thread = thread?;
            let Some(now) = bytes_of(&thread.path())? else {
                continue;
            };
            let id = thread.file_name();
            let then = self.threads.get(&id).copied().unwrap_or_default();
            // What a deleted file had not yet written is subtracted by the system, but a counter must not fall.
            let now = DiskBytes {
                read: now.read.max(then.read),
                written: now.written.max(then.written),
            };
            self.total.read += now.read - then.read;
            self.total.written += now.written - then.written;
            threads.insert(id, now);
        }
        self.threads = threads;
        Ok(self.total)
    }
}

/// Reads the bytes of a thread; `None` for one that compacts nothing or has just ended.
fn bytes_of(thread: &Path) -> io::Result<Option<DiskBytes>> {
    let Some(name) = unless_ended(fs::read_to_string(thread.join("comm")))? else {
        return Ok(None);
    };
    if !NAMES.iter().any(|start| name.starts_with(start)) {
        return Ok(None);
    }
    let text = unless_ended(fs::read_to_string(thread.join("io")))?;
    Ok(text.and_then(|text| DiskBytes::parse(&text)))
}

/// Returns what was read of a thread; `None` if it has ended meanwhile.
fn unless_ended(read: io::Result<String>) -> io::Result<Option<String>> {
    match read {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if Errno::from_io_error(&error) == Some(Errno::SRCH) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a thread as the system shows it.
    fn thread(tasks: &Path, id: u32, name: &str, read: u64, written: u64) {
        let folder = tasks.join(id.to_string());
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("comm"), format!("{name}\n")).unwrap();
        let io = format!(
            "read_bytes: {read}\nwrite_bytes: {}\ncancelled_write_bytes: 1000\n",
            written + 1000
        );
        fs::write(folder.join("io"), io).unwrap();
    }

    fn look(compactions: &mut Compactions, tasks: &Path) -> (u64, u64) {
        let all = compactions.look(tasks).unwrap();
        (all.read, all.written)
    }

    #[test]
    fn threads_of_compactions_are_added_up_and_those_that_ended_stay() {
        let folder = tempfile::tempdir().unwrap();
        let tasks = folder.path();
        let mut compactions = Compactions::default();
        assert_eq!(look(&mut compactions, tasks), (0, 0));
        thread(tasks, 7, "CompactionExecu", 100, 10);
        thread(tasks, 8, "Compact..utor:2", 30, 3);
        thread(tasks, 9, "MemtableFlushWr", 5_000, 5_000);
        thread(tasks, 10, "CompactionLogge", 5_000, 5_000);
        assert_eq!(look(&mut compactions, tasks), (130, 13));
        thread(tasks, 7, "CompactionExecu", 150, 12);
        fs::remove_dir_all(tasks.join("8")).unwrap();
        assert_eq!(look(&mut compactions, tasks), (180, 15));
        // A later thread with the id of one that ended begins anew.
        thread(tasks, 8, "CompactionExecu", 1, 1);
        assert_eq!(look(&mut compactions, tasks), (181, 16));
    }

    #[test]
    fn sums_do_not_fall_when_files_are_deleted_before_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut compactions = Compactions::default();
        for (written, sum) in [(500, 500), (200, 500), (600, 600)] {
            thread(folder.path(), 7, "CompactionExecu", 0, written);
            assert_eq!(look(&mut compactions, folder.path()), (0, sum));
        }
    }

    #[test]
    fn a_thread_that_has_just_ended_is_none_and_a_process_that_is_gone_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut compactions = Compactions::default();
        thread(folder.path(), 7, "CompactionExecu", 1, 1);
        fs::remove_file(folder.path().join("7/io")).unwrap();
        assert_eq!(look(&mut compactions, folder.path()), (0, 0));
        assert!(compactions.look(&folder.path().join("none")).is_err());
    }
}

//! Descriptions of how a process ended, from its exit status and its log.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

const TAIL_BYTES: u64 = 256 * 1024;
/// The highest number of lines of a log in a reason.
pub(crate) const LINES: usize = 6;
/// Message that servers log when they cannot write.
pub(crate) const FULL_DISK: &str = "No space left on device";
const SIGKILL: i32 = 9;

/// Describes how a process ended.
pub(crate) fn how_ended(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) if status.signal() == Some(SIGKILL) => {
            "it was killed (SIGKILL), by a user or by a system short of memory".to_owned()
        }
        Some(status) => status.to_string(),
        None => "its exit status is not known".to_owned(),
    }
}

/// Opens a file that another user may have written: it is no link to others' files, and nothing that root
/// would wait for.
///
/// # Errors
/// Those of the system, and one for what is no file.
pub(crate) fn open_of_others(path: &Path) -> io::Result<File> {
    let never = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    let flags = i32::try_from(never.bits()).unwrap_or_default();
    let file = options.read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"))
    }
}

/// Returns the end of a file; nothing if it cannot be read.
pub(crate) fn tail(path: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = open_of_others(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_not_read_through_a_link_or_from_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("system.log");
        std::fs::write(&log, "ERROR one").unwrap();
        assert_eq!(tail(&log), "ERROR one");
        let link = folder.path().join("link.log");
        std::os::unix::fs::symlink(&log, &link).unwrap();
        assert_eq!(tail(&link), "");
        let pipe = folder.path().join("pipe.log");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert_eq!(tail(&pipe), "");
    }
}

//! Descriptions of how a process ended, from its exit status and its log.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
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

/// Returns the end of a file; nothing if it cannot be read.
pub(crate) fn tail(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

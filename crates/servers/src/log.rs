//! What the end of a process and of its log tell.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

const TAIL_BYTES: u64 = 256 * 1024;
/// How many lines of a log a reason holds.
pub(crate) const LINES: usize = 6;
/// What servers log when they cannot write.
pub(crate) const FULL_DISK: &str = "No space left on device";
const SIGKILL: i32 = 9;

/// How a process ended, in words.
pub(crate) fn how_ended(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) if status.signal() == Some(SIGKILL) => {
            "it was killed (SIGKILL), by someone or by a system short of memory".to_owned()
        }
        Some(status) => status.to_string(),
        None => "its exit status is not known".to_owned(),
    }
}

/// The end of a file, nothing where it cannot be read.
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

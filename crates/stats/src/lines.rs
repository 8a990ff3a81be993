//! A file of records, one JSON object a line, in a locked folder.

#[cfg(test)]
mod power_loss;
mod versions;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::JournalError;
use crate::system::{call, write_all};

/// Name of the file in a run folder that is locked while a process writes to it.
pub const LOCK: &str = "lock";

/// A file that records are appended to; a record is on the disk when its append returns.
#[derive(Debug)]
pub(crate) struct Lines {
    path: PathBuf,
    pub(crate) file: File,
    /// Number of bytes in whole lines; after a failed append the file may have more.
    length: u64,
    /// The last whole line when the file was opened, which may not be on the disk.
    last: Vec<u8>,
    /// Whether the file ended in a torn line when it was opened.
    pub(crate) was_torn: bool,
    /// Whether an append has failed, so that the file may end with part of a line.
    pub(crate) torn: bool,
}

impl Lines {
    /// Opens or creates the file and reads the records in it. [`Lines::begin`] has to be called
    /// before the first append.
    pub(crate) fn open<R: DeserializeOwned>(path: &Path) -> Result<(Lines, Vec<R>), JournalError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = call(|| options.open(path)).map_err(io_error("open", path))?;
        let whole = read_file(&mut file, path)?;
        let lines = Lines {
            path: path.to_owned(),
            file,
            length: whole.length,
            last: whole.last,
            was_torn: whole.is_followed,
            torn: false,
        };
        Ok((lines, whole.records))
    }

    /// Cuts off a last line that was torn by a kill or a power cut, and makes the last whole line and the file's
    /// name survive a power cut.
    pub(crate) fn begin(&mut self) -> Result<(), JournalError> {
        call(|| self.file.set_len(self.length))
            .map_err(io_error("cut the torn last line off", &self.path))?;
        self.write_last_again()
            .map_err(io_error("write the last line again to", &self.path))?;
        sync_folder(self.path.parent().unwrap_or(Path::new(".")))
    }

    /// Brings the last whole line to the disk. The process that wrote it may have ended before its sync, or when
    /// that failed: then the line can still be read, but another sync alone would write nothing.
    fn write_last_again(&self) -> io::Result<()> {
        // A file that is open to append writes nowhere but at its end.
        let mut file = call(|| OpenOptions::new().write(true).open(&self.path))?;
        let begin = self.length - self.last.len() as u64;
        call(|| file.seek(SeekFrom::Start(begin)))?;
        write_all(&file, &self.last)?;
        call(|| file.sync_data())
    }

    /// Writes one record; it is on the disk when this returns.
    pub(crate) fn append(&mut self, record: &impl Serialize) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(record).map_err(JournalError::Encode)?;
        line.push(b'\n');
        self.write_line(&line)
            .map_err(io_error("write to", &self.path))
    }

    fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.torn {
            call(|| self.file.set_len(self.length))?;
        }
        // Set until the line is on the disk, so that the next append cuts off what a failure leaves.
        self.torn = true;
        write_all(&self.file, line)?;
        call(|| self.file.sync_data())?;
        self.torn = false;
        self.length += line.len() as u64;
        Ok(())
    }
}

/// Creates the run folder if it is missing, and returns its lock, which is held while the file is
/// open.
///
/// # Errors
/// The folder is in use, or holds files but none named `journal`, so that it belongs to no run.
pub(crate) fn claim(dir: &Path, journal: &str) -> Result<File, JournalError> {
    call(|| fs::create_dir_all(dir)).map_err(io_error("create the run folder", dir))?;
    refuse_foreign_files(dir, journal)?;
    lock(dir)
}

/// Finds what [`claim`] would refuse about a folder, without creating or writing anything. A
/// missing folder is fine.
///
/// # Errors
/// Those of [`claim`].
pub(crate) fn check(dir: &Path, journal: &str) -> Result<(), JournalError> {
    if !dir.exists() {
        return Ok(());
    }
    refuse_foreign_files(dir, journal)?;
    // Any other failure of the lock is reported when it is taken.
    if is_locked(dir) {
        return Err(JournalError::Locked {
            dir: dir.to_owned(),
        });
    }
    Ok(())
}

/// Returns whether a process of this machine holds the lock of a folder. To find out, a free one is taken for a moment.
pub(crate) fn is_locked(dir: &Path) -> bool {
    let tried = File::open(dir.join(LOCK)).map(|file| file.try_lock());
    matches!(tried, Ok(Err(TryLockError::WouldBlock)))
}

/// Returns whether this user may not open the lock of a folder, or find out whether it has one.
pub(crate) fn is_hidden(dir: &Path) -> bool {
    let opened = File::open(dir.join(LOCK));
    matches!(opened, Err(error) if error.kind() == ErrorKind::PermissionDenied)
}

/// Reads the records of a file while others may append to it; returns none if there is no file.
pub(crate) fn read_if_there<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, JournalError> {
    match read(path) {
        Err(JournalError::Io { source, .. }) if is_absent(&source) => Ok(Vec::new()),
        read => read,
    }
}

/// Reads the records of a file while others may append to it.
pub(crate) fn read<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, JournalError> {
    let mut file = call(|| File::open(path)).map_err(io_error("read", path))?;
    Ok(read_file(&mut file, path)?.records)
}

/// What is in the whole lines of a file.
struct Whole<R> {
    records: Vec<R>,
    /// Number of bytes in these lines.
    length: u64,
    /// The last one of these lines.
    last: Vec<u8>,
    /// Whether a torn line follows.
    is_followed: bool,
}

/// Reads the records of all whole lines.
fn read_file<R: DeserializeOwned>(file: &mut File, path: &Path) -> Result<Whole<R>, JournalError> {
    let mut bytes = Vec::new();
    call(|| file.read_to_end(&mut bytes)).map_err(io_error("read", path))?;
    let length = whole_lines(&bytes);
    let lines = || bytes[..length].split_inclusive(|&b| b == b'\n');
    let records = lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_slice(line)
                .map_err(|source| versions::unreadable(path, index + 1, source, &bytes))
        })
        .collect::<Result<_, _>>()?;
    Ok(Whole {
        records,
        length: length as u64,
        last: lines().next_back().unwrap_or_default().to_vec(),
        is_followed: length < bytes.len(),
    })
}

/// Returns the number of bytes in whole lines. The last line is torn if it has no end, or if it has a zero, which
/// no JSON has: after a power cut a file may have its new length, and zeros in place of blocks that were never
/// written. A line before the last one was on the disk when the last one was begun, so a zero there is damage.
fn whole_lines(bytes: &[u8]) -> usize {
    let end = |bytes: &[u8]| {
        let last = bytes.iter().rposition(|&b| b == b'\n');
        last.map_or(0, |last| last + 1)
    };
    let length = end(bytes);
    let before = end(&bytes[..length.saturating_sub(1)]);
    let is_last = bytes[length..].iter().all(|&byte| byte == 0);
    if is_last && bytes[before..length].contains(&0) {
        before
    } else {
        length
    }
}

/// Locks a folder while the returned file is open.
pub(crate) fn lock(dir: &Path) -> Result<File, JournalError> {
    let path = dir.join(LOCK);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = call(|| options.open(&path)).map_err(io_error("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked {
            dir: dir.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(io_error("lock", &path)(source)),
    }
}

/// Refuses a folder that holds files but no journal, so that no run ever writes to a folder of something
/// else.
fn refuse_foreign_files(dir: &Path, journal: &str) -> Result<(), JournalError> {
    let journal = dir.join(journal);
    match call(|| journal.metadata()) {
        Ok(_) => return Ok(()),
        Err(error) if is_absent(&error) => {}
        Err(error) => return Err(io_error("look for", &journal)(error)),
    }
    let entries = call(|| fs::read_dir(dir)).map_err(io_error("read the folder", dir))?;
    for entry in entries {
        let entry = entry.map_err(io_error("read the folder", dir))?;
        if entry.file_name() != LOCK {
            return Err(JournalError::NotEmpty {
                dir: dir.to_owned(),
            });
        }
    }
    Ok(())
}

/// Makes the names of new files in the folder survive a power cut.
pub(crate) fn sync_folder(dir: &Path) -> Result<(), JournalError> {
    call(|| File::open(dir))
        .and_then(|folder| call(|| folder.sync_all()))
        .map_err(io_error("sync", dir))
}

/// Returns a function that adds to an error what was being done, and to which path.
pub(crate) fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> JournalError {
    move |source| JournalError::Io {
        doing,
        path: path.to_owned(),
        source,
    }
}

/// Returns whether the error means that a file, or a folder on the way to it, does not exist.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

//! What is done with files and folders, and the errors of it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::{Error, Result};

/// For `map_err`: what was being done with which file.
pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io {
        doing,
        path,
        source,
    }
}

pub fn torn(path: &Path, reason: impl Into<String>) -> Error {
    Error::Torn {
        path: path.to_owned(),
        reason: reason.into(),
    }
}

/// Makes what was created, renamed or removed in a folder durable.
pub fn sync_folder(path: &Path) -> Result<()> {
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(io("syncing folder", path))
}

/// Creates a folder that may be there already. Durable once its parent is synced.
pub fn create_folder(path: &Path) -> Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(io("creating folder", path)(error))
        }
        _ => Ok(()),
    }
}

/// Names in a folder that are UTF-8; none if it is not there.
pub fn names(path: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(io("listing folder", path))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => names.extend(entry.file_name().into_string().ok()),
            Err(error) => return Err(io("listing folder", path)(error)),
        }
    }
    Ok(names)
}

/// Removes a file that may be gone already. Says whether it was there.
pub fn remove(path: &Path) -> Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io("removing", path)(error)),
    }
}

/// The bytes of an open file from one to its present end.
pub fn read_from(file: &File, from: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len().saturating_sub(from);
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    let mut filled = 0;
    // It may become shorter meanwhile: another process cuts a torn end off.
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], from + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Microseconds since 1970-01-01 UTC.
pub fn now() -> i64 {
    micros(SystemTime::now())
}

pub fn micros(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// What is behind a lock is whole at all times, so a thread that panicked with it does no harm.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn reading<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub fn writing<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

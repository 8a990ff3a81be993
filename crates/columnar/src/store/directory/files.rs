//! Operations on files and folders, with errors that name them.

use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::disk;
use crate::{Error, Result};

/// Returns a function for `map_err` that adds what was being done with which file.
pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io {
        doing,
        path,
        source,
    }
}

/// Returns the error of a file that is not what was written.
pub fn torn(path: &Path, reason: impl Into<String>) -> Error {
    Error::Torn {
        path: path.to_owned(),
        reason: reason.into(),
    }
}

/// Syncs a folder, so that files that were created, renamed or removed in it stay so.
pub fn sync_folder(path: &Path) -> Result<()> {
    disk::sync_folder(path).map_err(io("syncing folder", path))
}

/// Judges the sync of what a reader is about to show. Where nothing can be written, or synced, everything
/// that is there is durable.
pub fn sync_shown(path: &Path, synced: io::Result<()>) -> Result<()> {
    use io::ErrorKind::{InvalidInput, ReadOnlyFilesystem};
    match synced {
        Err(error) if matches!(error.kind(), ReadOnlyFilesystem | InvalidInput) => Ok(()),
        synced => synced.map_err(io("syncing", path)),
    }
}

/// Creates a folder that may exist already. It is durable once its parent is synced.
pub fn create_folder(path: &Path) -> Result<()> {
    match disk::create_folder(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(io("creating folder", path)(error))
        }
        _ => Ok(()),
    }
}

/// Returns the names in a folder that are UTF-8, or no names if there is no folder.
pub fn names(path: &Path) -> Result<Vec<String>> {
    let entries = match disk::list(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(io("listing folder", path))?,
    };
    let names = entries.into_iter().map(|entry| entry.file_name());
    Ok(names.filter_map(|name| name.into_string().ok()).collect())
}

/// Returns whether there is a file or a folder.
pub fn is_there(path: &Path) -> Result<bool> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match disk::metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(false),
        Err(error) => Err(io("looking for", path)(error)),
    }
}

/// Removes a file that may not exist, and returns whether it existed.
pub fn remove(path: &Path) -> Result<bool> {
    match disk::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io("removing", path)(error)),
    }
}

/// Returns the present moment in microseconds since 1970-01-01 UTC.
pub fn now() -> i64 {
    micros(SystemTime::now())
}

/// Converts a moment to microseconds since 1970-01-01 UTC.
pub fn micros(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

//! Notices data files that change between two readings.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// Length of a file, and when it was last written to.
///
/// A file is read several times, and what the first reading found (the places of bad rows, members of a ZIP file,
/// metadata of Parquet) would be applied to other bytes if it changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// Returns the stamp of a file that is open.
    pub fn of(file: &File) -> io::Result<Stamp> {
        let found = file.metadata()?;
        Ok(Stamp {
            bytes: found.len(),
            modified: found.modified().ok(),
        })
    }

    /// Opens a file that had this stamp.
    ///
    /// # Errors
    /// It cannot be opened, or has changed.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let file = File::open(path)?;
        if Stamp::of(&file)? == *self {
            Ok(file)
        } else {
            Err(io::Error::other(
                "it has changed since it was first read: start again once nothing writes to it",
            ))
        }
    }
}

//! Folder of a measurement: one file of records, appended and synced step by step, locked while it
//! is written.

#[cfg(test)]
mod calls;

use std::fmt::Debug;
use std::fs::File;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::lines::{self, Lines, is_absent};
use crate::{Event, EventLog, JournalError};

/// One line of a measurement's log. The first line holds the header, and no other one does.
pub trait LogRecord: Debug + Serialize + DeserializeOwned + From<Event> + Send {
    type Header: Debug + Clone;

    /// Name of the file in the measurement's folder.
    const FILE: &'static str;
    /// Subcommand of `bakeoff` that writes such a file.
    const COMMAND: &'static str;

    /// Makes the first line.
    fn started(header: Self::Header) -> Self;

    /// Returns the header if this is a first line.
    fn header(&self) -> Option<&Self::Header>;
}

/// Log of a measurement in progress, which holds the folder's lock until it is dropped.
#[derive(Debug)]
pub struct RunLog<R> {
    dir: PathBuf,
    pub(crate) lines: Lines,
    _lock: File,
    record: PhantomData<R>,
}

impl<R: LogRecord> RunLog<R> {
    /// Begins a measurement in a new or empty folder.
    ///
    /// # Errors
    /// The folder is in use, holds a measurement or other files, or is unwritable.
    pub fn create(dir: &Path, header: &R::Header) -> Result<RunLog<R>, JournalError> {
        let (mut log, records) = RunLog::claim(dir)?;
        refuse_records(dir, &records)?;
        log.begin()?;
        log.append(&R::started(header.clone()))?;
        Ok(log)
    }

    /// Finds what [`RunLog::create`] would refuse, without creating or writing anything.
    ///
    /// # Errors
    /// The folder is in use, or holds a measurement or other files.
    pub fn check(dir: &Path) -> Result<(), JournalError> {
        refuse_records(dir, &RunLog::<R>::look(dir)?)
    }

    /// Locks the folder, which is created if it is missing, and reads the records in it.
    /// [`RunLog::begin`] has to be called before the first append.
    pub(crate) fn claim(dir: &Path) -> Result<(RunLog<R>, Vec<R>), JournalError> {
        let lock = lines::claim(dir, R::FILE)?;
        let (lines, records) = Lines::open(&dir.join(R::FILE))?;
        let log = RunLog {
            dir: dir.to_owned(),
            lines,
            _lock: lock,
            record: PhantomData,
        };
        Ok((log, records))
    }

    /// Reads the records that [`RunLog::claim`] would find, without creating or locking anything.
    pub(crate) fn look(dir: &Path) -> Result<Vec<R>, JournalError> {
        lines::check(dir, R::FILE)?;
        lines::read_if_there(&dir.join(R::FILE))
    }

    /// Cuts off a last line that was torn by a kill or a power cut.
    pub(crate) fn begin(&mut self) -> Result<(), JournalError> {
        self.lines.begin()
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Writes one record; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed. The records before this one stay readable.
    pub fn append(&mut self, record: &R) -> Result<(), JournalError> {
        self.lines.append(record)
    }
}

impl<R: LogRecord> EventLog for RunLog<R> {
    fn note(&mut self, event: Event) -> Result<(), JournalError> {
        self.append(&event.into())
    }
}

/// A saved measurement, finished or not, as reports read it; reading takes no lock.
#[derive(Debug)]
pub struct SavedRun<R: LogRecord> {
    dir: PathBuf,
    header: R::Header,
    records: Vec<R>,
}

impl<R: LogRecord> SavedRun<R> {
    /// Returns whether the folder holds such a measurement.
    pub fn is_one(dir: &Path) -> bool {
        dir.join(R::FILE).exists()
    }

    /// Reads a folder.
    ///
    /// # Errors
    /// There is no such measurement in the folder, its log ends before its first line does, or is damaged.
    pub fn open(dir: &Path) -> Result<SavedRun<R>, JournalError> {
        let missing = || JournalError::Missing {
            dir: dir.to_owned(),
            file: R::FILE,
            command: R::COMMAND,
        };
        let records: Vec<R> = lines::read(&dir.join(R::FILE)).map_err(|error| match error {
            JournalError::Io { source, .. } if is_absent(&source) => missing(),
            other => other,
        })?;
        let header = header(dir, &records)?.cloned();
        let header = header.ok_or_else(|| JournalError::Empty {
            dir: dir.to_owned(),
            file: R::FILE,
            command: R::COMMAND,
        })?;
        Ok(SavedRun {
            dir: dir.to_owned(),
            header,
            records,
        })
    }

    /// Returns whether a process of this machine is writing to the folder, whose lock it then holds. Of a folder that
    /// is a copy this says nothing.
    pub fn is_being_written(dir: &Path) -> bool {
        lines::is_locked(dir)
    }

    /// Returns whether the folder may only be looked into by another user, so that nothing tells whether a process
    /// writes to it.
    pub fn is_hidden(dir: &Path) -> bool {
        lines::is_hidden(dir)
    }

    /// Locks a folder that is there, so that no process of this machine goes on with the measurement in it while the
    /// returned file is open.
    ///
    /// # Errors
    /// The folder is in use, or its lock cannot be opened.
    pub fn lock(dir: &Path) -> Result<File, JournalError> {
        lines::lock(dir)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn header(&self) -> &R::Header {
        &self.header
    }

    pub fn records(&self) -> &[R] {
        &self.records
    }
}

/// Returns the header of the records in a folder; `None` if there are no records.
///
/// # Errors
/// The first record is not a header.
pub(crate) fn header<'a, R: LogRecord>(
    dir: &Path,
    records: &'a [R],
) -> Result<Option<&'a R::Header>, JournalError> {
    let Some(first) = records.first() else {
        return Ok(None);
    };
    match first.header() {
        Some(header) => Ok(Some(header)),
        None => Err(JournalError::NoHeader {
            path: dir.join(R::FILE),
        }),
    }
}

fn refuse_records<R>(dir: &Path, records: &[R]) -> Result<(), JournalError> {
    if records.is_empty() {
        Ok(())
    } else {
        Err(JournalError::Occupied {
            dir: dir.to_owned(),
        })
    }
}

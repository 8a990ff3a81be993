//! The folder of a sweep: `sweep.jsonl`.

use std::fs::File;
use std::path::Path;

use super::{SweepHeader, SweepRecord, SweepSummary};
use crate::JournalError;
use crate::lines::{self, Lines, is_absent};

const LOG: &str = "sweep.jsonl";

/// The log of a sweep that is going on. It holds the folder's lock until it is dropped.
#[derive(Debug)]
pub struct SweepLog {
    lines: Lines,
    _lock: File,
}

impl SweepLog {
    /// Begins a sweep in a new or empty folder.
    ///
    /// # Errors
    /// The folder is in use, holds a sweep or other files, or is unwritable.
    pub fn create(dir: &Path, header: &SweepHeader) -> Result<SweepLog, JournalError> {
        let lock = lines::claim(dir, LOG)?;
        let (mut lines, records) = Lines::open::<SweepRecord>(&dir.join(LOG))?;
        if !records.is_empty() {
            return Err(JournalError::Occupied {
                dir: dir.to_owned(),
            });
        }
        lines.begin()?;
        lines.append(&SweepRecord::Started(Box::new(header.clone())))?;
        Ok(SweepLog { lines, _lock: lock })
    }

    /// Finds what [`SweepLog::create`] would refuse, without making or writing anything.
    ///
    /// # Errors
    /// The folder is in use, or holds a sweep or other files.
    pub fn check(dir: &Path) -> Result<(), JournalError> {
        lines::check(dir, LOG)?;
        let records = lines::read_if_there::<SweepRecord>(&dir.join(LOG))?;
        if records.is_empty() {
            Ok(())
        } else {
            Err(JournalError::Occupied {
                dir: dir.to_owned(),
            })
        }
    }

    /// Writes one record; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed. The records before this one stay readable.
    pub fn append(&mut self, record: &SweepRecord) -> Result<(), JournalError> {
        self.lines.append(record)
    }
}

/// A saved sweep, finished or not, as reports read it. It needs no lock.
#[derive(Debug)]
pub struct SweepRun {
    header: SweepHeader,
    records: Vec<SweepRecord>,
}

impl SweepRun {
    /// Whether this is the folder of a sweep.
    pub fn is_one(dir: &Path) -> bool {
        dir.join(LOG).exists()
    }

    /// # Errors
    /// There is no sweep in the folder, or its log is damaged.
    pub fn open(dir: &Path) -> Result<SweepRun, JournalError> {
        let path = dir.join(LOG);
        let missing = || JournalError::Missing {
            dir: dir.to_owned(),
            file: LOG,
            command: "sweep",
        };
        let records: Vec<SweepRecord> = lines::read(&path).map_err(|error| match error {
            JournalError::Io { source, .. } if is_absent(&source) => missing(),
            other => other,
        })?;
        let header = match records.first() {
            Some(SweepRecord::Started(header)) => (**header).clone(),
            Some(_) => return Err(JournalError::NoHeader { path }),
            None => return Err(missing()),
        };
        Ok(SweepRun { header, records })
    }

    pub fn records(&self) -> &[SweepRecord] {
        &self.records
    }

    pub fn summary(&self) -> SweepSummary {
        SweepSummary::of(&self.header, &self.records)
    }
}

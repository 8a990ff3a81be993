//! The run folder: `journal.jsonl`, appended and synced step by step, locked while a run writes.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{Header, Record, Summary, SummaryError};
use crate::JournalError;
use crate::lines::{self, Lines, is_absent};

const JOURNAL: &str = "journal.jsonl";

/// The journal of a run that is going on. It holds the folder's lock until it is dropped.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    lines: Lines,
    records: Vec<Record>,
    _lock: File,
}

impl Journal {
    /// Opens the folder for a run with this fingerprint, creating it when it is missing.
    ///
    /// [`records`](Self::records) is empty for a new run, and holds what is done for an unfinished
    /// one that can go on. A last line that a kill tore is cut off.
    ///
    /// # Errors
    /// The folder is in use, finished, of another command, unreadable or unwritable.
    pub fn create_or_resume(dir: &Path, fingerprint: &str) -> Result<Journal, JournalError> {
        let lock = lines::claim(dir, JOURNAL)?;
        let path = dir.join(JOURNAL);
        let (mut lines, records) = Lines::open(&path)?;
        check_begins_as_a_run(&path, &records)?;
        check_may_go_on(dir, &records, fingerprint)?;
        lines.begin()?;
        Ok(Journal {
            dir: dir.to_owned(),
            lines,
            records,
            _lock: lock,
        })
    }

    /// Finds what [`Journal::create_or_resume`] would refuse, without making or writing anything.
    ///
    /// # Errors
    /// The folder is in use, finished, of another command, or holds other files.
    pub fn check(dir: &Path, fingerprint: &str) -> Result<(), JournalError> {
        lines::check(dir, JOURNAL)?;
        let path = dir.join(JOURNAL);
        let records = lines::read_if_there(&path)?;
        check_begins_as_a_run(&path, &records)?;
        check_may_go_on(dir, &records, fingerprint)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Everything that happened so far, also before a kill.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Writes one record; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed. The records before this one stay readable.
    pub fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        self.lines.append(record)?;
        self.records.push(record.clone());
        Ok(())
    }
}

/// A saved run, finished or not, as reports read it. It needs no lock.
#[derive(Debug)]
pub struct Run {
    dir: PathBuf,
    header: Header,
    records: Vec<Record>,
}

impl Run {
    /// # Errors
    /// There is no run in the folder, or its journal is damaged.
    pub fn open(dir: &Path) -> Result<Run, JournalError> {
        let path = dir.join(JOURNAL);
        let missing = || JournalError::Missing {
            dir: dir.to_owned(),
            file: JOURNAL,
            command: "run",
        };
        let records: Vec<Record> = lines::read(&path).map_err(|error| match error {
            JournalError::Io { source, .. } if is_absent(&source) => missing(),
            other => other,
        })?;
        check_begins_as_a_run(&path, &records)?;
        let header = header(&records).cloned().ok_or_else(missing)?;
        Ok(Run {
            dir: dir.to_owned(),
            header,
            records,
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// # Errors
    /// The records contradict the run's header.
    pub fn summary(&self) -> Result<Summary, SummaryError> {
        Summary::of(&self.records)
    }
}

fn check_begins_as_a_run(path: &Path, records: &[Record]) -> Result<(), JournalError> {
    if records.is_empty() || header(records).is_some() {
        return Ok(());
    }
    Err(JournalError::NoHeader {
        path: path.to_owned(),
    })
}

fn check_may_go_on(dir: &Path, records: &[Record], fingerprint: &str) -> Result<(), JournalError> {
    if let Some(Record::Finished { at, .. }) = records.last() {
        return Err(JournalError::Finished {
            dir: dir.to_owned(),
            at: at.clone(),
        });
    }
    match header(records) {
        Some(header) if header.fingerprint != fingerprint => Err(JournalError::OtherCommand {
            dir: dir.to_owned(),
            command: header.command.clone(),
        }),
        _ => Ok(()),
    }
}

fn header(records: &[Record]) -> Option<&Header> {
    match records.first() {
        Some(Record::Started(header)) => Some(header),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

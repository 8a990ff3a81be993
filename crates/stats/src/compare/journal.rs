//! Folder of a run: `journal.jsonl`, from which a later run of the same command resumes.

use std::path::Path;

use super::{Header, Record, Summary, SummaryError};
use crate::log::{self, LogRecord, RunLog, SavedRun};
use crate::{Event, EventLog, JournalError};

impl From<Event> for Record {
    fn from(event: Event) -> Record {
        match event {
            Event::Engine(info) => Record::Engine(info),
            Event::Warning(message) => Record::Warning { message },
            Event::Interrupted { at } => Record::Interrupted { at },
            Event::Finished {
                at,
                seconds,
                peak_memory_bytes,
            } => Record::Finished {
                at,
                seconds,
                peak_memory_bytes,
            },
        }
    }
}

impl LogRecord for Record {
    type Header = Header;

    const FILE: &'static str = "journal.jsonl";
    const COMMAND: &'static str = "run";

    fn started(header: Header) -> Record {
        Record::Started(Box::new(header))
    }

    fn header(&self) -> Option<&Header> {
        match self {
            Record::Started(header) => Some(header),
            _ => None,
        }
    }
}

/// Journal of a run in progress, which holds the folder's lock until it is dropped.
#[derive(Debug)]
pub struct Journal {
    log: RunLog<Record>,
    records: Vec<Record>,
}

impl Journal {
    /// Opens the folder for a run with this fingerprint, and creates it if it is missing.
    ///
    /// [`records`](Self::records) is empty for a new run, and holds the steps done so far for an
    /// unfinished one, which is resumed. A last line that was torn by a kill or a power cut is cut off.
    ///
    /// # Errors
    /// The folder is in use, finished, of another command, unreadable or unwritable.
    pub fn create_or_resume(dir: &Path, fingerprint: &str) -> Result<Journal, JournalError> {
        let (mut log, records) = RunLog::claim(dir)?;
        check_resumable(dir, &records, fingerprint)?;
        log.begin()?;
        Ok(Journal { log, records })
    }

    /// Finds what [`Journal::create_or_resume`] would refuse, without creating or writing anything.
    ///
    /// # Errors
    /// The folder is in use, finished, of another command, or holds other files.
    pub fn check(dir: &Path, fingerprint: &str) -> Result<(), JournalError> {
        check_resumable(dir, &RunLog::look(dir)?, fingerprint)
    }

    /// Returns the header of the run that has begun in a folder, whose lock is not taken; `None` if there
    /// is none.
    ///
    /// # Errors
    /// The folder is in use, or its journal is damaged.
    pub fn begun(dir: &Path) -> Result<Option<Header>, JournalError> {
        Ok(log::header(dir, &RunLog::<Record>::look(dir)?)?.cloned())
    }

    /// Returns the run folder.
    pub fn dir(&self) -> &Path {
        self.log.dir()
    }

    /// Returns whether the last record was torn when the folder was opened, by a kill or a power cut. It is left
    /// out, so that its step is done again.
    pub fn was_torn(&self) -> bool {
        self.log.lines.was_torn
    }

    /// Returns all records so far, including those from before a kill.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Writes one record; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed. The records before this one stay readable.
    pub fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        self.log.append(record)?;
        self.records.push(record.clone());
        Ok(())
    }
}

impl EventLog for Journal {
    fn note(&mut self, event: Event) -> Result<(), JournalError> {
        self.append(&event.into())
    }
}

/// A saved run, finished or not, as reports read it; reading takes no lock.
pub type Run = SavedRun<Record>;

impl Run {
    /// Sums up the records.
    ///
    /// # Errors
    /// The records contradict the run's header.
    pub fn summary(&self) -> Result<Summary, SummaryError> {
        Summary::from_records(self.records())
    }
}

/// Checks that a run with this fingerprint may begin, or resume the one in the folder.
fn check_resumable(dir: &Path, records: &[Record], fingerprint: &str) -> Result<(), JournalError> {
    let header = log::header(dir, records)?;
    if let Some(Record::Finished { at, .. }) = records.last() {
        return Err(JournalError::Finished {
            dir: dir.to_owned(),
            at: at.clone(),
        });
    }
    match header {
        Some(header) if header.fingerprint != fingerprint => Err(JournalError::OtherCommand {
            dir: dir.to_owned(),
            command: header.command.clone(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;

//! The folder of a load: `drive.jsonl`, and a histogram log for each trial.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{DriveHeader, DriveRecord, DriveSummary, DriveSummaryError};
use crate::JournalError;
use crate::lines::{self, Lines, is_absent};

const LOG: &str = "drive.jsonl";

/// The log of a load that is going on. It holds the folder's lock until it is dropped.
#[derive(Debug)]
pub struct DriveLog {
    dir: PathBuf,
    lines: Lines,
    _lock: File,
}

impl DriveLog {
    /// Begins a load in a new or empty folder.
    ///
    /// # Errors
    /// The folder is in use, holds a load or other files, or is unwritable.
    pub fn create(dir: &Path, header: &DriveHeader) -> Result<DriveLog, JournalError> {
        let lock = lines::claim(dir, LOG)?;
        let (mut lines, records) = Lines::open::<DriveRecord>(&dir.join(LOG))?;
        if !records.is_empty() {
            return Err(JournalError::Occupied {
                dir: dir.to_owned(),
            });
        }
        lines.begin()?;
        lines.append(&DriveRecord::Started(Box::new(header.clone())))?;
        Ok(DriveLog {
            dir: dir.to_owned(),
            lines,
            _lock: lock,
        })
    }

    /// Finds what [`DriveLog::create`] would refuse, without making or writing anything.
    ///
    /// # Errors
    /// The folder is in use, or holds a load or other files.
    pub fn check(dir: &Path) -> Result<(), JournalError> {
        lines::check(dir, LOG)?;
        let records = lines::read_if_there::<DriveRecord>(&dir.join(LOG))?;
        if records.is_empty() {
            Ok(())
        } else {
            Err(JournalError::Occupied {
                dir: dir.to_owned(),
            })
        }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Writes one record; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed. The records before this one stay readable.
    pub fn append(&mut self, record: &DriveRecord) -> Result<(), JournalError> {
        self.lines.append(record)
    }
}

/// A saved load, finished or not, as reports read it. It needs no lock.
#[derive(Debug)]
pub struct DriveRun {
    dir: PathBuf,
    header: DriveHeader,
    records: Vec<DriveRecord>,
}

impl DriveRun {
    /// Whether this is the folder of a load.
    pub fn is_one(dir: &Path) -> bool {
        dir.join(LOG).exists()
    }

    /// # Errors
    /// There is no load in the folder, or its log is damaged.
    pub fn open(dir: &Path) -> Result<DriveRun, JournalError> {
        let path = dir.join(LOG);
        let missing = || JournalError::Missing {
            dir: dir.to_owned(),
            file: LOG,
            command: "drive",
        };
        let records: Vec<DriveRecord> = lines::read(&path).map_err(|error| match error {
            JournalError::Io { source, .. } if is_absent(&source) => missing(),
            other => other,
        })?;
        let header = match records.first() {
            Some(DriveRecord::Started(header)) => (**header).clone(),
            Some(_) => return Err(JournalError::NoHeader { path }),
            None => return Err(missing()),
        };
        Ok(DriveRun {
            dir: dir.to_owned(),
            header,
            records,
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn header(&self) -> &DriveHeader {
        &self.header
    }

    pub fn records(&self) -> &[DriveRecord] {
        &self.records
    }

    /// # Errors
    /// The records contradict the header, or a histogram log is missing or damaged.
    pub fn summary(&self) -> Result<DriveSummary, DriveSummaryError> {
        DriveSummary::of(self)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::drive::testing::header;

    fn warning(message: &str) -> DriveRecord {
        DriveRecord::Warning {
            message: message.to_owned(),
        }
    }

    #[test]
    fn what_was_appended_is_read_back_without_a_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = DriveLog::create(dir.path(), &header()).unwrap();
        log.append(&warning("one")).unwrap();
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .open(dir.path().join(LOG))
            .unwrap();
        file.write_all(br#"{"record":"warn"#).unwrap();
        let run = DriveRun::open(dir.path()).unwrap();
        let started = DriveRecord::Started(Box::new(header()));
        assert_eq!(run.records(), [started, warning("one")]);
        assert_eq!(run.header(), &header());
        assert!(DriveRun::is_one(dir.path()));
    }

    #[test]
    fn a_folder_is_used_once_and_by_one_process() {
        let dir = tempfile::tempdir().unwrap();
        let first = DriveLog::create(dir.path(), &header()).unwrap();
        let second = DriveLog::create(dir.path(), &header()).unwrap_err();
        assert!(matches!(second, JournalError::Locked { .. }), "{second}");
        drop(first);
        let second = DriveLog::create(dir.path(), &header()).unwrap_err();
        assert!(matches!(second, JournalError::Occupied { .. }), "{second}");
        assert!(second.to_string().contains("--out"));
    }

    #[test]
    fn other_folders_are_left_alone_and_named() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!DriveRun::is_one(dir.path()));
        let missing = DriveRun::open(dir.path()).unwrap_err().to_string();
        assert!(missing.contains("no drive.jsonl; name the folder that `bakeoff drive`"));
        std::fs::write(dir.path().join("letter.txt"), "dear").unwrap();
        let refused = DriveLog::create(dir.path(), &header()).unwrap_err();
        assert!(
            matches!(refused, JournalError::NotEmpty { .. }),
            "{refused}"
        );
    }
}

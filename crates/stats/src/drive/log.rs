//! Folder of a load: `drive.jsonl`, and a histogram log for each trial.

use super::{DriveHeader, DriveRecord};
use crate::Event;
use crate::log::{LogRecord, RunLog, SavedRun};

impl From<Event> for DriveRecord {
    fn from(event: Event) -> DriveRecord {
        match event {
            Event::Engine(info) => DriveRecord::Engine(info),
            Event::Warning(message) => DriveRecord::Warning { message },
            Event::Interrupted { at } => DriveRecord::Interrupted { at },
            Event::Finished {
                at,
                seconds,
                peak_memory_bytes,
            } => DriveRecord::Finished {
                at,
                seconds,
                peak_memory_bytes,
            },
        }
    }
}

impl LogRecord for DriveRecord {
    type Header = DriveHeader;

    const FILE: &'static str = "drive.jsonl";
    const COMMAND: &'static str = "drive";

    fn started(header: DriveHeader) -> DriveRecord {
        DriveRecord::Started(Box::new(header))
    }

    fn header(&self) -> Option<&DriveHeader> {
        match self {
            DriveRecord::Started(header) => Some(header),
            _ => None,
        }
    }
}

/// Log of a load in progress, which holds the folder's lock until it is dropped.
pub type DriveLog = RunLog<DriveRecord>;

/// A saved load, finished or not, as reports read it; reading takes no lock.
pub type DriveRun = SavedRun<DriveRecord>;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::JournalError;
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
            .open(dir.path().join(DriveRecord::FILE))
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
        assert!(DriveRun::is_being_written(dir.path()));
        drop(first);
        assert!(!DriveRun::is_being_written(dir.path()));
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

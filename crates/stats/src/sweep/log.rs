//! Folder of a sweep: `sweep.jsonl`.

use super::{SweepHeader, SweepRecord, SweepSummary};
use crate::Event;
use crate::log::{LogRecord, RunLog, SavedRun};

impl From<Event> for SweepRecord {
    fn from(event: Event) -> SweepRecord {
        match event {
            Event::Engine(info) => SweepRecord::Engine(info),
            Event::Warning(message) => SweepRecord::Warning { message },
            Event::Interrupted { at } => SweepRecord::Interrupted { at },
            Event::Finished {
                at,
                seconds,
                peak_memory_bytes,
            } => SweepRecord::Finished {
                at,
                seconds,
                peak_memory_bytes,
            },
        }
    }
}

impl LogRecord for SweepRecord {
    type Header = SweepHeader;

    const FILE: &'static str = "sweep.jsonl";
    const COMMAND: &'static str = "sweep";

    fn started(header: SweepHeader) -> SweepRecord {
        SweepRecord::Started(Box::new(header))
    }

    fn header(&self) -> Option<&SweepHeader> {
        match self {
            SweepRecord::Started(header) => Some(header),
            _ => None,
        }
    }
}

/// Log of a sweep in progress, which holds the folder's lock until it is dropped.
pub type SweepLog = RunLog<SweepRecord>;

/// A saved sweep, finished or not, as reports read it; reading takes no lock.
pub type SweepRun = SavedRun<SweepRecord>;

impl SweepRun {
    pub fn summary(&self) -> SweepSummary {
        SweepSummary::new(self.header(), self.records())
    }
}

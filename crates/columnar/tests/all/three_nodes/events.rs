//! What a worker says, in a line each.

use std::io::Write;

use serde::{Deserialize, Serialize};

use super::history::{Key, Moment, Read};

/// The beginning of each line, since the test harness writes others.
const MARK: &str = "event: ";

/// Something that a worker has done or seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The table is open.
    Opened,
    /// The table was not opened, for this reason.
    Refused(String),
    /// It is about to write a version of some keys.
    Began {
        at: Moment,
        version: i64,
        deleted: bool,
        keys: Vec<Key>,
    },
    /// What it has written last is acknowledged.
    Acknowledged { at: Moment },
    /// It was answered.
    Read(Read),
    /// It has turned fresh rows into chunks.
    Sealed,
    /// Something was given up, as may happen while there are faults.
    GivenUp(String),
    /// Something failed in a way in which it must not, whatever the faults.
    Broken(String),
}

impl Event {
    /// Says it to the process that has started this one.
    pub fn say(&self) {
        let line = serde_json::to_string(self).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "{MARK}{line}").unwrap();
        out.flush().unwrap();
    }

    /// Reads a line. Other lines are none, and so is one whose end is missing, since its writer was killed.
    pub fn heard(line: &str) -> Option<Event> {
        serde_json::from_str(line.strip_prefix(MARK)?).ok()
    }
}

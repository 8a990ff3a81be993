//! The first rows of a design's table as its engine stores them.

use serde::{Deserialize, Serialize};

use super::planned::kept;

/// First rows of a design's table as they are stored, read once after settling and outside of any clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    pub design: String,
    pub rows: StoredRows,
}

/// What is known of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "are", rename_all = "kebab-case")]
pub enum StoredRows {
    /// They were read.
    Known {
        /// What read them, such as `sstabledump of Cassandra`.
        by: String,
        /// Lines of text without control characters.
        text: String,
    },
    /// They could not be read; says why.
    Unknown { reason: String },
}

impl StoredRows {
    /// Makes rows of what an engine's tool printed: without control characters, and no longer than a
    /// [plan](crate::QueryPlan::MOST_BYTES).
    pub fn told(by: &str, text: &str) -> StoredRows {
        StoredRows::Known {
            by: by.to_owned(),
            text: kept(text).0,
        }
    }

    /// Makes rows that could not be read for this reason, which is cleaned and cut as they are.
    pub fn unknown(reason: &str) -> StoredRows {
        StoredRows::Unknown {
            reason: kept(reason).0,
        }
    }

    /// Returns the same without what [`StoredRows::told`] and [`StoredRows::unknown`] leave out. Those that are read
    /// from a journal may have been written by anyone.
    pub fn cleaned(&self) -> StoredRows {
        match self {
            StoredRows::Known { by, text } => StoredRows::told(&kept(by).0, text),
            StoredRows::Unknown { reason } => StoredRows::unknown(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_acts_on_is_kept() {
        let rows = StoredRows::Known {
            by: "sstable\u{1b}dump".to_owned(),
            text: "[a]@0 Row\u{1b}[2J\n[a]@30 Row\n\n".to_owned(),
        };
        let cleaned = StoredRows::told("sstabledump", "[a]@0 Row[2J\n[a]@30 Row");
        assert_eq!(rows.cleaned(), cleaned);
        let unknown = StoredRows::Unknown {
            reason: "gone\u{7}".to_owned(),
        };
        assert_eq!(unknown.cleaned(), StoredRows::unknown("gone"));
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        for rows in [StoredRows::told("a", "b"), StoredRows::unknown("c")] {
            let design = "cassandra/wide".to_owned();
            let record = crate::Record::Stored(Stored { design, rows });
            let json = serde_json::to_string(&record).unwrap();
            let read: crate::Record = serde_json::from_str(&json).unwrap();
            assert_eq!(read, record);
        }
    }
}

//! What a database server counts of its own work, in samples over time.

use serde::{Deserialize, Serialize};

/// Work of a server in one of its databases, by its own counts and for all of its clients. Counters only grow, until
/// somebody resets them; `None` means unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DatabaseSample {
    /// Transactions that were committed; each read outside of a transaction is one as well.
    pub commits: Option<u64>,
    /// Transactions that were rolled back.
    pub rollbacks: Option<u64>,
    /// Rows that scans of tables, and entries that scans of indexes have returned.
    pub rows_read: Option<u64>,
    /// Rows that were inserted, updated or deleted.
    pub rows_written: Option<u64>,
    /// Blocks that were found in the server's buffers.
    pub blocks_hit: Option<u64>,
    /// Blocks that were not, and were read from the system's cache or the disk.
    pub blocks_read: Option<u64>,
    /// Blocks of all databases that checkpoints and the background writer have written.
    pub blocks_written: Option<u64>,
    /// Bytes that were written to temporary files.
    pub temporary_bytes: Option<u64>,
    pub deadlocks: Option<u64>,
    /// Bytes of all databases that were written to the log.
    pub log_bytes: Option<u64>,
    /// Checkpoints that were due or asked for.
    pub checkpoints: Option<u64>,
    /// Connections of clients to the database at the moment, like the next two without the one that asks.
    pub open_connections: Option<u64>,
    /// Connections of those that carry out a statement.
    pub active_connections: Option<u64>,
    /// Connections of those that wait for a lock.
    pub waiting_connections: Option<u64>,
}

impl DatabaseSample {
    /// Returns the blocks that were asked for, wherever they were found.
    pub fn blocks_asked(&self) -> Option<u64> {
        self.blocks_hit?.checked_add(self.blocks_read?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_a_record_lacks_are_unknown() {
        let earlier: DatabaseSample = serde_json::from_str(r#"{"blocks_hit": 3}"#).unwrap();
        let expected = DatabaseSample {
            blocks_hit: Some(3),
            ..DatabaseSample::default()
        };
        assert_eq!(earlier, expected);
        assert_eq!(earlier.blocks_asked(), None);
        let both = DatabaseSample {
            blocks_read: Some(4),
            ..earlier
        };
        assert_eq!(both.blocks_asked(), Some(7));
    }
}

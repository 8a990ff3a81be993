//! Acknowledged inserts in a file, so that those of several processes can be joined.

use serde::{Deserialize, Serialize};

/// Acknowledged inserts as they are kept in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedTally {
    /// Times of acknowledged inserts in nanoseconds, as a compressed histogram in Base64.
    pub latencies: String,
    /// Rows that were acknowledged.
    pub rows: u64,
    /// Rows that were acknowledged in each second after the begin.
    pub rows_by_second: Vec<u64>,
    /// Nanoseconds that all workers together waited for rows to be generated.
    pub waited_ns: u64,
    /// Whether the rows ended before the time did.
    pub rows_ran_out: bool,
    /// Nanoseconds from the begin to the last acknowledgement.
    pub lasted_ns: u64,
}

//! What one of several processes that sweep together keeps of a setting, so that it can be joined with that of the
//! others.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::record::first;
use super::{Cell, InsertTally};

/// Acknowledged inserts of one process in one setting, whole instead of summed up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellPart {
    pub design: String,
    pub batch_rows: u64,
    /// Workers of this process, or of all processes in a joined folder.
    pub workers: u32,
    /// Number of the round, counted from 1.
    #[serde(default = "first")]
    pub round: u32,
    /// Moment at which the measured time began, by the clock of this machine, in nanoseconds since 1970.
    pub began_at_ns: u64,
    pub inserts: SavedTally,
}

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

impl CellPart {
    /// Makes the part of a setting whose measured time began at this moment.
    ///
    /// # Errors
    /// The times cannot be written as text, in words.
    pub fn new(
        cell: &Cell,
        began_at: SystemTime,
        inserts: &InsertTally,
    ) -> Result<CellPart, String> {
        let since_1970 = began_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(CellPart {
            design: cell.design.clone(),
            batch_rows: cell.batch_rows,
            workers: cell.workers,
            round: cell.round,
            began_at_ns: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
            inserts: inserts.saved()?,
        })
    }

    /// Returns whether it is of the same design, setting and round as a cell.
    pub fn is_of(&self, cell: &Cell) -> bool {
        let own = (&self.design, self.batch_rows, self.workers, self.round);
        own == (&cell.design, cell.batch_rows, cell.workers, cell.round)
    }

    /// Returns the moment of the last acknowledgement, in nanoseconds since 1970.
    pub fn ends_at_ns(&self) -> u64 {
        self.began_at_ns.saturating_add(self.inserts.lasted_ns)
    }
}

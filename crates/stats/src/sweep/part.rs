//! Making the record of one process of several that sweep together, and which setting it is of.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{Cell, CellPart, InsertTally};

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

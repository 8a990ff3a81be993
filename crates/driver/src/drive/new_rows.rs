//! New rows that a worker inserted in the loads on a table so far.

use std::collections::{BTreeSet, VecDeque};

/// New rows that one worker took in all loads on a table so far.
#[derive(Debug, Clone, Default)]
pub struct NewRows {
    pub(super) taken: u64,
    pub(super) inserts: AcknowledgedRows,
}

/// The worker's own new rows that are there.
#[derive(Debug, Clone, Default)]
pub(super) struct AcknowledgedRows {
    /// The inserts of all rows before this one have ended.
    pub(super) frontier: u64,
    /// Whether the inserts of the rows from the frontier on have ended. As long as the operations
    /// in flight.
    ended: VecDeque<bool>,
    /// Rows whose insert failed, so that they may be there or not.
    uncertain: BTreeSet<u64>,
    /// All rows below are uncertain.
    uncertain_below: u64,
}

/// Failed inserts that are remembered one by one.
const MAX_UNCERTAIN: usize = 10_000;

impl AcknowledgedRows {
    pub(super) fn ended(&mut self, first: u64, rows: u64, succeeded: bool) {
        for row in first..first + rows {
            if !succeeded {
                self.uncertain.insert(row);
            }
            let offset = (row - self.frontier) as usize;
            if self.ended.len() <= offset {
                self.ended.resize(offset + 1, false);
            }
            self.ended[offset] = true;
        }
        while self.ended.front() == Some(&true) {
            self.ended.pop_front();
            self.frontier += 1;
        }
        self.forget();
    }

    /// The inserts of all rows before this one were sent, and those that have not ended never will.
    pub(super) fn close(mut self, taken: u64) -> AcknowledgedRows {
        let ended = std::mem::take(&mut self.ended);
        for (offset, row) in (self.frontier..taken).enumerate() {
            if ended.get(offset) != Some(&true) {
                self.uncertain.insert(row);
            }
        }
        self.frontier = taken;
        self.forget();
        self
    }

    fn forget(&mut self) {
        while self.uncertain.len() > MAX_UNCERTAIN {
            self.uncertain_below = self.uncertain.pop_first().map_or(0, |row| row + 1);
        }
    }

    pub(super) fn is_there(&self, row: u64) -> bool {
        row < self.frontier && row >= self.uncertain_below && !self.uncertain.contains(&row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_many_failed_inserts_make_the_older_rows_uncertain() {
        let mut inserts = AcknowledgedRows::default();
        let failed = MAX_UNCERTAIN as u64 + 5;
        (0..failed).for_each(|row| inserts.ended(row, 1, false));
        (failed..failed + 5).for_each(|row| inserts.ended(row, 1, true));
        assert_eq!(inserts.uncertain.len(), MAX_UNCERTAIN);
        assert_eq!(inserts.uncertain_below, 5);
        assert!((0..failed).all(|row| !inserts.is_there(row)));
        assert!((failed..failed + 5).all(|row| inserts.is_there(row)));
    }
}

//! New rows that a worker has inserted in the loads on a table so far.

use std::collections::{BTreeSet, VecDeque};

/// New rows that one worker has taken in all loads on a table so far.
#[derive(Debug, Clone, Default)]
pub struct NewRows {
    /// Number of new rows taken.
    pub(super) taken: u64,
    /// Rows among them that exist.
    pub(super) inserts: AcknowledgedRows,
}

/// New rows of one worker that are certain to exist, by their index among its new rows.
#[derive(Debug, Clone, Default)]
pub(super) struct AcknowledgedRows {
    /// First row whose insert has not ended.
    pub(super) frontier: u64,
    /// Whether the insert of each row from the frontier on has ended. It is no longer than the number of
    /// rows in flight.
    ended: VecDeque<bool>,
    /// Rows whose insert failed, so that they may or may not exist.
    uncertain: BTreeSet<u64>,
    /// Row below which all rows are treated as uncertain.
    uncertain_below: u64,
}

/// Largest number of failed inserts that are remembered one by one.
const MAX_UNCERTAIN: usize = 10_000;

impl AcknowledgedRows {
    /// Notes that the insert of some rows has ended.
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
        self.limit_uncertain();
    }

    /// Marks the rows before `taken` whose insert has not ended as uncertain, since it never will end.
    pub(super) fn close(mut self, taken: u64) -> AcknowledgedRows {
        let ended = std::mem::take(&mut self.ended);
        for (offset, row) in (self.frontier..taken).enumerate() {
            if ended.get(offset) != Some(&true) {
                self.uncertain.insert(row);
            }
        }
        self.frontier = taken;
        self.limit_uncertain();
        self
    }

    /// Bounds the memory for uncertain rows, by treating the earliest rows as uncertain altogether.
    fn limit_uncertain(&mut self) {
        while self.uncertain.len() > MAX_UNCERTAIN {
            self.uncertain_below = self.uncertain.pop_first().map_or(0, |row| row + 1);
        }
    }

    /// Returns whether a row is certain to exist.
    pub(super) fn contains(&self, row: u64) -> bool {
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
        assert!((0..failed).all(|row| !inserts.contains(row)));
        assert!((failed..failed + 5).all(|row| inserts.contains(row)));
    }
}

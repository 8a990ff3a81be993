//! Rows of the designs' partitions, counted while they are loaded.

use arrow::record_batch::RecordBatch;
use bakeoff_stats::drive::PartitionRows;

use crate::partitions::{PartitionCounter, PartitionKey};
use crate::{Design, DesignError};

/// Counts of rows by partition, one for each partition key that any design has.
#[derive(Default)]
pub struct RowsByPartition {
    counters: Vec<PartitionCounter>,
    /// Number of rows that were counted, which are the first ones of the data.
    rows: u64,
}

impl RowsByPartition {
    /// Counts rows for the keys of these designs. Rows that do not follow those that were counted are left out, so
    /// that a run that goes on has no counts.
    ///
    /// # Errors
    /// The rows do not have the columns of a key.
    pub fn add(
        &mut self,
        designs: &[&dyn Design],
        first_row: u64,
        rows: &RecordBatch,
    ) -> Result<(), DesignError> {
        if first_row != self.rows {
            return Ok(());
        }
        if first_row == 0 {
            for key in designs.iter().filter_map(|design| design.partition_key()) {
                if self.counters.iter().all(|counter| *counter.key() != key) {
                    self.counters.push(PartitionCounter::new(key));
                }
            }
        }
        for counter in &mut self.counters {
            counter.add(rows)?;
        }
        self.rows += rows.num_rows() as u64;
        Ok(())
    }

    /// Returns what was counted for a key; `None` unless these are all of so many rows.
    pub fn of(&self, key: &PartitionKey, rows: u64) -> Option<PartitionRows> {
        let mut counters = self.counters.iter().filter(|_| self.rows == rows);
        counters.find(|counter| counter.key() == key)?.rows()
    }
}

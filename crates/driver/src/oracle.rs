//! Who knows the right answer.

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_workload::{DuplicateKeys, RowSource};
use std::sync::Arc;

use crate::DesignError;

/// A right answer, and what of its order counts.
#[derive(Debug, Clone)]
pub struct Expected {
    pub batches: Vec<RecordBatch>,
    /// Output columns that the query orders by, first one first. Empty: any order is right.
    pub order_by: Vec<usize>,
    /// The first row that a LIMIT cut off. Where it ties with the last row, which of the rows that tie
    /// are shown is open.
    pub beyond: Option<RecordBatch>,
}

/// Answers from the rows themselves, independent of every design.
#[async_trait]
pub trait Oracle: Send + Sync {
    /// Prepares answers over the first `rows` rows of the source.
    async fn prepare(
        &mut self,
        rows: u64,
        duplicates: Arc<DuplicateKeys>,
    ) -> Result<(), DesignError>;

    /// Another oracle over rows of the same table, which is not prepared.
    fn over(&self, source: Arc<dyn RowSource>) -> Box<dyn Oracle>;

    /// The right answer where rows with equal keys are all kept, or where the last one is.
    async fn answer(&self, sql: &str, keeps_duplicates: bool) -> Result<Expected, DesignError>;
}

//! The oracle, which knows the right answers.

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_workload::{DuplicateKeys, RowSource};
use std::sync::Arc;

use crate::DesignError;
use crate::digest::Digest;

/// A right answer, and the part of its order that counts.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// Its rows, if it is not too large to be held.
    pub batches: Vec<RecordBatch>,
    /// What is kept of its rows otherwise.
    pub digest: Option<Digest>,
    /// Whether all of its values are values of the table as they are, so that every right answer has the same
    /// digest.
    pub only_reads: bool,
    /// Indices of the output columns that the query orders by, most significant first. If it is empty,
    /// any order is right.
    pub order_by: Vec<usize>,
    /// First row that a LIMIT cut off. If it ties with the last row shown, any of the tied rows may be in
    /// the answer.
    pub beyond: Option<RecordBatch>,
}

impl Expected {
    /// Returns the number of its rows.
    pub fn rows(&self) -> u64 {
        match &self.digest {
            Some(digest) => digest.rows(),
            None => self.batches.iter().map(|b| b.num_rows() as u64).sum(),
        }
    }
}

/// Answers queries from the source of the rows, independently of every design.
#[async_trait]
pub trait Oracle: Send + Sync {
    /// Prepares answers over the first `rows` rows of the source.
    async fn prepare(
        &mut self,
        rows: u64,
        duplicates: Arc<DuplicateKeys>,
    ) -> Result<(), DesignError>;

    /// Returns another oracle over rows of the same table, which has yet to be prepared.
    fn over(&self, source: Arc<dyn RowSource>) -> Box<dyn Oracle>;

    /// Counts the rows of the table that satisfy the WHERE clause of each query, in one pass and with all
    /// rows of an equal key. `None` is for a query without one, or with one that cannot be counted alone,
    /// such as one of a join.
    async fn count_selected(&self, queries: &[String]) -> Result<Vec<Option<u64>>, DesignError> {
        Ok(vec![None; queries.len()])
    }

    /// Counts the columns of the table that each query reads, without reading any. `None` is for a query that does not
    /// read the table.
    async fn columns_read(&self, queries: &[String]) -> Result<Vec<Option<u32>>, DesignError> {
        Ok(vec![None; queries.len()])
    }

    /// Counts about how many different values each of these columns of the table has, in one pass. `None` is for one
    /// that cannot be counted.
    async fn distinct_values(&self, columns: &[String]) -> Result<Vec<Option<u64>>, DesignError> {
        Ok(vec![None; columns.len()])
    }

    /// Answers a query, either with all rows of an equal key or with the last one alone.
    async fn answer(&self, sql: &str, keeps_duplicates: bool) -> Result<Expected, DesignError>;
}

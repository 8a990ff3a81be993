//! The traits that a design implements to take part in a sweep.

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;

use crate::DesignError;
use crate::drive::Failure;

/// A table that takes batches of rows from many workers at a time.
#[async_trait]
pub trait Inserts: Send + Sync {
    /// Creates whatever these rows need in addition to the table, before the first of them is inserted.
    async fn prepare(&self, _rows: &RecordBatch) -> Result<(), DesignError> {
        Ok(())
    }

    /// Connects one worker: separately from the others, where the engine has connections.
    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure>;
}

/// Inserts one worker's batches into the table. It is not used again after a failure.
#[async_trait]
pub trait Inserter: Send {
    /// Inserts a batch, and returns once all of its rows are acknowledged.
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure>;
}

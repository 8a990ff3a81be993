//! What a design implements to take part in a sweep.

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;

use crate::DesignError;
use crate::drive::Failure;

/// A table that takes batches of rows from many workers at a time.
#[async_trait]
pub trait Inserts: Send + Sync {
    /// Makes what these rows need beside the table, before the first of them is inserted.
    async fn prepare(&self, _rows: &RecordBatch) -> Result<(), DesignError> {
        Ok(())
    }

    /// What one worker inserts with; a connection of its own where the engine has such.
    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure>;
}

/// One worker's way to the table. After a failure it is not used again.
#[async_trait]
pub trait Inserter: Send {
    /// Inserts a batch; returns when all of its rows are acknowledged.
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure>;
}

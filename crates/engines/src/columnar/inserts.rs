//! Batches of rows from many workers into a columnar table: each batch is one ingest, whose rows are
//! chunks of their own and durable when it ends.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::drive::Failure;
use bakeoff_driver::sweep::{Inserter, Inserts};
use bakeoff_stats::FailureKind;

use super::Opened;

#[derive(Clone)]
pub struct ChunkInserts(pub Arc<Opened>);

#[async_trait]
impl Inserts for ChunkInserts {
    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl Inserter for ChunkInserts {
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        let inserted = self.0.load(rows).await;
        inserted.map_err(|e| Failure::new(FailureKind::Rejected, e.0))
    }
}

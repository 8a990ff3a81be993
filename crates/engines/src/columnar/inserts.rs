//! Batches of rows from many workers into a columnar table: a small batch as fresh rows, any other as
//! one ingest, whose rows are chunks of their own. Both are durable when they end.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::drive::Failure;
use bakeoff_driver::sweep::{Inserter, Inserts};
use bakeoff_stats::FailureKind;

use super::{Opened, failed};

/// Rows of the largest batch that is inserted as fresh rows; an ingest would make chunks of a few rows
/// each.
const FRESH_ROWS: usize = 100;

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
        let inserted = match rows.num_rows() <= FRESH_ROWS {
            true => self.0.table.insert(rows).await.map_err(failed),
            false => self.0.load(rows).await,
        };
        inserted.map_err(|e| Failure::new(FailureKind::Rejected, e.0))
    }
}

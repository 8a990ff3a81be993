//! Inserting batches of rows into a columnar table from many workers. A small batch becomes fresh
//! rows, any other is one ingest with its own chunks. Both are durable when they end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Failure;
use bakeoff_driver::sweep::{Inserter, Inserts};
use bakeoff_stats::FailureKind;
use tokio::sync::Mutex;

use super::{Opened, failed};

/// The number of rows in the largest batch that is inserted as fresh rows. An ingest would make chunks
/// of a few rows each.
const FRESH_ROWS: usize = 100;
/// The number of fresh rows after which they are sealed, since readers and the writer of a directory
/// hold all of them in memory.
const ROWS_TO_SEAL: u64 = 500_000;

#[derive(Clone)]
pub struct ChunkInserts {
    opened: Arc<Opened>,
    fresh_rows: Arc<AtomicU64>,
    sealing: Arc<Mutex<()>>,
}

impl ChunkInserts {
    pub fn new(opened: Arc<Opened>) -> Self {
        ChunkInserts {
            opened,
            fresh_rows: Arc::default(),
            sealing: Arc::default(),
        }
    }

    /// Inserts fresh rows. The worker whose rows reach the next multiple of [`ROWS_TO_SEAL`] seals
    /// them.
    async fn insert_fresh(&self, rows: &RecordBatch) -> Result<(), DesignError> {
        let table = &self.opened.table;
        table.insert(rows).await.map_err(failed)?;
        let number = rows.num_rows() as u64;
        let before = self.fresh_rows.fetch_add(number, Ordering::Relaxed);
        if before / ROWS_TO_SEAL != (before + number) / ROWS_TO_SEAL {
            let _alone = self.sealing.lock().await;
            table.seal(None).await.map_err(failed)?;
        }
        Ok(())
    }
}

#[async_trait]
impl Inserts for ChunkInserts {
    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl Inserter for ChunkInserts {
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        let inserted = if rows.num_rows() <= FRESH_ROWS {
            self.insert_fresh(rows).await
        } else {
            self.opened.load(rows).await
        };
        inserted.map_err(|e| Failure::new(FailureKind::Rejected, e.0))
    }
}

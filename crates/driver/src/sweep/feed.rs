//! Rows for all workers of a cell, made ahead by a thread of their own.

use std::sync::Arc;
use std::time::Duration;

use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::RowSource;
use tokio::sync::{Mutex, mpsc};

use super::Inserts;

/// Rows that are made at a time; a whole number of batches.
const CHUNK_ROWS: usize = 8_192;
/// Rows that are made ahead, or one chunk where it has more.
const ROWS_AHEAD: usize = 8 * CHUNK_ROWS;
/// The longest that a table may take to be made ready for a chunk.
const PREPARE_LIMIT: Duration = Duration::from_secs(60);

/// Hands out batches of the same number of rows, in the order of the source.
pub struct Feed {
    batch_rows: usize,
    inserts: Arc<dyn Inserts>,
    state: Mutex<State>,
}

struct State {
    chunks: mpsc::Receiver<Result<RecordBatch, String>>,
    /// What is left of the chunk that is being handed out.
    chunk: Option<RecordBatch>,
    /// Why no more rows come, if that is not their end.
    broken: Option<String>,
}

impl Feed {
    /// Begins to make rows. The thread ends with the feed.
    pub fn start(source: Arc<dyn RowSource>, inserts: Arc<dyn Inserts>, batch_rows: usize) -> Feed {
        let chunk_rows = CHUNK_ROWS.div_ceil(batch_rows) * batch_rows;
        let (send, chunks) = mpsc::channel((ROWS_AHEAD / chunk_rows).max(1));
        tokio::task::spawn_blocking(move || {
            if let Err(why) = make(source.as_ref(), chunk_rows, &send) {
                // Nobody listens when the cell is over.
                let _ = send.blocking_send(Err(why));
            }
        });
        Feed {
            batch_rows,
            inserts,
            state: Mutex::new(State {
                chunks,
                chunk: None,
                broken: None,
            }),
        }
    }

    /// The next batch; `None` when there is no whole one any more.
    pub async fn take(&self) -> Option<RecordBatch> {
        let mut state = self.state.lock().await;
        let chunk = match state.chunk.take() {
            Some(chunk) => chunk,
            None => self.next_chunk(&mut state).await?,
        };
        let left = chunk.num_rows().checked_sub(self.batch_rows)?;
        if left > 0 {
            state.chunk = Some(chunk.slice(self.batch_rows, left));
        }
        Some(chunk.slice(0, self.batch_rows))
    }

    /// Why rows ended before their end.
    pub async fn broken(&self) -> Option<String> {
        self.state.lock().await.broken.clone()
    }

    async fn next_chunk(&self, state: &mut State) -> Option<RecordBatch> {
        if state.broken.is_some() {
            return None;
        }
        let ready = match state.chunks.recv().await? {
            Ok(chunk) => self.prepared(chunk).await,
            Err(why) => Err(format!("making rows failed: {why}")),
        };
        ready.map_err(|why| state.broken = Some(why)).ok()
    }

    async fn prepared(&self, chunk: RecordBatch) -> Result<RecordBatch, String> {
        let preparing = tokio::time::timeout(PREPARE_LIMIT, self.inserts.prepare(&chunk)).await;
        let prepared = preparing.unwrap_or_else(|_| {
            Err(crate::DesignError(format!(
                "no end within {PREPARE_LIMIT:?}"
            )))
        });
        prepared.map_err(|e| format!("making the table ready for rows failed: {e}"))?;
        Ok(chunk)
    }
}

/// Sends chunks of exactly so many rows, and what is left at the end, until nobody listens.
fn make(
    source: &dyn RowSource,
    chunk_rows: usize,
    send: &mpsc::Sender<Result<RecordBatch, String>>,
) -> Result<(), String> {
    let mut parts: Vec<RecordBatch> = Vec::new();
    let mut rows = 0;
    for batch in source.read(0, chunk_rows).map_err(|e| e.to_string())? {
        let mut batch = batch.map_err(|e| e.to_string())?.rows;
        while rows + batch.num_rows() >= chunk_rows {
            let missing = chunk_rows - rows;
            parts.push(batch.slice(0, missing));
            batch = batch.slice(missing, batch.num_rows() - missing);
            rows = 0;
            if send.blocking_send(Ok(joined(source, &parts)?)).is_err() {
                return Ok(());
            }
            parts.clear();
        }
        rows += batch.num_rows();
        parts.push(batch);
    }
    // Nobody may listen any more.
    let _ = send.blocking_send(Ok(joined(source, &parts)?));
    Ok(())
}

fn joined(source: &dyn RowSource, parts: &[RecordBatch]) -> Result<RecordBatch, String> {
    match parts {
        [one] => Ok(one.clone()),
        parts => concat_batches(&source.schema(), parts).map_err(|e| e.to_string()),
    }
}

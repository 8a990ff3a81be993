//! Rows for all workers of a setting, generated ahead of them on a separate thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::RowSource;
use tokio::sync::{Mutex, mpsc};

use super::Inserts;
use crate::call::describe_panic;

/// Number of rows that are generated at a time, rounded up to a whole number of batches.
const CHUNK_ROWS: usize = 8_192;
/// Number of rows that are generated ahead; at least one chunk is.
const ROWS_AHEAD: usize = 8 * CHUNK_ROWS;
/// Longest time that preparing a table for a chunk may take.
const PREPARE_LIMIT: Duration = Duration::from_secs(60);

/// Hands out batches of the same number of rows, in the order of the source.
pub struct Feed {
    batch_rows: usize,
    inserts: Arc<dyn Inserts>,
    state: Mutex<State>,
}

struct State {
    chunks: mpsc::Receiver<Result<RecordBatch, String>>,
    /// Rest of the chunk that is being handed out.
    chunk: Option<RecordBatch>,
    /// Error that ended the rows early.
    broken: Option<String>,
}

impl Feed {
    /// Begins to generate rows. The thread ends when the feed is dropped.
    pub fn start(source: Arc<dyn RowSource>, inserts: Arc<dyn Inserts>, batch_rows: usize) -> Feed {
        let chunk_rows = CHUNK_ROWS.div_ceil(batch_rows) * batch_rows;
        let (send, chunks) = mpsc::channel((ROWS_AHEAD / chunk_rows).max(1));
        tokio::task::spawn_blocking(move || {
            let sending = || send_chunks(source.as_ref(), chunk_rows, &send);
            let sent = catch_unwind(AssertUnwindSafe(sending));
            // A panic would close the channel as the end of the rows does.
            let sent = sent.unwrap_or_else(|panic| Err(describe_panic(panic.as_ref())));
            if let Err(why) = sent {
                // Sending fails if the feed was dropped because the setting is over.
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

    /// Returns the next batch; `None` when fewer rows than a whole batch are left.
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

    /// Returns the error that ended the rows early, if one did.
    pub async fn broken(&self) -> Option<String> {
        self.state.lock().await.broken.clone()
    }

    async fn next_chunk(&self, state: &mut State) -> Option<RecordBatch> {
        if state.broken.is_some() {
            return None;
        }
        let ready = match state.chunks.recv().await? {
            Ok(chunk) => self.prepare_for(chunk).await,
            Err(why) => Err(format!("making rows failed: {why}")),
        };
        ready.map_err(|why| state.broken = Some(why)).ok()
    }

    /// Prepares the table for the rows of a chunk, and returns the chunk.
    async fn prepare_for(&self, chunk: RecordBatch) -> Result<RecordBatch, String> {
        let preparing = tokio::time::timeout(PREPARE_LIMIT, self.inserts.prepare(&chunk)).await;
        let prepared = preparing.unwrap_or_else(|_| {
            Err(crate::DesignError(format!(
                "it did not end within {PREPARE_LIMIT:?}"
            )))
        });
        prepared.map_err(|e| format!("preparing the table for rows failed: {e}"))?;
        Ok(chunk)
    }
}

/// Sends chunks of exactly `chunk_rows` rows, then the rest, until the receiver is dropped.
fn send_chunks(
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
            if send.blocking_send(Ok(concat(source, &parts)?)).is_err() {
                return Ok(());
            }
            parts.clear();
        }
        rows += batch.num_rows();
        parts.push(batch);
    }
    // Sending fails if the feed was dropped because the setting is over.
    let _ = send.blocking_send(Ok(concat(source, &parts)?));
    Ok(())
}

fn concat(source: &dyn RowSource, parts: &[RecordBatch]) -> Result<RecordBatch, String> {
    match parts {
        [one] => Ok(one.clone()),
        parts => concat_batches(&source.schema(), parts).map_err(|e| e.to_string()),
    }
}

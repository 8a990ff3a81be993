//! Rows for all workers of a setting, generated ahead of them on a separate thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::RowSource;
use tokio::sync::{Mutex, mpsc};

use super::Inserts;
use super::blocks::Blocks;
use crate::call::describe_panic;
use crate::drive::Shard;

/// Number of rows that are generated ahead; at least one block is.
const ROWS_AHEAD: usize = 65_536;
/// Longest time that preparing a table for a chunk may take.
const PREPARE_LIMIT: Duration = Duration::from_secs(60);

/// Hands out batches of the same number of rows, in the order of the source. Of several processes each hands out
/// the rows of its own blocks only.
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
    pub fn start(
        source: Arc<dyn RowSource>,
        inserts: Arc<dyn Inserts>,
        batch_rows: usize,
        shard: Shard,
    ) -> Feed {
        let blocks = Blocks::new(batch_rows as u64, shard);
        let (send, chunks) = mpsc::channel((ROWS_AHEAD / blocks.rows as usize).max(1));
        tokio::task::spawn_blocking(move || {
            let sending = || send_blocks(source.as_ref(), blocks, &send);
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

/// Sends the blocks of this process, then the rest, until the receiver is dropped.
fn send_blocks(
    source: &dyn RowSource,
    blocks: Blocks,
    send: &mpsc::Sender<Result<RecordBatch, String>>,
) -> Result<(), String> {
    if blocks.are_all_own() || !source.seeks() {
        return send_in_order(source, blocks, send);
    }
    let known = source.known_rows().unwrap_or(u64::MAX);
    for first in blocks.first_rows().take_while(|first| *first < known) {
        let block = read_block(source, first, blocks.rows as usize)?;
        let is_last = (block.num_rows() as u64) < blocks.rows;
        // Sending fails if the feed was dropped because the setting is over.
        if send.blocking_send(Ok(block)).is_err() || is_last {
            break;
        }
    }
    Ok(())
}

/// Reads the rows of one block, of which there are fewer at the end of the source.
fn read_block(source: &dyn RowSource, first: u64, rows: usize) -> Result<RecordBatch, String> {
    let mut parts: Vec<RecordBatch> = Vec::new();
    let mut missing = rows;
    for batch in source.read(first, rows).map_err(|e| e.to_string())? {
        let batch = batch.map_err(|e| e.to_string())?.rows;
        let taken = batch.num_rows().min(missing);
        parts.push(batch.slice(0, taken));
        missing -= taken;
        if missing == 0 {
            break;
        }
    }
    concat(source, &parts)
}

/// Reads all rows one after the other, and sends those of the blocks of this process.
fn send_in_order(
    source: &dyn RowSource,
    blocks: Blocks,
    send: &mpsc::Sender<Result<RecordBatch, String>>,
) -> Result<(), String> {
    let block_rows = blocks.rows as usize;
    let mut parts: Vec<RecordBatch> = Vec::new();
    let (mut rows, mut block) = (0, 0);
    for batch in source.read(0, block_rows).map_err(|e| e.to_string())? {
        let mut batch = batch.map_err(|e| e.to_string())?.rows;
        while rows + batch.num_rows() >= block_rows {
            let missing = block_rows - rows;
            parts.push(batch.slice(0, missing));
            batch = batch.slice(missing, batch.num_rows() - missing);
            rows = 0;
            if blocks.is_own(block) {
                if send.blocking_send(Ok(concat(source, &parts)?)).is_err() {
                    return Ok(());
                }
            } else if send.is_closed() {
                return Ok(());
            }
            parts.clear();
            block += 1;
        }
        rows += batch.num_rows();
        parts.push(batch);
    }
    if blocks.is_own(block) {
        // Sending fails if the feed was dropped because the setting is over.
        let _ = send.blocking_send(Ok(concat(source, &parts)?));
    }
    Ok(())
}

fn concat(source: &dyn RowSource, parts: &[RecordBatch]) -> Result<RecordBatch, String> {
    match parts {
        [one] => Ok(one.clone()),
        parts => concat_batches(&source.schema(), parts).map_err(|e| e.to_string()),
    }
}

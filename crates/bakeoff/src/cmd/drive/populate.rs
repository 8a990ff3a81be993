//! Filling the tables that a load runs on.

use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use bakeoff_driver::drive::{Shard, Target};
use bakeoff_driver::{Design, Observer};
use bakeoff_workload::{RowBatch, RowSource};
use std::sync::Arc;
use tokio::sync::mpsc;

use crate::progress::{Progress, Unit};

/// Rows of a slice: enough to keep requests in flight, few enough to be held in memory.
const SLICE_ROWS: usize = 10_000;
/// Slices that are made before they are needed.
const SLICES_AHEAD: usize = 2;

/// What filling one table gave.
pub struct Filled {
    pub rows: u64,
    pub seconds: f64,
}

/// Loads this shard's rows into a table that is there.
pub async fn fill(
    target: &dyn Target,
    design: &dyn Design,
    source: Arc<dyn RowSource>,
    rows: u64,
    shard: Shard,
    progress: &Progress,
) -> Result<Filled> {
    let id = &target.info().id;
    let range = shard.rows(rows);
    let total = range.end - range.start;
    let began = Instant::now();
    progress.phase(&format!("loading {id}"));
    let mut slices = slices(source, range);
    let mut loaded = 0;
    let mut slice = 0;
    while let Some(batch) = slices.recv().await {
        let batch = batch?;
        design
            .load(slice, &batch.rows)
            .await
            .with_context(|| format!("loading {id}"))?;
        slice += 1;
        loaded += batch.rows.num_rows() as u64;
        progress.at(loaded, Some(total), Unit::Rows);
    }
    if loaded < total {
        return Err(anyhow!(
            "the data end after {loaded} of {total} rows: ask for fewer with --rows"
        ));
    }
    Ok(Filled {
        rows: loaded,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// Rows in slices, made on a thread of their own while earlier ones are loaded.
fn slices(
    source: Arc<dyn RowSource>,
    rows: std::ops::Range<u64>,
) -> mpsc::Receiver<bakeoff_workload::Result<RowBatch>> {
    let (sender, receiver) = mpsc::channel(SLICES_AHEAD);
    tokio::task::spawn_blocking(move || {
        let batches = match source.read(rows.start, SLICE_ROWS) {
            Ok(batches) => batches,
            Err(error) => {
                // There is no listener when the load was given up.
                sender.blocking_send(Err(error)).ok();
                return;
            }
        };
        let mut left = (rows.end - rows.start) as usize;
        for batch in batches {
            let batch = batch.map(|b| RowBatch {
                rows: b.rows.slice(0, b.rows.num_rows().min(left)),
                ..b
            });
            left -= batch.as_ref().map_or(0, |b| b.rows.num_rows());
            if sender.blocking_send(batch).is_err() || left == 0 {
                return;
            }
        }
    });
    receiver
}

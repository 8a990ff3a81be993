//! Sizes of the designs' partitions: rows counted while they are loaded, bytes as the engine tells them.

use std::time::{Duration, Instant};

use arrow::record_batch::RecordBatch;
use bakeoff_stats::Record;
use bakeoff_stats::drive::Partitions;

use super::context::{Context, RunError};
use super::rows_by_partition::RowsByPartition;
use crate::call::within;

/// Time after which no further design is asked for the bytes of its partitions.
const ALL_WITHIN: Duration = Duration::from_secs(15);

/// Counts a slice of rows by partition. Rows that cannot be counted are a warning, since no step needs the counts.
pub fn count(run: &mut Context<'_>, first_row: u64, rows: &RecordBatch) -> Result<(), RunError> {
    let designs = run.live();
    if let Err(error) = run.by_partition.add(&designs, first_row, rows) {
        run.by_partition = RowsByPartition::default();
        run.warn(format!("the rows of partitions are not known: {error}"))?;
    }
    Ok(())
}

/// Records the sizes of the partitions of each design with all of so many rows, unless the journal has them. What
/// cannot be read is a warning, and so is the first design for whose bytes no time is left.
pub async fn read_partitions(run: &mut Context<'_>, rows: u64) -> Result<(), RunError> {
    let counted = std::mem::take(&mut run.by_partition);
    let (began, limit) = (Instant::now(), run.explaining(ALL_WITHIN));
    let mut told_of_time = false;
    for design in run.live_tables() {
        let id = &design.info().id;
        if !run.is_own_table(design) || run.log.state().design(id).partitions {
            continue;
        }
        let key = design.partition_key();
        let left = limit.saturating_sub(began.elapsed());
        let read = if left.is_zero() {
            if key.is_some() && !told_of_time {
                told_of_time = true;
                run.warn(format!(
                    "no time was left for the bytes of the partitions of {id} and of the designs after it"
                ))?;
            }
            Ok(Vec::new())
        } else {
            within(run.settings.call_limit.min(left), design.partition_bytes()).await
        };
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) => {
                run.warn(format!(
                    "{id}: the bytes of its partitions are not known: {error}"
                ))?;
                Vec::new()
            }
        };
        let by_partition = key.as_ref().and_then(|key| counted.of(key, rows));
        if by_partition.is_none() && bytes.is_empty() {
            continue;
        }
        run.log.record(Record::Partitions(Partitions {
            design: id.clone(),
            key: key.map(|key| key.words),
            rows: by_partition,
            requests: None,
            bytes,
        }))?;
    }
    Ok(())
}

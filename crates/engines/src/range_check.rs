//! Finding, before anything is started, designs that would need more tables or folders than they may have, or values
//! that rows do not have.

use arrow::record_batch::RecordBatch;
use bakeoff_workload::source::RowSource;
use bakeoff_workload::{DesignId, Workload};

use crate::EngineError;
use crate::key_values::KeyValues;
use crate::ranges::{RangeCount, Ranges};
use crate::registry::engine;
use crate::value_folders::ValueFolders;

/// The number of rows, at equal distances, that are sampled from a source that can be read from any
/// row. It is more than the number of tables or folders that there may be.
const SAMPLED: u64 = 1_200;
/// The number of first rows that are read of a file.
const READ: u64 = 500_000;
const BATCH_ROWS: usize = 8_192;

/// What one design divides its rows by, counted over the rows so far.
enum Count {
    Ranges(Ranges, RangeCount),
    /// Folders, with the first complaint about the rows.
    Folders(ValueFolders, Result<(), String>),
    /// Values that each row has to have, with the first complaint.
    Values(KeyValues, Result<(), String>),
}

impl Count {
    fn extend(&mut self, rows: &RecordBatch) {
        match self {
            Count::Ranges(ranges, count) => count.extend(ranges, rows),
            Count::Folders(folders, complaint) => {
                if complaint.is_ok() {
                    *complaint = folders.extend(rows);
                }
            }
            Count::Values(values, complaint) => {
                if complaint.is_ok() {
                    *complaint = values.check(rows);
                }
            }
        }
    }

    /// Checks the count. All rows are `times` as many.
    fn check(&self, times: f64) -> Result<(), String> {
        match self {
            Count::Ranges(ranges, count) => count.check(ranges, times),
            Count::Folders(_, complaint) | Count::Values(_, complaint) => complaint.clone(),
        }
    }
}

/// Checks the first `rows` rows of a source against the ranges, folders and keys of each design. A sample can
/// show that there are too many, but never that there are not. Returns a sentence for each design that the
/// rows do not suit, with a setting that would suit.
///
/// # Errors
/// Fails if a row cannot be read.
pub fn check_ranges(
    designs: &[DesignId],
    workload: &Workload,
    source: &dyn RowSource,
    rows: u64,
) -> Result<Vec<String>, EngineError> {
    let mut counted: Vec<(&DesignId, Count)> = Vec::new();
    for id in designs {
        if let Some(ranges) = engine(id)?.ranges(id, workload)? {
            counted.push((id, Count::Ranges(ranges, RangeCount::default())));
        }
        if let Some(folders) = engine(id)?.value_folders(id, &workload.table)? {
            counted.push((id, Count::Folders(folders, Ok(()))));
        }
        if let Some(values) = engine(id)?.key_values(id, workload)? {
            counted.push((id, Count::Values(values, Ok(()))));
        }
    }
    if counted.is_empty() {
        return Ok(Vec::new());
    }
    let seen = sample(source, rows, &mut counted).map_err(|e| EngineError(e.to_string()))?;
    let rows = source.known_rows().map_or(rows, |known| known.min(rows));
    // A sample reaches from the first row to the last one, and a file that ended early was read as a
    // whole. Otherwise the ranges of the first rows are extrapolated to all rows.
    let is_whole = source.seeks() || seen < rows.min(READ);
    let times = if is_whole {
        1.0
    } else {
        rows as f64 / seen.max(1) as f64
    };
    let complaints = counted.iter().filter_map(|(id, count)| {
        let complaint = count.check(times).err()?;
        Some(format!("design {id}: {complaint}"))
    });
    Ok(complaints.collect())
}

/// Adds rows to all counts, and returns how many rows were looked at.
fn sample(
    source: &dyn RowSource,
    rows: u64,
    counted: &mut [(&DesignId, Count)],
) -> bakeoff_workload::Result<u64> {
    let rows = source.known_rows().map_or(rows, |known| known.min(rows));
    let mut show = |batch: &RecordBatch| {
        for (_, count) in counted.iter_mut() {
            count.extend(batch);
        }
    };
    if source.seeks() {
        let samples = SAMPLED.min(rows);
        for sample in 0..samples {
            let row = u128::from(sample) * u128::from(rows) / u128::from(samples);
            if let Some(batch) = source.read(row as u64, 1)?.next() {
                show(&batch?.rows);
            }
        }
        return Ok(samples);
    }
    let (most, mut seen) = (rows.min(READ), 0);
    for batch in source.read(0, BATCH_ROWS)? {
        let batch = batch?.rows;
        let wanted = batch.num_rows().min((most - seen) as usize);
        show(&batch.slice(0, wanted));
        seen += wanted as u64;
        if seen >= most {
            break;
        }
    }
    Ok(seen)
}

//! The two axes along which a table of series over time grows: what its rows have of them, and sources
//! of a share of the series and of the time.

mod part;
mod series;

use std::collections::HashSet;

use arrow::array::{Array, AsArray};
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Int64Type};
use arrow::record_batch::RecordBatch;

pub use part::Part;
use series::SeriesHasher;

use super::RowSource;
use crate::{Error, Result, Table};

const BATCH_ROWS: usize = 8192;
/// Most series whose hashes are kept, 8 bytes each; of more, shares are as large as hashes fall.
const MOST_SERIES: usize = 1 << 20;

/// Number of series and length of time in the first rows of a source.
#[derive(Debug, Clone)]
pub struct Survey {
    rows: u64,
    /// Hashes of the series in ascending order; `None` if there are too many.
    series: Option<Vec<u64>>,
    /// First and last time; `None` if no column has it.
    times: Option<(i64, i64)>,
}

/// A share of the series and the first part of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    /// Largest hash of a series that belongs to it.
    most: u64,
    /// First time that does not belong to it.
    until: Option<i64>,
}

impl Survey {
    /// Reads the first `rows` rows for their series, which are the partition keys, and times.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn of(source: &dyn RowSource, table: &Table, rows: u64) -> Result<Survey> {
        let mut hasher = SeriesHasher::new(table)?;
        let time = table.time_column();
        let mut series = Some(HashSet::new());
        let mut times = None;
        each_batch(source, rows, |batch| {
            add(&mut series, &hasher.hashes(batch)?);
            times = joined(times, range(batch, time)?);
            Ok(())
        })?;
        let series = series.map(|series| {
            let mut sorted: Vec<u64> = series.into_iter().collect();
            sorted.sort_unstable();
            sorted
        });
        Ok(Survey {
            rows,
            series,
            times,
        })
    }

    /// Returns the number of series; `None` if there are too many to keep.
    pub fn series(&self) -> Option<u64> {
        self.series.as_ref().map(|series| series.len() as u64)
    }

    /// Returns how long it is from the first time to the last one, both included, in milliseconds or in
    /// the units of a number; `None` if no column has times.
    pub fn length(&self) -> Option<u64> {
        let (first, last) = self.times?;
        Some(last.abs_diff(first).saturating_add(1))
    }

    /// Returns one of `series` series and the first of `time` parts of the time; both are at least 1.
    fn cut(&self, series: u32, time: u32) -> Cut {
        let most = match &self.series {
            _ if series <= 1 => u64::MAX,
            Some(hashes) => {
                let kept = hashes.len().div_ceil(series as usize);
                kept.checked_sub(1).map_or(u64::MAX, |last| hashes[last])
            }
            None => u64::MAX / u64::from(series),
        };
        let until = self.times.filter(|_| time > 1).map(|(first, _)| {
            let part = self.length().unwrap_or(0).div_ceil(u64::from(time));
            first.saturating_add_unsigned(part)
        });
        Cut { most, until }
    }
}

/// Shows the first `rows` rows of a source, batch by batch.
fn each_batch(
    source: &dyn RowSource,
    rows: u64,
    mut see: impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    if rows == 0 {
        return Ok(());
    }
    for batch in source.read(0, BATCH_ROWS)? {
        let batch = batch?;
        let left = rows.saturating_sub(batch.first_row);
        let length = left.min(batch.rows.num_rows() as u64);
        see(&batch.rows.slice(0, length as usize))?;
        if length >= left {
            break;
        }
    }
    Ok(())
}

/// Adds hashes, until there are too many to keep.
fn add(series: &mut Option<HashSet<u64>>, hashes: &[u64]) {
    if let Some(known) = series {
        known.extend(hashes);
        if known.len() > MOST_SERIES {
            *series = None;
        }
    }
}

fn joined(one: Option<(i64, i64)>, other: Option<(i64, i64)>) -> Option<(i64, i64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        _ => one.or(other),
    }
}

/// Returns the first and last time of a batch.
fn range(batch: &RecordBatch, time: Option<usize>) -> Result<Option<(i64, i64)>> {
    let Some(times) = time.map(|index| numbers(batch, index)).transpose()? else {
        return Ok(None);
    };
    let times = times.as_primitive::<Int64Type>();
    Ok(min(times).zip(max(times)))
}

/// Returns a column of times or whole numbers as numbers.
fn numbers(batch: &RecordBatch, index: usize) -> Result<arrow::array::ArrayRef> {
    let column = batch.column(index);
    if column.data_type() == &DataType::Int64 {
        return Ok(column.clone());
    }
    cast(column, &DataType::Int64)
        .map_err(|error| Error::Usage(format!("cannot read the times of the rows: {error}")))
}

#[cfg(test)]
mod tests;

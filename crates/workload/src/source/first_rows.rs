//! Checks the first rows of a data file before anything is done with them.

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::{max, min};
use arrow::datatypes::TimestampMillisecondType;

use super::RowSource;
use crate::{Column, ColumnType, Result, Table};

/// Largest number of rows that are checked.
pub const FIRST_ROWS: u64 = 1_000;

const DAY_MILLISECONDS: i64 = 24 * 60 * 60 * 1_000;
/// Seconds since 1970 from 2001 to 2286, which lie between January and April 1970 if they are read
/// as milliseconds.
const SECONDS: std::ops::Range<i64> = 1_000_000_000..10_000_000_000;

/// Reads the first rows, at most `rows`, and describes what is readable but probably a mistake.
///
/// # Errors
/// A row cannot be read or does not fit the table; the error has its line.
pub fn check_first_rows(source: &dyn RowSource, table: &Table, rows: u64) -> Result<Vec<String>> {
    let rows = rows.min(FIRST_ROWS);
    let mut times = vec![Times::default(); table.columns.len()];
    let mut read = 0;
    for batch in source.read(0, rows.max(1) as usize)? {
        let whole = batch?.rows;
        let batch = whole.slice(0, whole.num_rows().min((rows - read) as usize));
        for (times, column) in times.iter_mut().zip(batch.columns()) {
            times.extend(column);
        }
        read += batch.num_rows() as u64;
        if read >= rows {
            break;
        }
    }
    let doubts = table.columns.iter().zip(times);
    Ok(doubts
        .filter_map(|(c, times)| times.doubt(c, read))
        .collect())
}

/// First and last time of a column; `None` if it has none, or is of another type.
#[derive(Debug, Clone, Copy, Default)]
struct Times(Option<(i64, i64)>);

impl Times {
    fn extend(&mut self, column: &ArrayRef) {
        let Some(column) = column.as_primitive_opt::<TimestampMillisecondType>() else {
            return;
        };
        if let (Some(first), Some(last)) = (min(column), max(column)) {
            let (before, after) = self.0.unwrap_or((first, last));
            self.0 = Some((before.min(first), after.max(last)));
        }
    }

    fn doubt(self, column: &Column, rows: u64) -> Option<String> {
        let (first, last) = self.0.filter(|_| column.kind == ColumnType::Timestamp)?;
        let (range, advice) = if -DAY_MILLISECONDS < first && last < DAY_MILLISECONDS {
            (
                "within a day of 1970-01-01",
                "if these are dates that are written as numbers, as 19580329, say so in [data.format]: \"%Y%m%d\"",
            )
        } else if SECONDS.contains(&first) && SECONDS.contains(&last) {
            (
                "between January and April 1970",
                "if these are seconds, say so in [data.format]: \"s\"",
            )
        } else {
            return None;
        };
        Some(format!(
            "column `{}`: all times of the first {rows} rows lie {range}, since a whole \
             number is taken as milliseconds since 1970; {advice}",
            column.name
        ))
    }
}

//! Chooses the time and the key of a file.

use std::path::Path;

use super::Asked;
use super::columns::{SeenColumn, SeenColumns};
use super::keys::{FoundKey, KeyColumn, Search};
use super::rows::FileRows;
use crate::source::file::data_error;
use crate::{ColumnType, Error, Result};

/// Key of a file.
pub struct Key {
    pub found: FoundKey,
    /// Place of the time in the columns, if there is one that is a timestamp.
    pub time: Option<usize>,
}

impl Key {
    /// Returns whether a column is in the key, by its number in the file.
    pub fn has(&self, index: usize) -> bool {
        self.found.partition.contains(&index) || self.found.order.contains(&index)
    }
}

/// Finds the key of a file, or checks the one that is asked for.
///
/// # Errors
/// None is found, or what is asked for cannot be one; the error names the option to give.
pub fn find(path: &Path, rows: &FileRows, seen: &SeenColumns, asked: &Asked) -> Result<Key> {
    let mut time = time(seen, asked)?;
    let words: Vec<String> = seen.null.iter().map(|(word, _)| word.clone()).collect();
    let columns = seen.columns.iter().map(|column| KeyColumn {
        index: column.index,
        name: &column.name,
        kind: column.decision.kind,
        format: column.decision.format.as_ref(),
        distinct: column.evidence.different(),
        nulls: column.nulls(&seen.null),
    });
    let columns: Vec<KeyColumn<'_>> = columns.collect();
    let search_with = |time: Option<usize>| Search {
        rows,
        number_of_rows: seen.rows,
        columns: &columns,
        null: &words,
        time,
    };
    let search = search_with(time);
    // Rows without a time would be set aside, so that a time that many lack is the last choice.
    let lacks_times = time.is_some_and(|place| has_many_nulls(seen, place));
    let without_time = if lacks_times && asked.time.is_none() && asked.key.is_empty() {
        search_with(None).best()?
    } else {
        None
    };
    let found = if let Some(found) = without_time {
        time = None;
        found
    } else if asked.key.is_empty() {
        search.best()?.ok_or_else(|| {
            let message = "no column is a time, and no few columns tell all rows apart: name those that do with \
                           --key COLUMN,... or a time with --time COLUMN";
            data_error(path, message)
        })?
    } else {
        let mut partition = Vec::new();
        for called in &asked.key {
            let place = seen.find(called, "--key")?;
            if partition.contains(&place) {
                return Err(Error::Usage(format!("--key has {called} twice")));
            }
            partition.push(place);
        }
        search.asked(&partition)?
    };
    let key = Key {
        found,
        time: time.filter(|time| seen.columns[*time].decision.kind == ColumnType::Timestamp),
    };
    check_nulls(path, rows, seen, &key)?;
    Ok(key)
}

/// Returns the place of the column by which rows are ordered in time.
///
/// # Errors
/// The one that is asked for is not there, or has other values than times or whole numbers.
fn time(seen: &SeenColumns, asked: &Asked) -> Result<Option<usize>> {
    if let Some(called) = &asked.time {
        let place = seen.find(called, "--time")?;
        let column = &seen.columns[place];
        return match column.decision.kind {
            ColumnType::Timestamp | ColumnType::Bigint | ColumnType::Int => Ok(Some(place)),
            _ => Err(Error::Usage(format!(
                "--time {called}: its values are neither times in a form that is known nor whole numbers ({}); \
                 if they are times, leave --time out and say their form in [data.format] of the workload",
                column.decision.why
            ))),
        };
    }
    let is_time = |column: &SeenColumn| column.decision.kind == ColumnType::Timestamp;
    let times = (0..seen.columns.len()).filter(|place| is_time(&seen.columns[*place]));
    // The one that says most, and of equal ones the first.
    Ok(times.min_by_key(|place| {
        let distinct = seen.columns[*place].evidence.different();
        (has_many_nulls(seen, *place), u64::MAX - distinct)
    }))
}

/// Returns whether more than one row in twenty has no value in the column at this place.
fn has_many_nulls(seen: &SeenColumns, place: usize) -> bool {
    seen.columns[place].nulls(&seen.null) * 20 > seen.rows
}

/// Checks that rows of a file with types, none of which are set aside, have their key.
fn check_nulls(path: &Path, rows: &FileRows, seen: &SeenColumns, key: &Key) -> Result<()> {
    if rows.kinds().is_none() {
        return Ok(());
    }
    let has_nulls = |column: &&SeenColumn| key.has(column.index) && column.evidence.empty > 0;
    match seen.columns.iter().find(has_nulls) {
        None => Ok(()),
        Some(column) => Err(data_error(
            path,
            format!(
                "{} rows have no value in column `{}`, which would be in the key: leave them out of the file, or name \
                 other columns with --key and --time",
                column.evidence.empty, column.name
            ),
        )),
    }
}

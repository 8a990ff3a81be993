//! Chooses the time and the key of a file.

use std::path::Path;

use super::Asked;
use super::columns::{SeenColumn, SeenColumns};
use super::keys::{FoundKey, KeyColumn, Search};
use super::repeats::MOST_SET_ASIDE;
use super::rows::FileRows;
use crate::source::file::data_error;
use crate::{ColumnType, Error, Result};

/// Key of a file.
pub struct Key {
    pub found: FoundKey,
    /// Place of the time in the columns, if there is one that is a timestamp.
    pub time: Option<usize>,
    /// Whether that is the only one of several times that questions name.
    pub is_time_named: bool,
    /// Whether its first column is in it since questions find rows by its values.
    pub is_series_asked: bool,
    /// Whether nothing but a time tells rows apart, so that all of them are one series, which no column names.
    pub is_one_series: bool,
}

impl Key {
    /// Returns whether a column is in the key, by its number in the file.
    pub fn has(&self, index: usize) -> bool {
        self.found.partition.contains(&index) || self.found.order.contains(&index)
    }
}

/// The column by which rows are ordered in time.
#[derive(Clone, Copy)]
struct Time {
    /// Its place in the columns.
    place: usize,
    /// Whether it is the only one of several times that questions name.
    is_named: bool,
}

impl Time {
    /// Returns a column that is the time for other reasons than questions.
    fn at(place: usize) -> Time {
        Time {
            place,
            is_named: false,
        }
    }
}

/// Finds the key of a file, or checks the one that is asked for.
///
/// # Errors
/// None is found, or what is asked for cannot be one; the error names the option to give.
pub fn find(path: &Path, rows: &FileRows, seen: &SeenColumns, asked: &Asked) -> Result<Key> {
    let whole = WholeKey::asked(seen, asked)?;
    let chosen = match &whole {
        Some(key) if asked.time.is_none() => key.time(seen).map(Time::at),
        _ => time(seen, asked)?,
    };
    let mut time = chosen.map(|time| time.place);
    let words: Vec<String> = seen.null.iter().map(|(word, _)| word.clone()).collect();
    let columns = seen.columns.iter().map(|column| KeyColumn {
        index: column.index,
        name: &column.name,
        kind: column.decision.kind,
        format: column.decision.format.as_ref(),
        zone: asked.zone.as_ref(),
        distinct: column.evidence.different(),
        nulls: column.nulls(&seen.null),
        runs: column.evidence.sequence.runs,
        is_part: column.is_part_of_time(),
        questions: asked.finds_by(&column.name, &column.written),
        all_questions: asked.questions,
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
    let mut found = if let Some(key) = &whole {
        search.whole(&key.partition, &key.order)?
    } else if let Some(found) = without_time {
        time = None;
        found
    } else if asked.key.is_empty() {
        let found = search.best()?;
        found.ok_or_else(|| data_error(path, without_key(seen)))?
    } else {
        search.asked(&places(seen, &asked.key)?)?
    };
    if rows.kinds().is_none() && found.repeated <= MOST_SET_ASIDE {
        // A few rows that repeat a key are set aside, however few they are.
        found = search.recounted(found)?;
    }
    let is_time_alone = found.order.is_empty()
        && time.is_some_and(|place| found.partition == [seen.columns[place].index]);
    let names_none = is_time_alone || found.partition.is_empty();
    let is_one_series = names_none && whole.is_none() && asked.key.is_empty();
    if is_one_series && is_time_alone {
        found.order = std::mem::take(&mut found.partition);
    }
    let key = Key {
        is_series_asked: found.is_asked,
        found,
        is_one_series,
        is_time_named: time.is_some() && chosen.is_some_and(|time| time.is_named),
        time: time.filter(|time| seen.columns[*time].decision.kind == ColumnType::Timestamp),
    };
    // A table has no row without its key, so that an empty text in it is a value.
    if whole.is_none() {
        check_nulls(path, rows, seen, &key)?;
    }
    Ok(key)
}

/// How the form of times is said, where their values do not show it.
const EXAMPLE: &str = "%d.%m.%Y %H:%M";

/// Says that no key was found, and what may be a time if more is said of it.
fn without_key(seen: &SeenColumns) -> String {
    let mut message = "no column is a time, and no few columns tell all rows apart: name those that do with --key \
                       COLUMN,... or a time with --time COLUMN"
        .to_owned();
    let may_be = |column: &&SeenColumn| column.decision.may_be_times;
    for column in seen.columns.iter().filter(may_be) {
        message.push_str(&format!("; column `{}`: {}", column.name, column.why()));
    }
    if seen.columns.iter().any(|column| may_be(&column)) {
        return message;
    }
    let mut called = { seen.columns.iter() }.filter(|column| column.is_called_time());
    let first_of_numbers = called.find_map(|column| {
        let (line, value) = column.evidence.first_text()?;
        let has_digit = value.contains(|c: char| c.is_ascii_digit());
        has_digit.then_some((&column.name, line, value))
    });
    if let Some((name, line, value)) = first_of_numbers {
        message.push_str(&format!(
            "; if `{value}` of `{name}` in line {line} is a time, --time-format '{name}={EXAMPLE}' or the like says \
             how it is written"
        ));
    }
    message
}

/// The key of a table that is known as a whole, by the places of its columns.
struct WholeKey {
    partition: Vec<usize>,
    order: Vec<usize>,
}

impl WholeKey {
    /// Returns the key that is asked for, if all of it is.
    ///
    /// # Errors
    /// A column of it is not there.
    fn asked(seen: &SeenColumns, asked: &Asked) -> Result<Option<WholeKey>> {
        let Some(order) = &asked.order else {
            return Ok(None);
        };
        Ok(Some(WholeKey {
            partition: places(seen, &asked.key)?,
            order: places(seen, order)?,
        }))
    }

    /// Returns the place of the rows' time: a timestamp that orders rows, or one of the key, or another one that all
    /// rows have.
    fn time(&self, seen: &SeenColumns) -> Option<usize> {
        let is_time = |place: &usize| seen.columns[*place].decision.kind == ColumnType::Timestamp;
        let mut of_key = self.order.iter().chain(&self.partition).copied();
        let all_have_it = |place: &usize| {
            let column = &seen.columns[*place];
            column.evidence.values > 0 && column.nulls(&seen.null) == 0
        };
        of_key.find(is_time).or_else(|| {
            let others =
                (0..seen.columns.len()).filter(|place| is_time(place) && all_have_it(place));
            others.max_by_key(|place| seen.columns[*place].evidence.different())
        })
    }
}

/// Returns the places of columns of a key.
///
/// # Errors
/// One of them is not there, or twice; the error names the option.
fn places(seen: &SeenColumns, called: &[String]) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for called in called {
        let place = seen.find(called, "--key")?;
        if places.contains(&place) {
            return Err(Error::Usage(format!("--key has {called} twice")));
        }
        places.push(place);
    }
    Ok(places)
}

/// Returns the column by which rows are ordered in time.
///
/// # Errors
/// The one that is asked for is not there, or has other values than times or whole numbers.
fn time(seen: &SeenColumns, asked: &Asked) -> Result<Option<Time>> {
    if let Some(called) = &asked.time {
        let place = seen.find(called, "--time")?;
        let column = &seen.columns[place];
        return match column.decision.kind {
            ColumnType::Timestamp | ColumnType::Bigint | ColumnType::Int => {
                Ok(Some(Time::at(place)))
            }
            _ if column.decision.lacks_year => Ok(Some(Time::at(place))),
            _ if column.decision.may_be_times => {
                let why = column.why();
                Err(Error::Usage(format!("--time {called}: {why}")))
            }
            _ => Err(Error::Usage(format!(
                "--time {called}: its values are neither times in a form that is known nor whole numbers ({}); \
                 if they are times, say their form with --time-format '{called}={EXAMPLE}' or the like",
                column.decision.why
            ))),
        };
    }
    let is_time = |column: &SeenColumn| column.decision.kind == ColumnType::Timestamp;
    let lacks_year = |column: &SeenColumn| column.decision.lacks_year;
    Ok(likeliest(seen, asked, is_time).or_else(|| likeliest(seen, asked, lacks_year)))
}

/// Returns the likeliest of the columns that are times: the only one that questions name, or the one that says most,
/// and of equal ones the first. One that many rows lack is none if there is another.
fn likeliest(
    seen: &SeenColumns,
    asked: &Asked,
    is_time: impl Fn(&SeenColumn) -> bool,
) -> Option<Time> {
    let times = (0..seen.columns.len()).filter(|place| is_time(&seen.columns[*place]));
    let (lacking, full): (Vec<usize>, Vec<usize>) =
        times.partition(|place| has_many_nulls(seen, *place));
    let times = if full.is_empty() { lacking } else { full };
    let is_named = |place: &usize| {
        let column = &seen.columns[*place];
        asked.names(&column.name, &column.written)
    };
    let named: Vec<usize> = times.iter().copied().filter(is_named).collect();
    if let ([place], true) = (named.as_slice(), times.len() > 1) {
        return Some(Time {
            place: *place,
            is_named: true,
        });
    }
    let most = times
        .into_iter()
        .min_by_key(|place| u64::MAX - seen.columns[*place].evidence.different());
    most.map(Time::at)
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

#[cfg(test)]
mod tests;

//! Finds the columns that together say the time of a row, such as a date and a time of day, where nothing else may be
//! meant.

use std::path::Path;

use super::Asked;
use super::columns::{self, SeenColumn, SeenColumns, words_for_null};
use super::rows::{FileRows, Join};
use super::times::MEANT;
use crate::{ColumnType, Result, TimeFormat};

/// Name of the time that is put together.
const NAME: &str = "date_time";

/// Conversions of times of day, which a date has none of.
const TIMES_OF_DAY: [&str; 11] = [
    "%H", "%I", "%k", "%l", "%M", "%S", "%T", "%R", "%c", "%r", "%s",
];

/// Words of names of times of day, and those that may stand beside them: with others, such as `sunrise_time`, it may be
/// another time than that of the row.
const CLOCK_WORDS: [&str; 13] = [
    "time", "clock", "hour", "hr", "hhmm", "hhmmss", "hrmn", "zeit", "uhrzeit", "heure", "hora",
    "ora", "tijd",
];
const BESIDE_CLOCKS: [&str; 17] = [
    "of",
    "day",
    "local",
    "utc",
    "gmt",
    "hh",
    "mm",
    "ss",
    "obs",
    "observed",
    "observation",
    "measured",
    "measurement",
    "reading",
    "record",
    "recorded",
    "event",
];

/// Forms of times of day that have a colon.
const CLOCKS: [&str; 6] = [
    "%H:%M:%S",
    "%H:%M",
    "%H:%M:%S%.f",
    "%I:%M:%S %p",
    "%I:%M %p",
    "%I:%M%p",
];
/// Those that have none, and are known by the name of their column.
const DOTTED: [&str; 1] = ["%H.%M.%S"];
const NUMBERS: [&str; 2] = ["%H%M", "%H%M%S"];
/// A number that an hour cannot be: numbers up to it may be hours, or hours with minutes.
const NO_HOUR: f64 = 100.0;

/// Names of numbers that are parts of a time.
const YEARS: [&str; 2] = ["year", "yr"];
const MONTHS: [&str; 3] = ["month", "mon", "mnth"];
const DAYS: [&str; 4] = ["day", "dayofmonth", "day_of_month", "mday"];
const HOURS: [&str; 2] = ["hour", "hr"];
const MINUTES: [&str; 2] = ["minute", "min"];
const SECONDS: [&str; 2] = ["second", "sec"];

/// Columns that together may be a time, with the forms that it may have.
struct Parts<'a> {
    columns: Vec<&'a SeenColumn>,
    forms: Vec<String>,
}

/// Puts the time of rows together from columns if these are unmistakable, and looks at all rows again then. The columns
/// do not remain unless questions name them.
///
/// # Errors
/// The file cannot be read.
pub fn join(
    path: &Path,
    rows: &mut FileRows,
    seen: SeenColumns,
    asked: &Asked,
) -> Result<SeenColumns> {
    rows.join = proposed(&seen, rows, asked);
    let Some(join) = &rows.join else {
        return Ok(seen);
    };
    let mut joined = columns::see(path, rows, asked)?;
    if is_time(&joined, &join.name) {
        let note = format!(
            "{} together are the time `{}`; if they are not that of the row, say --time {}",
            join.in_words(),
            join.name,
            join.called.first().map_or("COLUMN", String::as_str)
        );
        joined.notes.push(note);
        return Ok(joined);
    }
    rows.join = None;
    Ok(seen)
}

/// Returns whether the column of this name has times that may be meant, which few rows lack.
fn is_time(seen: &SeenColumns, name: &str) -> bool {
    let column = seen.columns.iter().find(|column| column.name == name);
    column.is_some_and(|column| {
        let time = column.decision.time.as_ref();
        let is_meant =
            time.is_some_and(|time| MEANT.contains(&time.first) && MEANT.contains(&time.last));
        is_meant && column.nulls(&seen.null) * 20 <= seen.rows
    })
}

/// Returns the columns that may be parts of the time of a row, unless the user or the file says what they are.
fn proposed(seen: &SeenColumns, rows: &FileRows, asked: &Asked) -> Option<Join> {
    if rows.kinds().is_some() || asked.order.is_some() {
        return None;
    }
    let name = free_name(seen);
    let is_other = |time: &String| time.trim().to_lowercase() != name;
    if asked.time.as_ref().is_some_and(is_other) {
        return None;
    }
    let parts = with_date(seen).or_else(|| of_numbers(seen))?;
    let said: Vec<String> = { asked.key.iter() }
        .map(|name| name.trim().to_lowercase())
        .collect();
    let is_said = |column: &&SeenColumn| {
        said.contains(&column.name) || said.contains(&column.written.trim().to_lowercase())
    };
    if parts.columns.iter().any(is_said) {
        return None;
    }
    let forms = parts
        .forms
        .iter()
        .map(|form| TimeFormat::parse(form).ok())
        .collect::<Option<Vec<TimeFormat>>>()?;
    let called = |column: &&SeenColumn| {
        if rows.no_header {
            column.name.clone()
        } else {
            column.written.clone()
        }
    };
    let kept = parts
        .columns
        .iter()
        .filter(|column| asked.names(&column.name, &column.written));
    Some(Join {
        name,
        parts: parts.columns.iter().map(|column| column.index).collect(),
        called: parts.columns.iter().map(called).collect(),
        forms,
        null: words_for_null(asked),
        kept: kept.map(|column| column.index).collect(),
    })
}

/// Returns a name that no column has.
fn free_name(seen: &SeenColumns) -> String {
    let is_taken = |name: &str| seen.columns.iter().any(|column| column.name == name);
    let numbered = (2..).map(|number| format!("{NAME}_{number}"));
    let mut names = std::iter::once(NAME.to_owned()).chain(numbered);
    let free = names.find(|name| !is_taken(name));
    free.unwrap_or_else(|| NAME.to_owned())
}

/// Returns the only column with times if these are days, together with the only time of day.
fn with_date(seen: &SeenColumns) -> Option<Parts<'_>> {
    let times = { seen.columns.iter() }.filter(|column| is_timestamp(column));
    let times: Vec<&SeenColumn> = times.collect();
    let [date] = times.as_slice() else {
        return None;
    };
    let time = date.decision.time.as_ref();
    let time = time.filter(|time| time.or.is_none())?;
    let pattern = match &time.format {
        TimeFormat::Iso => "%Y-%m-%d",
        TimeFormat::Pattern(pattern) => pattern.as_str(),
        TimeFormat::Epoch(_) | TimeFormat::OfYear { .. } => return None,
    };
    if TIMES_OF_DAY.iter().any(|part| pattern.contains(part)) {
        return None;
    }
    let clock = clock(seen)?;
    let forms = clock.forms.iter();
    Some(Parts {
        columns: std::iter::once(*date).chain(clock.columns).collect(),
        forms: forms.map(|form| format!("{pattern} {form}")).collect(),
    })
}

/// Returns the only columns of years, months and days, with the only time of day if there is one, where no column has
/// times.
fn of_numbers(seen: &SeenColumns) -> Option<Parts<'_>> {
    if seen.columns.iter().any(is_timestamp) {
        return None;
    }
    let mut columns = vec![
        only(seen, &YEARS)?,
        only(seen, &MONTHS)?,
        only(seen, &DAYS)?,
    ];
    let dates = ["%Y %m %d", "%Y %b %d"];
    let Some(clock) = clock(seen) else {
        return Some(Parts {
            columns,
            forms: dates.map(str::to_owned).to_vec(),
        });
    };
    columns.extend(clock.columns);
    let forms = dates.into_iter().flat_map(|date| {
        let forms = clock.forms.iter();
        forms.map(move |form| format!("{date} {form}"))
    });
    Some(Parts {
        forms: forms.collect(),
        columns,
    })
}

/// Returns the only time of day: texts with a colon, or numbers that are called so.
fn clock(seen: &SeenColumns) -> Option<Parts<'_>> {
    let owned = |forms: &[&str]| forms.iter().map(|form| (*form).to_owned()).collect();
    let clocks = { seen.columns.iter() }.filter(|column| column.evidence.sequence.is_clock());
    let clocks: Vec<&SeenColumn> = clocks.collect();
    if let [clock] = clocks.as_slice() {
        return is_called_clock(&clock.name).then(|| Parts {
            columns: clocks.clone(),
            forms: owned(&CLOCKS),
        });
    }
    if !clocks.is_empty() {
        return None;
    }
    let others = { seen.columns.iter() }.filter(|column| !is_timestamp(column));
    let named = others.filter(|column| is_called_clock(&column.name));
    let named: Vec<&SeenColumn> = named.collect();
    let [hour] = named.as_slice() else {
        return None;
    };
    if HOURS.contains(&hour.name.as_str()) {
        return Some(of_hour(seen, hour));
    }
    let is_number = { hour.evidence.high_value() }.is_some_and(|high| high >= NO_HOUR);
    let forms = if is_number {
        owned(&NUMBERS)
    } else {
        owned(&DOTTED)
    };
    Some(Parts {
        columns: named,
        forms,
    })
}

/// Returns an hour with the only minute and second. A `min` beside a `max` is the lowest of some values.
fn of_hour<'a>(seen: &'a SeenColumns, hour: &'a SeenColumn) -> Parts<'a> {
    let (mut columns, mut form) = (vec![hour], "%H".to_owned());
    let has_highest = seen.columns.iter().any(|column| column.name == "max");
    let minute = only(seen, &MINUTES).filter(|minute| minute.name != "min" || !has_highest);
    if let Some(minute) = minute {
        columns.push(minute);
        form.push_str(" %M");
        if let Some(second) = only(seen, &SECONDS) {
            columns.push(second);
            form.push_str(" %S");
        }
    }
    Parts {
        columns,
        forms: vec![form],
    }
}

/// Returns the column that has one of these names, if it is the only one.
fn only<'a>(seen: &'a SeenColumns, names: &[&str]) -> Option<&'a SeenColumn> {
    let mut named = { seen.columns.iter() }.filter(|column| names.contains(&column.name.as_str()));
    named.next().filter(|_| named.next().is_none())
}

fn is_timestamp(column: &SeenColumn) -> bool {
    column.decision.kind == ColumnType::Timestamp
}

/// Returns whether a name says that values are the time of day of their row.
fn is_called_clock(name: &str) -> bool {
    let is_known = |word: &str| CLOCK_WORDS.contains(&word) || BESIDE_CLOCKS.contains(&word);
    name.split('_').all(is_known) && name.split('_').any(|word| CLOCK_WORDS.contains(&word))
}

#[cfg(test)]
mod tests;

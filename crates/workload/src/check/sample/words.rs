//! Growth in words: `three years`, `5000 sensors`, `50 times the sensors`, `sensors x50`, `500 sensors, three years`.

use std::iter::once;

use crate::{ColumnType, SampleAxis, SampleSize, ScaleSample, Table};

const DAY_MILLISECONDS: f64 = 86_400_000.0;

/// Lengths of time in milliseconds; a year has 365.25 days, and a month is a twelfth of it.
const UNITS: [(&str, f64); 7] = [
    ("second", 1_000.0),
    ("minute", 60_000.0),
    ("hour", 3_600_000.0),
    ("day", DAY_MILLISECONDS),
    ("week", 7.0 * DAY_MILLISECONDS),
    ("month", 365.25 / 12.0 * DAY_MILLISECONDS),
    ("year", 365.25 * DAY_MILLISECONDS),
];

const NUMBERS: [(&str, f64); 21] = [
    ("a", 1.0),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
];

/// Words that multiply the number before them, or stand for themselves.
const POWERS: [(&str, f64); 3] = [("hundred", 1e2), ("thousand", 1e3), ("million", 1e6)];

/// Words for series, besides those of the columns of the partition key.
const SERIES: [&str; 10] = [
    "series",
    "sensors",
    "devices",
    "machines",
    "hosts",
    "meters",
    "metrics",
    "users",
    "customers",
    "keys",
];

/// Words for the length of time, in `ten times the time`.
const TIME: [&str; 2] = ["time", "history"];

/// Words in names of columns that do not say what the series are.
const NO_SERIES: [&str; 17] = [
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "name",
    "names",
    "key",
    "code",
    "no",
    "nr",
    "num",
    "number",
    "of",
    "the",
    "date",
    "timestamp",
];

/// Words without a meaning of their own, some of which join two growths.
const FILLERS: [&str; 8] = ["the", "as", "many", "of", "and", "for", "over", "with"];

/// Largest growth and longest time (in years) that are taken for meant.
const MOST: f64 = 1e9;

/// A growth along one axis, and the number in its words.
struct Growth {
    along: SampleAxis,
    to: SampleSize,
    number: f64,
}

/// Reads how a sample grows: along one axis, or along both.
///
/// # Errors
/// The text is no growth that is known; the message says which words are.
pub fn parse(text: &str, table: &Table) -> Result<ScaleSample, String> {
    let text = text.trim().to_lowercase();
    let words: Vec<&str> = { text.split(|c: char| c.is_whitespace() || c == ',') }
        .filter(|word| !word.is_empty() && !FILLERS.contains(word))
        .collect();
    let growths = growths(&words, table).ok_or_else(|| unknown(&text, table))?;
    let mut scaled = ScaleSample::default();
    for Growth { along, to, number } in growths {
        check_number(&text, number, to)?;
        check_length(&text, to, table)?;
        let (size, what) = match along {
            SampleAxis::Series => (&mut scaled.series, "how many series there are"),
            SampleAxis::Time => (&mut scaled.time, "how long the time is"),
        };
        if size.replace(to).is_some() {
            return Err(format!(
                "`{text}` says twice {what}; two growths are one of the series and one of the time, such as \
                 `500 sensors, three years`"
            ));
        }
    }
    Ok(scaled)
}

/// Reads one growth, or otherwise two that follow each other.
fn growths(words: &[&str], table: &Table) -> Option<Vec<Growth>> {
    if let Some(growth) = growth(words, table) {
        return Some(vec![growth]);
    }
    (1..words.len()).find_map(|at| {
        let (first, second) = words.split_at(at);
        Some(vec![growth(first, table)?, growth(second, table)?])
    })
}

fn growth(words: &[&str], table: &Table) -> Option<Growth> {
    // `sensors x50` is `50x sensors`.
    let (behind, before) = words.split_last()?;
    // A name may begin with an x, too.
    let factor_behind = { behind.strip_prefix('x') }
        .filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))
        .map(|number| format!("{number}x"));
    let words: Vec<&str> = match &factor_behind {
        Some(factor) => once(factor.as_str())
            .chain(before.iter().copied())
            .collect(),
        None => words.to_vec(),
    };
    let (number, is_factor, rest) = number(&words)?;
    let (along, to) = match rest {
        ["times", of @ ..] => factor(number, of, table),
        of if is_factor => factor(number, of, table),
        [unit] => length(number, unit).or_else(|| series(number, rest, table)),
        of => series(number, of, table),
    }?;
    Some(Growth { along, to, number })
}

/// Returns the number that the words begin with, whether it is written as a factor (`50x`), and the other
/// words.
fn number<'a>(words: &'a [&'a str]) -> Option<(f64, bool, &'a [&'a str])> {
    let (first, mut rest) = words.split_first()?;
    let named = |names: &[(&str, f64)], word: &str| {
        let mut names = names.iter();
        names
            .find(|(name, _)| *name == word)
            .map(|(_, value)| *value)
    };
    let digits = |word: &str| word.replace('_', "").parse::<f64>().ok();
    let factor = first.strip_suffix('x').and_then(digits);
    let mut number = { factor.or_else(|| digits(first)) }
        .or_else(|| named(&NUMBERS, first))
        .or_else(|| named(&POWERS, first))?;
    while let Some((word, after)) = rest.split_first() {
        let Some(power) = named(&POWERS, word) else {
            break;
        };
        number *= power;
        rest = after;
    }
    Some((number, factor.is_some(), rest))
}

fn length(number: f64, word: &str) -> Option<(SampleAxis, SampleSize)> {
    let unit = word.strip_suffix('s').unwrap_or(word);
    let (_, milliseconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let length = (number * milliseconds).max(0.0) as u64;
    Some((SampleAxis::Time, SampleSize::Milliseconds(length)))
}

fn series(number: f64, words: &[&str], table: &Table) -> Option<(SampleAxis, SampleSize)> {
    let to = SampleSize::Series(number.max(0.0) as u64);
    are_series(words, table).then_some((SampleAxis::Series, to))
}

fn factor(number: f64, words: &[&str], table: &Table) -> Option<(SampleAxis, SampleSize)> {
    let along = match words {
        [word] if TIME.contains(word) => SampleAxis::Time,
        words if are_series(words, table) => SampleAxis::Series,
        _ => return None,
    };
    Some((along, SampleSize::Times(number)))
}

/// Returns whether words stand for the series, as `wind turbines` do for `wind_turbine_name`.
fn are_series(words: &[&str], table: &Table) -> bool {
    !words.is_empty() && words.iter().all(|word| is_series(word, table))
}

/// Returns whether a word stands for the series: one that always does, or a column of the partition key, also without
/// `_id` or `_name`, or a word in the name of one; also in the plural (`turbines` for `wind_turbine_name`).
fn is_series(word: &str, table: &Table) -> bool {
    let singulars = singulars(word);
    let is_named = |column: &String| {
        let column = column.to_lowercase();
        let stem = { column.strip_suffix("_id") }
            .or_else(|| column.strip_suffix("_name"))
            .unwrap_or(&column);
        let words = column.split('_').filter(|word| says_series(word));
        let mut names = [column.as_str(), stem].into_iter().chain(words);
        names.any(|name| singulars.iter().any(|word| word == name))
    };
    SERIES.contains(&word) || table.partition_key.iter().any(is_named)
}

/// Returns whether a word in the name of a column may say what the series are.
fn says_series(word: &str) -> bool {
    let is_time = TIME.contains(&word) || UNITS.iter().any(|(unit, _)| *unit == word);
    word.len() > 1 && !is_time && !NO_SERIES.contains(&word)
}

/// Returns a word, and what it may be the plural of.
fn singulars(word: &str) -> Vec<String> {
    let endings = [("", ""), ("s", ""), ("es", ""), ("ies", "y")];
    { endings.into_iter() }
        .filter_map(|(plural, singular)| {
            let stem = word.strip_suffix(plural)?;
            Some(format!("{stem}{singular}"))
        })
        .collect()
}

/// Checks that a length of time is not asked of whole numbers.
fn check_length(text: &str, to: SampleSize, table: &Table) -> Result<(), String> {
    let time = table.time_column().map(|index| &table.columns[index]);
    match (to, time) {
        (SampleSize::Milliseconds(_), Some(time)) if time.kind != ColumnType::Timestamp => {
            Err(format!(
                "`{text}` is a length of time, but column `{}` has whole numbers; write how many times as long \
                 it is, such as `10 times the time`",
                time.name
            ))
        }
        _ => Ok(()),
    }
}

fn check_number(text: &str, number: f64, to: SampleSize) -> Result<(), String> {
    let least = match to {
        SampleSize::Times(_) => 1.0,
        _ => 0.0,
    };
    // Not a number is in no range.
    if number > 0.0 && number >= least && number <= MOST {
        return Ok(());
    }
    Err(format!(
        "`{text}`: {number} has to be above 0, at least 1 where it is a factor, and at most {MOST}"
    ))
}

fn unknown(text: &str, table: &Table) -> String {
    let units = joined(UNITS.iter().map(|(name, _)| *name));
    let keys = table.partition_key.iter().map(String::as_str);
    let series = joined(keys.chain(SERIES));
    let powers = joined(POWERS.iter().map(|(name, _)| *name));
    let time = joined(TIME.into_iter());
    format!(
        "`{text}` does not say how far the sample grows; write a length of time (`three years`), a number of series \
         (`5000 sensors`), a factor (`50 times the sensors`, `10 times the time`), or one of the series and one of the \
         time (`500 sensors, three years`)\n\
         Known are numbers in digits, in words up to twelve and in tens up to ninety, {powers}; of time {units}, {time}; \
         of series {series}, and any word in the name of a column of the partition key"
    )
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;

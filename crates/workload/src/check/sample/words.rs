//! Growth in words: `three years`, `5000 sensors`, `50 times the sensors`, `sensors x50`, `500 sensors, three years`.

mod series;
#[cfg(test)]
mod tests;

use std::iter::once;

use self::series::{SERIES, are_series, is_series, name_part, other_column};
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

/// Letters of lengths of time behind a number, as in `10d`. An `m` would be minutes to some and months to others.
const LETTERS: [(&str, &str); 4] = [("h", "hour"), ("d", "day"), ("w", "week"), ("y", "year")];

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
const POWERS: [(&str, f64); 4] = [
    ("hundred", 1e2),
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
];

/// Words for the length of time, in `ten times the time`.
const TIME: [&str; 2] = ["time", "history"];

/// Words without a meaning of their own, some of which join two growths.
const FILLERS: [&str; 8] = ["the", "as", "many", "of", "and", "for", "over", "with"];

/// Largest growth and longest time (in years) that are taken for meant.
const MOST: f64 = 1e9;

/// A growth along one axis, and the number in its words.
struct Growth {
    along: SampleAxis,
    to: SampleSize,
    number: f64,
    /// Whether its words name a part of the columns that say which series a row belongs to.
    is_of_part: bool,
    /// A word for series that names a column outside of the partition key, and that column.
    of_other: Option<(String, String)>,
}

/// Reads how a sample grows: along one axis, or along both.
///
/// # Errors
/// The text is no growth that is known; the message says which words are.
pub fn parse(text: &str, table: &Table) -> Result<ScaleSample, String> {
    let text = text.trim().to_lowercase();
    let words = text.split_whitespace().flat_map(divided);
    let words: Vec<String> = words.flat_map(with_unit).collect();
    let words: Vec<&str> = { words.iter().map(String::as_str) }
        .filter(|word| !word.is_empty() && !FILLERS.contains(word))
        .collect();
    let growths = growths(&words, table).ok_or_else(|| unknown(&text, &words, table))?;
    let mut scaled = ScaleSample::default();
    for growth in growths {
        let Growth {
            along, to, number, ..
        } = growth;
        if growth.is_of_part {
            return Err(of_part(&text, to, number, table));
        }
        if let Some((word, column)) = &growth.of_other {
            return Err(of_other(&text, word, column, table));
        }
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

/// Divides a text without spaces at its commas, but for those between the digits of a number in threes: `5,000` becomes
/// `5_000`, which is read as a number.
fn divided(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split(',') {
        let leading = part.bytes().take_while(u8::is_ascii_digit).count();
        let goes_on = leading == 3 && words.last().is_some_and(|word| is_begun(word));
        match words.last_mut() {
            Some(word) if goes_on => {
                word.push('_');
                word.push_str(part);
            }
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Divides a number from the letter of its unit: `10d` becomes `10` and `day`.
fn with_unit(word: String) -> Vec<String> {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.' || c == '_';
    let unit = word.trim_start_matches(is_of_number);
    let number = &word[..word.len() - unit.len()];
    match LETTERS.iter().find(|(letter, _)| *letter == unit) {
        Some((_, unit)) if !number.is_empty() => vec![number.to_owned(), (*unit).to_owned()],
        _ => vec![word],
    }
}

/// Returns whether a word is the beginning of a number before a comma: up to three digits, and then groups of three.
fn is_begun(word: &str) -> bool {
    let word = word.strip_prefix('x').unwrap_or(word);
    let mut groups = word.split('_');
    let are_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    are_digits(first)
        && (1..=3).contains(&first.len())
        && groups.all(|group| are_digits(group) && group.len() == 3)
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
    let factor_behind = factor_behind(behind);
    let words: Vec<&str> = match &factor_behind {
        Some(factor) => once(factor.as_str())
            .chain(before.iter().copied())
            .collect(),
        None => words.to_vec(),
    };
    let (number, is_factor, rest) = number(&words)?;
    let (of, is_factor) = match rest {
        ["times", of @ ..] => (of, true),
        of => (of, is_factor),
    };
    let (along, to) = match of {
        of if is_factor => factor(number, of, table),
        [unit] => length(number, unit).or_else(|| series(number, of, table)),
        of => series(number, of, table),
    }?;
    let is_of_part = along == SampleAxis::Series && name_part(of, table);
    let of_other = { other_column(of, table) }
        .filter(|_| along == SampleAxis::Series)
        .map(|(word, column)| (word.to_owned(), column.to_owned()));
    Some(Growth {
        along,
        to,
        number,
        is_of_part,
        of_other,
    })
}

/// Returns a factor such as `x50` as `50x`; a name may begin with an x, too.
fn factor_behind(word: &str) -> Option<String> {
    { word.strip_prefix('x') }
        .filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))
        .map(|number| format!("{number}x"))
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
    let digits = |word: &str| {
        let (word, power) = match word.strip_suffix('k') {
            Some(word) => (word, 1e3),
            None => (word, 1.0),
        };
        let number = word.replace('_', "").parse::<f64>().ok();
        number.map(|number| number * power)
    };
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

/// Says that series are not counted by some of their columns.
fn of_part(text: &str, to: SampleSize, number: f64, table: &Table) -> String {
    let columns = series::columns(table);
    let tuple = tuple(&columns);
    let times = match to {
        SampleSize::Times(_) => "times the ",
        _ => "",
    };
    let columns = joined(columns.into_iter());
    format!(
        "`{text}` does not say how many series there are: series are the {tuple}s of ({columns}); write \
         `{number} {times}series`"
    )
}

/// Says that a word names a column by which the series are not told apart.
fn of_other(text: &str, word: &str, column: &str, table: &Table) -> String {
    let columns = series::columns(table);
    let each = match columns.as_slice() {
        [one] => format!("`{one}`"),
        _ => {
            let listed = joined(columns.iter().copied());
            format!("{} of ({listed})", tuple(&columns))
        }
    };
    format!(
        "`{word}` names the column `{column}`, but the rows have a series for each {each}: --key {column} (in a workload \
         file partition_key = [\"{column}\"]) makes it the key; or write `{}` for the series that there are",
        text.replace(word, "series")
    )
}

/// Returns the word for values of several columns.
fn tuple(columns: &[&str]) -> &'static str {
    match columns.len() {
        2 => "pair",
        _ => "combination",
    }
}

/// Says that words are no growth, and which one of them is not known.
fn unknown(text: &str, words: &[&str], table: &Table) -> String {
    let not_known = words.iter().find(|word| !is_known(word, table));
    let meant = not_known.map_or_else(String::new, |word| meant(text, words, word, table));
    let not_known = not_known.map_or_else(String::new, |word| format!(": `{word}` is not known"));
    let units = joined(UNITS.iter().map(|(name, _)| *name));
    let keys = table.partition_key.iter().map(String::as_str);
    let series = joined(keys.chain(SERIES));
    let powers = joined(POWERS.iter().map(|(name, _)| *name));
    let time = joined(TIME.into_iter());
    format!(
        "`{text}` does not say how far the sample grows{not_known}{meant}\n\
         Write a length of time (`three years`), a number of series (`5000 sensors`), a factor (`50 times the sensors`, \
         `10 times the time`), or one of the series and one of the time (`500 sensors, three years`)\n\
         Known are numbers in digits (`5000`, `5,000`, `5k`), in words up to twelve and in tens up to ninety, {powers}; of \
         time {units} (or `12h`, `10d`, `2w`, `1y`), {time}; of series {series}, and any word in the name of a column of \
         the partition key"
    )
}

/// Returns what to write if the word that is not known is what the rows of a series belong to, and nothing if that
/// would be no growth either, or another word says that.
fn meant(text: &str, words: &[&str], unknown: &str, table: &Table) -> String {
    let mut others = words.iter().filter(|word| **word != unknown);
    if others.any(|word| is_series(word, table)) {
        return String::new();
    }
    let as_series = words
        .iter()
        .map(|word| if *word == unknown { "series" } else { word });
    match growths(&as_series.collect::<Vec<_>>(), table) {
        Some(_) => format!(
            "; if the table has a series for each, write `{}`",
            text.replace(unknown, "series")
        ),
        None => String::new(),
    }
}

/// Returns whether a word may be a part of a growth.
fn is_known(word: &str, table: &Table) -> bool {
    word == "times"
        || TIME.contains(&word)
        || number(&[word]).is_some()
        || factor_behind(word).is_some()
        || length(1.0, word).is_some()
        || is_series(word, table)
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

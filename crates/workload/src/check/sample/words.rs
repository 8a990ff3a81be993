//! Growth in words: `three years`, `5000 sensors`, `50 times the sensors`, `sensors x50`.

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

/// Words for series, besides the columns of the partition key.
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

/// Words without a meaning of their own.
const FILLERS: [&str; 4] = ["the", "as", "many", "of"];

/// Largest growth and longest time (in years) that are taken for meant.
const MOST: f64 = 1e9;

/// Reads how a sample grows.
///
/// # Errors
/// The text is no growth that is known; the message says which words are.
pub fn parse(text: &str, table: &Table) -> Result<ScaleSample, String> {
    let text = text.trim().to_lowercase();
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !FILLERS.contains(word))
        .collect();
    // `sensors x50` is `50x sensors`.
    let factor_behind = match words.as_slice() {
        // A name may begin with an x, too.
        [_, behind] => { behind.strip_prefix('x') }
            .filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))
            .map(|number| format!("{number}x")),
        _ => None,
    };
    let words = match &factor_behind {
        Some(factor) => vec![factor.as_str(), words[0]],
        None => words,
    };
    let unknown = || unknown(&text, table);
    let (number, is_factor, rest) = number(&words).ok_or_else(unknown)?;
    let grown = match rest {
        ["times", of] => factor(number, of, table),
        [of] if is_factor => factor(number, of, table),
        [unit] if !is_factor => length(number, unit).or_else(|| series(number, unit, table)),
        _ => None,
    };
    let grown = grown.ok_or_else(unknown)?;
    check_number(&text, number, grown.to)?;
    let is_time = |index: usize| table.columns[index].kind == ColumnType::Timestamp;
    match (grown.to, table.time_column()) {
        (SampleSize::Milliseconds(_), Some(index)) if !is_time(index) => Err(format!(
            "`{text}` is a length of time, but column `{}` has whole numbers; write how many times as long \
             it is, such as `10 times the time`",
            table.columns[index].name
        )),
        _ => Ok(grown),
    }
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

fn length(number: f64, word: &str) -> Option<ScaleSample> {
    let unit = word.strip_suffix('s').unwrap_or(word);
    let (_, milliseconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(ScaleSample {
        along: SampleAxis::Time,
        to: SampleSize::Milliseconds((number * milliseconds).max(0.0) as u64),
    })
}

fn series(number: f64, word: &str, table: &Table) -> Option<ScaleSample> {
    is_series(word, table).then_some(ScaleSample {
        along: SampleAxis::Series,
        to: SampleSize::Series(number.max(0.0) as u64),
    })
}

fn factor(number: f64, word: &str, table: &Table) -> Option<ScaleSample> {
    let along = if TIME.contains(&word) {
        SampleAxis::Time
    } else if is_series(word, table) {
        SampleAxis::Series
    } else {
        return None;
    };
    let to = SampleSize::Times(number);
    Some(ScaleSample { along, to })
}

/// Returns whether a word stands for the series: one that always does, or a column of the partition key,
/// also in the plural and without `_id` or `_name` (`sensors` for `sensor_id`).
fn is_series(word: &str, table: &Table) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    let is_named = |column: &String| {
        let column = column.to_lowercase();
        let stem = { column.strip_suffix("_id") }
            .or_else(|| column.strip_suffix("_name"))
            .unwrap_or(&column);
        [word, singular]
            .iter()
            .any(|word| *word == column || *word == stem)
    };
    SERIES.contains(&word) || table.partition_key.iter().any(is_named)
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
         (`5000 sensors`), or a factor (`50 times the sensors`, `10 times the time`). Known are numbers in \
         digits, in words up to twelve and in tens up to ninety, {powers}; of time {units}, {time}; of series \
         {series}"
    )
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    fn table(time: ColumnType) -> Table {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        Table {
            name: "t".to_owned(),
            columns: vec![column("station_id", ColumnType::Text), column("at", time)],
            partition_key: vec!["station_id".to_owned(), "x_of_plant".to_owned()],
            order_key: vec!["at".to_owned()],
        }
    }

    fn read(text: &str) -> (SampleAxis, SampleSize) {
        let read = parse(text, &table(ColumnType::Timestamp)).unwrap();
        (read.along, read.to)
    }

    #[test]
    fn lengths_series_and_factors_are_read() {
        use SampleAxis::{Series, Time};
        for (text, along, to) in [
            (
                "three years",
                Time,
                SampleSize::Milliseconds(94_672_800_000),
            ),
            ("1.5 days", Time, SampleSize::Milliseconds(129_600_000)),
            ("A week", Time, SampleSize::Milliseconds(604_800_000)),
            ("50 times the sensors", Series, SampleSize::Times(50.0)),
            ("10x stations", Series, SampleSize::Times(10.0)),
            ("sensors x50", Series, SampleSize::Times(50.0)),
            ("Time x1.5", Time, SampleSize::Times(1.5)),
            ("5 x_of_plant", Series, SampleSize::Series(5)),
            (
                "ten times as many station_id",
                Series,
                SampleSize::Times(10.0),
            ),
            ("two hundred times the time", Time, SampleSize::Times(200.0)),
            ("5_000 devices", Series, SampleSize::Series(5_000)),
            ("ten thousand series", Series, SampleSize::Series(10_000)),
        ] {
            assert_eq!(read(text), (along, to), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused_with_the_words_that_are() {
        for text in [
            "",
            "big",
            "50",
            "50 times",
            "50 times the moons",
            "three",
            "10x",
            "x years",
            "years x3",
            "sensors x",
            "5 days 2",
        ] {
            let error = parse(text, &table(ColumnType::Timestamp)).unwrap_err();
            for word in ["three years", "station_id", "sensors", "month", "thousand"] {
                assert!(error.contains(word), "{text}: {error}");
            }
        }
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for text in [
            "0 days",
            "-1 days",
            "0.5 times the time",
            "inf years",
            "nan days",
        ] {
            let error = parse(text, &table(ColumnType::Timestamp)).unwrap_err();
            assert!(error.contains("has to be above 0"), "{text}: {error}");
        }
    }

    #[test]
    fn whole_numbers_have_no_length_of_time() {
        let numbers = table(ColumnType::Bigint);
        let error = parse("three years", &numbers).unwrap_err();
        assert!(error.contains("column `at` has whole numbers"), "{error}");
        assert!(parse("3 times the time", &numbers).is_ok());
    }
}

//! Literals of intervals, times and numbers.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit, TimestampMicrosecondType};
use bakeoff_workload::literal::DIGITS_OF_DECIMAL;

use super::tokens::Kind;
use super::units::{Unit, meaning, units};

/// Microseconds of a second.
pub const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Units of intervals that always take as long, in microseconds.
const UNITS: [(&[&str], i64); 7] = [
    (&["microsecond", "microseconds", "us"], 1),
    (&["millisecond", "milliseconds", "ms"], 1_000),
    (&["second", "seconds", "sec", "secs", "s"], SECOND),
    (&["minute", "minutes", "min", "mins", "m"], MINUTE),
    (&["hour", "hours", "h"], HOUR),
    (&["day", "days", "d"], DAY),
    (&["week", "weeks", "w"], 7 * DAY),
];

/// The length of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    /// Microseconds, above 0.
    Micros(i64),
    Months(i64),
}

/// Reads `INTERVAL '10 minutes'`, `INTERVAL '10' MINUTE`, `INTERVAL 10 MINUTE` or `'10 minutes'`.
pub fn interval(sql: &str) -> Option<Interval> {
    let all = units(sql)?;
    let mut words = meaning(&all);
    if words.first()?.is("interval") {
        words.remove(0);
    }
    let mut text = String::new();
    for unit in words {
        match content(unit) {
            Some(content) => text.push_str(content),
            None if unit.is_a(Kind::Number) || unit.is_a(Kind::Word) => text.push_str(&unit.text),
            None => return None,
        }
        text.push(' ');
    }
    read(&text)
}

/// Reads numbers with their units, such as `1 hour 30 minutes`.
fn read(text: &str) -> Option<Interval> {
    let mut parts = text.split_whitespace();
    let (mut micros, mut months) = (0_i64, 0_i64);
    while let Some(part) = parts.next() {
        let digits = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        let (number, behind) = part.split_at(digits);
        let number: i64 = number.parse().ok()?;
        let unit = if behind.is_empty() {
            parts.next()?
        } else {
            behind
        };
        let unit = unit.to_ascii_lowercase();
        match unit.as_str() {
            "month" | "months" => months = months.checked_add(number)?,
            "year" | "years" => months = months.checked_add(number.checked_mul(12)?)?,
            unit => {
                let (_, length) = UNITS.iter().find(|(names, _)| names.contains(&unit))?;
                micros = micros.checked_add(number.checked_mul(*length)?)?;
            }
        }
    }
    match (micros, months) {
        (micros, 0) if micros > 0 => Some(Interval::Micros(micros)),
        (0, months) if months > 0 => Some(Interval::Months(months)),
        _ => None,
    }
}

/// Reads `TIMESTAMP '1970-01-01'` or `'1970-01-01'`, in microseconds since 1970.
pub fn time(sql: &str) -> Option<i64> {
    let all = units(sql)?;
    let mut words = meaning(&all);
    if words.first()?.is_one_of(&["timestamp", "date"]) {
        words.remove(0);
    }
    let [text] = words.as_slice() else {
        return None;
    };
    let text: ArrayRef = Arc::new(StringArray::from(vec![content(text)?]));
    // What cannot be cast becomes null.
    let time = cast(&text, &DataType::Timestamp(TimeUnit::Microsecond, None)).ok()?;
    let times = time.as_primitive_opt::<TimestampMicrosecondType>()?;
    times.iter().next()?
}

/// Writes an exponent behind numbers with a point and more digits than a decimal may have that becomes a double.
pub fn exponents(parts: &mut [Unit]) {
    for part in parts {
        let digits = part.text.bytes().filter(u8::is_ascii_digit).count();
        if part.is_a(Kind::Number)
            && digits > DIGITS_OF_DECIMAL
            && part.text.contains('.')
            && !part.text.contains(['e', 'E'])
        {
            part.text.push_str("e0");
        }
    }
}

/// Returns what is in a plain text.
pub fn content(unit: &Unit) -> Option<&str> {
    let inside = unit.is_a(Kind::Text).then_some(&unit.text)?;
    let inside = inside.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inside.contains('\'')).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_read_in_every_spelling() {
        for (sql, expected) in [
            ("INTERVAL '10 minutes'", Some(Interval::Micros(10 * MINUTE))),
            ("interval '1' HOUR", Some(Interval::Micros(HOUR))),
            ("INTERVAL 2 DAY", Some(Interval::Micros(2 * DAY))),
            ("'1 hour 30 min'", Some(Interval::Micros(90 * MINUTE))),
            ("'5m'", Some(Interval::Micros(5 * MINUTE))),
            ("INTERVAL '1 year 1 month'", Some(Interval::Months(13))),
            ("INTERVAL '1 month 1 day'", None),
            ("INTERVAL '0 days'", None),
            ("INTERVAL '-1 day'", None),
            ("INTERVAL '1 fortnight'", None),
            ("${width}", None),
            ("a + b", None),
            ("", None),
        ] {
            assert_eq!(interval(sql), expected, "{sql}");
        }
    }

    #[test]
    fn times_are_read() {
        for (sql, expected) in [
            ("TIMESTAMP '1970-01-01'", Some(0)),
            ("'1970-01-01T00:00:01.5'", Some(1_500_000)),
            ("timestamp '1969-12-31 23:59:59Z'", Some(-SECOND)),
            ("TIMESTAMP 'tomorrow'", None),
            ("time", None),
        ] {
            assert_eq!(time(sql), expected, "{sql}");
        }
    }
}

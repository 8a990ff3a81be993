//! Amounts that settings of designs have as values: numbers, sizes and durations.

use std::fmt;
use std::ops::RangeInclusive;

/// Sizes of amounts, besides 0, that can be told apart on an axis.
const USABLE: RangeInclusive<f64> = 1e-9..=1e15;

/// Units by their names, with their bytes or seconds: for each kind the largest first, in which amounts are written,
/// then other names. Settings read `KB` as `KiB`.
const UNITS: [(&str, Unit, f64); 13] = [
    ("TiB", Unit::Bytes, 1_099_511_627_776.0),
    ("GiB", Unit::Bytes, 1_073_741_824.0),
    ("MiB", Unit::Bytes, 1_048_576.0),
    ("KiB", Unit::Bytes, 1024.0),
    ("B", Unit::Bytes, 1.0),
    ("d", Unit::Seconds, 86_400.0),
    ("h", Unit::Seconds, 3600.0),
    ("m", Unit::Seconds, 60.0),
    ("s", Unit::Seconds, 1.0),
    ("ms", Unit::Seconds, 1e-3),
    ("KB", Unit::Bytes, 1024.0),
    ("min", Unit::Seconds, 60.0),
    ("w", Unit::Seconds, 604_800.0),
];

/// What an amount counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Number,
    Bytes,
    Seconds,
}

/// Value of a setting that has a place on an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amount {
    pub value: f64,
    pub unit: Unit,
}

impl Amount {
    /// Makes an amount; `None` if it is too large or too small to be meant.
    pub fn new(value: f64, unit: Unit) -> Option<Amount> {
        let is_usable = value == 0.0 || USABLE.contains(&value.abs());
        is_usable.then_some(Amount { value, unit })
    }

    /// Reads the value of a setting, such as `50000`, `16KiB`, `6h` or `1h30m`. Returns `None` for other texts.
    pub fn read(text: &str) -> Option<Amount> {
        let (first, mut rest) = part(text)?;
        let mut value = first.value;
        // Only durations have several parts.
        while !rest.is_empty() {
            let (next, after) = part(rest)?;
            if first.unit != Unit::Seconds || next.unit != Unit::Seconds || next.value < 0.0 {
                return None;
            }
            value += next.value;
            rest = after;
        }
        Amount::new(value, first.unit)
    }
}

/// Reads a number with its unit, and returns what comes after them.
fn part(text: &str) -> Option<(Amount, &str)> {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let end = text.find(|c: char| !is_of_number(c)).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    let is_of_unit = |c: char| c.is_ascii_alphabetic();
    let end = rest.find(|c: char| !is_of_unit(c)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    let (unit, factor) = match name {
        "" => (Unit::Number, 1.0),
        name => {
            let (_, unit, factor) = UNITS.iter().find(|(known, ..)| *known == name)?;
            (*unit, *factor)
        }
    };
    let value = number * factor;
    Some((Amount { value, unit }, after))
}

impl fmt::Display for Amount {
    /// Writes the amount in the largest unit of which it is a whole number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_whole = |(_, unit, factor): &&(&str, Unit, f64)| {
            let number = self.value / factor;
            *unit == self.unit && number != 0.0 && number.fract() == 0.0
        };
        match UNITS.iter().find(is_whole) {
            Some((name, _, factor)) => write!(f, "{}{name}", self.value / factor),
            None => match self.unit {
                Unit::Number => write!(f, "{}", self.value),
                Unit::Bytes => write!(f, "{}B", self.value),
                Unit::Seconds => write!(f, "{}s", self.value),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(f64, Unit)> {
        Amount::read(text).map(|amount| (amount.value, amount.unit))
    }

    #[test]
    fn numbers_sizes_and_durations_are_amounts() {
        for (text, value, unit) in [
            ("50000", 50_000.0, Unit::Number),
            ("-5", -5.0, Unit::Number),
            ("0", 0.0, Unit::Number),
            ("0.1", 0.1, Unit::Number),
            ("16KiB", 16_384.0, Unit::Bytes),
            ("16KB", 16_384.0, Unit::Bytes),
            ("6h", 21_600.0, Unit::Seconds),
            ("1h30m", 5400.0, Unit::Seconds),
            ("7d", 604_800.0, Unit::Seconds),
            ("1w", 604_800.0, Unit::Seconds),
            ("500ms", 0.5, Unit::Seconds),
        ] {
            assert_eq!(read(text), Some((value, unit)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        let huge = "9".repeat(400);
        for text in [
            "",
            "LZ4",
            "on",
            "NaN",
            "inf",
            "-",
            ".",
            "1-2",
            "1e5",
            "16QiB",
            "1h30",
            "1KiB2KiB",
            "2h-1h",
            "5 ",
            "1e-300",
            "0.0000000000000001",
            &huge,
            "1h\u{a0}",
            "１",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn amounts_are_written_in_the_largest_whole_unit() {
        let written = |text: &str| Amount::read(text).map(|amount| amount.to_string());
        for (text, expected) in [
            ("50000", "50000"),
            ("0.5", "0.5"),
            ("16384B", "16KiB"),
            ("2048KiB", "2MiB"),
            ("90m", "90m"),
            ("24h", "1d"),
            ("1w", "7d"),
            ("1500ms", "1500ms"),
            ("0s", "0s"),
            ("0KiB", "0B"),
        ] {
            assert_eq!(written(text).as_deref(), Some(expected), "{text}");
        }
    }
}

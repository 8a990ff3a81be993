//! Widths of ranges of an order column that people would choose: round durations, and powers of ten.

use bakeoff_workload::ColumnType;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Round durations in milliseconds.
const DURATIONS: [(&str, i64); 11] = [
    ("1m", MINUTE),
    ("5m", 5 * MINUTE),
    ("15m", 15 * MINUTE),
    ("1h", HOUR),
    ("6h", 6 * HOUR),
    ("12h", 12 * HOUR),
    ("1d", DAY),
    ("7d", 7 * DAY),
    ("30d", 30 * DAY),
    ("90d", 90 * DAY),
    ("365d", 365 * DAY),
];
/// Highest power of ten as a width of numbers of 32 and of 64 bits.
const MOST_OF_INT: u32 = 9;
const MOST_OF_BIGINT: u32 = 15;

/// A width of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Width {
    /// The width as a setting has it: `6h` or `10000`.
    pub text: String,
    /// The width in units of the column, which are milliseconds for timestamps.
    pub units: i64,
}

/// Returns the largest round width of a column of this type that is at most so many units; `None` if there is none,
/// or such a column is not divided into ranges.
pub fn at_most(kind: ColumnType, units: f64) -> Option<Width> {
    let mut all = widths(kind);
    all.reverse();
    all.into_iter().find(|width| width.units as f64 <= units)
}

/// Returns the smallest round width that is at least so many units, as [`at_most`] does.
pub fn at_least(kind: ColumnType, units: f64) -> Option<Width> {
    let mut all = widths(kind).into_iter();
    all.find(|width| width.units as f64 >= units)
}

/// Writes a length of time in milliseconds as a setting has it, to the minute.
pub fn duration(milliseconds: i64) -> String {
    let minutes = (milliseconds / MINUTE).max(1);
    match minutes {
        m if m % (24 * 60) == 0 => format!("{}d", m / (24 * 60)),
        m if m % 60 == 0 => format!("{}h", m / 60),
        m => format!("{m}m"),
    }
}

/// Lists the round widths of a type, the smallest first.
fn widths(kind: ColumnType) -> Vec<Width> {
    let powers = |most: u32| -> Vec<Width> {
        let width = |power: u32| {
            let units = 10_i64.pow(power);
            Width {
                text: units.to_string(),
                units,
            }
        };
        (1..=most).map(width).collect()
    };
    match kind {
        ColumnType::Timestamp => { DURATIONS.iter() }
            .map(|(text, units)| Width {
                text: (*text).to_owned(),
                units: *units,
            })
            .collect(),
        ColumnType::Int => powers(MOST_OF_INT),
        ColumnType::Bigint => powers(MOST_OF_BIGINT),
        ColumnType::Boolean
        | ColumnType::Float
        | ColumnType::Double
        | ColumnType::Text
        | ColumnType::Uuid
        | ColumnType::Blob => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_round_and_within_the_bound() {
        let text = |width: Option<Width>| width.map(|width| width.text);
        let hours = |hours: f64| hours * HOUR as f64;
        let time = ColumnType::Timestamp;
        assert_eq!(text(at_most(time, hours(7.0))).as_deref(), Some("6h"));
        assert_eq!(text(at_least(time, hours(7.0))).as_deref(), Some("12h"));
        assert_eq!(text(at_most(time, 1.0)), None);
        assert_eq!(text(at_least(time, hours(1e6))), None);
        let number = ColumnType::Bigint;
        assert_eq!(text(at_most(number, 99_999.0)).as_deref(), Some("10000"));
        assert_eq!(text(at_least(number, 99_999.0)).as_deref(), Some("100000"));
        assert_eq!(at_least(ColumnType::Int, 1e12), None);
        assert_eq!(at_most(ColumnType::Text, 1e12), None);
    }

    #[test]
    fn times_are_written_as_settings_have_them() {
        assert_eq!(duration(2 * DAY), "2d");
        assert_eq!(duration(3 * HOUR), "3h");
        assert_eq!(duration(48 * MINUTE + 1), "48m");
        assert_eq!(duration(1), "1m");
    }
}

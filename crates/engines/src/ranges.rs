//! Ranges of the order key that rows are divided by, such as partitions and chunks.

use std::collections::BTreeSet;

use arrow::record_batch::RecordBatch;
use bakeoff_workload::ColumnType;

use crate::integers::integers;

/// The highest number of partitions or chunks. Each is a table with indexes, and a query that needs all
/// of them locks them all.
const MOST: usize = 1_000;
/// The highest number of tables that a suggested width makes, which leaves room for later rows.
const COMFORTABLE: u64 = 500;

const SECOND: u64 = 1_000;
const DAY: u64 = 86_400 * SECOND;
/// The widths that are suggested for timestamps, in milliseconds.
const WIDTHS: [(&str, u64); 16] = [
    ("1s", SECOND),
    ("10s", 10 * SECOND),
    ("1m", 60 * SECOND),
    ("10m", 600 * SECOND),
    ("1h", 3_600 * SECOND),
    ("6h", 6 * 3_600 * SECOND),
    ("12h", 12 * 3_600 * SECOND),
    ("1d", DAY),
    ("7d", 7 * DAY),
    ("14d", 14 * DAY),
    ("30d", 30 * DAY),
    ("90d", 90 * DAY),
    ("365d", 365 * DAY),
    ("3650d", 3_650 * DAY),
    ("36500d", 36_500 * DAY),
    ("365000d", 365_000 * DAY),
];

/// Ranges of equal width, one of which begins at 0 (1970 for timestamps).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranges {
    /// The first column of the order key.
    pub column: String,
    pub kind: ColumnType,
    /// The width in units of the column, which are milliseconds for timestamps.
    pub width: i64,
    /// The setting in a design's id that has the width, such as `width=`.
    pub setting: String,
}

impl Ranges {
    /// Returns the numbers of the ranges that some rows are in.
    ///
    /// # Errors
    /// Fails if there are more ranges than there may be.
    pub fn numbers(&self, rows: &RecordBatch) -> Result<BTreeSet<i64>, String> {
        let Some(values) = rows.column_by_name(&self.column) else {
            return Ok(BTreeSet::new());
        };
        let mut numbers = BTreeSet::new();
        for value in integers(values) {
            numbers.insert(value.div_euclid(self.width));
            self.check(numbers.len())?;
        }
        Ok(numbers)
    }

    /// Checks a number of ranges.
    ///
    /// # Errors
    /// Fails if there are more ranges than there may be.
    pub fn check(&self, number: usize) -> Result<(), String> {
        if number > MOST {
            Err(format!("{}: raise {}", self.too_many(), self.setting))
        } else {
            Ok(())
        }
    }

    fn too_many(&self) -> String {
        format!(
            "the rows need more than {MOST} tables, one for each range of `{}`",
            self.column
        )
    }
}

/// The ranges of rows that come batch by batch, and the least and the greatest value of the rows.
#[derive(Debug, Default)]
pub struct RangeCount {
    numbers: BTreeSet<i64>,
    ends: Option<(i64, i64)>,
}

impl RangeCount {
    pub fn extend(&mut self, ranges: &Ranges, rows: &RecordBatch) {
        let Some(values) = rows.column_by_name(&ranges.column) else {
            return;
        };
        for value in integers(values) {
            let (first, last) = self.ends.unwrap_or((value, value));
            self.ends = Some((first.min(value), last.max(value)));
            // There are too many ranges already, so more need not be counted.
            if self.numbers.len() <= MOST {
                self.numbers.insert(value.div_euclid(ranges.width));
            }
        }
    }

    /// Checks the number of ranges of the rows so far. All rows are `times` as many.
    ///
    /// # Errors
    /// Fails if there are more ranges than there may be, with a setting that would suit if all rows go on
    /// like these.
    pub fn check(&self, ranges: &Ranges, times: f64) -> Result<(), String> {
        let Err(complaint) = ranges.check(self.numbers.len()) else {
            return Ok(());
        };
        let (first, last) = self.ends.unwrap_or_default();
        let span = last.abs_diff(first) as f64 * times.max(1.0);
        let width = suggested(ranges.kind, span as u64 / COMFORTABLE + 1);
        Err(width.map_or(complaint, |width| {
            let (too_many, setting) = (ranges.too_many(), &ranges.setting);
            format!("{too_many}: take {setting}{width}, for example")
        }))
    }
}

/// Returns a round width of at least `least`.
fn suggested(kind: ColumnType, least: u64) -> Option<String> {
    if kind == ColumnType::Timestamp {
        let fitting = WIDTHS.iter().find(|(_, width)| *width >= least);
        return fitting.map(|(name, _)| (*name).to_owned());
    }
    let powers = (0..19).map(|power| 10_u64.pow(power));
    let mut round = powers.flat_map(|power| [1, 2, 5].map(|digit| power.saturating_mul(digit)));
    round.find(|width| *width >= least).map(|w| w.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, TimestampMillisecondArray};

    use super::*;

    fn ranges(kind: ColumnType, width: i64) -> Ranges {
        Ranges {
            column: "t".to_owned(),
            kind,
            width,
            setting: "width=".to_owned(),
        }
    }

    fn rows(values: ArrayRef) -> RecordBatch {
        RecordBatch::try_from_iter([("t", values)]).unwrap()
    }

    #[test]
    fn values_before_zero_have_ranges_of_their_own() {
        let times = TimestampMillisecondArray::from(vec![-1, 0, 9, 10]);
        let numbers = ranges(ColumnType::Timestamp, 10).numbers(&rows(Arc::new(times)));
        assert_eq!(numbers.unwrap(), BTreeSet::from([-1, 0, 1]));
    }

    #[test]
    fn so_many_tables_are_refused_with_what_to_change() {
        let many = Arc::new(Int64Array::from_iter_values(0..2_000));
        let error = ranges(ColumnType::Bigint, 1)
            .numbers(&rows(many))
            .unwrap_err();
        assert!(error.contains("raise width="), "{error}");
    }

    #[test]
    fn a_width_that_would_do_is_suggested() {
        let complaint = |ranges: &Ranges, values: ArrayRef, times| {
            let mut count = RangeCount::default();
            count.extend(ranges, &rows(values));
            count.check(ranges, times)
        };
        // Twelve and a half years of half days.
        let half_day = DAY as i64 / 2;
        let ranges_of_time = ranges(ColumnType::Timestamp, half_day);
        let years = || {
            let times = (0..9_132).map(|n| n * half_day);
            Arc::new(TimestampMillisecondArray::from_iter_values(times))
        };
        let error = complaint(&ranges_of_time, years(), 1.0).unwrap_err();
        assert!(error.ends_with("take width=14d, for example"), "{error}");
        // The first tenth of the rows, in order of time.
        let error = complaint(&ranges_of_time, years(), 10.0).unwrap_err();
        assert!(error.ends_with("take width=365d, for example"), "{error}");
        let numbers = Arc::new(Int64Array::from_iter_values([-1_000_000, 1_000_000]));
        let few = ranges(ColumnType::Bigint, 1);
        assert_eq!(complaint(&few, numbers, 1.0), Ok(()));
        let numbers = Arc::new(Int64Array::from_iter_values(0..2_000));
        let error = complaint(&few, numbers, 1.0).unwrap_err();
        assert!(error.ends_with("take width=5, for example"), "{error}");
        let whole = Arc::new(Int64Array::from_iter_values(
            (0..1_500).map(|n| n * (i64::MAX / 1_500)),
        ));
        let error = complaint(&few, whole, 1e9).unwrap_err();
        assert!(error.contains("take width="), "{error}");
    }
}

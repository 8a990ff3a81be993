//! Columns that repeat a part of the time, such as its year, its month or its hour.

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::{DatePart, cast, date_part, take};
use arrow::datatypes::{DataType, Int32Type, TimestampMillisecondType};
use arrow::error::ArrowError;

use super::sample::Sample;
use super::spread::numbers;
use crate::{ColumnType, Table};

/// Parts of a time, each with a word in the names of columns that have it. Later ones are taken where no earlier one
/// fits.
const PARTS: [(DatePart, &str); 13] = [
    (DatePart::Year, "year"),
    (DatePart::Month, "month"),
    (DatePart::Day, "day"),
    (DatePart::Hour, "hour"),
    (DatePart::Minute, "minute"),
    (DatePart::Second, "second"),
    (DatePart::Quarter, "quarter"),
    (DatePart::DayOfWeekMonday1, "weekday"),
    (DatePart::DayOfWeekSunday0, "weekday"),
    (DatePart::DayOfWeekMonday0, "weekday"),
    (DatePart::DayOfWeekSunday1, "weekday"),
    (DatePart::WeekISO, "week"),
    (DatePart::DayOfYear, "day"),
];
/// Distance of the time zones that are looked at, and the one that is farthest from UTC.
const ZONE_MILLISECONDS: i64 = 15 * 60_000;
const MOST_ZONES: i64 = 14 * 4;
/// Rows that are looked at before all are.
const FEW_ROWS: usize = 64;

/// A part of the time, in a time zone that is always as far from UTC.
pub struct Calendar {
    /// Number of the column of the time.
    pub time: usize,
    part: DatePart,
    kind: ColumnType,
    /// Milliseconds by which the time zone is ahead of UTC.
    ahead: i64,
}

impl Calendar {
    /// Finds the part of the time that a column repeats in all rows. A column of a single value, or of another one in
    /// each row as an id is, is one only if that is the year, or if its name says which part it is.
    pub fn find(sample: &Sample, table: &Table, index: usize, is_id: bool) -> Option<Calendar> {
        let column = &table.columns[index];
        let time = table.time_column()?;
        let is_number = matches!(column.kind, ColumnType::Int | ColumnType::Bigint);
        if !is_number || table.columns[time].kind != ColumnType::Timestamp {
            return None;
        }
        let times = sample.rows.column(time);
        // What does not fit becomes null.
        let numbers = cast(sample.rows.column(index), &DataType::Int32).ok()?;
        if numbers.is_empty() || numbers.null_count() > 0 || times.null_count() > 0 {
            return None;
        }
        let few = (0..FEW_ROWS).map(|row| (row * (numbers.len() - 1) / (FEW_ROWS - 1)) as u32);
        let few = UInt32Array::from_iter_values(few);
        let few_times = take(times.as_ref(), &few, None).ok()?;
        let few_numbers = take(numbers.as_ref(), &few, None).ok()?;
        let cells = numbers.as_primitive::<Int32Type>().values();
        let is_constant = cells.windows(2).all(|pair| pair[0] == pair[1]);
        let needs_name = is_id || is_constant;
        let name = column.name.to_ascii_lowercase();
        let parts = { PARTS.into_iter() }
            .filter(|(part, word)| !needs_name || *part == DatePart::Year || name.contains(word))
            .map(|(part, _)| part);
        // The nearest time zones first.
        let zones = || (0..=MOST_ZONES).flat_map(|zone| [zone, -zone]);
        let mut found = parts.flat_map(|part| zones().map(move |zone| (part, zone)));
        let (part, zone) = found.find(|(part, zone)| {
            let ahead = zone * ZONE_MILLISECONDS;
            is_part(&few_times, *part, ahead, &few_numbers)
                && is_part(times, *part, ahead, &numbers)
        })?;
        Some(Calendar {
            time,
            part,
            kind: column.kind,
            ahead: zone * ZONE_MILLISECONDS,
        })
    }

    /// Returns the column for rows of these times.
    pub fn apply(&self, times: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let part = part_of(times, self.part, self.ahead)?;
        match self.kind {
            ColumnType::Bigint => cast(&part, &DataType::Int64),
            _ => Ok(part),
        }
    }
}

fn is_part(times: &ArrayRef, part: DatePart, ahead: i64, numbers: &ArrayRef) -> bool {
    part_of(times, part, ahead).is_ok_and(|found| found.as_ref() == numbers.as_ref())
}

fn part_of(times: &ArrayRef, part: DatePart, ahead: i64) -> Result<ArrayRef, ArrowError> {
    let local = numbers::<TimestampMillisecondType>(times, |_, time| time.saturating_add(ahead));
    date_part(local.as_ref(), part)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int32Array, Int64Array, TimestampMillisecondArray};
    use arrow::record_batch::RecordBatch;

    use super::*;
    use crate::Column;

    const HOUR: i64 = 3_600_000;
    /// The hours from 2026-01-30T00:00:00Z on.
    const FIRST: i64 = 1_769_731_200_000;

    fn found(name: &str, kind: ColumnType, cells: ArrayRef) -> Option<Calendar> {
        found_with(name, kind, cells, false)
    }

    fn found_with(name: &str, kind: ColumnType, cells: ArrayRef, is_id: bool) -> Option<Calendar> {
        let rows = cells.len();
        let columns = [("time", ColumnType::Timestamp), (name, kind)];
        let table = Table {
            name: "t".to_owned(),
            columns: columns
                .map(|(name, kind)| Column {
                    name: name.to_owned(),
                    kind,
                })
                .to_vec(),
            partition_key: Vec::new(),
            order_key: vec!["time".to_owned()],
        };
        let times = (0..rows as i64).map(|hour| FIRST + hour * HOUR);
        let times: ArrayRef = Arc::new(TimestampMillisecondArray::from_iter_values(times));
        let sample = Sample {
            rows: RecordBatch::try_from_iter([("time", times), ("number", cells)]).unwrap(),
            places: (0..rows as u32).collect(),
            series: vec![0; rows],
            starts: vec![0, rows as u32],
            times: None,
        };
        Calendar::find(&sample, &table, 1, is_id)
    }

    fn whole(cells: impl Iterator<Item = i32>) -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(cells))
    }

    #[test]
    fn parts_of_the_time_go_on_with_it_in_their_time_zone() {
        // Five hours behind UTC it is still the 29th of January.
        let day = |hour: i32| match (hour - 5).div_euclid(24) {
            day @ -1..=1 => 30 + day,
            day => day - 1,
        };
        let days = found("day", ColumnType::Int, whole((0..120).map(day))).unwrap();
        let hours = (0..120).map(|hour| i64::from((hour - 5_i32).rem_euclid(24)));
        let hours: ArrayRef = Arc::new(Int64Array::from_iter_values(hours));
        let hours = found("h", ColumnType::Bigint, hours).unwrap();
        let months = whole((0..120).map(|hour| if hour < 53 { 1 } else { 2 }));
        let months = found("m", ColumnType::Int, months).unwrap();
        // 2026-03-01T04:00:00Z and an hour later.
        let times = [1_772_337_600_000, 1_772_341_200_000];
        let times: ArrayRef = Arc::new(TimestampMillisecondArray::from(times.to_vec()));
        assert_eq!(&days.apply(&times).unwrap(), &whole([28, 1].into_iter()));
        assert_eq!(&months.apply(&times).unwrap(), &whole([2, 3].into_iter()));
        let expected: ArrayRef = Arc::new(Int64Array::from(vec![23, 0]));
        assert_eq!(&hours.apply(&times).unwrap(), &expected);
    }

    #[test]
    fn one_value_is_a_part_of_the_time_only_if_it_is_the_year_or_named_so() {
        let constant = |name: &str, value: i32| {
            let cells = whole((0..20).map(|_| value));
            found(name, ColumnType::Int, cells).is_some()
        };
        assert!(constant("y", 2026) && constant("month", 1) && constant("minute", 0));
        assert!(!constant("state", 1) && !constant("state", 0) && !constant("year", 2027));
    }

    #[test]
    fn ids_are_a_part_of_the_time_only_if_they_are_named_so() {
        let ids = |name: &str| found_with(name, ColumnType::Int, whole(0..20), true).is_some();
        assert!(ids("hour") && !ids("id"));
    }

    #[test]
    fn other_numbers_and_nulls_are_no_part() {
        let cells = whole((0..48).map(|hour| hour % 24 * 2));
        assert!(found("hour", ColumnType::Int, cells).is_none());
        let nulls: ArrayRef = Arc::new(Int32Array::from(vec![Some(0), None, Some(2)]));
        assert!(found("hour", ColumnType::Int, nulls).is_none());
        let large: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX, 1, 2]));
        assert!(found("hour", ColumnType::Bigint, large).is_none());
    }
}

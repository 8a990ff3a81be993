use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray, TimestampMillisecondArray, UInt32Array};
use arrow::compute::take;
use arrow::record_batch::RecordBatch;

use super::super::Scaled;
use super::super::tests::{counts, grow, read, sensors, table, texts, whole};
use crate::{ColumnType, Result, RowSource, SampleSize, ScaleSample};

const HOUR: i64 = 3_600_000;

/// Four sensors of three days, as they grow along both axes.
fn grown(series: SampleSize, time: SampleSize) -> Result<Scaled> {
    let (table, columns) = sensors(4, 72);
    let (series, time) = (Some(series), Some(time));
    grow(&table, columns, ScaleSample { series, time }, 1)
}

/// The cells of a column of whole numbers by the name of their sensor, in the order of the rows.
fn by_name(rows: &RecordBatch, column: usize) -> HashMap<String, Vec<i64>> {
    let mut cells: HashMap<String, Vec<i64>> = HashMap::new();
    for (name, cell) in texts(rows, 0).into_iter().zip(whole(rows, column)) {
        cells.entry(name).or_default().push(cell);
    }
    cells
}

#[test]
fn all_series_go_on_in_time_and_the_further_ones_too() {
    let six_days = SampleSize::Milliseconds(144 * HOUR as u64);
    let source = grown(SampleSize::Series(20), six_days).unwrap();
    let rows = read(&source, 0, 100);
    let (table, columns) = sensors(4, 72);
    let sample = RecordBatch::try_new(table.schema(), columns).unwrap();
    assert_eq!(source.known_rows(), Some(20 * 144));
    assert_eq!(rows.num_rows(), 20 * 144);
    assert_eq!(rows.slice(0, sample.num_rows()), sample);
    assert_eq!(source.in_order_of_time_beyond(), Some(20 * 72));

    let times = by_name(&rows, 2);
    assert_eq!(times.len(), 20);
    assert!(times.contains_key("s-19"), "{:?}", times.keys());
    let hours: Vec<i64> = (0..144).map(|hour| hour * HOUR).collect();
    assert!(times.values().all(|times| *times == hours));

    let meters = by_name(&rows, 5);
    for (name, meter) in &meters {
        assert!(meter.is_sorted(), "the meter of {name} runs backwards");
        let of_sample = meter[71] - meter[0];
        assert!(2 * (meter[143] - meter[0]) > 3 * of_sample, "{name}");
    }
    let first: HashSet<i64> = meters.values().map(|meter| meter[0]).collect();
    assert!(first.len() > 4, "further series begin elsewhere: {first:?}");

    let ids: HashSet<i64> = whole(&rows, 6).into_iter().collect();
    assert_eq!(ids.len(), rows.num_rows(), "ids go on");
    let (kinds, mut kinds_of) = (texts(&rows, 1), HashMap::new());
    assert_eq!(counts(&kinds)["wind"], rows.num_rows() / 2);
    for (name, kind) in texts(&rows, 0).into_iter().zip(kinds) {
        let known = kinds_of.entry(name).or_insert_with(|| kind.clone());
        assert_eq!(*known, kind, "what a series has stays with it in time");
    }
    let nulls = |rows: &RecordBatch| rows.column(3).null_count();
    assert_eq!(nulls(&rows), 10 * nulls(&sample));
    let copies: Vec<RecordBatch> = (0..10).map(|copy| rows.slice(copy * 288, 288)).collect();
    for (number, copy) in copies.iter().enumerate() {
        let is_like = |other: &RecordBatch| other.column(3) == copy.column(3);
        assert!(!copies[..number].iter().any(is_like), "copy {number}");
    }
}

#[test]
fn parts_of_copies_multiply_and_a_row_is_the_same_wherever_reading_begins() {
    let by = SampleSize::Times;
    let source = grown(by(2.5), by(1.5)).unwrap();
    assert_eq!(source.known_rows(), Some(1_080));
    let all = read(&source, 0, 64);
    assert_eq!(all.num_rows(), 1_080);
    for (from, batch_rows) in [(1, 7), (287, 300), (719, 2), (720, 100), (863, 5)] {
        let rest = all.slice(from, all.num_rows() - from);
        assert_eq!(read(&source, from as u64, batch_rows), rest, "from {from}");
    }
    let times = by_name(&all, 2);
    let keys: HashSet<(&String, &i64)> = { times.iter() }
        .flat_map(|(name, times)| times.iter().map(move |time| (name, time)))
        .collect();
    assert_eq!(keys.len(), 1_080, "no key comes twice");
    let hours: Vec<i64> = (0..108).map(|hour| hour * HOUR).collect();
    assert_eq!(times.len(), 10, "two and a half times four series");
    assert!(times.values().all(|times| *times == hours), "{times:?}");
}

#[test]
fn all_series_of_a_file_that_has_them_one_after_the_other_go_on_for_the_same_time() {
    let (table, columns) = sensors(4, 72);
    let order = UInt32Array::from_iter_values((0..288).map(|row| row % 72 * 4 + row / 72));
    let columns: Vec<ArrayRef> = { columns.iter() }
        .map(|column| take(column.as_ref(), &order, None).unwrap())
        .collect();
    let time = Some(SampleSize::Times(1.5));
    let hours: Vec<i64> = (0..108).map(|hour| hour * HOUR).collect();
    for (series, names) in [(None, 4), (Some(SampleSize::Series(20)), 20)] {
        let scaled = ScaleSample { series, time };
        let source = grow(&table, columns.clone(), scaled, 1).unwrap();
        let times = by_name(&read(&source, 0, 100), 2);
        assert_eq!(times.len(), names);
        assert!(times.values().all(|times| *times == hours), "{times:?}");
    }
}

#[test]
fn an_axis_that_does_not_grow_leaves_the_table_to_the_other_one() {
    let (table, columns) = sensors(4, 72);
    let to = SampleSize::Times(3.0);
    let same = SampleSize::Times(1.0);
    let along = |series, time| {
        let scaled = ScaleSample { series, time };
        read(&grow(&table, columns.clone(), scaled, 1).unwrap(), 0, 100)
    };
    let times_and_meters = |rows: &RecordBatch| (by_name(rows, 2), by_name(rows, 5));
    for (alone, both) in [
        (along(None, Some(to)), along(Some(same), Some(to))),
        (along(Some(to), None), along(Some(to), Some(same))),
    ] {
        assert_eq!(times_and_meters(&alone), times_and_meters(&both));
        assert_eq!(alone.column(3), both.column(3));
    }
}

#[test]
fn rows_whose_only_key_is_new_in_each_one_grow_along_one_axis_only() {
    let table = table(
        &[("id", ColumnType::Text), ("at", ColumnType::Timestamp)],
        &["id"],
        &[],
    );
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["b-1", "b-0", "b-2"]));
    let times: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1, 2, 3]));
    let twice = Some(SampleSize::Times(2.0));
    let grown = |series, time| {
        let columns = vec![ids.clone(), times.clone()];
        grow(&table, columns, ScaleSample { series, time }, 1)
    };
    let error = grown(twice, twice).err().unwrap().to_string();
    assert!(
        error.contains("column `id` would change with both"),
        "{error}"
    );
    assert!(grown(twice, None).is_ok() && grown(None, twice).is_ok());
}

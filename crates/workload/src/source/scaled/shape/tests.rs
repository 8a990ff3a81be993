use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, TimestampMillisecondArray, UInt32Array};
use arrow::compute::take;
use arrow::record_batch::RecordBatch;

use super::super::tests::{counts, grow, read, sensors, table, texts, whole};
use super::*;
use crate::RowSource;
use crate::source::GrownPartitions;

const HOUR: i64 = 3_600_000;

#[test]
fn rows_of_both_axes_are_their_product_and_each_one_is_another() {
    for (along_series, along_time, rows) in [
        (288, 288, 288),
        (288, 432, 432),
        (1_440, 288, 1_440),
        (1_440, 576, 2_880),
        (1_440, 432, 2_160),
        // Two and a half times the series, and one and a half times the time.
        (720, 432, 1_080),
        (289, 289, 291),
    ] {
        let shape = Shape::new(288, along_series, along_time);
        let case = format!("{along_series} by {along_time}");
        assert_eq!(shape.rows(), rows, "{case}");
        let growth = shape.growth();
        assert_eq!(growth.series, along_series as f64 / 288.0, "{case}");
        assert_eq!(growth.time, along_time as f64 / 288.0, "{case}");
        let shape = &shape;
        let places = |counted| (0..rows).map(move |row| shape.place(row, counted));
        assert!((0..288).all(|row| shape.place(row, Counted::All) == (0, row)));
        assert!(places(Counted::All).all(|(_, of_sample)| of_sample < 288));
        assert_eq!(
            places(Counted::All).collect::<HashSet<_>>().len() as u64,
            rows,
            "{case}"
        );
        for counted in Counted::EACH {
            let most = places(counted).map(|(copy, _)| copy).max();
            assert_eq!(most, Some(shape.copies(counted)), "{case}");
        }
        assert!(places(Counted::Time).is_sorted_by_key(|(time, _)| time));
    }
}

#[test]
fn growth_beyond_all_numbers_stays_a_number() {
    let shape = Shape::new(2, u64::MAX, u64::MAX);
    assert_eq!(shape.rows(), u64::MAX);
    assert_eq!(shape.copies(Counted::All), u64::MAX);
    assert_eq!(shape.place(3, Counted::All), (1, 1));
}

#[test]
fn the_last_copy_has_the_rows_of_the_first_series_and_in_the_last_period_the_earliest_of_them() {
    let mut shape = Shape::new(4, 6, 6);
    shape.earliest = vec![0, 1];
    let shape = shape.with_first_series(vec![0, 2]);
    assert_eq!(shape.rows(), 9);
    let places: Vec<(u64, u64)> = (0..9).map(|row| shape.place(row, Counted::All)).collect();
    assert_eq!(places[..4], [(0, 0), (0, 1), (0, 2), (0, 3)]);
    assert_eq!(places[4..6], [(1, 0), (1, 2)]);
    assert_eq!(places[6..], [(2, 0), (2, 1), (3, 0)]);
}

#[test]
fn a_sample_says_how_long_all_rows_are_and_which_of_its_partitions_stay_in_time() {
    let (table, columns) = sensors(4, 72);
    let scaled = ScaleSample {
        series: Some(SampleSize::Series(10)),
        time: Some(SampleSize::Times(2.0)),
    };
    let source = grow(&table, columns.clone(), scaled, 1).unwrap();
    let sample = source.grown_from().unwrap();
    assert_eq!((sample.rows, sample.length), (288, Some(144 * HOUR)));
    let partitions = GrownPartitions {
        number: 4,
        largest: 72,
    };
    assert_eq!(sample.partitions, Some(partitions));
    // With a time in the key later rows are in further partitions.
    let mut by_time = table;
    by_time.partition_key.push("time".to_owned());
    by_time.order_key.clear();
    let scaled = ScaleSample::along(SampleAxis::Time, SampleSize::Times(2.0));
    let source = grow(&by_time, columns, scaled, 1).unwrap();
    assert_eq!(source.grown_from().unwrap().partitions, None);
}

#[test]
fn how_long_all_rows_are_does_not_follow_from_their_number() {
    let table = table(
        &[
            ("sensor", ColumnType::Text),
            ("time", ColumnType::Timestamp),
        ],
        &["sensor"],
        &["time"],
    );
    // Few rows, and then one each hour: seventeen hours in all.
    let hours = [0, 4, 8, 12, 13, 14, 15, 16];
    let names: ArrayRef = Arc::new(StringArray::from(vec!["s"; hours.len()]));
    let times = TimestampMillisecondArray::from_iter_values(hours.map(|hour| hour * HOUR));
    for (to, rows, length) in [
        (SampleSize::Times(1.0), 8, 17),
        // The next row would be at the twelfth hour.
        (SampleSize::Milliseconds(27 * HOUR as u64), 11, 29),
        (SampleSize::Rows(11), 11, 29),
        (SampleSize::Times(3.0), 24, 51),
    ] {
        let scaled = ScaleSample::along(SampleAxis::Time, to);
        let columns = vec![names.clone(), Arc::new(times.clone()) as ArrayRef];
        let source = grow(&table, columns, scaled, 1).unwrap();
        let sample = source.grown_from().unwrap();
        assert_eq!(source.known_rows(), Some(rows), "{to:?}");
        assert_eq!(sample.growth.time, rows as f64 / 8.0, "{to:?}");
        assert_eq!(sample.length, Some(length * HOUR), "{to:?}");
    }
}

/// Returns the hours of each series, in the order of the rows.
fn hours(rows: &RecordBatch) -> Vec<(String, Vec<i64>)> {
    let (names, times) = (texts(rows, 0), whole(rows, 2));
    let hours_of = |name: &&str| {
        let own = names.iter().zip(&times).filter(|(own, _)| own == name);
        own.map(|(_, time)| time / HOUR).collect::<Vec<i64>>()
    };
    let of_name = counts(&names).into_keys();
    of_name
        .map(|name| (name.to_owned(), hours_of(&name)))
        .collect()
}

#[test]
fn there_are_as_many_series_as_asked_for_and_all_of_them_have_all_rows() {
    let (table, in_turn) = sensors(4, 72);
    // The same series one after the other.
    let order = UInt32Array::from_iter_values((0..288).map(|row| row % 72 * 4 + row / 72));
    let by_series = { in_turn.iter() }.map(|column| take(column.as_ref(), &order, None).unwrap());
    let by_series: Vec<ArrayRef> = by_series.collect();
    for (columns, has_ids) in [(in_turn, true), (by_series, false)] {
        for (to, series) in [
            (SampleSize::Series(10), 10_u64),
            (SampleSize::Series(5), 5),
            (SampleSize::Times(2.5), 10),
            (SampleSize::Times(1.7), 7),
        ] {
            for (time, of_each) in [
                (None, 72_u64),
                (Some(SampleSize::Times(1.5)), 108),
                (Some(SampleSize::Times(2.0)), 144),
            ] {
                let case = format!("{to:?}, {time:?}");
                let scaled = ScaleSample {
                    series: Some(to),
                    time,
                };
                let source = grow(&table, columns.clone(), scaled, 1).unwrap();
                assert_eq!(source.known_rows(), Some(series * of_each), "{case}");
                let growth = source.grown_from().unwrap().growth;
                assert_eq!(growth.series, series as f64 / 4.0, "{case}");
                let rows = read(&source, 0, 100);
                let found = hours(&rows);
                assert_eq!(found.len() as u64, series, "{case}");
                let all: Vec<i64> = (0..of_each as i64).collect();
                for (name, hours) in &found {
                    assert_eq!(*hours, all, "{case}: {name}");
                }
                let ids: HashSet<i64> = whole(&rows, 6).into_iter().collect();
                assert!(
                    !has_ids || ids.len() == rows.num_rows(),
                    "{case}: ids go on"
                );
                for from in [287, 290, 359] {
                    let rest = rows.slice(from, rows.num_rows() - from);
                    assert_eq!(read(&source, from as u64, 50), rest, "{case} from {from}");
                }
            }
        }
    }
}

#[test]
fn the_series_that_come_first_in_the_file_are_those_of_the_last_copy() {
    let table = table(
        &[
            ("sensor", ColumnType::Text),
            ("time", ColumnType::Timestamp),
        ],
        &["sensor"],
        &["time"],
    );
    let names: ArrayRef = Arc::new(StringArray::from(vec!["s-2", "s-1", "s-2", "s-2", "s-3"]));
    let times = TimestampMillisecondArray::from(vec![0, 0, 1, 2, 0]);
    let to = |series| {
        let scaled = ScaleSample {
            series: Some(SampleSize::Series(series)),
            time: None,
        };
        let columns = vec![names.clone(), Arc::new(times.clone()) as ArrayRef];
        let rows = read(&grow(&table, columns, scaled, 1).unwrap(), 0, 100);
        let names = texts(&rows, 0);
        let mut counts: Vec<usize> = counts(&names).into_values().collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(to(3), [1, 1, 3]);
    assert_eq!(to(4), [1, 1, 3, 3]);
    assert_eq!(to(5), [1, 1, 1, 3, 3]);
    assert_eq!(to(7), [1, 1, 1, 1, 3, 3, 3]);
}

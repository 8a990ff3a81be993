use std::sync::Arc;

use arrow::array::{Int64Array, StringArray};
use bakeoff_workload::Column;

use super::*;

fn table() -> Table {
    let column = |(name, kind): (&str, ColumnType)| Column {
        name: name.to_owned(),
        kind,
    };
    let columns = [
        ("series", ColumnType::Text),
        ("number", ColumnType::Bigint),
        ("tag", ColumnType::Text),
        ("note", ColumnType::Text),
    ];
    Table {
        name: "readings".to_owned(),
        columns: columns.into_iter().map(column).collect(),
        partition_key: vec!["series".to_owned()],
        order_key: vec!["number".to_owned()],
    }
}

/// Rows of these series and numbers; the tag is that of the series, and each note is another one.
fn rows(rows: &[(&str, i64)]) -> Rows {
    let texts = |text: &dyn Fn(&(&str, i64)) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(text)))
    };
    let numbers = Int64Array::from_iter_values(rows.iter().map(|(_, number)| *number));
    let columns = vec![
        texts(&|(series, _)| (*series).to_owned()),
        Arc::new(numbers) as ArrayRef,
        texts(&|(series, _)| format!("tag of {series}")),
        texts(&|(_, number)| format!("{number:04}")),
    ];
    let batch = RecordBatch::try_new(table().schema(), columns).unwrap();
    // Partitions go on in the next batch.
    let middle = batch.num_rows() / 2;
    let parts = [
        batch.slice(0, middle),
        batch.slice(middle, batch.num_rows() - middle),
    ];
    seen(&table(), &parts).unwrap().unwrap()
}

#[test]
fn series_that_take_turns_go_on() {
    let taking_turns: Vec<(&str, i64)> = (0..20)
        .flat_map(|n| [("a", n * 10), ("b", n * 10)])
        .collect();
    let rows = rows(&taking_turns);
    assert_eq!(
        (rows.read, rows.partitions, rows.largest_partition),
        (40, 2, 20)
    );
    assert!(rows.has_all_partitions && !rows.partitions_end);
    assert_eq!((rows.step, rows.span), (Some(10.0), Some(190.0)));
    assert_eq!((rows.in_order, rows.begin_in_order), (1.0, 1.0));
    assert_eq!(rows.tags, ["tag"]);
    // A letter, a number of 64 bits, "tag of a" and four digits.
    assert_eq!((rows.row_bytes, rows.key_bytes), (21.0, 9.0));
}

#[test]
fn partitions_that_follow_each_other_in_time_end() {
    let months: Vec<(&str, i64)> = { (0..10).map(|n| ("january", n)) }
        .chain((10..30).map(|n| ("february", n)))
        .collect();
    let months = rows(&months);
    assert!(months.partitions_end);
    assert_eq!(months.largest_partition, 20);
    // Sorted by series, each begins with the first time again.
    let sorted: Vec<(&str, i64)> = { (0..10).map(|n| ("a", n)) }
        .chain((0..10).map(|n| ("b", n)))
        .collect();
    let sorted = rows(&sorted);
    assert!(!sorted.partitions_end && !sorted.has_all_partitions);
    assert_eq!(sorted.in_order, 0.95);
}

#[test]
fn partitions_one_after_the_other_are_not_all_that_there_are() {
    // The second one begins before the middle, and is the last one that was read.
    let sorted: Vec<(&str, i64)> = { (0..8).map(|n| ("a", n)) }
        .chain((0..12).map(|n| ("b", n)))
        .collect();
    assert!(!rows(&sorted).has_all_partitions);
    let one: Vec<(&str, i64)> = (0..8).map(|n| ("a", n)).collect();
    assert!(!rows(&one).has_all_partitions);
}

#[test]
fn partitions_of_a_row_each_have_no_tags() {
    let single = rows(&[("a", 1), ("b", 2), ("c", 3)]);
    assert_eq!(single.largest_partition, 1);
    assert!(single.tags.is_empty());
}

#[test]
fn nothing_is_seen_without_rows() {
    assert_eq!(seen(&table(), &[]).unwrap(), None);
}

#[test]
fn series_one_after_the_other_do_not_begin_in_order() {
    // Almost all rows come in order, and each series at another part of the same time.
    let begins = [("a", 300), ("b", 100), ("c", 700), ("d", 0), ("e", 500)];
    let sorted: Vec<(&str, i64)> = { begins.into_iter() }
        .flat_map(|(series, begin)| (0..100).map(move |n| (series, begin + n)))
        .collect();
    let sorted = rows(&sorted);
    assert_eq!((sorted.in_order, sorted.begin_in_order), (0.996, 0.5));
    // Each key begins after the one before.
    let coming: Vec<(&str, i64)> = { ["a", "b", "c"].into_iter().zip([0, 10, 20]) }
        .flat_map(|(series, begin)| (0..15).map(move |n| (series, begin + n)))
        .collect();
    assert_eq!(rows(&coming).begin_in_order, 1.0);
}

use std::sync::Arc;

use arrow::array::{Int32Array, StringArray};
use arrow::datatypes::SchemaRef;

use super::super::{RowBatch, RowBatches, sensor};
use super::*;
use crate::{Column, ColumnType};

/// Rows (p, o, v) of a file, whose keys repeat.
struct File(Vec<(&'static str, i32, &'static str)>);

fn file_table() -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Table {
        name: "t".to_owned(),
        columns: vec![
            column("o", ColumnType::Int),
            column("p", ColumnType::Text),
            column("v", ColumnType::Text),
        ],
        partition_key: vec!["p".to_owned()],
        order_key: vec!["o".to_owned()],
    }
}

impl RowSource for File {
    fn schema(&self) -> SchemaRef {
        file_table().schema()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, _: u64, _: usize) -> Result<RowBatches> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from_iter_values(self.0.iter().map(|r| r.1))),
            Arc::new(StringArray::from_iter_values(self.0.iter().map(|r| r.0))),
            Arc::new(StringArray::from_iter_values(self.0.iter().map(|r| r.2))),
        ];
        let rows = RecordBatch::try_new(self.schema(), columns).unwrap();
        Ok(Box::new(std::iter::once(Ok(RowBatch {
            first_row: 0,
            rows,
        }))))
    }

    fn may_repeat_keys(&self) -> bool {
        true
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn rows_are_found_by_key_and_the_last_one_counts() {
    let file = File(vec![
        ("a", 2, "one"),
        ("b", 1, "two"),
        ("a", 1, "three"),
        ("a", 2, "four"),
    ]);
    let pool = RowPool::read(&file, &file_table(), 100, 1 << 20).unwrap();
    assert_eq!(pool.rows(), Some(4));
    assert_eq!(pool.row_of(&[text("a"), Value::Int(2)]), Some(3));
    assert_eq!(pool.row_of(&[text("a"), Value::Int(3)]), None);
    assert_eq!(pool.value(2, 0, Version::First), text("four"));
    assert_eq!(pool.value(2, 1, Version::First), text("two"));
    assert_eq!(pool.value(2, 1, Version::Second), text("three"));
    assert_eq!(pool.value(1, 1, Version::Second), text("b"));
    assert_eq!(pool.value(2, 3, Version::Second), text("one"));
    assert_eq!(pool.next_in_partition(2), Some(3));
    assert_eq!(pool.next_in_partition(0), None);
    assert_eq!(pool.next_in_partition(1), None);
    assert_eq!(pool.value(2, 99, Version::First), Value::Null);
}

#[test]
fn an_endless_source_is_cut_at_the_limits() {
    let source = sensor::Sensor::new(1, 3);
    let rows = |most_rows, limit_bytes| {
        RowPool::read(&source, &sensor::table(), most_rows, limit_bytes)
            .unwrap()
            .rows()
    };
    assert_eq!(rows(10_000, 64 << 20), Some(10_000));
    let limited = rows(u64::MAX, 1 << 20).unwrap();
    // 100 bytes a row, in batches of 8,192.
    assert_eq!(limited, 8192);
    assert!(rows(u64::MAX, 1) > Some(0));
}

#[test]
fn partitions_of_a_generator_are_in_order() {
    let pool = RowPool::read(&sensor::Sensor::new(1, 3), &sensor::table(), 9, 1 << 20).unwrap();
    assert_eq!(pool.next_in_partition(1), Some(4));
    assert_eq!(pool.next_in_partition(7), None);
    let key = [
        pool.value(0, 5, Version::First),
        pool.value(1, 5, Version::First),
    ];
    assert_eq!(pool.row_of(&key), Some(5));
}

#[test]
fn the_last_row_of_a_key_is_known_unless_rows_overtake_each_other() {
    let file = File(vec![
        ("a", 1, "x"),
        ("a", 1, "y"),
        ("b", 1, "z"),
        ("a", 1, "w"),
    ]);
    let pool = RowPool::read(&file, &file_table(), 4, 1 << 20).unwrap();
    assert_eq!([0, 1, 2, 3].map(|row| pool.kept(row)), [3, 3, 2, 3]);
    assert_eq!(pool.overwritten, HashMap::from([(0, 3), (1, 3)]));
    assert!(!pool.keys_repeat(4, true));
    assert!(pool.keys_repeat(4, false), "not in order");
    assert!(pool.keys_repeat(2, true), "row 3 is not loaded");

    let unique = File(vec![("a", 1, "x"), ("a", 2, "y")]);
    let pool = RowPool::read(&unique, &file_table(), 2, 1 << 20).unwrap();
    assert!(!pool.keys_repeat(2, false));
}

#[test]
fn neighbours_are_those_of_the_rows_that_are_read() {
    let file = File(vec![
        ("a", 3, "x"),
        ("a", 1, "y"),
        ("a", 2, "z"),
        ("a", 3, "w"),
    ]);
    let neighbours = |rows| {
        let pool = RowPool::read(&file, &file_table(), rows, 1 << 20).unwrap();
        (pool.next_in_partition(1), pool.previous_in_partition(0))
    };
    assert_eq!(neighbours(4), (Some(2), Some(2)));
    assert_eq!(neighbours(2), (Some(0), Some(1)));
}

#[test]
fn numbers_that_are_none_are_one_key() {
    let nan = [Value::Double(f64::NAN)];
    assert!(is_same(&nan, &nan));
    assert!(!is_same(&[Value::Double(0.0)], &[Value::Double(-0.0)]));
    assert!(!is_same(&nan, &[]));
}

#[test]
fn no_rows_are_an_error() {
    let error = RowPool::read(&File(Vec::new()), &file_table(), 9, 1 << 20).err();
    assert_eq!(
        error.map(|e| e.to_string()).as_deref(),
        Some("the data of table t have no rows to read or write")
    );
}

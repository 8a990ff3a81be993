//! Tests of the search for repeated keys.

use std::sync::Arc;

use arrow::array::{Int32Array, StringArray};

use super::*;
use crate::source::RowBatches;
use crate::{Column, ColumnType};

struct Rows(RecordBatch);

impl RowSource for Rows {
    fn schema(&self) -> arrow::datatypes::SchemaRef {
        self.0.schema()
    }
    fn known_rows(&self) -> Option<u64> {
        None
    }
    fn read(&self, from: u64, _: usize) -> Result<RowBatches> {
        let rows = self
            .0
            .slice(from as usize, self.0.num_rows() - from as usize);
        Ok(Box::new(std::iter::once(Ok(RowBatch {
            first_row: from,
            rows,
        }))))
    }
    fn may_repeat_keys(&self) -> bool {
        true
    }
}

fn table() -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Table {
        name: "t".into(),
        columns: vec![
            column("value", ColumnType::Int),
            column("a", ColumnType::Text),
            column("b", ColumnType::Text),
        ],
        partition_key: vec!["a".into()],
        order_key: vec!["b".into()],
    }
}

fn source(keys: &[(&str, &str)]) -> Rows {
    let values = Int32Array::from_iter_values(0..keys.len() as i32);
    let a = StringArray::from_iter_values(keys.iter().map(|(a, _)| a));
    let b = StringArray::from_iter_values(keys.iter().map(|(_, b)| b));
    let columns: Vec<ArrayRef> = vec![Arc::new(values), Arc::new(a), Arc::new(b)];
    Rows(RecordBatch::try_new(table().schema(), columns).unwrap())
}

fn found(source: &Rows, rows: Option<u64>, limit: usize) -> Vec<u64> {
    DuplicateKeys::find(source, &table(), rows, limit)
        .unwrap()
        .rows()
        .collect()
}

#[test]
fn earlier_rows_of_a_key_are_overwritten() {
    let rows = source(&[("x", "1"), ("y", "1"), ("x", "1"), ("x", "2"), ("x", "1")]);
    assert_eq!(found(&rows, None, 1 << 20), [0, 2]);
    assert_eq!(found(&rows, Some(4), 1 << 20), [0]);
    assert_eq!(found(&rows, Some(2), 1 << 20), [0; 0]);
}

#[test]
fn neighbouring_texts_of_a_key_are_distinguished() {
    assert_eq!(
        found(
            &source(&[("ab", "c"), ("a", "bc"), ("", "abc")]),
            None,
            1 << 20
        ),
        [0; 0]
    );
}

#[test]
fn little_memory_takes_more_passes_and_finds_the_same() {
    let names: Vec<String> = (0..1000).map(|i| (i % 700).to_string()).collect();
    let keys: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), "k")).collect();
    let rows = source(&keys);
    let all = Vec::from_iter(0..300);
    assert_eq!(found(&rows, None, 1 << 20), all);
    assert!(
        find_in_passes(&rows, &table(), None, 50, 1)
            .unwrap()
            .is_none(),
        "50 keys of 700 need more than one pass"
    );
    assert_eq!(found(&rows, None, 50 * MAP_BYTES_PER_KEY), all);
}

#[test]
fn filter_keeps_the_last_row_of_each_key() {
    let rows = source(&[("x", "1"), ("y", "1"), ("x", "1"), ("z", "1")]);
    let duplicates = DuplicateKeys::find(&rows, &table(), None, 1 << 20).unwrap();
    let kept = |from: u64| {
        let batch = rows.read(from, 9).unwrap().next().unwrap().unwrap();
        let kept = duplicates.filter(batch).unwrap();
        kept.column(0)
            .as_any()
            .downcast_ref::<Int32Array>()
            .unwrap()
            .values()
            .to_vec()
    };
    assert_eq!(kept(0), [1, 2, 3]);
    assert_eq!(kept(2), [2, 3]);
    assert_eq!(
        (duplicates.count(), duplicates.is_overwritten(0)),
        (1, true)
    );
}

fn told_apart(source: &Rows, rows: u64) -> Option<String> {
    let duplicates = DuplicateKeys::find(source, &table(), Some(rows), 1 << 20).unwrap();
    duplicates.told_apart_by(source, &table(), rows).unwrap()
}

#[test]
fn a_column_that_differs_between_rows_of_a_key_tells_them_apart() {
    let rows = source(&[("x", "1"), ("y", "1"), ("x", "1"), ("x", "1")]);
    assert_eq!(told_apart(&rows, 4).as_deref(), Some("value"));
    assert_eq!(told_apart(&rows, 2), None, "no key repeats so far");
}

#[test]
fn a_column_that_repeats_as_well_or_has_nulls_tells_nothing_apart() {
    let keys = [("x", "1"), ("y", "1"), ("x", "1")];
    for values in [
        Int32Array::from(vec![7, 8, 7]),
        Int32Array::from(vec![Some(7), None, Some(9)]),
    ] {
        let Rows(batch) = source(&keys);
        let mut columns = batch.columns().to_vec();
        columns[0] = Arc::new(values);
        let rows = Rows(RecordBatch::try_new(batch.schema(), columns).unwrap());
        assert_eq!(told_apart(&rows, 3), None);
    }
}

#[test]
fn a_key_with_three_rows_counts_once() {
    let rows = source(&[("x", "1"), ("x", "1"), ("x", "1"), ("y", "1"), ("y", "1")]);
    let duplicates = DuplicateKeys::find(&rows, &table(), None, 1 << 20).unwrap();
    assert_eq!((duplicates.count(), duplicates.keys()), (3, 2));
}

#[test]
fn later_rows_of_a_key_are_found_in_any_memory() {
    let rows = source(&[("x", "1"), ("y", "1"), ("x", "1"), ("x", "2"), ("x", "1")]);
    for memory_bytes in [0, 128, 1 << 20] {
        let limits = Limits {
            memory_bytes,
            found: 10,
        };
        let later = later_rows(&rows, &table(), 5, &limits).unwrap();
        assert_eq!(later, [2, 4], "{memory_bytes}");
    }
    let limits = Limits {
        memory_bytes: 1 << 20,
        found: 1,
    };
    assert_eq!(later_rows(&rows, &table(), 5, &limits).unwrap().len(), 2);
}

use std::ops::Range;

use super::*;
use crate::cassandra::rows::layout::{Shape, TableLayout};
use crate::drive::partition::tests::{SERIES, workload_with};

/// Returns the rows of a design with which a load begins.
fn rows_of(text: &str, design: &str, loaded: Range<u64>) -> Rows {
    let (workload, options) = workload_with(text, loaded);
    let id = design.parse().unwrap();
    let shape = Shape::from_id(&id).unwrap();
    let layout = TableLayout::new(&id, shape, &workload.table, false).unwrap();
    Rows::from_layout(&layout, &options)
}

fn series() -> Rows {
    rows_of(SERIES, "cassandra/wide", 0..50)
}

#[test]
fn parts_have_about_the_same_number_of_rows_in_order() {
    let rows = series();
    // The third sensor has the rows 2, 7, 12, 17, 22, 27, 32, 37, 42 and 47.
    for drawn in [2, 22, 47] {
        assert!(split(&rows, drawn, 1).is_empty());
        assert_eq!(split(&rows, drawn, 2), [27]);
        assert_eq!(split(&rows, drawn, 4), [12, 27, 37]);
        let each = [7, 12, 17, 22, 27, 32, 37, 42, 47];
        assert_eq!(split(&rows, drawn, 10), each);
    }
}

#[test]
fn a_partition_of_few_rows_has_fewer_parts() {
    let buckets = rows_of(SERIES, "cassandra/wide?bucket=30s", 0..50);
    assert_eq!(split(&buckets, 22, 8), [22, 27]);
    let one = rows_of(SERIES, "cassandra/wide?bucket=10s", 0..50);
    assert!(split(&one, 22, 8).is_empty());
}

#[test]
fn only_loaded_rows_begin_parts() {
    let rows = rows_of(SERIES, "cassandra/wide", 20..35);
    assert_eq!(split(&rows, 22, 2), [27]);
    assert_eq!(split(&rows, 22, 3), [27, 32]);
    // The last part has the row that the mix inserts, too: it has no upper bound.
    assert_eq!(split(&rows, 37, 2), [27]);
}

#[test]
fn rows_that_the_mix_removes_begin_parts_all_the_same() {
    let removing = SERIES.replace(
        "weight = 100",
        "weight = 50\n[[mix.operations]]\naction = \"delete-row\"\nweight = 50",
    );
    let rows = rows_of(&removing, "cassandra/wide", 0..50);
    assert_eq!(split(&rows, 22, 2), [27]);
}

#[test]
fn a_partition_is_split_once() {
    let rows = series();
    let mut splits = Splits::default();
    let first = splits.of(&rows, 22, 4);
    assert!(Arc::ptr_eq(&first, &splits.of(&rows, 2, 4)));
    assert_eq!(*splits.of(&rows, 23, 4), [13, 28, 38]);
    assert_eq!(splits.0.len(), 2);
}

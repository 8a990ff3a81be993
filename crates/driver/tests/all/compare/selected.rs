//! The rows that queries select are counted once, and a run goes on without them.

use bakeoff_stats::{ColumnsRead, DistinctValues, Record, Selected};

use super::bench::{Bench, Records};
use super::fake::{Call, Fake};

fn two() -> [Fake; 2] {
    ["a", "b"].map(Fake::new)
}

/// Every count that was recorded, with its place among the records.
fn counted(records: &Records) -> Vec<(usize, &[Selected])> {
    let records = records.0.iter().enumerate();
    let counted = records.filter_map(|(place, record)| match record {
        Record::Selected { queries } => Some((place, queries.as_slice())),
        _ => None,
    });
    counted.collect()
}

#[tokio::test]
async fn queries_with_a_condition_are_counted_before_any_is_asked() {
    let mut bench = Bench::new();
    bench.selected = Some(42);
    let records = bench.complete(&two()).await;
    let counted = counted(&records);
    let [(place, queries)] = counted.as_slice() else {
        panic!("{counted:?}");
    };
    // The query `all` has no condition, and `some` has other parameters in each round.
    let some = Selected {
        query: "some".to_owned(),
        rows: vec![42; 7],
    };
    assert_eq!(*queries, [some]);
    let asked = { records.0.iter() }.position(|record| matches!(record, Record::Answered(_)));
    assert!(*place < asked.unwrap());
}

#[tokio::test]
async fn what_cannot_be_counted_is_not_recorded() {
    let records = Bench::new().complete(&two()).await;
    assert!(counted(&records).is_empty());
    assert!(!records.timings().is_empty());
}

#[tokio::test]
async fn a_run_that_goes_on_counts_nothing_again() {
    let mut bench = Bench::new();
    bench.selected = Some(42);
    let is_asked_again = |call: &Call| call.asks("all", 1);
    let killed = ["a", "b"].map(|id| Fake::hanging(id, is_asked_again));
    bench.kill_in(&killed, is_asked_again).await;
    assert_eq!(counted(&bench.records()).len(), 1);

    let fakes = two().map(|fake| fake.surviving(true));
    for (fake, killed) in fakes.iter().zip(&killed) {
        fake.table().slices = killed.table().slices.clone();
    }
    bench.selected = Some(43);
    let records = bench.complete(&fakes).await;
    let counted = counted(&records);
    assert_eq!(counted.len(), 1);
    assert_eq!(counted[0].1[0].rows, [42; 7]);
}

fn columns_read(records: &Records) -> Vec<&[ColumnsRead]> {
    let records = records.0.iter().filter_map(|record| match record {
        Record::ColumnsRead { queries } => Some(queries.as_slice()),
        _ => None,
    });
    records.collect()
}

#[tokio::test]
async fn columns_that_queries_read_are_counted_once() {
    let mut bench = Bench::new();
    bench.columns = Some(3);
    let is_asked_again = |call: &Call| call.asks("all", 1);
    let killed = ["a", "b"].map(|id| Fake::hanging(id, is_asked_again));
    bench.kill_in(&killed, is_asked_again).await;
    let fakes = two().map(|fake| fake.surviving(true));
    for (fake, killed) in fakes.iter().zip(&killed) {
        fake.table().slices = killed.table().slices.clone();
    }
    bench.columns = Some(4);
    let records = bench.complete(&fakes).await;
    let all = ColumnsRead {
        query: "all".to_owned(),
        columns: 3,
    };
    assert_eq!(columns_read(&records), [[all]]);
    let without = Bench::new().complete(&two()).await;
    assert!(columns_read(&without).is_empty());
}

fn distinct(records: &Records) -> Vec<&[DistinctValues]> {
    let records = records.0.iter().filter_map(|record| match record {
        Record::Distinct { columns } => Some(columns.as_slice()),
        _ => None,
    });
    records.collect()
}

#[tokio::test]
async fn values_of_columns_with_an_index_are_counted() {
    let mut bench = Bench::new();
    bench.selected = Some(42);
    let fakes = ["a?index=time", "b?index=on"].map(Fake::new);
    let records = bench.complete(&fakes).await;
    let time = DistinctValues {
        column: "time".to_owned(),
        about: 42,
    };
    assert_eq!(distinct(&records), [[time]]);
    // Only the first of them names a column.
    for ids in [["a", "b"], ["a?index=on", "b?index=off"]] {
        let mut without = Bench::new();
        without.selected = Some(42);
        let records = without.complete(&ids.map(Fake::new)).await;
        assert!(distinct(&records).is_empty(), "{ids:?}");
    }
}

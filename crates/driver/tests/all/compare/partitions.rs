//! Rows by partition are counted while they are loaded, once for designs with the same partition key.

use bakeoff_driver::PartitionKey;
use bakeoff_stats::Record;
use bakeoff_stats::drive::Partitions;
use bakeoff_workload::ColumnType;

use super::bench::{Bench, Records};
use super::fake::{Call, Fake};

/// A design whose partitions are by the column of the sensor, if that is at this place.
fn by_sensor(id: &str, place: usize) -> Fake {
    Fake::new(id).with_partitions(PartitionKey {
        columns: vec![(place, ColumnType::Int)],
        bucket: None,
        words: "sensor".to_owned(),
    })
}

fn known(records: &Records) -> Vec<&Partitions> {
    let known = records.0.iter().filter_map(|record| match record {
        Record::Partitions(partitions) => Some(partitions),
        _ => None,
    });
    known.collect()
}

fn warnings(records: &Records) -> Vec<&str> {
    let warnings = records.0.iter().filter_map(|record| match record {
        Record::Warning { message } => Some(message.as_str()),
        _ => None,
    });
    warnings.collect()
}

#[tokio::test]
async fn each_design_with_partitions_has_the_rows_of_all_slices() {
    let mut bench = Bench::new();
    bench.source.sensors = 10;
    let fakes = [by_sensor("a", 0), Fake::new("b"), by_sensor("c", 0)];
    let records = bench.complete(&fakes).await;
    let known = known(&records);
    let designs: Vec<&str> = known.iter().map(|of| of.design.as_str()).collect();
    assert_eq!(designs, ["a", "c"]);
    for of in known {
        let rows = of.rows.unwrap();
        assert_eq!((rows.partitions, rows.p50, rows.max), (10, 3_000, 3_000));
        assert_eq!((rows.shares.counted, rows.one_in), (30_000, 1));
        assert_eq!(of.key.as_deref(), Some("sensor"));
    }
}

#[tokio::test]
async fn a_run_that_goes_on_while_it_loads_knows_no_rows_of_partitions() {
    let mut bench = Bench::new();
    bench.source.sensors = 10;
    let second = |call: &Call| matches!(call, Call::Load(1));
    let key = by_sensor("a", 0);
    let killed = Fake::hanging("a", second);
    bench.kill_in(std::slice::from_ref(&killed), second).await;
    let again = key.surviving(true);
    again.table().slices = killed.table().slices.clone();
    let records = bench.complete(std::slice::from_ref(&again)).await;
    assert_eq!(records.loaded_rows(), Some(30_000));
    assert!(
        known(&records).is_empty(),
        "the first slice was not counted"
    );
}

#[tokio::test]
async fn rows_that_cannot_be_counted_are_a_warning_and_no_failure() {
    let records = Bench::new().complete(&[by_sensor("a", 9)]).await;
    assert!(known(&records).is_empty() && records.failures().is_empty());
    let told = warnings(&records);
    let about = |told: &&&str| told.contains("rows of partitions are not known");
    assert_eq!(told.iter().filter(about).count(), 1, "{told:?}");
    assert!(records.right_times("a", "all") > 0);
}

use super::*;
use crate::compare::testing::*;
use crate::compare::{Record, Step};

/// Forecasts from 1,000 rows measured on 2 threads; the full scale is 10,000 rows, 3 copies, 8
/// users and 16 cores.
fn forecast(records: Vec<Record>) -> Option<Forecast> {
    let loads = ["a/x", "a/y", "memory"]
        .into_iter()
        .flat_map(|design| (0..10).map(move |slice| loaded(design, slice, 1.0)));
    Summary::from_records(&run(loads.chain(records)))
        .unwrap()
        .forecast
}

#[test]
fn storage_is_for_all_copies_of_all_rows_smallest_first() {
    let sizes = [("a/x", 20_000), ("a/y", 10_000), ("memory", 1)];
    let storage = forecast(sizes.map(|(d, bytes)| footprint(d, bytes)).to_vec())
        .unwrap()
        .storage;
    let storage: Vec<(&str, f64)> = storage
        .iter()
        .map(|s| (s.design.as_str(), s.bytes))
        .collect();
    assert_eq!(storage, [("a/y", 300_000.0), ("a/x", 600_000.0)]);
}

#[test]
fn a_scan_grows_with_rows_and_users_and_shrinks_with_cores() {
    let forecast = forecast(vec![timed("a/x", "scan", 0.5)]).unwrap();
    // 0.5 s x 10 times the rows x 8 users x 2 threads / 16 cores
    assert_eq!(forecast.queries[0].seconds, 5.0);
    assert_eq!(forecast.queries[0].basis, Basis::Scan);
    assert_eq!(
        (forecast.full_rows, forecast.measured_rows),
        (10_000, 1_000)
    );
}

#[test]
fn a_read_by_key_is_bounded_and_not_sped_up_by_cores() {
    let forecast = forecast(vec![timed("a/x", "key", 0.5)]).unwrap();
    assert_eq!(forecast.queries[0].seconds, 5.0);
    assert_eq!(forecast.queries[0].basis, Basis::UpperBound);
}

#[test]
fn threads_beyond_the_machines_cores_did_not_help_and_do_not_count() {
    let mut records = run([loaded("a/x", 0, 1.0), timed("a/x", "scan", 1.0)]);
    let Record::Started(header) = &mut records[0] else {
        unreachable!()
    };
    header.threads = 64;
    header.scale.full_rows = 100;
    let forecast = Summary::from_records(&records).unwrap().forecast.unwrap();
    assert_eq!(forecast.queries[0].seconds, 1.0);
}

#[test]
fn the_fastest_right_design_is_named_with_those_not_shown_to_be_slower() {
    let forecast = forecast(vec![
        timed("a/x", "scan", 1.0),
        timed("a/x", "scan", 2.0),
        timed("a/y", "scan", 1.9),
        timed("a/y", "scan", 3.0),
        timed("memory", "scan", 0.001),
    ])
    .unwrap();
    assert_eq!(forecast.queries[0].design, "a/x");
    assert_eq!(forecast.queries[0].not_slower, ["a/y"]);
    assert_eq!(
        forecast.queries.len(),
        1,
        "no design answered the other query"
    );
}

#[test]
fn a_failed_design_is_not_recommended() {
    let forecast = forecast(vec![
        footprint("a/x", 1),
        footprint("a/y", 10_000),
        timed("a/x", "scan", 0.1),
        timed("a/y", "scan", 1.0),
        failed("a/x", Step::Measure, None, "the server died"),
    ])
    .unwrap();
    assert_eq!(forecast.queries[0].design, "a/y");
    assert_eq!(forecast.storage.len(), 1);
}

#[test]
fn without_figures_there_is_no_forecast() {
    assert!(forecast(Vec::new()).is_none());
    assert!(Summary::from_records(&run([])).unwrap().forecast.is_none());
}

use super::super::{LoadPart, PartFigures, PartOfLoad};
use super::*;

#[test]
fn counts_of_a_tally_have_its_failures_and_times() {
    let mut tally = Tally::default();
    for n in 1..=100 {
        tally.record(n * 1_000_000, n * 500_000);
    }
    tally.failures[FailureKind::Wrong as usize] = 2;
    (tally.retries, tally.rows, tally.bytes) = (3, 100, 4_000);
    let counts = OperationCounts::from_tally(&tally);
    assert_eq!((counts.successes, counts.failed()), (100, 2));
    assert_eq!(counts.failures, [(FailureKind::Wrong, 2)]);
    let close = |ns: u64, ms: f64| (ns as f64 / 1e6 / ms - 1.0).abs() < 2e-3;
    assert!(close(counts.response_p50_ns, 50.0) && close(counts.response_p99_ns, 99.0));
    assert!(close(counts.response_max_ns, 100.0));
    assert!((counts.service_mean_ns / 25.25e6 - 1.0).abs() < 2e-3);
    let mut back = Tally::default();
    counts.add_to(&mut back);
    assert_eq!((back.failures, back.retries), (tally.failures, 3));
    assert_eq!((back.rows, back.bytes), (100, 4_000));
}

#[test]
fn records_have_their_name_and_read_back_as_they_were() {
    let record = DriveRecord::Second(SecondCounts::new(
        1,
        0,
        &[Tally::default()],
        7,
        ServerSample::default(),
    ));
    let json = serde_json::to_string(&record).unwrap();
    assert!(
        json.starts_with(r#"{"record":"second","trial":1"#),
        "{json}"
    );
    assert_eq!(serde_json::from_str::<DriveRecord>(&json).unwrap(), record);
}

#[test]
fn searches_from_before_rates_were_estimated_are_read() {
    let json = r#"{"record":"found","design":"a","round":1,"objective":"p99<1s","rate":50.0,
        "failed_at":52.0,"probes":9,"why":"the interval is narrow enough"}"#;
    let DriveRecord::Found(found) = serde_json::from_str(json).unwrap() else {
        panic!("another record");
    };
    assert_eq!((found.estimate, found.highest()), (None, Some(50.0)));
    let estimate = Some(RateEstimate {
        rate: 51.0,
        low: 49.0,
        high: 53.0,
    });
    let found = FoundRate { estimate, ..found };
    assert_eq!(found.highest(), Some(51.0));
}

#[test]
fn starts_of_trials_from_before_warm_ups_were_marked_are_rounds() {
    let start = crate::drive::testing::start(1, "a", 1);
    let json = serde_json::to_string(&start).unwrap();
    assert!(!json.contains("warm_up"), "{json}");
    assert_eq!(serde_json::from_str::<TrialStart>(&json).unwrap(), start);
}

#[test]
fn ends_of_trials_from_before_workers_and_background_were_counted_are_read() {
    let end = crate::drive::testing::end(1, 2.0, 3);
    let mut json = serde_json::to_value(&end).unwrap();
    let fields = json.as_object_mut().unwrap();
    assert!(fields.remove("background_statements").is_some());
    assert!(fields.remove("background_failed").is_some());
    assert_eq!(serde_json::from_value::<TrialEnd>(json).unwrap(), end);
}

#[test]
fn a_node_that_was_added_is_read_as_it_was_written() {
    let figures = PartFigures {
        successes: 5,
        failed: 1,
        p50_ns: Some(2),
        p99_ns: Some(3),
        max_ns: Some(4),
    };
    let part = LoadPart {
        part: PartOfLoad::During,
        from: 60,
        to: 95,
        operations: vec![figures],
    };
    let record = DriveRecord::NodeAdded(NodeAdded {
        trial: 2,
        design: "a".to_owned(),
        began: 60.001,
        ended: Some(94.5),
        failed: None,
        streamed_bytes: Some(1 << 20),
        parts: vec![part],
    });
    let json = serde_json::to_string(&record).unwrap();
    assert!(json.starts_with(r#"{"record":"node-added""#), "{json}");
    assert_eq!(serde_json::from_str::<DriveRecord>(&json).unwrap(), record);
}

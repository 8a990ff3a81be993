use bakeoff_report::drive::json::render;
use bakeoff_stats::drive::DriveRecord;

use super::fixture;

#[test]
fn everything_is_there_and_records_read_back_as_they_were() {
    let load = fixture::search().unwrap();
    let json = render(&load.summary, &load.records).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let verdict = value["verdict"].as_str().unwrap();
    assert!(
        verdict.contains("holds p99<10ms, errors<0.1% up to 600 ops/s"),
        "{verdict}"
    );
    let design = &value["summary"]["designs"][0];
    assert_eq!(design["highest_rate"]["median"], 600.0);
    assert!(design["figures"]["operations"][0]["response"]["p999"].is_f64());
    let back: Vec<DriveRecord> = serde_json::from_value(value["records"].clone()).unwrap();
    assert!(back == load.records, "some number lost digits");
}

use bakeoff_report::json::render;

use super::fixture;

#[test]
fn everything_is_there() {
    let records = fixture::records();
    let json = render(&fixture::summary().unwrap(), &records).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["records"].as_array().unwrap().len(), records.len());
    assert_eq!(value["summary"]["designs"].as_array().unwrap().len(), 9);
    assert!(
        value["verdict"].as_str().unwrap().starts_with(
            "Take parquet?codec=snappy for now: it is best at 120 k rows (settled). There is no forecast for "
        )
    );
    assert_eq!(
        value["summary"]["designs"][0]["queries"][0]["query"],
        "scan"
    );
}

#[test]
fn records_read_back_as_they_were() {
    let records = fixture::records();
    let json = render(&fixture::summary().unwrap(), &records).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let back: Vec<bakeoff_stats::Record> =
        serde_json::from_value(value["records"].clone()).unwrap();
    assert!(back == records, "some number lost digits");
}

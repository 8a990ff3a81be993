//! Tests of partitions that are read in several requests from a real Cassandra: they have the rows of one
//! request, and a missing row is noticed wherever it is.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use bakeoff_stats::FailureKind;

use crate::support::load::{Loaded, Loads, workload};
use crate::support::shared;

const KEYSPACE: &str = "parts_test";
/// Partitions of 100 rows, of 10 rows, and with blobs and pages of 5 rows.
const LAYOUTS: [(&str, f64); 4] = [
    ("cassandra/wide", 100.0),
    ("cassandra/wide?bucket=100s", 10.0),
    ("cassandra/compact", 100.0),
    ("cassandra/wide?page=5", 100.0),
];

/// Ten sensors with 100 times each.
const READINGS: &str = r#"
title = "Readings of a test"
seed = 7
[table]
name = "readings"
columns = { sensor = "text", time = "timestamp", value = "double" }
partition_key = ["sensor"]
order_key = ["time"]
[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 10 }, prefix = "s" }
time = { sequence = { start = "2026-01-01T00:00:00Z", step = "10s", every = 10 } }
value = { normal = { mean = 100, deviation = 5 } }
[scale]
rows = 1000
"#;

const REQUESTS: [u32; 4] = [1, 2, 4, 8];

fn reads() -> String {
    let each = 100.0 / (2 * REQUESTS.len()) as f64;
    let operation = |requests: u32, at_once: bool| {
        format!(
            "[[mix.operations]]\nname = \"{requests}-{at_once}\"\naction = \"read-partition\"\n\
             requests = {requests}\nat_once = {at_once}\nweight = {each}\n"
        )
    };
    let both = |requests| operation(requests, false) + &operation(requests, true);
    format!("[mix]\n{}", REQUESTS.map(both).concat())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_requests_return_the_rows_of_one() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let address = server.address().to_string();
    let loads = Loads::new(&address, &folder.path().join("run"), Some(KEYSPACE)).await;
    for (id, rows) in LAYOUTS {
        let loaded = loads.target(id, &workload(READINGS, &reads())).await;
        loaded.fill().await;
        let came = loaded.drive().await;
        came.assert_right(id);
        for (name, tally) in came.names.iter().zip(&came.operations) {
            let mean = tally.rows as f64 / tally.successes() as f64;
            assert_eq!(mean, rows, "{id}, {name}");
        }
    }
    // The first and the last row of the partition, and one in between.
    for row in [3, 993, 503] {
        a_missing_row_is_noticed(&loads, row).await;
    }
    loads.running.finish(false).await.unwrap();
}

async fn a_missing_row_is_noticed(loads: &Loads, row: u64) {
    let loaded = loads
        .target("cassandra/wide", &workload(READINGS, &reads()))
        .await;
    loaded.fill().await;
    delete(loads, &loaded, row).await;
    let came = loaded.drive_for(std::time::Duration::from_secs(2)).await;
    came.assert_failed_only(FailureKind::Missing);
    let told = format!("row {row} is missing from the reply");
    assert!(came.messages().contains(&told), "{}", came.messages());
    for (name, tally) in came.names.iter().zip(&came.operations) {
        assert!(tally.failed() > 0, "{name} did not notice row {row}");
    }
}

async fn delete(loads: &Loads, loaded: &Loaded, row: u64) {
    let (sensor, time) = (loaded.key(0, row), loaded.key(1, row));
    let table = format!("{KEYSPACE}.wide");
    let cql = format!("DELETE FROM {table} WHERE sensor = {sensor} AND time = {time}");
    loads.cql(&cql).await;
}

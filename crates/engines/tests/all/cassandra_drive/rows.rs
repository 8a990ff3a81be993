//! Every action on every layout writes and reads the right values, and wrong and missing rows are reported.

use std::collections::HashMap;
use std::time::Duration;

use bakeoff_stats::FailureKind;
use bakeoff_workload::{Consistency, Value, Version};
use scylla::value::CqlTimestamp;

use super::table_of;
use crate::support::load::{Loaded, Loads, PARTITIONS, READINGS, ROW_BY_ROW, workload};

pub const LAYOUTS: &[&str] = &[
    "cassandra/narrow",
    "cassandra/wide",
    "cassandra/wide?bucket=100s",
    "cassandra/blob?compressor=none",
    "cassandra/compact?caching=rows:10&chunk=4KiB&compaction=UCS:T4",
];

pub const EVERYTHING: &str = r#"
[[queries]]
name = "one_sensor"
sql = "SELECT count(*) AS n, max(value) AS most FROM readings WHERE sensor = ${sensor} AND time <= ${time}"
[queries.parameters]
sensor = { column = "sensor" }
time = { column = "time" }
[mix]
[[mix.operations]]
action = "insert"
weight = 10
keys = "new"
[[mix.operations]]
name = "again"
action = "insert"
weight = 10
keys = "uniform"
[[mix.operations]]
name = "batches"
action = "insert"
batch = 30
weight = 10
keys = "new"
[[mix.operations]]
action = "update"
weight = 10
columns = ["level", "note", "raw", "ratio", "owner"]
[[mix.operations]]
action = "read-row"
weight = 20
keys = { latest = 0.99 }
[[mix.operations]]
action = "read-partition"
weight = 10
limit = 15
newest_first = true
[[mix.operations]]
name = "whole-partition"
action = "read-partition"
weight = 10
[[mix.operations]]
action = "read-range"
weight = 15
rows = 12
keys = { zipf = 0.99 }
[[mix.operations]]
name = "query"
action = "query"
query = "one_sensor"
weight = 5
"#;

const REMOVING: &str = r#"
[mix]
[[mix.operations]]
action = "read-row"
weight = 30
[[mix.operations]]
action = "insert"
keys = "uniform"
ttl = "1h"
weight = 30
[[mix.operations]]
action = "delete-row"
weight = 20
[[mix.operations]]
action = "delete-partition"
weight = 10
[[mix.operations]]
action = "read-range"
rows = 5
weight = 10
"#;

pub async fn every_action_is_right(loads: &Loads, id: &str) {
    let loaded = loads.target(id, &workload(READINGS, EVERYTHING)).await;
    loaded.fill().await;
    let came = loaded.drive().await;
    came.assert_right(id);
    let rows_of = |name: &str| came.of(name).rows as f64 / came.of(name).successes() as f64;
    assert_eq!(rows_of("read-row"), 1.0);
    assert_eq!(rows_of("batches"), 30.0);
    assert_eq!(rows_of("query"), 1.0);
    if id == "cassandra/narrow" {
        assert_eq!(rows_of("whole-partition"), 1.0);
    } else {
        let most = rows_of("whole-partition");
        assert!(most >= 8.0, "{id}: {most}");
        assert!(rows_of("read-partition") > 5.0, "{id}");
        assert!((2.0..=12.0).contains(&rows_of("read-range")), "{id}");
    }
    assert!(came.of("read-row").bytes > 20 * came.of("read-row").rows);
    if !has_blob(id) {
        updates_are_there(loads, &loaded).await;
    }
}

fn has_blob(id: &str) -> bool {
    id.contains("blob") || id.contains("compact")
}

/// Checks that each cell of an updated column has its first or second version, and some the second.
async fn updates_are_there(loads: &Loads, loaded: &Loaded) {
    let cql = format!("SELECT sensor, time, level FROM {}", table_of(loaded));
    let found = loads.session.query_unpaged(cql, ()).await.unwrap();
    let found = found.into_rows_result().unwrap();
    let cells = found.rows::<(String, CqlTimestamp, Option<i32>)>().unwrap();
    let cells: HashMap<(String, i64), Option<i32>> = cells
        .map(|row| row.unwrap())
        .map(|(sensor, time, level)| ((format!("'{sensor}'"), time.0), level))
        .collect();
    let level = |row, version| match loaded.values.value(3, row, version) {
        Value::Int(level) => Some(level),
        _ => None,
    };
    let mut updated = 0;
    for row in 0..loaded.rows() {
        let cell = cells[&(loaded.key(0, row), loaded.key(1, row).parse().unwrap())];
        let [first, second] = [Version::First, Version::Second].map(|v| level(row, v));
        assert!(cell == first || cell == second, "row {row}: {cell:?}");
        updated += usize::from(cell != first);
    }
    assert!(updated > 0, "no update is there");
}

/// Returns the CQL condition that selects a row in the layout of a design.
fn place(loaded: &Loaded, id: &str, row: u64) -> String {
    let bucket = if id.contains("bucket") {
        let time: i64 = loaded.key(1, row).parse().unwrap();
        format!(" AND bakeoff_bucket = {}", time.div_euclid(100_000))
    } else {
        String::new()
    };
    format!(
        "sensor = {} AND time = {}{bucket}",
        loaded.key(0, row),
        loaded.key(1, row)
    )
}

pub async fn wrong_and_missing_rows_are_reported(loads: &Loads, id: &str) {
    let loaded = loads.target(id, &workload(READINGS, ROW_BY_ROW)).await;
    loaded.fill().await;
    loaded.drive().await.assert_right(id);
    let table = table_of(&loaded);

    let wrong = place(&loaded, id, 41);
    let (set, told) = if has_blob(id) {
        ("bakeoff_row = 0x00", "row 41")
    } else {
        ("level = 1000000", "column `level` of row 41 is 1000000")
    };
    loads
        .cql(&format!("UPDATE {table} SET {set} WHERE {wrong}"))
        .await;
    let came = loaded.drive().await;
    came.assert_failed_only(FailureKind::Wrong);
    assert!(came.messages().contains(told), "{id}: {}", came.messages());
    assert!(came.of("read-row").successes() > 100 * came.failed(FailureKind::Wrong));
    let several = loads.target(id, &workload(READINGS, PARTITIONS)).await;
    let came = several.drive().await;
    came.assert_failed_only(FailureKind::Wrong);
    assert!(
        came.messages().contains("row 41"),
        "{id}: {}",
        came.messages()
    );

    loads
        .cql(&format!("DELETE FROM {table} WHERE {wrong}"))
        .await;
    let came = loaded.drive().await;
    came.assert_failed_only(FailureKind::Missing);
    assert!(
        came.messages().contains("row 41 "),
        "{id}: {}",
        came.messages()
    );
    let came = several.drive().await;
    came.assert_failed_only(FailureKind::Missing);
}

pub async fn rows_may_go(loads: &Loads, id: &str) {
    let loaded = loads.target(id, &workload(READINGS, REMOVING)).await;
    loaded.fill().await;
    let came = loaded.drive().await;
    came.assert_right(id);
    let reads = came.of("read-row");
    assert!(reads.rows < reads.successes(), "{id}: no row was missing");
    rows_end_when_asked(loads, &loaded, id).await;
}

/// Checks that rows that the mix wrote live for an hour, and loaded rows without end.
async fn rows_end_when_asked(loads: &Loads, loaded: &Loaded, id: &str) {
    let column = if has_blob(id) { "bakeoff_row" } else { "level" };
    let cql = format!("SELECT TTL({column}) FROM {}", table_of(loaded));
    let found = loads.session.query_unpaged(cql, ()).await.unwrap();
    let found = found.into_rows_result().unwrap();
    let found = found.rows::<(Option<i32>,)>().unwrap();
    let ends: Vec<i32> = found.filter_map(|row| row.unwrap().0).collect();
    assert!(!ends.is_empty(), "{id}: nothing has an end");
    assert!(ends.iter().all(|s| (3_000..=3_600).contains(s)), "{ends:?}");
}

const QUERIES: &str = r#"
[[queries]]
name = "last"
sql = "SELECT count(*) AS n FROM readings WHERE sensor = 's1' AND time >= TIMESTAMP '2024-01-01T00:16:40Z'"
[mix]
[[mix.operations]]
action = "insert"
keys = "new"
weight = 60
[[mix.operations]]
name = "query"
action = "query"
query = "last"
weight = 40
"#;

/// Checks queries of times that begin after the 2,000 loaded rows.
pub async fn queries_see_new_buckets(loads: &Loads) {
    let mix = QUERIES.replace("count(*) AS n", "time");
    let id = "cassandra/wide?bucket=100s";
    let loaded = loads.target(id, &workload(READINGS, &mix)).await;
    loaded.fill().await;
    let came = loaded.drive().await;
    came.assert_right(id);
    assert!(came.of("query").rows > 0, "no new row was found");
}

pub async fn queries_have_their_consistency(loads: &Loads) {
    let limit = Duration::from_secs(10);
    let (id, three) = ("cassandra/wide", Some(Consistency::Three));
    let workload = workload(READINGS, QUERIES);
    loads.target(id, &workload).await.fill().await;
    let loaded = loads.target_with(id, &workload, limit, three).await;
    let came = loaded.drive().await;
    assert_eq!(came.of("query").successes(), 0, "one replica was enough");
}

//! Loads on a PostgreSQL and a TimescaleDB: every action on every layout writes and reads the right values.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_engines::TargetOptions;
use bakeoff_workload::{RowSource, Workload, source};

use super::number;
use crate::support::Started;
use crate::support::load::{IN_FLIGHT, Loaded, READINGS, workload};

const READS_AND_UPDATES: &str = r#"
[[queries]]
name = "one_sensor"
sql = "SELECT count(*) AS n, max(value) AS most FROM readings WHERE sensor = ${sensor} AND time <= ${time}"
[queries.parameters]
sensor = { column = "sensor" }
time = { column = "time" }
[mix]
consistency = "LOCAL_QUORUM"
[[mix.operations]]
action = "update"
weight = 25
columns = ["level", "note", "raw", "ratio", "owner"]
[[mix.operations]]
action = "read-row"
weight = 25
keys = { latest = 0.99 }
[[mix.operations]]
action = "read-partition"
weight = 10
limit = 15
newest_first = true
[[mix.operations]]
name = "whole-partition"
action = "read-partition"
weight = 5
[[mix.operations]]
name = "query"
action = "query"
query = "one_sensor"
weight = 5
[[mix.operations]]
action = "read-range"
weight = 10
rows = 12
keys = { zipf = 0.99 }
"#;

const INSERTS: &str = r#"
[[mix.operations]]
action = "insert"
weight = 10
keys = "new"
[[mix.operations]]
name = "batches"
action = "insert"
batch = 30
weight = 10
keys = "new"
"#;

/// For a table that keeps neither new rows nor old ones.
const NO_INSERTS: &str = r#"
[[mix.operations]]
name = "other"
action = "read-row"
weight = 20
"#;

const REMOVING: &str = r#"
[mix]
[[mix.operations]]
action = "read-row"
weight = 30
[[mix.operations]]
name = "again"
action = "insert"
keys = "uniform"
weight = 30
[[mix.operations]]
action = "update"
weight = 5
[[mix.operations]]
action = "delete-row"
weight = 20
[[mix.operations]]
action = "delete-partition"
weight = 5
[[mix.operations]]
action = "read-range"
rows = 5
weight = 10
"#;

/// Makes a design that takes the operations of a workload's mix.
pub(super) async fn target(
    started: &Started,
    id: &str,
    workload: &Workload,
    request_time_limit: Duration,
) -> Loaded {
    let source: Arc<dyn RowSource> = source::open(workload, None).unwrap().into();
    let rows = workload.scale.default_rows;
    let values = source::row_values(workload, source.clone(), rows).unwrap();
    let options = TargetOptions {
        values: values.clone(),
        mix: Arc::new(workload.mix.clone().unwrap()),
        loaded: 0..rows,
        keys_repeat: false,
        in_flight_per_worker: IN_FLIGHT as usize,
        request_time_limit,
        consistency: None,
    };
    let id = id.parse().unwrap();
    let target = started
        .running
        .target(&id, workload, &started.context, &options);
    Loaded {
        target: target.await.unwrap().into(),
        workload: workload.clone(),
        source,
        values,
    }
}

const LIMIT: Duration = Duration::from_secs(10);

pub(super) async fn every_reply_is_right(started: &Started, id: &str) {
    let inserts = if id.contains("partitioned") {
        NO_INSERTS
    } else {
        INSERTS
    };
    let mix = format!("{READS_AND_UPDATES}{inserts}");
    let loaded = target(started, id, &workload(READINGS, &mix), LIMIT).await;
    loaded.fill().await;
    let design = loaded.target.design().unwrap();
    // The levels that were loaded are within 100.
    let sum = "SELECT sum(level) AS n FROM readings WHERE time < TIMESTAMP '2024-01-01T00:16:40'";
    let before = number(design, sum).await;
    let came = loaded.fill_and_drive().await;
    came.assert_right(id);
    let rows_of = |name: &str| came.of(name).rows as f64 / came.of(name).successes() as f64;
    assert_eq!((rows_of("read-row"), rows_of("update")), (1.0, 1.0), "{id}");
    assert!(rows_of("whole-partition") >= 100.0, "{id}");
    assert_eq!(rows_of("read-partition"), 15.0, "{id}");
    assert_eq!(rows_of("query"), 1.0, "{id}");
    assert!((1.0..=12.0).contains(&rows_of("read-range")), "{id}");
    assert!(came.of("read-row").bytes > 20 * came.of("read-row").rows);
    assert_ne!(
        number(design, sum).await,
        before,
        "{id}: no update is there"
    );
    if inserts == INSERTS {
        assert_eq!(rows_of("batches"), 30.0);
        let written = came.of("insert").rows + came.of("batches").rows;
        let all = number(design, "SELECT count(*) AS n FROM readings").await;
        assert_eq!(all, (loaded.rows() + written) as i64, "{id}");
    }
    let sample = loaded.target.sample_now().await;
    assert!(sample.cpu_seconds > Some(0.0), "{sample:?}");
}

pub(super) async fn rows_come_and_go(started: &Started, id: &str) {
    let loaded = target(started, id, &workload(READINGS, REMOVING), LIMIT).await;
    let came = loaded.fill_and_drive().await;
    came.assert_right(id);
    let reads = came.of("read-row");
    assert!(reads.rows < reads.successes(), "{id}: no row was missing");
    let design = loaded.target.design().unwrap();
    let twice = "SELECT count(*) AS n FROM (SELECT sensor, time FROM readings \
                 GROUP BY sensor, time HAVING count(*) > 1) AS twice";
    assert_eq!(number(design, twice).await, 0, "{id}");
    let all = number(design, "SELECT count(*) AS n FROM readings").await;
    assert!(all < loaded.rows() as i64, "{id}: {all} rows");
}

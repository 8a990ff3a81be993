//! Loads on a server that runs already: what is wrong in its tables is noticed, and nothing of ours stays.

use std::time::Duration;

use bakeoff_engines::LoadConnections;
use bakeoff_engines::registry::engine;
use bakeoff_stats::FailureKind;
use bakeoff_workload::DesignId;

use super::super::driven::{READINGS, target};
use super::Theirs;
use crate::support::Started;
use crate::support::load::{IN_FLIGHT, Loaded, workload};

const ROW_BY_ROW: &str = r#"
[mix]
[[mix.operations]]
action = "read-row"
keys = "sequential"
weight = 100
"#;

const PARTITIONS: &str = r#"
[mix]
[[mix.operations]]
action = "read-partition"
keys = "sequential"
weight = 50
[[mix.operations]]
action = "read-range"
rows = 100
keys = "sequential"
weight = 50
"#;

const UPDATES: &str = r#"
[mix]
[[mix.operations]]
action = "update"
keys = "sequential"
weight = 100
"#;

const LIMIT: Duration = Duration::from_secs(10);
/// Shorter than a load, and long enough for what no one holds up.
const SHORT_LIMIT: Duration = Duration::from_millis(500);
/// Few, so that the server has others left.
const CONNECTIONS: u32 = 3;

pub(super) async fn loads_are_checked_and_leave_nothing(theirs: &Theirs) {
    let id: DesignId = "postgres/plain".parse().unwrap();
    let mut context = theirs.context("metrics");
    let connections = LoadConnections::new(Some(CONNECTIONS), 1, IN_FLIGHT);
    context.options.postgres.load = Some(connections);
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    let started = Started { running, context };
    let by_row = target(
        &started,
        "postgres/plain",
        &workload(READINGS, ROW_BY_ROW),
        LIMIT,
    )
    .await;
    by_row.fill().await;
    by_row.drive().await.assert_right("rows");
    let several = target(
        &started,
        "postgres/plain",
        &workload(READINGS, PARTITIONS),
        LIMIT,
    )
    .await;
    several.drive().await.assert_right("partitions");
    let updates = workload(READINGS, UPDATES);
    let updates = target(&started, "postgres/plain", &updates, SHORT_LIMIT).await;
    locked_rows_time_out(theirs, &updates).await;
    let [table, place] = [table_of(&by_row), place(&by_row, 41)];
    wrong_and_missing_rows_are_reported(theirs, &[&by_row, &several, &updates], &table, &place)
        .await;
    assert_eq!(
        by_row.target.sample_now().await.cpu_seconds,
        None,
        "not ours"
    );

    drop((by_row, several, updates));
    started.running.finish(false).await.unwrap();
    let client = theirs.client("metrics").await;
    let sql = "SELECT nspname FROM pg_namespace WHERE obj_description(oid) LIKE '%Bakeoff, may%'";
    assert!(client.query(sql, &[]).await.unwrap().is_empty());
}

/// An operation that waits too long has failed, and the next load is as good as the one before.
async fn locked_rows_time_out(theirs: &Theirs, updates: &Loaded) {
    let client = theirs.client("metrics").await;
    let lock = format!("BEGIN; SELECT 1 FROM {} FOR UPDATE", table_of(updates));
    client.batch_execute(&lock).await.unwrap();
    let came = updates.drive().await;
    came.assert_failed_only(FailureKind::TimedOut);
    assert_eq!(came.of("update").successes(), 0);
    client.batch_execute("ROLLBACK").await.unwrap();
    // The server may have statements of the load before, which it gives up by itself.
    let other = client.query_one(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'UPDATE%' AND state = 'active'",
        &[],
    );
    other.await.unwrap();
    updates.drive().await.assert_right("updates");
}

async fn wrong_and_missing_rows_are_reported(
    theirs: &Theirs,
    [by_row, several, updates]: &[&Loaded; 3],
    table: &str,
    place: &str,
) {
    let client = theirs.client("metrics").await;
    let wrong = format!("UPDATE {table} SET level = 1000000 WHERE {place}");
    assert_eq!(client.execute(&wrong, &[]).await.unwrap(), 1);
    let came = by_row.drive().await;
    came.assert_failed_only(FailureKind::Wrong);
    let told = "column `level` of row 41 is 1000000";
    assert!(came.messages().contains(told), "{}", came.messages());
    let came = several.drive().await;
    came.assert_failed_only(FailureKind::Wrong);

    let twice = format!("INSERT INTO {table} SELECT * FROM {table} WHERE {place}");
    assert_eq!(client.execute(&twice, &[]).await.unwrap(), 1);
    let came = updates.drive().await;
    came.assert_failed_only(FailureKind::Wrong);
    let told = "2 rows have the key of row 41";
    assert!(came.messages().contains(told), "{}", came.messages());

    let gone = format!("DELETE FROM {table} WHERE {place}");
    assert_eq!(client.execute(&gone, &[]).await.unwrap(), 2);
    for loaded in [by_row, several, updates] {
        let came = loaded.drive().await;
        came.assert_failed_only(FailureKind::Missing);
        assert!(came.messages().contains("row 41 "), "{}", came.messages());
    }
}

fn table_of(loaded: &Loaded) -> String {
    let mut statements = loaded.target.info().statements.iter();
    let create = statements.find(|s| s.starts_with("CREATE TABLE") && s.contains("\"readings\""));
    create.unwrap().split(' ').nth(2).unwrap().to_owned()
}

/// Returns the SQL condition that selects a row.
fn place(loaded: &Loaded, row: u64) -> String {
    format!(
        "sensor = {} AND time = TIMESTAMP 'epoch' + INTERVAL '1 millisecond' * {}",
        loaded.key(0, row),
        loaded.key(1, row)
    )
}

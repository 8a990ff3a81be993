//! Loads on a server that runs already: what is wrong in its tables is noticed, and nothing of ours stays.

use std::time::Duration;

use bakeoff_engines::LoadConnections;
use bakeoff_engines::registry::engine;
use bakeoff_stats::FailureKind;
use bakeoff_workload::DesignId;
use tokio_postgres::Client;

use super::Theirs;
use crate::postgres::driven::target;
use crate::support::Started;
use crate::support::load::{IN_FLIGHT, Loaded, READINGS, workload};

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

const FAILING_QUERIES: &str = r#"
[[queries]]
name = "failing"
sql = "SELECT count(*) AS n FROM readings"
engine_sql = { postgres = "SELECT 1 / 0 AS n" }
[mix]
[[mix.operations]]
name = "failing"
action = "query"
query = "failing"
weight = 100
"#;

const LIMIT: Duration = Duration::from_secs(10);
/// Short enough for many operations to exceed it during a load.
const SHORT_LIMIT: Duration = Duration::from_millis(250);
/// Long enough to lose connections and make others, even on a slow machine.
const LONG_LOAD: Duration = Duration::from_secs(8);
/// Few, so that the server has others left.
const CONNECTIONS: u32 = 2;
const ID: &str = "postgres/plain";

pub(super) async fn loads_are_checked_and_leave_nothing(theirs: &Theirs) {
    let id: DesignId = ID.parse().unwrap();
    let mut context = theirs.context("metrics");
    context.options.postgres.load = LoadConnections::new(Some(CONNECTIONS), 1, IN_FLIGHT);
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    let started = Started { running, context };
    wrong_and_missing_rows_are_reported(theirs, &started).await;
    rows_that_stay_locked_time_out(theirs, &started).await;
    transactions_that_others_prevent_are_conflicts(theirs, &started).await;
    broken_connections_are_replaced(theirs, &started).await;
    queries_that_fail_keep_their_connections(theirs, &started).await;

    started.running.finish(false).await.unwrap();
    let client = theirs.client("metrics").await;
    let sql = "SELECT nspname FROM pg_namespace WHERE obj_description(oid) LIKE '%Bakeoff, may%'";
    assert!(client.query(sql, &[]).await.unwrap().is_empty());
}

async fn wrong_and_missing_rows_are_reported(theirs: &Theirs, started: &Started) {
    let by_row = target(started, ID, &workload(READINGS, ROW_BY_ROW), LIMIT).await;
    by_row.fill().await;
    by_row.drive().await.assert_right("rows");
    let sample = by_row.target.sample_now().await;
    assert_eq!(sample.cpu_seconds, None, "the server is not ours");
    let several = target(started, ID, &workload(READINGS, PARTITIONS), LIMIT).await;
    several.drive().await.assert_right("partitions");
    let updates = target(started, ID, &workload(READINGS, UPDATES), LIMIT).await;
    let client = theirs.client("metrics").await;
    let table = table_of(&by_row);
    let [sensor, time] = key_of(&by_row, 41);
    let place = format!("sensor = {sensor} AND time = {time}");

    let wrong = format!("UPDATE {table} SET level = 1000000 WHERE {place}");
    assert_eq!(client.execute(&wrong, &[]).await.unwrap(), 1);
    for loaded in [&by_row, &several] {
        let came = loaded.drive().await;
        came.assert_failed_only(FailureKind::Wrong);
        let told = "column `level` of row 41 is 1000000";
        assert!(came.messages().contains(told), "{}", came.messages());
    }
    let gone = format!("DELETE FROM {table} WHERE {place}");
    assert_eq!(client.execute(&gone, &[]).await.unwrap(), 1);
    for loaded in [&by_row, &several, &updates] {
        let came = loaded.drive().await;
        came.assert_failed_only(FailureKind::Missing);
        assert!(came.messages().contains("row 41 "), "{}", came.messages());
    }
    let twice =
        format!("INSERT INTO {table} (sensor, time) VALUES ({sensor}, {time}), ({sensor}, {time})");
    assert_eq!(client.execute(&twice, &[]).await.unwrap(), 2);
    let came = updates.drive().await;
    came.assert_failed_only(FailureKind::Wrong);
    let told = "2 rows have the key of row 41";
    assert!(came.messages().contains(told), "{}", came.messages());
}

/// An operation that waits too long has failed, and the next load is as good as one before.
async fn rows_that_stay_locked_time_out(theirs: &Theirs, started: &Started) {
    let updates = workload(READINGS, UPDATES);
    let short = target(started, ID, &updates, SHORT_LIMIT).await;
    short.fill().await;
    let client = theirs.client("metrics").await;
    let lock = format!("BEGIN; SELECT 1 FROM {} FOR UPDATE", table_of(&short));
    client.batch_execute(&lock).await.unwrap();
    let came = short.drive().await;
    came.assert_failed_only(FailureKind::TimedOut);
    assert_eq!(came.of("update").successes(), 0);
    client.batch_execute("ROLLBACK").await.unwrap();
    let patient = target(started, ID, &updates, LIMIT).await;
    patient.drive().await.assert_right("updates");
}

/// An operation that the server ends for another transaction has failed by a conflict, and is not refused.
async fn transactions_that_others_prevent_are_conflicts(theirs: &Theirs, started: &Started) {
    let loaded = target(started, ID, &workload(READINGS, UPDATES), LIMIT).await;
    loaded.fill().await;
    let client = theirs.client("metrics").await;
    for condition in ["serialization_failure", "deadlock_detected"] {
        let conflicting = format!(
            "CREATE FUNCTION conflicting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             RAISE EXCEPTION 'made by a test' USING ERRCODE = '{condition}'; END $$; \
             CREATE TRIGGER conflicting BEFORE UPDATE ON {} FOR EACH ROW EXECUTE FUNCTION conflicting()",
            table_of(&loaded)
        );
        client.batch_execute(&conflicting).await.unwrap();
        let came = loaded.drive().await;
        came.assert_failed_only(FailureKind::Conflict);
        assert!(
            came.messages().contains("made by a test"),
            "{}",
            came.messages()
        );
        let undone = "DROP FUNCTION conflicting CASCADE";
        client.batch_execute(undone).await.unwrap();
    }
    loaded.drive().await.assert_right("updates");
}

/// A load whose connections are broken fails no more than what was on its way, and goes on with new ones.
async fn broken_connections_are_replaced(theirs: &Theirs, started: &Started) {
    let loaded = target(started, ID, &workload(READINGS, UPDATES), LIMIT).await;
    let client = theirs.client("metrics").await;
    let breaking = async {
        let broken = updating(&client, &[]).await;
        for process in &broken {
            let sql = "SELECT pg_terminate_backend($1)";
            client.query_one(sql, &[process]).await.unwrap();
        }
        updating(&client, &broken).await
    };
    let breaking = tokio::time::timeout(LONG_LOAD, breaking);
    let (came, replaced) = tokio::join!(loaded.drive_for(LONG_LOAD), breaking);
    assert!(replaced.is_ok(), "no other connections were made");
    came.assert_failed_only(FailureKind::Connection);
    assert!(came.of("update").failed() < came.of("update").successes());
}

/// A query that the server refuses does not make it log in another session for the next one.
async fn queries_that_fail_keep_their_connections(theirs: &Theirs, started: &Started) {
    let loaded = target(started, ID, &workload(READINGS, FAILING_QUERIES), LIMIT).await;
    let client = theirs.client("metrics").await;
    let before = sessions(&client).await;
    let came = loaded.drive().await;
    came.assert_failed_only(FailureKind::Rejected);
    assert!(came.messages().contains("division by zero"));
    let after = sessions(&client).await;
    if let (Some(before), Some(after)) = (before, after) {
        let failed = came.of("failing").failed() as i64;
        assert!(after - before < failed / 2, "{before} to {after}, {failed}");
    }
}

/// Returns how many sessions the database has had; `None` before PostgreSQL 14.
async fn sessions(client: &Client) -> Option<i64> {
    let sql =
        "SELECT to_jsonb(d) ->> 'sessions' FROM pg_stat_database AS d WHERE datname = 'metrics'";
    let sessions: Option<String> = client.query_one(sql, &[]).await.unwrap().get(0);
    sessions.map(|sessions| sessions.parse().unwrap())
}

/// Waits until updates come on as many connections as a load has, and returns their processes, without these.
async fn updating(client: &Client, without: &[i32]) -> Vec<i32> {
    loop {
        let sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'bakeoff' \
                   AND state = 'active' AND query LIKE 'UPDATE %' AND pid <> ALL($1)";
        let rows = client.query(sql, &[&without]).await.unwrap();
        if rows.len() >= CONNECTIONS as usize {
            return rows.iter().map(|row| row.get(0)).collect();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn table_of(loaded: &Loaded) -> String {
    let mut statements = loaded.target.info().statements.iter();
    let create = statements.find(|s| s.starts_with("CREATE TABLE") && s.contains("\"readings\""));
    create.unwrap().split(' ').nth(2).unwrap().to_owned()
}

/// Returns the key of a row as SQL.
fn key_of(loaded: &Loaded, row: u64) -> [String; 2] {
    let time = loaded.key(1, row);
    [
        loaded.key(0, row),
        format!("TIMESTAMP 'epoch' + INTERVAL '1 millisecond' * {time}"),
    ]
}

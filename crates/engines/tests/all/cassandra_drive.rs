//! Tests of loads on a real Cassandra: every action on every layout writes and reads the right values,
//! wrong and missing rows are reported, statements as written work, and each kind of failure is
//! counted as what it is.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_driver::drive::{Schedule, Stop, drive};
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::{Server, ServerOptions};
use bakeoff_stats::{FailureKind, ServerSample};
use bakeoff_testing::times;
use bakeoff_workload::{Consistency, DesignId, Value, Version};

use crate::support::load::{IN_FLIGHT, Loaded, Loads, Seconds, failures, workload};
use crate::support::{has_cassandra, shared};
use hdrhistogram::Histogram;
use scylla::value::CqlTimestamp;

/// Response time in nanoseconds above which an operation was held up.
const LATE_NS: u64 = 100_000_000;

const LAYOUTS: &[&str] = &[
    "cassandra/narrow",
    "cassandra/wide",
    "cassandra/wide?bucket=100s",
    "cassandra/blob?compressor=none",
    "cassandra/compact?caching=rows:10&chunk=4KiB&compaction=UCS:T4",
];

/// A workload of 20 sensors with 100 times each, columns of every type, and nulls among choices.
const READINGS: &str = r#"
title = "Readings of a test"
seed = 7
[table]
name = "readings"
columns = { sensor = "text", time = "timestamp", flag = "boolean", level = "int", total = "bigint", value = "double", note = "text", seen = "timestamp", raw = "blob" }
partition_key = ["sensor"]
order_key = ["time"]
[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 20 }, prefix = "s" }
time = { sequence = { start = "2024-01-01T00:00:00Z", step = "10s", every = 20 } }
flag = { choice = [true, false] }
level = { uniform = [-100, 100] }
total = { zipf = { items = 1000, exponent = 0.99 } }
value = { normal = { mean = 100, deviation = 5 } }
note = { characters = [0, 50] }
seen = { sequence = { start = "2020-01-01T00:00:00Z", step = "1s" } }
raw = { bytes = { length = [0, 100], compressibility = 0.5 } }
[scale]
rows = 2000
"#;

const EVERYTHING: &str = r#"
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
columns = ["level", "note", "raw"]
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

async fn server(folder: &Path) -> Server {
    let home = Home::from_env().unwrap();
    let mut options = ServerOptions::new(home, folder.join("cassandra")).unwrap();
    options.heap_mib = 1024;
    Server::start(options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mixes_on_a_real_cassandra() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let address = server.address().to_string();
    let run_dir = folder.path().join("run");
    let loads = Loads::new(&address, &run_dir, Some("drive_test")).await;

    for id in LAYOUTS {
        every_action_is_right(&loads, id).await;
        wrong_and_missing_rows_are_reported(&loads, id).await;
        rows_may_go(&loads, id).await;
    }
    queries_see_new_buckets(&loads).await;
    queries_have_their_consistency(&loads).await;
    let written = Loads::new(&address, &run_dir, Some("written_test")).await;
    written_statements_work(&written).await;
    what_does_not_fit_is_refused(&written).await;
    views_are_settled(&written).await;
    nothing_of_others_is_dropped(&loads, &written).await;
    later_shards_wait_for_the_first(&loads).await;
    written.running.finish(false).await.unwrap();
    time_outs_are_counted(&loads).await;
    too_few_replicas_are_counted(&loads).await;
    the_server_is_sampled(&loads, &server).await;
    a_shared_keyspace_stays(loads, &address, &run_dir).await;
}

async fn every_action_is_right(loads: &Loads, id: &str) {
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

fn table_of(loaded: &Loaded) -> String {
    let info = loaded.target.info();
    let create = info
        .statements
        .iter()
        .find(|s| s.starts_with("CREATE TABLE drive_test"));
    create.unwrap().split(' ').nth(2).unwrap().to_owned()
}

async fn wrong_and_missing_rows_are_reported(loads: &Loads, id: &str) {
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

async fn rows_may_go(loads: &Loads, id: &str) {
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

const WRITTEN_TABLES: &str = r#"
title = "Statements as written"
seed = 3
designs = ["cassandra/as-written"]
[table]
name = "accounts"
columns = { id = "text", value = "int", step = "bigint", street = "text", city = "text", status = "text" }
partition_key = ["id"]
order_key = []
[data]
generator = "columns"
[data.columns]
id = { sequence = {}, prefix = "k" }
value = { uniform = [0, 9] }
step = { uniform = [1, 3] }
street = { characters = [5, 10] }
city = { choice = ["a", "b"] }
status = { choice = ["open", "locked"] }
[scale]
rows = 300
[mix]
schema = [
  "CREATE TYPE ${keyspace}.address (street text, city text)",
  "CREATE TABLE ${keyspace}.lwt (id text PRIMARY KEY, value int, status text)",
  "CREATE TABLE ${keyspace}.counts (id text PRIMARY KEY, n counter)",
  "CREATE TABLE ${keyspace}.people (id text PRIMARY KEY, city text, home frozen<address>, tags set<text>, names map<text, text>)",
  "CREATE MATERIALIZED VIEW ${keyspace}.by_city AS SELECT * FROM ${keyspace}.people WHERE city IS NOT NULL AND id IS NOT NULL PRIMARY KEY (city, id)",
]
populate = [
  "INSERT INTO ${keyspace}.lwt (id, value, status) VALUES (:id, :value, :status)",
  "INSERT INTO ${keyspace}.people (id, city, home) VALUES (:id, :city, {street: :street, city: :city})",
]
"#;

const WRITTEN: &str = r#"
[[mix.operations]]
name = "increment"
action = "cql"
weight = 20
statements = [
  "SELECT value FROM ${keyspace}.lwt WHERE id = :id",
  "UPDATE ${keyspace}.lwt SET value = :new WHERE id = :id IF value = :old",
]
bind = { old = { result = "value" }, new = { result = "value", plus = 1 } }
[[mix.operations]]
name = "make"
action = "cql"
weight = 10
keys = "new"
statements = [
  "SELECT value FROM ${keyspace}.lwt WHERE id = :id",
  "UPDATE ${keyspace}.lwt SET value = :new WHERE id = :id IF value = :old",
]
bind = { old = { result = "value" }, new = { result = "value", plus = 1 } }
otherwise = "INSERT INTO ${keyspace}.lwt (id, value, status) VALUES (:id, :value, 'open') IF NOT EXISTS"
[[mix.operations]]
name = "lock"
action = "cql"
weight = 10
keys = { zipf = 0.99 }
statements = [
  "SELECT status FROM ${keyspace}.lwt WHERE id = :id",
  "UPDATE ${keyspace}.lwt SET status = :next WHERE id = :id IF status = :now",
]
bind = { now = { result = "status" }, next = { result = "status", toggle = ["open", "locked"] } }
[[mix.operations]]
name = "absent"
action = "cql"
weight = 5
statements = ["INSERT INTO ${keyspace}.lwt (id, value) VALUES (:id, :value) IF NOT EXISTS"]
[[mix.operations]]
name = "count"
action = "cql"
weight = 10
statements = ["UPDATE ${keyspace}.counts SET n = n + :step WHERE id = :id"]
[[mix.operations]]
name = "tag"
action = "cql"
weight = 10
statements = ["UPDATE ${keyspace}.people SET tags = tags + :street, names[:city] = :street WHERE id = :id"]
[[mix.operations]]
name = "read"
action = "cql"
weight = 20
statements = ["SELECT id, city FROM ${keyspace}.people WHERE id = :id"]
expect = ["id", "city"]
expect_row = true
[[mix.operations]]
name = "scan"
action = "cql"
weight = 5
statements = ["SELECT id, city FROM ${keyspace}.people WHERE token(id) >= token(:id) LIMIT 5"]
expect = ["id", "city"]
expect_row = true
[[mix.operations]]
name = "by-city"
action = "cql"
weight = 10
statements = ["SELECT city, id FROM ${keyspace}.by_city WHERE city = :city LIMIT 10"]
expect = ["city"]
expect_row = true
[[mix.background]]
every = "500ms"
cycle = 2
statements = ["CREATE TABLE IF NOT EXISTS ${keyspace}.other_${number} (id int PRIMARY KEY)", "DROP TABLE IF EXISTS ${keyspace}.other_${number}"]
"#;

const WRITTEN_READS: &str = r#"
[[mix.operations]]
name = "read"
action = "cql"
weight = 100
keys = "sequential"
statements = ["SELECT id, city FROM ${keyspace}.people WHERE id = :id"]
expect = ["id", "city"]
expect_row = true
"#;

/// Minimum time in which the background statements can make and drop their tables.
const WRITTEN_FOR: Duration = Duration::from_millis(1_500);

async fn written_statements_work(loads: &Loads) {
    let workload = workload(WRITTEN_TABLES, WRITTEN);
    let id = "cassandra/as-written";
    let loaded = loads.target(id, &workload).await;
    loaded.fill().await;
    let design = loaded.target.design().unwrap();
    assert!(design.survives().await);
    assert!(design.answer("SELECT 1").await.is_err());
    // Once: what was done is compared with what is there.
    let came = loaded.drive_for(times(2, 4) * WRITTEN_FOR).await;
    came.assert_right(id);
    assert!(came.of("lock").not_applied < came.of("lock").successes());
    let absent = came.of("absent");
    assert_eq!(absent.not_applied, absent.successes());
    assert_eq!(came.of("make").not_applied, 0);
    // Its first statement returns a value of four bytes, the second one writes three.
    let increments = came.of("increment");
    assert!(increments.not_applied < increments.successes());
    assert!(increments.rows > increments.successes());
    assert!(increments.bytes > 12 * (increments.successes() - increments.not_applied));
    // The following rows are others than the one that is expected.
    assert!(came.of("scan").rows > 2 * came.of("scan").successes());
    assert!(came.of("by-city").rows > 5 * came.of("by-city").successes());
    let background = &came.driven.background;
    assert!(
        background.statements > 0 && background.failed == 0,
        "{background:?}"
    );

    // What the counters and the conditional updates say is what was done.
    let increments = came.of("increment");
    let applied = increments.successes() - increments.not_applied;
    let values = sum(
        loads,
        "SELECT sum(cast(value as bigint)) FROM written_test.lwt",
    )
    .await;
    let expected: i64 = (0..300 + came.of("make").successes())
        .map(|row| loaded.key(1, row).parse::<i64>().unwrap())
        .sum();
    assert_eq!(values, expected + applied as i64);
    let counted = sum(
        loads,
        "SELECT sum(cast(n as bigint)) FROM written_test.counts",
    )
    .await;
    let counts = came.of("count").successes() as i64;
    assert!(
        (counts..=3 * counts).contains(&counted),
        "{counted} of {counts}"
    );

    let reads = loads
        .target(id, &self::workload(WRITTEN_TABLES, WRITTEN_READS))
        .await;
    reads.drive().await.assert_right(id);
    loads
        .cql("UPDATE written_test.people SET city = 'c' WHERE id = 'k7'")
        .await;
    let came = reads.drive().await;
    came.assert_failed_only(FailureKind::Wrong);
    let told = "column `city` of row 7 is \"c\", not ";
    assert!(came.messages().contains(told), "{}", came.messages());
    loads
        .cql("DELETE FROM written_test.people WHERE id = 'k7'")
        .await;
    let came = reads.drive().await;
    came.assert_failed_only(FailureKind::Missing);
}

async fn sum(loads: &Loads, cql: &str) -> i64 {
    let rows = loads.session.query_unpaged(cql, ()).await.unwrap();
    let rows = rows.into_rows_result().unwrap();
    rows.single_row::<(i64,)>().unwrap().0
}

async fn what_does_not_fit_is_refused(loads: &Loads) {
    let describe = |id: &str, text: &bakeoff_workload::Workload| {
        let id: DesignId = id.parse().unwrap();
        let described = engine(&id).unwrap().describe(&id, text, &loads.context);
        described.map_err(|e| e.to_string())
    };
    let readings = workload(READINGS, ROW_BY_ROW);
    let written = workload(WRITTEN_TABLES, WRITTEN);
    let error = describe("cassandra/as-written", &readings).unwrap_err();
    assert!(error.contains("cassandra/wide"), "{error}");
    let error = describe("cassandra/wide", &written).unwrap_err();
    assert!(error.contains("cassandra/as-written"), "{error}");
    let info = describe("cassandra/as-written", &written).unwrap();
    for part in [
        "CREATE TYPE written_test.address",
        "IF NOT EXISTS",
        "-- increment",
        "other_",
    ] {
        assert!(
            info.statements.iter().any(|s| s.contains(part)),
            "{part}: {info:?}"
        );
    }

    let dropping = |s: &String| s.starts_with("DROP KEYSPACE");
    assert!(!info.statements.iter().any(dropping), "{info:?}");
    let settled = "ALTER MATERIALIZED VIEW written_test.by_city WITH memtable_flush_period_in_ms";
    assert!(
        info.statements.iter().any(|s| s.starts_with(settled)),
        "{info:?}"
    );

    for (right, mistaken, operation, told) in [
        (
            "n = n + :step",
            "n = n + :value",
            "`count`",
            "column `value`",
        ),
        (
            "SELECT city, id",
            "SELECT id",
            "`by-city`",
            "no column `city`",
        ),
    ] {
        let mistaken = workload(WRITTEN_TABLES, &WRITTEN.replace(right, mistaken));
        let loaded = loads.target("cassandra/as-written", &mistaken).await;
        let error = loaded.target.prepare().await.unwrap_err().to_string();
        assert!(error.contains(operation) && error.contains(told), "{error}");
    }
}

/// Checks that settling flushes views, too, and resets all settings.
async fn views_are_settled(loads: &Loads) {
    let workload = workload(WRITTEN_TABLES, WRITTEN);
    let loaded = loads.target("cassandra/as-written", &workload).await;
    let how = loaded.target.design().unwrap().settle().await.unwrap();
    assert!(how.contains("memtable_flush_period_in_ms"), "{how}");
    for table in ["tables", "views"] {
        let cql = format!(
            "SELECT memtable_flush_period_in_ms FROM system_schema.{table} \
             WHERE keyspace_name = 'written_test'"
        );
        let found = loads.session.query_unpaged(cql, ()).await.unwrap();
        let found = found.into_rows_result().unwrap();
        let periods: Vec<i32> = found
            .rows::<(i32,)>()
            .unwrap()
            .map(|row| row.unwrap().0)
            .collect();
        assert!(
            !periods.is_empty() && periods.iter().all(|p| *p == 0),
            "{periods:?}"
        );
    }
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
async fn queries_see_new_buckets(loads: &Loads) {
    let mix = QUERIES.replace("count(*) AS n", "time");
    let id = "cassandra/wide?bucket=100s";
    let loaded = loads.target(id, &workload(READINGS, &mix)).await;
    loaded.fill().await;
    let came = loaded.drive().await;
    came.assert_right(id);
    assert!(came.of("query").rows > 0, "no new row was found");
}

async fn queries_have_their_consistency(loads: &Loads) {
    let limit = Duration::from_secs(10);
    let (id, three) = ("cassandra/wide", Some(Consistency::Three));
    let workload = workload(READINGS, QUERIES);
    loads.target(id, &workload).await.fill().await;
    let loaded = loads.target_with(id, &workload, limit, three).await;
    let came = loaded.drive().await;
    assert_eq!(came.of("query").successes(), 0, "one replica was enough");
}

/// Checks that tables of other workloads stay, and everything that a workload in CQL finds.
async fn nothing_of_others_is_dropped(loads: &Loads, written: &Loads) {
    let other = READINGS.replace("Readings of a test", "Others' readings");
    let other = loads
        .target("cassandra/wide", &workload(&other, ROW_BY_ROW))
        .await;
    let error = other.target.design().unwrap().create().await.unwrap_err().0;
    assert!(
        error.contains("Readings of a test") && error.contains("another --keyspace"),
        "{error}"
    );
    loads.cql("SELECT * FROM drive_test.wide LIMIT 1").await;

    let statements = workload(WRITTEN_TABLES, WRITTEN);
    let again = written.target("cassandra/as-written", &statements).await;
    let error = again.target.design().unwrap().create().await.unwrap_err().0;
    assert!(
        error.contains("people") && error.contains("--no-load"),
        "{error}"
    );
    written
        .cql("SELECT * FROM written_test.people LIMIT 1")
        .await;
    assert!(again.target.design().unwrap().survives().await);
}

async fn later_shards_wait_for_the_first(loads: &Loads) {
    let mut context = loads.context.clone();
    context.options.cassandra.keyspace = Some("later_test".to_owned());
    let (workload, second) = (readings_reads(), Duration::from_secs(1));
    let wait = |start, patience| {
        loads
            .running
            .wait_for_tables(&workload, &context, start, patience)
    };
    let error = wait("a", second).await.unwrap_err().to_string();
    assert!(error.contains("shard 1"), "{error}");
    let none = "SELECT * FROM system_schema.keyspaces WHERE keyspace_name = 'later_test'";
    let found = loads.session.query_unpaged(none, ()).await.unwrap();
    assert_eq!(
        found.into_rows_result().unwrap().rows_num(),
        0,
        "it was made by waiting"
    );

    let id: DesignId = "cassandra/wide".parse().unwrap();
    let first = async {
        let design = loads
            .running
            .design(&id, &workload, &context)
            .await
            .unwrap();
        design.create().await.unwrap();
        let announced = loads.running.announce_tables(&workload, &context, "a");
        announced.await.unwrap();
    };
    let (waited, ()) = tokio::join!(wait("a", 60 * second), first);
    waited.unwrap();
    assert!(
        wait("b", second).await.is_err(),
        "another start has tables of its own"
    );
}

async fn time_outs_are_counted(loads: &Loads) {
    let workload = workload(READINGS, EVERYTHING);
    let filled = loads.target("cassandra/wide", &workload).await;
    filled.fill().await;
    let limit = Duration::from_micros(20);
    let loaded = loads
        .target_with("cassandra/wide", &readings_reads(), limit, None)
        .await;
    let came = loaded.drive().await;
    came.assert_failed_only(FailureKind::TimedOut);
}

fn readings_reads() -> bakeoff_workload::Workload {
    workload(READINGS, ROW_BY_ROW)
}

async fn too_few_replicas_are_counted(loads: &Loads) {
    let limit = Duration::from_secs(10);
    let three = Some(Consistency::Three);
    let loaded = loads
        .target_with("cassandra/wide", &readings_reads(), limit, three)
        .await;
    let came = loaded.drive().await;
    came.assert_failed_only(FailureKind::Unavailable);
    assert_eq!(came.of("read-row").successes(), 0);
    assert!(
        came.messages().contains("read-row: "),
        "{}",
        came.messages()
    );
}

/// Workload with all rows in one partition, whose reads are slow enough for the server's own figures,
/// which have a resolution of a millisecond.
const ONE_PARTITION: &str = r#"
[mix]
[[mix.operations]]
action = "read-partition"
weight = 100
"#;

async fn the_server_is_sampled(loads: &Loads, server: &Server) {
    let one = READINGS
        .replace("cycle = 20", "cycle = 1")
        .replace("every = 20", "every = 1");
    let id = "cassandra/wide?chunk=64KiB";
    let loaded = loads.target(id, &workload(&one, ONE_PARTITION)).await;
    loaded.fill().await;
    loaded.drive().await.assert_right("sampled");
    // A server that is kept busy may not answer in time for one sample.
    let sample = loop {
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        let sample = loaded.target.sample().await;
        if sample.pending_compactions.is_some() {
            break sample;
        }
    };
    // The server is not the engine's own.
    assert_eq!(sample.cpu_seconds, None);
    let table = table_of(&loaded);
    let (keyspace, table) = table.split_once('.').unwrap();
    let by_jmx = server.nodetool(&["tablehistograms", keyspace, table]).await;
    let by_jmx = by_jmx.unwrap();
    let line = by_jmx.lines().find(|l| l.starts_with("99%")).unwrap();
    let p99: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    // The server's own table has whole milliseconds, and none for less.
    let seen = sample.read_p99_micros.unwrap_or(0.0);
    assert!((seen - p99).abs() <= 1_000.0, "{sample:?}, by JMX {line}");
}

async fn a_shared_keyspace_stays(loads: Loads, address: &str, run_dir: &Path) {
    let elsewhere = run_dir.with_file_name("elsewhere");
    let other = Loads::new(address, &elsewhere, Some("drive_test")).await;
    let loaded = other.target("cassandra/wide", &readings_reads()).await;
    loaded.drive().await.assert_right("shared");
    drop(loaded);
    other.running.finish(false).await.unwrap();
    let tables = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'drive_test'";
    let left = loads.session.query_unpaged(tables, ()).await.unwrap();
    assert!(left.into_rows_result().unwrap().rows_num() > 0);

    loads.cql("CREATE KEYSPACE theirs WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}").await;
    for (name, why) in [
        ("theirs", "does not carry Bakeoff's marker"),
        ("Not ok", "is not a valid keyspace name"),
    ] {
        let mut context = loads.context.clone();
        context.options.cassandra.keyspace = Some(name.to_owned());
        let id: DesignId = "cassandra/wide".parse().unwrap();
        let refused = loads.running.design(&id, &readings_reads(), &context).await;
        let error = refused.err().unwrap().to_string();
        assert!(error.contains(why), "{error}");
    }
    loads.running.finish(false).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_our_own_is_settled_and_sampled() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path()).await;
    let address = server.address().to_string();
    let mut loads = Loads::new(&address, &folder.path().join("run"), None).await;
    a_stall_is_seen(&loads, &server).await;
    let server = a_restart_is_survived(&loads, server).await;
    loads.running.finish(false).await.unwrap();
    server.stop().await.unwrap();

    loads.context.options.cassandra.cluster = None;
    loads.context.options.cassandra.server.heap_mib = Some(1024);
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let running = engine(&id).unwrap().start(&loads.context).await.unwrap();
    loads.running = running;
    figures_of_a_load_are_there(&loads).await;
    loads.running.finish(false).await.unwrap();
}

const READS_AND_WRITES: &str = r#"
[mix]
[[mix.operations]]
action = "read-row"
weight = 50
[[mix.operations]]
action = "insert"
keys = "uniform"
weight = 50
"#;

/// Checks that a server that is halted for a second delays every operation of that second, while
/// service time shows only those that were in flight.
async fn a_stall_is_seen(loads: &Loads, server: &Server) {
    let workload = workload(READINGS, READS_AND_WRITES);
    let loaded = loads.target("cassandra/wide", &workload).await;
    loaded.fill().await;
    let warm = loaded.plan(Schedule::ClosedLoop, Duration::from_secs(times(2, 15)));
    let warm = loaded.drive_plan(&warm).await;
    warm.assert_right("warming up");
    // On a machine that others keep busy all operations may be late: fewer are asked for there.
    let rate = (warm.driven.rate_reached / 3.0).clamp(1.0, 5_000.0).floor();
    println!("{rate} operations/s");

    let mut plan = loaded.plan(Schedule::constant(rate).unwrap(), Duration::from_secs(5));
    plan.drain_limit = Duration::from_secs(300);
    let stall = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.pause().unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        server.resume().unwrap();
    };
    let (came, ()) = tokio::join!(loaded.drive_plan(&plan), stall);
    came.assert_right("stalled");
    let mut all = came.operations[0].clone();
    all += &came.operations[1];
    let delayed = |times: &Histogram<u64>| times.count_between(LATE_NS, times.max());
    let (response, service) = (delayed(&all.response), delayed(&all.service));
    // Those that were due in its first 0.9 s waited for 0.1 s and more.
    let least = (0.8 * rate) as u64;
    assert!(response >= least, "{response} late at {rate}/s");
    assert!(
        all.response.max() >= 1_000_000_000,
        "{} ns",
        all.response.max()
    );
    // Of the stall only those that were under way; a slow machine adds its own to both, and where it
    // is so slow that every operation takes as long, nothing can be said.
    let is_fast = warm.driven.rate_reached > 2.0 * f64::from(IN_FLIGHT) * 1e9 / LATE_NS as f64;
    assert!(
        !is_fast || response >= service + least.saturating_sub(u64::from(IN_FLIGHT)),
        "{service} late by service time, {response} by response time"
    );
    assert_eq!(all.successes(), 5 * rate as u64);
}

/// Time limit for a server to start and for the client to reconnect.
const BACK_WITHIN: Duration = Duration::from_secs(600);

async fn a_restart_is_survived(loads: &Loads, server: Server) -> Server {
    let loaded = loads
        .target("cassandra/wide", &workload(READINGS, READS_AND_WRITES))
        .await;
    loaded.target.prepare().await.unwrap();
    let plan = loaded.plan(Schedule::constant(300.0).unwrap(), BACK_WITHIN);
    let (stop, mut seconds) = (Stop::new(), Seconds::default());
    let seen = seconds.clone();
    let restart = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.kill().await.unwrap();
        let server = server.restart().await.unwrap();
        let again = seen.0.lock().unwrap().len();
        let back = || {
            let seconds = seen.0.lock().unwrap();
            let done = |s: &bakeoff_driver::drive::Second| s.operations[0].successes() > 0;
            seconds[again.min(seconds.len())..]
                .iter()
                .filter(|s| done(s))
                .count()
                >= 3
        };
        while !back() && !stop.is_asked() {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        stop.stop();
        server
    };
    let load = async {
        let driven = drive(loaded.target.clone(), &plan, &stop, &mut seconds).await;
        stop.stop();
        driven.unwrap()
    };
    let (driven, server) = tokio::join!(load, restart);
    assert!(driven.worker_failures.is_empty(), "{driven:?}");
    assert!(driven.duration < BACK_WITHIN, "it never came back");
    let all = seconds.operations();
    let failed = |kind| all.iter().map(|t| failures(t, kind)).sum::<u64>();
    let gone = failed(FailureKind::Connection) + failed(FailureKind::TimedOut);
    let unavailable = failed(FailureKind::Unavailable);
    assert!(failed(FailureKind::Connection) > 0);
    let sum: u64 = all.iter().map(|t| t.failed()).sum();
    assert_eq!(gone + unavailable, sum, "{:?}", driven.failures);
    server
}

async fn figures_of_a_load_are_there(loads: &Loads) {
    for id in [
        "cassandra/wide?chunk=4KiB",
        "cassandra/blob?compressor=none",
    ] {
        let loaded = loads
            .target(id, &workload(READINGS, READS_AND_WRITES))
            .await;
        loaded.fill().await;
        let design = loaded.target.design().unwrap();
        // A second table comes when the first one is at rest, and is settled all the same.
        design.settle().await.unwrap();
        let footprint = design.footprint().await.unwrap();
        assert!(footprint.file_bytes.unwrap() > 50_000, "{footprint:?}");
        let metadata = footprint.compression_metadata_bytes.unwrap();
        if id.contains("none") {
            assert_eq!(metadata, 0, "{footprint:?}")
        } else {
            assert!(metadata > 0, "{footprint:?}")
        }
        let before = loaded.target.sample().await;
        loaded.drive().await.assert_right(id);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let asked = Instant::now();
        let after = loaded.target.sample().await;
        assert!(
            after.cpu_seconds > before.cpu_seconds,
            "{before:?} {after:?}"
        );
        let again = loaded.target.sample().await;
        if asked.elapsed() < Duration::from_secs(1) {
            assert_eq!(again, after, "asked again within a second");
        }
        let ServerSample {
            resident_bytes,
            disk_read_bytes,
            disk_written_bytes,
            gc_count,
            gc_seconds,
            load_average,
            key_cache,
            ..
        } = &after;
        assert!(
            resident_bytes.is_some_and(|bytes| bytes > 100 << 20),
            "{after:?}"
        );
        assert!(
            disk_read_bytes.is_some() && disk_written_bytes.is_some(),
            "{after:?}"
        );
        assert!(gc_count.is_some() && gc_seconds.is_some(), "{after:?}");
        assert!(load_average.is_some(), "{after:?}");
        let asked = key_cache.is_some_and(|cache| cache.hits <= cache.requests);
        assert!(asked, "{after:?}");
    }
}

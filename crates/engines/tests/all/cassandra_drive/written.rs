//! Statements as written in a workload: what they do is counted and compared, and what does not fit is refused.

use std::time::Duration;

use bakeoff_engines::registry::engine;
use bakeoff_stats::FailureKind;
use bakeoff_testing::times;
use bakeoff_workload::DesignId;

use crate::support::load::{Loads, READINGS, ROW_BY_ROW, workload};

pub const WRITTEN_TABLES: &str = r#"
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

pub const WRITTEN: &str = r#"
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

pub async fn written_statements_work(loads: &Loads) {
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

pub async fn what_does_not_fit_is_refused(loads: &Loads) {
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
pub async fn views_are_settled(loads: &Loads) {
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

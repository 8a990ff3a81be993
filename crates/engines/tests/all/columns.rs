//! Tests of designs that store some columns of a table, and of short names of columns: in files, in a directory, and
//! on a real Cassandra they answer as the rows do, and have the columns that the setting says.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StringArray, TimestampMillisecondArray};
use bakeoff_driver::Design;
use bakeoff_engines::registry::engine;
use bakeoff_stats::Role;
use bakeoff_workload::{ColumnType, DesignId};
use scylla::client::session::Session;

use crate::support::{Started, Table, events, wrong_answers};

/// Questions about the first four columns of the events, the key among them.
pub const QUERIES: &[&str] = &[
    "SELECT count(*) AS n FROM events",
    "SELECT series, time, flag, small FROM events",
    "SELECT small FROM events WHERE series = 'a' AND time >= TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT flag, count(*) AS n, sum(small) AS total FROM events GROUP BY flag ORDER BY flag",
    "SELECT max(time) AS last FROM events WHERE series = 'nobody'",
];
const LABELS: &str = "SELECT label FROM events";

/// The table with a question that a few of its columns answer, beside one for all of them.
pub fn table() -> Table {
    let mut table = events();
    let mut count = table.workload.queries[0].clone();
    "count".clone_into(&mut count.name);
    "SELECT count(*) AS n FROM events".clone_into(&mut count.sql);
    table.workload.queries.push(count);
    table
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_some_columns_answer_as_the_rows_do() {
    let (folder, table) = (tempfile::tempdir().unwrap(), table());
    let oracle = table.oracle(table.rows.clone()).await;
    for (some, all) in [
        ("parquet?columns=4", "parquet"),
        ("parquet?columns=4&sort=small", "parquet?sort=small"),
        ("local/columnar?columns=4", "local/columnar"),
    ] {
        let started = Started::new(all, folder.path().to_owned()).await;
        let design = stores_four_columns(&started, some, &table).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, QUERIES).await;
        assert_eq!(wrong, [""; 0]);
        let whole = started.loaded(all, &table).await;
        whole.settle().await.unwrap();
        let fewer = design.footprint().await.unwrap();
        assert_eq!(fewer.design, some);
        let more = whole.footprint().await.unwrap();
        assert!(fewer.bytes().unwrap() < more.bytes().unwrap(), "{some}");
    }
}

/// Loads and settles a design with four of the columns.
pub async fn stores_four_columns(started: &Started, id: &str, table: &Table) -> Box<dyn Design> {
    let design = started.loaded(id, table).await;
    design.settle().await.unwrap();
    let info = design.info();
    assert_eq!((info.id.as_str(), info.role), (id, Role::SomeColumns));
    let reason = info.why_not_asked("all");
    assert_eq!(reason, Some("reads all columns of the table"));
    assert_eq!(info.why_not_asked("count"), None);
    assert!(design.answer(LABELS).await.is_err(), "{id}");
    assert!(design.inserts().await.unwrap().is_none(), "{id}");
    design
}

/// Runs the tests on a server that other tests use, too.
pub async fn columns_on_a_real_cassandra(cassandra: &Started, session: &Session) {
    some_columns_answer_as_the_rows_do(cassandra, session).await;
    partitions_are_known_by_the_columns_of_the_whole_table(cassandra).await;
    short_names_are_those_in_cassandra_alone(cassandra, session).await;
}

async fn some_columns_answer_as_the_rows_do(cassandra: &Started, session: &Session) {
    let table = table();
    let oracle = table.oracle(table.rows.clone()).await;
    let plain = ["flag", "series", "small", "time"].as_slice();
    let blob = ["bakeoff_row", "series", "time"].as_slice();
    let short = ["a", "b", "c", "d"].as_slice();
    for (id, columns) in [
        ("cassandra/narrow?columns=4", Some(plain)),
        ("cassandra/wide?columns=4&order=desc", Some(plain)),
        ("cassandra/wide?columns=4&names=short", Some(short)),
        ("cassandra/wide?columns=4&index=small", Some(plain)),
        ("cassandra/blob?columns=4", Some(blob)),
        ("cassandra/compact?columns=4", Some(blob)),
        ("cassandra/columnar?columns=4", None),
    ] {
        let design = stores_four_columns(cassandra, id, &table).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, QUERIES).await;
        assert_eq!(wrong, [""; 0]);
        if let Some(columns) = columns {
            assert_eq!(columns_of(session, design.as_ref()).await, columns, "{id}");
        }
    }
}

/// The key is behind other columns, of which one is not stored.
async fn partitions_are_known_by_the_columns_of_the_whole_table(cassandra: &Started) {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Float64Array::from(vec![1.5, 2.5])),
        Arc::new(StringArray::from(vec!["x", "y"])),
        Arc::new(StringArray::from(vec!["a", "b"])),
        Arc::new(TimestampMillisecondArray::from(vec![0, 1])),
    ];
    let mut table = Table::new(
        "notes",
        r#"partition_key = ["series"]
order_key = ["time"]
columns = { value = "double", note = "text", series = "text", time = "timestamp" }"#,
        columns,
    );
    "SELECT value, series FROM notes".clone_into(&mut table.workload.queries[0].sql);
    let id = "cassandra/wide?bucket=1d&columns=3";
    let design = cassandra.loaded(id, &table).await;
    let key = design.partition_key().unwrap();
    assert_eq!(key.columns, [(2, ColumnType::Text)]);
    assert_eq!(key.bucket.unwrap().column, (3, ColumnType::Timestamp));
    let oracle = table.oracle(table.rows.clone()).await;
    let asked = ["SELECT value, series, time FROM notes WHERE series = 'b'"];
    let wrong = wrong_answers(design.as_ref(), &oracle, &asked).await;
    assert_eq!(wrong, [""; 0]);
}

async fn short_names_are_those_in_cassandra_alone(cassandra: &Started, session: &Session) {
    let table = events();
    for (id, columns) in [
        (
            "cassandra/narrow?names=short",
            ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].as_slice(),
        ),
        (
            "cassandra/wide?bucket=1d&names=short",
            ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"].as_slice(),
        ),
    ] {
        let design = cassandra.loaded(id, &table).await;
        assert_eq!(columns_of(session, design.as_ref()).await, columns, "{id}");
        let answer = design.answer("SELECT * FROM events").await.unwrap();
        let schema = answer.batches[0].schema();
        let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
        assert_eq!(
            names,
            [
                "series", "time", "flag", "small", "large", "value", "label", "seen", "weight",
                "due"
            ]
        );
    }
}

/// The names that Cassandra has for the columns of a design's table, in alphabetical order.
async fn columns_of(session: &Session, design: &dyn Design) -> Vec<String> {
    let made = design.info().statements.iter();
    let mut made = made.filter(|s| s.starts_with("CREATE TABLE") && !s.contains("bakeoff_marker"));
    let name = made
        .find_map(|statement| statement.split(' ').find(|word| word.contains('.')))
        .unwrap();
    let (keyspace, table) = name.split_once('.').unwrap();
    let cql =
        "SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?";
    let found = session
        .query_unpaged(cql, (keyspace.replace('"', ""), table))
        .await
        .unwrap();
    let found = found.into_rows_result().unwrap();
    let rows = found.rows::<(String,)>().unwrap();
    let mut names: Vec<String> = rows.map(|row| row.unwrap().0).collect();
    names.sort();
    names
}

#[test]
fn operations_and_inserts_are_refused_for_what_they_cannot_write() {
    for (id, words) in [
        ("cassandra/wide?columns=4", "leave columns= out"),
        ("cassandra/narrow?names=short", "leave names=short out"),
    ] {
        let id: DesignId = id.parse().unwrap();
        let refused = engine(&id).unwrap().check_operations(&id).unwrap_err();
        assert!(refused.to_string().contains(words), "{refused}");
    }
    let id: DesignId = "cassandra/wide?names=full".parse().unwrap();
    engine(&id).unwrap().check_operations(&id).unwrap();
    for (id, takes) in [
        ("cassandra/wide?columns=4", false),
        ("cassandra/columnar?columns=4", false),
        ("local/columnar?columns=4", false),
        ("local/columnar", true),
        ("cassandra/wide?names=short", true),
    ] {
        let id: DesignId = id.parse().unwrap();
        let engine = engine(&id).unwrap();
        assert_eq!(engine.takes_inserts(&id), takes, "{id}");
    }
}

//! What designs read of their tables for a question.

use super::EVENT_QUERIES;
use crate::support::{Started, THREADS, Table, events, executed, wrong_answers};

pub async fn only_what_is_asked_for_is_read(cassandra: &Started) {
    let table = events();
    let one_day = "series = 'a' AND time >= TIMESTAMP '1970-01-01T00:00:00' \
                   AND time < TIMESTAMP '1970-01-02T00:00:00'";
    let one_row = "series = 'a' AND time = TIMESTAMP '1970-01-01T00:00:00'";
    for (id, condition, rows) in [
        ("cassandra/wide", "series = 'a'", 21),
        ("cassandra/wide", "series IN ('a', 'b', 'nobody')", 42),
        ("cassandra/wide", one_day, 3),
        ("cassandra/wide", one_row, 1),
        ("cassandra/wide", "series = 'nobody'", 0),
        ("cassandra/wide?bucket=1d", one_day, 3),
        ("cassandra/wide?bucket=1d", "series = 'a'", 21),
        ("cassandra/blob?compressor=Deflate", one_day, 3),
        ("cassandra/narrow", one_row, 1),
        ("cassandra/narrow", "series = 'a'", 84),
        ("cassandra/wide", "label = 'plain'", 84),
    ] {
        let design = cassandra.design(id, &table).await;
        let sql = format!("SELECT time, label FROM events WHERE {condition}");
        let answer = design.answer(&sql).await.unwrap();
        assert_eq!(answer.rows_scanned, Some(rows), "{id}: {sql}");
    }
    let any_series = "SELECT count(label) AS n FROM events WHERE time \
                      >= TIMESTAMP '1970-01-01T00:00:00' AND time < TIMESTAMP '1970-01-02T00:00:00'";
    let newest = "SELECT DISTINCT ON (series) * FROM events ORDER BY series, time DESC";
    let oldest = "SELECT DISTINCT ON (series) * FROM events ORDER BY series, time";
    for (id, sql, rows) in [
        ("cassandra/wide", any_series, 12),
        ("cassandra/narrow", any_series, 84),
        ("cassandra/wide?order=desc", any_series, 12),
        ("cassandra/wide?order=desc", newest, 4),
        ("cassandra/wide?order=desc", oldest, 84),
        ("cassandra/wide", newest, 84),
        ("cassandra/wide", oldest, 4),
        ("cassandra/compact?order=desc", newest, 4),
    ] {
        let design = cassandra.design(id, &table).await;
        let answer = design.answer(sql).await.unwrap();
        assert_eq!(answer.rows_scanned, Some(rows), "{id}: {sql}");
    }
    aggregates_and_large_partitions_are_asked_for_as_designs_say(cassandra, &table).await;
    let design = cassandra.design("cassandra/wide", &table).await;
    let answer = design
        .answer("SELECT time FROM events LIMIT 1")
        .await
        .unwrap();
    let scanned = answer.rows_scanned.unwrap();
    assert!(scanned <= THREADS as u64, "{scanned} rows for LIMIT 1");
}

async fn aggregates_and_large_partitions_are_asked_for_as_designs_say(
    cassandra: &Started,
    table: &Table,
) {
    let aggregate = "SELECT avg(value) AS mean, count(*) AS n FROM events WHERE series = 'a'";
    let others = "SELECT avg(value) AS mean FROM events WHERE series = 'a' AND flag";
    for (id, rows, has) in [
        ("cassandra/wide", 21, ""),
        ("cassandra/wide?aggregate=server&page=7", 21, "requests=1"),
        ("cassandra/wide?aggregate=ranges", 21, "ranges=16"),
        ("cassandra/narrow?aggregate=server", 84, ""),
    ] {
        let design = cassandra.design(id, table).await;
        let answer = design.answer(aggregate).await.unwrap();
        assert_eq!(answer.rows_scanned, Some(rows), "{id}");
        let plan = executed(design.as_ref(), aggregate).await;
        assert_eq!(
            plan.contains("CassandraAggregate"),
            !has.is_empty(),
            "{id}: {plan}"
        );
        assert!(plan.contains(has), "{id}: {plan}");
        let told = design.query_plan(aggregate).await.unwrap().unwrap();
        assert_eq!(told.by, "DataFusion");
        let in_cassandra = told.text.contains("CassandraAggregate: cql=[SELECT");
        assert_eq!(in_cassandra, !has.is_empty(), "{id}: {}", told.text);
        let plan = executed(design.as_ref(), others).await;
        assert!(
            !plan.contains("CassandraAggregate"),
            "{id} cannot filter by a flag: {plan}"
        );
    }
    let one = "SELECT label FROM events WHERE series = 'a'";
    for (id, ranges) in [
        ("cassandra/wide", "ranges=0"),
        ("cassandra/wide?page=1", "ranges=16"),
        ("cassandra/wide?page=2&order=desc", "ranges=16"),
    ] {
        let plan = executed(cassandra.design(id, table).await.as_ref(), one).await;
        assert!(plan.contains(ranges), "{id}: {plan}");
    }
}

/// A table of one partition is asked for by its key, so that ranges of it are read at the same time. One of as many
/// partitions as threads is not.
pub async fn a_table_of_one_partition_is_read_by_ranges(cassandra: &Started) {
    let rows = events().rows;
    let columns = ["series", "time", "small"].map(|name| rows.column_by_name(name).unwrap());
    let one_series = |rows| columns.map(|column| column.slice(0, rows)).to_vec();
    let question = "SELECT avg(small) AS mean, count(*) AS n FROM alone";
    for (id, rows, has) in [
        ("cassandra/wide?page=1", 21, ["partitions=1", "ranges=16"]),
        (
            "cassandra/wide?page=1&order=desc",
            21,
            ["partitions=1", "ranges=16"],
        ),
        ("cassandra/wide", 21, ["partitions=1", "ranges=0"]),
        ("cassandra/wide?aggregate=ranges", 21, ["", "ranges=16"]),
        ("cassandra/wide?page=1", 22, ["full scan", "ranges=0"]),
        (
            "cassandra/wide?page=1&bucket=1d",
            21,
            ["full scan", "token ranges"],
        ),
        ("cassandra/narrow?page=1", 21, ["full scan", "token ranges"]),
    ] {
        let table = Table::new(
            "alone",
            "partition_key = [\"series\"]\norder_key = [\"time\"]\n\
             columns = { series = \"text\", time = \"timestamp\", small = \"int\" }",
            one_series(rows),
        );
        let oracle = table.oracle(table.rows.clone()).await;
        let design = cassandra.loaded(id, &table).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, &[question]).await;
        assert_eq!(wrong, [""; 0], "{id} of {rows} rows");
        let plan = executed(design.as_ref(), question).await;
        for part in has {
            assert!(plan.contains(part), "{id} of {rows} rows: {plan}");
        }
    }
}

pub async fn too_many_buckets_are_an_error(cassandra: &Started) {
    let table = events();
    let design = cassandra.loaded("cassandra/wide?bucket=1ms", &table).await;
    let all = table.oracle(table.rows.clone()).await;
    let near = "SELECT * FROM events WHERE series = 'a' AND time < TIMESTAMP '1969-12-29T00:00:05'";
    assert_eq!(
        wrong_answers(design.as_ref(), &all, &[near, EVENT_QUERIES[0]]).await,
        [""; 0]
    );
    let error = design
        .answer("SELECT * FROM events WHERE series = 'a'")
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("choose a larger bucket="),
        "{error}"
    );
}

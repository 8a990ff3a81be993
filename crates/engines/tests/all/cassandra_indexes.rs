//! Tests of secondary indexes on a real Cassandra: they find exactly the rows that the table has, are asked for what
//! they can answer and for nothing else, and their bytes are counted.

use std::sync::Arc;

use arrow::array::{Int64Array, StringArray};

use crate::support::{Started, Table, events, executed, wrong_answers};

const DESIGNS: &[&str] = &[
    "cassandra/wide?index=small",
    "cassandra/wide?index=small:2i",
    "cassandra/wide?bucket=1d&index=small+flag&order=desc&page=3",
    "cassandra/wide?aggregate=ranges&index=small+flag:2i",
    "cassandra/narrow?index=flag+small+seen&page=2",
    "cassandra/narrow?aggregate=server&index=seen:2i",
];

/// Questions for rows by columns outside the key, which are null in some rows.
pub const QUERIES: &[&str] = &[
    "SELECT * FROM events WHERE small = -1",
    "SELECT * FROM events WHERE -1 = small AND flag = true",
    "SELECT count(*) AS n FROM events WHERE small = -1",
    "SELECT sum(large) AS total, count(value) AS n FROM events WHERE small = 2147483647",
    "SELECT time FROM events WHERE small = 7",
    "SELECT series, label FROM events WHERE small IN (-1, 0)",
    "SELECT series, label FROM events WHERE small = -1 OR small = 0",
    "SELECT * FROM events WHERE small > -1",
    "SELECT * FROM events WHERE small IS NULL",
    "SELECT * FROM events WHERE small <> -1",
    "SELECT * FROM events WHERE small = -1 AND small = 0",
    "SELECT * FROM events WHERE series = 'a' AND small = -1",
    "SELECT * FROM events WHERE series IN ('a', 'ü', 'nobody') AND small = 0",
    "SELECT * FROM events WHERE small = 0 AND time >= TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND small = 0 AND time >= TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND small = -1 AND time = TIMESTAMP '1969-12-29T00:00:00.001'",
    "SELECT flag, count(*) AS n FROM events WHERE flag GROUP BY flag",
    "SELECT * FROM events WHERE flag = false",
    "SELECT * FROM events WHERE seen = TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT series, time FROM events WHERE small = -1 ORDER BY time DESC, series LIMIT 3",
    "SELECT count(*) AS n FROM (SELECT * FROM events WHERE small = -1 LIMIT 4)",
    "SELECT DISTINCT ON (series) * FROM events WHERE small = -1 ORDER BY series, time DESC",
    "SELECT series, max(time) AS last FROM events WHERE small = 0 GROUP BY series ORDER BY series",
    "SELECT count(*) AS n, count(small) AS smalls FROM events",
];

/// Orders with an indexed text that is null, empty, quoted, not ASCII or too long to be asked for.
pub fn orders() -> Table {
    let long = "x".repeat(8_193);
    let kinds = [
        Some("plain"),
        None,
        Some(""),
        Some("it's \"quoted\""),
        Some("日本"),
        Some("Plain"),
        Some(&long),
    ];
    let n = 3 * kinds.len();
    let kinds = kinds.into_iter().cycle().take(n);
    let numbers = (0..n as i64).map(Some);
    Table::new(
        "orders",
        r#"partition_key = ["region"]
order_key = ["number"]
columns = { region = "text", number = "bigint", Order = "text" }"#,
        vec![
            Arc::new(
                numbers
                    .clone()
                    .map(|n| n.map(|n| ["north", "south"][n as usize % 2]))
                    .collect::<StringArray>(),
            ),
            Arc::new(numbers.collect::<Int64Array>()),
            Arc::new(kinds.collect::<StringArray>()),
        ],
    )
}

pub const ORDER_QUERIES: &[&str] = &[
    "SELECT * FROM orders",
    "SELECT * FROM orders WHERE \"order\" = 'plain'",
    "SELECT * FROM orders WHERE \"order\" = ''",
    "SELECT * FROM orders WHERE \"order\" = 'it''s \"quoted\"'",
    "SELECT * FROM orders WHERE \"order\" = '日本' AND region = 'north'",
    "SELECT * FROM orders WHERE \"order\" = 'pl'",
    "SELECT * FROM orders WHERE \"order\" IS NULL",
    "SELECT count(*) AS n FROM orders WHERE \"order\" = repeat('x', 8193)",
];

/// Runs the tests that need a server of their own, with nodetool, on that of the other layouts.
pub async fn indexes_on_a_real_cassandra(cassandra: &Started) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    for id in DESIGNS {
        let design = cassandra.loaded(id, &table).await;
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, QUERIES).await,
            [""; 0]
        );
    }
    let table = orders();
    let oracle = table.oracle(table.rows.clone()).await;
    // Cassandra keeps values of more than 8 KiB out of storage-attached indexes.
    let design = cassandra
        .loaded("cassandra/wide?index=ORDER:2i", &table)
        .await;
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, ORDER_QUERIES).await,
        [""; 0]
    );
    indexes_are_asked_for_what_they_can_answer(cassandra).await;
    bytes_of_indexes_are_counted(cassandra).await;
    a_column_without_an_index_is_refused_before_anything_is_made(cassandra).await;
}

async fn indexes_are_asked_for_what_they_can_answer(cassandra: &Started) {
    let table = events();
    for (id, condition, rows, index) in [
        ("cassandra/wide?index=small", "small = -1", 17, "small"),
        ("cassandra/wide?index=small:2i", "small = -1", 17, "small"),
        ("cassandra/wide?index=small", "small = 7", 0, "small"),
        (
            "cassandra/wide?index=small:2i",
            "series = 'a' AND small = -1",
            4,
            "small",
        ),
        ("cassandra/wide?index=small", "small > -1", 84, ""),
        ("cassandra/wide?index=small", "large = -1", 84, ""),
        ("cassandra/wide?index=small", "small IS NULL", 84, ""),
    ] {
        let design = cassandra.loaded(id, &table).await;
        let sql = format!("SELECT label FROM events WHERE {condition}");
        let answer = design.answer(&sql).await.unwrap();
        assert_eq!(answer.rows_scanned, Some(rows), "{id}: {condition}");
        let plan = executed(design.as_ref(), &sql).await;
        let shown = format!("by index of={index}");
        assert_eq!(
            plan.contains(&shown),
            !index.is_empty(),
            "{id}: {condition}: {plan}"
        );
        assert_eq!(
            plan.contains(r#""small" = ?"#),
            !index.is_empty(),
            "{id}: {condition}: {plan}"
        );
    }
}

async fn bytes_of_indexes_are_counted(cassandra: &Started) {
    let table = events();
    let mut bytes = Vec::new();
    for id in [
        "cassandra/wide?compressor=none",
        "cassandra/wide?compressor=none&index=small+large",
        "cassandra/wide?compressor=none&index=small+large:2i",
    ] {
        let design = cassandra.loaded(id, &table).await;
        design.settle().await.unwrap();
        let footprint = design.footprint().await.unwrap();
        bytes.push((footprint.file_bytes.unwrap(), footprint.files.unwrap()));
        assert!(footprint.engine_bytes.is_some(), "{id}: {footprint:?}");
    }
    let [without, attached, hidden] = bytes.as_slice() else {
        panic!("{bytes:?}");
    };
    for with in [attached, hidden] {
        assert!(with.0 > without.0 && with.1 > without.1, "{bytes:?}");
    }
}

async fn a_column_without_an_index_is_refused_before_anything_is_made(cassandra: &Started) {
    let table = events();
    let id = "cassandra/wide?index=value".parse().unwrap();
    let engine = bakeoff_engines::registry::engine(&id).unwrap();
    let refused = engine.describe(&id, &table.workload, &cassandra.context);
    let error = refused.err().unwrap().to_string();
    assert!(error.contains("`value` is a double"), "{error}");
}

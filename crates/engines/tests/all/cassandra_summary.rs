//! Tests of summary tables on a real Cassandra: questions that they answer are answered as from the rows, whatever
//! slices the rows came in, and all others from the rows.

use std::sync::Arc;

use arrow::array::{
    BooleanArray, Float64Array, Int32Array, Int64Array, StringArray, TimestampMillisecondArray,
};
use bakeoff_driver::Design;
use bakeoff_engines::Context;
use bakeoff_engines::registry::engine;

use crate::support::{DAY, Started, Table, events, executed, wrong_answers};

const DESIGNS: &[&str] = &[
    "cassandra/wide?summary=1d",
    "cassandra/narrow?summary=6h&page=7",
    "cassandra/wide?bucket=1d&order=desc&summary=12h&index_table=small",
];

/// Questions with whether a summary by the day, or by a part of it, answers them.
const QUERIES: &[(&str, bool)] = &[
    (
        "SELECT count(*) AS n, count(small) AS s, count(value) AS v FROM points",
        true,
    ),
    (
        "SELECT sum(small) AS s, sum(large) AS l, avg(small) AS a FROM points",
        true,
    ),
    (
        "SELECT series, min(small) AS low, max(large) AS high FROM points GROUP BY series",
        true,
    ),
    (
        "SELECT series, min(value) AS low, max(value) AS high, sum(value) AS s FROM points GROUP BY series",
        true,
    ),
    (
        "SELECT series, date_trunc('day', time) AS day, count(*) AS n, avg(small) AS a FROM points GROUP BY 1, 2",
        true,
    ),
    (
        "SELECT date_bin(INTERVAL '2 days', time) AS bin, max(small) AS m FROM points WHERE series IN ('a', 'ü') GROUP BY 1",
        true,
    ),
    (
        "SELECT count(*) AS n, min(large) AS m FROM points WHERE series = 'a' AND time >= TIMESTAMP '1970-01-01T00:00:00'",
        true,
    ),
    (
        "SELECT count(*) AS n FROM points WHERE time >= TIMESTAMP '1969-12-30T00:00:00' AND time < TIMESTAMP '1970-01-02T00:00:00'",
        true,
    ),
    (
        "SELECT count(*) AS n, sum(small) AS s FROM points WHERE series = 'nobody'",
        true,
    ),
    (
        "SELECT count(*) AS n FROM points WHERE time >= TIMESTAMP '1970-01-01T00:00:00.001'",
        false,
    ),
    (
        "SELECT date_trunc('minute', time) AS m, count(*) AS n FROM points GROUP BY 1",
        false,
    ),
    ("SELECT count(*) AS n FROM points WHERE flag", false),
    ("SELECT max(label) AS l FROM points", false),
    ("SELECT * FROM points WHERE small = -1", false),
];

/// Numbers of four series around midnights, also before 1970, with nulls and greatest values.
fn points() -> Table {
    let keys: Vec<(&str, i64)> = ["a", "b", "ü", "it's"]
        .into_iter()
        .flat_map(|series| (-3..=3).map(move |day| (series, day)))
        .flat_map(|(series, day)| (-1..=1).map(move |ms| (series, day * DAY + ms)))
        .collect();
    let n = keys.len();
    let small = [Some(i32::MIN), Some(i32::MAX), Some(-1), Some(0), None];
    let large = [Some(i64::MIN), None, Some(i64::MAX), Some(-1)];
    let value = [
        Some(0.1),
        Some(1e9),
        None,
        Some(-1.5),
        Some(1e-300),
        Some(42.0),
    ];
    Table::new(
        "points",
        r#"partition_key = ["series"]
order_key = ["time"]
columns = { series = "text", time = "timestamp", small = "int", large = "bigint", value = "double", flag = "boolean", label = "text" }"#,
        vec![
            Arc::new(keys.iter().map(|k| Some(k.0)).collect::<StringArray>()),
            Arc::new(
                keys.iter()
                    .map(|k| Some(k.1))
                    .collect::<TimestampMillisecondArray>(),
            ),
            Arc::new(small.into_iter().cycle().take(n).collect::<Int32Array>()),
            Arc::new(large.into_iter().cycle().take(n).collect::<Int64Array>()),
            Arc::new(value.into_iter().cycle().take(n).collect::<Float64Array>()),
            Arc::new(
                (0..n)
                    .map(|row| Some(row % 3 == 0))
                    .collect::<BooleanArray>(),
            ),
            Arc::new(
                (0..n)
                    .map(|row| Some(format!("label {row}")))
                    .collect::<StringArray>(),
            ),
        ],
    )
}

/// Runs the tests that need a server of their own, with nodetool, on that of the other layouts.
pub async fn summaries_on_a_real_cassandra(cassandra: &Started) {
    let table = points();
    they_answer_as_the_rows_do(cassandra, DESIGNS).await;
    a_row_without_a_number_is_an_error(cassandra).await;
    bytes_of_summaries_are_counted(cassandra, &table).await;
    a_summary_is_refused_where_it_cannot_be_right(cassandra, &table);
}

/// Loads each of these designs in slices, one of them twice, and asks it all questions.
pub async fn they_answer_as_the_rows_do(cassandra: &Started, designs: &[&str]) {
    let table = points();
    let oracle = table.oracle(table.rows.clone()).await;
    let asked: Vec<&str> = QUERIES.iter().map(|(sql, _)| *sql).collect();
    for id in designs {
        let design = created(cassandra, id, &table).await;
        // Slices that end within days, of which one is loaded twice, as after a crash.
        for slice in 0..9 {
            load(design.as_ref(), &table, slice).await;
        }
        load(design.as_ref(), &table, 4).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, &asked).await;
        assert_eq!(wrong, [""; 0]);
        // Its answer depends on the order of greatest values of both signs, so that only its plan is looked at.
        let plan = executed(design.as_ref(), "SELECT avg(large) AS a FROM points").await;
        assert!(!plan.contains("_summary\""), "{id}: {plan}");
        for (sql, is_answered) in QUERIES {
            let plan = executed(design.as_ref(), sql).await;
            assert_eq!(
                plan.contains("_summary\""),
                *is_answered,
                "{id}: {sql}: {plan}"
            );
        }
    }
}

/// An empty design whose rows are known to have different keys.
async fn created(cassandra: &Started, id: &str, table: &Table) -> Box<dyn Design> {
    let context = Context {
        keys_repeat: false,
        ..cassandra.context.clone()
    };
    let id = id.parse().unwrap();
    let design = cassandra.running.design(&id, &table.workload, &context);
    let design = design.await.unwrap();
    design.create().await.unwrap();
    design
}

/// Loads one of nine slices of the table.
async fn load(design: &dyn Design, table: &Table, slice: usize) {
    let rows = table.rows.num_rows();
    let begin = slice * 10;
    let count = if slice == 8 { rows - begin } else { 10 };
    let rows = table.rows.slice(begin, count);
    design.load(slice as u64, &rows).await.unwrap();
}

async fn a_row_without_a_number_is_an_error(cassandra: &Started) {
    // Some of their values are NaN.
    let table = events();
    let design = created(cassandra, "cassandra/wide?summary=1d", &table).await;
    let error = design.load(0, &table.rows).await.unwrap_err().to_string();
    assert!(error.contains("column `value` holds NaN"), "{error}");
}

async fn bytes_of_summaries_are_counted(cassandra: &Started, table: &Table) {
    let mut files = Vec::new();
    for setting in ["", "&summary=1d"] {
        let id = format!("cassandra/wide?compressor=none{setting}");
        let design = created(cassandra, &id, table).await;
        design.load(0, &table.rows).await.unwrap();
        design.settle().await.unwrap();
        files.push(design.footprint().await.unwrap().file_bytes.unwrap());
    }
    assert!(files[1] > files[0] + 1_000, "{files:?}");
}

fn a_summary_is_refused_where_it_cannot_be_right(cassandra: &Started, table: &Table) {
    let id = "cassandra/wide?summary=1d".parse().unwrap();
    let engine = engine(&id).unwrap();
    // The rows of a file may repeat keys.
    let refused = engine.describe(&id, &table.workload, &cassandra.context);
    let error = refused.err().unwrap().to_string();
    assert!(error.contains("may have the same key"), "{error}");
    let error = engine.check_operations(&id).unwrap_err().to_string();
    assert!(error.contains("leave summary= out"), "{error}");
    assert!(!engine.takes_inserts(&id));
}

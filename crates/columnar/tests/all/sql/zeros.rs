//! Zeros of both signs, which SQL compares as one value and keys distinguish.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float32Array, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use bakeoff_columnar::{Definition, Kind, MemoryStore, Profile};

use super::rows::column;
use super::support::{ask, assert_same, explain, loaded, plain, session_of, values};

/// Rows (f, time, value); each inner list is loaded by itself, and becomes a chunk.
type Loads<'a> = &'a [&'a [(f64, i64, f64)]];

fn definition(partition: &str, order: &str) -> Definition {
    let names = |names: &str| names.split_terminator(',').map(str::to_owned).collect();
    Definition {
        columns: vec![
            column("series", Kind::Text),
            column("f", Kind::Double),
            column("time", Kind::Timestamp),
            column("value", Kind::Double),
            column("single", Kind::Float),
        ],
        partition_key: names(partition),
        order_key: names(order),
        bucket: None,
        shards: 1,
        profile: Profile::Fast,
        chunk_rows: 100,
    }
}

fn batch(definition: &Definition, rows: &[(f64, i64, f64)]) -> RecordBatch {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec!["s"; rows.len()])),
        Arc::new(rows.iter().map(|r| Some(r.0)).collect::<Float64Array>()),
        Arc::new(
            rows.iter()
                .map(|r| Some(r.1))
                .collect::<TimestampMillisecondArray>(),
        ),
        Arc::new(rows.iter().map(|r| Some(r.2)).collect::<Float64Array>()),
        Arc::new(
            rows.iter()
                .map(|r| Some(r.2 as f32))
                .collect::<Float32Array>(),
        ),
    ];
    RecordBatch::try_new(definition.schema(), columns).unwrap()
}

/// Checks that each query gives the same rows as DataFusion's own table.
async fn compare(definition: Definition, loads: Loads<'_>, queries: &[String], in_order: bool) {
    let batches: Vec<RecordBatch> = loads.iter().map(|rows| batch(&definition, rows)).collect();
    let expected = plain(batch(&definition, &loads.concat()));
    let store = MemoryStore::new(definition).unwrap();
    let table = loaded(Arc::new(store), &batches).await;
    for threads in [1, 2] {
        let session = session_of(Arc::clone(&table), threads);
        for sql in queries {
            let found = values(&ask(&session, sql).await, in_order);
            let expected = values(&ask(&expected, sql).await, in_order);
            assert_same(&found, &expected, || format!("{threads} threads: {sql}"));
        }
    }
}

const COMPARED: [f64; 4] = [-1.0, -0.0, 0.0, 1.0];

fn comparisons() -> Vec<String> {
    let mut conditions = Vec::new();
    for column in ["value", "single"] {
        for value in ["0.0", "CAST('-0' AS DOUBLE)"] {
            for op in ["<", "<=", "=", "<>", ">=", ">"] {
                conditions.push(format!("{column} {op} {value}"));
            }
        }
        conditions.push(format!("{column} IN (0.0, 7.0, 8.0, 9.0)"));
        conditions.push(format!("{column} = 0.0 OR {column} = 7.0"));
        conditions.push(format!("{column} BETWEEN 0.0 AND 1.0"));
    }
    conditions
}

#[tokio::test]
async fn comparisons_do_not_see_the_sign_of_zero() {
    let queries: Vec<String> = comparisons()
        .iter()
        .map(|condition| format!("SELECT value, single, time FROM t WHERE {condition}"))
        .collect();
    for (i, low) in COMPARED.into_iter().enumerate() {
        for high in COMPARED.into_iter().skip(i) {
            // One chunk with exactly these bounds.
            let chunk = [(1.0, 1, low), (1.0, 2, high)];
            compare(definition("series", "time"), &[&chunk], &queries, false).await;
        }
    }
}

#[tokio::test]
async fn a_zero_is_not_less_than_the_other() {
    let definition = definition("series", "time");
    let rows = batch(&definition, &[(1.0, 1, -1.0), (1.0, 2, -0.0)]);
    let store = MemoryStore::new(definition).unwrap();
    let session = session_of(loaded(Arc::new(store), &[rows]).await, 1);
    let count = |condition: &'static str| {
        let session = session.clone();
        async move {
            let sql = format!("SELECT count(*) FROM t WHERE {condition}");
            values(&ask(&session, &sql).await, true)[0][0].to_string()
        }
    };
    assert_eq!(count("value < 0").await, "1");
    assert_eq!(count("value <= 0").await, "2");
    assert_eq!(count("value >= 0").await, "1");
    assert_eq!(count("value <> 0").await, "1");
}

#[tokio::test]
async fn keys_that_differ_in_the_sign_of_zero_only() {
    let loads: Loads<'_> = &[
        &[(-0.0, 10, 1.0), (0.0, 5, 2.0), (1.0, 7, 3.0)],
        &[(-0.0, 2, 4.0), (0.0, 20, 5.0), (-1.0, 1, 6.0)],
    ];
    let mut queries = Vec::new();
    // DataFusion's own order by this column is open among rows with either zero.
    for (condition, orders) in [
        ("f = 0.0", &["time", "time DESC"][..]),
        ("f IN (0.0)", &["time", "time DESC"]),
        ("f = CAST('-0' AS DOUBLE)", &["time", "time DESC"]),
        (
            "f >= 0",
            &["time", "time DESC", "f, time", "f DESC, time DESC"],
        ),
        ("f < 0", &["time", "f, time"]),
        ("f = 1", &["time", "f, time", "f DESC, time DESC"]),
    ] {
        for order in orders {
            for limit in ["", "LIMIT 1", "LIMIT 3"] {
                queries.push(format!(
                    "SELECT f, time, value FROM t WHERE {condition} ORDER BY {order} {limit}"
                ));
            }
        }
    }
    for (partition, order) in [("f", "time"), ("series", "f,time"), ("series,f", "time")] {
        compare(definition(partition, order), loads, &queries, true).await;
        for load in loads {
            compare(definition(partition, order), &[load], &queries, true).await;
        }
    }
}

#[tokio::test]
async fn a_float_is_sorted_by_even_where_a_filter_leaves_zero() {
    let definition = definition("f", "time");
    let rows = batch(&definition, &[(-0.0, 10, 1.0), (0.0, 5, 2.0)]);
    let store = MemoryStore::new(definition).unwrap();
    let session = session_of(loaded(Arc::new(store), &[rows]).await, 1);
    let sql = "SELECT time FROM t WHERE f = 0.0 ORDER BY time";
    let plan = explain(&session, sql).await;
    assert!(plan.contains("SortExec"), "{plan}");
}

#[tokio::test]
async fn both_zeros_are_sorted_and_merged_alike() {
    let definition = definition("f", "time");
    let load = |zero: f64, first: i64| {
        let rows: Vec<_> = (0..100).map(|i| (zero, first + 2 * i, 1.0)).collect();
        batch(&definition, &rows)
    };
    let loads = [load(-0.0, 0), load(0.0, 1)];
    let store = MemoryStore::new(definition.clone()).unwrap();
    let session = session_of(loaded(Arc::new(store), &loads).await, 2);
    let sql = "SELECT f, time FROM t WHERE f = 0.0 ORDER BY f, time LIMIT 150";
    let found = values(&ask(&session, sql).await, true);
    let sql = "SELECT f, time FROM t WHERE f <= 0.0 ORDER BY f, time LIMIT 150";
    let expected = values(&ask(&session, sql).await, true);
    assert_same(&found, &expected, || sql.to_owned());
}

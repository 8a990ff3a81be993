//! Workloads are read back as every workload is.

use std::path::Path;

use bakeoff_workload::{Column, Workload};

use super::*;
use crate::{check_designs, check_queries};

fn table(partition_key: &[&str], order_key: &[&str], others: &[&str]) -> Table {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let all = partition_key.iter().chain(order_key).chain(others);
    Table {
        name: "order".to_owned(),
        columns: all
            .map(|name| Column {
                name: (*name).to_owned(),
                kind: if *name == "time" {
                    ColumnType::Timestamp
                } else {
                    ColumnType::Text
                },
            })
            .collect(),
        partition_key: owned(partition_key),
        order_key: owned(order_key),
    }
}

fn read(table: &Table, looked_up: &[&str], designs: &[&str]) -> (String, Workload) {
    let owned =
        |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let key = table.key().map(|name| match name {
        "time" => "TIMESTAMP '2026-01-01T00:00:00.000'".to_owned(),
        _ => "'it''s \"a\" \\ b'".to_owned(),
    });
    let keys: [Vec<String>; 1] = [key.collect()];
    let (looked_up, designs) = (owned(looked_up), owned(designs));
    let written = Written {
        copied: "shop.Order",
        table,
        rows: 1_234,
        is_descending: true,
        keys: &keys,
        looked_up: &looked_up,
        file: "rows.parquet",
        designs: &designs,
    };
    let text = written.text();
    let workload = Workload::parse(&text, Path::new("copy.toml"));
    let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
    (text, workload)
}

async fn queries(table: &Table, looked_up: &[&str], designs: &[&str]) -> Vec<(String, String)> {
    let (text, workload) = read(table, looked_up, designs);
    check_designs(&workload).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let checked = check_queries(&workload).await;
    checked.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let queries = workload.queries.iter();
    queries.map(|q| (q.name.clone(), q.sql.clone())).collect()
}

#[tokio::test]
async fn a_table_with_an_order_is_read_by_row_by_first_rows_and_by_range() {
    let table = table(&["group"], &["time"], &["value"]);
    let designs = ["cassandra/wide?chunk=64KiB", "cassandra/wide?bucket=1d"];
    let queries = queries(&table, &["value"], &designs).await;
    let names: Vec<&str> = queries.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["row", "first_rows", "range", "by_value"]);
    assert_eq!(
        queries[1].1,
        "SELECT \"group\", \"time\", \"value\" FROM \"order\" WHERE \"group\" = ${group} ORDER BY \"time\" DESC \
         LIMIT 100"
    );
    assert_eq!(
        queries[2].1,
        "SELECT count(*) AS n FROM \"order\" WHERE \"group\" = ${group} AND \"time\" >= ${time}"
    );
}

/// Values of several parameters would be of different rows, so that there are none.
#[tokio::test]
async fn a_key_of_several_columns_is_that_of_a_row() {
    let table = table(&["group", "day"], &["time"], &[]);
    let queries = queries(&table, &[], &["cassandra/wide"]).await;
    assert_eq!(queries.len(), 3);
    for (name, sql) in &queries {
        let key = "\"group\" = 'it''s \"a\" \\ b' AND \"day\" = 'it''s";
        assert!(sql.contains(key), "{name}: {sql}");
        assert!(!sql.contains("${"), "{name}: {sql}");
    }
    assert!(
        queries[2]
            .1
            .ends_with("\"time\" >= TIMESTAMP '2026-01-01T00:00:00.000'")
    );
}

#[tokio::test]
async fn a_table_without_an_order_is_read_by_its_key() {
    let table = table(&["group"], &[], &["value"]);
    let designs = ["cassandra/narrow", "cassandra/narrow?caching=rows:100"];
    let queries = queries(&table, &[], &designs).await;
    let [(name, sql)] = &queries[..] else {
        panic!("{queries:?}");
    };
    assert_eq!(name, "row");
    assert!(sql.ends_with("WHERE \"group\" = ${group}"), "{sql}");
    let (text, workload) = read(&table, &[], &designs);
    assert!(text.contains("row_cache_size"), "{text}");
    let mix = workload.mix.unwrap();
    assert_eq!(mix.operations.len(), 2);
    assert_eq!(workload.scale.default_rows, 1_234);
}

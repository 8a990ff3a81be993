//! Tests of second tables, index tables and materialized views on a real Cassandra: they are read where a question
//! wants one value of their column, and have exactly the rows with a value there. And of tables with another key.

use std::sync::Arc;

use arrow::array::{Array, Int32Array, Int64Array, StringArray};
use arrow::record_batch::RecordBatch;
use bakeoff_driver::Design;
use bakeoff_engines::{Context, check_ranges};
use bakeoff_workload::DesignId;

use crate::cassandra_indexes::{ORDER_QUERIES, QUERIES, orders};
use crate::support::{Rows, Started, Table, events, executed, wrong_answers};

const DESIGNS: &[&str] = &[
    "cassandra/wide?table_by=small",
    "cassandra/wide?bucket=1d&order=desc&page=3&table_by=small+flag&ttl=30d",
    "cassandra/narrow?aggregate=server&table_by=flag+small+seen",
    "cassandra/wide?index_table=small&page=2",
    "cassandra/wide?bucket=1d&order=desc&index_table=small+flag&ttl=30d",
    "cassandra/narrow?aggregate=server&index_table=flag+small+seen",
    "cassandra/wide?aggregate=ranges&view=small",
    "cassandra/wide?bucket=1d&order=desc&page=3&ttl=30d&view=small+flag",
    "cassandra/narrow?compaction=LCS&view=seen+small",
];

/// Runs the tests that need a server of their own, with nodetool, on that of the other layouts.
pub async fn copies_on_a_real_cassandra(cassandra: &Started) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    for id in DESIGNS {
        let design = loaded(cassandra, id, &table).await;
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, QUERIES).await,
            [""; 0]
        );
    }
    let table = orders();
    let oracle = table.oracle(table.rows.clone()).await;
    for id in [
        "cassandra/wide?table_by=order",
        "cassandra/narrow?index_table=order",
    ] {
        let design = loaded(cassandra, id, &table).await;
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, ORDER_QUERIES).await,
            [""; 0]
        );
    }
    more_rows_than_are_read_at_once_are_found_by_key(cassandra).await;
    copies_are_read_where_they_have_the_rows(cassandra).await;
    batches_of_any_partitions_reach_every_table(cassandra).await;
    a_view_follows_the_rows(cassandra).await;
    bytes_of_copies_are_counted(cassandra).await;
    a_second_table_of_rows_whose_keys_repeat_is_refused(cassandra).await;
    rows_of_another_key_are_together(cassandra).await;
    rows_without_a_value_of_another_key_are_refused(cassandra).await;
}

/// A design with the table's rows in it, in two slices, of which it is known that no key repeats.
pub async fn loaded(cassandra: &Started, id: &str, table: &Table) -> Box<dyn Design> {
    let design = created(cassandra, id, table).await;
    let half = table.rows.num_rows() / 2;
    let rest = table.rows.num_rows() - half;
    design.load(0, &table.rows.slice(0, half)).await.unwrap();
    design.load(1, &table.rows.slice(half, rest)).await.unwrap();
    design
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

async fn copies_are_read_where_they_have_the_rows(cassandra: &Started) {
    let table = events();
    for setting in [
        "table_by=small+flag",
        "view=small+flag",
        "index_table=small+flag",
    ] {
        let design = loaded(cassandra, &format!("cassandra/wide?{setting}"), &table).await;
        for (condition, rows, from) in [
            ("small = -1", 17, "_by_1\""),
            ("small = -1 AND large = -1", 17, "_by_1\""),
            ("small = 7", 0, "_by_1\""),
            ("flag = false", 28, "_by_2\""),
            ("series = 'a' AND small = -1", 21, ""),
            ("small > -1", 84, ""),
            ("small IS NULL", 84, ""),
        ] {
            let sql = format!("SELECT label FROM events WHERE {condition}");
            let answer = design.answer(&sql).await.unwrap();
            assert_eq!(answer.rows_scanned, Some(rows), "{setting}: {condition}");
            let plan = executed(design.as_ref(), &sql).await;
            let is_from_copy = plan.contains("_by_1\"") || plan.contains("_by_2\"");
            assert_eq!(is_from_copy, !from.is_empty(), "{setting}: {plan}");
            assert!(plan.contains(from), "{setting}: {condition}: {plan}");
            let reads_by_key = plan.contains("CassandraRowsByKey");
            let has_keys = setting.starts_with("index_table") && !from.is_empty();
            assert_eq!(reads_by_key, has_keys, "{setting}: {condition}: {plan}");
        }
    }
}

async fn batches_of_any_partitions_reach_every_table(cassandra: &Started) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    for setting in ["table_by", "index_table"] {
        let id = format!("cassandra/wide?bucket=1d&{setting}=small+flag");
        let design = created(cassandra, &id, &table).await;
        let inserts = design.inserts_over_any().await.unwrap().unwrap();
        let mut inserter = inserts.connect().await.unwrap();
        inserter.insert(&table.rows).await.unwrap();
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, QUERIES).await,
            [""; 0]
        );
    }
}

async fn more_rows_than_are_read_at_once_are_found_by_key(cassandra: &Started) {
    // Keys of several pages, and of rows that are passed on in more than one batch.
    const ROWS: i64 = 2_600;
    let numbers = || (0..ROWS).map(Some);
    let table = Table::new(
        "readings",
        r#"partition_key = ["sensor"]
order_key = ["number"]
columns = { sensor = "bigint", number = "bigint", kind = "text", reading = "bigint" }"#,
        vec![
            Arc::new(numbers().map(|n| n.map(|n| n % 7)).collect::<Int64Array>()),
            Arc::new(numbers().collect::<Int64Array>()),
            Arc::new(
                numbers()
                    .map(|n| n.map(|n| if n % 10 == 0 { "rare" } else { "common" }))
                    .collect::<StringArray>(),
            ),
            Arc::new(numbers().map(|n| n.map(|n| n * n)).collect::<Int64Array>()),
        ],
    );
    let oracle = table.oracle(table.rows.clone()).await;
    let asked = [
        "SELECT * FROM readings WHERE kind = 'common'",
        "SELECT count(*) AS n, sum(reading) AS total FROM readings WHERE kind = 'rare'",
        "SELECT sensor, max(reading) AS most FROM readings WHERE kind = 'common' GROUP BY sensor",
    ];
    for id in [
        "cassandra/wide?bucket=100&index_table=kind&page=300",
        "cassandra/narrow?index_table=kind&page=1000",
    ] {
        let design = loaded(cassandra, id, &table).await;
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &asked).await,
            [""; 0]
        );
    }
}

async fn a_view_follows_the_rows(cassandra: &Started) {
    let table = events();
    let design = cassandra.loaded("cassandra/wide?view=small", &table).await;
    // The column is null, or has another value, in each row that is written again.
    let small = table.rows.schema().index_of("small").unwrap();
    let values = (0..table.rows.num_rows()).map(|row| (row % 2 == 0).then_some(5_i32));
    let mut columns = table.rows.columns().to_vec();
    columns[small] = Arc::new(values.collect::<Int32Array>());
    assert_eq!(columns[small].len(), table.rows.num_rows());
    let rows = RecordBatch::try_new(table.rows.schema(), columns).unwrap();
    design.load(2, &rows).await.unwrap();
    let oracle = table.oracle(rows).await;
    let asked = [
        "SELECT * FROM events WHERE small = 5",
        "SELECT * FROM events WHERE small = -1",
        "SELECT * FROM events WHERE small IS NULL",
    ];
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, &asked).await,
        [""; 0]
    );
}

async fn bytes_of_copies_are_counted(cassandra: &Started) {
    let table = events();
    let mut bytes = Vec::new();
    for setting in ["", "&table_by=seen", "&view=seen", "&index_table=seen"] {
        let id = format!("cassandra/wide?compressor=none{setting}");
        let design = loaded(cassandra, &id, &table).await;
        design.settle().await.unwrap();
        let footprint = design.footprint().await.unwrap();
        let (engine, files) = (footprint.engine_bytes, footprint.file_bytes.unwrap());
        assert!(
            engine.unwrap().abs_diff(files) * 100 <= files,
            "{setting}: {footprint:?}"
        );
        bytes.push(files);
    }
    let [without, table, view, keys] = bytes.as_slice() else {
        panic!("{bytes:?}");
    };
    // Keys take far less than rows, but not nothing.
    assert!(keys > without && keys < table, "{bytes:?}");
    // Long labels are most of the bytes, and half of them are in rows with a value.
    for with in [table, view] {
        assert!(*with > without + without / 4, "{bytes:?}");
    }
}

async fn a_second_table_of_rows_whose_keys_repeat_is_refused(cassandra: &Started) {
    let table = events();
    for setting in ["table_by", "index_table"] {
        let id = format!("cassandra/wide?{setting}=small").parse().unwrap();
        let engine = bakeoff_engines::registry::engine(&id).unwrap();
        let refused = engine.describe(&id, &table.workload, &cassandra.context);
        let error = refused.err().unwrap().to_string();
        assert!(error.contains("may have the same key"), "{error}");
        let error = engine.check_operations(&id).unwrap_err().to_string();
        assert!(error.contains(&format!("instead of {setting}=")), "{error}");
    }
}

async fn rows_of_another_key_are_together(cassandra: &Started) {
    const ROWS: i64 = 600;
    let kinds = (0..ROWS).map(|n| ["common", "often", "rare"][(n % 10 / 5 + n % 60 / 59) as usize]);
    let table = Table::new(
        "readings",
        r#"partition_key = ["sensor"]
order_key = ["number"]
columns = { sensor = "bigint", number = "bigint", kind = "text", reading = "bigint" }"#,
        vec![
            Arc::new(Int64Array::from_iter_values((0..ROWS).map(|n| n % 7))),
            Arc::new(Int64Array::from_iter_values(0..ROWS)),
            Arc::new(StringArray::from_iter_values(kinds)),
            Arc::new(Int64Array::from_iter_values((0..ROWS).map(|n| n * n))),
        ],
    );
    let oracle = table.oracle(table.rows.clone()).await;
    let asked = [
        "SELECT * FROM readings",
        "SELECT * FROM readings WHERE kind = 'rare'",
        "SELECT * FROM readings WHERE kind IN ('rare', 'often') AND number < 100",
        "SELECT * FROM readings WHERE kind = 'often' AND number BETWEEN 100 AND 200 AND sensor = 3",
        "SELECT * FROM readings WHERE kind = 'often' ORDER BY number DESC LIMIT 3",
        "SELECT * FROM readings WHERE sensor = 3",
        "SELECT kind, count(*) AS n, max(number) AS last FROM readings GROUP BY kind ORDER BY kind",
        "SELECT DISTINCT ON (kind) kind, number FROM readings ORDER BY kind, number DESC",
        "SELECT DISTINCT ON (sensor) sensor, number FROM readings ORDER BY sensor, number DESC",
    ];
    for id in [
        "cassandra/wide?key=kind",
        "cassandra/wide?bucket=100&key=kind&order=desc&page=7",
        "cassandra/wide?aggregate=server&key=kind+sensor",
        "cassandra/blob?key=kind",
    ] {
        let design = loaded(cassandra, id, &table).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, &asked).await;
        assert_eq!(wrong, [""; 0], "{id}");
    }
    let design = loaded(cassandra, "cassandra/wide?key=kind", &table).await;
    let rare = design.answer(asked[1]).await.unwrap();
    assert_eq!(rare.rows_scanned, Some(10));
}

async fn rows_without_a_value_of_another_key_are_refused(cassandra: &Started) {
    let table = orders();
    let id = "cassandra/wide?key=order";
    let design = created(cassandra, id, &table).await;
    let complaint = "rows have no value of `order`";
    let error = design.load(0, &table.rows).await.unwrap_err().to_string();
    assert!(error.contains(complaint), "{error}");
    let id: DesignId = id.parse().unwrap();
    let rows = table.rows.num_rows() as u64;
    let source = Rows(table.rows.clone());
    let designs = std::slice::from_ref(&id);
    let refused = check_ranges(designs, &table.workload, &source, rows).unwrap();
    assert_eq!(refused.len(), 1);
    let whose = format!("design {id}: {complaint}");
    assert!(refused[0].starts_with(&whose), "{refused:?}");
    let engine = bakeoff_engines::registry::engine(&id).unwrap();
    let error = engine.check_operations(&id).unwrap_err().to_string();
    assert!(error.contains("leave key= out"), "{error}");
    assert!(!engine.takes_inserts(&id));
}

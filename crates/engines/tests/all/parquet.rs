//! Tests of sorted and divided Parquet files: they answer like the rows themselves, come back exactly, read
//! only what a question needs, and are refused before anything is written where they cannot be made.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Int32Array, Int64Array, StringArray};
use arrow::util::pretty::pretty_format_batches;
use bakeoff_driver::Design;
use bakeoff_engines::check_ranges;
use bakeoff_engines::registry::engine;
use bakeoff_workload::DesignId;

use crate::cassandra::{EVENT_QUERIES, MARK_QUERIES, PLACE_QUERIES};
use crate::support::{Rows, Started, Table, events, marks, part, places, wrong_answers};

/// The rows of a row group.
const ROW_GROUP_ROWS: usize = 131_072;

/// Conditions on columns of `events` that have folders or come first in some design, with their nulls.
const DIVIDED_QUERIES: &[&str] = &[
    "SELECT * FROM events",
    "SELECT * FROM events WHERE flag",
    "SELECT * FROM events WHERE flag IS NULL",
    "SELECT * FROM events WHERE small = -1",
    "SELECT * FROM events WHERE small IS NULL OR small > 0",
    "SELECT * FROM events WHERE large IN (-1, 9223372036854775807)",
    "SELECT * FROM events WHERE large IS NOT NULL",
    "SELECT * FROM events WHERE seen IS NULL",
    "SELECT * FROM events WHERE seen = TIMESTAMP '2014-02-14T14:30:00'",
    "SELECT count(flag) AS flags, count(small) AS smalls, count(large) AS larges, count(seen) AS times,
     count(label) AS labels, count(*) AS n FROM events",
    "SELECT min(small) AS least, max(large) AS most, min(seen) AS first, max(label) AS last FROM events",
    "SELECT flag, small, count(*) AS n FROM events GROUP BY flag, small ORDER BY flag, small",
    "SELECT series, time, seen FROM events ORDER BY seen, series, time LIMIT 7",
    "SELECT label FROM events WHERE label = 'plain'",
    "SELECT count(*) AS n FROM events WHERE label > 'a' AND small < 0",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sorted_and_divided_files_answer_as_the_rows_do() {
    let folder = tempfile::tempdir().unwrap();
    let divided = [
        "parquet?sort=label",
        "parquet?sort=time",
        "parquet?sort=flag&codec=snappy&rows=1000",
        "parquet?partition=series",
        "parquet?partition=flag&sort=small",
        "parquet?partition=small",
        "parquet?partition=large&sort=seen",
        "parquet?partition=seen",
        "parquet?partition=time",
    ];
    let events = events();
    let oracle = events.oracle(events.rows.clone()).await;
    for (turn, name) in divided.into_iter().enumerate() {
        let design = settled(folder.path(), name, &events).await;
        let asked = [part(EVENT_QUERIES, turn), DIVIDED_QUERIES.to_vec()].concat();
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &asked).await,
            [""; 0]
        );
    }
    let odd_keys = [
        (
            places(),
            PLACE_QUERIES,
            [
                "parquet?sort=order",
                "parquet?partition=region&sort=amount",
                "parquet?partition=order",
            ],
        ),
        (
            marks(),
            MARK_QUERIES,
            ["parquet", "parquet?codec=snappy", "parquet?partition=up"],
        ),
    ];
    for (table, queries, designs) in odd_keys {
        let oracle = table.oracle(table.rows.clone()).await;
        for name in designs {
            let design = settled(folder.path(), name, &table).await;
            assert_eq!(
                wrong_answers(design.as_ref(), &oracle, queries).await,
                [""; 0]
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_values_of_a_folder_come_back_exactly() {
    let values = [
        Some("a"),
        None,
        Some(""),
        Some("__HIVE_DEFAULT_PARTITION__"),
        Some("null"),
        Some("."),
        Some(".."),
        Some("a/b"),
        Some("a%2Fb"),
        Some("a=b&c=d"),
        Some(" a "),
        Some("A"),
        Some("ü 日本 😀"),
        Some("it's \"\n\t\0\\"),
        Some("*?[a]{b}#~`|<>^"),
    ];
    let rows = 3 * values.len();
    let table = Table::new(
        "texts",
        "partition_key = [\"id\"]\ncolumns = { id = \"bigint\", text = \"text\", other = \"int\" }",
        vec![
            Arc::new(Int64Array::from_iter_values(0..rows as i64)),
            Arc::new(
                values
                    .iter()
                    .copied()
                    .cycle()
                    .take(rows)
                    .collect::<StringArray>(),
            ),
            Arc::new(Int32Array::from_iter_values(0..rows as i32)),
        ],
    );
    let mut queries = vec![
        "SELECT * FROM texts".to_owned(),
        "SELECT * FROM texts WHERE text IS NULL".to_owned(),
        "SELECT text, count(*) AS n FROM texts GROUP BY text ORDER BY text".to_owned(),
        "SELECT count(text) AS n, count(*) AS all_rows FROM texts".to_owned(),
        "SELECT * FROM texts WHERE text > 'a'".to_owned(),
    ];
    for value in values.into_iter().flatten() {
        let literal = value.replace('\'', "''");
        queries.push(format!(
            "SELECT id, text FROM texts WHERE text = '{literal}'"
        ));
    }
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let folder = tempfile::tempdir().unwrap();
    let design = settled(folder.path(), "parquet?partition=text", &table).await;
    let oracle = table.oracle(table.rows.clone()).await;
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, &queries).await,
        [""; 0]
    );
    let divided = folder.path().join("parquet/parquet-partition-text/table");
    let names: BTreeSet<String> = std::fs::read_dir(&divided)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), values.len(), "{names:?}");
    assert!(names.contains("text=") && names.contains("text=a%2Fb"));
    assert_eq!(
        design.footprint().await.unwrap().files,
        Some(values.len() as u64)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_files_of_a_value_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let events = events();
    let design = settled(folder.path(), "parquet?partition=series", &events).await;
    for (condition, matched) in [
        ("series = 'a'", 1),
        ("series IN ('a', 'ü')", 2),
        ("series = 'nobody'", 0),
        ("series > ''", 4),
    ] {
        let sql = format!("SELECT sum(small) FROM events WHERE {condition}");
        // Each file has one row group. Of the others only what their footers say is read.
        let read = format!("row_groups_pruned_statistics=4 total → {matched} matched");
        let explained = explained(design.as_ref(), &sql).await;
        assert!(explained.contains(&read), "{condition}: {explained}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_row_groups_of_a_value_are_read() {
    let rows = ROW_GROUP_ROWS + 20_000;
    let codes = (0..rows).map(|row| (row * 7_919 % 1_000) as i32);
    let table = Table::new(
        "codes",
        "partition_key = [\"id\"]\ncolumns = { id = \"bigint\", code = \"int\" }",
        vec![
            Arc::new(Int64Array::from_iter_values(0..rows as i64)),
            Arc::new(Int32Array::from_iter_values(codes)),
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    // The last group has about the last eighth of the codes.
    for (name, code, groups, matched) in [
        ("parquet", 999, 2, 2),
        ("parquet?sort=code", 999, 2, 1),
        ("parquet?sort=code", 5, 2, 1),
        ("parquet?rows=65536", 5, 3, 3),
        ("parquet?rows=65536&sort=code", 5, 3, 1),
    ] {
        let design = settled(folder.path(), name, &table).await;
        let sql = format!("SELECT sum(id) FROM codes WHERE code = {code}");
        let read = format!("row_groups_pruned_statistics={groups} total → {matched} matched");
        let explained = explained(design.as_ref(), &sql).await;
        assert!(explained.contains(&read), "{name}, {code}: {explained}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_folders_than_there_may_be_are_refused_before_and_while_rows_are_loaded() {
    let rows = 1_001;
    let table = Table::new(
        "many",
        "partition_key = [\"id\"]\ncolumns = { id = \"bigint\" }",
        vec![Arc::new(Int64Array::from_iter_values(0..rows))],
    );
    let folder = tempfile::tempdir().unwrap();
    let started = Started::new("parquet", folder.path().to_owned()).await;
    let name = "parquet?partition=id";
    let design = started.design(name, &table).await;
    design.create().await.unwrap();
    design.load(0, &table.rows.slice(0, 1_000)).await.unwrap();
    design.load(0, &table.rows.slice(0, 1_000)).await.unwrap();
    let error = design
        .load(1, &table.rows.slice(1_000, 1))
        .await
        .unwrap_err();
    let complaint = "more than 1000 different values of `id`";
    assert!(error.to_string().contains(complaint), "{error}");
    // Files that a process without this count has left are counted when they are sorted.
    let other = started.design("parquet", &table).await;
    other.create().await.unwrap();
    other.load(0, &table.rows).await.unwrap();
    let (from, to) = ("parquet", "parquet-partition-id");
    let slice = |design: &str| folder.path().join("parquet").join(design);
    std::fs::rename(
        slice(from).join("slice-000000.parquet"),
        slice(to).join("slice-000000.parquet"),
    )
    .unwrap();
    let error = design.settle().await.unwrap_err();
    assert!(error.to_string().contains(complaint), "{error}");
    assert!(!slice(to).join("table.unfinished").exists());
    assert!(!slice(to).join("table").exists());

    let id: DesignId = name.parse().unwrap();
    let check = |rows: i64| {
        let source = Rows(table.rows.slice(0, rows as usize));
        let designs = std::slice::from_ref(&id);
        check_ranges(designs, &table.workload, &source, rows as u64).unwrap()
    };
    assert_eq!(check(rows - 1), [""; 0]);
    let refused = check(rows);
    assert!(
        refused[0].starts_with("design parquet?partition=id: "),
        "{refused:?}"
    );
    assert!(refused[0].contains(complaint), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settling_again_after_a_kill_leaves_each_row_once() {
    let folder = tempfile::tempdir().unwrap();
    let events = events();
    let name = "parquet?partition=series";
    let started = Started::new("parquet", folder.path().to_owned()).await;
    let design = started.loaded(name, &events).await;
    // A process that was killed had finished one folder.
    let left = folder
        .path()
        .join("parquet/parquet-partition-series/table.unfinished/series=a");
    std::fs::create_dir_all(&left).unwrap();
    let slice = left.join("../../slice-000000.parquet");
    std::fs::copy(slice, left.join("rows.parquet")).unwrap();
    design.settle().await.unwrap();
    let oracle = events.oracle(events.rows.clone()).await;
    let queries = ["SELECT * FROM events", "SELECT count(*) AS n FROM events"];
    assert_eq!(
        wrong_answers(design.as_ref(), &oracle, &queries).await,
        [""; 0]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_without_rows_settles_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let events = events();
    let started = Started::new("parquet", folder.path().to_owned()).await;
    let oracle = events.oracle(events.rows.slice(0, 0)).await;
    for name in ["parquet", "parquet?sort=label", "parquet?partition=series"] {
        let design = started.design(name, &events).await;
        design.create().await.unwrap();
        design.settle().await.unwrap();
        let queries = ["SELECT * FROM events", "SELECT count(*) AS n FROM events"];
        let wrong = wrong_answers(design.as_ref(), &oracle, &queries).await;
        assert_eq!(wrong, [""; 0], "{name}");
    }
}

#[test]
fn columns_that_do_not_suit_are_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let context = bakeoff_engines::Context {
        run_dir: run_dir.clone(),
        token: None,
        threads: 1,
        keys_repeat: false,
        options: bakeoff_engines::EngineOptions::default(),
    };
    let events = events();
    for (name, complaint) in [
        ("parquet?sort=lable", "did you mean `label`?"),
        ("parquet?partition=value", "partition=value is a double"),
        ("parquet?sort=weight", "sort=weight is a float"),
        ("parquet?sort=series", "the key begins with it"),
        ("parquet?rows=10", "rows=10 is not a number of rows"),
    ] {
        let id: DesignId = name.parse().unwrap();
        let described = engine(&id)
            .unwrap()
            .describe(&id, &events.workload, &context);
        let error = described.unwrap_err().to_string();
        assert!(error.contains(complaint), "{name}: {error}");
    }
    assert!(!run_dir.exists());
}

/// A design in a folder, with all rows of the table at rest.
async fn settled(folder: &Path, name: &str, table: &Table) -> Box<dyn Design> {
    let started = Started::new(name, folder.to_owned()).await;
    let design = started.loaded(name, table).await;
    design.settle().await.unwrap();
    design
}

/// How a question was answered, with DataFusion's metrics.
async fn explained(design: &dyn Design, sql: &str) -> String {
    let answer = design.answer(&format!("EXPLAIN ANALYZE {sql}")).await;
    let batches = answer.unwrap().batches;
    pretty_format_batches(&batches).unwrap().to_string()
}

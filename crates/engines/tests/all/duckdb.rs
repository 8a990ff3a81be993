//! Designs on a real DuckDB: both layouts answer as the rows themselves do, loading again changes nothing,
//! questions can only read, and a process that ends is told.
//!
//! Where DuckDB's library is not installed this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, BinaryArray, StringArray, TimestampMillisecondArray};
use arrow::compute::concat_batches;
use arrow::datatypes::Int64Type;
use bakeoff_driver::Design;
use bakeoff_engines::{AdbcOptions, Context, EngineOptions, HostProgram};
use bakeoff_stats::QueryPlan;
use futures::future::join_all;

use crate::adbc_host;
use crate::support::{Started, THREADS, Table, events, has_duckdb, marks, places, wrong_answers};

const DESIGNS: &[&str] = &[
    "duckdb/table",
    "duckdb/table?memory=128",
    "duckdb/parquet",
    "duckdb/parquet?codec=snappy&memory=256&rows=1000",
];

const EVENT_QUERIES: &[&str] = &[
    "SELECT * FROM events",
    "SELECT seen, flag, small, large FROM events",
    "SELECT 1 AS one FROM events",
    "SELECT count(*) AS n FROM events",
    "SELECT count(label) AS labels, count(value) AS numbers, count(flag) AS flags FROM events",
    "SELECT sum(small) AS small, sum(large / 1000) AS large, avg(small) AS mean, 7 / 2 AS half FROM events",
    "SELECT series, min(time) AS first, max(large) AS most, avg(small) AS mean,
     sum(length(label)) AS long FROM events GROUP BY series ORDER BY series",
    "SELECT min(label) AS least, max(label) AS most FROM events",
    "SELECT max(value) AS most, min(value) AS least FROM events",
    "SELECT series, value FROM events WHERE value > 1.0 ORDER BY value, series, time",
    "SELECT * FROM events WHERE series IN ('a', 'it''s', 'nobody')",
    "SELECT * FROM events WHERE series = 'nobody'",
    "SELECT count(*) AS n, max(time) AS last FROM events WHERE series = 'nobody'",
    "SELECT * FROM events WHERE series = 'a' AND time >= TIMESTAMP '1969-12-30T00:00:00'
     AND time < TIMESTAMP '1970-01-01T00:00:00.001'",
    "SELECT * FROM events WHERE series = 'a' AND time >= '1970-01-01T00:00:00Z'",
    "SELECT * FROM events ORDER BY time DESC, series LIMIT 5",
    "SELECT label, series, time FROM events ORDER BY label, series, time LIMIT 40",
    "SELECT label, series, time FROM events ORDER BY label DESC, series, time LIMIT 40",
    "SELECT * FROM events WHERE flag IS NOT TRUE",
    "SELECT * FROM events WHERE label LIKE '%日本%'",
    "SELECT date_trunc('day', time) AS day, count(*) AS n FROM events GROUP BY date_trunc('day', time)
     ORDER BY day",
    "SELECT date_bin(INTERVAL '7 hours', time, TIMESTAMP '1970-01-01T00:00:00') AS bin, count(*) AS n
     FROM events GROUP BY bin ORDER BY bin",
    "SELECT date_bin(INTERVAL '7 hours', time) AS bin, count(*) AS n FROM events GROUP BY bin ORDER BY bin",
    "SELECT DISTINCT ON (series) series, time, large FROM events ORDER BY series, time DESC",
    "SELECT a.time, b.small FROM events a JOIN events b ON a.time = b.time AND a.series < b.series
     WHERE a.series = 'a'",
];

const PLACE_QUERIES: &[&str] = &[
    "SELECT * FROM places",
    "SELECT \"order\" FROM places WHERE day BETWEEN -11 AND -1",
    "SELECT * FROM places WHERE region = '' AND id = -2147483648",
    "SELECT sum(amount) AS total, count(*) AS n FROM places WHERE region = 'north' AND id = 0",
    "SELECT * FROM places WHERE region = 'north' AND id = 0
     ORDER BY day DESC, \"order\" DESC LIMIT 4",
];

const MARK_QUERIES: &[&str] = &[
    "SELECT * FROM marks",
    "SELECT height FROM marks WHERE up = false AND height >= 0.0",
    "SELECT height FROM marks WHERE up = true AND height = 'NaN'::double",
    "SELECT count(*) AS n FROM marks WHERE height < 0.0",
];

const FILE_QUERIES: &[&str] = &[
    "SELECT * FROM files",
    "SELECT name, data FROM files WHERE data IS NOT NULL ORDER BY name",
    "SELECT count(data) AS n FROM files",
];

/// Bytes of every kind.
pub fn files() -> Table {
    let all: Vec<u8> = (0..=255).collect();
    let data: [Option<&[u8]>; 4] = [Some(b""), None, Some(&all), Some(b"\0'\\x")];
    let names = ["a", "b", "c", "d"];
    let times = TimestampMillisecondArray::from(vec![Some(-1), Some(0), Some(1), Some(2)]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(names.to_vec())),
        Arc::new(times),
        Arc::new(BinaryArray::from(data.to_vec())),
    ];
    let table = r#"partition_key = ["name"]
order_key = ["time"]
columns = { name = "text", time = "timestamp", data = "blob" }"#;
    Table::new("files", table, columns)
}

fn options(adbc: AdbcOptions) -> EngineOptions {
    EngineOptions {
        adbc,
        ..EngineOptions::default()
    }
}

async fn started(folder: &Path) -> Started {
    Started::with("duckdb", folder.join("run"), options(adbc_host::options())).await
}

async fn count(design: &dyn Design, table: &str) -> i64 {
    let sql = format!("SELECT count(*) AS n FROM {table}");
    let answer = design.answer(&sql).await.unwrap();
    answer.batches[0]
        .column(0)
        .as_primitive::<Int64Type>()
        .value(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_type_goes_in_and_comes_out() {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let duckdb = started(folder.path()).await;
    let version = duckdb.running.info().version;
    assert!(version.starts_with("DuckDB 1."), "{version}");
    for (table, queries) in [
        (events(), EVENT_QUERIES),
        (places(), PLACE_QUERIES),
        (marks(), MARK_QUERIES),
        (files(), FILE_QUERIES),
    ] {
        let oracle = table.oracle(table.rows.clone()).await;
        for id in DESIGNS {
            let design = duckdb.loaded(id, &table).await;
            design.settle().await.unwrap();
            let wrong = wrong_answers(design.as_ref(), &oracle, queries).await;
            assert_eq!(wrong, [""; 0]);
            let footprint = design.footprint().await.unwrap();
            assert_eq!(footprint.files, Some(1), "{id}: only the sorted file");
            assert!(design.survives().await);
            assert!(design.server_cpu_seconds().unwrap() > 0.0);
            assert_eq!(design.dead(), None);
            let plan = design.query_plan(queries[0]).await.unwrap().unwrap();
            assert_eq!(plan.by, "DuckDB");
            let reads = ["SCAN", "PARQUET"]
                .iter()
                .any(|name| plan.text.contains(name));
            assert!(reads, "{id}: {}", plan.text);
            let refused = design.query_plan("ANALYZE SELECT 1").await.unwrap_err();
            assert!(refused.0.contains("this is not a query"), "{refused}");
        }
    }
    duckdb.running.finish(false).await.unwrap();
    assert!(!folder.path().join("run/duckdb").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loading_again_changes_nothing_and_repeated_keys_are_kept() {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let duckdb = started(folder.path()).await;
    let table = events();
    let rows = table.rows.num_rows();
    for id in ["duckdb/table", "duckdb/parquet"] {
        // As a run that was stopped and goes on.
        drop(duckdb.loaded(id, &table).await);
        let design = duckdb.design(id, &table).await;
        assert!(design.survives().await, "{id}");
        let half = table.rows.slice(0, rows / 2);
        design.load(0, &half).await.unwrap();
        let one = table.rows.slice(0, 1);
        let twice = concat_batches(&one.schema(), [&one, &one]).unwrap();
        design.load(7, &twice).await.unwrap();
        design.settle().await.unwrap();
        assert_eq!(count(design.as_ref(), "events").await, rows as i64 + 2);
        // Settling again, after a crash, finds all done.
        design.settle().await.unwrap();
        drop(design);
        let design = duckdb.design(id, &table).await;
        assert_eq!(count(design.as_ref(), "events").await, rows as i64 + 2);
        design.create().await.unwrap();
        design.settle().await.unwrap();
        assert_eq!(count(design.as_ref(), "events").await, 0, "{id}");
    }
    duckdb.running.finish(false).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_only_read_the_table() {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let duckdb = started(folder.path()).await;
    let table = events();
    let other = folder.path().join("other.csv");
    std::fs::write(&other, "secret\n1\n").unwrap();
    let other = other.display();
    for id in ["duckdb/table", "duckdb/parquet"] {
        let design = duckdb.loaded(id, &table).await;
        design.settle().await.unwrap();
        for (sql, why) in [
            (format!("COPY events TO '{other}'"), "not a query"),
            ("DROP TABLE events".to_owned(), "not a query"),
            ("SET threads = 1".to_owned(), "not a query"),
            ("SELECT 1; SELECT 2".to_owned(), "several statements"),
            (
                format!("SELECT * FROM read_csv('{other}')"),
                "disabled by configuration",
            ),
            (
                format!("SELECT * FROM read_text('{other}')"),
                "disabled by configuration",
            ),
            (
                format!("SELECT * FROM glob('{other}')"),
                "disabled by configuration",
            ),
            ("SELECT nothing FROM events".to_owned(), "nothing"),
            (
                "SELECT CAST(label AS INTEGER) FROM events".to_owned(),
                "Conversion Error",
            ),
        ] {
            let error = design.answer(&sql).await.unwrap_err().to_string();
            assert!(error.contains(why), "{id}: {sql}: {error}");
        }
        // Nothing of that ended the process.
        assert_eq!(design.dead(), None);
        assert!(count(design.as_ref(), "events").await > 0);
    }
    duckdb.running.finish(false).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans_tell_which_answers_are_made_of_statistics() {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let duckdb = started(folder.path()).await;
    for id in ["duckdb/table", "duckdb/parquet"] {
        let design = duckdb.loaded(id, &events()).await;
        design.settle().await.unwrap();
        for (sql, reads_no_row) in [
            ("SELECT count(*) AS n FROM events", true),
            ("SELECT sum(small) AS n FROM events", false),
            ("SELECT count(*) AS n FROM events WHERE small > 1", false),
        ] {
            let plan = design.query_plan(sql).await.unwrap().unwrap();
            let known = QueryPlan::told(plan.by, &plan.text);
            assert_eq!(known.reads_no_row(), reads_no_row, "{id}: {}", plan.text);
        }
    }
    duckdb.running.finish(false).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_clients_ask_at_the_same_time() {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let duckdb = started(folder.path()).await;
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    let design = duckdb.loaded("duckdb/table", &table).await;
    design.settle().await.unwrap();
    let asks = (0..8).map(|_| wrong_answers(design.as_ref(), &oracle, EVENT_QUERIES));
    let wrong = join_all(asks).await.concat();
    assert_eq!(wrong, [""; 0]);
    duckdb.running.finish(false).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_is_killed_is_the_end_of_its_design_alone() {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let duckdb = started(folder.path()).await;
    let table = events();
    let killed = duckdb.loaded("duckdb/table", &table).await;
    killed.settle().await.unwrap();
    count(killed.as_ref(), "events").await;
    // Of its children only the process that answers has this file open.
    let file = folder.path().join("run/duckdb/duckdb-table/table.duckdb");
    kill_who_has_open(&file);
    let error = killed.answer("SELECT 1 AS one").await.unwrap_err();
    assert!(
        error.to_string().contains("the database's driver is gone"),
        "{error}"
    );
    let why = killed.dead().unwrap();
    assert!(why.contains("signal: 9 (SIGKILL)"), "{why}");
    let other = duckdb.loaded("duckdb/parquet", &table).await;
    other.settle().await.unwrap();
    assert!(count(other.as_ref(), "events").await > 0);
    assert_eq!(other.dead(), None);
    duckdb.running.finish(false).await.unwrap();
}

/// Kills the child of this process that has a file open.
pub fn kill_who_has_open(file: &Path) {
    let file = std::fs::canonicalize(file).unwrap();
    // A child belongs to the thread that started it.
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let lists = tasks.map(|task| task.unwrap().path().join("children"));
    let children: Vec<String> = lists
        .map(|list| std::fs::read_to_string(list).unwrap_or_default())
        .flat_map(|list| {
            let pids = list.split_whitespace().map(str::to_owned);
            pids.collect::<Vec<String>>()
        })
        .collect();
    let has_it_open = |pid: &&String| {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd"));
        let mut open = open.into_iter().flatten().flatten();
        open.any(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == file))
    };
    let found: Vec<&String> = children.iter().filter(has_it_open).collect();
    let [pid] = found[..] else {
        panic!("of {children:?}, {found:?} have {} open", file.display());
    };
    let killed = Command::new("kill").args(["-KILL", pid.as_str()]).status();
    assert!(killed.unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_nobody_waits_for_ends_and_the_next_one_is_answered() {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let duckdb = started(folder.path()).await;
    let table = events();
    let design = duckdb.loaded("duckdb/table", &table).await;
    design.settle().await.unwrap();
    let long = "SELECT count(*) AS n FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range % 5";
    let given_up = tokio::time::timeout(Duration::from_millis(300), design.answer(long)).await;
    assert!(given_up.is_err(), "{given_up:?}");
    assert_eq!(design.dead(), None);
    assert!(count(design.as_ref(), "events").await > 0);
    duckdb.running.finish(false).await.unwrap();
}

#[tokio::test]
async fn a_process_that_cannot_load_the_library_is_told() {
    if !has_duckdb() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (script, words) in [
        ("exit 3", "exit status: 3"),
        (
            "echo it is broken >&2; kill -SEGV $$",
            "signal: 11 (SIGSEGV)",
        ),
        ("echo it is broken; kill -SEGV $$", "it is broken"),
        (
            "echo this is no frame of bytes >&0; exec sleep 600",
            "has ended",
        ),
    ] {
        let adbc = AdbcOptions {
            host: Some(HostProgram {
                program: PathBuf::from("/bin/sh"),
                arguments: vec!["-c".to_owned(), format!("read -r line; {script}")],
            }),
            ..AdbcOptions::default()
        };
        let context = Context {
            run_dir: folder.path().join("run"),
            token: None,
            threads: THREADS,
            keys_repeat: true,
            options: options(adbc),
        };
        let id = "duckdb/table".parse().unwrap();
        let engine = bakeoff_engines::registry::engine(&id).unwrap();
        let error = engine.start(&context).await.err().unwrap().0;
        assert!(error.contains(words), "{script}: {error}");
        assert!(error.contains("BAKEOFF_DUCKDB_LIBRARY"), "{error}");
    }
}

//! Designs of Spark: every layout answers as the rows themselves do, in one process for all of them, and faults are told.
//!
//! Where it is not installed this prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{AsArray, BinaryArray, Int32Array};
use arrow::datatypes::Int64Type;
use bakeoff_driver::Design;
use bakeoff_engines::{Cluster, EngineOptions};

use crate::support::shared;
use crate::support::small::{Small, with_own_texts};
use crate::support::{Started, Table, events, has_spark, marks, places, wrong_answers};

/// The longest that a call to a process that was killed, or the end of a cancelled query, may take.
pub const NOTICED_WITHIN: Duration = Duration::from_secs(120);

const DESIGNS: [&str; 2] = [
    "spark/parquet?codec=snappy&rows=1000",
    "spark/parquet?codec=zstd&cache=true",
];

/// Tables in a Cassandra that runs already.
const CASSANDRA_DESIGNS: [&str; 2] = ["spark/cassandra", "spark/cassandra?cache=true"];

pub const EVENT_QUERIES: &[&str] = &[
    "SELECT * FROM events",
    "SELECT seen, flag, small, large FROM events",
    "SELECT 1 AS one FROM events",
    "SELECT count(*) AS n FROM events",
    "SELECT count(label) AS labels, count(value) AS numbers, count(flag) AS flags FROM events",
    "SELECT series, min(time) AS earliest, max(large) AS most, avg(small) AS mean,
     sum(length(label)) AS letters, sum(CAST(small AS BIGINT)) AS total
     FROM events GROUP BY series ORDER BY series",
    "SELECT min(label) AS least, max(label) AS most FROM events",
    "SELECT max(value) AS most, min(value) AS least FROM events",
    "SELECT series, value FROM events WHERE value > 1.0 ORDER BY value, series, time",
    "SELECT * FROM events WHERE series = 'ü'",
    "SELECT * FROM events WHERE series IN ('a', 'it''s', 'nobody')",
    "SELECT * FROM events WHERE series = 'nobody'",
    "SELECT count(*) AS n, max(time) AS newest FROM events WHERE series = 'nobody'",
    "SELECT series, count(*) AS n FROM events WHERE series = 'nobody' GROUP BY series",
    "SELECT * FROM events WHERE series = 'a' AND time >= TIMESTAMP '1969-12-30T00:00:00'
     AND time < TIMESTAMP '1970-01-01T00:00:00.001'",
    "SELECT * FROM events ORDER BY time DESC, series LIMIT 5",
    "SELECT * FROM events ORDER BY label NULLS LAST, series, time LIMIT 40",
    "SELECT * FROM events WHERE flag IS NOT TRUE",
    "SELECT * FROM events WHERE label LIKE '%日本%'",
    r"SELECT series, '\u0041\' AS text FROM events -- it's a comment \
      WHERE series = 'a'",
    "SELECT series, '${spark.master} ${env:PATH}' AS text FROM events WHERE series = 'a'",
    "SELECT date_trunc('day', time) AS day, count(*) AS n FROM events
     GROUP BY date_trunc('day', time) ORDER BY day",
    "SELECT CAST(time AS DATE) AS day, CAST(small AS REAL) AS number, CAST(small AS SMALLINT) AS little,
     CAST(small AS DOUBLE PRECISION) AS whole FROM events WHERE small IN (-1, 0)",
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
    "SELECT up, count(*) AS n, min(height) AS lowest FROM marks GROUP BY up ORDER BY up",
    "SELECT * FROM marks WHERE height > 1.0",
];

const BLOB_QUERIES: &[&str] = &[
    "SELECT * FROM blobs",
    "SELECT id FROM blobs WHERE data = X'00ff'",
    "SELECT count(data) AS n FROM blobs",
];

const METRICS: &str = "series,time,value\na,2024-01-01T23:00:00,1.5\na,2024-01-02T00:00:00,2.5\n\
                       b,2024-01-01T00:00:00,-1.5\nb,2024-01-01T01:00:00,\n";
const METRIC_ROWS: u64 = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn designs_on_a_real_spark() {
    if !has_spark().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // A name that shells divide at blanks, and Spark at commas.
    let run_dir = folder.path().join("a run's folder, 1");
    let server = shared::cassandra().await;
    let mut options = EngineOptions::default();
    options.cassandra.cluster = server.as_ref().map(|server| Cluster {
        address: server.address().to_string(),
        ..Cluster::default()
    });
    let spark = Started::with("spark", run_dir, options).await;
    let events = events();
    for (table, queries) in [
        (&events, EVENT_QUERIES),
        (&places(), PLACE_QUERIES),
        (&marks(), MARK_QUERIES),
        (&blobs(), BLOB_QUERIES),
    ] {
        let oracle = table.oracle(table.rows.clone()).await;
        for id in DESIGNS {
            let design = spark.loaded(id, table).await;
            let settled = design.settle().await.unwrap();
            assert_eq!(settled.contains("CACHE TABLE"), id.contains("cache=true"));
            let wrong = wrong_answers(design.as_ref(), &oracle, queries).await;
            assert_eq!(wrong, [""; 0]);
            assert!(design.footprint().await.unwrap().file_bytes.unwrap() > 0);
            assert!(design.survives().await);
            let plan = design.query_plan(queries[0]).await.unwrap().unwrap();
            assert_eq!(plan.by, "Spark");
            assert!(plan.text.contains("Physical Plan"), "{id}: {}", plan.text);
            assert!(design.query_plan("EXTENDED SELECT 1").await.is_err());
        }
    }
    if server.is_some() {
        tables_of_cassandra_are_right(&spark, &events).await;
    }
    shipped_workloads_are_right(&spark).await;
    a_table_made_anew_has_its_own_rows(&spark, &events).await;
    what_is_refused_and_what_fails_stays_with_its_question(&spark, &events).await;
    a_query_that_nobody_waits_for_ends(&spark, &events).await;
    a_process_that_was_killed_is_noticed(spark, &events).await;
}

fn blobs() -> Table {
    let data: [Option<&[u8]>; 4] = [Some(b"\x00\xff"), None, Some(b""), Some(b"it's")];
    Table::new(
        "blobs",
        "partition_key = [\"id\"]\ncolumns = { id = \"int\", data = \"blob\" }",
        vec![
            Arc::new(Int32Array::from_iter_values(0..4)),
            Arc::new(data.into_iter().collect::<BinaryArray>()),
        ],
    )
}

async fn tables_of_cassandra_are_right(spark: &Started, events: &Table) {
    let blobs = blobs();
    for (table, queries) in [(events, EVENT_QUERIES), (&blobs, BLOB_QUERIES)] {
        let oracle = table.oracle(table.rows.clone()).await;
        for id in CASSANDRA_DESIGNS {
            let design = spark.loaded(id, table).await;
            let settled = design.settle().await.unwrap();
            assert_eq!(settled.contains("CACHE TABLE"), id.contains("cache=true"));
            let wrong = wrong_answers(design.as_ref(), &oracle, queries).await;
            assert_eq!(wrong, [""; 0]);
            assert!(!design.keeps_duplicates());
            // The time of a server that was there before is not known.
            assert_eq!(design.server_cpu_seconds(), None);
        }
    }
}

/// Those with a text of their own for Spark among them.
async fn shipped_workloads_are_right(spark: &Started) {
    let file = spark.context.run_dir.with_file_name("metrics.csv");
    std::fs::write(&file, METRICS).unwrap();
    let metrics = Small::of_file("metrics.toml", file, METRIC_ROWS).await;
    let mut wrong = metrics.wrong_of(spark, "spark/parquet?cache=true").await;
    for small in with_own_texts().await {
        wrong.extend(small.wrong_of(spark, "spark/parquet").await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn a_table_made_anew_has_its_own_rows(spark: &Started, table: &Table) {
    let design = spark.loaded("spark/parquet?cache=true", table).await;
    design.settle().await.unwrap();
    let rows = table.rows.num_rows() as i64;
    assert_eq!(count(design.as_ref()).await, rows);
    design.create().await.unwrap();
    design.load(0, &table.rows.slice(0, 3)).await.unwrap();
    design.load(0, &table.rows.slice(0, 3)).await.unwrap();
    design.settle().await.unwrap();
    assert_eq!(
        count(design.as_ref()).await,
        3,
        "a slice that is loaded again"
    );
    // As in a resumed run: the table is there, and Spark does not know it.
    let resumed = spark.design("spark/parquet?cache=true", table).await;
    assert!(resumed.survives().await);
    assert_eq!(count(resumed.as_ref()).await, 3);
}

async fn what_is_refused_and_what_fails_stays_with_its_question(spark: &Started, table: &Table) {
    let design = spark.loaded("spark/parquet", table).await;
    design.settle().await.unwrap();
    // Its name has no quote, unlike that of the run.
    let folder = spark.context.run_dir.with_file_name("written");
    let write = format!(
        "WITH a AS (SELECT 1) INSERT OVERWRITE DIRECTORY '{}' USING parquet SELECT * FROM a",
        folder.display()
    );
    let file = "SELECT * FROM parquet.`/etc/passwd`";
    for (sql, why) in [
        (write.as_str(), "this query writes"),
        ("DROP VIEW events", "not a query"),
        ("SELECT nothing FROM events", "Spark: [UNRESOLVED_COLUMN"),
        ("SELECT FROM FROM", "Spark: "),
        (file, "Spark: [TABLE_OR_VIEW_NOT_FOUND]"),
        ("SELECT 1 / 0 AS a FROM events", "DIVIDE_BY_ZERO"),
        (
            "SELECT sum(large) AS a FROM events WHERE large > 0",
            "ARITHMETIC_OVERFLOW",
        ),
    ] {
        let error = design.answer(sql).await.unwrap_err().to_string();
        assert!(error.contains(why), "{sql}: {error}");
        assert!(!error.contains("\tat "), "places in the code: {error}");
    }
    assert!(!folder.exists());
    assert_eq!(count(design.as_ref()).await, table.rows.num_rows() as i64);
    assert_eq!(design.dead(), None);
}

async fn a_query_that_nobody_waits_for_ends(spark: &Started, table: &Table) {
    let design = spark.loaded("spark/parquet", table).await;
    design.settle().await.unwrap();
    let endless = "SELECT count(*) AS n FROM range(100000000000000) WHERE id % 7 = 3";
    let before = design.server_cpu_seconds().unwrap();
    let is_busy = async {
        while design.server_cpu_seconds().unwrap() < before + 3.0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        answer = design.answer(endless) => panic!("it answered: {answer:?}"),
        () = is_busy => {}
    }
    let cores_used = async || {
        let (began, before) = (Instant::now(), design.server_cpu_seconds().unwrap());
        tokio::time::sleep(Duration::from_millis(500)).await;
        (design.server_cpu_seconds().unwrap() - before) / began.elapsed().as_secs_f64()
    };
    let ended = async { while cores_used().await > 0.1 {} };
    tokio::time::timeout(NOTICED_WITHIN, ended).await.unwrap();
    assert_eq!(count(design.as_ref()).await, table.rows.num_rows() as i64);
}

async fn a_process_that_was_killed_is_noticed(spark: Started, table: &Table) {
    let design = spark.loaded("spark/parquet", table).await;
    design.settle().await.unwrap();
    assert_eq!(design.dead(), None);
    let files = spark.context.run_dir.join("spark");
    let java = java_in(&files.join("process")).expect("Spark's own process");
    let kill = std::process::Command::new("kill")
        .args(["-9", &java])
        .status();
    assert!(kill.unwrap().success());
    let answer = design.answer("SELECT count(*) AS n FROM events");
    let answer = tokio::time::timeout(NOTICED_WITHIN, answer).await.unwrap();
    let error = answer.unwrap_err().to_string();
    // The answer may have failed before the end of the process is known.
    let noticed = async {
        loop {
            match design.dead() {
                Some(why) => return why,
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let why = tokio::time::timeout(NOTICED_WITHIN, noticed).await;
    let why = why.unwrap_or_else(|_| panic!("nothing was noticed: {error}"));
    assert!(why.contains("SIGKILL"), "{error}; {why}");
    drop(design);
    spark.running.finish(false).await.unwrap();
    assert!(!files.exists());
}

/// The id of the Java that runs in a folder.
fn java_in(folder: &Path) -> Option<String> {
    let is_meant = |process: &PathBuf| {
        let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
        let runs_in = std::fs::read_link(process.join("cwd"));
        name.trim() == "java" && runs_in.is_ok_and(|runs_in| runs_in.starts_with(folder))
    };
    let processes = std::fs::read_dir("/proc").unwrap();
    let mut processes = processes.map(|entry| entry.unwrap().path());
    let found = processes.find(is_meant)?;
    Some(found.file_name()?.to_string_lossy().into_owned())
}

async fn count(design: &dyn Design) -> i64 {
    let answer = design.answer("SELECT count(*) AS n FROM events").await;
    let answer = answer.unwrap();
    answer.batches[0]
        .column(0)
        .as_primitive::<Int64Type>()
        .value(0)
}

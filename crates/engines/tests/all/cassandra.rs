//! Tests of designs on a real Cassandra: every layout answers like the rows themselves, loading again
//! changes nothing, keyspaces of others are left alone, and a killed server is noticed.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{Array, ArrayRef, Int64Array, StringArray};
use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::Design;
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::{Home, list};
use bakeoff_engines::{Context, EngineOptions, Running};
use bakeoff_workload::DesignId;
use scylla::client::session::Session;

use crate::cassandra_copies::copies_on_a_real_cassandra;
use crate::cassandra_indexes::indexes_on_a_real_cassandra;
use crate::cassandra_series::series_on_a_real_cassandra;
use crate::cassandra_summary::summaries_on_a_real_cassandra;
use crate::cassandra_table_options::table_options_on_a_real_cassandra;
use crate::columns::columns_on_a_real_cassandra;
use crate::support::load::{on_cluster, session_at};
use crate::support::{
    Started, THREADS, Table, events, executed, has_cassandra, marks, part, places, wrong_answers,
};

/// Time limit of a call to a server that was killed.
const NOTICED_WITHIN: Duration = Duration::from_secs(120);

const EVENT_DESIGNS: &[&str] = &[
    "cassandra/narrow",
    "cassandra/narrow?compressor=none",
    "cassandra/wide",
    "cassandra/wide?bucket=1d",
    "cassandra/wide?batch=1KiB&bucket=5h&chunk=4KiB&compressor=Zstd",
    "cassandra/blob?compressor=Deflate",
    "cassandra/blob?bucket=1d&chunk=64KiB&compressor=Snappy",
    "cassandra/compact?compressor=none",
    "cassandra/compact?bucket=2d",
    "cassandra/wide?order=desc",
    "cassandra/blob?bucket=5h&order=desc",
    "cassandra/compact?order=desc",
    // Pages so small that partitions are read by ranges after four of them.
    "cassandra/wide?page=1",
    "cassandra/wide?page=2&order=desc",
    "cassandra/blob?page=3",
    "cassandra/wide?aggregate=server&page=7",
    "cassandra/wide?aggregate=ranges",
    "cassandra/wide?aggregate=ranges&bucket=1d&order=desc",
    "cassandra/narrow?aggregate=server",
    "cassandra/narrow?names=short",
    "cassandra/wide?names=short&page=2",
    "cassandra/wide?bucket=5h&names=short&order=desc",
];

pub const EVENT_QUERIES: &[&str] = &[
    "SELECT * FROM events",
    "SELECT value FROM events",
    "SELECT label, series FROM events",
    "SELECT time FROM events",
    "SELECT seen, flag, small, large FROM events",
    "SELECT 1 AS one FROM events",
    "SELECT count(*) AS n FROM events",
    "SELECT count(label) AS labels, count(value) AS numbers, count(flag) AS flags FROM events",
    "SELECT sum(small) AS small, sum(large) AS large, avg(small) AS mean,
     count(*) AS n FROM events",
    "SELECT sum(value) AS total, avg(value) AS mean, min(value) AS least, max(value) AS most FROM events",
    "SELECT sum(value) AS total, avg(value) AS mean, min(value) AS least, max(value) AS most FROM events
     WHERE series = 'a' AND time < TIMESTAMP '1969-12-30T00:00:00'",
    "SELECT min(small) AS small, max(large) AS large, min(label) AS label, max(label) AS last, min(seen) AS seen,
     max(time) AS time FROM events WHERE series = 'b'",
    "SELECT sum(small) AS total, avg(value) AS mean, min(label) AS least, count(seen) AS seen FROM events
     WHERE series = 'nobody'",
    "SELECT avg(value) AS mean FROM events WHERE series IN ('a', 'b') AND time >= TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT sum(small) + 1 AS more, count(small) * 2 AS twice FROM events WHERE series = 'a'",
    "SELECT avg(large) AS mean FROM events WHERE large < 0 AND large > -10",
    "SELECT count(*) AS n FROM events WHERE series = 'a'",
    "SELECT sum(DISTINCT small) AS different, avg(value + 1.0) AS mean FROM events WHERE series = 'a'",
    "SELECT count(*) FILTER (WHERE flag) AS n, sum(small) AS total FROM events WHERE series = 'a'",
    "SELECT series, min(time) AS first, max(large) AS most, avg(small) AS mean, sum(length(label)) AS long
     FROM events GROUP BY series ORDER BY series",
    "SELECT * FROM events WHERE series = 'a'",
    "SELECT * FROM events WHERE 'ü' = series",
    "SELECT * FROM events WHERE series IN ('a', 'it''s', 'nobody')",
    "SELECT * FROM events WHERE series = 'a' OR series = 'ü'",
    "SELECT * FROM events WHERE series = 'a' OR flag",
    "SELECT count(*) AS n FROM events WHERE series <> 'a'",
    "SELECT count(*) AS n FROM events WHERE series NOT IN ('a', 'b')",
    "SELECT * FROM events WHERE series = 'a' AND series = 'b'",
    "SELECT * FROM events WHERE series = ''",
    "SELECT * FROM events WHERE series IN ('', 'b')",
    "SELECT * FROM events WHERE series = 'nobody'",
    "SELECT count(*) AS n, max(time) AS last FROM events WHERE series = 'nobody'",
    "SELECT * FROM events WHERE series = 'a' AND time = TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND time = TIMESTAMP '1970-01-01T00:00:00.5'",
    "SELECT * FROM events WHERE series = 'a' AND time > TIMESTAMP '1969-12-30T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND time >= TIMESTAMP '1969-12-30T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND time < TIMESTAMP '1969-12-31T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND time <= TIMESTAMP '1969-12-31T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND TIMESTAMP '1970-01-01T23:59:59.999' <= time",
    "SELECT * FROM events WHERE series = 'a' AND TIMESTAMP '1970-01-01T23:59:59.999' > time",
    "SELECT * FROM events WHERE series = 'a' AND time <> TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM events WHERE series IN ('a', 'b')
     AND time BETWEEN TIMESTAMP '1969-12-31T23:59:59.999' AND TIMESTAMP '1970-01-02T00:00:00'",
    "SELECT * FROM events WHERE series = 'b' AND time > TIMESTAMP '1969-12-29T00:00:00'
     AND time >= TIMESTAMP '1969-12-31T00:00:00' AND time < TIMESTAMP '1970-01-02T00:00:00.001'",
    "SELECT * FROM events WHERE series = 'a' AND time > TIMESTAMP '1970-01-02T00:00:00'
     AND time < TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND time IN (TIMESTAMP '1970-01-01T00:00:00',
     TIMESTAMP '1969-12-31T00:00:00.001')",
    "SELECT * FROM events WHERE series = 'a' AND time > TIMESTAMP '1970-01-01T00:00:00.0005'",
    "SELECT * FROM events WHERE series = 'a' AND time < TIMESTAMP '1900-01-01T00:00:00'",
    "SELECT * FROM events WHERE series = 'a' AND time > TIMESTAMP '2200-01-01T00:00:00'",
    "SELECT * FROM events WHERE time >= TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT * FROM events WHERE time = TIMESTAMP '1969-12-31T23:59:59.999'",
    "SELECT * FROM events ORDER BY time DESC, series LIMIT 5",
    "SELECT series, value FROM events ORDER BY series, time LIMIT 3 OFFSET 20",
    "SELECT time, label FROM events WHERE series = 'a' ORDER BY time LIMIT 1",
    "SELECT time, label FROM events WHERE series = 'a' ORDER BY time DESC LIMIT 2",
    "SELECT time FROM events WHERE series = 'a' AND flag ORDER BY time LIMIT 3",
    "SELECT count(*) AS n FROM (SELECT * FROM events LIMIT 5)",
    "SELECT count(*) AS n FROM (SELECT * FROM events WHERE series = 'a' LIMIT 5)",
    "SELECT count(*) AS n FROM (SELECT * FROM events WHERE series = 'a' AND value < 0.0 LIMIT 4)",
    "SELECT count(*) AS n FROM (SELECT * FROM events LIMIT 50 OFFSET 40)",
    "SELECT * FROM events LIMIT 0",
    "SELECT * FROM events WHERE value > 0.0",
    "SELECT * FROM events WHERE value = 'NaN'::double OR value = '-Infinity'::double",
    "SELECT * FROM events WHERE value IS NULL AND label IS NOT NULL",
    "SELECT * FROM events WHERE label = ''",
    "SELECT * FROM events WHERE label LIKE '%日本%'",
    "SELECT * FROM events WHERE flag IS NOT TRUE",
    "SELECT * FROM events WHERE large < 0 AND small > large",
    "SELECT * FROM events WHERE upper(series) = 'A'",
    "SELECT * FROM events WHERE series = 'a' AND seen < time",
    "SELECT date_trunc('day', time) AS day, count(*) AS n FROM events GROUP BY day ORDER BY day",
    "SELECT a.time, b.small FROM events a JOIN events b ON a.time = b.time AND a.series < b.series
     WHERE a.series = 'a'",
    "SELECT series FROM events WHERE small = -1 UNION ALL SELECT series FROM events WHERE series = 'b'",
    "SELECT time FROM events WHERE series = 'a' AND time > (SELECT min(seen) FROM events)",
    "SELECT * FROM events WHERE time > TIMESTAMP '1969-12-30T00:00:00'
     AND time >= TIMESTAMP '1969-12-31T00:00:00' AND time < TIMESTAMP '1970-01-02T00:00:00.001'",
    "SELECT count(*) AS n FROM events WHERE time < TIMESTAMP '1970-01-01T00:00:00' AND flag",
    "SELECT count(*) AS n FROM (SELECT * FROM events WHERE time < TIMESTAMP '1970-01-01T00:00:00' LIMIT 5)",
    "SELECT DISTINCT series FROM events",
    "SELECT DISTINCT ON (series) * FROM events ORDER BY series, time DESC",
    "SELECT DISTINCT ON (series) * FROM events ORDER BY series, time",
    "SELECT DISTINCT ON (series) series, label FROM events WHERE time < TIMESTAMP '1970-01-01T00:00:00'
     ORDER BY series, time DESC",
    "SELECT DISTINCT ON (series) series, value FROM events WHERE series IN ('a', 'b', 'nobody')
     ORDER BY series, time DESC",
    "SELECT DISTINCT ON (series) series, time FROM events WHERE flag ORDER BY series, time DESC",
    "SELECT series, max(time) AS last, last_value(small ORDER BY time) AS newest FROM events
     GROUP BY series ORDER BY series",
    "SELECT series, min(time) AS first, first_value(small ORDER BY time) AS oldest FROM events
     GROUP BY series ORDER BY series",
    "SELECT series, max(time) AS last, max(small) AS most FROM events GROUP BY series ORDER BY series",
    "SELECT max(time) AS last FROM events",
    "SELECT date_trunc('minute', time) AS minute, max(small) AS most FROM events
     WHERE time < TIMESTAMP '1970-01-02T00:00:00' GROUP BY minute ORDER BY minute DESC LIMIT 3",
    "SELECT date_bin(INTERVAL '7 hours', time) AS bin, series, count(*) AS n FROM events
     WHERE time <= TIMESTAMP '1970-01-02T00:00:00' GROUP BY bin, series ORDER BY bin DESC, series LIMIT 4",
];

const PLACE_DESIGNS: &[&str] = &[
    "cassandra/narrow",
    "cassandra/wide",
    "cassandra/wide?bucket=10",
    "cassandra/blob?bucket=3",
    "cassandra/compact",
    "cassandra/wide?order=desc&bucket=3",
    "cassandra/wide?names=short",
];

pub const PLACE_QUERIES: &[&str] = &[
    "SELECT * FROM places",
    "SELECT \"order\" FROM places",
    "SELECT amount FROM places WHERE region = 'north' AND id = -1",
    "SELECT * FROM places WHERE region = '' AND id = -2147483648",
    "SELECT * FROM places WHERE region = 'north'",
    "SELECT * FROM places WHERE id = 7",
    "SELECT * FROM places WHERE region IN ('', 'süd') AND id IN (0, 7, 8)",
    "SELECT * FROM places WHERE region = 'süd' AND (id = 0 OR id = -1) AND day >= -10 AND day < 10",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND day = -10",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND day = -10 AND \"order\" = ''",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND day = -10 AND \"order\" >= 'b'",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND day > -11 AND \"order\" = 'é'",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND \"order\" = 'é'",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND day IN (-20, 25)",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND day > -1000 AND day <= -10",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND -10 > day",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND day = 9 AND day > 9",
    "SELECT * FROM places WHERE region = 'north' AND id = 0 AND day <= 9223372036854775807",
    "SELECT * FROM places WHERE day BETWEEN -11 AND -1",
    "SELECT * FROM places WHERE day = -10 AND \"order\" >= 'b'",
    "SELECT DISTINCT ON (region, id) * FROM places ORDER BY region, id, day DESC, \"order\" DESC",
    "SELECT DISTINCT ON (region) * FROM places ORDER BY region, id DESC, day DESC, \"order\" DESC",
    "SELECT sum(amount) AS total, count(*) AS n FROM places WHERE region = 'north' AND id = 0",
    "SELECT * FROM places WHERE region = 'north' AND id = 0
     ORDER BY day DESC, \"order\" DESC LIMIT 4",
];

pub const MARK_QUERIES: &[&str] = &[
    "SELECT * FROM marks",
    "SELECT height FROM marks WHERE up",
    "SELECT height FROM marks WHERE NOT up",
    "SELECT height FROM marks WHERE up = true",
    "SELECT height FROM marks WHERE up = false AND height >= 0.0",
    "SELECT height FROM marks WHERE up = true AND height = 0.0",
    "SELECT height FROM marks WHERE up = true AND height = 'NaN'::double",
    "SELECT count(*) AS n FROM marks WHERE height < 0.0",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn designs_on_a_real_cassandra() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    describing_makes_nothing(folder.path());
    let cassandra = Started::new("cassandra", folder.path().join("run")).await;

    every_layout_answers_as_the_rows_do(&cassandra, &events(), EVENT_DESIGNS, EVENT_QUERIES).await;
    every_layout_answers_as_the_rows_do(&cassandra, &places(), PLACE_DESIGNS, PLACE_QUERIES).await;
    let designs = &["cassandra/narrow", "cassandra/wide", "cassandra/blob"];
    every_layout_answers_as_the_rows_do(&cassandra, &marks(), designs, MARK_QUERIES).await;
    only_what_is_asked_for_is_read(&cassandra).await;
    too_many_buckets_are_an_error(&cassandra).await;
    loading_again_changes_nothing(&cassandra).await;
    the_last_row_of_a_key_wins(&cassandra).await;
    a_row_that_cassandra_refuses_is_an_error(&cassandra).await;
    a_table_made_anew_is_empty(&cassandra).await;
    what_is_not_ours_is_left_alone(&cassandra).await;
    what_a_kill_left_without_a_marker_is_ours_if_its_name_is_random(&cassandra).await;
    series_on_a_real_cassandra(&cassandra).await;
    let session = session_at(&address_of(&cassandra.context.run_dir)).await;
    table_options_on_a_real_cassandra(&cassandra, &session).await;
    columns_on_a_real_cassandra(&cassandra, &session).await;
    indexes_on_a_real_cassandra(&cassandra).await;
    copies_on_a_real_cassandra(&cassandra).await;
    summaries_on_a_real_cassandra(&cassandra).await;
    figures_agree_with_the_files(&cassandra).await;
    a_killed_server_is_noticed(cassandra).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_and_memory_answer_as_the_rows_do() {
    let folder = tempfile::tempdir().unwrap();
    for (table, queries) in [
        (events(), EVENT_QUERIES),
        (places(), PLACE_QUERIES),
        (marks(), MARK_QUERIES),
    ] {
        let oracle = table.oracle(table.rows.clone()).await;
        for (turn, name) in ["memory", "parquet", "parquet?codec=snappy"]
            .into_iter()
            .enumerate()
        {
            let asked = part(queries, turn);
            let started = Started::new(name, folder.path().to_owned()).await;
            let design = started.loaded(name, &table).await;
            design.settle().await.unwrap();
            assert_eq!(
                wrong_answers(design.as_ref(), &oracle, &asked).await,
                [""; 0]
            );
        }
    }
}

fn describing_makes_nothing(folder: &Path) {
    let run_dir = folder.join("described");
    let context = Context {
        run_dir: run_dir.clone(),
        token: None,
        threads: THREADS,
        keys_repeat: false,
        options: EngineOptions::default(),
    };
    for id in EVENT_DESIGNS {
        let id: DesignId = id.parse().unwrap();
        let info = engine(&id)
            .unwrap()
            .describe(&id, &events().workload, &context)
            .unwrap();
        assert!(
            info.statements
                .iter()
                .any(|s| s.starts_with("CREATE TABLE")),
            "{info:?}"
        );
    }
    assert!(!run_dir.exists());
}

async fn every_layout_answers_as_the_rows_do(
    cassandra: &Started,
    table: &Table,
    designs: &[&str],
    queries: &[&str],
) {
    let oracle = table.oracle(table.rows.clone()).await;
    let mut wrong = Vec::new();
    for (turn, id) in designs.iter().enumerate() {
        let design = cassandra.loaded(id, table).await;
        let asked = part(queries, turn);
        wrong.extend(wrong_answers(design.as_ref(), &oracle, &asked).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn only_what_is_asked_for_is_read(cassandra: &Started) {
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

async fn too_many_buckets_are_an_error(cassandra: &Started) {
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

async fn loading_again_changes_nothing(cassandra: &Started) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    for id in [
        "cassandra/narrow",
        "cassandra/wide?bucket=1d",
        "cassandra/blob?compressor=Deflate",
    ] {
        let design = cassandra.loaded(id, &table).await;
        assert!(design.survives().await);
        design
            .load(0, &table.rows.slice(0, table.rows.num_rows() / 2))
            .await
            .unwrap();
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &EVENT_QUERIES[..9]).await,
            [""; 0]
        );
    }
}

/// Makes rows with the same keys as the table's, and other values.
fn rewritten(table: &Table) -> RecordBatch {
    let mut columns = table.rows.columns().to_vec();
    let amounts: Int64Array = (0..table.rows.num_rows() as i64)
        .map(|i| Some(-i))
        .collect();
    *columns.last_mut().unwrap() = Arc::new(amounts);
    RecordBatch::try_new(table.rows.schema(), columns).unwrap()
}

async fn the_last_row_of_a_key_wins(cassandra: &Started) {
    let table = places();
    let (first, second) = (&table.rows, &rewritten(&table));
    let schema = first.schema();
    let one_slice = concat_batches(&schema, [first, second, first, second]).unwrap();
    let oracle = table.oracle(one_slice.clone()).await;
    for (turn, id) in [
        "cassandra/narrow",
        "cassandra/wide",
        "cassandra/blob?bucket=3",
    ]
    .into_iter()
    .enumerate()
    {
        let design = cassandra.design(id, &table).await;
        design.create().await.unwrap();
        design.load(0, &one_slice).await.unwrap();
        let queries = part(PLACE_QUERIES, turn);
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &queries).await,
            [""; 0]
        );

        design.create().await.unwrap();
        for (slice, rows) in [first, second].into_iter().enumerate() {
            design.load(slice as u64, rows).await.unwrap();
        }
        let queries = part(PLACE_QUERIES, turn + 1);
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &queries).await,
            [""; 0]
        );
    }
}

async fn a_row_that_cassandra_refuses_is_an_error(cassandra: &Started) {
    let table = events();
    let design = cassandra.loaded("cassandra/wide", &table).await;
    let nobody: ArrayRef = Arc::new(StringArray::from(vec![""]));
    let mut columns = table.rows.slice(0, 1).columns().to_vec();
    columns[0] = nobody;
    let row = RecordBatch::try_new(table.rows.schema(), columns).unwrap();
    let error = design.load(2, &row).await.unwrap_err().to_string();
    assert!(error.contains("Key may not be empty"), "{error}");
}

async fn a_table_made_anew_is_empty(cassandra: &Started) {
    let design = cassandra
        .loaded("cassandra/compact?bucket=2d", &events())
        .await;
    design.create().await.unwrap();
    assert_eq!(count(design.as_ref(), "events").await, 0);
}

async fn count(design: &dyn Design, table: &str) -> i64 {
    let answer = design
        .answer(&format!("SELECT count(*) AS n FROM {table}"))
        .await
        .unwrap();
    let column = answer.batches[0].column(0).clone();
    column
        .as_any()
        .downcast_ref::<Int64Array>()
        .unwrap()
        .value(0)
}

async fn what_is_not_ours_is_left_alone(cassandra: &Started) {
    let address = address_of(&cassandra.context.run_dir);
    let session = session_at(&address).await;
    let table = events();
    let context = Context {
        run_dir: cassandra.context.run_dir.with_file_name("another run"),
        options: on_cluster(&address, None),
        ..cassandra.context.clone()
    };
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let engine = engine(&id).unwrap();
    let statements = engine
        .describe(&id, &table.workload, &context)
        .unwrap()
        .statements;
    let keyspace = statements[0].split(" ").nth(5).unwrap().to_owned();
    let refusal = async || {
        let other: Box<dyn Running> = engine.start(&context).await.unwrap();
        let refused = other.design(&id, &table.workload, &context).await;
        let message = refused.err().unwrap().to_string();
        other.finish(false).await.unwrap();
        assert!(message.contains(&keyspace), "{message}");
        message
    };

    cql(&session, &statements[0]).await;
    cql(
        &session,
        &format!("CREATE TABLE {keyspace}.wide (id int PRIMARY KEY)"),
    )
    .await;
    cql(
        &session,
        &format!("INSERT INTO {keyspace}.wide (id) VALUES (1)"),
    )
    .await;
    assert!(refusal().await.contains("does not carry Bakeoff's marker"));

    cql(&session, &statements[1]).await;
    let marker = format!("INSERT INTO {keyspace}.bakeoff_marker (run) VALUES ('/somewhere/else')");
    cql(&session, &marker).await;
    assert!(refusal().await.contains("belongs to another run"));

    let left = session
        .query_unpaged(format!("SELECT id FROM {keyspace}.wide"), ())
        .await
        .unwrap();
    assert_eq!(
        left.into_rows_result().unwrap().rows_num(),
        1,
        "it was touched"
    );

    cql(&session, &format!("DROP KEYSPACE {keyspace}")).await;
    let other = Started {
        running: engine.start(&context).await.unwrap(),
        context,
    };
    let design = other.loaded("cassandra/wide", &table).await;
    assert_eq!(count(design.as_ref(), "events").await, 84);
    other.running.finish(false).await.unwrap();
    assert!(
        !has_keyspace(&session, &keyspace).await,
        "our keyspace was not dropped"
    );
}

async fn what_a_kill_left_without_a_marker_is_ours_if_its_name_is_random(cassandra: &Started) {
    let address = address_of(&cassandra.context.run_dir);
    let session = session_at(&address).await;
    let table = events();
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let engine = engine(&id).unwrap();
    for (token, is_ours) in [(None, false), (Some("random"), true)] {
        let context = Context {
            run_dir: cassandra.context.run_dir.with_file_name("killed run"),
            token: token.map(str::to_owned),
            options: on_cluster(&address, None),
            ..cassandra.context.clone()
        };
        let info = engine.describe(&id, &table.workload, &context).unwrap();
        let keyspace = info.statements[0].split(' ').nth(5).unwrap();
        // The kill came after the keyspace was made, or after the table for its marker was.
        for made in [1, 2] {
            for statement in &info.statements[..made] {
                cql(&session, statement).await;
            }
            let running = engine.start(&context).await.unwrap();
            let claimed = running.design(&id, &table.workload, &context).await;
            assert_eq!(claimed.map(drop).is_ok(), is_ours, "{token:?}, {made}");
            running.finish(false).await.unwrap();
            assert_eq!(has_keyspace(&session, keyspace).await, !is_ours);
            cql(&session, &format!("DROP KEYSPACE IF EXISTS {keyspace}")).await;
        }
    }
}

async fn has_keyspace(session: &Session, keyspace: &str) -> bool {
    let query = "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let found = session.query_unpaged(query, (keyspace,)).await.unwrap();
    found.into_rows_result().unwrap().rows_num() > 0
}

pub async fn cql(session: &Session, statement: &str) {
    session.query_unpaged(statement, ()).await.unwrap();
}

pub fn address_of(run_dir: &Path) -> String {
    let servers = list(&Home::from_env().unwrap()).unwrap();
    servers
        .iter()
        .find(|s| s.dir.starts_with(run_dir))
        .unwrap()
        .address
        .to_string()
}

async fn figures_agree_with_the_files(cassandra: &Started) {
    let table = places();
    let ids = [
        "cassandra/wide",
        "cassandra/narrow?compressor=none",
        "cassandra/compact",
    ];
    let mut designs = Vec::new();
    for id in ids {
        let design = cassandra.loaded(id, &table).await;
        design.load(2, &rewritten(&table)).await.unwrap();
        designs.push(design);
    }
    for design in &designs {
        design.settle().await.unwrap();
    }
    for (turn, (design, id)) in designs.iter().zip(ids).enumerate() {
        let footprint = design.footprint().await.unwrap();
        let (engine, files) = (
            footprint.engine_bytes.unwrap(),
            footprint.file_bytes.unwrap(),
        );
        assert!(
            files > 0 && engine.abs_diff(files) * 100 <= files,
            "{footprint:?}"
        );
        assert!(
            matches!(footprint.files, Some(8 | 9)),
            "more than one SSTable: {footprint:?}"
        );
        if id.contains("none") {
            assert!(
                footprint.compression_ratio.is_none_or(|r| r >= 1.0),
                "{footprint:?}"
            )
        } else {
            assert!(footprint.compression_ratio.unwrap() < 1.0, "{footprint:?}")
        }
        let oracle = table.oracle(rewritten(&table)).await;
        let queries = part(PLACE_QUERIES, turn);
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &queries).await,
            [""; 0]
        );
    }
}

async fn a_killed_server_is_noticed(cassandra: Started) {
    let table = events();
    let design = cassandra.loaded("cassandra/wide", &table).await;
    assert_eq!(design.dead(), None);
    let servers = list(&Home::from_env().unwrap()).unwrap();
    let server = servers
        .iter()
        .find(|s| s.dir.starts_with(&cassandra.context.run_dir))
        .unwrap();
    let killed = Command::new("kill")
        .args(["-9", &server.pid.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());

    let asked = tokio::time::timeout(NOTICED_WITHIN, design.answer(EVENT_QUERIES[0])).await;
    let error = asked
        .expect("a query waits for a server that is gone")
        .unwrap_err();
    let loaded = tokio::time::timeout(NOTICED_WITHIN, design.load(2, &table.rows)).await;
    assert!(
        loaded
            .expect("a write waits for a server that is gone")
            .is_err()
    );
    let why = design.dead().unwrap();
    assert!(why.contains("SIGKILL"), "{error}; {why}");
    drop(design);
    cassandra.running.finish(false).await.unwrap();
    assert!(!server.dir.exists());
}

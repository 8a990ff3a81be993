//! Designs on a real PostgreSQL and TimescaleDB: every layout answers as the rows themselves do,
//! loading again changes nothing, what is not ours is left alone, and faults are told.
//!
//! Where they are not installed this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

mod chunks;
mod driven;
mod existing;
mod figures;
mod hostile;
mod sampled;
mod standbys;

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, Int32Array, StringArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Int64Type};
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Design, Digest};
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::{Home, list};
use bakeoff_workload::DesignId;

use crate::support::{RightAnswers, Started, Table, events, has_timescale, places, wrong_answers};

/// The longest that a call to a server that was killed may take.
const NOTICED_WITHIN: Duration = Duration::from_secs(120);

const EVENT_DESIGNS: &[&str] = &[
    "postgres/plain",
    "postgres/plain?time-index=on",
    "postgres/brin?pages=4",
    "postgres/partitioned?width=5h",
    "timescale/hypertable?chunk=5h",
    "timescale/hypertable?chunk=2d&time-index=off",
];

const EVENT_QUERIES: &[&str] = &[
    "SELECT * FROM events",
    "SELECT seen, flag, small, large FROM events",
    "SELECT 1 AS one FROM events",
    "SELECT count(*) AS n FROM events",
    "SELECT count(label) AS labels, count(value) AS numbers, count(flag) AS flags FROM events",
    "SELECT series, min(time) AS first, max(large) AS most, avg(small) AS mean,
     sum(length(label)) AS long, sum(large / 1000) AS total FROM events GROUP BY series ORDER BY series",
    "SELECT min(label) AS least, max(label) AS most FROM events",
    "SELECT max(value) AS most, min(value) AS least FROM events",
    "SELECT series, value FROM events WHERE value > 1.0 ORDER BY value, series, time",
    "SELECT * FROM events WHERE series = 'ü'",
    "SELECT * FROM events WHERE series IN ('a', 'it''s', 'nobody')",
    "SELECT * FROM events WHERE series = 'nobody'",
    "SELECT count(*) AS n, max(time) AS last FROM events WHERE series = 'nobody'",
    "SELECT * FROM events WHERE series = 'a' AND time >= TIMESTAMP '1969-12-30T00:00:00'
     AND time < TIMESTAMP '1970-01-01T00:00:00.001'",
    "SELECT * FROM events ORDER BY time DESC, series LIMIT 5",
    "SELECT * FROM events ORDER BY label NULLS LAST, series, time LIMIT 40",
    "SELECT * FROM events WHERE flag IS NOT TRUE",
    "SELECT * FROM events WHERE label LIKE '%日本%'",
    "SELECT date_trunc('day', time) AS day, count(*) AS n FROM events GROUP BY date_trunc('day', time)
     ORDER BY day",
    "SELECT date_bin(INTERVAL '7 hours', time, TIMESTAMP '1970-01-01T00:00:00') AS bin, count(*) AS n
     FROM events GROUP BY bin ORDER BY bin",
    "SELECT DISTINCT ON (series) series, time, large FROM events ORDER BY series, time DESC",
    "SELECT CAST(time AS DATE) AS day, CAST(small AS REAL) AS number, CAST(small AS SMALLINT) AS little
     FROM events WHERE small IN (-1, 0)",
    "SELECT a.time, b.small FROM events a JOIN events b ON a.time = b.time AND a.series < b.series
     WHERE a.series = 'a'",
];

const PLACE_DESIGNS: &[&str] = &[
    "postgres/plain",
    "postgres/brin",
    "postgres/partitioned?width=10",
    "timescale/hypertable?chunk=10",
];

const PLACE_QUERIES: &[&str] = &[
    "SELECT * FROM places",
    "SELECT \"order\" FROM places WHERE day BETWEEN -11 AND -1",
    "SELECT * FROM places WHERE region = '' AND id = -2147483648",
    "SELECT sum(amount) AS total, count(*) AS n FROM places WHERE region = 'north' AND id = 0",
    "SELECT * FROM places WHERE region = 'north' AND id = 0
     ORDER BY day DESC, \"order\" DESC LIMIT 4",
];

const DRIVEN_DESIGNS: &[&str] = &[
    "postgres/plain",
    "postgres/plain?unique=on&time-index=on",
    "postgres/brin?pages=4",
    "postgres/partitioned?width=5m&unique=on",
    "timescale/hypertable?chunk=5m",
    "timescale/hypertable?unique=on",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn designs_on_a_real_postgresql() {
    if !has_timescale() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run_dir = folder.path().join("run");
    let postgres = Started::new("postgres", run_dir.clone()).await;
    let timescale = Started::new("timescale", run_dir).await;
    let started = |id: &str| {
        if id.starts_with("timescale") {
            &timescale
        } else {
            &postgres
        }
    };
    let events = storable(events());
    for (table, designs, queries) in [
        (&events, EVENT_DESIGNS, EVENT_QUERIES),
        (&places(), PLACE_DESIGNS, PLACE_QUERIES),
    ] {
        let oracle = table.oracle(table.rows.clone()).await;
        for id in designs {
            let design = started(id).loaded(id, table).await;
            every_answer_is_right(design.as_ref(), &oracle, queries).await;
            a_plan_is_told_without_an_answer(design.as_ref(), queries[0]).await;
        }
    }
    for id in [
        "postgres/partitioned?width=5h",
        "timescale/hypertable?chunk=5h",
    ] {
        loading_again_changes_nothing(started(id), id, &events).await;
    }
    for id in DRIVEN_DESIGNS {
        driven::every_reply_is_right(started(id), id).await;
    }
    for id in ["postgres/plain?unique=on", "timescale/hypertable?unique=on"] {
        driven::rows_come_and_go(started(id), id).await;
    }
    sampled::what_a_server_of_ours_does_and_uses(&postgres, &events).await;
    what_postgresql_cannot_hold_is_an_error(&postgres).await;
    hostile::on_a_server_of_our_own(&postgres).await;
    hostile::in_a_load(&postgres).await;
    a_query_that_nobody_waits_for_ends(&postgres, &events).await;
    of_a_large_answer_a_digest_is_kept(&postgres, &events).await;
    columnstore_is_refused_where_there_is_none(&timescale, &events).await;
    chunks::are_as_many_as_set(&timescale).await;
    a_server_killed_in_a_copy_is_noticed(postgres).await;
    timescale.running.finish(false).await.unwrap();
}

async fn a_plan_is_told_without_an_answer(design: &dyn Design, sql: &str) {
    let id = &design.info().id;
    let plan = design.query_plan(sql).await.unwrap().unwrap();
    design.after_answer().await;
    assert_eq!(plan.by, "PostgreSQL");
    // EXPLAIN alone estimates, and runs nothing.
    assert!(plan.text.contains("(cost="), "{id}: {}", plan.text);
    assert!(!plan.text.contains("actual time"), "{id}: {}", plan.text);
    let refused = design.query_plan("ANALYZE DELETE FROM events").await;
    let refused = refused.unwrap_err();
    assert!(refused.0.contains("this is not a query"), "{id}: {refused}");
}

async fn every_answer_is_right(design: &dyn Design, oracle: &RightAnswers, queries: &[&str]) {
    design.settle().await.unwrap();
    let wrong = wrong_answers(design, oracle, queries).await;
    assert_eq!(wrong, [""; 0]);
    let footprint = design.footprint().await.unwrap();
    assert!(footprint.files.unwrap() > 0);
    let (engine, files) = (footprint.engine_bytes, footprint.file_bytes);
    assert_eq!(engine, files, "{}", design.info().id);
    assert!(design.survives().await);
    let account = design.server_account().await.unwrap().unwrap();
    assert!(account.database_bytes.unwrap() > 0, "{account:?}");
    assert!(account.blocks_hit.is_some(), "{account:?}");
}

async fn loading_again_changes_nothing(started: &Started, id: &str, table: &Table) {
    let design = started.loaded(id, table).await;
    let half = table.rows.num_rows() / 2;
    design.load(0, &table.rows.slice(0, half)).await.unwrap();
    assert_eq!(
        count(design.as_ref(), "events").await,
        table.rows.num_rows() as i64
    );
    let other = table.rows.slice(0, 1);
    design
        .load(
            7,
            &concat_batches(&other.schema(), [&other, &other]).unwrap(),
        )
        .await
        .unwrap();
    let twice = table.rows.num_rows() as i64 + 2;
    assert_eq!(
        count(design.as_ref(), "events").await,
        twice,
        "repeated keys are kept"
    );
    design.create().await.unwrap();
    assert_eq!(
        count(design.as_ref(), "events").await,
        0,
        "a table made anew is empty"
    );
}

async fn what_postgresql_cannot_hold_is_an_error(postgres: &Started) {
    let table = events();
    let design = postgres.design("postgres/plain", &table).await;
    design.create().await.unwrap();
    let error = design.load(0, &table.rows).await.unwrap_err().to_string();
    assert!(error.contains("invalid byte sequence"), "{error}");
    assert_eq!(
        count(design.as_ref(), "events").await,
        0,
        "half a part was loaded"
    );

    let partitioned = postgres
        .design("postgres/partitioned?width=1ms", &table)
        .await;
    partitioned.create().await.unwrap();
    let days = (0..2_000)
        .map(Some)
        .collect::<arrow::array::TimestampMillisecondArray>();
    let rows = arrow::compute::take_record_batch(
        &table.rows,
        &arrow::array::UInt32Array::from(vec![0; 2_000]),
    );
    let mut columns = rows.unwrap().columns().to_vec();
    columns[1] = Arc::new(days);
    let rows = RecordBatch::try_new(table.rows.schema(), columns).unwrap();
    let error = partitioned.load(0, &rows).await.unwrap_err().to_string();
    assert!(error.contains("raise width="), "{error}");
}

async fn a_query_that_nobody_waits_for_ends(postgres: &Started, table: &Table) {
    let design = postgres.loaded("postgres/plain", table).await;
    let other = postgres.design("postgres/brin", table).await;
    other.create().await.unwrap();
    let active = "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' \
                  AND state = 'active' AND pid <> pg_backend_pid()";
    let is_asked = async {
        while number(other.as_ref(), active).await == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        _ = design.answer("SELECT count(*) AS n, pg_sleep(600) AS slept FROM events") => {
            panic!("it answered")
        }
        () = is_asked => {}
    }
    let ended = async {
        while number(other.as_ref(), active).await > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(NOTICED_WITHIN, ended).await.unwrap();
    assert_eq!(
        count(design.as_ref(), "events").await,
        table.rows.num_rows() as i64
    );
}

async fn columnstore_is_refused_where_there_is_none(timescale: &Started, table: &Table) {
    let id: DesignId = "timescale/hypertable?columnstore=on".parse().unwrap();
    let made = timescale
        .running
        .design(&id, &table.workload, &timescale.context)
        .await;
    let checked = engine(&id).unwrap();
    let checked = checked.check_design(&id, &timescale.context).await;
    if timescale
        .running
        .info()
        .settings
        .iter()
        .any(|(_, value)| value == "apache")
    {
        for error in [made.err().unwrap(), checked.unwrap_err()] {
            let error = error.to_string();
            assert!(error.contains("under apache"), "{error}");
        }
    } else {
        made.map(|_| ()).unwrap();
        checked.unwrap();
    }
}

async fn a_server_killed_in_a_copy_is_noticed(postgres: Started) {
    let (table, many) = many_places();
    let design = postgres.design("postgres/plain", &table).await;
    design.create().await.unwrap();
    assert_eq!(design.dead(), None);
    let servers = list(&Home::from_env().unwrap()).unwrap();
    let run_dir = &postgres.context.run_dir;
    let server = servers
        .iter()
        .find(|s| s.dir == run_dir.join("postgres"))
        .unwrap();
    let killing = async {
        tokio::time::sleep(Duration::from_millis(150)).await;
        let kill = std::process::Command::new("kill")
            .args(["-9", &server.pid.to_string()])
            .status();
        assert!(kill.unwrap().success());
    };
    let loading = tokio::time::timeout(NOTICED_WITHIN, design.load(0, &many));
    let (loaded, ()) = tokio::join!(loading, killing);
    let error = loaded
        .expect("a load waits for a server that is gone")
        .unwrap_err();
    let why = design.dead().unwrap();
    assert!(why.contains("SIGKILL"), "{error}; {why}");
    drop(design);
    postgres.running.finish(false).await.unwrap();
    assert!(!server.dir.exists());
}

/// Rows for many parts, which take seconds to load.
fn many_places() -> (Table, RecordBatch) {
    let table = places();
    let many: Vec<&RecordBatch> = std::iter::repeat_n(&table.rows, 4_000).collect();
    let many = concat_batches(&table.rows.schema(), many).unwrap();
    (table, many)
}

/// Without the character of number 0, which PostgreSQL's texts cannot have.
fn storable(mut table: Table) -> Table {
    let without = |column: &ArrayRef| -> ArrayRef {
        if column.data_type() != &DataType::Utf8 {
            return Arc::clone(column);
        }
        let texts = column.as_string::<i32>().iter();
        Arc::new(
            texts
                .map(|t| t.map(|t| t.replace('\0', "")))
                .collect::<StringArray>(),
        )
    };
    let columns = table.rows.columns().iter().map(without).collect();
    table.rows = RecordBatch::try_new(table.rows.schema(), columns).unwrap();
    table
}

async fn count(design: &dyn Design, table: &str) -> i64 {
    number(design, &format!("SELECT count(*) AS n FROM {table}")).await
}

async fn number(design: &dyn Design, sql: &str) -> i64 {
    let answer = design.answer(sql).await.unwrap();
    answer.batches[0]
        .column(0)
        .as_primitive::<Int64Type>()
        .value(0)
}

/// The rows come in several parts.
async fn of_a_large_answer_a_digest_is_kept(postgres: &Started, events: &Table) {
    const ROWS: i32 = 600_000;
    let design = postgres.loaded("postgres/plain", events).await;
    let series = format!("generate_series(1, {ROWS}) AS n");
    let sql = format!("SELECT n, repeat('x', 100) AS text FROM {series}");
    let answer = design.answer(&sql).await.unwrap();
    design.after_answer().await;
    assert!(answer.batches.is_empty());
    let text = "x".repeat(100);
    let texts = (0..ROWS).map(|_| text.as_str());
    let columns: [(&str, ArrayRef); 2] = [
        ("n", Arc::new(Int32Array::from_iter_values(1..=ROWS))),
        ("text", Arc::new(StringArray::from_iter_values(texts))),
    ];
    let right = Digest::of(&[RecordBatch::try_from_iter(columns).unwrap()]).unwrap();
    assert_eq!(right.difference(&answer.digest.unwrap(), &[0]), None);
}

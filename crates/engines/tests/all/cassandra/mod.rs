//! Tests of designs on a real Cassandra: every layout answers like the rows themselves, loading again
//! changes nothing, keyspaces of others are left alone, and a killed server is noticed.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

mod keyspaces;
mod loads;
mod queries;
mod reads;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use arrow::array::{Array, Int64Array};
use bakeoff_driver::Design;
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::{Home, list};
use bakeoff_engines::{Context, EngineOptions};
use bakeoff_workload::DesignId;
use scylla::client::session::Session;

use crate::cassandra_copies::copies_on_a_real_cassandra;
use crate::cassandra_indexes::indexes_on_a_real_cassandra;
use crate::cassandra_series::series_on_a_real_cassandra;
use crate::cassandra_summary::summaries_on_a_real_cassandra;
use crate::cassandra_table_options::table_options_on_a_real_cassandra;
use crate::columns::columns_on_a_real_cassandra;
use crate::support::load::session_at;
use crate::support::{
    Started, THREADS, Table, events, has_cassandra, marks, part, places, wrong_answers,
};
pub use queries::{EVENT_QUERIES, MARK_QUERIES, PLACE_QUERIES};

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

const PLACE_DESIGNS: &[&str] = &[
    "cassandra/narrow",
    "cassandra/wide",
    "cassandra/wide?bucket=10",
    "cassandra/blob?bucket=3",
    "cassandra/compact",
    "cassandra/wide?order=desc&bucket=3",
    "cassandra/wide?names=short",
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
    reads::only_what_is_asked_for_is_read(&cassandra).await;
    reads::a_table_of_one_partition_is_read_by_ranges(&cassandra).await;
    reads::too_many_buckets_are_an_error(&cassandra).await;
    loads::loading_again_changes_nothing(&cassandra).await;
    loads::the_last_row_of_a_key_wins(&cassandra).await;
    loads::the_server_of_a_design_is_sampled_with_the_work_on_its_tables(&cassandra).await;
    loads::a_row_that_cassandra_refuses_is_an_error(&cassandra).await;
    loads::a_table_made_anew_is_empty(&cassandra).await;
    keyspaces::what_is_not_ours_is_left_alone(&cassandra).await;
    keyspaces::what_a_kill_left_without_a_marker_is_ours_if_its_name_is_random(&cassandra).await;
    keyspaces::a_keyspace_of_a_user_is_refused_before_a_run_and_has_copies_of_its_own(&cassandra)
        .await;
    series_on_a_real_cassandra(&cassandra).await;
    let session = session_at(&address_of(&cassandra.context.run_dir)).await;
    table_options_on_a_real_cassandra(&cassandra, &session).await;
    columns_on_a_real_cassandra(&cassandra, &session).await;
    indexes_on_a_real_cassandra(&cassandra).await;
    copies_on_a_real_cassandra(&cassandra).await;
    summaries_on_a_real_cassandra(&cassandra).await;
    loads::figures_agree_with_the_files(&cassandra).await;
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

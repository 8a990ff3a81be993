//! A real Cassandra 4.1: its layouts answer as the rows do, with their indexes and options, and it says what it is.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::Path;
use std::time::Duration;

use bakeoff_engines::servers::cassandra::{Release, pinned_of};
use bakeoff_engines::servers::{Home, list};
use bakeoff_engines::{
    Cluster, EngineOptions, TraceRequest, Traceable, TracedSelect, require, trace,
};
use bakeoff_workload::{DesignId, selected_table};

use crate::cassandra::{EVENT_QUERIES, MARK_QUERIES, PLACE_QUERIES};
use crate::support::{Started, Table, events, has_cassandra_4, marks, part, places, wrong_answers};
use crate::{
    cassandra_copies, cassandra_indexes, cassandra_java, cassandra_series, cassandra_summary,
    columns,
};

const HEAP_MIB: u64 = 1024;

const EVENT_DESIGNS: [&str; 7] = [
    "cassandra-4/narrow",
    "cassandra-4/wide?bucket=1d&compressor=Zstd",
    "cassandra-4/wide?compressor=Deflate&chunk=64KiB",
    "cassandra-4/blob?order=desc",
    "cassandra-4/compact?compressor=none",
    "cassandra-4/wide?aggregate=ranges&page=7",
    "cassandra-4/narrow?names=short",
];

/// Designs whose aggregates are functions in Java.
const JAVA_DESIGNS: [&str; 2] = [
    "cassandra-4/wide?aggregate=java",
    "cassandra-4/wide?aggregate=java-list",
];

/// Designs with second tables of the events.
const COPY_DESIGNS: [&str; 3] = [
    "cassandra-4/wide?table_by=small",
    "cassandra-4/wide?index_table=small",
    "cassandra-4/wide?view=small",
];

const PLACE_DESIGNS: [&str; 4] = [
    "cassandra-4/wide",
    "cassandra-4/wide?index=amount:2i&compaction=LCS:160MiB",
    "cassandra-4/narrow?caching=none",
    "cassandra-4/wide?aggregate=server&compaction=TWCS:1d",
];

/// Questions that a columnar table answers from its chunks and from their entries.
const OF_CHUNKS: [&str; 3] = [
    "SELECT * FROM events",
    "SELECT count(*) AS n, count(label) AS labels, max(large) AS most FROM events",
    "SELECT * FROM events WHERE series = 'a' AND time >= TIMESTAMP '1970-01-01T00:00:00'",
];

/// Finds one row by a column outside of the key, by its index where there is one.
const BY_AMOUNT: &str = "SELECT * FROM places WHERE amount = 7";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn designs_on_a_real_cassandra_4() {
    if !has_cassandra_4().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut options = EngineOptions::default();
    options.cassandra.server.heap_mib = Some(HEAP_MIB);
    require(
        &JAVA_DESIGNS.map(|id| id.parse::<DesignId>().unwrap()),
        &mut options,
    );
    let run_dir = folder.path().join("run");
    let cassandra = Started::with("cassandra-4", run_dir.clone(), options).await;

    it_says_what_it_is(&cassandra);
    answers_are_right(&cassandra, &events(), &EVENT_DESIGNS, EVENT_QUERIES).await;
    answers_are_right(&cassandra, &places(), &PLACE_DESIGNS, PLACE_QUERIES).await;
    answers_are_right(&cassandra, &places(), &PLACE_DESIGNS, &[BY_AMOUNT; 3]).await;
    answers_are_right(&cassandra, &marks(), &["cassandra-4/wide"], MARK_QUERIES).await;
    answers_are_right(
        &cassandra,
        &events(),
        &JAVA_DESIGNS,
        cassandra_java::QUERIES,
    )
    .await;
    copies_are_right(&cassandra).await;
    some_columns_are_right(&cassandra).await;
    let summary = "cassandra-4/wide?summary=1d";
    cassandra_summary::they_answer_as_the_rows_do(&cassandra, &[summary]).await;
    cassandra_series::they_answer_as_the_rows_do(&cassandra, &["cassandra-4/series"]).await;
    it_settles_and_knows_its_bytes(&cassandra).await;
    its_traces_are_understood(&run_dir).await;
    let data = run_dir.join("cassandra-4");
    assert!(data.exists());
    cassandra.running.finish(false).await.unwrap();
    assert!(!data.exists(), "its data are still there");
}

fn it_says_what_it_is(cassandra: &Started) {
    let info = cassandra.running.info();
    let version = pinned_of(Release::Four).unwrap().version;
    assert_eq!(
        (info.engine.as_str(), &info.version),
        ("cassandra-4", &version)
    );
    let setting = |name: &str| {
        let found = info.settings.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    assert_eq!(setting("cassandra"), Some(version.as_str()));
    assert_eq!(setting("read_request_timeout"), Some("600s"));
    assert_eq!(setting("storage_compatibility_mode"), None);
}

async fn answers_are_right(cassandra: &Started, table: &Table, designs: &[&str], queries: &[&str]) {
    let oracle = table.oracle(table.rows.clone()).await;
    let mut wrong = Vec::new();
    for (turn, id) in designs.iter().enumerate() {
        let design = cassandra.loaded(id, table).await;
        let asked = part(queries, turn);
        wrong.extend(wrong_answers(design.as_ref(), &oracle, &asked).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn copies_are_right(cassandra: &Started) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    for id in COPY_DESIGNS {
        let design = cassandra_copies::loaded(cassandra, id, &table).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, cassandra_indexes::QUERIES).await;
        assert_eq!(wrong, [""; 0]);
    }
}

async fn some_columns_are_right(cassandra: &Started) {
    let table = columns::table();
    let oracle = table.oracle(table.rows.clone()).await;
    let id = "cassandra-4/wide?columns=4";
    let design = columns::stores_four_columns(cassandra, id, &table).await;
    let wrong = wrong_answers(design.as_ref(), &oracle, columns::QUERIES).await;
    assert_eq!(wrong, [""; 0]);
}

async fn it_settles_and_knows_its_bytes(cassandra: &Started) {
    for (id, table, queries) in [
        ("cassandra-4/wide", places(), &[BY_AMOUNT][..]),
        (
            "cassandra-4/columnar?compressor=Deflate",
            events(),
            &OF_CHUNKS,
        ),
    ] {
        let design = cassandra.loaded(id, &table).await;
        design.settle().await.unwrap();
        let footprint = design.footprint().await.unwrap();
        let (engine, files) = (
            footprint.engine_bytes.unwrap(),
            footprint.file_bytes.unwrap(),
        );
        assert!(
            files > 0 && engine.abs_diff(files) * 20 <= files,
            "{footprint:?}"
        );
        let oracle = table.oracle(table.rows.clone()).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, queries).await;
        assert_eq!(wrong, [""; 0]);
    }
}

/// Its own tables are there in any case.
async fn its_traces_are_understood(run_dir: &Path) {
    let servers = list(&Home::from_env().unwrap()).unwrap();
    let own = servers
        .iter()
        .find(|server| server.dir.starts_with(run_dir));
    let cql = "SELECT * FROM system_schema.tables WHERE keyspace_name = 'system'";
    let request = TraceRequest {
        cluster: Cluster {
            address: own.unwrap().address.to_string(),
            ..Cluster::default()
        },
        what: Traceable::Select(TracedSelect {
            cql: cql.to_owned(),
            keyspace: None,
            table: selected_table(cql).unwrap(),
        }),
        consistency: None,
        page_rows: Some(5),
        times: 1,
        percentile: 50.0,
        page_time_limit: Duration::from_secs(60),
        wait: Duration::from_secs(60),
    };
    let traced = trace(&request).await.unwrap();
    let findings = traced.cluster.findings();
    assert!(findings.is_empty(), "{findings:?}");
    let releases: Vec<String> = traced.cluster.releases().into_keys().collect();
    assert_eq!(releases, [pinned_of(Release::Four).unwrap().version]);
    let summary = traced.summary();
    assert!(summary.complete, "{summary:?}");
    assert!(summary.work_of_all().live_rows > 0, "{summary:?}");
    assert!(traced.client.pages.len() > 1, "{:?}", traced.client);
}

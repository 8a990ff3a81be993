//! Designs of Spark on servers of their own, a standalone cluster and a server of Spark Connect: they answer as the
//! rows do, leave nothing behind, and say when the servers end or do not see the files.
//!
//! Where Spark or the server of Spark Connect is not installed this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bakeoff_driver::Design;
use bakeoff_engines::servers::cassandra::find_java;
use bakeoff_engines::servers::spark::{SparkCluster, find_python};
use bakeoff_engines::{Cluster, EngineOptions, SparkOptions};
use bakeoff_stats::EngineInfo;
use bakeoff_testing::skipped;
use bakeoff_testing::spark::{Distribution, SparkServers};

use crate::spark::{EVENT_QUERIES, NOTICED_WITHIN};
use crate::support::{Started, events, has_spark, marks, part, shared, wrong_answers};

const DESIGNS: [&str; 2] = ["spark/parquet", "spark/parquet?cache=true"];
const CASSANDRA_DESIGN: &str = "spark/cassandra";
const MARK_QUERIES: &[&str] = &[
    "SELECT * FROM marks",
    "SELECT up, count(*) AS n, min(height) AS lowest FROM marks GROUP BY up ORDER BY up",
];
const ENDLESS: &str = "SELECT count(*) AS n FROM range(100000000000000) WHERE id % 7 = 3";
/// The CPU time of servers that are certainly busy with a question, in clock ticks.
const BUSY_TICKS: u64 = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn designs_on_a_standalone_cluster() {
    let Some(of) = distribution().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut servers = SparkServers::standalone(&of, folder, None);
    let spark = on(&servers, folder).await;
    let settings = spark.running.info().settings;
    for (name, value) in [
        ("cluster", servers.url()),
        (EngineInfo::EXECUTORS, "1"),
        ("cores", "2"),
        ("spark.authenticate", "false"),
    ] {
        let setting = (name.to_owned(), value.to_owned());
        assert!(settings.contains(&setting), "{settings:?}");
    }
    answers_are_right(&spark).await;
    leaves_nothing(spark, folder).await;
    let why = ends_with(&mut servers, folder).await;
    let is_told = ["has not had these for", "has ended the application"]
        .iter()
        .any(|end| why.contains(end));
    assert!(is_told, "{why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn designs_through_spark_connect() {
    let Some(of) = distribution().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(mut servers) = SparkServers::connect(&of, folder, None) else {
        return;
    };
    let spark = on(&servers, folder).await;
    let settings = spark.running.info().settings;
    for (name, value) in [
        ("cluster", servers.url()),
        (EngineInfo::EXECUTORS, "not told by Spark Connect"),
        ("parts by default", "2"),
    ] {
        let setting = (name.to_owned(), value.to_owned());
        assert!(settings.contains(&setting), "{settings:?}");
    }
    answers_are_right(&spark).await;
    // The table with cache=true; what it replaced is not.
    caches(&servers, 1).await;
    leaves_nothing(spark, folder).await;
    caches(&servers, 0).await;
    let why = ends_with(&mut servers, folder).await;
    let end = format!("the Spark at {} no longer answers", servers.url());
    assert!(why.contains(&end), "{why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_to_spark_connect_that_nobody_waits_for_ends() {
    let Some(of) = distribution().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(servers) = SparkServers::connect(&of, folder, None) else {
        return;
    };
    let spark = on(&servers, folder).await;
    let design = settled(&spark, DESIGNS[0]).await;
    tokio::select! {
        answer = design.answer(ENDLESS) => panic!("it answered: {answer:?}"),
        () = are_busy(&servers) => {}
    }
    let ticks_used = async || {
        let before = servers.cpu_ticks();
        tokio::time::sleep(Duration::from_millis(500)).await;
        servers.cpu_ticks().saturating_sub(before)
    };
    let ended = async { while ticks_used().await > 10 {} };
    tokio::time::timeout(NOTICED_WITHIN, ended).await.unwrap();
    let answer = design.answer("SELECT count(*) AS n FROM events").await;
    assert_eq!(answer.unwrap().rows(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_that_do_not_see_the_files_are_told_before_anything_is_loaded() {
    let Some(of) = distribution().await else {
        return;
    };
    if !may_hide() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let standalone = folder.path().join("standalone");
    let files = shared_folder(&standalone);
    let servers = SparkServers::standalone(&of, &standalone, Some(&files));
    is_refused(&servers, &standalone).await;
    drop(servers);
    let connect = folder.path().join("connect");
    let files = shared_folder(&connect);
    if let Some(servers) = SparkServers::connect(&of, &connect, Some(&files)) {
        is_refused(&servers, &connect).await;
    }
}

/// What servers of Spark are started with, if Spark is installed; else as with Cassandra.
async fn distribution() -> Option<Distribution> {
    if !has_spark().await {
        return None;
    }
    let python = find_python().unwrap();
    if !python.lacks.is_empty() {
        skipped(format!("the Python of Spark lacks {:?}", python.lacks));
        return None;
    }
    let java = find_java().await.unwrap().program;
    Some(Distribution {
        python: python.program,
        java_home: java.ancestors().nth(2).unwrap().to_owned(),
    })
}

/// The folder that servers share with this process, made if it is not there.
fn shared_folder(folder: &Path) -> PathBuf {
    // A name that is to be taken as it is.
    let shared = folder.join("shared, by 100% of workers");
    std::fs::create_dir_all(&shared).unwrap();
    shared
}

/// The engine on these servers, and on the shared Cassandra.
async fn on(servers: &SparkServers, folder: &Path) -> Started {
    let mut options = EngineOptions {
        spark: SparkOptions {
            cluster: Some(SparkCluster::new(servers.url(), None).unwrap()),
            files: Some(shared_folder(folder)),
        },
        ..EngineOptions::default()
    };
    let cassandra = shared::cassandra().await;
    options.cassandra.cluster = cassandra.map(|server| Cluster {
        address: server.address().to_string(),
        ..Cluster::default()
    });
    let spark = Started::with("spark", folder.join("run"), options).await;
    let info = spark.running.info();
    assert!(info.version.starts_with("Spark 3.5."), "{}", info.version);
    assert_eq!(info.start_seconds, None);
    spark
}

async fn settled(spark: &Started, id: &str) -> Box<dyn Design> {
    let design = spark.loaded(id, &events()).await;
    design.settle().await.unwrap();
    design
}

async fn answers_are_right(spark: &Started) {
    let with_cassandra = spark.context.options.cassandra.cluster.is_some();
    let rows_elsewhere = with_cassandra.then_some(CASSANDRA_DESIGN);
    let events = events();
    let oracle = events.oracle(events.rows.clone()).await;
    for (turn, id) in DESIGNS.into_iter().chain(rows_elsewhere).enumerate() {
        let design = settled(spark, id).await;
        let asked = part(EVENT_QUERIES, turn);
        let wrong = wrong_answers(design.as_ref(), &oracle, &asked).await;
        assert_eq!(wrong, [""; 0]);
        assert_eq!(design.server_cpu_seconds(), None, "that of a cluster");
        assert_eq!(design.dead(), None);
    }
    // Made anew under the same name, with other rows.
    let marks = marks();
    let oracle = marks.oracle(marks.rows.clone()).await;
    let design = spark.loaded(DESIGNS[1], &marks).await;
    design.settle().await.unwrap();
    let wrong = wrong_answers(design.as_ref(), &oracle, MARK_QUERIES).await;
    assert_eq!(wrong, [""; 0]);
}

async fn leaves_nothing(spark: Started, folder: &Path) {
    let files = shared_folder(folder);
    assert_ne!(std::fs::read_dir(&files).unwrap().count(), 0);
    spark.running.finish(false).await.unwrap();
    assert_eq!(std::fs::read_dir(&files).unwrap().count(), 0);
    assert!(!folder.join("run/spark").exists());
}

/// Kills servers while they answer, and returns what the design says of it.
async fn ends_with(servers: &mut SparkServers, folder: &Path) -> String {
    let spark = on(servers, folder).await;
    let design = settled(&spark, DESIGNS[0]).await;
    let killed = async {
        are_busy(servers).await;
        servers.kill();
    };
    let answering = async { tokio::join!(design.answer(ENDLESS), killed).0 };
    let answer = tokio::time::timeout(NOTICED_WITHIN, answering).await;
    let error = answer.unwrap().unwrap_err().to_string();
    let why = design.dead();
    let why = why.unwrap_or_else(|| panic!("it is not dead: {error}"));
    drop(design);
    spark.running.finish(false).await.unwrap();
    why
}

/// Waits until a server has so many tables in its memory, which it gives up a little after it was asked to.
async fn caches(servers: &SparkServers, tables: usize) {
    let does = async {
        while servers.cached() != tables {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(NOTICED_WITHIN, does).await.unwrap();
}

/// Waits until servers compute.
async fn are_busy(servers: &SparkServers) {
    let before = servers.cpu_ticks();
    while servers.cpu_ticks() < before + BUSY_TICKS {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn is_refused(servers: &SparkServers, folder: &Path) {
    let spark = on(servers, folder).await;
    let (id, events) = (DESIGNS[0].parse().unwrap(), events());
    let made = spark
        .running
        .design(&id, &events.workload, &spark.context)
        .await;
    let error = made.err().unwrap().0;
    let begins = format!(
        "the workers of the Spark at {} do not read the files in {}",
        servers.url(),
        shared_folder(folder).display()
    );
    assert!(error.starts_with(&begins), "{error}");
    assert!(
        error.contains("with --spark-files name a folder"),
        "{error}"
    );
    spark.running.finish(false).await.unwrap();
    assert_eq!(std::fs::read_dir(shared_folder(folder)).unwrap().count(), 0);
}

/// Whether folders can be hidden from a process; else the reason is printed, or is a failure in CI.
fn may_hide() -> bool {
    let tried = Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
        .status();
    let may = tried.is_ok_and(|status| status.success());
    if !may {
        skipped("hiding a folder from Spark needs root");
    }
    may
}

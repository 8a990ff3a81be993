//! Designs that read at consistency levels of their own: on a real Cassandra of three nodes with three copies
//! all of them answer as the rows do, and those that wait for all copies fail once a node is gone.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use bakeoff_driver::Design;
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::{Home, list};
use bakeoff_engines::{Context, EngineOptions, Replication};
use bakeoff_stats::READ_LEVEL;
use bakeoff_testing::skipped;
use bakeoff_workload::{Consistency, DesignId};

use crate::support::{Started, THREADS, events, has_cassandra, wrong_answers};

/// Designs that two copies are enough for.
const LOWER: &[&str] = &[
    "cassandra/wide?consistency=one",
    "cassandra/narrow?consistency=local_quorum",
    "cassandra/wide?aggregate=server&consistency=quorum",
    "cassandra/wide?index=small&consistency=quorum",
];
/// Designs that all copies answer.
const HIGHEST: &[&str] = &[
    "cassandra/wide?aggregate=server&consistency=all",
    "cassandra/blob?consistency=all",
    // As the run, which writes at ALL.
    "cassandra/wide?aggregate=ranges",
];
/// A design that is only read while all nodes run.
const COLUMNAR: &str = "cassandra/columnar?consistency=one";

const AGGREGATE: &str = "SELECT count(*) AS n, avg(small) AS mean FROM events WHERE series = 'a'";
const QUERIES: &[&str] = &[
    AGGREGATE,
    "SELECT sum(small) AS total, min(value) AS least FROM events",
    "SELECT * FROM events WHERE series = 'b'",
    "SELECT count(*) AS n FROM events WHERE flag",
    "SELECT label FROM events WHERE small = -1",
];

/// Heap of each node in MiB.
const HEAP_MIB: u64 = 384;
/// Time within which the nodes notice that one of them is gone.
const NOTICED_WITHIN: Duration = Duration::from_secs(180);
/// Time limit of a question to nodes that have not noticed it.
const ONE_QUESTION: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(200);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_reads_at_all_miss_a_node_of_three() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(cassandra) = three_nodes(folder.path().join("run")).await else {
        return;
    };
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    let mut designs = Vec::new();
    for id in LOWER.iter().chain(HIGHEST).chain([&COLUMNAR]) {
        let design = cassandra.loaded(id, &table).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, QUERIES).await;
        assert_eq!(wrong, [""; 0]);
        designs.push(design);
    }
    kill_the_second_node(&cassandra);
    let (lower, others) = designs.split_at(LOWER.len());
    for design in &others[..HIGHEST.len()] {
        fails_for_want_of_copies(design.as_ref()).await;
    }
    for design in lower {
        let wrong = wrong_answers(design.as_ref(), &oracle, QUERIES).await;
        assert_eq!(wrong, [""; 0]);
    }
    drop(designs);
    cassandra.running.finish(false).await.unwrap();
}

/// Three nodes that write at ALL; `None` where the memory is too small for them.
async fn three_nodes(run_dir: PathBuf) -> Option<Started> {
    let context = context(run_dir, Some(Consistency::All));
    let id: DesignId = LOWER[0].parse().unwrap();
    match engine(&id).unwrap().start(&context).await {
        Ok(running) => Some(Started { running, context }),
        Err(error) if error.to_string().contains("memory") => {
            skipped(error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn context(run_dir: PathBuf, consistency: Option<Consistency>) -> Context {
    let mut options = EngineOptions::default();
    options.cassandra.replication = Replication {
        nodes: 3,
        copies: Some(3),
        consistency,
    };
    options.cassandra.server.heap_mib = Some(HEAP_MIB);
    Context {
        run_dir,
        token: None,
        threads: THREADS,
        keys_repeat: true,
        options,
    }
}

fn kill_the_second_node(cassandra: &Started) {
    let servers = list(&Home::from_env().unwrap()).unwrap();
    let run_dir = &cassandra.context.run_dir;
    let mut servers = servers.iter().filter(|s| s.dir.starts_with(run_dir));
    let second = servers.find(|s| s.address.ip().to_string() == "127.0.0.2");
    let pid = second.unwrap().pid.to_string();
    let killed = Command::new("kill").args(["-9", &pid]).status().unwrap();
    assert!(killed.success());
}

/// Asks until the nodes have noticed that one of them is gone, and refuse to read at ALL.
async fn fails_for_want_of_copies(design: &dyn Design) {
    let began = Instant::now();
    loop {
        let asked = tokio::time::timeout(ONE_QUESTION, design.answer(AGGREGATE)).await;
        let failed = asked.ok().and_then(Result::err).map(|e| e.to_string());
        let words = "the nodes of 2 copies are there, and the consistency level waits for 3: start";
        if failed.as_ref().is_some_and(|said| said.contains(words)) {
            return;
        }
        let id = &design.info().id;
        assert!(began.elapsed() < NOTICED_WITHIN, "{id}: {failed:?}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// The settings of a design in a run on three nodes with three copies, or why it is refused.
fn described(id: &str, consistency: Option<Consistency>) -> Result<String, String> {
    let id: DesignId = id.parse().unwrap();
    let context = context("/nowhere/run".into(), consistency);
    let info = engine(&id)
        .unwrap()
        .describe(&id, &events().workload, &context)
        .map_err(|error| error.to_string())?;
    let mut settings = info.settings.into_iter();
    let level = settings.find(|(name, _)| name == READ_LEVEL);
    Ok(level.unwrap().1)
}

#[test]
fn a_design_that_may_miss_what_the_run_writes_is_refused_before_anything_starts() {
    for layout in ["narrow", "wide", "blob", "columnar"] {
        let id = format!("cassandra/{layout}?consistency=one");
        for written in [None, Some(Consistency::One), Some(Consistency::Quorum)] {
            let error = described(&id, written).unwrap_err();
            assert!(
                error.starts_with(&format!("design {id}: reads at ONE")),
                "{error}"
            );
            assert!(error.contains("write at --consistency all"), "{error}");
        }
        assert_eq!(described(&id, Some(Consistency::All)), Ok("ONE".to_owned()));
    }
    let quorum = "cassandra/wide?consistency=QUORUM";
    assert_eq!(
        described(quorum, Some(Consistency::Quorum)),
        Ok("QUORUM".to_owned())
    );
    assert_eq!(
        described("cassandra/wide", None),
        Ok("LOCAL_ONE".to_owned())
    );
    assert_eq!(
        described("cassandra/columnar", None),
        Ok("LOCAL_QUORUM".to_owned())
    );
}

#[test]
fn operations_of_a_mix_have_levels_of_their_own() {
    let id: DesignId = "cassandra/wide?consistency=one".parse().unwrap();
    let error = engine(&id)
        .unwrap()
        .check_operations(&id)
        .unwrap_err()
        .to_string();
    assert!(error.contains("leave consistency= out"), "{error}");
}

//! Aggregates by functions in Java on a real Cassandra: they answer as the rows do, with a thread for each
//! call and without; a server without functions says what to do; and a function that loops is named.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::Path;
use std::time::Duration;

use bakeoff_driver::Design;
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, EngineOptions, require};
use bakeoff_workload::DesignId;

use crate::cassandra::{address_of, cql};
use crate::support::load::{on_cluster, session_at};
use crate::support::{Started, THREADS, events, executed, has_cassandra, shared, wrong_answers};

const DESIGNS: &[&str] = &[
    "cassandra/wide?aggregate=java",
    "cassandra/wide?aggregate=java&bucket=1d&order=desc&page=7",
    "cassandra/narrow?aggregate=java",
    "cassandra/wide?aggregate=java-list",
];

/// Aggregates of nulls, NaN, infinities, the ends of integers, no rows, several partitions and all; the last
/// ones are not for CQL.
pub const QUERIES: &[&str] = &[
    "SELECT count(value) AS numbers, count(small) AS smalls, count(*) AS n FROM events",
    "SELECT sum(small) AS small, sum(large) AS large, avg(small) AS mean FROM events",
    "SELECT sum(value) AS total, avg(value) AS mean, min(value) AS least, max(value) AS most FROM events",
    "SELECT min(small) AS small, max(small) AS most, min(large) AS least, max(large) AS large FROM events
     WHERE series = 'b'",
    "SELECT sum(small) AS total, sum(value) AS sum, avg(value) AS mean, min(small) AS least,
     count(large) AS n FROM events WHERE series = 'nobody'",
    "SELECT avg(small) AS mean, count(small) AS n FROM events WHERE series IN ('a', 'b')
     AND time >= TIMESTAMP '1970-01-01T00:00:00'",
    "SELECT sum(small) + 1 AS more, count(small) * 2 AS twice FROM events WHERE series = 'a'",
    "SELECT count(*) AS n FROM events WHERE series = 'a'",
    "SELECT min(label) AS least, max(seen) AS seen, avg(small) AS mean FROM events WHERE series = 'a'",
    "SELECT series, avg(small) AS mean FROM events GROUP BY series ORDER BY series",
];

/// Time limit of a question whose function loops, which Cassandra ends after 1.5 s of it.
const NOTICED_WITHIN: Duration = Duration::from_secs(120);

/// Heap of each server in MiB: others run at the same time.
const HEAP_MIB: u64 = 512;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_answer_as_the_rows_do_and_are_named_when_they_loop() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let without_threads = [
        ("allow_insecure_udfs", "true"),
        ("user_defined_functions_threads_enabled", "false"),
    ];
    let cassandra = started(&folder.path().join("unthreaded"), &without_threads).await;
    let reported = cassandra.running.info().settings;
    for (name, value) in without_threads {
        let setting = (name.to_owned(), value.to_owned());
        assert!(reported.contains(&setting), "{name}");
    }
    functions_answer_as_the_rows_do(&cassandra).await;
    cassandra.running.finish(false).await.unwrap();

    let cassandra = started(&folder.path().join("shipped"), &[]).await;
    functions_answer_as_the_rows_do(&cassandra).await;
    plans_name_the_functions(&cassandra).await;
    a_function_that_loops_is_named(cassandra).await;
}

/// A server that has functions because a design needs them, with these settings.
async fn started(run_dir: &Path, settings: &[(&str, &str)]) -> Started {
    let mut options = EngineOptions::default();
    let ids = DESIGNS.iter().map(|id| id.parse::<DesignId>().unwrap());
    let ids: Vec<DesignId> = ids.collect();
    require(&ids, &mut options);
    let settings = settings.iter();
    let settings = settings.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    options.cassandra.server.cassandra = settings.collect();
    options.cassandra.server.heap_mib = Some(HEAP_MIB);
    let context = Context {
        run_dir: run_dir.to_owned(),
        token: None,
        threads: THREADS,
        keys_repeat: true,
        options,
    };
    let running = engine(&ids[0]).unwrap().start(&context).await.unwrap();
    Started { running, context }
}

async fn functions_answer_as_the_rows_do(cassandra: &Started) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    for id in DESIGNS {
        let design = cassandra.loaded(id, &table).await;
        let wrong = wrong_answers(design.as_ref(), &oracle, QUERIES).await;
        assert_eq!(wrong, [""; 0]);
    }
}

async fn plans_name_the_functions(cassandra: &Started) {
    let table = events();
    let average = "SELECT avg(value) AS mean FROM events WHERE series = 'a'";
    for (id, function) in [
        (DESIGNS[0], "\"bakeoff_average_double\"(\"value\")"),
        (DESIGNS[3], "\"bakeoff_average_of_list_double\"(\"value\")"),
    ] {
        let design = cassandra.design(id, &table).await;
        let plan = executed(design.as_ref(), average).await;
        assert!(plan.contains(function), "{id}: {plan}");
        let answer = design.answer(average).await.unwrap();
        assert_eq!(answer.rows_scanned, Some(21), "{id}");
        let texts = "SELECT avg(value) AS mean, min(label) AS least FROM events WHERE series = 'a'";
        let plan = executed(design.as_ref(), texts).await;
        assert!(
            !plan.contains("bakeoff_average"),
            "{id} has no function of texts: {plan}"
        );
    }
}

async fn a_function_that_loops_is_named(cassandra: Started) {
    let table = events();
    let id = DESIGNS[0];
    let design = cassandra.loaded(id, &table).await;
    let statements = design.info().statements.clone();
    let made = |beginning: &str| {
        let mut statements = statements.iter();
        statements.find(|s| s.starts_with(beginning) && s.contains(".bakeoff_sum_double"))
    };
    let function = made("CREATE FUNCTION").unwrap();
    let aggregate = made("CREATE AGGREGATE").unwrap();
    let (head, _) = function.split_once("$$").unwrap();
    let name = aggregate.split(' ').nth(5).unwrap();
    let session = session_at(&address_of(&cassandra.context.run_dir)).await;
    cql(&session, &format!("DROP AGGREGATE {name}")).await;
    let looping =
        format!("{head}$$ int i = 1; while (i != 0) {{ i = i == 1 ? 2 : 1; }} return state; $$");
    let looping = looping
        .replace(" IF NOT EXISTS", "")
        .replace("CREATE", "CREATE OR REPLACE");
    cql(&session, &looping).await;
    cql(&session, aggregate).await;

    let sum = "SELECT sum(value) AS total FROM events WHERE series = 'b'";
    let asked = tokio::time::timeout(NOTICED_WITHIN, design.answer(sum)).await;
    let error = asked.expect("a loop goes on").unwrap_err().to_string();
    assert!(error.contains("bakeoff_sum_double_state failed"), "{error}");
    assert!(
        error.contains("user_defined_functions_fail_timeout"),
        "{error}"
    );
    let why = death_of(design.as_ref()).await;
    assert!(why.contains("bakeoff_sum_double_state"), "{why}");
    drop(design);
    cassandra.running.finish(false).await.unwrap();
}

/// Why the server of a design ended, which it does soon after it has answered with the failure.
async fn death_of(design: &dyn Design) -> String {
    let ended = async {
        loop {
            if let Some(why) = design.dead() {
                return why;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(NOTICED_WITHIN, ended).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cassandra_without_functions_refuses_the_design_with_what_to_do() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let context = Context {
        run_dir: folder.path().join("no functions"),
        token: None,
        threads: THREADS,
        keys_repeat: true,
        options: on_cluster(&server.address().to_string(), None),
    };
    let id: DesignId = DESIGNS[0].parse().unwrap();
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    let design = running
        .design(&id, &events().workload, &context)
        .await
        .unwrap();
    let error = design.create().await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("design {id}: ")), "{error}");
    assert!(
        error.contains("set user_defined_functions_enabled: true"),
        "{error}"
    );
    drop(design);
    running.finish(false).await.unwrap();
}

#[test]
fn a_workload_that_switches_functions_off_refuses_the_design_before_anything_starts() {
    let id: DesignId = DESIGNS[0].parse().unwrap();
    let mut options = EngineOptions::default();
    let off = (
        "user_defined_functions_enabled".to_owned(),
        "false".to_owned(),
    );
    options.cassandra.server.cassandra = vec![off];
    let context = Context {
        run_dir: "/nowhere/run".into(),
        token: None,
        threads: 1,
        keys_repeat: true,
        options,
    };
    let described = engine(&id)
        .unwrap()
        .describe(&id, &events().workload, &context);
    let error = described.unwrap_err().to_string();
    assert!(error.contains("remove that line"), "{error}");
}

#[test]
fn functions_are_switched_on_only_for_designs_that_have_some() {
    for (id, needs) in [
        ("cassandra/wide?aggregate=java", true),
        ("cassandra/narrow?aggregate=JAVA-LIST", true),
        ("cassandra/wide?aggregate=server", false),
        ("cassandra/wide", false),
        ("parquet", false),
    ] {
        let mut options = EngineOptions::default();
        require(&[id.parse().unwrap()], &mut options);
        assert_eq!(options.cassandra.functions, needs, "{id}");
    }
}

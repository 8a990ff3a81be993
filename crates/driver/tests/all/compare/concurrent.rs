//! Clients that ask at the same time: how many, what, for how long, and what is counted.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bakeoff_driver::Budget;
use bakeoff_stats::{Concurrent, Outcome, Record, Step};
use bakeoff_workload::Concurrent as Plan;

use super::bench::{Bench, QUERIES, Records};
use super::fake::{Act, Call, Fake};

const PERMUTATIONS: u32 = 8;
/// Before the clients each query is asked once to be verified, once to warm up, and in 3 rounds.
const BEFORE: usize = 5;
/// The first query is also asked once by each client, untimed.
const CONNECTING: usize = 4;

/// 4 clients, 8 permutations, and no longer warming up than one pass.
fn bench() -> Bench {
    let mut bench = Bench::new();
    let long_ago = Instant::now() - Duration::from_secs(60);
    bench.settings.budget = Some(Budget::with_engines_since(
        long_ago,
        long_ago,
        Duration::from_secs(100),
    ));
    bench.settings.concurrent = Some(Plan {
        clients: 4,
        permutations: PERMUTATIONS,
        limit: Duration::from_secs(10),
    });
    bench
}

fn taking(id: &str, milliseconds: u64) -> Fake {
    Fake::acting(id, move |call| match call {
        Call::Answer { .. } => Act::Take(Duration::from_millis(milliseconds)),
        _ => Act::Well,
    })
}

fn concurrent<'a>(records: &'a Records, design: &str) -> Vec<&'a Concurrent> {
    let of = |record: &'a Record| match record {
        Record::Concurrent(asked) if asked.design == design => Some(asked.as_ref()),
        _ => None,
    };
    records.0.iter().filter_map(of).collect()
}

fn answered(asked: &Concurrent) -> Vec<(&str, usize)> {
    let queries = asked.queries.iter();
    queries
        .map(|q| (q.query.as_str(), q.nanoseconds.len()))
        .collect()
}

#[tokio::test]
async fn so_many_ask_at_the_same_time_and_only_in_this_step() {
    let (bench, fake) = (bench(), taking("a", 5));
    let records = bench.complete(std::slice::from_ref(&fake)).await;
    assert_eq!(fake.table().most_asking, 4);
    let asked = concurrent(&records, "a")[0];
    assert_eq!((asked.clients, asked.permutations), (4, PERMUTATIONS));
    assert_eq!(answered(asked), QUERIES.map(|q| (q, PERMUTATIONS as usize)));
    assert!(asked.bad.is_empty());
    let times = asked.queries.iter().flat_map(|q| &q.nanoseconds);
    assert!(times.into_iter().all(|n| *n >= 5_000_000));

    let mut without = self::bench();
    without.settings.concurrent = None;
    let fake = taking("a", 5);
    let records = without.complete(std::slice::from_ref(&fake)).await;
    assert_eq!(
        (fake.table().most_asking, concurrent(&records, "a").len()),
        (1, 0)
    );
}

#[tokio::test]
async fn all_designs_are_asked_the_same_with_varying_parameters() {
    let fakes = [Fake::new("a"), taking("b", 2)];
    bench().complete(&fakes).await;
    let asked = |fake: &Fake| {
        let mut asked = fake.asked().split_off(BEFORE * QUERIES.len());
        asked.sort();
        asked
    };
    let of_a = asked(&fakes[0]);
    assert_eq!(of_a, asked(&fakes[1]));
    assert_eq!(of_a.len(), CONNECTING + PERMUTATIONS as usize * 2);
    let some = of_a.iter().filter(|(query, _)| query == "some");
    assert!(some.map(|(_, sql)| sql).collect::<BTreeSet<_>>().len() > 4);
}

#[tokio::test]
async fn wrong_answers_and_errors_are_counted_apart_and_are_no_times() {
    let bad = Fake::acting("bad", |call| match call {
        Call::Answer { query, nth, .. } if query == "some" && *nth >= BEFORE => Act::Wrong,
        Call::Answer { nth, .. } if *nth >= BEFORE + CONNECTING && nth % 2 == 0 => Act::Fail,
        _ => Act::Well,
    });
    let records = bench().complete(&[bad, Fake::new("good")]).await;
    let asked = concurrent(&records, "bad")[0];
    assert_eq!(answered(asked), [("all", 4), ("some", 0)]);
    let bad: Vec<_> = asked
        .bad
        .iter()
        .map(|bad| {
            let wrong = matches!(bad.outcome, Outcome::Wrong { .. });
            (bad.query.as_str(), bad.questions, wrong)
        })
        .collect();
    assert_eq!(bad, [("all", 4, false), ("some", 8, true)]);
    let good = concurrent(&records, "good")[0];
    assert_eq!(answered(good), [("all", 8), ("some", 8)]);
}

#[tokio::test]
async fn a_query_that_was_wrong_before_is_not_asked() {
    let wrong = Fake::acting("a", |call| {
        if call.asks("some", 0) {
            Act::Wrong
        } else {
            Act::Well
        }
    });
    let records = bench().complete(&[wrong]).await;
    assert_eq!(answered(concurrent(&records, "a")[0]), [("all", 8)]);
}

#[tokio::test]
async fn when_the_time_is_over_questions_are_ended_and_none_begun() {
    let mut bench = bench();
    let limit = Duration::from_millis(100);
    bench.settings.concurrent = Some(Plan {
        clients: 2,
        permutations: 10_000,
        limit,
    });
    let fake = taking("a", 20);
    let records = bench.complete(std::slice::from_ref(&fake)).await;
    let asked = concurrent(&records, "a")[0];
    assert!(asked.seconds >= limit.as_secs_f64() && asked.permutations < 10_000);
    let answers: usize = asked.queries.iter().map(|q| q.nanoseconds.len()).sum();
    // Those of the clients, and what was asked before.
    assert_eq!(answers + 2 + BEFORE * 2, fake.asked().len());
}

#[tokio::test]
async fn an_engine_that_dies_fails_its_design_and_no_other() {
    let dying = Fake::acting("a", |call| {
        if call.asks("all", 12) {
            Act::Die
        } else {
            Act::Well
        }
    });
    let records = bench().complete(&[dying, Fake::new("b")]).await;
    let failures = records.failures();
    let (design, step, query, reason) = failures[0];
    assert_eq!((design, step, query), ("a", Step::Concurrent, None));
    assert!(
        reason.contains("4 clients") && reason.contains("its engine is gone"),
        "{reason}"
    );
    assert!(concurrent(&records, "a").is_empty());
    assert_eq!(
        answered(concurrent(&records, "b")[0]),
        [("all", 8), ("some", 8)]
    );
}

#[tokio::test]
async fn a_run_that_goes_on_asks_those_again_that_were_not_done() {
    let bench = bench();
    let hangs = |call: &Call| call.asks("all", 12);
    let fakes = [Fake::new("a"), Fake::hanging("b", hangs), Fake::new("c")];
    let b_hangs = async {
        while !fakes[1].calls().iter().any(hangs) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        ended = bench.run(&fakes) => panic!("not killed: {ended:?}"),
        () = b_hangs => {}
    }
    let before = bench.records();
    assert!(concurrent(&before, "b").is_empty());

    let again = ["a", "b", "c"].map(Fake::new);
    let records = bench.complete(&again).await;
    for (id, fake) in ["a", "b", "c"].iter().zip(&again) {
        assert_eq!(concurrent(&records, id).len(), 1, "{id}");
        let asked_now = fake.asked().len() >= PERMUTATIONS as usize * 2;
        assert_eq!(asked_now, concurrent(&before, id).is_empty(), "{id}");
    }
    let sets = records
        .0
        .iter()
        .filter(|r| matches!(r, Record::ParameterSets { .. }));
    assert_eq!(sets.count(), 1);
}

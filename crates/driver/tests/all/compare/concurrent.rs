//! Clients that ask at the same time: how many, what, for how long, and what is counted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use bakeoff_driver::Budget;
use bakeoff_stats::{Concurrent, CpuSeconds, Journal, Outcome, Record, Step};
use bakeoff_workload::Concurrent as Plan;

use super::bench::{Bench, QUERIES, Records};
use super::fake::{Act, Call, Fake};

pub const PERMUTATIONS: u32 = 8;
const TURNS: u32 = 7;
/// Before the clients each query is asked once to be verified, once to warm up, and in 3 rounds.
pub const BEFORE: usize = 5;
/// The first query is also asked once by each client, untimed.
const CONNECTING: usize = 4;

/// 4 clients, 8 permutations, and no longer warming up than one pass.
pub fn bench() -> Bench {
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
        ..Plan::default()
    });
    bench
}

fn taking(id: &str, milliseconds: u64) -> Fake {
    Fake::acting(id, move |call| match call {
        Call::Answer { .. } => Act::Take(Duration::from_millis(milliseconds)),
        _ => Act::Well,
    })
}

/// The turns of a design.
pub fn concurrent<'a>(records: &'a Records, design: &str) -> Vec<&'a Concurrent> {
    let of = |record: &'a Record| match record {
        Record::Concurrent(asked) if asked.design == design => Some(asked.as_ref()),
        _ => None,
    };
    records.0.iter().filter_map(of).collect()
}

/// Right answers to each query, over all turns.
pub fn answered(turns: &[&Concurrent]) -> BTreeMap<String, usize> {
    let mut answered = BTreeMap::new();
    for asked in turns.iter().flat_map(|turn| &turn.queries) {
        *answered.entry(asked.query.clone()).or_default() += asked.nanoseconds.len();
    }
    answered
}

pub fn all_answered<const N: usize>(queries: [(&str, usize); N]) -> BTreeMap<String, usize> {
    queries
        .map(|(query, count)| (query.to_owned(), count))
        .into()
}

fn numbers(turns: &[&Concurrent]) -> Vec<Option<u32>> {
    turns.iter().map(|turn| turn.turn).collect()
}

#[tokio::test]
async fn so_many_ask_at_the_same_time_and_only_in_this_step() {
    let (bench, fake) = (bench(), taking("a", 5));
    let records = bench.complete(std::slice::from_ref(&fake)).await;
    assert_eq!(fake.table().most_asking, 4);
    let turns = concurrent(&records, "a");
    assert_eq!(numbers(&turns), (0..TURNS).map(Some).collect::<Vec<_>>());
    let permutations: u32 = turns.iter().map(|turn| turn.permutations).sum();
    assert_eq!((turns[0].clients, permutations), (4, PERMUTATIONS));
    let expected = all_answered(QUERIES.map(|q| (q, PERMUTATIONS as usize)));
    assert_eq!(answered(&turns), expected);
    assert!(turns.iter().all(|turn| turn.bad.is_empty()));
    let queries = turns.iter().flat_map(|turn| &turn.queries);
    let times = queries.flat_map(|q| &q.nanoseconds);
    assert!(times.into_iter().all(|n| *n >= 5_000_000));
    assert!(turns[TURNS as usize - 1].unfinished.is_empty());

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
    let turns = concurrent(&records, "bad");
    assert_eq!(answered(&turns), all_answered([("all", 4), ("some", 0)]));
    let mut bad = BTreeMap::new();
    for of_query in turns.iter().flat_map(|turn| &turn.bad) {
        let wrong = matches!(of_query.outcome, Outcome::Wrong { .. });
        *bad.entry((of_query.query.as_str(), wrong)).or_insert(0) += of_query.questions;
    }
    let bad: Vec<_> = bad.into_iter().collect();
    assert_eq!(bad, [(("all", false), 4), (("some", true), 8)]);
    let good = concurrent(&records, "good");
    assert_eq!(answered(&good), all_answered([("all", 8), ("some", 8)]));
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
    let turns = concurrent(&records, "a");
    assert_eq!(answered(&turns), all_answered([("all", 8)]));
}

#[tokio::test]
async fn when_the_time_is_over_questions_are_ended_and_none_begun() {
    let mut bench = bench();
    let limit = Duration::from_millis(100);
    bench.settings.concurrent = Some(Plan {
        clients: 2,
        permutations: 10_000,
        limit,
        ..Plan::default()
    });
    let fake = taking("a", 20);
    let records = bench.complete(std::slice::from_ref(&fake)).await;
    let turns = concurrent(&records, "a");
    let seconds: f64 = turns.iter().map(|turn| turn.seconds).sum();
    let permutations: u32 = turns.iter().map(|turn| turn.permutations).sum();
    // All turns together, up to the last digit.
    assert!(seconds >= 0.999 * limit.as_secs_f64() && permutations < 10_000);
    let answers: usize = answered(&turns).values().sum();
    // Those of the clients, and what was asked before.
    assert_eq!(answers + 2 + BEFORE * 2, fake.asked().len());
}

/// 4 clients that ask each query 8 times, one query at a time.
fn one_at_a_time() -> Bench {
    let mut bench = bench();
    let plan = bench.settings.concurrent;
    bench.settings.concurrent = plan.map(|plan| Plan {
        one_query_at_a_time: true,
        ..plan
    });
    bench
}

#[tokio::test]
async fn all_clients_ask_one_query_until_its_part_of_the_turn_is_over() {
    let fakes = [taking("a", 5), taking("b", 2)];
    let records = one_at_a_time().complete(&fakes).await;
    for fake in &fakes {
        assert_eq!(fake.table().most_asking, 4);
        let turns = concurrent(&records, fake.id());
        assert_eq!(numbers(&turns), (0..TURNS).map(Some).collect::<Vec<_>>());
        assert_eq!(answered(&turns), all_answered([("all", 8), ("some", 8)]));
        assert!(turns.iter().all(|turn| turn.permutations == 0));
        let queries = || turns.iter().flat_map(|turn| &turn.queries);
        assert!(queries().all(|query| query.nanoseconds.is_empty() || query.seconds > Some(0.0)));
        // Both queries together are what the turn took.
        let turn = turns[0];
        let seconds: f64 = turn.queries.iter().filter_map(|query| query.seconds).sum();
        assert!(
            (seconds - turn.seconds).abs() < 1e-6,
            "{seconds} {}",
            turn.seconds
        );
        // Four of one query are followed by four of the other one.
        let asked = fake.asked().split_off(BEFORE * QUERIES.len() + CONNECTING);
        let first: BTreeSet<&str> = asked[..4].iter().map(|(query, _)| query.as_str()).collect();
        let next: BTreeSet<&str> = asked[4..8]
            .iter()
            .map(|(query, _)| query.as_str())
            .collect();
        assert!(
            first.len() == 1 && next.len() == 1 && first != next,
            "{asked:?}"
        );
    }
    let asked = |fake: &Fake| {
        let mut asked = fake.asked().split_off(BEFORE * QUERIES.len());
        asked.sort();
        asked
    };
    assert_eq!(asked(&fakes[0]), asked(&fakes[1]));
}

#[tokio::test]
async fn one_query_at_a_time_goes_on_with_what_was_left_of_each_query() {
    let bench = one_at_a_time();
    let hangs = |call: &Call| call.asks("all", BEFORE + CONNECTING + 4);
    bench.kill_in(&[Fake::hanging("a", hangs)], hangs).await;
    let before = concurrent(&bench.records(), "a").len();
    assert!((1..TURNS as usize).contains(&before), "{before}");
    let records = bench.complete(&[Fake::new("a")]).await;
    let turns = concurrent(&records, "a");
    assert_eq!(numbers(&turns), (0..TURNS).map(Some).collect::<Vec<_>>());
    assert_eq!(answered(&turns), all_answered([("all", 8), ("some", 8)]));
}

#[tokio::test]
async fn clients_for_each_node_are_as_many_as_the_nodes_of_the_design_allow() {
    let mut bench = bench();
    let plan = bench.settings.concurrent;
    bench.settings.concurrent = plan.map(|plan| Plan {
        clients: 2,
        per_node: true,
        ..plan
    });
    let fakes = [Fake::new("one"), taking("three", 5).with_nodes(3)];
    let records = bench.complete(&fakes).await;
    let clients = |design| concurrent(&records, design)[0].clients;
    assert_eq!((clients("one"), clients("three")), (2, 6));
    assert_eq!(fakes[1].table().most_asking, 6);
    let is_warning = |record: &&Record| matches!(record, Record::Warning { .. });
    assert_eq!(records.0.iter().filter(is_warning).count(), 0);
}

#[tokio::test]
async fn more_clients_than_ask_at_most_are_said_to_be_fewer() {
    let mut bench = bench();
    bench.settings.concurrent = Some(Plan {
        clients: 100,
        per_node: true,
        permutations: 300,
        limit: Duration::from_millis(50),
        ..Plan::default()
    });
    let records = bench.complete(&[Fake::new("a").with_nodes(3)]).await;
    assert_eq!(concurrent(&records, "a")[0].clients, 256);
    let warned = records.0.iter().find_map(|record| match record {
        Record::Warning { message } => Some(message.as_str()),
        _ => None,
    });
    assert_eq!(
        warned,
        Some(
            "a: 300 clients, which are 100 for each of its 3 nodes, are more than the 256 that ask at \
             most; 256 ask"
        )
    );
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
    assert!(concurrent(&records, "a").len() < TURNS as usize);
    let other = concurrent(&records, "b");
    assert_eq!(answered(&other), all_answered([("all", 8), ("some", 8)]));
}

#[tokio::test]
async fn clients_that_find_no_permutation_take_no_question_from_the_others() {
    let mut bench = bench();
    // After two turns one permutation is left for three clients.
    bench.settings.concurrent = Some(Plan {
        clients: 3,
        permutations: 4,
        limit: Duration::from_secs(10),
        ..Plan::default()
    });
    let records = bench.complete(&[taking("a", 5)]).await;
    let turns = concurrent(&records, "a");
    assert_eq!(answered(&turns), all_answered([("all", 4), ("some", 4)]));
}

#[tokio::test]
async fn designs_have_their_turns_in_an_order_that_is_drawn_for_each() {
    let orders = async || -> Vec<Vec<String>> {
        let records = bench().complete(&["a", "b", "c"].map(Fake::new)).await;
        let of_turn = |turn| {
            let asked = records.0.iter().filter_map(|record| match record {
                Record::Concurrent(asked) if asked.turn == Some(turn) => Some(&asked.design),
                _ => None,
            });
            asked.cloned().collect()
        };
        (0..TURNS).map(of_turn).collect()
    };
    let first = orders().await;
    assert!(first.iter().all(|order| order.len() == 3), "{first:?}");
    assert!(first.iter().any(|order| *order != first[0]), "{first:?}");
    assert_eq!(first, orders().await);
}

#[tokio::test]
async fn a_run_that_goes_on_asks_what_was_left() {
    let bench = bench();
    let hangs = |call: &Call| call.asks("all", 14);
    let fakes = [Fake::new("a"), Fake::hanging("b", hangs), Fake::new("c")];
    bench.kill_in(&fakes, hangs).await;
    let before = bench.records();
    let turns_of_b = concurrent(&before, "b").len();
    assert!((1..TURNS as usize).contains(&turns_of_b), "{turns_of_b}");

    let again = ["a", "b", "c"].map(Fake::new);
    let records = bench.complete(&again).await;
    for (id, fake) in ["a", "b", "c"].iter().zip(&again) {
        let turns = concurrent(&records, id);
        assert_eq!(numbers(&turns), (0..TURNS).map(Some).collect::<Vec<_>>());
        // Each question of each permutation once, although some were asked in part.
        assert_eq!(answered(&turns), all_answered([("all", 8), ("some", 8)]));
        let left = 16 - answered(&concurrent(&before, id)).values().sum::<usize>();
        let asked = fake.asked().len();
        assert!(
            (left..=left + 2 * CONNECTING).contains(&asked),
            "{id}: {asked} of {left}"
        );
    }
    let sets = records
        .0
        .iter()
        .filter(|r| matches!(r, Record::ParameterSets { .. }));
    assert_eq!(sets.count(), 1);
}

#[tokio::test]
async fn what_an_earlier_version_asked_in_one_go_is_not_asked_again() {
    let mut bench = bench();
    let plan = bench.settings.concurrent.take();
    bench.complete(&["a", "b"].map(Fake::new)).await;
    let mut journal = Journal::create_or_resume(bench.folder.path(), "f").unwrap();
    let old = Record::Concurrent(Box::new(Concurrent {
        design: "a".to_owned(),
        turn: None,
        clients: 4,
        permutations: 8,
        seconds: 1.0,
        cpu: CpuSeconds::default(),
        queries: Vec::new(),
        bad: Vec::new(),
        unfinished: Vec::new(),
    }));
    journal.append(&old).unwrap();
    drop(journal);
    bench.settings.concurrent = plan;
    let records = bench.complete(&["a", "b"].map(Fake::new)).await;
    assert_eq!(concurrent(&records, "a").len(), 1);
    assert_eq!(concurrent(&records, "b").len(), TURNS as usize);
}

//! Clients that ask with more sets of parameters than right answers were computed for.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bakeoff_stats::{Agreed, Outcome, QuerySets, Record};
use bakeoff_workload::Concurrent as Plan;

use super::bench::{Bench, QUERIES, Records};
use super::concurrent::{BEFORE, PERMUTATIONS, all_answered, answered, bench, concurrent};
use super::fake::{Act, Fake};

/// 4 clients that ask `some` with 8 sets of parameters, of which one has a right answer.
fn many_sets() -> Bench {
    let mut bench = bench();
    let plan = bench.settings.concurrent;
    bench.settings.concurrent = plan.map(|plan| Plan {
        parameter_sets: Some(PERMUTATIONS),
        ..plan
    });
    bench.settings.right_answers_within = Duration::ZERO;
    bench
}

/// Sums over all turns of all designs of what was compared among designs, by query.
fn agreed(records: &Records, query: &str) -> Agreed {
    let turns = records.0.iter().filter_map(|record| match record {
        Record::Concurrent(asked) => Some(asked),
        _ => None,
    });
    let queries = turns.flat_map(|turn| &turn.queries);
    let of_query = queries.filter(|asked| asked.query == query);
    let sum = of_query.filter_map(|asked| asked.agreed);
    sum.fold(Agreed::default(), |one, two| Agreed {
        alone: one.alone + two.alone,
        confirmed: one.confirmed + two.confirmed,
        sets: one.sets + two.sets,
    })
}

#[tokio::test]
async fn sets_without_a_right_answer_are_verified_by_the_answers_of_another_design() {
    let records = many_sets().complete(&["a", "b"].map(Fake::new)).await;
    let sets = records.0.iter().find_map(|record| match record {
        Record::ParameterSets { sets, queries } => Some((*sets, queries.clone())),
        _ => None,
    });
    let of = |query: &str, drawn: u32| QuerySets {
        query: query.to_owned(),
        drawn,
        distinct: drawn,
        right: 1,
    };
    // A query without parameters has one set of none.
    assert_eq!(sets, Some((1, vec![of("all", 1), of("some", 8)])));
    for design in ["a", "b"] {
        let turns = concurrent(&records, design);
        assert_eq!(answered(&turns), all_answered([("all", 8), ("some", 8)]));
    }
    let all = Agreed {
        alone: 7,
        confirmed: 7,
        sets: 7,
    };
    assert_eq!(agreed(&records, "some"), all);
    assert_eq!(agreed(&records, "all"), Agreed::default());
}

#[tokio::test]
async fn what_one_design_alone_answers_is_counted_as_not_verified() {
    let records = many_sets().complete(&[Fake::new("a")]).await;
    let alone = Agreed {
        alone: 7,
        confirmed: 0,
        sets: 0,
    };
    assert_eq!(agreed(&records, "some"), alone);
}

#[tokio::test]
async fn where_designs_differ_the_right_answer_says_which_one_is_wrong() {
    let wrong = Fake::acting("wrong", |call| {
        if call.asks("some", BEFORE) {
            Act::Wrong
        } else {
            Act::Well
        }
    });
    let records = many_sets().complete(&[Fake::new("good"), wrong]).await;
    let good = concurrent(&records, "good");
    assert_eq!(answered(&good), all_answered([("all", 8), ("some", 8)]));
    assert!(good.iter().all(|turn| turn.bad.is_empty()));
    let is_wrong = |outcome: &Outcome| matches!(outcome, Outcome::Wrong { .. });
    let turns = concurrent(&records, "wrong");
    let of_turns = turns.iter().flat_map(|turn| &turn.bad);
    let wrong: u32 = of_turns
        .filter(|bad| bad.query == "some" && is_wrong(&bad.outcome))
        .map(|bad| bad.questions)
        .sum();
    // What it answered first was taken for right until the other design answered.
    let corrected = records.0.iter().filter_map(|record| match record {
        Record::Answered(answer) if is_wrong(&answer.outcome) => Some(answer.design.as_str()),
        _ => None,
    });
    let corrected: Vec<&str> = corrected.collect();
    assert!(
        corrected.iter().all(|design| *design == "wrong"),
        "{corrected:?}"
    );
    assert_eq!(wrong as usize + corrected.len(), 8);
    // Nothing remains that was compared with nothing.
    let agreed = agreed(&records, "some");
    assert_eq!(agreed.alone, agreed.confirmed);
}

#[tokio::test]
async fn answers_that_differ_are_not_verified_where_the_right_one_cannot_be_computed() {
    let bench = many_sets();
    let is_oracle_gone = bench.is_oracle_gone.clone();
    let wrong = Fake::acting("wrong", move |call| {
        if call.asks("some", BEFORE) {
            is_oracle_gone.store(true, Ordering::Relaxed);
            Act::Wrong
        } else {
            Act::Well
        }
    });
    let records = bench.complete(&[Fake::new("good"), wrong]).await;
    let agreed = agreed(&records, "some");
    assert!(agreed.alone > 0, "{agreed:?}");
    assert_eq!((agreed.confirmed, agreed.sets), (0, 0), "{agreed:?}");
}

#[tokio::test]
async fn a_query_that_is_asked_alone_is_asked_with_all_of_its_sets() {
    let mut bench = many_sets();
    let plan = bench.settings.concurrent;
    bench.settings.concurrent = plan.map(|plan| Plan {
        one_query_at_a_time: true,
        permutations: 3,
        parameter_sets: Some(50),
        ..plan
    });
    let fakes = ["a", "b"].map(Fake::new);
    let records = bench.complete(&fakes).await;
    let turns = concurrent(&records, "a");
    assert_eq!(answered(&turns), all_answered([("all", 3), ("some", 50)]));
    let asked = fakes[0].asked().split_off(BEFORE * QUERIES.len());
    let some = asked.iter().filter(|(query, _)| query == "some");
    let different: BTreeSet<_> = some.map(|(_, sql)| sql).collect();
    // Two of the rows that are drawn may be the same.
    assert!(different.len() > 45, "{}", different.len());
    assert_eq!(agreed(&records, "some").confirmed, 49);
}

//! Tests of the decision of a run.

use super::*;
use crate::NotAsked;
use crate::compare::testing::{failed, footprint, loaded, run, timed, timed_as, wrong};
use crate::compare::{Outcome, Planned, QueryPlan, Record, Step};
use crate::decide::{AskedOf, Certainty, WhyLeftOut, WhyOut};

/// Answers of one design to both queries in this number of rounds, as multiples of a second.
fn rounds(design: &str, factor: f64, number: u32) -> Vec<Record> {
    let in_round = |record: Record, round: u32| match record {
        Record::Timed(timing) => Record::Timed(crate::Timing { round, ..timing }),
        record => record,
    };
    (0..number)
        .flat_map(|round| {
            let seconds = factor * (1.0 + f64::from(round % 3) / 50.0);
            ["scan", "key"].map(|query| in_round(timed(design, query, seconds), round))
        })
        .collect()
}

fn decision(records: Vec<Record>) -> Decision {
    let loading = ["a/x", "a/y"].map(|design| loaded(design, 0, 1.0));
    let all = loading.into_iter().chain(records);
    let summary = Summary::from_records(&run(all)).unwrap();
    summary.decision.unwrap()
}

fn two_designs(factor: f64, number: u32) -> Vec<Record> {
    let sizes = [footprint("a/x", 500), footprint("a/y", 600)];
    let times = [rounds("a/x", 1.0, number), rounds("a/y", factor, number)];
    sizes.into_iter().chain(times.concat()).collect()
}

#[test]
fn nothing_loaded_is_nothing_to_decide() {
    let summary = Summary::from_records(&run(Vec::new())).unwrap();
    assert!(summary.decision.is_none());
}

#[test]
fn one_design_has_the_storage_to_buy_and_the_times() {
    let decision = decision(two_designs(2.0, 7));
    let recommendation = decision.recommendation.as_ref().unwrap();
    assert_eq!(recommendation.design, "a/x");
    assert_eq!(recommendation.certainty, Certainty::Settled);
    // 5 bytes a row, 10,000 rows, 3 copies.
    let storage = decision.recommended().unwrap().storage.unwrap();
    assert_eq!(storage.point, 150_000.0);
    assert!(!decision.rule.is_stated);
    assert!(!decision.forecasts_times());
}

#[test]
fn a_near_runner_up_is_no_more_than_likely_without_twins() {
    let decision = decision(two_designs(1.15, 7));
    let recommendation = decision.recommendation.unwrap();
    assert_eq!(recommendation.confidence, Some(1.0));
    assert_eq!(recommendation.certainty, Certainty::Likely);
    assert!(recommendation.more.is_none(), "rounds do not tell");
}

/// The two designs with a twin of the first that takes this many times as long.
fn with_twin(factor: f64, twin: f64) -> Decision {
    let instances = vec![crate::Instance::twin("a/x")];
    let mut records = vec![Record::Instances { instances }];
    records.extend(two_designs(factor, 7));
    records.extend(rounds("a/x#twin", twin, 7));
    decision(records)
}

#[test]
fn twins_that_agree_settle_a_near_runner_up() {
    let decision = with_twin(1.15, 1.0);
    assert!(decision.twins.unwrap() < 1e-9);
    assert!(decision.questions[0].smallest_difference.is_some());
    let recommendation = decision.recommendation.unwrap();
    assert_eq!(recommendation.certainty, Certainty::Settled);
}

#[test]
fn twins_that_differ_unsettle_what_rounds_alone_would_settle() {
    let decision = with_twin(1.15, 1.4);
    assert!((decision.twins.unwrap() - 0.4).abs() < 1e-9);
    let recommendation = decision.recommendation.unwrap();
    assert!(recommendation.confidence.unwrap() < 0.95);
    assert!(recommendation.certainty < Certainty::Settled);
}

#[test]
fn few_rounds_settle_nothing() {
    for number in [1, 4] {
        let decision = decision(two_designs(3.0, number));
        let certainty = decision.recommendation.unwrap().certainty;
        assert_eq!(certainty, Certainty::NotSettled, "{number} rounds");
    }
}

#[test]
fn a_wrong_answer_leaves_the_design_out_and_a_yardstick_never_wins() {
    let mut records = two_designs(2.0, 7);
    records.extend(rounds("memory", 0.1, 7));
    records.push(timed_as("a/x", "key", 0.1, wrong()));
    let decision = decision(records);
    assert_eq!(decision.recommendation.unwrap().design, "a/y");
}

/// Decides for one of two designs, of which the second takes twice as long and each is not asked these queries.
fn asked_less(not_asked: [&[&str]; 2]) -> Decision {
    let of = |design: &str| not_asked[usize::from(design == "a/y")];
    let is_asked = |record: &Record| match record {
        Record::Timed(timing) => !of(&timing.design).contains(&timing.query.as_str()),
        _ => true,
    };
    let loading = ["a/x", "a/y"].map(|design| loaded(design, 0, 1.0));
    let records = loading.into_iter().chain(two_designs(2.0, 7));
    let mut records = run(records.filter(is_asked));
    let Record::Started(header) = &mut records[0] else {
        unreachable!()
    };
    for (design, queries) in header.designs.iter_mut().zip(not_asked) {
        let not_asked = queries.iter().map(|query| NotAsked {
            query: (*query).to_owned(),
            why: "is asked of other designs only".to_owned(),
        });
        design.not_asked = not_asked.collect();
    }
    Summary::from_records(&records).unwrap().decision.unwrap()
}

#[test]
fn designs_are_ranked_by_the_questions_that_all_were_asked() {
    let decision = asked_less([&["key"], &[]]);
    let recommendation = decision.recommendation.as_ref().unwrap();
    assert_eq!(recommendation.design, "a/x");
    assert_eq!(recommendation.certainty, Certainty::Settled);
    assert_eq!(recommendation.runner_up.as_ref().unwrap().design, "a/y");
    assert_eq!(decision.rounds, 7);
    assert!(
        decision.designs[..2]
            .iter()
            .all(|design| design.out.is_none())
    );
    let why = WhyLeftOut::NotAskedOfAll(AskedOf { asked: 1, all: 2 });
    assert_eq!(decision.questions[1].left_out, Some(why));
    assert_eq!(decision.questions[0].share, 1.0);
    let everything = asked_less([&[], &[]]);
    assert_eq!(everything.questions[1].left_out, None);
}

#[test]
fn without_a_question_that_all_were_asked_none_is_recommended() {
    let decision = asked_less([&["key"], &["scan"]]);
    assert_eq!(decision.recommendation, None);
    assert!(decision.designs.iter().all(|design| !design.is_recommended));
    let why = decision.no_forecast.unwrap();
    assert!(
        why.contains("no question that counts was asked of all designs"),
        "{why}"
    );
}

#[test]
fn a_question_that_no_design_was_asked_is_not_one_of_some() {
    let decision = asked_less([&["key"], &["key"]]);
    assert_eq!(decision.recommendation.unwrap().design, "a/x");
    let why = WhyLeftOut::Unknown("it was not asked".to_owned());
    assert_eq!(decision.questions[1].left_out, Some(why));
}

#[test]
fn a_question_is_open_where_the_comparison_within_rounds_does_not_show_the_best() {
    let mut records = two_designs(2.0, 7);
    for record in &mut records {
        if let Record::Timed(timing) = record
            && (timing.design.as_str(), timing.query.as_str()) == ("a/y", "key")
        {
            timing.seconds = if timing.round % 2 == 0 { 4.0 } else { 0.6 };
        }
    }
    let decision = decision(records);
    let recommendation = decision.recommendation.as_ref().unwrap();
    assert_eq!(recommendation.design, "a/x");
    let open: Vec<bool> = decision.questions.iter().map(|q| q.is_open).collect();
    assert_eq!(open, [false, true]);
}

#[test]
fn multiples_of_the_best_time_are_those_of_the_comparison_within_rounds() {
    let mut records = two_designs(2.0, 7);
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.design == "a/y"
            && timing.round > 3
        {
            timing.seconds = 3.0;
        }
    }
    let loading = ["a/x", "a/y"].map(|design| loaded(design, 0, 1.0));
    let all = loading.into_iter().chain(records);
    let summary = Summary::from_records(&run(all)).unwrap();
    let compared = summary.comparison.design("scan", "a/y").unwrap().ratio;
    let decision = summary.decision.as_ref().unwrap();
    let Cell::Time { times_best, .. } = &decision.designs[1].cells[0] else {
        panic!("no time")
    };
    assert_eq!(*times_best, Some(compared));
    let of_medians = summary.designs[1].queries[0].times_fastest.unwrap();
    assert!(
        (compared - of_medians).abs() > 1e-3,
        "{compared} {of_medians}"
    );
}

/// Two designs of which these keep only the last row of a key.
fn with_lost_rows(lost_by: &[&str], told_apart_by: Option<&str>) -> Decision {
    let mut records = two_designs(2.0, 7);
    records.push(Record::DuplicateKeys {
        rows: 19,
        lost_by: lost_by.iter().map(ToString::to_string).collect(),
        told_apart_by: told_apart_by.map(str::to_owned),
    });
    decision(records)
}

#[test]
fn a_design_that_loses_rows_is_left_out_with_the_column_that_keeps_them() {
    let decision = with_lost_rows(&["a/x"], Some("attempt"));
    assert_eq!(decision.recommendation.unwrap().design, "a/y");
    let why = WhyOut::RowsLost {
        rows: 19,
        keeps_rows_if: Some("add `attempt` to order_key, which tells them apart".to_owned()),
    };
    assert_eq!(decision.designs[0].out, Some(why));
    assert_eq!(decision.designs[1].out, None);
}

#[test]
fn rows_that_all_designs_lose_exclude_none_and_are_said() {
    let decision = with_lost_rows(&["a/x", "a/y"], None);
    assert_eq!(decision.recommendation.unwrap().design, "a/x");
    let lost = decision.lost_everywhere.unwrap();
    assert_eq!(lost.rows, 19);
    assert!(lost.keeps_rows_if.unwrap().contains("running number"));
    assert!(with_lost_rows(&[], None).lost_everywhere.is_none());
}

#[test]
fn a_question_that_fails_everywhere_is_at_fault_itself() {
    let mut records = two_designs(2.0, 7);
    records.retain(|r| !matches!(r, Record::Timed(timing) if timing.query == "key"));
    for design in ["a/x", "a/y"] {
        records.push(failed(
            design,
            Step::Verify,
            Some("key"),
            "no such function",
        ));
    }
    let decision = decision(records);
    let recommendation = decision.recommendation.unwrap();
    assert_eq!(recommendation.design, "a/x");
    assert_eq!(recommendation.certainty, Certainty::Settled);
    assert_eq!(decision.rounds, 7);
    let why = decision.questions[1].left_out.as_ref();
    assert!(
        matches!(why, Some(WhyLeftOut::FailsEverywhere(_))),
        "{why:?}"
    );
}

#[test]
fn where_no_design_answers_anything_none_is_recommended() {
    let mut records = two_designs(2.0, 7);
    records.retain(|r| !matches!(r, Record::Timed(_)));
    for design in ["a/x", "a/y"] {
        for query in ["scan", "key"] {
            records.push(failed(design, Step::Verify, Some(query), "it timed out"));
        }
    }
    let decision = decision(records);
    assert!(decision.recommendation.is_none());
    assert!(decision.front.is_empty() && decision.flips.is_empty());
    assert!(decision.designs.iter().all(|design| !design.is_recommended));
    let why = decision.no_forecast.unwrap();
    assert_eq!(why, "no design answers any question");
    for question in &decision.questions {
        let why = question.left_out.as_ref();
        assert!(
            matches!(why, Some(WhyLeftOut::FailsEverywhere(_))),
            "{why:?}"
        );
    }
}

#[test]
fn an_answer_whose_plan_reads_no_row_wins_nothing() {
    let mut records = two_designs(2.0, 7);
    for record in &mut records {
        if let Record::Timed(timing) = record {
            timing.rows_scanned = None;
        }
    }
    assert_eq!(decision(records.clone()).questions[0].left_out, None);
    records.push(Record::Planned(Planned {
        design: "a/y".to_owned(),
        query: "scan".to_owned(),
        plan: QueryPlan::told("DuckDB", "│ COLUMN_DATA_SCAN │"),
    }));
    let decision = decision(records);
    let why = WhyLeftOut::FromMetadata(vec!["a/y".to_owned()]);
    assert_eq!(decision.questions[0].left_out, Some(why));
    assert_eq!(decision.questions[1].left_out, None);
}

#[test]
fn answers_without_a_table_or_a_row_win_nothing() {
    let mut records = two_designs(2.0, 7);
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.query == "scan"
        {
            timing.rows_scanned = None;
        }
    }
    let from_metadata = decision(records.clone());
    let why = from_metadata.questions[0].left_out.as_ref();
    assert!(matches!(why, Some(WhyLeftOut::FromMetadata(_))), "{why:?}");
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.query == "key"
        {
            timing.outcome = Outcome::Right { rows: 0 };
        }
    }
    let why = decision(records).questions[1].left_out.clone();
    assert_eq!(why, Some(WhyLeftOut::AlwaysEmpty));
}

#[test]
fn a_further_round_takes_what_the_last_one_asked_with_twins_and_without_what_was_dropped() {
    let seconds = |records: Vec<Record>| {
        let loading = ["a/x", "a/y"].map(|design| loaded(design, 0, 1.0));
        let all = loading.into_iter().chain(records);
        let summary = Summary::from_records(&run(all)).unwrap();
        summary.decision_input().unwrap().seconds_a_round.unwrap()
    };
    // Two queries of which the rounds take 1, 1.02 and 1.04 s, and 6 / 7 of 20 ms more in the mean.
    let one = 2.0 * (1.0 + 6.0 / 7.0 / 50.0);
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    near(seconds(two_designs(2.0, 7)), 3.0 * one);
    let instances = vec![crate::Instance::twin("a/x")];
    let mut with_twin = vec![Record::Instances { instances }];
    with_twin.extend(two_designs(2.0, 7));
    with_twin.extend(rounds("a/x#twin", 1.5, 7));
    near(seconds(with_twin), 4.5 * one);
    let mut dropped = vec![Record::Race { rungs: Vec::new() }];
    dropped.extend(two_designs(2.0, 7));
    dropped.retain(|r| !matches!(r, Record::Timed(t) if t.design == "a/y" && t.round > 4));
    dropped.push(Record::Dropped(Box::new(crate::Dropped {
        design: "a/y".to_owned(),
        by: "a/x".to_owned(),
        rows: 100,
        at_rung: false,
        rounds: Some(5),
        beaten: Vec::new(),
        is_control: false,
    })));
    near(seconds(dropped), one);
}

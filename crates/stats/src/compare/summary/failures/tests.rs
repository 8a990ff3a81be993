use super::*;
use crate::compare::testing::*;
use crate::compare::{
    BadQuestions, Concurrent, ConcurrentQuery, Instance, OPEN_ROUND, Outcome, Record,
};
use crate::decide::{Certainty, Doubt, Recommendation, WhyLeftOut, WhyOut};
use crate::{CpuSeconds, Timing};

/// Summary of a run at full scale.
fn summary(records: Vec<Record>) -> Summary {
    let mut records = run(records);
    if let Some(Record::Started(header)) = records.first_mut() {
        header.scale.full_rows = 100;
    }
    Summary::from_records(&records).unwrap()
}

/// Summary of a race that dropped `a/y` at its rungs, since `a/x` beats it, and measured these.
fn raced(records: Vec<Record>) -> Summary {
    let dropped = Dropped {
        design: "a/y".to_owned(),
        by: "a/x".to_owned(),
        rows: 50,
        at_rung: true,
        rounds: None,
        beaten: Vec::new(),
        is_control: false,
    };
    let race = vec![
        Record::Race { rungs: Vec::new() },
        Record::Dropped(Box::new(dropped)),
    ];
    let mut records = run([race, records].concat());
    let Some(Record::Started(header)) = records.first_mut() else {
        panic!("no header");
    };
    let mut third = header.designs[0].clone();
    third.id = "a/z".to_owned();
    header.designs.push(third);
    header.scale.full_rows = 100;
    Summary::from_records(&records).unwrap()
}

/// Table of a design with seven rounds, whose answers take this many seconds.
fn measured(table: &str, seconds: f64) -> Vec<Record> {
    let mut records = vec![loaded(table, 0, 1.0), footprint(table, 500)];
    for round in 0..7 {
        for query in ["scan", "key"] {
            let seconds = seconds * (1.0 + f64::from(round % 3) / 50.0);
            records.push(in_round(timed(table, query, seconds), round));
        }
    }
    records
}

fn in_round(record: Record, round: u32) -> Record {
    match record {
        Record::Timed(timing) => Record::Timed(Timing { round, ..timing }),
        record => record,
    }
}

/// Makes `key` fail with these designs from the second round on.
fn without_key(records: &mut Vec<Record>, designs: &[&str]) {
    records.retain(|r| !matches!(r, Record::Timed(t) if t.query == "key" && t.round > 0));
    let reason = "the answer has more than 32 MiB".to_owned();
    for design in designs {
        let reason = reason.clone();
        let failed = timed_as(design, "key", 0.1, Outcome::Error { reason });
        records.push(in_round(failed, 1));
    }
}

fn recommended(summary: &Summary) -> Recommendation {
    let decision = summary.decision.clone().unwrap();
    decision.recommendation.unwrap()
}

fn failed_tables(summary: &Summary) -> Vec<&str> {
    let tables = summary.failures().map(|(table, _)| table);
    tables.map(|table| table.info.id.as_str()).collect()
}

#[test]
fn a_question_at_fault_that_was_right_once_takes_no_rounds_away() {
    let mut records = [measured("a/x", 1.0), measured("a/y", 2.0)].concat();
    without_key(&mut records, &["a/x", "a/y"]);
    let summary = summary(records);
    assert_eq!(summary.queries_at_fault(), ["key"]);
    assert_eq!(summary.decision.as_ref().unwrap().rounds, 7);
    let found = recommended(&summary);
    assert_eq!(
        (found.design.as_str(), found.certainty),
        ("a/x", Certainty::Settled)
    );
}

#[test]
fn a_winner_that_fails_only_at_a_question_at_fault_still_beats_what_it_dropped() {
    let mut records = [measured("a/x", 1.0), measured("a/z", 2.0)].concat();
    without_key(&mut records, &["a/x", "a/z"]);
    let summary = raced(records);
    assert_eq!(
        summary.queries_at_fault(),
        ["key"],
        "a/y was never asked and judges none"
    );
    assert!(summary.design("a/y").unwrap().is_out_of_race());
    let found = recommended(&summary);
    assert_eq!(
        (found.design.as_str(), found.certainty),
        ("a/x", Certainty::Settled)
    );
}

#[test]
fn a_dropped_design_that_was_right_in_an_open_round_keeps_a_question_and_returns() {
    let mut records = [measured("a/x", 1.0), measured("a/z", 2.0)].concat();
    without_key(&mut records, &["a/x", "a/z"]);
    records.extend([loaded("a/y", 0, 1.0), footprint("a/y", 500)]);
    records.push(in_round(timed("a/y", "key", 2.0), OPEN_ROUND));
    let summary = raced(records);
    assert_eq!(summary.queries_at_fault(), Vec::<&str>::new());
    assert!(!summary.design("a/y").unwrap().is_out_of_race());
    assert_eq!(summary.race.as_ref().unwrap().unfounded.len(), 1);
    let found = recommended(&summary);
    assert_eq!(
        (found.design.as_str(), found.certainty),
        ("a/y", Certainty::NotSettled)
    );
}

#[test]
fn a_winner_that_fails_takes_its_drops_back_and_no_rounds_of_the_others() {
    let mut records = [measured("a/x", 1.0), measured("a/z", 2.0)].concat();
    records.push(in_round(timed_as("a/x", "scan", 0.1, wrong()), 3));
    let revived = |records: Vec<Record>| {
        let summary = raced(records);
        let race = summary.race.as_ref().unwrap();
        assert_eq!((race.dropped.len(), race.unfounded.len()), (0, 1));
        assert_eq!(summary.decision.as_ref().unwrap().rounds, 7);
        let found = recommended(&summary);
        assert_eq!(found.design, "a/z");
        let in_vain = Doubt::DroppedInVain(vec!["a/y".to_owned()]);
        assert_eq!(found.doubts, [in_vain]);
        summary
    };
    revived(records.clone());
    without_key(&mut records, &["a/x", "a/z"]);
    let why = revived(records).decision.unwrap().questions[1]
        .left_out
        .clone();
    assert!(
        matches!(why, Some(WhyLeftOut::FailsEverywhere(_))),
        "{why:?}"
    );
}

#[test]
fn a_wrong_answer_of_a_twin_is_a_failure_and_a_doubt() {
    let instances = vec![Instance::twin("a/x")];
    let mut records = vec![Record::Instances { instances }];
    records.extend([measured("a/x", 1.0), measured("a/y", 2.0)].concat());
    records.push(answered("a/x#twin", "key", wrong()));
    let twin = summary(records.clone());
    assert_eq!(failed_tables(&twin), ["a/x#twin"]);
    let found = recommended(&twin);
    assert_eq!(
        (found.design.as_str(), found.certainty),
        ("a/x", Certainty::Likely)
    );
    let trouble = "a/x#twin gave no right answer to key".to_owned();
    assert_eq!(found.doubts, [Doubt::Troubles(vec![trouble])]);
    // What its design does as well is said once.
    records.push(answered("a/x", "key", wrong()));
    let both = summary(records);
    assert_eq!(failed_tables(&both), ["a/x"]);
    assert_eq!(recommended(&both).design, "a/y");
}

/// Two designs of which clients asked the faster one, got 100 right answers, and had this outcome with so many
/// further questions.
fn asked_by_clients(questions: u32, outcome: Outcome) -> Summary {
    let mut records = [measured("a/x", 1.0), measured("a/y", 2.0)].concat();
    records.push(Record::Concurrent(Box::new(Concurrent {
        design: "a/x".to_owned(),
        turn: Some(0),
        clients: 4,
        permutations: 10,
        seconds: 1.0,
        cpu: CpuSeconds::default(),
        queries: vec![ConcurrentQuery {
            query: "key".to_owned(),
            nanoseconds: vec![1_000_000; 100],
            seconds: None,
            agreed: None,
        }],
        bad: vec![BadQuestions {
            query: "key".to_owned(),
            questions,
            permutation: 3,
            outcome,
        }],
        unfinished: Vec::new(),
    })));
    summary(records)
}

#[test]
fn a_question_that_clients_got_no_answer_to_is_a_doubt_and_a_wrong_answer_excludes() {
    let reason = "time-out".to_owned();
    let missing = asked_by_clients(1, Outcome::Error { reason });
    assert_eq!(missing.failures().count(), 1);
    let found = recommended(&missing);
    assert_eq!(
        (found.design.as_str(), found.certainty),
        ("a/x", Certainty::Likely)
    );
    let trouble = "several clients got no answer to key".to_owned();
    assert_eq!(found.doubts, [Doubt::Troubles(vec![trouble])]);
    let wrong = asked_by_clients(1, wrong());
    assert_eq!(recommended(&wrong).design, "a/y");
}

#[test]
fn a_design_whose_clients_hardly_get_answers_is_excluded() {
    let reason = "refused".to_owned();
    let summary = asked_by_clients(3_500, Outcome::Error { reason });
    assert_eq!(recommended(&summary).design, "a/y");
    let decision = summary.decision.as_ref().unwrap();
    let why = decision.design("a/x").unwrap().out.as_ref();
    assert!(
        matches!(why, Some(WhyOut::FailedQuestion { .. })),
        "{why:?}"
    );
}

#[test]
fn a_run_that_has_asked_nothing_is_told_from_one_without_right_answers() {
    let tables = ["a/x", "a/y"].map(|table| vec![loaded(table, 0, 1.0), footprint(table, 500)]);
    let loaded = tables.concat();
    let why = |records: Vec<Record>| {
        let mut records = run(records);
        if let Some(Record::Started(header)) = records.first_mut() {
            header.scale.full_rows = 1_000_000;
        }
        records.retain(|record| !matches!(record, Record::Finished { .. }));
        let summary = Summary::from_records(&records).unwrap();
        let decision = summary.decision.unwrap();
        (
            decision.no_forecast.unwrap(),
            decision.recommendation.is_some(),
        )
    };
    // Its loading alone recommends nothing.
    let expected = "no question has been asked yet".to_owned();
    assert_eq!(why(loaded.clone()), (expected, false));
    let mut failed = loaded;
    for (design, query) in [
        ("a/x", "scan"),
        ("a/x", "key"),
        ("a/y", "scan"),
        ("a/y", "key"),
    ] {
        let reason = "refused".to_owned();
        failed.push(timed_as(design, query, 0.1, Outcome::Error { reason }));
    }
    let expected = "no design answers any question".to_owned();
    assert_eq!(why(failed), (expected, false));
}

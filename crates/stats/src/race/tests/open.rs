//! Questions that the rungs leave open, on records whose truth is known.

use super::*;
use crate::Summary;
use crate::compare::Claim;

/// As good as the best one by key, and worse by everything else.
const UNEVEN: Truth = Truth {
    scan: 20.0,
    key: 1.0,
    ..BAD
};

fn found(records: &[Record]) -> Vec<Claim> {
    claims(records, &[1_000, 4_000]).unwrap()
}

/// Returns the records of a race that asked its open question of a design like this, in tables of so many rows.
fn opened(at_full: Truth, rows: u64) -> Vec<Record> {
    let mut records = climbed(&[GOOD, UNEVEN], |d| d);
    let claims = found(&records);
    records.push(Record::OpenQuestions { claims });
    for truth in [GOOD, at_full] {
        let rounds = OPEN_ROUND..OPEN_ROUND + RUNG_ROUNDS;
        let own = table(truth, truth.design, rows, rounds, 0.05);
        let is_asked = |r: &Record| !matches!(r, Record::Timed(t) if t.query == "scan");
        records.extend(own.into_iter().filter(is_asked));
    }
    records
}

#[test]
fn a_design_that_is_beaten_in_all_but_a_question_is_claimed_to_be_beaten_there_too() {
    let claims = found(&climbed(&[GOOD, UNEVEN], |d| d));
    let [claim] = &claims[..] else {
        panic!("{claims:?}");
    };
    assert_eq!((&*claim.design, &*claim.by), ("a/y", "a/x"));
    assert_eq!(claim.questions, ["key"]);
    let names: Vec<&str> = claim.beaten.iter().map(|b| b.objective.as_str()).collect();
    assert_eq!(names, ["time", "storage", "loading", "scan"]);
    assert!(claim.beaten.iter().all(|beaten| beaten.rows == Some(4_000)));
}

#[test]
fn designs_that_are_dropped_or_better_by_more_than_a_few_questions_are_in_no_claim() {
    let mut records = climbed(&[GOOD, BAD], |d| d);
    assert!(found(&records).is_empty(), "nothing is open");
    let small = Truth {
        storage: 400,
        ..UNEVEN
    };
    let quick = Truth {
        scan: 1.0,
        ..UNEVEN
    };
    for design in [small, quick] {
        assert!(found(&climbed(&[GOOD, design], |d| d)).is_empty());
    }
    records = climbed(&[GOOD, UNEVEN], |d| d);
    let dropped = drops(&climbed(&[GOOD, BAD], |d| d), &[1_000, 4_000]).unwrap();
    let dropped = dropped.into_iter().map(|d| Record::Dropped(Box::new(d)));
    records.extend(dropped);
    assert!(found(&records).is_empty());
    records.push(Record::Returned {
        design: "a/y".to_owned(),
    });
    assert_eq!(found(&records).len(), 1);
}

#[test]
fn a_design_that_is_beaten_in_its_open_question_is_dropped_with_all_figures() {
    let bad = Truth { key: 7.0, ..UNEVEN };
    let found = open_drops(&opened(bad, 10_000)).unwrap();
    let [dropped] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((&*dropped.design, &*dropped.by), ("a/y", "a/x"));
    assert_eq!((dropped.rows, dropped.rounds), (10_000, Some(RUNG_ROUNDS)));
    assert!(!dropped.at_rung && dropped.is_by_open_questions());
    let beaten = dropped.beaten_at();
    let [(10_000, own), (4_000, at_rung)] = &beaten[..] else {
        panic!("{beaten:?}");
    };
    assert_eq!((own.len(), own[0].objective.as_str()), (1, "key"));
    assert!((own[0].times - 7.0).abs() < 1.0 && own[0].at_least > 1.0);
    assert_eq!(at_rung.len(), 4);
}

#[test]
fn an_open_question_that_is_not_shown_keeps_its_design() {
    let near = Truth { key: 1.8, ..UNEVEN };
    assert!(open_drops(&opened(near, 10_000)).unwrap().is_empty());
    let bad = Truth { key: 7.0, ..UNEVEN };
    let no_more_than_the_rung = opened(bad, 4_000);
    assert!(open_drops(&no_more_than_the_rung).unwrap().is_empty());
    let mut failed_since = opened(bad, 10_000);
    failed_since.push(failed("a/x", Step::Measure, None, "gone"));
    assert!(open_drops(&failed_since).unwrap().is_empty());
    let mut few = opened(bad, 10_000);
    few.retain(|r| !matches!(r, Record::Timed(t) if t.round >= OPEN_ROUND + 4));
    assert!(open_drops(&few).unwrap().is_empty());
    assert!(open_drops(&run(Vec::new())).unwrap().is_empty());
    assert!(open_drops(&[]).is_err(), "no header");
}

#[test]
fn times_of_open_questions_are_in_no_figure_and_their_wrong_answers_are() {
    let mut records = opened(UNEVEN, 10_000);
    let key = |records: &[Record]| {
        let summary = Summary::from_records(records).unwrap();
        let design = summary.design("a/x").unwrap();
        let failures = design.failures.iter().map(|f| f.reason.clone());
        let failures: Vec<String> = failures.collect();
        (design.query("key").unwrap().time, failures)
    };
    assert_eq!(key(&records), (None, Vec::new()));
    let first = records.iter_mut().find_map(|record| match record {
        Record::Timed(timing) if timing.round >= OPEN_ROUND => Some(timing),
        _ => None,
    });
    first.unwrap().outcome = wrong();
    let (time, failures) = key(&records);
    assert_eq!((time, failures.len()), (None, 1));
    assert!(failures[0].ends_with("(1 of 8 rounds)"), "{failures:?}");
}

#[test]
fn a_replayed_race_drops_by_open_questions() {
    let mut records = exhaustive(&[GOOD, UNEVEN], 12);
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.design == "a/y"
            && timing.query == "key"
        {
            timing.seconds *= 7.0;
        }
    }
    let races = [Played::AsItWas, Played::WithoutSmaller];
    let races = races.map(|played| replay(&records, 0, played).unwrap());
    for race in &races {
        assert_eq!((race.recommended.as_str(), race.regret), ("a/x", 0.0));
        assert_eq!(race.dropped.len(), 1);
        assert!(race.dropped[0].is_by_open_questions(), "{race:?}");
        assert!(race.seconds < race.all_seconds);
    }
    let [as_it_was, without_smaller] = races;
    assert!(without_smaller.seconds < as_it_was.seconds);
    assert!(without_smaller.all_seconds < as_it_was.all_seconds);
}

//! Findings about statements of known truth.

mod loads;

use super::*;
use crate::compare::testing::{
    answered, created, failed, footprint, loaded, run, timed, timed_as, wrong,
};
use crate::{Outcome, Record, Step, Timing};

/// Times of a query in as many rounds, each with noise of its own of a hundredth.
fn rounds(design: &str, query: &str, seconds: f64, shift: usize, number: usize) -> Vec<Record> {
    let steps = [0.0, 0.01, -0.01, 0.005, -0.005, 0.008, -0.008];
    let of_round = |round: usize| {
        let seconds = seconds * (1.0 + steps[(round * 3 + shift) % 7]);
        match timed(design, query, seconds) {
            Record::Timed(timing) => Record::Timed(Timing {
                round: round as u32,
                ..timing
            }),
            record => record,
        }
    };
    (0..number).map(of_round).collect()
}

/// A run of two designs: a/y takes ten times as long, and four times the bytes.
fn ten_times(number: usize) -> Vec<Record> {
    let tables = ["a/x", "a/y"].into_iter().zip([1_000, 4_000]);
    let tables = tables.flat_map(|(design, bytes)| {
        let slices = (0..6).map(move |slice| loaded(design, slice, 0.1));
        let made = std::iter::once(created(design)).chain(slices);
        made.chain([footprint(design, bytes)])
    });
    let times = [
        rounds("a/x", "scan", 1.0, 0, number),
        rounds("a/y", "scan", 10.0, 1, number),
        rounds("a/y", "key", 0.1, 2, number),
    ];
    run(tables.chain(times.concat()))
}

fn step(records: &[Record]) -> StepResult {
    StepResult {
        name: "designs".to_owned(),
        what: "all designs".to_owned(),
        command: "bakeoff run w.toml".to_owned(),
        measured: Some(Measured::Run(Box::new(
            Summary::from_records(records).unwrap(),
        ))),
        failed: None,
    }
}

fn query(name: &str, design: &str) -> FigureOf {
    of(Figure::Query(name.to_owned()), design)
}

fn of(figure: Figure, design: &str) -> FigureOf {
    FigureOf {
        figure,
        design: design.to_owned(),
    }
}

fn claim(of: FigureOf, to: Option<FigureOf>, bounds: [Option<f64>; 2]) -> Claim {
    let [at_least, at_most] = bounds;
    Claim {
        text: "It is so.".to_owned(),
        published: None,
        why: None,
        comparison: Some(Comparison {
            step: "designs".to_owned(),
            of,
            to,
            at_least,
            at_most,
        }),
    }
}

fn study(claims: Vec<Claim>) -> Study {
    Study {
        name: "s9".to_owned(),
        title: String::new(),
        author: String::new(),
        year: 2016,
        publication: String::new(),
        url: String::new(),
        question: String::new(),
        method: Vec::new(),
        claims,
    }
}

fn scan_ratio(bounds: [Option<f64>; 2]) -> Claim {
    let (slow, fast) = (query("scan", "a/y"), query("scan", "a/x"));
    claim(slow, Some(fast), bounds)
}

#[test]
fn a_ratio_is_judged_by_its_interval() {
    let claims = vec![
        scan_ratio([Some(5.0), Some(20.0)]),
        scan_ratio([Some(1.0), None]),
        scan_ratio([Some(15.0), None]),
        scan_ratio([None, Some(2.0)]),
        scan_ratio([Some(10.0), None]),
        // One design, two questions.
        claim(
            query("scan", "a/y"),
            Some(query("key", "a/y")),
            [Some(50.0), None],
        ),
    ];
    let study = study(claims);
    let judged = study.judge(&[step(&ten_times(7))]);
    let ratio = judged[0].value.unwrap();
    assert!((9.8..10.2).contains(&ratio.value), "{ratio:?}");
    let (low, high) = ratio.interval.unwrap();
    assert!(
        9.0 < low && low < 10.0 && 10.0 < high && high < 11.0,
        "{ratio:?}"
    );
    assert_eq!(ratio.observations, 7);
    let findings: Vec<&Finding> = judged.iter().map(|judged| &judged.finding).collect();
    assert_eq!(findings[..2], [&Finding::Holds, &Finding::Holds]);
    assert_eq!(
        findings[2..4],
        [&Finding::DoesNotHold, &Finding::DoesNotHold]
    );
    assert!(matches!(findings[4], Finding::NotSettled(_)), "{judged:?}");
    assert_eq!(findings[5], &Finding::Holds);
    let tally = Tally::of(&judged);
    assert_eq!((tally.holds, tally.does_not_hold), (3, 2));
    assert_eq!((tally.not_settled, tally.not_measured), (1, 0));
}

#[test]
fn below_five_rounds_nothing_is_settled_whatever_the_ratio() {
    let study = study(vec![scan_ratio([Some(5.0), Some(20.0)])]);
    let judged = study.judge(&[step(&ten_times(4))]);
    assert_eq!(
        judged[0].finding,
        Finding::NotSettled("4 of at least 5 rounds".to_owned())
    );
    assert_eq!(judged[0].value.unwrap().interval, None);
}

#[test]
fn the_more_statements_the_wider_are_their_intervals() {
    let width = |number: usize| {
        let study = study(vec![scan_ratio([Some(1.0), None]); number]);
        let judged = study.judge(&[step(&ten_times(7))]);
        let (low, high) = judged[0].value.unwrap().interval.unwrap();
        high - low
    };
    assert!(width(1) < width(10));
}

#[test]
fn what_is_counted_needs_no_rounds() {
    let storage = |design| of(Figure::Storage, design);
    let study = study(vec![
        claim(storage("a/y"), Some(storage("a/x")), [Some(3.9), Some(4.1)]),
        claim(storage("a/y"), Some(storage("a/x")), [Some(7.0), None]),
        claim(storage("a/x"), None, [None, Some(2.0)]),
    ]);
    let judged = study.judge(&[step(&ten_times(1))]);
    let findings: Vec<&Finding> = judged.iter().map(|judged| &judged.finding).collect();
    assert_eq!(
        findings,
        [&Finding::Holds, &Finding::DoesNotHold, &Finding::Holds]
    );
    let value = judged[0].value.unwrap();
    assert_eq!((value.interval, value.observations), (Some((4.0, 4.0)), 0));
}

#[test]
fn loading_is_compared_by_intervals_that_do_not_overlap() {
    let load = |design| of(Figure::Load, design);
    let study = study(vec![
        claim(load("a/x"), Some(load("a/y")), [Some(0.5), Some(2.0)]),
        claim(load("a/x"), Some(load("a/y")), [Some(3.0), None]),
    ]);
    let judged = study.judge(&[step(&ten_times(1))]);
    assert_eq!(judged[0].finding, Finding::Holds, "{judged:?}");
    assert_eq!(judged[1].finding, Finding::DoesNotHold, "{judged:?}");
}

#[test]
fn what_is_missing_is_not_measured_and_says_why() {
    let mut failing = ten_times(7);
    failing.push(Record::Failed {
        design: "memory".to_owned(),
        step: Step::Load,
        query: None,
        reason: "no room".to_owned(),
    });
    let steps = [step(&failing)];
    let reason = |claim: Claim| match study(vec![claim]).judge(&steps).remove(0).finding {
        Finding::NotMeasured(reason) => reason,
        finding => panic!("{finding:?}"),
    };
    let bounds = [Some(1.0), None];
    let scan = || Some(query("scan", "a/x"));
    assert_eq!(
        reason(claim(query("scan", "memory"), scan(), bounds)),
        "memory: no room"
    );
    assert_eq!(
        reason(claim(query("scan", "a/z"), scan(), bounds)),
        "a/z was not measured"
    );
    assert_eq!(
        reason(claim(query("key", "a/x"), scan(), bounds)),
        "a/x has no time for key"
    );
    let unmeasured = Claim {
        comparison: None,
        ..scan_ratio(bounds)
    };
    assert_eq!(reason(unmeasured), "nothing here measures it");
    let nothing = study(vec![scan_ratio(bounds)]).judge(&[]).remove(0);
    let words = Finding::NotMeasured("the step designs has no figures".to_owned());
    assert_eq!((nothing.finding, nothing.value), (words, None));
}

/// Judges the times of the scan, the sizes and the loading of a/y and a/x, and the time of a/y's other query.
fn with(failure: Record) -> Vec<Finding> {
    let mut records = ten_times(7);
    records.push(failure);
    let ratio = |figure: Figure| {
        let (one, other) = (of(figure.clone(), "a/y"), of(figure, "a/x"));
        claim(one, Some(other), [Some(0.001), Some(1_000.0)])
    };
    let study = study(vec![
        scan_ratio([Some(0.001), Some(1_000.0)]),
        ratio(Figure::Storage),
        ratio(Figure::Load),
        claim(query("key", "a/y"), None, [None, Some(1_000.0)]),
    ]);
    let judged = study.judge(&[step(&records)]).into_iter();
    judged.map(|judged| judged.finding).collect()
}

#[test]
fn figures_of_a_design_that_failed_or_answered_wrongly_decide_nothing() {
    let unmeasured = |reason: &str| Finding::NotMeasured(reason.to_owned());
    // Its server died after the rounds.
    let all = unmeasured("a/y: gone");
    assert_eq!(
        with(failed("a/y", Step::Measure, None, "gone")),
        [all.clone(), all.clone(), all.clone(), all]
    );
    // One of eight answers was wrong: who knows which rows the table has?
    let reason = "a/y, scan: wrong answer: row 1: 2 instead of 3 (1 of 8 rounds)";
    let doubtful = unmeasured(reason);
    let found = with(timed_as("a/y", "scan", 1.0, wrong()));
    assert_eq!(
        found,
        [doubtful.clone(), doubtful.clone(), doubtful, Finding::Holds]
    );
    // A missing answer says nothing about the table, nor about another query.
    let missing = Outcome::Error {
        reason: "timed out".to_owned(),
    };
    let found = with(timed_as("a/y", "scan", 1.0, missing));
    assert!(matches!(&found[0], Finding::NotMeasured(reason) if reason.contains("timed out")));
    assert_eq!(found[1..], [Finding::Holds, Finding::Holds, Finding::Holds]);
}

/// Judges whether answers of a/y to the scan came, after further records.
fn came(further: Vec<Record>) -> Judged {
    let mut records = ten_times(0);
    records.extend(further);
    let came = of(Figure::Answered("scan".to_owned()), "a/y");
    let study = study(vec![claim(came, None, [None, Some(0.5)])]);
    study.judge(&[step(&records)]).remove(0)
}

/// Checks that nothing is known of the answers, for a reason with these words.
#[track_caller]
fn unmeasured(further: Vec<Record>, words: &str) {
    let found = came(further);
    let Finding::NotMeasured(reason) = &found.finding else {
        panic!("{found:?}");
    };
    assert!(reason.contains(words), "{reason}");
}

/// What is said of a question that Cassandra gave up.
const GIVEN_UP: &str = "0 of 1 copies answered in the time that the server waits for them: look at the load (Operation \
                        timed out - received only 0 responses.)";

fn error(reason: &str) -> Outcome {
    Outcome::Error {
        reason: reason.to_owned(),
    }
}

#[test]
fn answers_that_do_not_come_are_counted_and_wrong_ones_are_not() {
    let missing = || error(GIVEN_UP);
    let right = || Outcome::Right { rows: 1 };
    let value = |judged: &Judged| judged.value.map(|value| (value.value, value.interval));
    let none = came(vec![answered("a/y", "scan", missing())]);
    assert_eq!(none.finding, Finding::Holds);
    assert_eq!(value(&none), Some((0.0, Some((0.0, 0.0)))));
    let mut all = vec![answered("a/y", "scan", right())];
    all.extend(rounds("a/y", "scan", 1.0, 0, 3));
    let found = came(all.clone());
    assert_eq!(found.finding, Finding::DoesNotHold);
    assert_eq!(value(&found), Some((1.0, Some((1.0, 1.0)))));
    // One of four rounds had no answer.
    all.push(timed_as("a/y", "scan", 1.0, missing()));
    let found = came(all);
    assert_eq!(value(&found), Some((0.75, Some((0.75, 0.75)))));
    unmeasured(vec![answered("a/y", "scan", wrong())], "wrong answer");
    // It came when answers were compared, and not while warming up.
    let at_first = vec![
        answered("a/y", "scan", right()),
        answered("a/y", "scan", missing()),
    ];
    unmeasured(at_first, "Operation timed out");
    unmeasured(vec![failed("a/y", Step::Measure, None, "gone")], "gone");
    unmeasured(Vec::new(), "was not asked scan");
}

#[test]
fn only_an_answer_that_the_server_gave_up_has_not_come() {
    for reason in [
        "no such column",
        "the connection was closed",
        "Connection timed out (os error 110)",
        "it did not end within 600s",
    ] {
        unmeasured(vec![answered("a/y", "scan", error(reason))], reason);
    }
    // The server ended while it was asked.
    let ended = failed("a/y", Step::Measure, None, "the server ended");
    let given_up = answered("a/y", "scan", error(GIVEN_UP));
    unmeasured(vec![given_up, ended], "the server ended");
    let gone = "Operation timed out; node1 is gone";
    let given_up = answered("a/y", "scan", error("Operation timed out"));
    let gone = failed("a/y", Step::Verify, Some("scan"), gone);
    unmeasured(vec![given_up, gone], "Operation timed out");
    // Of two rounds without an answer one failed for another reason.
    let mut rounds = rounds("a/y", "scan", 1.0, 0, 3);
    for reason in [GIVEN_UP, "the connection was closed"] {
        rounds.push(timed_as("a/y", "scan", 1.0, error(reason)));
    }
    unmeasured(rounds, "2 of 5 rounds");
}

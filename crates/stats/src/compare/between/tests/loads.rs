//! Two loads are compared by what each measured in its rounds.

use super::super::{
    Between, Caution, FailIf, Failing, Gate, Measured, Obstacle, Shown, Unknown, What, Worse,
};
use crate::drive::testing::{ASecond, DESIGN, finish, folder, header, start, summary, write_trial};
use crate::drive::{DriveHeader, DriveSummary, FoundRate, NodeAdded, RateEstimate};
use crate::{FailureKind, Profile, ServerSample, Stacks, Tally};

/// Rounds of a design with so many reads and as many inserts a second, each of which took about so long.
struct Drawn {
    rounds: u32,
    reads: u64,
    response_ns: u64,
}

const DRAWN: Drawn = Drawn {
    rounds: 7,
    reads: 60,
    response_ns: 4_000_000,
};

/// Makes equal seconds with so many reads and inserts each, every one of which took so long.
pub fn seconds(reads: u64, response_ns: u64, failed: u64) -> Vec<ASecond> {
    let mut tally = Tally::default();
    for _ in 0..reads {
        tally.record(response_ns, response_ns);
    }
    (tally.rows, tally.bytes) = (reads, reads * 100);
    tally.failures[FailureKind::TimedOut as usize] = failed;
    let second = || (vec![tally.clone(), tally.clone()], ServerSample::default());
    (0..20).map(|_| second()).collect()
}

fn load_of(header: &DriveHeader, drawn: &Drawn, failed: u64) -> DriveSummary {
    let dir = folder(header, |log| {
        for round in 1..=drawn.rounds {
            // Rounds differ by some thousandths.
            let response = drawn.response_ns + u64::from(round % 3) * drawn.response_ns / 500;
            let seconds = seconds(drawn.reads, response, failed);
            write_trial(log, &start(round, DESIGN, round), &seconds, true);
        }
        finish(log);
    });
    summary(dir.path())
}

fn load(drawn: &Drawn) -> Measured {
    Measured::of_load("load", &load_of(&header(), drawn, 0))
}

/// A load of seven rounds, with a rate and times.
pub fn a_load() -> Measured {
    load(&DRAWN)
}

/// Returns the names of the figures that are certain to be worse.
pub fn fails(found: &Between, worse: Worse, limit: f64) -> Vec<String> {
    match found.fail_if(&[FailIf { worse, limit }]) {
        Failing::Worse { certain } => {
            let named = certain.iter().filter_map(|c| c.what.as_ref());
            named.map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn equal_loads_are_the_same_in_every_figure() {
    let found = Between::of_measured(&load(&DRAWN), &load(&DRAWN), None);
    assert_eq!(found.obstacles, []);
    let names: Vec<String> = found.changes.iter().map(|c| c.what.to_string()).collect();
    let expected = [
        "operations",
        "read mean",
        "read p50",
        "read p95",
        "read p99",
        "insert mean",
        "insert p50",
        "insert p95",
        "insert p99",
    ];
    assert_eq!(names, expected);
    assert_eq!(found.count(Shown::Same), 9, "{:?}", found.changes);
    assert_eq!(found.fail_if_slower(0.05), Gate::NotSlower);
    let bytes = found
        .counted
        .iter()
        .find(|c| c.what == "read bytes of values each");
    assert_eq!(bytes.map(|c| c.a == c.b && c.a.is_some()), Some(true));
}

#[test]
fn times_and_rates_that_are_worse_fail_by_their_own_conditions() {
    let slower = Drawn {
        reads: 40,
        response_ns: 6_000_000,
        ..DRAWN
    };
    // Fewer reads, so that each round has enough of them for a p99 in A only.
    let found = Between::of_measured(&load(&DRAWN), &load(&slower), None);
    assert_eq!(fails(&found, Worse::RateLower, 0.3), ["operations"]);
    assert!(fails(&found, Worse::RateLower, 0.4).is_empty());
    let times = fails(&found, Worse::Slower, 0.4);
    let expected = ["read mean", "read p50", "read p95"];
    assert_eq!(times[..3], expected, "{times:?}");
    let absent: Vec<(String, Unknown)> = { found.absent.iter() }
        .map(|absent| (absent.what.to_string(), absent.why))
        .collect();
    let lost = |name: &str| (name.to_owned(), Unknown::NotMeasured);
    assert_eq!(absent, [lost("read p99"), lost("insert p99")]);
    let Failing::NotComparable { why } = found.fail_if(&[FailIf {
        worse: Worse::Slower,
        limit: 9.0,
    }]) else {
        panic!("{found:?}");
    };
    assert_eq!(why[0], "B does not measure read p99 with a/x");
}

#[test]
fn few_rounds_show_nothing() {
    let few = Drawn { rounds: 3, ..DRAWN };
    let found = Between::of_measured(&load(&few), &load(&DRAWN), None);
    assert_eq!(found.count(Shown::CannotTell), 9);
    assert!(
        found
            .changes
            .iter()
            .all(|c| c.unknown == Some(Unknown::FewRounds))
    );
    assert!(matches!(
        found.cautions[0],
        Caution::FewRounds { rounds: 3, .. }
    ));
    let outcome = found.fail_if(&[FailIf {
        worse: Worse::Slower,
        limit: 0.1,
    }]);
    assert_eq!(outcome, Failing::NotShown { open: 8 });
}

#[test]
fn only_the_figures_that_are_asked_for_are_compared() {
    let (a, b) = (load(&DRAWN), load(&DRAWN));
    assert_eq!(Between::figures_of_measured(&a, &b).len(), 9);
    let found = Between::of_measured(&a, &b, Some(vec!["read p99".to_owned()]));
    assert_eq!(found.changes.len(), 1);
    assert_eq!(found.changes[0].what, What::Time("read p99".to_owned()));
}

#[test]
fn loads_of_different_kinds_have_no_figures_in_common() {
    let search = DriveHeader {
        objective: Some("p99<10ms".to_owned()),
        ..header()
    };
    let search = Measured::of_load("search", &load_of(&search, &DRAWN, 0));
    let found = Between::of_measured(&load(&DRAWN), &search, None);
    assert_eq!(
        found.obstacles[0].to_string(),
        "A is a load as fast as it goes, B a search for the highest rate within p99<10ms"
    );
    let other = DriveHeader {
        workload_text: "[table]\nname = \"other\"".to_owned(),
        ..header()
    };
    let other = Measured::of_load("other", &load_of(&other, &DRAWN, 0));
    let found = Between::of_measured(&load(&DRAWN), &other, None);
    assert_eq!(found.obstacles, [Obstacle::Table]);
}

#[test]
fn other_rows_and_another_mix_are_told_and_another_operation_is_left_out() {
    let mut changed = DriveHeader {
        rows: 2_000,
        ..header()
    };
    changed.operations[0].weight_percent = 75.0;
    changed.operations[1].action = "insert two rows".to_owned();
    let changed = Measured::of_load("changed", &load_of(&changed, &DRAWN, 0));
    let found = Between::of_measured(&load(&DRAWN), &changed, None);
    let told: Vec<String> = found.cautions.iter().map(ToString::to_string).collect();
    let expected = [
        "insert is another operation in B, and is not compared",
        "rows: A has 1000, B 2000",
        "mix: A has read 50%, insert 50%, B read 75%, insert 50%",
    ];
    assert_eq!(told, expected);
    assert_eq!(found.changes.len(), 5);
    assert!(
        found
            .absent
            .iter()
            .all(|absent| absent.why == Unknown::NoQuestion)
    );
    assert_eq!(found.absent.len(), 4);
}

#[test]
fn what_slowed_one_of_two_loads_is_told() {
    let mut slowed = load_of(&header(), &DRAWN, 0);
    slowed.nodes_added.push(NodeAdded {
        trial: 1,
        design: DESIGN.to_owned(),
        began: 60.2,
        ended: Some(99.0),
        failed: None,
        streamed_bytes: None,
        parts: Vec::new(),
    });
    let file = "profiles/1.folded".to_owned();
    let profile = Profile::new(DESIGN, Some(1), 20.0, &Stacks::default(), file);
    slowed.profiles.push(profile);
    let slowed = Measured::of_load("slowed", &slowed);
    let found = Between::of_measured(&load(&DRAWN), &slowed, None);
    let told: Vec<String> = found.cautions.iter().map(ToString::to_string).collect();
    let expected = [
        "nodes added meanwhile: A has none, B one after 60 s",
        "methods recorded meanwhile: A has none, B those of the servers",
    ];
    assert_eq!(told, expected);
}

#[test]
fn failed_operations_are_told_and_counted() {
    let failing = Measured::of_load("failing", &load_of(&header(), &DRAWN, 1));
    let found = Between::of_measured(&load(&DRAWN), &failing, None);
    let failed = found
        .cautions
        .iter()
        .find(|c| matches!(c, Caution::Failed { .. }));
    assert!(failed.is_some(), "{:?}", found.cautions);
    let counted = found.counted.iter().find(|c| c.what == "read failed");
    assert!(counted.is_some_and(|counted| counted.a != counted.b));
}

/// Searches in so many rounds, each of which found about this rate, with an interval of so many percent on each side.
fn search(rate: f64, percent: f64, rounds: u32) -> Measured {
    let header = DriveHeader {
        objective: Some("p99<10ms".to_owned()),
        ..header()
    };
    let mut summary = load_of(&header, &DRAWN, 0);
    let of_round = |round: u32| {
        // Rounds differ by some thousandths.
        let rate = rate * (1.0 + 0.002 * f64::from(round % 3));
        FoundRate {
            design: DESIGN.to_owned(),
            round,
            objective: "p99<10ms".to_owned(),
            rate: Some(rate),
            failed_at: Some(rate * 1.1),
            estimate: Some(RateEstimate {
                rate,
                low: rate / (1.0 + percent / 100.0),
                high: rate * (1.0 + percent / 100.0),
            }),
            probes: 12,
            why: "the interval is narrow enough".to_owned(),
        }
    };
    summary.designs[0].found = (1..=rounds).map(of_round).collect();
    Measured::of_load("search", &summary)
}

#[test]
fn one_search_has_an_interval_of_its_own_and_shows_nothing() {
    let found = Between::of_measured(&search(1_000.0, 2.0, 1), &search(800.0, 2.0, 1), None);
    assert_eq!(found.obstacles, []);
    assert_eq!(found.changes.len(), 1, "{:?}", found.changes);
    let change = &found.changes[0];
    assert_eq!(change.what, What::Rate("highest rate".to_owned()));
    assert!((change.ratio - 1.25).abs() < 1e-9);
    // The next search may differ by more than the loads of one of them tell.
    assert!(change.interval.is_some_and(|(low, _)| low > 1.1));
    assert_eq!(change.shown, Shown::CannotTell);
    assert_eq!(change.unknown, Some(Unknown::FewRounds));
    assert_eq!(change.at_most, None);
    assert!(fails(&found, Worse::RateLower, 0.1).is_empty());
    assert!(matches!(found.fail_if_slower(0.1), Gate::CannotTell { .. }));
    assert!(matches!(
        found.cautions[0],
        Caution::FewRounds { rounds: 1, .. }
    ));
}

#[test]
fn several_searches_are_compared_as_rounds_are() {
    let found = Between::of_measured(&search(1_000.0, 2.0, 7), &search(800.0, 2.0, 7), None);
    assert_eq!(found.changes[0].shown, Shown::Slower);
    assert_eq!(fails(&found, Worse::RateLower, 0.1), ["highest rate"]);
    // One of the two is not enough.
    let found = Between::of_measured(&search(1_000.0, 2.0, 7), &search(800.0, 2.0, 1), None);
    assert_eq!(found.changes[0].shown, Shown::CannotTell);
    assert!(fails(&found, Worse::RateLower, 0.1).is_empty());
}

//! Comparisons of runs that have few rounds, failures, twins or a baseline.

use super::super::super::Summary;
use super::super::{Difference, PairedComparison};
use crate::compare::testing::*;
use crate::compare::{Decide, Instance, Record};
use crate::decide::{Minimise, Rule};

/// Times of a query in the rounds from 0 on.
fn rounds(design: &str, seconds: &[f64]) -> Vec<Record> {
    let in_round = |(seconds, round): (&f64, u32)| match timed(design, "scan", *seconds) {
        Record::Timed(timing) => Record::Timed(crate::Timing { round, ..timing }),
        record => record,
    };
    seconds.iter().zip(0..).map(in_round).collect()
}

/// Seven rounds whose own noise is a hundredth.
fn seven(seconds: f64, shift: usize) -> Vec<f64> {
    let steps = [0.0, 0.01, -0.01, 0.005, -0.005, 0.008, -0.008];
    let parts = [1.0, 3.0, 0.5, 2.0, 1.5, 0.7, 1.1];
    let of = |round: usize| seconds * parts[round] * (1.0 + steps[(round * 3 + shift) % 7]);
    (0..7).map(of).collect()
}

fn compared(records: Vec<Record>) -> PairedComparison {
    Summary::from_records(&run(records)).unwrap().comparison
}

fn difference(comparison: &PairedComparison, design: &str) -> Difference {
    comparison.design("scan", design).unwrap().difference
}

#[test]
fn rounds_that_differ_by_their_parameters_still_tell_designs_apart() {
    let comparison =
        compared([rounds("a/x", &seven(1.0, 0)), rounds("a/y", &seven(1.2, 1))].concat());
    let query = comparison.query("scan").unwrap();
    assert_eq!(query.best.as_deref(), Some("a/x"));
    assert_eq!(difference(&comparison, "a/x"), Difference::Best);
    let other = comparison.design("scan", "a/y").unwrap();
    assert_eq!((other.difference, other.rounds), (Difference::Slower, 7));
    let (low, high) = other.interval.unwrap();
    assert!(
        1.05 < low && low < 1.2 && 1.2 < high && high < 1.3,
        "{low} {high}"
    );
}

#[test]
fn below_five_rounds_nothing_is_a_difference() {
    for number in [1, 2, 4] {
        let records = [
            rounds("a/x", &[1.0; 4][..number]),
            rounds("a/y", &[9.0; 4][..number]),
        ];
        let comparison = compared(records.concat());
        let other = comparison.design("scan", "a/y").unwrap();
        assert_eq!(other.difference, Difference::NotSettled, "{number}");
        assert_eq!(other.interval, None);
        assert!((other.ratio - 9.0).abs() < 1e-9);
        assert_eq!(difference(&comparison, "a/x"), Difference::NotSettled);
    }
}

#[test]
fn equal_times_are_the_same() {
    let comparison = compared([rounds("a/x", &[1.0; 7]), rounds("a/y", &[1.0; 7])].concat());
    assert_eq!(difference(&comparison, "a/x"), Difference::Best);
    assert_eq!(difference(&comparison, "a/y"), Difference::Same);
}

#[test]
fn a_yardstick_is_never_the_best_but_may_be_faster() {
    let records = [
        rounds("a/x", &seven(1.0, 0)),
        rounds("a/y", &seven(1.5, 1)),
        rounds("memory", &seven(0.1, 2)),
    ];
    let comparison = compared(records.concat());
    assert_eq!(
        comparison.query("scan").unwrap().best.as_deref(),
        Some("a/x")
    );
    assert_eq!(difference(&comparison, "memory"), Difference::Faster);
    let memory = comparison.design("scan", "memory").unwrap();
    assert!((memory.ratio - 0.1).abs() < 0.01, "{}", memory.ratio);
}

#[test]
fn only_common_rounds_are_paired() {
    let mut records = rounds("a/x", &seven(1.0, 0));
    let other = rounds("a/y", &seven(2.0, 1)).into_iter().enumerate();
    records.extend(other.map(|(round, record)| match record {
        Record::Timed(timing) if round < 3 => timed_as("a/y", "scan", timing.seconds, wrong()),
        record => record,
    }));
    let comparison = compared(records);
    let other = comparison.design("scan", "a/y").unwrap();
    assert_eq!(
        (other.rounds, other.difference),
        (4, Difference::NotSettled)
    );
    assert!((other.ratio - 2.0).abs() < 0.1, "{}", other.ratio);
    assert_eq!(other.interval, None);
}

#[test]
fn times_of_nothing_and_no_rounds_are_compared_with_nothing() {
    let none = compared(Vec::new());
    assert_eq!((none.twins, none.queries[0].best.as_ref()), (None, None));
    let zero = compared([rounds("a/x", &[0.0; 7]), rounds("a/y", &seven(1.0, 0))].concat());
    assert_eq!(zero.query("scan").unwrap().best.as_deref(), Some("a/y"));
    assert!(zero.design("scan", "a/x").is_none());
    let mut some = seven(1.0, 0);
    some[2] = 0.0;
    some[3] = f64::NAN;
    let some = compared([rounds("a/x", &some), rounds("a/y", &seven(2.0, 0))].concat());
    assert!(
        some.design("scan", "a/x").is_none(),
        "not all times are numbers"
    );
}

#[test]
fn one_design_is_the_best_of_itself() {
    let comparison = compared(rounds("a/x", &seven(1.0, 0)));
    let one = comparison.design("scan", "a/x").unwrap();
    assert_eq!(
        (one.difference, one.interval),
        (Difference::Best, Some((1.0, 1.0)))
    );
}

fn with_twin(factor: f64) -> Vec<Record> {
    let instances = vec![Instance::twin("a/x")];
    let times = [
        rounds("a/x", &seven(1.0, 0)),
        rounds("a/y", &seven(1.2, 1)),
        rounds("a/x#twin", &seven(factor, 2)),
    ];
    [vec![Record::Instances { instances }], times.concat()].concat()
}

#[test]
fn twins_that_differ_take_differences_back() {
    let equal = compared(with_twin(1.0));
    let query = equal.query("scan").unwrap();
    assert!(equal.twins.unwrap() < 0.01);
    assert_eq!(query.same_within, 0.05);
    assert!(query.smallest_difference.unwrap() < 0.15);
    assert_eq!(difference(&equal, "a/y"), Difference::Slower);
    let differing = compared(with_twin(1.3));
    let query = differing.query("scan").unwrap();
    assert!((differing.twins.unwrap() - 0.3).abs() < 0.02);
    assert!(query.same_within > 0.25, "{}", query.same_within);
    assert!(query.smallest_difference.unwrap() > 0.3);
    assert_eq!(difference(&differing, "a/y"), Difference::NotSettled);
}

#[test]
fn without_twins_the_floor_is_not_known() {
    let comparison = compared(rounds("a/x", &seven(1.0, 0)));
    let query = comparison.query("scan").unwrap();
    assert_eq!(
        (query.table_deviation, query.smallest_difference),
        (None, None)
    );
    let mut few = with_twin(1.0);
    few.retain(|r| !matches!(r, Record::Timed(t) if t.design == "a/x#twin" && t.round > 3));
    assert_eq!(compared(few).twins, None, "four rounds show no twins");
}

#[test]
fn the_baseline_has_a_ratio_of_its_own() {
    let times = [rounds("a/x", &seven(1.0, 0)), rounds("a/y", &seven(2.0, 1))];
    let mut records = run(times.concat());
    let Record::Started(header) = &mut records[0] else {
        unreachable!()
    };
    header.decide = Some(Decide {
        rule: Rule {
            is_stated: true,
            minimise: Minimise::Time,
            has_weights: false,
            limits: Vec::new(),
            same_within: 0.1,
            baseline: Some("a/y".to_owned()),
        },
        weights: vec![1.0; 2],
    });
    let comparison = Summary::from_records(&records).unwrap().comparison;
    assert_eq!(comparison.query("scan").unwrap().same_within, 0.1);
    let to_baseline = |design| {
        comparison
            .design("scan", design)
            .unwrap()
            .to_baseline
            .clone()
    };
    let faster = to_baseline("a/x").unwrap();
    assert_eq!(faster.difference, Difference::Faster);
    assert!((faster.ratio - 0.5).abs() < 0.02);
    assert_eq!(to_baseline("a/y"), None);
}

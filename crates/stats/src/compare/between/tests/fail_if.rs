//! Conditions under which a run fails, each only by a difference that is certain.

use super::*;

fn slower(factor: f64) -> Drawn {
    Drawn {
        seed: 7,
        factors: [1.0, factor],
        ..DRAWN
    }
}

fn condition(worse: Worse, limit: f64) -> FailIf {
    FailIf { worse, limit }
}

/// Figures that are certain to be worse.
fn certain(found: &Between, worse: Worse, limit: f64) -> Vec<String> {
    match found.fail_if(&[condition(worse, limit)]) {
        Failing::Worse { certain } => certain
            .iter()
            .map(|c| {
                c.what
                    .as_ref()
                    .map_or("bytes".to_owned(), ToString::to_string)
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn times_and_rates_of_loading_are_conditions_of_their_own() {
    let found = between(&DRAWN, &slower(1.5));
    assert_eq!(certain(&found, Worse::Slower, 0.1), ["scan", "key"]);
    // Two thirds of the rows a second.
    assert_eq!(certain(&found, Worse::RateLower, 0.1), ["loading"]);
    let Failing::Worse { certain } = found.fail_if(&[condition(Worse::RateLower, 0.1)]) else {
        panic!("{found:?}");
    };
    let (low, high) = certain[0].interval.unwrap();
    assert!(low <= certain[0].ratio && certain[0].ratio <= high && high < 0.9);
}

#[test]
fn a_limit_within_the_interval_does_not_fail() {
    let found = between(&DRAWN, &slower(1.1));
    let outcome = found.fail_if(&[condition(Worse::Slower, 0.1)]);
    assert!(
        matches!(outcome, Failing::NotShown { open } if open > 0),
        "{outcome:?}"
    );
    let equal = between(&DRAWN, &slower(1.0));
    let outcome = equal.fail_if(&[
        condition(Worse::Slower, 2.0),
        condition(Worse::RateLower, 0.9),
    ]);
    assert_eq!(outcome, Failing::NotShown { open: 0 });
}

#[test]
fn bytes_are_counted_so_that_they_need_no_interval() {
    let mut found = between(&DRAWN, &slower(1.0));
    found.storage = vec![StorageChange {
        design: "a/y".to_owned(),
        a: 100.0,
        b: 106.0,
        ratio: 1.06,
    }];
    assert_eq!(certain(&found, Worse::Larger, 0.05), ["bytes"]);
    assert!(certain(&found, Worse::Larger, 0.06).is_empty());
    let outcome = found.fail_if(&[condition(Worse::Larger, 0.1)]);
    assert_eq!(outcome, Failing::NotShown { open: 0 });
    found.storage.clear();
    let outcome = found.fail_if(&[condition(Worse::Larger, 0.1)]);
    let Failing::NotComparable { why } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(why, ["there are no bytes that both have"]);
}

#[test]
fn bytes_that_only_the_first_run_knows_do_not_pass() {
    let mut records = DRAWN.records();
    let is_of_y = |record: &Record| matches!(record, Record::Footprint(f) if f.design == "a/y");
    records.retain(|record| !is_of_y(record));
    let without = Summary::from_records(&records).unwrap();
    let whole = DRAWN.summary();
    let found = Between::of(("a", &whole), ("b", &without));
    assert_eq!(found.storage.len(), 1, "{:?}", found.storage);
    let outcome = found.fail_if(&[condition(Worse::Larger, 0.1)]);
    let Failing::NotComparable { why } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(why, ["the bytes of a/y are not known in B"]);
    // Nothing is lost where only B knows them.
    let found = Between::of(("a", &without), ("b", &whole));
    let outcome = found.fail_if(&[condition(Worse::Larger, 0.1)]);
    assert_eq!(outcome, Failing::NotShown { open: 0 });
}

#[test]
fn what_only_one_run_measured_cannot_be_compared() {
    let mut found = between(&DRAWN, &slower(1.0));
    found.missing.push(Missing {
        design: "a/y".to_owned(),
        query: "scan".to_owned(),
        side: Side::B,
    });
    let outcome = found.fail_if(&[condition(Worse::Slower, 0.5)]);
    let Failing::NotComparable { why } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(why, ["B has no time for scan with a/y"]);
    // It is nothing that this condition is about.
    let outcome = found.fail_if(&[condition(Worse::RateLower, 0.9)]);
    assert_eq!(outcome, Failing::NotShown { open: 0 });
    found.absent.push(Absent {
        design: "a/z".to_owned(),
        what: What::Query("scan".to_owned()),
        why: Unknown::NoDesign,
    });
    let outcome = found.fail_if(&[condition(Worse::RateLower, 0.9)]);
    let Failing::NotComparable { why } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(why, ["B has no a/z"]);
}

#[test]
fn runs_that_may_not_be_compared_say_why_and_a_difference_comes_first() {
    let other = with_header(&DRAWN, |header| header.seed += 1);
    let mut found = Between::of(("a", &DRAWN.summary()), ("b", &other));
    if found.obstacles.is_empty() {
        found.obstacles.push(Obstacle::NoCommonQuery);
    }
    let outcome = found.fail_if(&[condition(Worse::Slower, 0.1)]);
    assert!(
        matches!(outcome, Failing::NotComparable { .. }),
        "{outcome:?}"
    );
    let mut found = between(&DRAWN, &slower(1.5));
    found.storage.clear();
    let both = [condition(Worse::Larger, 0.1), condition(Worse::Slower, 0.1)];
    assert!(matches!(found.fail_if(&both), Failing::Worse { .. }));
}

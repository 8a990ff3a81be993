//! What a race must not conclude.

use super::*;
use crate::Summary;
use crate::decide::{Limit, LimitOf, Rule};

#[test]
fn a_second_rung_with_no_more_rows_than_the_first_one_drops_nothing() {
    let near = Truth { key: 1.7, ..BAD };
    let records = climbed(&[GOOD, near], |d| d);
    for rungs in [[4_000, 4_000], [4_000, 1_000]] {
        assert!(drops(&records, &rungs).unwrap().is_empty(), "{rungs:?}");
    }
}

#[test]
fn smaller_tables_that_a_race_did_not_begin_with_are_no_rungs() {
    let mut records = climbed(&[GOOD, BAD], |d| d);
    let instances = vec![Instance::smaller("a/x", 2_500)];
    records.push(Record::Instances { instances });
    let race = Summary::from_records(&records).unwrap().race.unwrap();
    assert_eq!(race.rungs, [1_000, 4_000]);
}

/// Two designs, of which the faster one breaks a limit in many of the resamples.
fn on_a_limit() -> Vec<Record> {
    let other = Truth {
        scan: 9.0,
        key: 0.5,
        ..BAD
    };
    let mut records = full(&[GOOD, other], 5, 0.1);
    let summary = Summary::from_records(&records).unwrap();
    let median = summary.designs[0].query("key").unwrap().time.unwrap();
    let Record::Started(header) = &mut records[0] else {
        panic!("no header");
    };
    let limit = Limit {
        text: "key < 10ms".to_owned(),
        of: LimitOf::Question {
            index: 1,
            quantile: None,
        },
        bound: 1.000_1 * median.median,
    };
    let rule = Rule {
        is_stated: true,
        minimise: Minimise::Time,
        has_weights: false,
        limits: vec![limit],
        same_within: 0.05,
        baseline: None,
    };
    let weights = vec![1.0, 1.0];
    header.decide = Some(crate::Decide { rule, weights });
    records
}

#[test]
fn a_race_goes_on_while_a_limit_may_be_broken() {
    let records = on_a_limit();
    let decision = Summary::from_records(&records).unwrap().decision.unwrap();
    let recommended = decision.recommendation.unwrap();
    assert_eq!(recommended.design, "a/x");
    assert!(recommended.is_unsure_of_limits(), "{recommended:?}");
    assert_eq!(recommended.expected_loss, Some(0.0));
    assert_eq!(look(&records).unwrap().stop, None);
}

#[test]
fn rounds_that_separate_two_designs_are_no_cure_for_a_limit() {
    let decision = Summary::from_records(&on_a_limit()).unwrap().decision;
    assert_eq!(decision.unwrap().recommendation.unwrap().more, None);
}

//! How many false positives of Bloom filters are a finding.

use super::cluster::{healthy, share};
use super::{Change, checked};
use crate::diagnose::{Outcome, diagnose};

#[test]
fn false_positives_that_are_few_or_as_many_as_the_table_allows_are_no_finding() {
    let cases: [Change; 4] = [
        |e| {
            share(e).bloom_false_positives = Some(99);
            share(e).bloom_false_ratio = Some(0.5);
        },
        // Of 10,000 looks, of which 100 may be false, by chance some more.
        |e| {
            share(e).bloom_false_positives = Some(120);
            share(e).bloom_false_ratio = Some(0.012);
        },
        |e| {
            e.tables[0].bloom_fp_chance = Some(0.1);
            share(e).bloom_false_ratio = Some(0.09);
        },
        |e| {
            share(e).bloom_false_positives = Some(0);
            share(e).bloom_false_ratio = Some(0.0);
        },
    ];
    for (place, change) in cases.into_iter().enumerate() {
        let mut evidence = healthy();
        change(&mut evidence);
        let diagnosis = diagnose(&evidence);
        let outcome = checked(&diagnosis, "bloom-filter");
        assert_eq!(*outcome, Outcome::Healthy, "case {place}");
    }
    // The schema may not tell what it allows.
    let mut evidence = healthy();
    evidence.tables[0].bloom_fp_chance = None;
    share(&mut evidence).bloom_false_ratio = Some(0.02);
    let diagnosis = diagnose(&evidence);
    let outcome = checked(&diagnosis, "bloom-filter");
    assert!(matches!(outcome, Outcome::Finding(_)), "{outcome:?}");
}

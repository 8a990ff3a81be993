//! How many false positives of Bloom filters are a finding.

use super::cluster::{healthy, share};
use super::{Change, checked};
use crate::diagnose::{Outcome, diagnose};

#[test]
fn false_positives_that_are_few_or_as_many_as_the_table_allows_are_no_finding() {
    let cases: [Change; 4] = [
        |e| {
            share(e).local_reads.count = Some(100);
            share(e).sstables = Some(1);
            share(e).bloom_false_positives = Some(99);
        },
        // Of at most 35,000 looks, of which 350 may be false, by chance some more.
        |e| share(e).bloom_false_positives = Some(400),
        |e| {
            e.tables[0].bloom_fp_chance = Some(0.1);
            share(e).bloom_false_positives = Some(3_000);
        },
        |e| share(e).bloom_false_positives = Some(0),
    ];
    for (place, change) in cases.into_iter().enumerate() {
        let mut evidence = healthy();
        change(&mut evidence);
        let diagnosis = diagnose(&evidence);
        let outcome = checked(&diagnosis, "bloom-filter");
        assert_eq!(*outcome, Outcome::Healthy, "case {place}");
    }
}

#[test]
fn a_table_whose_schema_does_not_tell_what_it_allows_has_the_default() {
    let mut evidence = healthy();
    evidence.tables[0].bloom_fp_chance = None;
    share(&mut evidence).bloom_false_positives = Some(450);
    let diagnosis = diagnose(&evidence);
    let Outcome::Finding(finding) = checked(&diagnosis, "bloom-filter") else {
        panic!("{diagnosis:?}");
    };
    let seen: Vec<f64> = finding.evidence.iter().map(|seen| seen.value).collect();
    assert_eq!(seen, [450.0, 35_000.0]);
}

#[test]
fn false_positives_of_an_unknown_number_of_looks_are_not_checked() {
    let mut evidence = healthy();
    for node in &mut evidence.nodes {
        node.tables[0].sstables = None;
        node.tables[0].bloom_false_positives = Some(1_000_000);
    }
    let diagnosis = diagnose(&evidence);
    let outcome = checked(&diagnosis, "bloom-filter");
    assert!(matches!(outcome, Outcome::NotChecked(_)), "{outcome:?}");
}

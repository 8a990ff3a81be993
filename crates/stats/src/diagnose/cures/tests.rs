//! Cures whose effect is known.

use super::*;
use crate::compare::testing::{created, footprint, loaded, run, timed, timed_as, wrong};
use crate::{Record, Timing};

/// Times of a query in seven rounds, each with noise of its own of a hundredth.
fn rounds(design: &str, query: &str, seconds: f64, shift: usize) -> Vec<Record> {
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
    (0..7).map(of_round).collect()
}

/// A run in which a/y answers one query in a tenth of the time of a/x, the other one in `key` times its time, and takes
/// four times the bytes.
fn measured(key: f64) -> Summary {
    Summary::from_records(&records(key)).unwrap()
}

fn records(key: f64) -> Vec<Record> {
    let tables = ["a/x", "a/y"].into_iter().zip([1_000, 4_000]);
    let tables = tables.flat_map(|(design, bytes)| {
        let slices = (0..6).map(move |slice| loaded(design, slice, 0.1));
        let made = std::iter::once(created(design)).chain(slices);
        made.chain([footprint(design, bytes)])
    });
    let times = [
        rounds("a/x", "scan", 10.0, 0),
        rounds("a/y", "scan", 1.0, 1),
        rounds("a/x", "key", 1.0, 2),
        rounds("a/y", "key", key, 3),
    ];
    run(tables.chain(times.concat()))
}

fn proposed(rule: &'static str, designs: &[&str]) -> Proposed {
    Proposed {
        rule,
        about: "ks.t".to_owned(),
        says: "chunks are long".to_owned(),
        designs: designs.iter().map(|id| (*id).to_owned()).collect(),
        not_tried: vec![NotTried {
            design: "a/z".to_owned(),
            why: "it does not suit".to_owned(),
        }],
    }
}

#[test]
fn a_cure_helps_where_something_is_faster_and_nothing_slower() {
    for (key, expected) in [
        (0.1, Helped::Helps),
        (1.0, Helped::Helps),
        (10.0, Helped::Mixed),
    ] {
        let asked = [proposed("chunk-length", &["a/y"])];
        let cures = Cures::new("a/x", &asked, Some(measured(key)), None);
        let tried = &cures.findings[0];
        assert_eq!(tried.designs[0].helped, expected, "{key}");
        assert_eq!(tried.is_helped(), expected == Helped::Helps);
    }
}

#[test]
fn a_design_that_answers_wrongly_does_not_help() {
    let mut records = records(0.1);
    records.push(timed_as("a/y", "key", 0.1, wrong()));
    let summary = Summary::from_records(&records).unwrap();
    let asked = [proposed("chunk-length", &["a/y"])];
    let cures = Cures::new("a/x", &asked, Some(summary), None);
    let design = &cures.findings[0].designs[0];
    assert_eq!(design.figures[0].change, Change::Faster);
    assert_eq!(design.helped, Helped::NotSettled, "{design:?}");
    assert!(!cures.findings[0].is_helped());
}

#[test]
fn a_cure_has_its_ratios_and_bytes_once_for_each_finding() {
    let asked = [
        proposed("chunk-length", &["a/y"]),
        proposed("tombstones", &["a/y"]),
    ];
    let cures = Cures::new("a/x", &asked, Some(measured(1.0)), None);
    assert_eq!(cures.present, "a/x");
    assert_eq!(cures.findings[0].designs, cures.findings[1].designs);
    let design = &cures.findings[1].designs[0];
    assert_eq!(
        (design.bytes_before, design.bytes_after),
        (Some(1_000), Some(4_000))
    );
    let [scan, key] = &design.figures[..] else {
        panic!("{:?}", design.figures);
    };
    assert_eq!(scan.figure, "time of the query scan");
    assert_eq!(scan.change, Change::Faster);
    let ratio = scan.ratio.unwrap();
    assert!((0.09..0.11).contains(&ratio), "{ratio}");
    let (low, high) = scan.interval.unwrap();
    assert!(low < ratio && ratio < high && high < 1.0, "{low} {high}");
    assert_eq!(key.change, Change::NotSettled);
    assert_eq!(cures.findings[0].not_tried[0].design, "a/z");
}

#[test]
fn what_was_not_measured_is_not_settled_either() {
    let asked = [proposed("chunk-length", &["a/absent"])];
    let cures = Cures::new("a/x", &asked, Some(measured(1.0)), None);
    let design = &cures.findings[0].designs[0];
    assert_eq!(design.helped, Helped::NotMeasured);
    assert!(
        matches!(&design.figures[0].change, Change::NotMeasured(why) if why.contains("a/absent")),
        "{design:?}"
    );
    assert_eq!(design.bytes_after, None);
    // A measurement that never began has no figures at all.
    let cures = Cures::new("a/x", &asked, None, None);
    assert_eq!(cures.findings[0].designs[0].helped, Helped::NotMeasured);
    assert!(cures.findings[0].designs[0].figures.is_empty());
}

//! Two designs of known figures, and pairs that are refused.

use super::*;
use crate::compare::testing::*;
use crate::compare::{Outcome, Record, Step, Timing};
use crate::{Header, Prices};

/// Answers in seven rounds, within a few hundredths of this time.
fn rounds(design: &str, query: &str, seconds: f64) -> Vec<Record> {
    let of_round = |round: u32| {
        let seconds = seconds * (1.0 + 0.01 * f64::from(round % 3));
        match timed(design, query, seconds) {
            Record::Timed(timing) => Record::Timed(Timing { round, ..timing }),
            record => record,
        }
    };
    (0..7).map(of_round).collect()
}

/// A run of 600 rows: a/x is loaded three times as fast and finds keys, a/y takes a tenth of the bytes and scans.
fn records() -> Vec<Record> {
    let tables = [("a/x", 0.1, 6_000), ("a/y", 0.3, 600)];
    let tables = tables.into_iter().flat_map(|(design, seconds, bytes)| {
        let slices = (0..6).map(move |slice| loaded(design, slice, seconds));
        let made = std::iter::once(created(design)).chain(slices);
        made.chain([footprint(design, bytes)])
    });
    let times = [
        rounds("a/x", "scan", 1.0),
        rounds("a/y", "scan", 0.1),
        rounds("a/x", "key", 0.1),
        rounds("a/y", "key", 1.0),
    ];
    run(tables.chain(times.concat()))
}

fn summary(records: &[Record]) -> Summary {
    Summary::from_records(records).unwrap()
}

fn kept(summary: Summary) -> Together {
    let summary = summary.kept_together(["a/x", "a/y"]).unwrap();
    summary.together.unwrap()
}

/// Costs on machines of eight cores.
fn priced(change: impl Fn(&mut Header)) -> Together {
    let mut records = records();
    if let Record::Started(header) = &mut records[0] {
        change(header);
    }
    kept(summary(&records).priced(Prices {
        title: "ours".to_owned(),
        currency: "EUR".to_owned(),
        machine_cores: 8,
        machine_month: 100.0,
        storage_gib_month: 0.1,
    }))
}

#[test]
fn bytes_and_times_of_loading_add_up_and_each_question_has_the_faster_design() {
    let together = kept(summary(&records()));
    let [one, other] = together.each;
    assert_eq!(
        (one.bytes_per_row, other.bytes_per_row),
        (Some(10.0), Some(1.0))
    );
    assert_eq!(together.both.bytes_per_row, Some(11.0));
    let (one, other) = (one.rows_per_second.unwrap(), other.rows_per_second.unwrap());
    let both = together.both.rows_per_second.unwrap();
    assert!((1.0 / both - 1.0 / one - 1.0 / other).abs() < 1e-12);
    assert!((both - 250.0).abs() < 1.0, "{both}");
    let asked: Vec<(&str, Option<&str>, bool)> = { together.queries.iter() }
        .map(|query| (query.query.as_str(), query.asked.as_deref(), query.is_shown))
        .collect();
    assert_eq!(
        asked,
        [("scan", Some("a/y"), true), ("key", Some("a/x"), true)]
    );
    assert_eq!(together.asked_of_each(), [1, 1]);
    let seconds = together.queries[0].of_asked(&together.designs).unwrap();
    assert!(seconds < 0.2, "{seconds}");
    assert_eq!((together.both.machines, together.currency), (None, None));
}

#[test]
fn a_design_without_an_answer_leaves_the_question_to_the_other() {
    let mut records = records();
    let reason = "timed out".to_owned();
    records.push(answered("a/x", "key", Outcome::Error { reason }));
    let together = kept(summary(&records));
    let key = &together.queries[1];
    assert_eq!(key.seconds[0], None);
    assert_eq!((key.asked.as_deref(), key.is_shown), (Some("a/y"), true));
    records.push(answered(
        "a/y",
        "key",
        Outcome::Error {
            reason: "gone".to_owned(),
        },
    ));
    let together = kept(summary(&records));
    let key = &together.queries[1];
    assert_eq!(
        (key.asked.as_deref(), key.of_asked(&together.designs)),
        (None, None)
    );
    assert_eq!(together.asked_of_each(), [0, 1]);
}

#[test]
fn a_month_of_both_is_the_storage_and_the_machines_of_both() {
    let together = priced(|header| header.scale.full_rows = 600);
    let [one, other] = together.each;
    assert_eq!((one.machines, other.machines), (Some(3), Some(3)));
    assert_eq!(together.both.machines, Some(6));
    let month = together.both.month.unwrap();
    assert!((month - one.month.unwrap() - other.month.unwrap()).abs() < 1e-9);
    assert_eq!(together.currency.as_deref(), Some("EUR"));
}

#[test]
fn each_design_needs_machines_for_its_own_questions_only() {
    let together = priced(|header| {
        header.scale.full_rows = 600;
        header.scale.questions_per_second = Some(1_000.0);
    });
    let [one, other] = together.each.map(|figures| figures.machines.unwrap());
    let both = together.both.machines.unwrap();
    // Each answers half of them; machines are whole.
    assert!(
        one > 10 && both <= one + 1 && both < one + other,
        "{together:?}"
    );
}

#[test]
fn what_cannot_be_kept_together_is_refused() {
    let refused = |records: &[Record], pair: [&str; 2]| -> String {
        summary(records).kept_together(pair).unwrap_err()
    };
    let whole = records();
    assert!(refused(&whole, ["a/x", "a/x"]).contains("named twice"));
    let unknown = refused(&whole, ["a/x", "a/z"]);
    assert_eq!(unknown, "the run has no design a/z, but a/x, a/y, memory");
    assert!(refused(&whole, ["memory", "a/x"]).contains("a yardstick"));
    let mut failing = records();
    failing.push(failed("a/y", Step::Settle, None, "no room"));
    assert_eq!(refused(&failing, ["a/x", "a/y"]), "a/y failed: no room");
    let mut wrongly = records();
    wrongly.push(answered("a/y", "scan", wrong()));
    assert!(refused(&wrongly, ["a/x", "a/y"]).contains("wrong answer"));
}

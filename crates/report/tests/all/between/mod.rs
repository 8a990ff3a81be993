//! Two runs of the events study, the second with one slower design, and the text and JSON of both.

mod loads;
mod page;

use bakeoff_report::between::{self, Judged, history};
use bakeoff_stats::between::{Between, Gate, History, What};
use bakeoff_stats::{Footprint, Record, Summary, Timing};

use super::compare::fixture;

const SLOWER: &str = "parquet?codec=zstd";

fn first() -> Summary {
    fixture::summary().unwrap()
}

/// The run on a later day, in which one design and its twin take so many times as long.
fn later(day: u32, factor: f64) -> Summary {
    let change = |record: Record| match record {
        Record::Started(mut header) => {
            header.started_at = format!("2026-03-{day:02}T10:02:13Z");
            header.bakeoff_version = "0.2.0".to_owned();
            Record::Started(header)
        }
        Record::Timed(timing) if timing.design.starts_with(SLOWER) => Record::Timed(Timing {
            seconds: timing.seconds * factor,
            ..timing
        }),
        Record::Footprint(footprint) if footprint.design == "cassandra/blob" => {
            Record::Footprint(Footprint {
                file_bytes: footprint.file_bytes.map(|bytes| bytes * 6 / 5),
                ..footprint
            })
        }
        other => other,
    };
    let records: Vec<Record> = fixture::records().into_iter().map(change).collect();
    Summary::from_records(&records).unwrap()
}

fn other_rows() -> Summary {
    let mut summary = later(4, 1.0);
    summary.rows = 60_000;
    summary
}

fn between(b: &Summary) -> Between {
    Between::of(("runs/formats", &first()), ("runs/formats-2", b))
}

fn judged(between: &Between, limit: f64) -> (Gate, String) {
    let gate = between.fail_if_slower(limit);
    let judged = Judged { limit, gate: &gate };
    let text = between::render(between, Some(judged));
    (gate, text)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap()
}

#[test]
fn one_slower_design() {
    insta::assert_snapshot!(between::render(&between(&later(4, 2.0)), None));
}

#[test]
fn slower_than_the_limit() {
    let (gate, text) = judged(&between(&later(4, 2.0)), 0.05);
    assert!(matches!(gate, Gate::Slower { .. }));
    assert!(
        first_line(&text).starts_with("Slower by more than 5% in 5 of "),
        "{text}"
    );
}

#[test]
fn cannot_be_told_within_a_narrow_limit() {
    let (_, text) = judged(&between(&later(4, 1.0)), 0.05);
    insta::assert_snapshot!(text);
}

#[test]
fn not_slower_than_a_wide_limit() {
    let (gate, text) = judged(&between(&later(4, 1.0)), 5.0);
    assert_eq!(gate, Gate::NotSlower, "{text}");
    assert!(
        first_line(&text).starts_with("Not slower by more than 500% in any of "),
        "{text}"
    );
}

#[test]
fn a_run_without_what_may_have_been_slow_is_not_passed() {
    let mut without = later(4, 1.0);
    without.designs.retain(|design| design.info.id != SLOWER);
    let (gate, text) = judged(&between(&without), 5.0);
    assert!(matches!(gate, Gate::CannotTell { .. }), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("6 figures are undecided"), "{text}");
    let remedy = format!("? {SLOWER} (6 figures): the design in B, or a new A without it");
    assert!(words.contains(&remedy), "{text}");
}

#[test]
fn a_question_that_is_missing_is_named_once_for_all_designs() {
    let mut without = later(4, 1.0);
    without.header.queries.retain(|query| query.name != "usa");
    let (_, text) = judged(&between(&without), 5.0);
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    let told = "? usa (8 designs): the same question in B";
    assert!(words.contains(told), "{text}");
}

#[test]
fn runs_that_may_not_be_compared() {
    let between = between(&other_rows());
    insta::assert_snapshot!(between::render(&between, None));
    let (_, text) = judged(&between, 0.05);
    assert!(first_line(&text).starts_with("Cannot tell"), "{text}");
}

#[test]
fn runs_without_times() {
    let header = Summary::from_records(&fixture::records()[..1]).unwrap();
    let found = Between::of(("a", &header), ("b", &header));
    let text = between::render(&found, None);
    assert!(
        first_line(&text).starts_with("Nothing to compare"),
        "{text}"
    );
}

#[test]
fn the_json_has_the_answer_and_every_change() {
    let found = between(&later(4, 2.0));
    let gate = found.fail_if_slower(0.05);
    let judged = Judged {
        limit: 0.05,
        gate: &gate,
    };
    let text = between::json(&found, Some(judged)).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(
        value["answer"]
            .as_str()
            .unwrap()
            .starts_with("B is slower in 5 of ")
    );
    assert_eq!(value["fail_if_slower"]["outcome"], "slower");
    let changes = value["comparison"]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), found.changes.len());
    assert!(changes[0]["ratio"].is_f64() && changes[0]["shown"].is_string());
}

fn runs() -> History {
    let days = [(3, 1.0), (4, 1.0), (5, 2.0), (6, 2.0)];
    let mut runs = days
        .map(|(day, factor)| (format!("formats-{day}"), later(day, factor)))
        .to_vec();
    runs.push(("half".to_owned(), other_rows()));
    History::of(runs)
}

#[test]
fn a_change_over_time() {
    insta::assert_snapshot!(history::render(&runs(), false));
}

#[test]
fn all_figures_over_time() {
    let text = history::render(&runs(), true);
    assert!(text.contains("cassandra/narrow scan\n"));
    // What settles two runs is no advice for many.
    assert!(
        !text.contains("bakeoff history") && !text.contains("both runs"),
        "{text}"
    );
    assert!(!text.contains("--all"));
    let value: serde_json::Value = serde_json::from_str(&history::json(&runs()).unwrap()).unwrap();
    assert_eq!(value["groups"][0]["runs"].as_array().unwrap().len(), 4);
}

#[test]
fn a_rate_over_time_has_the_ratio_of_rates() {
    let mut history = runs();
    let series = history.groups[0].series.iter_mut();
    let changed = series.filter(|series| !series.shifts.is_empty());
    for series in changed {
        assert!((series.shifts[0].ratio - 2.0).abs() < 0.01);
        series.what = What::Loading;
    }
    let text = history::render(&history, false);
    assert_eq!(text.matches("0.50×").count(), 5, "{text}");
    assert!(!text.contains("2.00×"), "{text}");
}

#[test]
fn few_runs_say_so() {
    let none = history::render(&History::of(Vec::new()), false);
    assert_eq!(none, "There are no runs to compare.\n");
    let one = History::of(vec![("a".to_owned(), first())]);
    assert!(history::render(&one, false).starts_with("Nothing to compare: no two of 1 run"));
}

#[test]
fn no_line_is_wider_than_a_hundred_columns() {
    let found = between(&later(4, 1.2));
    for text in [
        judged(&found, 0.05).1,
        judged(&between(&other_rows()), 0.05).1,
        history::render(&runs(), true),
    ] {
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

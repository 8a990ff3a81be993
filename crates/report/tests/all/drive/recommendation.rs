//! What to take after a load.

use std::time::Duration;

use bakeoff_report::drive::recommendation::{beside_questions, render};
use bakeoff_report::recommendation::HowTo;
use bakeoff_stats::FailureKind;
use bakeoff_stats::drive::DriveSummary;

use super::fixture::DESIGNS;
use super::read::{COMPARISON, RATE, compared};
use super::simulated::load;

const WIDTH: usize = 100;
const HOUR: Duration = Duration::from_secs(3_600);

fn how_to() -> HowTo {
    HowTo {
        what: None,
        tables: vec!["CREATE TABLE t (a int PRIMARY KEY)".to_owned()],
        filling: vec!["copy it".to_owned()],
        why_not: None,
    }
}

/// What is rendered, on one line.
fn words(summary: &DriveSummary, budget: Duration) -> String {
    let text = render(&compared(summary), budget, &how_to(), WIDTH);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_first_sentence_names_the_design_and_statements_can_be_pasted() {
    let text = render(&COMPARISON, HOUR, &how_to(), WIDTH);
    let end = "\n\nIts tables:\n  CREATE TABLE t (a int PRIMARY KEY);\n\nTo fill them:\n  copy it";
    assert!(text.ends_with(end), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
    let [best, other] = DESIGNS;
    let words = words(&COMPARISON, HOUR);
    let first = format!("Not settled between {best} and {other}. {best} is ahead: 5");
    assert!(words.starts_with(&first), "{words}");
    for expected in [
        " ops/s with 32 operations in flight (",
        " at rest",
        " Certainty: not settled: 3 rounds of loads cannot show a difference; a longer --budget has more",
        &format!(" Runner-up: {other}: 3"),
        &format!(" Load: Response times with {best}, p50 and p99: "),
    ] {
        assert!(words.contains(expected), "`{expected}` is not in: {words}");
    }
    assert!(!words.contains("Budget: "), "{words}");
}

#[test]
fn at_a_rate_the_p99_of_the_slowest_operation_answers() {
    let words = words(&RATE, HOUR);
    let first = "Not settled between cassandra/wide?chunk=4KiB and cassandra/wide?chunk=64KiB. \
                 cassandra/wide?chunk=4KiB is ahead: 99% of its slowest operation, read, within 2.77 ms (2.75–2.78 \
                 over 2 rounds), at 500 ops/s; ";
    assert!(words.starts_with(first), "{words}");
}

#[test]
fn the_first_sentences_say_whether_it_is_settled() {
    let of = |other: f64| {
        let rates = [500.0, other].map(|rate| vec![rate; 7]);
        let [one, other] = rates;
        words(&load(&[("a/x", one), ("a/y", other)]), HOUR)
    };
    let differ = of(300.0);
    let first = "Take a/x: 500 ops/s with 32 operations in flight";
    assert!(differ.starts_with(first), "{differ}");
    let rest = ". This is settled. Certainty: that none of 2 designs is better by more than 5% is settled, by 7 \
                rounds of loads. Runner-up: a/y: 300 ops/s";
    assert!(differ.contains(rest), "{differ}");
    let same = of(500.0);
    assert!(same.starts_with(first), "{same}");
    let settled = ". That it is best, or within 5% of it, is settled. Certainty: ";
    assert!(same.contains(settled), "{same}");
    assert!(same.contains("; the same; "), "{same}");
}

#[test]
fn a_faster_design_that_fell_short_is_not_taken_and_is_named() {
    let rates = [500.0, 300.0].map(|rate| vec![rate; 7]);
    let [fast, slow] = rates;
    let mut summary = load(&[("a/x", fast), ("a/y", slow)]);
    let operation = &mut summary.designs[0].figures.as_mut().unwrap().operations[0];
    operation.failures = vec![(FailureKind::TimedOut, 1)];
    let words = words(&summary, HOUR);
    let (answer, rest) = words.split_once(" Certainty: ").unwrap();
    let figures = answer.strip_prefix("Take a/y: 300 ops/s").unwrap();
    let (_, why) = figures.split_once(". a/x does 500 ops/s (").unwrap();
    let short = ", but it failed <0.01% of its operations.";
    assert!(why.ends_with(short), "{answer}");
    assert!(!rest.contains(short), "said twice: {words}");
    assert!(!words.contains("only choice"), "{words}");
}

#[test]
fn a_slower_design_that_fell_short_is_named_after_a_faster_one() {
    let rates = [300.0, 200.0, 500.0].map(|rate| vec![rate; 7]);
    let [taken, slow, fast] = rates;
    let mut summary = load(&[("a/x", taken), ("a/y", slow), ("a/z", fast)]);
    for trial in &mut summary.trials[7..14] {
        trial.end.as_mut().unwrap().unsent = 1;
    }
    let operation = &mut summary.designs[2].figures.as_mut().unwrap().operations[0];
    operation.failures = vec![(FailureKind::TimedOut, 1)];
    let words = words(&summary, HOUR);
    assert!(words.starts_with("Take a/x: 300 ops/s"), "{words}");
    let then = ". a/y left 7 operations unsent. ";
    let (before, _) = words.split_once(then).unwrap();
    assert!(before.contains(". a/z does 500 ops/s ("), "{words}");
}

#[test]
fn a_design_that_is_the_only_one_left_is_called_so() {
    let mut summary = COMPARISON.clone();
    summary.designs[0]
        .failures
        .push("its server ended".to_owned());
    let words = words(&summary, HOUR);
    assert!(
        words.starts_with(&format!("Take {}, the only choice: 3", DESIGNS[1])),
        "{words}"
    );
    let failed = format!(" Failures ✗ {} its server ended", DESIGNS[0]);
    assert!(words.contains(&failed), "{words}");
    let only = "Certainty: it is the only one of 2 designs that did all that was asked.";
    assert!(words.contains(only), "{words}");
    assert!(!words.contains("Runner-up"), "{words}");
}

#[test]
fn without_a_design_that_did_all_nothing_is_recommended_or_made() {
    let mut summary = COMPARISON.clone();
    for trial in &mut summary.trials {
        trial.end.as_mut().unwrap().unsent = 1;
    }
    let words = words(&summary, HOUR);
    let first = "No design is recommended. No design did all that was asked";
    assert!(words.starts_with(first), "{words}");
    assert!(!words.contains("CREATE TABLE"), "{words}");
}

#[test]
fn a_load_that_was_longer_than_its_budget_says_so() {
    let mut summary = COMPARISON.clone();
    summary.seconds = Some(4_000.0);
    let words = words(&summary, Duration::from_secs(60));
    let over = "Budget: all took 66.7 min, longer than 60.0 s: ";
    assert!(words.contains(over), "{words}");
}

#[test]
fn designs_that_questions_lead_to_are_told_with_what_they_do_of_the_operations() {
    let [taken, next] = DESIGNS;
    let told = beside_questions(&COMPARISON, taken);
    assert_eq!(told.not_taken, None);
    let said = told.paragraph;
    assert!(
        said.starts_with(&format!("Operations: {taken} takes them: 5")),
        "{said}"
    );
    assert!(said.contains(&format!(". {next} takes them: 3")), "{said}");
    let times = format!(" Response times with {taken}, p50 and p99: ");
    assert!(said.contains(&times), "{said}");

    let mut summary = COMPARISON.clone();
    let first = summary.trials.iter_mut().find(|t| t.start.design == taken);
    first.unwrap().end.as_mut().unwrap().unsent = 4;
    let told = beside_questions(&compared(&summary), taken);
    let not_taken = format!("{taken} does not take all operations: it left 4 operations unsent.");
    assert_eq!(told.not_taken, Some(not_taken));
    let said = told.paragraph;
    let short = format!("{taken} does not take them all: ");
    assert!(said.contains(&short), "{said}");
    assert!(
        said.contains(", but it left 4 operations unsent."),
        "{said}"
    );

    let mut summary = COMPARISON.clone();
    summary.designs[0].rate = None;
    summary.designs[0]
        .failures
        .push("its server ended".to_owned());
    let told = beside_questions(&compared(&summary), taken);
    let not_taken = format!("{taken} does not take the operations: it did not finish.");
    assert_eq!(told.not_taken, Some(not_taken));
    let said = told.paragraph;
    let none = format!("Operations: {taken} does not take them: it did not finish. ");
    assert!(said.starts_with(&none), "{said}");

    let other = beside_questions(&COMPARISON, "postgres/plain");
    assert_eq!(
        other.paragraph,
        "Operations: postgres/plain was not driven with them."
    );
    let not_taken = "postgres/plain was not driven with the operations.";
    assert_eq!(other.not_taken.as_deref(), Some(not_taken));
}

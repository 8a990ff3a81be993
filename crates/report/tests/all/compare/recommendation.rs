use bakeoff_report::recommendation::{HowTo, Operations, render, render_with_operations};
use bakeoff_stats::Summary;

use super::fixture;

const WIDTH: usize = 100;

fn how_to() -> HowTo {
    HowTo {
        tables: vec!["CREATE TABLE t (a int PRIMARY KEY)".to_owned()],
        filling: vec!["copy it".to_owned()],
        why_not: None,
    }
}

#[test]
fn the_first_sentences_answer_and_statements_can_be_pasted() {
    let text = render(&fixture::summary().unwrap(), &how_to(), WIDTH);
    let first: Vec<&str> = text
        .split("\n\n")
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let first = first.join(" ");
    for words in [" Buy ", "; the slowest question takes "] {
        assert!(first.contains(words), "{text}");
    }
    for words in ["\nCosts: ", "\nWhat would change it: ", "Certainty: "] {
        assert!(text.contains(words), "{text}");
    }
    let end = "\n\nIts tables:\n  CREATE TABLE t (a int PRIMARY KEY);\n\nTo fill them:\n  copy it";
    assert!(text.ends_with(end), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
}

#[test]
fn operations_come_behind_the_answer() {
    let summary = fixture::summary().unwrap();
    let mut operations = Operations {
        not_taken: None,
        paragraph: "Operations: a takes them.".to_owned(),
    };
    let text = render_with_operations(&summary, &operations, &how_to(), WIDTH);
    let without = render(&summary, &how_to(), WIDTH);
    let (answer, rest) = without.split_once("\n\n").unwrap();
    assert_eq!(
        text,
        format!("{answer}\n\nOperations: a takes them.\n\n{rest}")
    );

    let not_taken = "a does not take all operations: it left 4 operations unsent.";
    operations.not_taken = Some(not_taken.to_owned());
    let text = render_with_operations(&summary, &operations, &how_to(), WIDTH);
    let words: Vec<&str> = text.split_whitespace().collect();
    let first = format!("{not_taken} By the questions alone: ");
    assert!(words.join(" ").starts_with(&first), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
}

#[test]
fn why_nothing_fills_the_tables_is_told() {
    let how_to = HowTo {
        why_not: Some("its rows are blobs".to_owned()),
        ..HowTo::default()
    };
    let text = render(&fixture::summary().unwrap(), &how_to, WIDTH);
    assert!(
        text.ends_with("\n\nTo fill them: its rows are blobs."),
        "{text}"
    );
    assert!(!text.contains("Its tables"));
}

#[test]
fn without_a_recommendation_there_is_nothing_to_make() {
    let summary = Summary::from_records(&fixture::records()[..1]).unwrap();
    let text = render(&summary, &how_to(), WIDTH);
    assert!(text.contains("nothing to recommend"), "{text}");
    assert!(!text.contains("CREATE TABLE"));
}

#[test]
fn rows_that_the_data_lacks_are_told() {
    let mut summary = fixture::summary().unwrap();
    assert!(!render(&summary, &how_to(), WIDTH).contains("Rows: "));
    summary.has_all_rows = true;
    summary.header.scale.full_rows = summary.rows + 4;
    let text = render(&summary, &how_to(), 400);
    assert!(
        text.contains("\nRows: all ") && text.contains("count as the full scale: `full_rows` "),
        "{text}"
    );
    let report = bakeoff_report::terminal::render(&summary, 400, false);
    assert!(report.contains("count as the full scale"), "{report}");
}

#[test]
fn a_longer_budget_is_advised_where_a_run_would_take_options() {
    let mut summary = fixture::summary().unwrap();
    let mut told = |reason: &str| {
        summary.decision.as_mut().unwrap().no_forecast = Some(reason.to_owned());
        render(&summary, &how_to(), 1_000)
    };
    for reason in [
        "5 rows are too few; load 9 (--rows 9 --scales 5x4)",
        "5 rows are too few; measure with --scales 5x4",
    ] {
        let text = told(reason);
        let advised = "is recommended yet: 5 rows are too few; a longer --budget measures more rows and rounds.";
        assert!(text.contains(advised), "{text}");
        assert!(
            !text.contains("--rows") && !text.contains("--scales"),
            "{text}"
        );
    }
    let text = told("9 are needed, and the data has 5; it ends there");
    assert!(
        text.contains("yet: 9 are needed, and the data has 5; it ends there."),
        "{text}"
    );
}

#[test]
fn a_run_that_took_longer_than_its_budget_says_why() {
    let mut summary = fixture::summary().unwrap();
    let told = "longer than its budget of 5.00 s: ";
    assert!(!render(&summary, &how_to(), 400).contains("longer than its budget"));
    summary.header.budget_seconds = Some(5.0);
    let designs = format!(
        "a few rounds of {} designs are measured",
        summary.designs.len()
    );
    let text = render(&summary, &how_to(), 400);
    assert!(text.contains(told) && text.contains(&designs), "{text}");
    let report = bakeoff_report::terminal::render(&summary, 400, false);
    assert!(report.contains(told), "{report}");
}

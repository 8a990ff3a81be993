use std::time::Duration;

use bakeoff_report::html;
use bakeoff_report::recommendation::{
    Caveats, HowTo, LongerBudget, Operations, render, render_with_operations, with_basis,
};
use bakeoff_stats::Summary;

use super::fixture;

const WIDTH: usize = 100;
const BUDGET: LongerBudget = LongerBudget::InProportionTo(Duration::from_secs(600));

fn how_to() -> HowTo {
    HowTo {
        what: None,
        tables: vec!["CREATE TABLE t (a int PRIMARY KEY)".to_owned()],
        filling: vec!["copy it".to_owned()],
        why_not: None,
    }
}

#[test]
fn the_first_sentences_answer_and_statements_can_be_pasted() {
    let text = render(&fixture::summary().unwrap(), BUDGET, &how_to(), WIDTH);
    let first: Vec<&str> = text
        .split("\n\n")
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let first = first.join(" ");
    // There is no forecast: the time is of the measured rows, and the rest is called an estimate.
    for words in [
        "Take parquet?codec=snappy for now: it is best at 120 k rows (settled). At 120 k rows the slowest question takes \
         19.0 ms. Estimates for 4,160,000 rows: 545 MiB to buy for 3 copies, in proportion to the rows; ",
        " for a question that reads all 4,160,000 rows, by the speed of a scan of the measured ones. There is no forecast for \
         4,160,000 rows yet: one ",
    ] {
        assert!(first.contains(words), "{words}: {text}");
    }
    assert!(first.starts_with("Take "), "{text}");
    assert!(!first.contains("Buy "), "{text}");
    for words in ["\nCosts: ", "\nWhat would change it: ", "Certainty: "] {
        assert!(text.contains(words), "{text}");
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let other = "parquet?codec=zstd: choose it if storage matters more (1.5× smaller), estimate 371 MiB to buy";
    assert!(words.join(" ").contains(other), "{text}");
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
        caveats: Caveats::default(),
    };
    let text = render_with_operations(&summary, BUDGET, &operations, &how_to(), WIDTH);
    let without = render(&summary, BUDGET, &how_to(), WIDTH);
    let (answer, rest) = without.split_once("\n\n").unwrap();
    assert_eq!(
        text,
        format!("{answer}\n\nOperations: a takes them.\n\n{rest}")
    );

    let not_taken = "a does not take all operations: it left 4 operations unsent.";
    operations.not_taken = Some(not_taken.to_owned());
    let text = render_with_operations(&summary, BUDGET, &operations, &how_to(), WIDTH);
    let words: Vec<&str> = text.split_whitespace().collect();
    let first = format!("{not_taken} By the questions alone: ");
    assert!(words.join(" ").starts_with(&first), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
}

#[test]
fn what_the_answer_rests_on_stands_behind_it() {
    let basis = "Compared at up to 205,000 rows: 8 designs; the two best then at all 7,324,550.";
    let text = with_basis("Take a.\n\nDesign: b\n\nTo fill them:", basis, WIDTH);
    assert_eq!(
        text,
        format!("Take a.\n\n{basis}\n\nDesign: b\n\nTo fill them:")
    );
    assert_eq!(
        with_basis("None.", basis, WIDTH),
        format!("None.\n\n{basis}")
    );
    let narrow = with_basis("None.", basis, 40);
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 40),
        "{narrow}"
    );
}

#[test]
fn storage_to_buy_says_for_how_many_copies_it_is() {
    let mut summary = fixture::summary().unwrap();
    let told = |summary: &Summary| render(summary, BUDGET, &how_to(), 10_000);
    let decision = |summary: &mut Summary, copies: u32, no_forecast: Option<&str>| {
        let decision = summary.decision.as_mut().unwrap();
        decision.copies = copies;
        decision.no_forecast = no_forecast.map(str::to_owned);
    };
    for (copies, no_forecast, words) in [
        (1, Some("few rows"), ": 545 MiB to buy, in proportion"),
        (
            3,
            None,
            " Buy 545 MiB for 3 copies; the slowest question takes ",
        ),
        (1, None, " Buy 545 MiB; the slowest question takes "),
    ] {
        decision(&mut summary, copies, no_forecast);
        let text = told(&summary);
        let (answer, _) = text.split_once("\n\n").unwrap();
        assert!(answer.contains(words), "`{words}` is not in: {answer}");
    }
}

#[test]
fn what_the_design_is_stands_below_the_answer() {
    let how_to = HowTo {
        what: Some("sorted files".to_owned()),
        ..how_to()
    };
    let text = render(&fixture::summary().unwrap(), BUDGET, &how_to, WIDTH);
    let below = "\n\nDesign: sorted files.\nCertainty: ";
    assert!(text.contains(below), "{text}");
}

#[test]
fn failures_and_what_limits_trust_come_before_the_statements() {
    let mut summary = fixture::summary().unwrap();
    let told = |summary: &Summary| render(summary, BUDGET, &how_to(), 1_000);
    let text = told(&summary);
    for words in [
        "\n\nFailures\n✗ ",
        "\n✗ cassandra/compact, creating the tables\n  the server answers: ",
        "\n\nNotes\n! 19 rows share their key with a later row",
        "\n! another process used 0.4 of the 2 cores during round 5\n",
        // Those that are of the tables.
        "\n! 2 more notes are in the report\n\nIts tables:\n",
    ] {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
    summary
        .warnings
        .extend((6..12).map(|round| format!("it was cold in round {round}")));
    let text = told(&summary);
    let last = "\n! it was cold in round 8\n! 5 more notes are in the report\n";
    assert!(text.contains(last), "{text}");
}

#[test]
fn failures_of_the_loads_are_told_as_well() {
    let operations = Operations {
        not_taken: None,
        paragraph: "Operations: a takes them.".to_owned(),
        caveats: Caveats {
            failures: vec![("a/x".to_owned(), "its server ended".to_owned())],
            notes: vec!["it was late".to_owned()],
            others: 3,
        },
    };
    let summary = fixture::summary().unwrap();
    let text = render_with_operations(&summary, BUDGET, &operations, &how_to(), 1_000);
    for words in [
        "\n✗ a/x\n  its server ended\n\nNotes\n",
        "\n! it was late\n! 5 more notes are in the report\n",
    ] {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
}

#[test]
fn why_nothing_fills_the_tables_is_told() {
    let how_to = HowTo {
        why_not: Some("its rows are blobs".to_owned()),
        ..HowTo::default()
    };
    let text = render(&fixture::summary().unwrap(), BUDGET, &how_to, WIDTH);
    assert!(
        text.ends_with("\n\nTo fill them: its rows are blobs."),
        "{text}"
    );
    assert!(!text.contains("Its tables"));
}

#[test]
fn without_a_recommendation_there_is_nothing_to_make() {
    let summary = Summary::from_records(&fixture::records()[..1]).unwrap();
    let text = render(&summary, BUDGET, &how_to(), WIDTH);
    assert!(text.contains("nothing to recommend"), "{text}");
    assert!(!text.contains("CREATE TABLE"));
}

#[test]
fn rows_that_the_data_lacks_are_told() {
    let mut summary = fixture::summary().unwrap();
    assert!(!render(&summary, BUDGET, &how_to(), WIDTH).contains("Rows: "));
    summary.has_all_rows = true;
    summary.header.scale.full_rows = summary.rows + 4;
    let text = render(&summary, BUDGET, &how_to(), 400);
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
        render(&summary, BUDGET, &how_to(), 1_000)
    };
    for reason in [
        "5 rows are too few; load 9 (--rows 9 --scales 5x4)",
        "5 rows are too few; measure with --scales 5x4",
    ] {
        let text = told(reason);
        let advised = "rows yet: 5 rows are too few; a longer --budget may do, since it measures more rows and \
                       rounds.";
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
    assert!(!render(&summary, BUDGET, &how_to(), 400).contains("longer than its budget"));
    summary.header.budget_seconds = Some(5.0);
    let designs = format!(
        "a few rounds of {} designs are measured",
        summary.designs.len()
    );
    let text = render(&summary, BUDGET, &how_to(), 400);
    assert!(text.contains(told) && text.contains(&designs), "{text}");
    let report = bakeoff_report::terminal::render(&summary, 400, false);
    assert!(report.contains(told), "{report}");
}

/// A page with its options as they are written elsewhere: each of them is an element, in which no line ends.
fn without_marks(page: &str) -> String {
    let options = ["--budget", "--rows", "--scales"];
    options.iter().fold(page.to_owned(), |page, option| {
        page.replace(&format!("<span class=\"option\">{option}</span>"), option)
    })
}

#[test]
fn a_run_of_a_decision_advises_a_budget_and_says_about_how_long() {
    let mut summary = fixture::scaled().unwrap();
    let (fact, options) = (
        "120,000 rows are too few to forecast 4,160,000 from; ",
        "load 520,000 (--rows 520000)",
    );
    let page = without_marks(&html::render(&summary));
    assert!(page.contains(&format!("{fact}{options}")), "{page}");
    // 520,000 rows are 4.3 times those that were measured.
    let text = render(&summary, BUDGET, &how_to(), 1_000);
    let advised = "it takes 520,000 rows, and so a --budget of about 45m.";
    assert!(text.contains(&format!("{fact}{advised}")), "{text}");
    // The paces that were measured say with which one the best two would be measured once more.
    let of_final = LongerBudget::ForFinal(Duration::from_secs(1_300));
    let text = render(&summary, of_final, &how_to(), 1_000);
    let advised = "a --budget of about 25m is enough for a final of the best two.";
    assert!(text.contains(&format!("{fact}{advised}")), "{text}");

    summary.header.command = "bakeoff decide events.csv --budget 3m".to_owned();
    summary.rows_left = Some(bakeoff_stats::RowsLeft {
        of: Some(4_160_000),
        counted: true,
        by_budget: true,
    });
    let page = without_marks(&html::render(&summary));
    let report = bakeoff_report::terminal::render(&summary, 1_000, false);
    let records = fixture::scaled_records();
    let json = bakeoff_report::json::render(&summary, &records[..1]).unwrap();
    let verdict: serde_json::Value = serde_json::from_str(&json).unwrap();
    let advised = "it takes 520,000 rows, in a final or with a longer --budget, as the end of the decision says.";
    assert!(html::render(&summary).contains("a longer <span class=\"option\">--budget</span>,"));
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [page.as_str(), &report, verdict["verdict"].as_str().unwrap()] {
        assert!(text.contains(&format!("{fact}{advised}")), "{text}");
        assert!(!text.contains("--rows"), "{text}");
    }
    let note = "were loaded: the budget allowed no more; a longer --budget loads more";
    assert!(report.contains(note), "{report}");
}

#[test]
fn the_head_of_the_page_says_for_how_many_rows_its_figures_are() {
    let page = html::render(&fixture::summary().unwrap());
    for words in [
        "<dd class=\"figure\">19.0 ms at 120 k rows</dd>",
        "; an estimate by the speed of a scan: ",
        " for a question that reads all 4,160,000 rows</dd>",
        "estimate in proportion to the rows: 3 copies of 4,160,000 rows with parquet",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // A workload of that name is not named twice.
    let mut summary = fixture::summary().unwrap();
    summary.header.workload = "workload".to_owned();
    assert!(html::render(&summary).contains("Bakeoff · workload · 2026"));
}

#[test]
fn a_race_that_ended_before_its_budget_says_why() {
    let mut summary = fixture::raced().unwrap();
    summary.rows_left = Some(bakeoff_stats::RowsLeft {
        of: Some(4_160_000),
        counted: true,
        by_budget: true,
    });
    let text = bakeoff_report::terminal::render(&summary, 1_000, false);
    let told = "! 120,000 of 4,160,000 rows were loaded: the part of the budget for loading allowed no more; the rounds \
                then ended early, after 7, since choosing another design would gain 0.4% on average; a longer one, or \
                --rows N, loads more";
    assert!(text.contains(told), "{text}");
    // All of it was used.
    summary.header.budget_seconds = Some(100.0);
    let text = bakeoff_report::terminal::render(&summary, 1_000, false);
    assert!(
        text.contains("were loaded: the budget allowed no more; "),
        "{text}"
    );
}

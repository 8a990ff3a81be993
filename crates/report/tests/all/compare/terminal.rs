use bakeoff_report::STYLES;
use bakeoff_report::terminal::render;
use bakeoff_stats::{
    Answered, DesignSummary, NodesInfo, Outcome, Record, RowsLeft, StandbysInfo, Summary,
};

use super::fixture;

fn summary() -> Summary {
    fixture::summary().unwrap()
}

fn widest(text: &str) -> usize {
    text.lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

#[test]
fn narrow() {
    insta::assert_snapshot!(render(&summary(), 80, false));
}

#[test]
fn wide() {
    insta::assert_snapshot!(render(&summary(), 140, false));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [60, 72, 80, 100, 140, 200] {
        assert!(
            widest(&render(&summary(), width, false)) <= width,
            "{width}"
        );
    }
}

#[test]
fn a_report_says_once_that_ratios_are_paired() {
    let told = "ratios of times compare answers of the same round";
    let page = bakeoff_report::html::render(&summary());
    for text in [render(&summary(), 140, false), page] {
        assert_eq!(text.matches(told).count(), 1, "{text}");
    }
    let mut alone = summary();
    alone.comparison.queries.clear();
    assert!(!render(&alone, 140, false).contains(told));
}

#[test]
fn failures_are_red_and_their_reasons_told() {
    let text = render(&summary(), 120, true);
    assert!(text.contains("\x1b[31m✗ cassandra/compact, creating the tables"));
    assert!(text.contains("COMPACT STORAGE tables are not allowed"));
    assert!(text.contains("row 1, column count: 131 instead of 137"));
    assert!(!render(&summary(), 120, false).contains('\x1b'));
    let plain = STYLES
        .iter()
        .fold(text, |text, code| text.replace(code, ""));
    assert!(!plain.contains('\x1b'), "{plain:?}");
}

#[test]
fn a_wrong_answer_of_a_twin_is_a_failure_in_terminal_and_page() {
    let mut records = fixture::records();
    let last = records.len() - 1;
    let wrong = Record::Answered(Answered {
        design: "parquet?codec=zstd#twin".to_owned(),
        query: "usa".to_owned(),
        sql: String::new(),
        outcome: Outcome::Wrong {
            difference: "row 1: 2 instead of 3".to_owned(),
        },
    });
    records.insert(last, wrong);
    let summary = Summary::from_records(&records).unwrap();
    let text = render(&summary, 120, false);
    let failure =
        "✗ parquet?codec=zstd#twin, comparing the answer, query usa\n  wrong answer: row 1: 2";
    assert!(text.contains(failure), "{text}");
    let page = bakeoff_report::html::render(&summary);
    assert!(page.contains("wrong answer: row 1: 2 instead of 3"));
}

#[test]
fn a_round_that_failed_is_shown_beside_the_others_time() {
    let mut summary = summary();
    summary.designs[0].queries[0].bad_rounds = 2;
    for width in [80, 140] {
        assert!(render(&summary, width, false).contains("2 rounds failed"));
    }
}

#[test]
fn an_unfinished_run_says_so_and_how_to_go_on() {
    let mut summary = summary();
    summary.finished = false;
    summary.interrupted = true;
    let text = render(&summary, 200, false);
    assert!(text.contains("this run was interrupted"));
    assert!(text.contains("`bakeoff run workloads/formats.toml --budget 3m` resumes it"));
    // Wrapped, one of several lines would be another command.
    summary.header.command = "bakeoff run w.toml --set 'a\nb'".to_owned();
    let text = render(&summary, 200, false);
    assert!(text.contains("figures are incomplete; the same command resumes it"));
}

#[test]
fn a_run_that_ended_before_its_questions_recommends_nothing_by_other_figures() {
    let mut records = fixture::records();
    records.retain(|record| !matches!(record, Record::Timed(_) | Record::Finished { .. }));
    let text = render(&Summary::from_records(&records).unwrap(), 100, false);
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    let expected = "at 120 k rows (not settled). There is no forecast for 4,160,000 rows yet: no question \
                    that counts has right answers. The run is not finished.";
    assert!(!words.contains("Take "), "{text}");
    assert!(words.contains(expected), "{text}");
}

#[test]
fn a_run_of_which_only_the_header_exists_can_be_shown() {
    let summary = Summary::from_records(&fixture::records()[..1]).unwrap();
    assert!(render(&summary, 200, false).contains("so there is nothing to recommend"));
    assert!(widest(&render(&summary, 80, false)) <= 80);
}

#[test]
fn few_rounds_are_a_reason_for_doubt() {
    let mut summary = summary();
    let times = summary
        .designs
        .iter_mut()
        .flat_map(|d: &mut DesignSummary| &mut d.queries);
    for time in times.filter_map(|q| q.time.as_mut()) {
        time.observations = 3;
        time.coverage = 0.75;
    }
    summary.rounds = 3;
    let text = render(&summary, 200, false);
    assert!(text.contains(
        "\n! 3 rounds cannot show a difference, at least 5 are needed; an interval is the whole range"
    ));
}

#[test]
fn few_rounds_of_one_query_are_told_of_that_one() {
    let mut summary = summary();
    let id = summary.designs[1].info.id.clone();
    let query = &mut summary.designs[1].queries[0];
    let time = query.time.as_mut().unwrap();
    (time.observations, time.coverage) = (3, 0.75);
    let which = format!("! {id}, {}: 3 rounds cannot show a difference", query.query);
    let text = render(&summary, 200, false);
    assert!(text.contains(&which), "{text}");
}

#[test]
fn rows_that_were_not_loaded_are_told_with_the_reason() {
    let mut summary = summary();
    let rows = summary.rows;
    let mut told = |left| {
        summary.rows_left = Some(left);
        render(&summary, 200, false)
    };
    let left = RowsLeft {
        of: Some(2 * rows),
        counted: true,
        by_budget: false,
    };
    let text = told(left);
    assert!(
        text.contains(" rows of ") && text.contains(" of "),
        "{text}"
    );
    assert!(!text.contains("the budget allowed no more"), "{text}");
    let text = told(RowsLeft {
        counted: false,
        by_budget: true,
        ..left
    });
    assert!(text.contains(" of at least "), "{text}");
    assert!(
        text.contains("were loaded: the budget allowed no more"),
        "{text}"
    );
    let text = told(RowsLeft {
        of: None,
        counted: false,
        by_budget: true,
    });
    assert!(
        text.contains("at full scale were loaded: the budget"),
        "{text}"
    );
}

#[test]
fn tolerances_of_the_workload_are_told() {
    let mut summary = summary();
    summary.header.queries[0].tolerance = Some(0.02);
    let name = summary.header.queries[0].name.clone();
    let note = format!("differ from the exact values by what the workload allows: {name} by 2%");
    let text = render(&summary, 200, false);
    assert!(text.contains(&note), "{text}");
}

#[test]
fn a_run_without_an_answer_recommends_nothing_by_its_loading() {
    let mut records = fixture::records();
    records.retain(|record| {
        !matches!(
            record,
            Record::Timed(_)
                | Record::Answered(_)
                | Record::Failed { .. }
                | Record::Finished { .. }
        )
    });
    let text = render(&Summary::from_records(&records).unwrap(), 100, false);
    let verdict = text.split_once("Verdict\n").unwrap().1;
    let first =
        "Nothing is recommended yet: no question has been asked yet. The run is not finished.\n";
    assert!(verdict.starts_with(first), "{verdict}");
    for part in ["Certainty", "Buy", "Others", "Left out"] {
        assert!(!verdict.contains(part), "{part}: {verdict}");
    }
}

#[test]
fn standbys_are_told_and_count_as_copies_beside_nodes() {
    let mut summary = summary();
    summary.header.standbys = Some(StandbysInfo {
        engines: vec!["cassandra".to_owned(), "nobody".to_owned()],
        standbys: 2,
        commit_waits_for: "any one of them".to_owned(),
    });
    let told = "cassandra ran with 2 standbys on this one machine, and a commit waited for any one of them";
    let others = "the designs of other engines kept one copy";
    let text = render(&summary, 1_000, false);
    assert!(text.contains(told), "{text}");
    assert!(text.contains(others), "{text}");
    // Of all engines of the run, each has copies of either kind.
    let standbys = summary.header.standbys.as_mut().unwrap();
    let engines = summary.designs.iter().map(|d| d.info.engine.clone());
    standbys.engines = engines.filter(|engine| engine != "cassandra").collect();
    summary.header.nodes = Some(NodesInfo {
        engine: "cassandra".to_owned(),
        nodes: 3,
        copies: 2,
        consistency: "ONE".to_owned(),
    });
    let text = render(&summary, 1_000, false);
    assert!(text.contains("Cassandra ran as 3 nodes"), "{text}");
    assert!(!text.contains(others), "{text}");
}

#[test]
fn a_program_without_optimisation_is_told_among_the_notes() {
    let note = "! this program was built without optimisation: its times mean nothing";
    let mut summary = summary();
    assert!(!render(&summary, 140, false).contains(note));
    summary.header.bakeoff_version =
        "0.1.0, built without optimisation: its times mean nothing".to_owned();
    let text = render(&summary, 140, false);
    assert!(text.contains(note), "{text}");
}

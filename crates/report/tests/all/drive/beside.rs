//! Reports of questions beside a load: what they cost it, and what became of them.

mod driven;

use bakeoff_report::drive::{html, json, terminal};
use bakeoff_report::values::{Figure, of_drive};
use bakeoff_stats::drive::{AnsweringEnded, DriveSummary};

use super::fixture::{self, DESIGNS};
use super::read::{COMPARISON, QUESTIONS, SEVERAL, verdict};
use crate::compare::html::open_elements;

fn in_terminal(summary: &DriveSummary) -> String {
    terminal::render(summary, 160, false)
}

/// The first line of a section that has this word.
fn line_of<'a>(text: &'a str, section: &str, word: &str) -> &'a str {
    let (_, rest) = text.split_once(section).unwrap_or_else(|| panic!("{text}"));
    let mut lines = rest.lines();
    lines
        .find(|line| line.contains(word))
        .unwrap_or_else(|| panic!("{text}"))
}

/// The text on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_tables_have_the_load_without_and_with_questions_and_their_ratio() {
    let text = in_terminal(&QUESTIONS);
    let rate = line_of(&text, "Load beside questions", "operations/s");
    assert!(
        rate.contains(DESIGNS[0]) && rate.contains("0.67×"),
        "{rate}"
    );
    let p99 = line_of(&text, "Load beside questions", "read p99");
    assert!(p99.contains('×'), "{p99}");
    let question = line_of(&text, "Questions beside the load", "question 1");
    // Three in each of five rounds.
    for figure in ["15", "1.70 s", "2.50 s", " 1"] {
        assert!(question.contains(figure), "{figure}: {question}");
    }
}

#[test]
fn figures_of_the_design_are_those_without_questions() {
    let text = in_terminal(&QUESTIONS);
    let line = line_of(&text, "Load\n", "cassandra/wide");
    assert!(line.contains(" 45"), "{line}");
}

#[test]
fn the_verdict_says_what_the_questions_cost_and_how_many_were_answered() {
    let verdict = verdict(&QUESTIONS);
    for words in [
        "With the questions beside it, cassandra/wide?chunk=4KiB did 0.67× (",
        "The p99 of ",
        "Answered beside it, question 1: 15 times, half of them within 1.70 s.",
    ] {
        assert!(verdict.contains(words), "{words}: {verdict}");
    }
}

#[test]
fn notes_tell_failures_with_their_reason_and_where_the_client_runs() {
    let text = flat(&in_terminal(&QUESTIONS));
    for words in [
        "question 1 beside cassandra/wide?chunk=4KiB failed 1 time",
        "question 1: no memory <left>",
        "answers were counted and not compared",
        "Their client runs on the machine of the load's client",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("at least 5 show"), "there are five rounds");
}

#[test]
fn few_rounds_and_answers_that_never_came_are_told() {
    let mut summary = QUESTIONS.clone();
    let figures = &mut summary.beside[0];
    figures.pairs = 1;
    if let Some(rate) = &mut figures.rate {
        rate.ratio.observations = 1;
    }
    (figures.questions[0].answered, figures.questions[0].failed) = (0, 0);
    let text = flat(&in_terminal(&summary));
    assert!(text.contains("is from 1 round; at least 5 show"), "{text}");
    assert!(
        text.contains("no question was answered before its load ended"),
        "{text}"
    );
    let words = "did 0.67× the operations a second.";
    assert!(text.contains(words), "without an interval: {text}");
    summary.beside[0].questions[0].failed = 3;
    let text = flat(&in_terminal(&summary));
    let words = "No question was answered; 3 failed.";
    assert!(text.contains(words), "{text}");
    assert!(!text.contains("make loads longer"), "{text}");
}

#[test]
fn without_a_pair_of_loads_the_cost_is_not_known() {
    let mut summary = QUESTIONS.clone();
    summary.beside[0].pairs = 0;
    let text = flat(&in_terminal(&summary));
    assert!(text.contains("it has no round with both loads"), "{text}");
    assert!(!text.contains("Load beside questions"), "{text}");
}

#[test]
fn the_page_has_the_questions_and_stays_whole() {
    let page = html::render(&QUESTIONS);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("Questions beside the load"));
    assert!(
        page.contains("WHERE value &lt; &#39;b&#39;"),
        "their SQL is escaped"
    );
    assert!(page.contains("no memory &lt;left&gt;"));
    assert!(!html::render(&COMPARISON).contains("Questions beside the load"));
}

#[test]
fn programs_find_the_figures_in_the_summary() {
    let load = fixture::questions().unwrap();
    let text = json::render(&load.summary, &load.records).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let figures = &value["summary"]["beside"][0];
    assert_eq!(figures["pairs"], 5);
    let ratio = figures["rate"]["ratio"]["median"].as_f64().unwrap();
    assert!((0.6..0.7).contains(&ratio), "{ratio}");
    assert_eq!(figures["questions"][0]["failed"], 1);
    let sql = &value["summary"]["header"]["beside"]["questions"][0]["sql"];
    assert!(sql.as_str().unwrap().starts_with("SELECT"), "{sql}");
}

const TURNS: &str = "Designs that answer, least harm to the load first";

#[test]
fn designs_that_answer_in_turn_are_in_one_table_least_harm_first() {
    let text = in_terminal(&SEVERAL);
    let (_, table) = text.split_once(TURNS).unwrap();
    let place = |id: &str| table.find(id).unwrap_or_else(|| panic!("{id}: {table}"));
    let (parquet, columnar) = (place("parquet?codec=zstd"), place("local/columnar"));
    assert!(parquet < columnar && columnar < place("spark/cassandra/wide"));
    let spark = line_of(&text, TURNS, "spark/");
    // Three answers in each of five rounds.
    for figure in ["15", "2.60 s", "0.67×"] {
        assert!(spark.contains(figure), "{figure}: {spark}");
    }
    let parquet = line_of(&text, TURNS, "parquet?");
    assert!(
        parquet.contains("300 ms") && parquet.contains("0.96×"),
        "{parquet}"
    );
    assert!(!in_terminal(&QUESTIONS).contains(TURNS), "one answers");
    // The other tables say who answered, too.
    let cost = line_of(&text, "Load beside questions", "operations/s");
    assert!(cost.contains("parquet?codec=zstd"), "{cost}");
    assert!(text.contains("Answered by"));
}

#[test]
fn the_verdict_names_the_design_that_costs_the_load_least() {
    let verdict = verdict(&SEVERAL);
    for words in [
        "The questions cost cassandra/wide?chunk=4KiB least, in the median, where parquet?codec=zstd answers them: \
         0.96× (",
        "Answered beside it, question 1: 15 times, half of them within 300 ms.",
        "They cost it most where spark/cassandra/wide does: 0.67× (",
        "Not shown to cost more than parquet?codec=zstd: local/columnar.",
        "These ratios are medians of those within rounds.",
    ] {
        assert!(verdict.contains(words), "{words}: {verdict}");
    }
    let first = "The questions cost cassandra/wide?chunk=4KiB least";
    assert!(verdict.starts_with(first), "{verdict}");
}

#[test]
fn each_design_that_answers_has_the_operation_that_it_slowed_down_most() {
    let text = in_terminal(&SEVERAL);
    let operation = |by: &str| {
        let line = line_of(&text, TURNS, by);
        let cells: Vec<&str> = line.split_whitespace().collect();
        { ["read", "write"].into_iter() }.find(|name| cells.contains(name))
    };
    assert_eq!(operation("parquet?"), Some("read"));
    assert_eq!(operation("spark/"), Some("write"));
    let verdict = verdict(&SEVERAL);
    assert!(verdict.contains("the p99 of read, "), "{verdict}");
    assert!(verdict.contains("the p99 of write, "), "{verdict}");
    let text = flat(&text);
    assert!(
        text.contains("p99 of: the operation whose p99 grew"),
        "{text}"
    );
    let words = "ratio: the median of the ratios within rounds, not the quotient";
    assert!(text.contains(words), "{text}");
    let mut one = SEVERAL.clone();
    one.header.operations.truncate(1);
    for figures in &mut one.beside {
        figures.operations.truncate(1);
    }
    assert!(!in_terminal(&one).contains("p99 of:"));
}

#[test]
fn where_no_answer_was_compared_none_is_said_not_to_differ() {
    assert!(!in_terminal(&SEVERAL).contains("Differed"));
    assert!(!html::render(&SEVERAL).contains(">Differed<"));
    let mut summary = SEVERAL.clone();
    summary.beside[0].questions[0].compared = 14;
    let text = in_terminal(&summary);
    let last = |by: &str| {
        let line = line_of(&text, "Questions beside the load", by);
        let cells: Vec<&str> = line.split_whitespace().rev().take(2).collect();
        cells[1].to_owned()
    };
    assert_eq!(last("spark/cassandra/wide"), "0");
    assert_eq!(last("local/columnar"), "–");
    assert!(html::render(&summary).contains("Differed</th>"));
}

#[test]
fn a_design_that_answers_no_more_is_a_failure() {
    let mut summary = SEVERAL.clone();
    let parquet = "parquet?codec=zstd";
    summary.answering_ended = vec![AnsweringEnded {
        design: parquet.to_owned(),
        reason: "no <disk>".to_owned(),
    }];
    for figures in &mut summary.beside {
        if figures.answered_by.as_deref() == Some(parquet) {
            figures.questions[0].answered = 0;
        }
    }
    let text = in_terminal(&summary);
    assert!(line_of(&text, "Failures", parquet).contains('✗'), "{text}");
    let text = flat(&text);
    let words = "Not compared: parquet?codec=zstd; no question was answered, one failed,";
    assert!(text.contains(words), "{text}");
    // The two others are left, and their difference is shown.
    let words = "least where local/columnar answers them";
    assert!(text.contains(words), "{text}");
    assert!(!text.contains("Not shown to cost more"), "{text}");
    assert!(html::render(&summary).contains("no &lt;disk&gt;"));
}

#[test]
fn without_a_design_that_answered_well_none_is_said_to_cost_least() {
    let mut summary = SEVERAL.clone();
    for figures in &mut summary.beside {
        figures.questions[0].failed = 1;
    }
    let verdict = verdict(&summary);
    let words = "Whose answers cost cassandra/wide?chunk=4KiB least is not known: of each design, no question";
    assert!(verdict.contains(words), "{verdict}");
}

#[test]
fn a_difference_in_few_rounds_is_not_called_one() {
    let mut summary = SEVERAL.clone();
    for trial in &mut summary.trials {
        if trial.start.beside && trial.start.round == 5 {
            trial.end = None;
        }
    }
    let verdict = verdict(&summary);
    let words =
        "Not shown to cost more than parquet?codec=zstd: local/columnar and spark/cassandra/wide.";
    assert!(verdict.contains(words), "{verdict}");
    assert!(!verdict.contains("cost it most"), "{verdict}");
}

#[test]
fn the_page_has_the_designs_that_answer_and_stays_whole() {
    let page = html::render(&SEVERAL);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    for words in [
        ">Answered by<",
        "p99 beside",
        "those with the least harm first",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!html::render(&QUESTIONS).contains(">Answered by<"));
}

#[test]
fn the_table_of_loads_says_who_answered_beside_each_and_which_only_warmed_up() {
    let mut summary = SEVERAL.clone();
    summary.trials[0].start.warm_up = true;
    let page = html::render(&summary);
    let (_, loads) = page.split_once("<h2>Loads</h2>").unwrap();
    let loads = loads.split("</section>").next().unwrap();
    let rows: Vec<&str> = loads.split("<tr>").skip(2).collect();
    assert!(
        rows[0].contains("<td>warm-up</td><td>–</td>"),
        "{}",
        rows[0]
    );
    let second = "<td>1</td><td>spark/<wbr>cassandra/<wbr>wide</td><td>as fast as it goes</td>";
    assert!(rows[1].contains(second), "{}", rows[1]);
    let own = html::render(&QUESTIONS);
    let (_, own) = own.split_once("<h2>Loads</h2>").unwrap();
    let own = own.split("</section>").next().unwrap();
    let driven = "<td>cassandra/<wbr>wide?<wbr>chunk=4KiB</td>";
    assert_eq!(own.matches(driven).count(), 5, "{own}");
    let without = html::render(&COMPARISON);
    assert!(!without.contains("Questions answered by"));
}

#[test]
fn the_page_draws_the_load_alone_and_beside_each_answer_over_each_other() {
    let page = html::render(&SEVERAL);
    let title = "its load alone and beside answers, second by second";
    let (_, figure) = page.split_once(title).unwrap();
    let figure = figure.split("</figure>").next().unwrap();
    let names: Vec<&str> = { figure.split("</span>").skip(1) }
        .filter_map(|rest| rest.split("</li>").next())
        .collect();
    let expected = [
        "alone",
        "parquet?codec=zstd",
        "local/columnar",
        "spark/cassandra/wide",
    ];
    assert_eq!(names, expected);
    assert!(figure.contains("Operations a second"), "{figure}");
    assert!(figure.contains(", in the first round"), "{figure}");
    assert!(figure.contains("Response time p99 of write"), "{figure}");
    assert!(page.contains("Response times are those of write: "));
    assert!(!html::render(&QUESTIONS).contains(title));
}

#[test]
fn other_tools_get_the_design_that_answered_as_a_label() {
    let values = of_drive(&SEVERAL, "several");
    let of = |figure: Figure, by: Option<&str>| {
        let values = values.values.iter();
        values
            .filter(|v| v.figure == figure && v.answered_by.as_deref() == by)
            .count()
    };
    assert_eq!(of(Figure::OperationsRate, None), 5);
    for by in [
        "spark/cassandra/wide",
        "local/columnar",
        "parquet?codec=zstd",
    ] {
        assert_eq!(of(Figure::BesideRate, Some(by)), 5);
        assert_eq!(of(Figure::Answers, Some(by)), 1);
    }
    assert_eq!(of(Figure::BesideRate, None), 0);
    let own = of_drive(&QUESTIONS, "own").values;
    assert!(own.iter().all(|value| value.answered_by.is_none()));
}

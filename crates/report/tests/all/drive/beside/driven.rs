//! Reports of questions that the driven design itself answers in turn with others.

use bakeoff_report::drive::html;
use bakeoff_stats::drive::DriveSummary;

use super::super::fixture::DESIGNS;
use super::super::read::{SEVERAL, verdict};
use super::{TURNS, flat, in_terminal, line_of};

/// The same as [`SEVERAL`], where the driven design itself answered in place of `local/columnar`, over rows that change.
fn with_the_driven_design() -> DriveSummary {
    let mut summary = SEVERAL.clone();
    let itself = "local/columnar";
    if let Some(beside) = &mut summary.header.beside {
        beside.designs.retain(|design| design.id != itself);
        (beside.driven, beside.compared) = (true, false);
    }
    let starts = summary.trials.iter_mut().map(|t| &mut t.start.answered_by);
    let figures = summary.beside.iter_mut().map(|f| &mut f.answered_by);
    for answered_by in starts.chain(figures) {
        if answered_by.as_deref() == Some(itself) {
            *answered_by = None;
        }
    }
    summary
}

#[test]
fn the_driven_design_has_its_line_among_those_that_answer() {
    let summary = with_the_driven_design();
    let text = in_terminal(&summary);
    // The column of driven designs names it in the first line alone, which is that of another one.
    let itself = line_of(&text, TURNS, "500 ms");
    assert!(itself.contains(DESIGNS[0]), "{itself}");
    let first = line_of(&text, TURNS, "300 ms");
    assert!(first.contains("parquet?codec=zstd"), "{first}");
    let question = line_of(&text, "Questions beside the load", "500 ms");
    assert!(question.contains(DESIGNS[0]), "{question}");
    let verdict = verdict(&summary);
    let words = "Not shown to cost more than parquet?codec=zstd: cassandra/wide?chunk=4KiB.";
    assert!(verdict.contains(words), "{verdict}");
}

#[test]
fn a_note_says_whose_answers_were_compared() {
    let text = flat(&in_terminal(&with_the_driven_design()));
    let words = "parquet?codec=zstd and the driven design itself answered in turn; the load changes the rows of the \
                 driven design, so that its answers were counted and not compared; the others kept the rows";
    assert!(text.contains(words), "{text}");
    let text = flat(&in_terminal(&SEVERAL));
    let words =
        "answered in turn, with the rows that each design began with; answers were compared";
    assert!(text.contains(words), "{text}");
}

#[test]
fn the_page_draws_the_load_beside_its_own_answers_too() {
    let page = html::render(&with_the_driven_design());
    let (_, figure) = page
        .split_once("its load alone and beside answers")
        .unwrap();
    let figure = figure.split("</figure>").next().unwrap();
    for name in ["alone", DESIGNS[0], "parquet?codec=zstd"] {
        let end = format!("</span>{name}</li>");
        assert!(figure.contains(&end), "{name}: {figure}");
    }
}

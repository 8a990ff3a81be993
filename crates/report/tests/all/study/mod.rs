//! Pages of a study whose steps are the fixtures of a comparison, a load and a sweep.

pub mod fixture;

use crate::compare::html::open_elements;
use bakeoff_report::study::{Page, html, markdown};
use bakeoff_stats::study::StepResult;
use fixture::{SOURCE, results, study};

fn page<'a>(study: &'a bakeoff_stats::study::Study, steps: &'a [StepResult]) -> Page<'a> {
    Page {
        study,
        size: "with a budget of 10m".to_owned(),
        command: "bakeoff study s9 --budget 10m --out runs/s9".to_owned(),
        version: "0.1.0",
        steps,
    }
}

#[track_caller]
fn has(page: &str, words: &[&str]) {
    for words in words {
        assert!(page.contains(words), "`{words}` is not in: {page}");
    }
}

#[test]
fn both_forms_say_what_holds_and_by_which_figures() {
    let (study, steps) = (study(), results().unwrap());
    let page = page(&study, &steps);
    let (html, markdown) = (html(&page), markdown(&page, "study"));
    let verdict =
        "3 of 7 published statements hold. Do not hold: 1. Not settled: 1. Not measured: 2.";
    let both = [
        verdict,
        "A. Nobody (2016)",
        "After A. Nobody (2016): Which one is faster. Measured with a budget of 10m.",
        "4.1",
        "time of scan: cassandra/narrow ÷ cassandra/blob",
        "holds from 2.00× to 12×",
        "does not hold",
        "It was so in 2016.",
        "not settled",
        "of at least 5 rounds",
        "nothing costs anything here",
        "Step designs: all designs",
        "238.4",
        "begun 2026-03-02",
        "What failed",
        "COMPACT STORAGE tables are not allowed",
        "finished",
        "Published figures",
        "another process used 0.4 of the 2 cores during round 5",
        "Repeat it",
        "bakeoff study s9 --budget 10m --out runs/s9",
        "Step later: what comes later",
        "This step is not measured: no server.",
        "2 of 4 steps were measured to their end.",
    ];
    let text = html.replace("<wbr>", "").replace("&#39;", "'");
    has(&text, &both);
    has(&markdown.text.replace("\\_", "_"), &both);
}

#[test]
fn the_page_needs_nothing_else_and_reads_on_phones_and_in_the_dark() {
    let (study, steps) = (study(), results().unwrap());
    let html = html(&page(&study, &steps));
    has(
        &html,
        &[
            "name=\"viewport\"",
            "prefers-color-scheme: dark",
            "<div class=\"phone\"><svg",
            "<div class=\"charts\">",
            "<div class=\"scroll\"",
            "<section class=\"failures\">",
        ],
    );
    assert!(
        !html.contains("<script") && !html.contains("<img"),
        "{html}"
    );
    assert_eq!(open_elements(&html), Ok(Vec::new()));
}

#[test]
fn every_chart_of_the_markdown_is_a_file_of_its_own() {
    let (study, steps) = (study(), results().unwrap());
    let markdown = markdown(&page(&study, &steps), "charts");
    assert!(markdown.charts.len() > 8, "{}", markdown.charts.len());
    let mut names: Vec<&str> = Vec::new();
    for (name, svg) in &markdown.charts {
        assert!(!names.contains(&name.as_str()), "{name}");
        names.push(name);
        has(&markdown.text, &[&format!("(charts/{name})")]);
        assert!(svg.starts_with("<svg xmlns="), "{name}");
    }
    has(
        &names.join(" "),
        &["designs-scan.svg", "load-operations-a-second.svg"],
    );
    // A table's rows have as many cells as its head.
    let mut cells = 0;
    for line in markdown.text.lines() {
        let bars = line.replace("\\|", "").matches('|').count();
        if !line.starts_with('|') {
            cells = 0;
        } else if cells == 0 {
            cells = bars;
        } else {
            assert_eq!(bars, cells, "{line}");
        }
    }
}

#[test]
fn what_came_from_outside_is_text_in_both_forms() {
    let (mut study, steps) = (study(), results().unwrap());
    study.claims[0].text = "<script>alert(1)</script> | *x*".to_owned();
    study.title = "<img src=x>".to_owned();
    let page = page(&study, &steps);
    let html = html(&page);
    assert!(
        !html.contains("<script>") && !html.contains("<img"),
        "{html}"
    );
    let markdown = markdown(&page, "study").text;
    assert!(
        !markdown.contains("<script>") && !markdown.contains("<img"),
        "{markdown}"
    );
    has(&markdown, &["&lt;script&gt;", "\\| \\*x\\*"]);
}

#[test]
fn without_any_figures_there_is_still_a_page() {
    let study = study();
    let html = html(&page(&study, &[]));
    has(
        &html,
        &[
            "0 of 7 published statements hold. Do not hold: 0. Not settled: 0. Not measured: 7.",
            SOURCE,
        ],
    );
    assert!(html.contains("not measured"), "{html}");
}

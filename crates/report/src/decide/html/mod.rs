//! Renders a decision as HTML: the sentence, a small table, what would change it, and a heat map of all
//! designs by all questions.

mod heat;
mod orders;
mod tables;

use bakeoff_stats::PairedComparison;
use bakeoff_stats::decide::{Certainty, Decision};

use super::words;
use crate::markup::{Escaped, Sentences};
use crate::page::cards;

/// Style sheet of [`section`], in addition to those of all pages and of [`cards`].
pub const STYLE: &str = include_str!("style.css");

/// Reasons that a list shows before it folds the others away, but for changes.
const SHOWN: usize = 5;

/// Renders the section of a page. Everything that came from outside is escaped.
pub fn section(decision: &Decision) -> String {
    section_of_run(decision, &PairedComparison::default())
}

/// Renders the section of a run's page; the designs of a run were compared within rounds.
pub fn section_of_run(decision: &Decision, compared: &PairedComparison) -> String {
    let parts = [
        recommendation(decision),
        tables::choices(decision),
        tables::waits(decision),
        list("What you give up", &words::give_up(decision), SHOWN),
        list(
            "What would change it",
            &words::flips(decision),
            words::MOST_CHANGES,
        ),
        list("Left out", &words::left_out(decision), SHOWN),
        limits_of_the_run(decision),
        heat::map(decision, compared),
    ];
    format!(
        "<section class=\"decision\">\n{}</section>\n",
        parts.concat()
    )
}

/// Renders a separate page, with the style sheet of all pages.
pub fn page(decision: &Decision, title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} · Bakeoff</title>\n<style>\n{}{}{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<header>\n<h1>{}</h1>\n</header>\n{}</main>\n</body>\n</html>\n",
        Escaped(title),
        crate::page::STYLE,
        cards::STYLE,
        Escaped(title),
        section(decision),
    )
}

fn recommendation(decision: &Decision) -> String {
    let class = match decision
        .recommendation
        .as_ref()
        .map(|r| (r.certainty, r.is_nearest_to_limits))
    {
        Some((Certainty::Settled, false)) => "take settled",
        Some(_) => "take open",
        None => "take none",
    };
    let headline = format!(
        "<p class=\"{class}\">{}</p>\n",
        Sentences(words::headline(decision))
    );
    let sentences = [
        words::certainty(decision),
        words::buy_sentence(decision),
        words::to_baseline(decision).map(|text| format!("Against {text}")),
        Some(format!("Rule: {}", words::rule(decision))),
    ];
    let paragraphs = sentences
        .into_iter()
        .flatten()
        .map(|text| format!("<p>{}</p>\n", Sentences(text)));
    headline + &paragraphs.collect::<String>()
}

/// Renders a list with its first items shown and the others folded away.
fn list(title: &str, items: &[String], shown: usize) -> String {
    if items.is_empty() {
        return String::new();
    }
    let (shown, more) = items.split_at(items.len().min(shown));
    let more = if more.is_empty() {
        String::new()
    } else {
        format!(
            "<details><summary>{} more</summary>\n{}</details>\n",
            more.len(),
            unordered(more)
        )
    };
    format!("<h3>{}</h3>\n{}{more}", Escaped(title), unordered(shown))
}

fn unordered(items: &[String]) -> String {
    let items = items
        .iter()
        .map(|item| format!("<li>{}</li>\n", Sentences(item)));
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

fn limits_of_the_run(decision: &Decision) -> String {
    let sentences = [Some(words::floor(decision)), words::not_measured(decision)];
    let paragraphs = sentences
        .into_iter()
        .flatten()
        .map(|text| format!("<p class=\"hint-text\">{}</p>\n", Sentences(text)));
    format!(
        "<h3>What this run cannot say</h3>\n{}",
        paragraphs.collect::<String>()
    )
}

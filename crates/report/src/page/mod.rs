//! What the HTML pages of all measurements have: a document that needs no network and no scripts.

pub mod published;
pub mod setup;
pub mod table;

use crate::answer::Answer;
use crate::markup::Escaped;

const STYLE: &str = include_str!("style.css");

/// A document of these sections; the title is text, all else HTML.
pub fn page(title: &str, sections: &str, footer: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} · Bakeoff</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n{sections}</main>\n{footer}</body>\n</html>\n",
        Escaped(title),
    )
}

pub fn section(title: &str, content: &str) -> String {
    format!(
        "<section>\n<h2>{}</h2>\n{content}</section>\n",
        Escaped(title)
    )
}

pub fn answer_list(answers: impl Iterator<Item = Answer>) -> String {
    let answers: String = answers
        .map(|answer| {
            format!(
                "<div><dt>{}</dt><dd class=\"figure\">{}</dd><dd>{}</dd></div>\n",
                Escaped(&answer.question),
                Escaped(&answer.figure),
                Escaped(&answer.basis)
            )
        })
        .collect();
    if answers.is_empty() {
        answers
    } else {
        format!("<dl class=\"answers\">\n{answers}</dl>\n")
    }
}

/// Where each happened, and why.
pub fn failure_list<'a>(failures: impl Iterator<Item = (String, &'a str)>) -> String {
    let items: String = failures
        .map(|(place, reason)| format!("<dt>{}</dt><dd>{}</dd>\n", Escaped(place), Escaped(reason)))
        .collect();
    if items.is_empty() {
        return items;
    }
    format!("<section class=\"failures\">\n<h2>Failures</h2>\n<dl>\n{items}</dl>\n</section>\n")
}

pub fn charts_section(title: &str, hint: &str, charts: &str) -> String {
    if charts.is_empty() {
        return String::new();
    }
    let hint = format!("<p class=\"hint-text\">{hint}</p>\n");
    section(
        title,
        &format!("{hint}<div class=\"charts\">\n{charts}</div>\n"),
    )
}

pub fn chart_figure(title: &str, chart: &str) -> String {
    format!("<figure><h3>{}</h3>\n{chart}</figure>\n", Escaped(title))
}

pub fn state(finished: bool, interrupted: bool) -> &'static str {
    match (finished, interrupted) {
        (true, _) => "finished",
        (false, true) => "interrupted",
        (false, false) => "not finished",
    }
}

pub fn footer_line(version: &str, what: &str, command: &str) -> String {
    format!(
        "<footer>Bakeoff {} · {what} · <code>{}</code></footer>\n",
        Escaped(version),
        Escaped(command),
    )
}

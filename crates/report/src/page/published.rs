//! Shows published figures for the same questions next to the measured ones.

use bakeoff_stats::PublishedFigure;

use super::section;
use super::table::{Heading, NONE, Table};
use crate::markup::Escaped;

/// Renders the section, or nothing if nothing was published. `ours` returns the designs' figures of a name.
pub fn of<'a>(
    source: &str,
    published: &[PublishedFigure],
    notes: &[String],
    ours: impl Fn(&str) -> Vec<(&'a str, String)>,
) -> String {
    if published.is_empty() && notes.is_empty() {
        return String::new();
    }
    let table = if published.is_empty() {
        String::new()
    } else {
        table(published, ours)
    };
    let notes: String = notes
        .iter()
        .map(|n| format!("<li>{}</li>\n", Escaped(n)))
        .collect();
    let content = format!(
        "<p class=\"hint-text\">{}. Hardware, versions and row counts differ: for orientation, not \
         for comparison.</p>\n{table}<ul class=\"notes\">\n{notes}</ul>\n",
        Escaped(source.trim_end_matches('.')),
    );
    section("Published figures", &content)
}

/// Renders published figures next to ours. Its designs and ours need not be the same, so rows are not paired.
fn table<'a>(
    published: &[PublishedFigure],
    ours: impl Fn(&str) -> Vec<(&'a str, String)>,
) -> String {
    let mut whats: Vec<&str> = Vec::new();
    for figure in published {
        if !whats.contains(&figure.what.as_str()) {
            whats.push(&figure.what);
        }
    }
    let row = |what: &&str| {
        let theirs = published
            .iter()
            .filter(|f| f.what == **what)
            .map(|f| (f.design.as_str(), f.figure.clone()));
        let ours = ours(what).into_iter();
        vec![Escaped(what).to_string(), figures(theirs), figures(ours)]
    };
    let table = Table {
        caption: "",
        head: vec![
            Heading::text("Figure"),
            Heading::text("As published"),
            Heading::text("In this run"),
        ],
        rows: whats.iter().map(row).collect(),
    };
    table.html()
}

fn figures<'a>(figures: impl Iterator<Item = (&'a str, String)>) -> String {
    let lines: Vec<String> = figures
        .map(|(design, figure)| format!("{}: {}", Escaped(design), Escaped(figure)))
        .collect();
    if lines.is_empty() {
        NONE.to_owned()
    } else {
        lines.join("<br>")
    }
}

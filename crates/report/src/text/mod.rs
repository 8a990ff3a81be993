//! Renders the parts that the terminal reports of all measurements share.

pub mod layout;
pub mod style;

use style::{Style, wrap};

/// Columns of a line of text that is not made for the width of a terminal.
pub const COLUMNS: usize = 100;

pub fn section(title: &str, style: Style, body: &str) -> String {
    format!("{}\n{body}", style.bold(title))
}

/// Renders wrapped text under a title.
pub fn paragraph(title: &str, text: &str, width: usize, style: Style) -> String {
    section(title, style, &wrap(text, width, "", ""))
}

/// Renders a wrapped head, and below it lines of any length as they are.
pub fn with_lines(head: &str, lines: &str, width: usize) -> String {
    let lines = lines.lines().map(|line| format!("\n  {line}"));
    wrap(head, width, "", "  ") + &lines.collect::<String>()
}

/// Renders the place and the reason of a failure.
pub fn failure(place: &str, reason: &str, width: usize, style: Style) -> String {
    let place = style.red(&wrap(place, width, "✗ ", "  "));
    format!("{place}\n{}", wrap(reason, width, "  ", "  "))
}

/// Renders all failures, each from [`failure`]; `None` if there are none.
pub fn failures(failures: &[String], style: Style) -> Option<String> {
    (!failures.is_empty()).then(|| section("Failures", style, &failures.join("\n")))
}

/// Renders all notes; `None` if there are none.
pub fn notes(notes: &[String], width: usize, style: Style) -> Option<String> {
    let lines: Vec<String> = notes
        .iter()
        .map(|note| wrap(note, width, "! ", "  "))
        .collect();
    (!lines.is_empty()).then(|| section("Notes", style, &lines.join("\n")))
}

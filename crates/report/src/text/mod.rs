//! What the terminal reports of all measurements have: a heading, failures, notes and the verdict.

pub mod layout;
pub mod style;

use style::{Style, wrap};

pub fn section(title: &str, style: Style, body: &str) -> String {
    format!("{}\n{body}", style.bold(title))
}

/// A section of wrapped text.
pub fn paragraph(title: &str, text: &str, width: usize, style: Style) -> String {
    section(title, style, &wrap(text, width, "", ""))
}

/// Where a failure happened, and why.
pub fn failure(place: &str, reason: &str, width: usize, style: Style) -> String {
    let place = style.red(&wrap(place, width, "✗ ", "  "));
    format!("{place}\n{}", wrap(reason, width, "  ", "  "))
}

/// The section of failures; `None` without any.
pub fn failures(failures: &[String], style: Style) -> Option<String> {
    (!failures.is_empty()).then(|| section("Failures", style, &failures.join("\n")))
}

/// The section of notes; `None` without any.
pub fn notes(notes: &[String], width: usize, style: Style) -> Option<String> {
    let lines: Vec<String> = notes
        .iter()
        .map(|note| wrap(note, width, "! ", "  "))
        .collect();
    (!lines.is_empty()).then(|| section("Notes", style, &lines.join("\n")))
}

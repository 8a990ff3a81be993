//! First rows as they are stored, which fold away by design.

use bakeoff_stats::{Stored, Summary};

use crate::compare::stored::{HINT, TITLE, by_design, headline, lines};
use crate::markup::Escaped;
use crate::page::section;
use crate::page::setup::details;

/// Renders the section; it is empty for a run that has none on record.
pub fn of_run(summary: &Summary) -> String {
    let designs = by_design(summary);
    if designs.is_empty() {
        return String::new();
    }
    let designs = designs.into_iter();
    let folded = designs.map(|stored| details(&stored.design, &rows(stored)));
    let hint = format!("<p class=\"hint-text\">{}</p>\n", Escaped(HINT));
    section(TITLE, &(hint + &folded.collect::<String>()))
}

fn rows(stored: &Stored) -> String {
    let headline = format!("<p>{}</p>\n", Escaped(headline(stored)));
    let lines = lines(stored);
    if lines.is_empty() {
        return headline;
    }
    format!("{headline}<pre>{}</pre>\n", Escaped(lines))
}

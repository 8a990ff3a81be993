//! Sets of parameters with which several clients asked, as a table.

use bakeoff_stats::{CheckedSets, Summary};

use crate::compare::sets::{COLUMNS, TITLE, cells, hint, is_lacking};
use crate::markup::Escaped;
use crate::page::table::{Heading, Table};

/// Empty where all sets have a right answer because they are few.
pub fn of_clients(summary: &Summary) -> String {
    let Some(hint) = hint(summary) else {
        return String::new();
    };
    let head = std::iter::once(Heading::text("Query")).chain(COLUMNS.map(Heading::number));
    let rows = summary.checked_sets();
    let table = Table {
        caption: "",
        head: head.collect(),
        rows: rows.iter().map(row).collect(),
    };
    format!(
        "<h3>{TITLE}</h3>\n<p class=\"hint-text\">{}</p>\n{}",
        Escaped(hint),
        table.html()
    )
}

fn row(sets: &CheckedSets<'_>) -> Vec<String> {
    let mut figures = cells(sets);
    if is_lacking(sets) {
        let last = figures.len() - 1;
        figures[last] = format!("<span class=\"failed\">{}</span>", figures[last]);
    }
    let query = Escaped(sets.query).to_string();
    std::iter::once(query).chain(figures).collect()
}

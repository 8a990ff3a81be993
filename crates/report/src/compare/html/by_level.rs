//! The fastest design for each question at each consistency level.

use bakeoff_stats::{AtLevels, Summary};

use crate::compare::by_level::{TITLE, fastest, name, queries};
use crate::markup::Escaped;
use crate::page::section;
use crate::page::table::{Heading, Table, or_none};

const CAPTION: &str = "The fastest design for each question, of those for whose reads one copy of a row is enough and \
                       of those that wait for more, with its median; “not settled” where the rounds do not show that no \
                       other one is as fast.";

/// Renders the section; it is empty for a run that does not compare consistency levels.
pub fn of_run(summary: &Summary) -> String {
    let Some(groups) = summary.by_level() else {
        return String::new();
    };
    let queries = queries(summary, &groups);
    if queries.is_empty() {
        return String::new();
    }
    let row = |group: &AtLevels| -> Vec<String> {
        let cells = queries.iter().map(|query| {
            or_none(fastest(summary, group, query), |text| {
                Escaped(text).to_string()
            })
        });
        std::iter::once(Escaped(name(group)).to_string())
            .chain(cells)
            .collect()
    };
    let questions = queries.iter().map(|query| Heading::words(query));
    let table = Table {
        caption: CAPTION,
        head: std::iter::once(Heading::text("Read at"))
            .chain(questions)
            .collect(),
        rows: groups.iter().map(row).collect(),
    };
    section(TITLE, &table.html())
}

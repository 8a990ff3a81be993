//! Two designs that are kept together, as a table.

use bakeoff_stats::Summary;

use crate::compare::together::{HINT, TITLE, answer, rows};
use crate::markup::Escaped;
use crate::page::section;
use crate::page::table::{Heading, Table};

/// Empty unless two designs were asked for.
pub fn of_run(summary: &Summary) -> String {
    let Some(together) = &summary.together else {
        return String::new();
    };
    let [one, other] = &together.designs;
    let table = Table {
        caption: HINT,
        head: vec![
            Heading::text("Figure"),
            Heading::number(one),
            Heading::number(other),
            Heading::number("Together"),
        ],
        rows: rows(summary, together)
            .into_iter()
            .map(|row| {
                let cells = row.cells.into_iter().map(|cell| Escaped(cell).to_string());
                std::iter::once(Escaped(row.name).to_string())
                    .chain(cells)
                    .collect()
            })
            .collect(),
    };
    let answer = format!("<p>{}</p>\n", Escaped(answer(together)));
    section(TITLE, &(answer + &table.html()))
}

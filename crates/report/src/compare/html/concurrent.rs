//! Questions of several clients at the same time, as tables.

use bakeoff_stats::{ConcurrentSummary, Summary};

use crate::compare::concurrent::{
    COLUMNS, QUERY_COLUMNS, Row, TITLE, compared, hint, query_row, row,
};
use crate::markup::{Escaped, design_id};
use crate::page::section;
use crate::page::table::{Heading, NONE, Table};

/// Empty where no design was asked that way.
pub fn of_run(summary: &Summary) -> String {
    let Some(hint) = hint(summary) else {
        return String::new();
    };
    let asked = { summary.designs.iter() }
        .filter_map(|d| Some((d.info.id.as_str(), d.concurrent.as_ref()?)));
    let asked: Vec<(&str, &ConcurrentSummary)> = asked.collect();
    let all = asked
        .iter()
        .map(|(id, c)| cells(design_id(id), row(summary, id, c)));
    let mut content = format!("<p class=\"hint-text\">{}</p>\n", Escaped(hint));
    content += &table("Design", COLUMNS, all.collect());
    for (id, concurrent) in &asked {
        let queries = concurrent.queries.iter();
        let rows = queries.map(|(query, figures)| {
            let row = query_row(figures, compared(summary, query, id));
            cells(Escaped(query).to_string(), row)
        });
        content += &format!(
            "<details><summary>{}, query by query</summary>\n{}</details>\n",
            Escaped(id),
            table("Query", QUERY_COLUMNS, rows.collect())
        );
    }
    section(TITLE, &content)
}

fn table(first: &str, columns: [&str; 7], rows: Vec<Vec<String>>) -> String {
    let head = std::iter::once(Heading::text(first)).chain(columns.map(Heading::number));
    let table = Table {
        caption: "",
        head: head.collect(),
        rows,
    };
    table.html()
}

fn cells(first: String, row: Row) -> Vec<String> {
    let last = row.cells.len() - 2;
    let cell = |(column, text): (usize, Option<String>)| {
        let text = text.unwrap_or_else(|| NONE.to_owned());
        if column >= last && !row.is_right {
            format!("<span class=\"failed\">{text}</span>")
        } else {
            text
        }
    };
    let figures = row.cells.into_iter().enumerate().map(cell);
    std::iter::once(first).chain(figures).collect()
}

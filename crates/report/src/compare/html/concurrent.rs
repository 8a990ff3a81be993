//! Questions of several clients at the same time, as tables.

use bakeoff_stats::{ConcurrentFigures, ConcurrentSummary, Summary};

use crate::compare::concurrent::{COLUMNS, TITLE, cells, hint, is_right};
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
    let all = asked.iter().map(|(id, c)| row(design_id(id), &c.all));
    let mut content = format!("<p class=\"hint-text\">{}</p>\n", Escaped(hint));
    content += &table("Design", all.collect());
    for (id, concurrent) in &asked {
        let queries = concurrent.queries.iter();
        let rows = queries.map(|(query, figures)| row(Escaped(query).to_string(), figures));
        content += &format!(
            "<details><summary>{}, query by query</summary>\n{}</details>\n",
            Escaped(id),
            table("Query", rows.collect())
        );
    }
    section(TITLE, &content)
}

fn table(first: &str, rows: Vec<Vec<String>>) -> String {
    let head = std::iter::once(Heading::text(first)).chain(COLUMNS.map(Heading::number));
    let table = Table {
        caption: "",
        head: head.collect(),
        rows,
    };
    table.html()
}

fn row(first: String, figures: &ConcurrentFigures) -> Vec<String> {
    let cell = |(column, text): (usize, Option<String>)| {
        let text = text.unwrap_or_else(|| NONE.to_owned());
        if column + 2 >= COLUMNS.len() && !is_right(figures) {
            format!("<span class=\"failed\">{text}</span>")
        } else {
            text
        }
    };
    let figures = cells(figures).into_iter().enumerate().map(cell);
    std::iter::once(first).chain(figures).collect()
}

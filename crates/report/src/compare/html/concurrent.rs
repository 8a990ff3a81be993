//! Questions of several clients at the same time, as tables; as charts, too, where one query is asked at a
//! time.

use bakeoff_stats::{ConcurrentSummary, DesignSummary, Summary};

use super::sets;
use crate::chart;
use crate::compare::concurrent::{
    Row, TITLE, columns, hint, is_one_query_at_a_time, query_columns, query_row, row,
};
use crate::markup::{Escaped, design_id};
use crate::page::table::{Heading, NONE, Table};
use crate::page::{chart_figure, section};

/// Empty where no design was asked that way.
pub fn of_run(summary: &Summary) -> String {
    let Some(hint) = hint(summary) else {
        return String::new();
    };
    let asked = { summary.designs.iter() }.filter_map(|d| Some((d, d.concurrent.as_ref()?)));
    let asked: Vec<(&DesignSummary, &ConcurrentSummary)> = asked.collect();
    let all = asked.iter().map(|(design, asked)| {
        let id = &design.info.id;
        cells(design_id(id), row(summary, id, asked))
    });
    let mut content = format!("<p class=\"hint-text\">{}</p>\n", Escaped(hint));
    content += &charts(summary);
    content += &table("Design", columns(summary), all.collect());
    content += &sets::of_clients(summary);
    for (design, concurrent) in &asked {
        let queries = concurrent.queries.iter();
        let rows = queries.filter_map(|(query, _)| {
            let row = query_row(summary, query, design)?;
            Some(cells(Escaped(query).to_string(), row))
        });
        content += &format!(
            "<details><summary>{}, query by query</summary>\n{}</details>\n",
            Escaped(&design.info.id),
            table("Query", query_columns(summary), rows.collect())
        );
    }
    section(TITLE, &content)
}

/// Two charts of each query that was asked alone; empty where clients asked all of them.
fn charts(summary: &Summary) -> String {
    if !is_one_query_at_a_time(summary) {
        return String::new();
    }
    let of_query = |query: &str| -> Option<String> {
        let times = chart::client_time_bars(summary, query)?;
        let rates = chart::client_rate_bars(summary, query)?;
        let times = chart_figure(&format!("{query}: mean response time"), &times);
        Some(times + &chart_figure(&format!("{query}: answers a second"), &rates))
    };
    let queries = summary.header.queries.iter();
    let charts: String = queries.filter_map(|query| of_query(&query.name)).collect();
    format!("<div class=\"charts\">\n{charts}</div>\n")
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

//! Questions of several clients at the same time: a table over all queries, then one of each.

use bakeoff_stats::{DesignSummary, Summary};
use comfy_table::{Attribute, Cell};

use super::sets;
use crate::compare::concurrent::{Row, columns, hint, query_columns, query_row, row};
use crate::text::layout::{NONE, left, red, right, set_width, table};
use crate::text::style::{Style, wrap};

/// `None` where no design was asked that way.
pub fn tables(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let mut parts = vec![wrap(&hint(summary)?, width, "", "")];
    let all = |d: &DesignSummary| Some(row(summary, &d.info.id, d.concurrent.as_ref()?));
    let heading = ("All queries", columns(summary));
    parts.push(of(summary, heading, &all, width, style));
    for query in &summary.header.queries {
        let of_query = |d: &DesignSummary| query_row(summary, &query.name, d);
        let heading = (query.name.as_str(), query_columns(summary));
        parts.push(of(summary, heading, &of_query, width, style));
    }
    parts.extend(sets::table_of_clients(summary, width, style));
    Some(parts.join("\n\n"))
}

fn of(
    summary: &Summary,
    (title, columns): (&str, [&str; 7]),
    row: &dyn Fn(&DesignSummary) -> Option<Row>,
    width: usize,
    style: Style,
) -> String {
    let mut table = table(style);
    set_width(&mut table, width);
    let title = Cell::new(title).add_attribute(Attribute::Bold);
    table.set_header(std::iter::once(title).chain(columns.map(right)));
    for design in &summary.designs {
        let Some(row) = row(design) else {
            continue;
        };
        let last = row.cells.len() - 2;
        let cell = |(column, text): (usize, Option<String>)| {
            let cell = right(text.unwrap_or_else(|| NONE.to_owned()));
            let bad = column >= last && !row.is_right;
            if bad { red(cell) } else { cell }
        };
        let figures = row.cells.into_iter().enumerate().map(cell);
        table.add_row(std::iter::once(left(&design.info.id)).chain(figures));
    }
    table.trim_fmt()
}

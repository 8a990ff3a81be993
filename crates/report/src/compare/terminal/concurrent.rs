//! Questions of several clients at the same time: a table over all queries, then one of each.

use bakeoff_stats::{ConcurrentFigures, DesignSummary, Summary};
use comfy_table::{Attribute, Cell};

use crate::compare::concurrent::{COLUMNS, cells, hint, is_right};
use crate::text::layout::{NONE, left, red, right, set_width, table};
use crate::text::style::{Style, wrap};

/// `None` where no design was asked that way.
pub fn tables(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let mut parts = vec![wrap(&hint(summary)?, width, "", "")];
    let all = |d: &DesignSummary| d.concurrent.as_ref().map(|c| c.all.clone());
    parts.push(of(summary, "All queries", &all, width, style));
    for query in &summary.header.queries {
        let of_query = |d: &DesignSummary| d.concurrent.as_ref()?.query(&query.name).cloned();
        parts.push(of(summary, &query.name, &of_query, width, style));
    }
    Some(parts.join("\n\n"))
}

fn of(
    summary: &Summary,
    title: &str,
    figures: &dyn Fn(&DesignSummary) -> Option<ConcurrentFigures>,
    width: usize,
    style: Style,
) -> String {
    let mut table = table(style);
    set_width(&mut table, width);
    let title = Cell::new(title).add_attribute(Attribute::Bold);
    table.set_header(std::iter::once(title).chain(COLUMNS.map(right)));
    for design in &summary.designs {
        let Some(figures) = figures(design) else {
            continue;
        };
        let cell = |(column, text): (usize, Option<String>)| {
            let cell = right(text.unwrap_or_else(|| NONE.to_owned()));
            let bad = column + 2 >= COLUMNS.len() && !is_right(&figures);
            if bad { red(cell) } else { cell }
        };
        let figures = cells(&figures).into_iter().enumerate().map(cell);
        table.add_row(std::iter::once(left(&design.info.id)).chain(figures));
    }
    table.trim_fmt()
}

//! The fastest design for each question at each consistency level.

use bakeoff_stats::Summary;
use comfy_table::{Attribute, Cell};

use crate::compare::by_level::{fastest, name, queries};
use crate::text::layout::{NONE, left, set_width, table};
use crate::text::style::Style;

/// Most questions that have a column; where there are more, only the page has the table.
const MOST_QUERIES: usize = 3;

/// Renders a row for the designs that one copy answers, and one for the others; `None` where the run does not
/// compare consistency levels.
pub fn table_of(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let groups = summary.by_level()?;
    let queries = queries(summary, &groups);
    if !(1..=MOST_QUERIES).contains(&queries.len()) {
        return None;
    }
    let mut table = table(style);
    let title = Cell::new("read at").add_attribute(Attribute::Bold);
    table.set_header(std::iter::once(title).chain(queries.iter().map(|query| left(query))));
    for group in &groups {
        let cells = queries.iter().map(|query| {
            let fastest = fastest(summary, group, query);
            left(fastest.as_deref().unwrap_or(NONE))
        });
        table.add_row(std::iter::once(left(&name(group))).chain(cells));
    }
    set_width(&mut table, width);
    Some(table.trim_fmt())
}

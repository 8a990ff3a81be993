//! Sets of parameters with which several clients asked, as a table.

use bakeoff_stats::Summary;

use crate::compare::sets::{COLUMNS, TITLE, cells, hint, is_lacking};
use crate::text::layout::{left, red, right, set_width, table};
use crate::text::style::{Style, wrap};

/// `None` where all sets have a right answer because they are few.
pub fn table_of_clients(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let hint = wrap(&hint(summary)?, width, "", "");
    let mut table = table(style);
    set_width(&mut table, width);
    table.set_header(std::iter::once(left(TITLE)).chain(COLUMNS.map(right)));
    for sets in &summary.checked_sets() {
        let last = COLUMNS.len() - 1;
        let cell = |(column, text): (usize, String)| {
            let cell = right(text);
            if column == last && is_lacking(sets) {
                red(cell)
            } else {
                cell
            }
        };
        let figures = cells(sets).into_iter().enumerate().map(cell);
        table.add_row(std::iter::once(left(sets.query)).chain(figures));
    }
    Some(format!("{hint}\n\n{}", table.trim_fmt()))
}

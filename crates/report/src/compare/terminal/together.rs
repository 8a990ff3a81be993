//! Two designs that are kept together.

use bakeoff_stats::Summary;

use crate::compare::together::{HINT, answer, rows};
use crate::text::layout::{left, right, set_width, table};
use crate::text::style::{Style, wrap};

/// `None` unless two designs were asked for.
pub fn table_of(summary: &Summary, width: usize, style: Style) -> Option<String> {
    let together = summary.together.as_ref()?;
    let mut table = table(style);
    set_width(&mut table, width);
    let [one, other] = &together.designs;
    table.set_header([left(""), right(one), right(other), right("Together")]);
    for row in rows(summary, together) {
        let cells = row.cells.map(right);
        table.add_row(std::iter::once(left(&row.name)).chain(cells));
    }
    let parts = [
        wrap(&answer(together), width, "", ""),
        wrap(HINT, width, "", ""),
        table.trim_fmt(),
    ];
    Some(parts.join("\n\n"))
}

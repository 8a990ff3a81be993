//! Rates per node in the terminal.

use super::{Shown, TITLE, TITLE_OF_SIZES, name};
use crate::text::layout::{self, left, or_none, right};
use crate::text::section;
use crate::text::style::{Style, wrap};

/// Renders the section, and that of clusters of several sizes where there are some.
pub fn sections(shown: &Shown<'_>, width: usize, style: Style) -> Vec<String> {
    let hint = wrap(&shown.hint(), width, "", "");
    let rates = format!("{hint}\n{}", rates(shown, width, style));
    let sizes = sizes(shown, width, style);
    let sizes = sizes.map(|sizes| section(TITLE_OF_SIZES, style, &sizes));
    let first = section(TITLE, style, rates.trim_start());
    std::iter::once(first).chain(sizes).collect()
}

fn rates(shown: &Shown<'_>, width: usize, style: Style) -> String {
    let mut table = layout::table(style);
    table.set_header(std::iter::once(left("Design")).chain(shown.columns().iter().map(right)));
    for rate in &shown.per_node.rates {
        let cells = shown.cells(rate).into_iter();
        let cells = cells.map(|cell| right(or_none(cell, |text| text)));
        let first = left(&name(&rate.design, rate.query.as_deref()));
        table.add_row(std::iter::once(first).chain(cells));
    }
    if !layout::fits(&table, width) {
        layout::set_width(&mut table, width);
    }
    table.trim_fmt()
}

fn sizes(shown: &Shown<'_>, width: usize, style: Style) -> Option<String> {
    let hint = wrap(&shown.hint_of_sizes()?, width, "", "");
    let mut table = layout::table(style);
    let [first, others @ ..] = shown.columns_of_sizes();
    table.set_header(std::iter::once(left(&first)).chain(others.map(right)));
    for [first, others @ ..] in shown.rows_of_sizes() {
        table.add_row(std::iter::once(left(&first)).chain(others.map(right)));
    }
    if !layout::fits(&table, width) {
        layout::set_width(&mut table, width);
    }
    Some(format!("{hint}\n{}", table.trim_fmt()))
}

//! Lays out tables for a terminal.

use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table, TableComponent, presets};

use super::style::Style;

pub const NONE: &str = "–";

pub fn table(style: Style) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_style(TableComponent::HeaderLines, '─')
        .remove_style(TableComponent::VerticalLines)
        .remove_style(TableComponent::MiddleHeaderIntersections)
        .set_content_arrangement(ContentArrangement::Disabled);
    if style.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

/// Breaks long cells so that the table is no wider than `width` columns.
pub fn set_width(table: &mut Table, width: usize) {
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
}

pub fn fits(table: &Table, width: usize) -> bool {
    let padding = |content: &u16| usize::from(*content) + 2;
    table
        .column_max_content_widths()
        .iter()
        .map(padding)
        .sum::<usize>()
        <= width
}

pub fn left(text: &str) -> Cell {
    Cell::new(text)
}

pub fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

pub fn red(cell: Cell) -> Cell {
    cell.fg(Color::Red)
}

pub fn or_none<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), show)
}

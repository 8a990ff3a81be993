//! Renders the table of a node that was added during a load.

use bakeoff_stats::drive::{DriveSummary, NodeAdded};
use comfy_table::Cell;

use super::{Column, Content, column, failed, fitted};
use crate::drive::added::{self, Row};
use crate::text::layout::left;
use crate::text::style::Style;
use crate::units;

pub fn added(summary: &DriveSummary, added: &NodeAdded, width: usize, style: Style) -> String {
    let columns: [Column<Row>; 5] = [
        column("Ops/s", 0, |row| Some(units::rate(row.rate))),
        column("p50", 1, |row| row.figures.p50_ns.map(added::time)),
        column("p99", 0, |row| row.figures.p99_ns.map(added::time)),
        column("Longest", 2, |row| row.figures.max_ns.map(added::time)),
        Column {
            heading: "Failed".to_owned(),
            rank: 0,
            content: Content::Cell(|row| Some(failed(row.figures.failed, row.figures.successes))),
        },
    ];
    let rows = added::rows(summary, added).into_iter().map(|row| {
        let operation = if row.place == 0 { row.operation } else { "" };
        (vec![left(operation), left(&row.when)], row)
    });
    let rows: Vec<(Vec<Cell>, Row)> = rows.collect();
    fitted(&columns, &rows, &["Operation", "Part"], width, style)
}

//! Renders the table of partitions.

use bakeoff_stats::drive::DriveSummary;
use comfy_table::Cell;

use super::{Column, column, fitted, name};
use crate::partitions::{self, Row};
use crate::text::layout::left;
use crate::text::style::Style;

pub fn partitions(summary: &DriveSummary, width: usize, style: Style) -> String {
    let columns: [Column<Row>; 9] = [
        column("Partitions", 0, Row::partitions),
        column("Rows p50", 0, |r| r.rows(|rows| rows.p50)),
        column("p99", 1, |r| r.rows(|rows| rows.p99)),
        column("max", 0, |r| r.rows(|rows| rows.max)),
        column("First key, 1% of keys", 2, Row::of_rows),
        column("Of operations", 2, Row::of_requests),
        column("Bytes p50", 1, |r| r.size(|bytes| bytes.p50)),
        column("p99", 1, |r| r.size(|bytes| bytes.p99)),
        column("max", 0, |r| r.size(|bytes| bytes.max)),
    ];
    let several = summary.partitions.iter().any(|p| p.bytes.len() > 1);
    let mut rows: Vec<(Vec<Cell>, Row)> = Vec::new();
    for row in partitions::rows(&summary.partitions) {
        let design = summary.design(&row.partitions.design);
        let design = design.filter(|_| row.is_first);
        let mut names = vec![design.map_or_else(|| left(""), name)];
        if several {
            names.push(left(row.bytes.map_or("", |bytes| bytes.table.as_str())));
        }
        rows.push((names, row));
    }
    let first: &[&str] = if several {
        &["Design", "Table"]
    } else {
        &["Design"]
    };
    fitted(&columns, &rows, first, width, style)
}

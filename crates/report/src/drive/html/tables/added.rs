//! Renders the table of a node that was added during a load.

use bakeoff_stats::drive::{DriveSummary, NodeAdded};

use super::{Column, failed, table};
use crate::drive::added::{self, Row};
use crate::markup::Escaped;
use crate::page::table::or_none;
use crate::units;

pub fn added(summary: &DriveSummary, added: &NodeAdded) -> String {
    let columns: [Column<Row>; 5] = [
        ("Ops/s", |row| units::rate(row.rate)),
        ("p50", |row| or_none(row.figures.p50_ns, added::time)),
        ("p99", |row| or_none(row.figures.p99_ns, added::time)),
        ("Longest", |row| or_none(row.figures.max_ns, added::time)),
        ("Failed", |row| {
            failed(row.figures.failed, row.figures.successes)
        }),
    ];
    let rows = added::rows(summary, added).into_iter().map(|row| {
        let names = [row.operation, row.when.as_str()].map(|name| Escaped(name).to_string());
        (names.to_vec(), row)
    });
    let caption = format!("{}.", added::in_words(added));
    let rows = rows.collect();
    table(&caption, &["Operation", "Part"], &columns, rows)
}

//! Renders the table of partitions.

use bakeoff_stats::drive::DriveSummary;

use super::{Column, name, table};
use crate::markup::Escaped;
use crate::page::table::NONE;
use crate::partitions::{self, Row};

pub fn partitions(summary: &DriveSummary) -> String {
    let columns: [Column<Row>; 11] = [
        ("Partition key", |r| {
            let key = r.partitions.key.as_ref().filter(|_| r.is_first);
            key.map_or_else(|| NONE.to_owned(), |key| Escaped(key).to_string())
        }),
        ("Partitions", |r| or_none(r.partitions())),
        ("Rows p50", |r| or_none(r.rows(|rows| rows.p50))),
        ("Rows p99", |r| or_none(r.rows(|rows| rows.p99))),
        ("Rows, most", |r| or_none(r.rows(|rows| rows.max))),
        ("First key and 1% of keys, of rows", |r| {
            or_none(r.of_rows())
        }),
        ("The same, of operations", |r| or_none(r.of_requests())),
        ("Table", |r| {
            let table = r.bytes.map(|bytes| Escaped(&bytes.table).to_string());
            or_none(table)
        }),
        ("Bytes p50", |r| or_none(r.size(|bytes| bytes.p50))),
        ("Bytes p99", |r| or_none(r.size(|bytes| bytes.p99))),
        ("Bytes, most", |r| or_none(r.size(|bytes| bytes.max))),
    ];
    let rows = partitions::rows(&summary.partitions)
        .into_iter()
        .map(|row| {
            let design = summary.design(&row.partitions.design);
            (vec![design.map_or_else(String::new, name)], row)
        });
    let caption = partitions::legend(&summary.partitions).unwrap_or_default();
    table(&caption, &["Design"], &columns, rows.collect())
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| NONE.to_owned())
}

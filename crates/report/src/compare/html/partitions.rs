//! Partitions of the designs: a table of their rows and bytes.

use bakeoff_stats::Summary;

use crate::markup::{Escaped, design_id};
use crate::page::section;
use crate::page::table::{Heading, NONE, Table};
use crate::partitions::{Row, legend, rows};

/// Renders the section; it is empty for a run in which no partitions are known.
pub fn of_run(summary: &Summary) -> String {
    let all = rows(&summary.partitions);
    if all.is_empty() {
        return String::new();
    }
    let caption = legend(&summary.partitions).unwrap_or_default();
    let table = Table {
        caption: &caption,
        head: vec![
            Heading::text("Design"),
            Heading::text("Partition key"),
            Heading::number("Partitions"),
            Heading::number("Rows p50"),
            Heading::number("Rows p99"),
            Heading::number("Rows, most"),
            Heading::text("Table"),
            Heading::number("Bytes p50"),
            Heading::number("Bytes p99"),
            Heading::number("Bytes, most"),
        ],
        rows: all.iter().map(cells).collect(),
    };
    section("Partitions", &table.html())
}

fn cells(row: &Row<'_>) -> Vec<String> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
    let key = { row.partitions.key.as_ref() }.filter(|_| row.is_first);
    let name = row.is_first.then(|| design_id(&row.partitions.design));
    vec![
        name.unwrap_or_default(),
        or_none(key.map(|key| Escaped(key).to_string())),
        or_none(row.partitions()),
        or_none(row.rows(|rows| rows.p50)),
        or_none(row.rows(|rows| rows.p99)),
        or_none(row.rows(|rows| rows.max)),
        or_none(row.bytes.map(|bytes| Escaped(&bytes.table).to_string())),
        or_none(row.size(|bytes| bytes.p50)),
        or_none(row.size(|bytes| bytes.p99)),
        or_none(row.size(|bytes| bytes.max)),
    ]
}

//! How first rows are stored, in words that all forms of a report share.

use bakeoff_stats::{Stored, StoredRows, Summary};

pub const TITLE: &str = "Rows as they are stored";
/// Says how to read the lines.
pub const HINT: &str = "The first rows of each design's largest SSTable, as Cassandra's own tool prints them: \
    partition key, place in the file in bytes before compression, order key, and each cell with its time. Places of \
    two rows that follow each other are about as far apart as a row takes bytes.";

/// Returns what is known of the designs, in the header's order.
pub fn by_design(summary: &Summary) -> Vec<&Stored> {
    let designs = summary.header.designs.iter();
    let of = |id: &str| summary.stored.iter().find(|stored| stored.design == id);
    designs.filter_map(|design| of(&design.id)).collect()
}

/// Returns a line about a design's rows: what read them, or why they are not known.
pub fn headline(stored: &Stored) -> String {
    // Anyone may have written a journal.
    match stored.rows.cleaned() {
        StoredRows::Known { by, .. } => format!("by {by}"),
        StoredRows::Unknown { reason } => format!("not known: {reason}"),
    }
}

/// Returns the lines of a design's rows; none where they are not known.
pub fn lines(stored: &Stored) -> String {
    match stored.rows.cleaned() {
        StoredRows::Known { text, .. } => text,
        StoredRows::Unknown { .. } => String::new(),
    }
}

//! Everything that is known about a run, for other programs.

use bakeoff_stats::{Record, Summary};

#[derive(serde::Serialize)]
struct Everything<'a> {
    verdict: &'a str,
    notes: &'a [String],
    summary: &'a Summary,
    records: &'a [Record],
}

/// The verdict, the summary and every record. Times are in seconds, sizes in bytes.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn render(summary: &Summary, records: &[Record]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Everything {
        verdict: &super::verdict::paragraph(summary),
        notes: &super::notes::of(summary),
        summary,
        records,
    })
}

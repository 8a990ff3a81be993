//! Everything that is known about a load, for other programs.

use bakeoff_stats::drive::{DriveRecord, DriveSummary};

#[derive(serde::Serialize)]
struct Everything<'a> {
    verdict: &'a str,
    notes: &'a [String],
    summary: &'a DriveSummary,
    records: &'a [DriveRecord],
}

/// The verdict, the summary and every record. Times of the summary are in seconds, sizes in bytes.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn render(summary: &DriveSummary, records: &[DriveRecord]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Everything {
        verdict: &super::verdict::paragraph(summary),
        notes: &super::notes::of(summary),
        summary,
        records,
    })
}

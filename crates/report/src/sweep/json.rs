//! Everything that is known about a sweep, for other programs.

use bakeoff_stats::sweep::{SweepRecord, SweepSummary};

#[derive(serde::Serialize)]
struct Everything<'a> {
    verdict: &'a str,
    notes: &'a [String],
    summary: &'a SweepSummary,
    records: &'a [SweepRecord],
}

/// The verdict, the summary and every record. Times are in seconds.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn render(summary: &SweepSummary, records: &[SweepRecord]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Everything {
        verdict: &super::verdict::paragraph(summary),
        notes: &super::notes::of(summary),
        summary,
        records,
    })
}

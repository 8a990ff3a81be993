//! Renders everything that is known about a load, for other programs.

use bakeoff_stats::drive::{DriveRecord, DriveSummary};

use super::{notes, verdict};
use crate::everything;

/// Renders the verdict, the summary and every record. Times of the summary are in seconds, sizes in bytes.
///
/// # Errors
/// Fails for nothing that a summary made from records can cause.
pub fn render(summary: &DriveSummary, records: &[DriveRecord]) -> serde_json::Result<String> {
    everything::render(
        &verdict::paragraph(summary),
        &notes::of(summary),
        summary,
        records,
    )
}

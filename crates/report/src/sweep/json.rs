//! Everything that is known about a sweep, for other programs.

use bakeoff_stats::sweep::{SweepRecord, SweepSummary};

use super::{notes, verdict};
use crate::everything;

/// The verdict, the summary and every record. Times are in seconds.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn render(summary: &SweepSummary, records: &[SweepRecord]) -> serde_json::Result<String> {
    everything::render(
        &verdict::paragraph(summary),
        &notes::of(summary),
        summary,
        records,
    )
}

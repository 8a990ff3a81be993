//! Renders everything that is known about a run, for other programs.

use bakeoff_stats::{Record, Summary};

use super::{notes, verdict};
use crate::everything;

/// Renders the verdict, the notes, the summary and every record. Times are in seconds, sizes in bytes.
///
/// # Errors
/// Fails only if the summary cannot be written as JSON, which one made from records always can.
pub fn render(summary: &Summary, records: &[Record]) -> serde_json::Result<String> {
    everything::render(
        &verdict::paragraph(summary),
        &notes::all(summary),
        summary,
        records,
    )
}

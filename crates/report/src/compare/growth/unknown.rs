//! Designs of which a forecast knows nothing.

use bakeoff_stats::UnknownLoad;

use super::COLUMNS;
use crate::text::style::wrap;

/// Renders a line for each design with the reason; `None` if there is none.
pub fn lines(unknown: &[UnknownLoad]) -> Option<String> {
    let lines = unknown.iter().map(|unknown| {
        let text = format!("{}: not known, since {}.", unknown.design, unknown.why);
        wrap(&text, COLUMNS, "", "  ")
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

//! Shows published figures for the same questions next to the measured ones.

use bakeoff_stats::{DesignSummary, Summary};

use crate::compare::to_best;
use crate::units;

pub fn of_run(summary: &Summary) -> String {
    let header = &summary.header;
    let ours = |what: &str| {
        let designs = summary.designs.iter();
        designs
            .filter_map(|d| Some((d.info.id.as_str(), measured(summary, d, what)?)))
            .collect()
    };
    let source = header
        .published_source
        .as_deref()
        .unwrap_or("an unnamed publication");
    crate::page::published::of(source, &header.published, &header.published_notes, ours)
}

/// Writes what a run knows of a figure that a workload can name.
pub(crate) fn measured(summary: &Summary, design: &DesignSummary, what: &str) -> Option<String> {
    match what {
        "load" => design
            .load_rate
            .map(|r| format!("{} rows/s", units::rate(r.median))),
        "storage" => design.bytes_per_row.map(|b| format!("{b:.1} bytes/row")),
        query => {
            let query = design.query(query)?;
            let factor = to_best::short(summary, design, query).map(|f| format!(", {f}"));
            let time = units::duration(query.time?.median);
            Some(format!("{time}{}", factor.unwrap_or_default()))
        }
    }
}

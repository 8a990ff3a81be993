//! Shows what a publication says of the same question, next to what was measured.

use bakeoff_stats::drive::{DriveDesign, DriveSummary};

use crate::units;

/// Renders the section; empty where nothing was published.
pub fn published(summary: &DriveSummary) -> String {
    let Some(published) = &summary.header.published else {
        return String::new();
    };
    let of_designs = |what: &str| {
        let designs = summary.designs.iter();
        designs
            .filter_map(|d| Some((d.info.id.as_str(), measured(d, what)?)))
            .collect()
    };
    crate::page::published::of(
        &published.source,
        &published.figures,
        &published.notes,
        of_designs,
    )
}

/// Writes what a load knows of the figures that a workload can name.
pub(crate) fn measured(design: &DriveDesign, what: &str) -> Option<String> {
    let rows = design.rows.filter(|rows| *rows > 0)? as f64;
    match what {
        "load" => {
            let seconds = design.load_seconds.filter(|s| *s > 0.0)?;
            Some(format!("{} rows/s", units::rate(rows / seconds)))
        }
        "storage" => {
            let bytes = design.footprint.as_ref()?.bytes()? as f64;
            Some(format!("{:.1} bytes/row", bytes / rows))
        }
        _ => None,
    }
}

//! Shows what a publication says of the same question, next to what was measured.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, OperationFigures, PassFigures};

use crate::drive::{p99_of_rounds, quantile};
use crate::units;

/// Renders the section; empty where nothing was published.
pub fn published(summary: &DriveSummary) -> String {
    let Some(published) = &summary.header.published else {
        return String::new();
    };
    let of_designs = |what: &str| {
        let designs = summary.designs.iter();
        designs
            .filter_map(|d| Some((d.info.id.as_str(), measured(summary, d, what)?)))
            .collect()
    };
    crate::page::published::of(
        &published.source,
        &published.figures,
        &published.notes,
        of_designs,
    )
}

/// Writes what a load or passes know of a figure that a workload can name: loading, storage, or an operation.
pub(crate) fn measured(summary: &DriveSummary, design: &DriveDesign, what: &str) -> Option<String> {
    match what {
        "load" => {
            let seconds = design.load_seconds.filter(|s| *s > 0.0)?;
            Some(format!("{} rows/s", units::rate(rows(design)? / seconds)))
        }
        "storage" => {
            let bytes = design.footprint.as_ref()?.bytes()? as f64;
            Some(format!("{:.1} bytes/row", bytes / rows(design)?))
        }
        operation => {
            let id = design.info.id.as_str();
            let passes = summary.passes.iter();
            let passes = passes.filter(|pass| pass.design == id && pass.operation == operation);
            let in_passes = passes.filter_map(whole_pass);
            let figures: Vec<String> = in_passes.chain(in_load(design, operation)).collect();
            (!figures.is_empty()).then(|| figures.join("; "))
        }
    }
}

/// Returns the number of rows before the load, if there are any.
fn rows(design: &DriveDesign) -> Option<f64> {
    let rows = design.rows.filter(|rows| *rows > 0)?;
    Some(rows as f64)
}

/// Writes the real time of a pass.
fn whole_pass(pass: &PassFigures) -> Option<String> {
    Some(format!("{} in all", units::duration(pass.real?.median)))
}

/// Writes rate and response times of an operation of a mix.
fn in_load(design: &DriveDesign, name: &str) -> Option<String> {
    let mut operations = design.figures.as_ref()?.operations.iter().enumerate();
    let (place, operation): (usize, &OperationFigures) =
        operations.find(|(_, o)| o.name == name && o.count > 0)?;
    let mut figures = vec![format!("{} ops/s", units::rate(operation.ops_per_second))];
    let p50 = operation.response.as_ref().map(|times| times.p50);
    let p99 = p99_of_rounds(design, place).map(|p99| p99.median);
    for (share, label, time) in [(0.5, "p50", p50), (0.99, "p99", p99)] {
        figures.extend(quantile(operation, share, time).map(|time| format!("{label} {time}")));
    }
    Some(figures.join(", "))
}

//! Renders the table of passes.

use bakeoff_stats::drive::{DriveSummary, PassFigures};
use comfy_table::Cell;

use super::{Column, Content, column, failed, fitted, name};
use crate::compare::to_best;
use crate::text::layout::{left, right};
use crate::text::style::Style;
use crate::units;

pub fn passes(summary: &DriveSummary, width: usize, style: Style) -> String {
    let real = summary.passes.iter().filter_map(|p| p.real.as_ref());
    let columns: [Column<&PassFigures>; 13] = [
        column("Real", 0, |p| p.real.map(|t| units::duration(t.median))),
        column(&to_best::interval_heading(real), 2, |p| {
            let several = p.real.filter(|t| t.observations > 1);
            several.map(|t| units::duration_interval(&t).1)
        }),
        column("User", 0, |p| p.user.map(|t| units::duration(t.median))),
        column("System", 0, |p| p.system.map(|t| units::duration(t.median))),
        column("Server CPU", 0, |p| {
            p.server_cpu.map(|t| units::duration(t.median))
        }),
        column("Disk read", 1, |p| {
            p.disk_read.map(|b| units::bytes(b.median))
        }),
        column("Written", 1, |p| {
            p.disk_written.map(|b| units::bytes(b.median))
        }),
        column("GC", 4, |p| p.gc.map(|t| units::duration(t.median))),
        column("Operations", 3, |p| {
            p.operations.map(|n| units::count(n.median.round() as u64))
        }),
        column("Rows", 1, |p| {
            p.rows.map(|n| units::count(n.median.round() as u64))
        }),
        column("p50", 3, |p| p.p50.map(|t| units::duration(t.median))),
        Column {
            heading: "Failed".to_owned(),
            rank: 0,
            content: Content::Cell(|p| Some(failed_of(p))),
        },
        column("Compared", 2, |p| Some(p.checked.clone())),
    ];
    let mut rows: Vec<(Vec<Cell>, &PassFigures)> = Vec::new();
    for pass in &summary.passes {
        let design = summary.design(&pass.design).filter(|_| pass.place == 0);
        let design = design.map_or_else(|| left(""), name);
        rows.push((vec![design, left(&pass.operation)], pass));
    }
    fitted(&columns, &rows, &["Design", "Pass"], width, style)
}

/// Counts the operations that failed, out of all of the pass's rounds.
fn failed_of(pass: &PassFigures) -> Cell {
    match (pass.ended, pass.failed) {
        (0, _) => right("not made"),
        (_, count) => failed(count, pass.succeeded),
    }
}

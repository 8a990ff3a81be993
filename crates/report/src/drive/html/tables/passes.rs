//! Renders the table of passes.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveSummary, PassFigures};

use super::{Column, failed, name, table, time};
use crate::markup::Escaped;
use crate::page::table::or_none;
use crate::units;

const CAPTION: &str = "Real time is from the first operation to the last reply of a pass. User and system are the CPU \
                       time of Bakeoff, in ticks of 10 ms, with the making of values and the comparing of \
                       replies; what the server wrote to the disk is mostly its log, since rows of a pass may \
                       still be in memory at its end. Connecting, preparing of statements included, is before \
                       that time: of the slowest worker. Medians of the rounds in which no operation failed; below \
                       a time: its own interval.";

pub fn passes(summary: &DriveSummary) -> String {
    let columns: [Column<&PassFigures>; 16] = [
        ("Real", |p| or_none(p.real, |t| time(&t))),
        ("User", |p| or_none(p.user, |t| time(&t))),
        ("System", |p| or_none(p.system, |t| time(&t))),
        ("Server CPU", |p| or_none(p.server_cpu, |t| time(&t))),
        ("Disk read", |p| size(p.disk_read)),
        ("Disk written", |p| size(p.disk_written)),
        ("GC pauses", |p| or_none(p.gc, |t| time(&t))),
        ("Collections", |p| count(p.gc_count)),
        ("Operations", |p| count(p.operations)),
        ("Rows", |p| count(p.rows)),
        ("Bytes of values", |p| size(p.bytes)),
        ("p50", |p| or_none(p.p50, |t| time(&t))),
        ("p99", |p| or_none(p.p99, |t| time(&t))),
        ("Connected in", |p| or_none(p.connect, |t| time(&t))),
        ("Failed", |p| match p.ended {
            0 => "not made".to_owned(),
            _ => failed(p.failed, p.succeeded),
        }),
        ("Compared", |p| Escaped(&p.checked).to_string()),
    ];
    let rows = summary.passes.iter().map(|pass| {
        let design = summary.design(&pass.design);
        let design = design.map_or_else(|| Escaped(&pass.design).to_string(), name);
        (vec![design, Escaped(&pass.operation).to_string()], pass)
    });
    table(CAPTION, &["Design", "Pass"], &columns, rows.collect())
}

fn size(bytes: Option<Estimate>) -> String {
    or_none(bytes, |bytes| units::bytes(bytes.median))
}

fn count(number: Option<Estimate>) -> String {
    or_none(number, |number| units::count(number.median.round() as u64))
}

//! Renders the table of what a node itself says of the requests of a load.

use bakeoff_stats::drive::{DriveSummary, LoadFigures, NodeRequests};

use super::{Column, micros, name, per_second, table};

/// Renders the table, or returns `None` if nothing is known of any design.
pub fn requests(summary: &DriveSummary) -> Option<String> {
    let columns: [Column<&LoadFigures>; 8] = [
        ("Local reads/s", |f| per_second(f.local_reads.per_second)),
        ("Local read p99", |f| micros(f.local_reads.p99_micros)),
        ("Coordinated reads/s", |f| {
            per_second(f.coordinator_reads.per_second)
        }),
        ("Coordinator read p99", |f| {
            micros(f.coordinator_reads.p99_micros)
        }),
        ("Local writes/s", |f| per_second(f.local_writes.per_second)),
        ("Local write p99", |f| micros(f.local_writes.p99_micros)),
        ("Coordinated writes/s", |f| {
            per_second(f.coordinator_writes.per_second)
        }),
        ("Coordinator write p99", |f| {
            micros(f.coordinator_writes.p99_micros)
        }),
    ];
    let rows = summary.designs.iter().filter_map(|design| {
        let figures = design.figures.as_ref()?;
        is_known(figures).then(|| (vec![name(design)], figures))
    });
    let rows: Vec<(Vec<String>, &LoadFigures)> = rows.collect();
    let caption = "Of one node and the tables of the load, without warm-up. Local: what the node read from or wrote \
                   to its own data; coordinated: what clients asked of it, with the time of the replicas. p99: the \
                   highest that it told in any second, over some minutes each, of the slowest table, in whole ms.";
    (!rows.is_empty()).then(|| table(caption, &["Design"], &columns, rows))
}

fn is_known(figures: &LoadFigures) -> bool {
    let all = [
        figures.local_reads,
        figures.local_writes,
        figures.coordinator_reads,
        figures.coordinator_writes,
    ];
    all.iter().any(|of| *of != NodeRequests::default())
}

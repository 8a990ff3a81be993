//! Renders the table of what nodes themselves say of the requests of a load.

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
    (!rows.is_empty()).then(|| table(&caption(summary), &["Design"], &columns, rows))
}

/// Says of which nodes the figures are: of one in logs of earlier versions, too.
fn caption(summary: &DriveSummary) -> String {
    let seconds = summary.trials.iter().flat_map(|trial| &trial.seconds);
    let nodes = seconds.filter_map(|second| second.server.nodes).max();
    let (of, whose, slowest) = match nodes {
        None => (
            "one node".to_owned(),
            "what the node read from or wrote to its own data; coordinated: what clients asked of it",
            "the slowest table",
        ),
        Some(nodes) => (
            format!("all {nodes} nodes together"),
            "what nodes read from or wrote to their own data; coordinated: what clients asked of them",
            "the slowest table and node",
        ),
    };
    format!(
        "Of {of} and the tables of the load, without warm-up. Local: {whose}, with the time of the replicas. p99: the \
         highest that was told in any second, over some minutes each, of {slowest}, in whole ms."
    )
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

//! Values of a sweep.

use bakeoff_stats::sweep::{SweepDesign, SweepSummary};

use super::{Collected, Figure, Measured, Values, named_setting, server};

/// Collects the values of a sweep, whose folder has this name.
pub fn of_sweep(summary: &SweepSummary, run: &str) -> Values {
    Values {
        run: run.to_owned(),
        kind: "sweep",
        workload: summary.header.workload.clone(),
        bakeoff_version: summary.header.bakeoff_version.clone(),
        started_at: summary.header.started_at.clone(),
        finished: summary.finished,
        values: { summary.designs.iter() }
            .flat_map(|design| of_design(summary, design))
            .collect(),
    }
}

fn of_design(summary: &SweepSummary, design: &SweepDesign) -> Vec<Measured> {
    let mut collected = Collected::of(&design.info.id);
    for setting in design.measured() {
        for cell in &setting.rounds {
            let name = named_setting(cell.batch_rows, cell.workers);
            let round = Some(cell.round);
            let inserted = cell.inserted.as_ref();
            let rate = inserted.map(|inserted| inserted.rows_per_second());
            collected.add_of(Figure::InsertRate, &name, round, rate);
            collected.add_of(Figure::InsertP50, &name, round, inserted.map(|i| i.p50));
            let p99 = inserted.and_then(|inserted| inserted.p99);
            collected.add_of(Figure::InsertP99, &name, round, p99);
            let failed = cell.failures.count() as f64;
            collected.add_of(Figure::FailedInserts, &name, round, Some(failed));
        }
    }
    server::add_steps(&mut collected, &summary.server);
    collected.values
}

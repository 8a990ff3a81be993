//! Values of a comparison of designs.

use bakeoff_stats::{DesignSummary, Summary};

use super::{Collected, Figure, Measured, Values, server};

/// Collects the values of a run, whose folder has this name.
pub fn of_run(summary: &Summary, run: &str) -> Values {
    Values {
        run: run.to_owned(),
        kind: "run",
        workload: summary.header.workload.clone(),
        bakeoff_version: summary.header.bakeoff_version.clone(),
        started_at: summary.header.started_at.clone(),
        finished: summary.finished,
        values: { summary.designs.iter() }
            .flat_map(|design| of_design(summary, design))
            .collect(),
    }
}

fn of_design(summary: &Summary, design: &DesignSummary) -> Vec<Measured> {
    let mut collected = Collected::of(&design.info.id);
    if design.rows_loaded > 0 {
        collected.add(Figure::LoadedRows, None, Some(design.rows_loaded as f64));
        collected.add(Figure::LoadTime, None, Some(design.load_seconds));
    }
    collected.add(Figure::SettleTime, None, design.settle_seconds);
    let bytes = design.footprint.as_ref().and_then(|f| f.bytes());
    collected.add(Figure::StoredBytes, None, bytes.map(|bytes| bytes as f64));
    for query in &design.queries {
        // Rounds of a query whose complete answer was wrong are no times.
        let rounds = query.rounds.iter().filter(|_| query.time.is_some());
        for (round, seconds) in rounds {
            // Records count them from 0.
            let round = Some(round + 1);
            collected.add_of(Figure::QueryTime, &query.query, round, Some(*seconds));
        }
        let bad = f64::from(query.bad_rounds);
        collected.add_of(Figure::BadRounds, &query.query, None, Some(bad));
    }
    server::add_steps(&mut collected, &summary.server);
    collected.values
}

//! Carries out a sweep: starts engines, measures settings, stops engines and reports.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use bakeoff_driver::sweep::{Grid, SweepPlan, Sweeping, sweep, sweep_together};
use bakeoff_engines::{Context, DesignCandidates};
use bakeoff_stats::per_node::Wanted;
use bakeoff_stats::sweep::{SweepHeader, SweepLog};
use bakeoff_workload::{DesignId, RowSource, Workload};

use super::Sweep;
use super::batch_over::Batches;
use crate::cmd::measure::{Measurement, write_bad_rows};
use crate::cmd::report;
use crate::exit::Exit;
use crate::interrupt::asked_to_stop;
use crate::progress::Progress;

pub struct Plan<'a> {
    pub options: &'a Sweep,
    pub workload: &'a Workload,
    pub designs: &'a [DesignId],
    pub source: Arc<dyn RowSource>,
    pub context: Context,
    pub grid: Grid,
    pub batches: Batches,
    pub header: SweepHeader,
    pub wanted: Wanted,
    /// Warnings that are recorded before anything is started.
    pub warnings: Vec<String>,
    pub progress: Progress,
}

/// Sweeps until the end or an interruption, and shows the results so far.
pub async fn execute(plan: Plan<'_>) -> Result<Exit> {
    let measurement = Measurement {
        designs: plan.designs,
        context: &plan.context,
        warnings: &plan.warnings,
        progress: &plan.progress,
        began: Instant::now(),
    };
    let mut interruption = pin!(asked_to_stop());
    let open_log = || {
        let log = SweepLog::create(&plan.context.run_dir, &plan.header)?;
        write_bad_rows(&plan.context.run_dir, plan.source.bad_rows())?;
        Ok(log)
    };
    let begun = measurement.begin(&mut interruption, open_log).await?;
    let Some((mut engines, mut log)) = begun else {
        return Ok(Exit::Interrupted);
    };
    let (dir, follow) = (&plan.context.run_dir, &plan.options.follow);
    follow.begin(dir, &plan.wanted, &plan.progress);
    let settings = settings(&plan);
    let mut candidates = DesignCandidates {
        engines: &mut engines,
        designs: plan.designs,
        workload: plan.workload,
        context: &plan.context,
        observer: &plan.progress,
    };
    let together = plan.options.together(&plan.header);
    let observer = &plan.progress;
    let sweeping = async {
        match &together {
            Some(together) => {
                sweep_together(&mut candidates, &settings, together, &mut log, observer).await
            }
            None => sweep(&mut candidates, &settings, &mut log, observer).await,
        }
    };
    let swept = tokio::select! {
        swept = sweeping => Some(swept),
        () = interruption => None,
    };
    let swept = swept.map(|swept| swept.map_err(anyhow::Error::from));
    let interrupted = "interrupted: the settings measured so far are kept";
    let ended = measurement.end(swept, engines, false, &mut log, interrupted);
    if let Err(error) = ended.await {
        follow.end(dir, &plan.wanted);
        return Err(error);
    }
    drop(log);
    report::render_sweep(dir, &report::Shown::from(plan.wanted.clone()))
}

fn settings(plan: &Plan<'_>) -> SweepPlan {
    SweepPlan {
        sweeping: Sweeping {
            source: plan.source.clone(),
            shard: plan.options.shard,
            table: plan.workload.table.name.clone(),
            warm_up: plan.options.warm_up,
            length: plan.options.length,
            time_out: plan.options.time_out,
        },
        grid: plan.grid.clone(),
        rounds: plan.options.rounds,
        seed: plan.workload.seed,
        over_any: plan.batches.over_any.clone(),
        over_partition: plan.batches.over_partition,
        reads_bytes: plan.options.hosts.nodetool.is_given(),
    }
}

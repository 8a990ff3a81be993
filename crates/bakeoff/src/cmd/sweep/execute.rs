//! Carrying out a sweep: engines up, settings measured in random order, engines down, reports.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use bakeoff_driver::sweep::{Setting, Sweeping, check_inserts, measure, warm_up};
use bakeoff_driver::{Design, Observer, peak_memory_bytes, shuffled};
use bakeoff_engines::{Context, limits_not_applied};
use bakeoff_stats::sweep::{Cell, SweepHeader, SweepLog, SweepRecord};
use bakeoff_workload::{DesignId, RowSource, Workload};

use super::Sweep;
use super::grid::Grid;
use crate::cmd::report;
use crate::engines::{Engines, clear_and_check};
use crate::exit::Exit;
use crate::interrupt::asked_to_stop;
use crate::machine;
use crate::progress::Progress;
use crate::stderr::tell;

/// Warm-ups before a design's first setting: servers compile and fill caches.
const FIRST_WARM_UP: u32 = 10;

pub struct Plan<'a> {
    pub options: &'a Sweep,
    pub workload: &'a Workload,
    pub designs: &'a [DesignId],
    pub source: Arc<dyn RowSource>,
    pub context: Context,
    pub grid: Grid,
    pub header: SweepHeader,
    /// What is noted before anything is started.
    pub warnings: Vec<String>,
    pub progress: Progress,
}

/// Sweeps to the end or to an interruption, and shows what there is.
pub async fn execute(plan: Plan<'_>) -> Result<Exit> {
    let began = Instant::now();
    let progress = &plan.progress;
    let mut interruption = pin!(asked_to_stop());
    let checked = clear_and_check(plan.designs, &plan.context, progress, &mut interruption).await?;
    let Some((cleared, mut engines)) = checked else {
        return Ok(Exit::Interrupted);
    };
    let mut log = SweepLog::create(&plan.context.run_dir, &plan.header)?;
    let noted = plan.warnings.iter().cloned().chain(cleared);
    for message in noted.chain(limits_not_applied(&plan.context)) {
        log.append(&SweepRecord::Warning { message })?;
    }
    let swept = tokio::select! {
        swept = sweep(&plan, &mut engines, &mut log, progress) => Some(swept),
        () = interruption => None,
    };
    progress.what("stopping engines");
    let troubles = engines.finish(false).await;
    progress.finish();
    for message in troubles {
        log.append(&SweepRecord::Warning { message })?;
    }
    match swept {
        Some(swept) => {
            swept?;
            log.append(&SweepRecord::Finished {
                at: machine::now(),
                seconds: began.elapsed().as_secs_f64(),
                peak_memory_bytes: peak_memory_bytes(),
            })?;
        }
        None => {
            log.append(&SweepRecord::Interrupted { at: machine::now() })?;
            tell("interrupted: the settings that were measured until then are kept");
        }
    }
    drop(log);
    report::render_sweep(&plan.context.run_dir)
}

async fn sweep(
    plan: &Plan<'_>,
    engines: &mut Engines,
    log: &mut SweepLog,
    progress: &Progress,
) -> Result<()> {
    let designs = start_designs(plan, engines, log, progress).await?;
    let sweeping = Sweeping {
        source: plan.source.clone(),
        table: plan.workload.table.name.clone(),
        warm_up: plan.options.warm_up,
        length: plan.options.length,
        time_out: plan.options.time_out,
    };
    let (mut begun, mut out) = (HashSet::new(), HashSet::new());
    let order = order(plan, designs.len());
    for (done, (place, setting)) in order.iter().enumerate() {
        let design = designs[*place].as_ref();
        if out.contains(place) {
            continue;
        }
        progress.phase(&at_work(design, *setting, done, order.len()));
        if begun.insert(*place)
            && let Err(reason) = begin_warm(design, &sweeping, plan.grid.middle(), *setting).await
        {
            let message = format!("{} did not warm up: {reason}", design.info().id);
            log.append(&SweepRecord::Warning { message })?;
        }
        let cell = measure(design, &sweeping, *setting).await;
        tell_trouble(&cell, progress);
        log.append(&SweepRecord::Cell(cell))?;
        if let Some(reason) = design.dead() {
            out.insert(*place);
            fail(log, progress, design.info().id.clone(), reason)?;
        }
    }
    Ok(())
}

/// Warms up with the middle setting, or, where that cannot be, with the one that is measured next.
async fn begin_warm(
    design: &dyn Design,
    sweeping: &Sweeping,
    middle: Option<Setting>,
    next: Setting,
) -> Result<(), String> {
    let length = sweeping.warm_up * FIRST_WARM_UP;
    if let Some(middle) = middle
        && warm_up(design, sweeping, middle, length).await.is_ok()
    {
        return Ok(());
    }
    warm_up(design, sweeping, next, length).await
}

/// Settings of all designs in random order, so that drift hits all alike.
fn order(plan: &Plan<'_>, designs: usize) -> Vec<(usize, Setting)> {
    let settings = plan.grid.settings();
    let of_design = |place| settings.iter().map(move |setting| (place, *setting));
    let all = (0..designs).flat_map(of_design).collect();
    shuffled(all, &[plan.workload.seed])
}

/// Designs that take inserts, with their engines started; one that is not available fails alone.
async fn start_designs(
    plan: &Plan<'_>,
    engines: &mut Engines,
    log: &mut SweepLog,
    progress: &Progress,
) -> Result<Vec<Box<dyn Design>>> {
    let mut designs = Vec::new();
    for id in plan.designs {
        let design = match engines.get(id, &plan.context, progress).await {
            Ok(found) => {
                if let Some(info) = found.started {
                    log.append(&SweepRecord::Engine(info))?;
                }
                let design = found.engine.design(id, plan.workload, &plan.context);
                design.await.map_err(|e| e.to_string())
            }
            Err(reason) => Err(reason),
        };
        match design {
            Ok(design) => match check_inserts(design.as_ref()).await {
                Ok(()) => designs.push(design),
                Err(reason) => fail(log, progress, id.to_string(), reason)?,
            },
            Err(reason) => fail(log, progress, id.to_string(), reason)?,
        }
    }
    Ok(designs)
}

fn fail(log: &mut SweepLog, progress: &Progress, design: String, reason: String) -> Result<()> {
    progress.say(&format!("{design}: {reason}"));
    log.append(&SweepRecord::Failed { design, reason })?;
    Ok(())
}

fn at_work(design: &dyn Design, setting: Setting, done: usize, of: usize) -> String {
    let Setting {
        batch_rows,
        workers,
    } = setting;
    format!(
        "setting {} of {of}: {}, batches of {batch_rows}, {workers} workers",
        done + 1,
        design.info().id
    )
}

/// What went wrong, while it goes on.
fn tell_trouble(cell: &Cell, progress: &Progress) {
    let first = cell.reason.as_ref().or(cell.failures.messages.first());
    if let Some(what) = first {
        progress.say(&format!(
            "{}, batches of {}, {} workers: {what}",
            cell.design, cell.batch_rows, cell.workers
        ));
    }
}

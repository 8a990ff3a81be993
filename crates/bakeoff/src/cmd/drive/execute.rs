//! Carrying out a drive: engines up, tables filled, loads driven, engines down, reports.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, anyhow};
use bakeoff_driver::drive::{Stop, Target};
use bakeoff_driver::{Design, DesignError, Observer, peak_memory_bytes};
use bakeoff_engines::{Context, Running, TargetOptions, limits_not_applied};
use bakeoff_stats::drive::{DriveHeader, DriveLog, DriveRecord, Populated};
use bakeoff_workload::{DesignId, Mix, RowSource, RowValues, Workload, source};

use super::load::Load;
use super::rounds::drive_all;
use super::trial::or_why_dead;
use super::{Drive, populate};
use crate::cmd::report;
use crate::engines::{Engines, clear_and_check};
use crate::exit::Exit;
use crate::interrupt::asked_to_stop;
use crate::machine;
use crate::progress::Progress;
use crate::stderr::tell;

/// How long shards after the first one wait for it to make the table.
const TABLE_PATIENCE: Duration = Duration::from_secs(120);
/// How long a table that was made elsewhere may take to be known here.
const KNOWN_WITHIN: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(500);

pub struct Plan<'a> {
    pub options: &'a Drive,
    pub workload: &'a Workload,
    pub mix: Arc<Mix>,
    pub designs: &'a [DesignId],
    pub source: Arc<dyn RowSource>,
    pub values: Arc<dyn RowValues>,
    pub context: Context,
    pub load: Load,
    pub header: DriveHeader,
    /// Rows that are loaded, by all shards together.
    pub rows: u64,
    /// What is noted before anything is started.
    pub warnings: Vec<String>,
    pub progress: Progress,
}

/// Drives to the end or to an interruption, and shows what there is.
pub async fn execute(plan: Plan<'_>) -> Result<Exit> {
    let began = Instant::now();
    let progress = &plan.progress;
    let mut interruption = pin!(asked_to_stop());
    let checked = clear_and_check(plan.designs, &plan.context, progress, &mut interruption).await?;
    let Some((cleared, mut engines)) = checked else {
        return Ok(Exit::Interrupted);
    };
    let mut log = DriveLog::create(&plan.context.run_dir, &plan.header)?;
    let noted = plan.warnings.iter().cloned().chain(cleared);
    let limits = limits_not_applied(&plan.context);
    let unknown_values = target_options(&plan).keys_repeat;
    let unknown_values = unknown_values.then(|| source::ONLY_KEYS_ARE_COMPARED.to_owned());
    for message in noted.chain(limits).chain(unknown_values) {
        log.append(&DriveRecord::Warning { message })?;
    }
    let stop = Stop::new();
    let driven = async {
        let filling = fill_all(&plan, &mut engines, &mut log);
        let targets = tokio::select! {
            targets = filling => targets?,
            () = stop.asked() => return Ok(()),
        };
        drive_all(&plan, targets, &mut log, &stop).await
    };
    let stopping = async {
        interruption.await;
        stop.stop();
        std::future::pending().await
    };
    let driven: Result<()> = tokio::select! {
        driven = driven => driven,
        () = stopping => Ok(()),
    };
    progress.what("stopping engines");
    let kept = plan.options.keep || plan.options.keyspace.is_some();
    let troubles = engines.finish(kept).await;
    progress.finish();
    for message in troubles {
        log.append(&DriveRecord::Warning { message })?;
    }
    driven?;
    if stop.is_asked() {
        log.append(&DriveRecord::Interrupted { at: machine::now() })?;
        tell("interrupted: what was measured until then is kept");
    } else {
        log.append(&DriveRecord::Finished {
            at: machine::now(),
            seconds: began.elapsed().as_secs_f64(),
            peak_memory_bytes: peak_memory_bytes(),
        })?;
    }
    drop(log);
    report::render_drive(&plan.context.run_dir)
}

/// Targets with their tables filled and at rest. A design that is not available is a failed one.
async fn fill_all(
    plan: &Plan<'_>,
    engines: &mut Engines,
    log: &mut DriveLog,
) -> Result<Vec<Arc<dyn Target>>> {
    let progress = &plan.progress;
    let mut targets: Vec<Arc<dyn Target>> = Vec::new();
    for id in plan.designs {
        let filled = match engines.get(id, &plan.context, progress).await {
            Ok(found) => {
                if let Some(info) = found.started {
                    log.append(&DriveRecord::Engine(info))?;
                }
                filled(plan, id, found.engine, log).await
            }
            Err(reason) => Err(anyhow!(reason)),
        };
        match filled {
            Ok(target) => targets.push(target.into()),
            Err(error) => fail(log, progress, &id.to_string(), &error)?,
        }
    }
    settle(plan, targets, log).await
}

/// The longest wait for the tables: until the load is to begin.
fn patience(plan: &Plan<'_>) -> Duration {
    let start = plan.options.start_at;
    let left = start.map(|at| at.duration_since(SystemTime::now()).unwrap_or_default());
    left.map_or(TABLE_PATIENCE, |left| left.min(TABLE_PATIENCE))
}

/// A design with its table filled. Later shards make nothing before the first one has made it.
async fn filled(
    plan: &Plan<'_>,
    id: &DesignId,
    engine: &dyn Running,
    log: &mut DriveLog,
) -> Result<Box<dyn Target>> {
    let (workload, context, start) = (plan.workload, &plan.context, start_name(plan));
    if let (Some(start), 1..) = (&start, plan.load.shard.index) {
        plan.progress
            .phase(&format!("waiting for shard 1 to make {id}"));
        let made = engine.wait_for_tables(workload, context, start, patience(plan));
        made.await?;
    }
    let options = target_options(plan);
    let target = engine.target(id, workload, context, &options).await?;
    let Some(design) = target.design() else {
        return Ok(target);
    };
    make(plan, design).await?;
    if let (Some(start), 0) = (&start, plan.load.shard.index) {
        engine.announce_tables(workload, context, start).await?;
    }
    if !plan.options.no_load {
        let loaded = load(plan, target.as_ref(), design, log).await;
        loaded.map_err(|error| or_why_dead(target.as_ref(), error))?;
    }
    Ok(target)
}

/// What all shards of this start call it; none where the tables are there, or no other shard waits.
fn start_name(plan: &Plan<'_>) -> Option<String> {
    let waits = !plan.load.shard.is_whole() && !plan.options.no_load;
    let at = plan.options.start_at.filter(|_| waits)?;
    let at = at.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(at.as_millis().to_string())
}

fn target_options(plan: &Plan<'_>) -> TargetOptions {
    let rows = plan.rows;
    TargetOptions {
        values: plan.values.clone(),
        mix: plan.mix.clone(),
        loaded: plan.load.shard.rows(rows),
        keys_repeat: source::keys_repeat(plan.workload, &*plan.values, rows, plan.load.shard.of),
        in_flight_per_worker: (plan.load.in_flight / u32::from(plan.options.threads)).max(1)
            as usize,
        request_time_limit: plan.options.time_out,
        consistency: plan.options.consistency,
    }
}

/// Makes a table, or finds the one that another process has made.
async fn make(plan: &Plan<'_>, design: &dyn Design) -> Result<()> {
    if plan.options.no_load || plan.load.shard.index > 0 {
        wait_for_table(design).await
    } else {
        Ok(design.create().await?)
    }
}

/// Loads this shard's rows.
async fn load(
    plan: &Plan<'_>,
    target: &dyn Target,
    design: &dyn Design,
    log: &mut DriveLog,
) -> Result<()> {
    let (rows, source, progress) = (plan.rows, plan.source.clone(), &plan.progress);
    let filled = populate::fill(target, design, source, rows, plan.load.shard, progress).await?;
    log.append(&DriveRecord::Populated(Populated {
        design: target.info().id.clone(),
        rows: filled.rows,
        seconds: filled.seconds,
    }))?;
    Ok(())
}

async fn wait_for_table(design: &dyn Design) -> Result<()> {
    let deadline = Instant::now() + KNOWN_WITHIN;
    while !design.survives().await {
        if Instant::now() > deadline {
            return Err(anyhow!(
                "its table is not in the keyspace: name the --keyspace that has it, or load it \
                 (shard 1 makes it) without --no-load"
            ));
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

/// Brings all tables that were loaded here to rest when all are loaded, and reads what they take.
async fn settle(
    plan: &Plan<'_>,
    targets: Vec<Arc<dyn Target>>,
    log: &mut DriveLog,
) -> Result<Vec<Arc<dyn Target>>> {
    let progress = &plan.progress;
    let mut ready = Vec::new();
    let is_whole = plan.load.shard.is_whole();
    let is_loaded_here = is_whole && !plan.options.no_load;
    for target in targets {
        let id = &target.info().id;
        progress.phase(&format!("settling {id}"));
        let settled = async {
            if let (Some(design), true) = (target.design(), is_loaded_here) {
                design.settle().await?;
            }
            target.prepare().await
        };
        match settled.await {
            Ok(()) => ready.push(target),
            Err(error) => {
                let error = or_why_dead(target.as_ref(), error);
                fail(log, progress, id, &error)?;
            }
        }
    }
    for target in &ready {
        if let (Some(design), true) = (target.design(), is_whole) {
            match design.footprint().await {
                Ok(footprint) => log.append(&DriveRecord::Footprint(footprint))?,
                Err(DesignError(message)) => log.append(&DriveRecord::Warning { message })?,
            }
        }
    }
    Ok(ready)
}

/// A design that is out from here on.
pub fn fail(
    log: &mut DriveLog,
    progress: &Progress,
    design: &str,
    error: &anyhow::Error,
) -> Result<()> {
    let reason = crate::exit::explain(error);
    progress.say(&format!("{design}: {reason}"));
    log.append(&DriveRecord::Failed {
        design: design.to_owned(),
        reason,
    })
    .context("writing down a failure")
}

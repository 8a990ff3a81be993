//! Carrying out a drive: engines up, tables filled, loads driven, engines down, reports.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use bakeoff_driver::drive::{DEFAULT_DRAIN_LIMIT, Plan as LoadPlan, Schedule, Stop, Target};
use bakeoff_driver::{DesignError, Observer, peak_memory_bytes, shuffled};
use bakeoff_engines::{Context, TargetOptions};
use bakeoff_stats::drive::{DriveHeader, DriveLog, DriveRecord, Populated};
use bakeoff_workload::{DesignId, Mix, RowSource, RowValues, Workload};

use super::live::Live;
use super::load::Load;
use super::trial::Recorder;
use super::{Drive, find, populate};
use crate::cmd::report;
use crate::engines::{Engines, clear_the_place};
use crate::exit::Exit;
use crate::interrupt::asked_to_stop;
use crate::machine;
use crate::progress::Progress;

/// How long shards after the first one wait for it to make the table.
const TABLE_PATIENCE: Duration = Duration::from_secs(120);
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
}

/// Drives to the end or to an interruption, and shows what there is.
pub async fn execute(plan: Plan<'_>) -> Result<Exit> {
    let began = Instant::now();
    let mut log = DriveLog::create(&plan.context.run_dir, &plan.header)?;
    let progress = Progress::new(plan.designs.len());
    for message in clear_the_place(&progress).await? {
        log.append(&DriveRecord::Warning { message })?;
    }
    let stop = Stop::new();
    let mut engines = Engines::default();
    let driven = async {
        let filling = fill_all(&plan, &mut engines, &mut log, &progress);
        let targets = tokio::select! {
            targets = filling => targets?,
            () = stop.asked() => return Ok(()),
        };
        progress.finish();
        drive_all(&plan, &targets, &mut log, &stop).await
    };
    let interruption = async {
        asked_to_stop().await;
        stop.stop();
        std::future::pending().await
    };
    let driven: Result<()> = tokio::select! {
        driven = driven => driven,
        () = interruption => Ok(()),
    };
    progress.finish();
    let kept = plan.options.keep || plan.options.keyspace.is_some();
    for message in engines.finish(kept).await {
        log.append(&DriveRecord::Warning { message })?;
    }
    driven?;
    if stop.is_asked() {
        log.append(&DriveRecord::Interrupted { at: machine::now() })?;
        eprintln!("interrupted: what was measured until then is kept");
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

/// Targets with their tables filled and at rest. A design that cannot be had is a failed one.
async fn fill_all(
    plan: &Plan<'_>,
    engines: &mut Engines,
    log: &mut DriveLog,
    progress: &Progress,
) -> Result<Vec<Arc<dyn Target>>> {
    let mut targets: Vec<Arc<dyn Target>> = Vec::new();
    for id in plan.designs {
        let target = match engines.get(id, &plan.context, progress).await {
            Ok(found) => {
                if let Some(info) = found.started {
                    log.append(&DriveRecord::Engine(info))?;
                }
                let options = target_options(plan);
                let target = found
                    .engine
                    .target(id, plan.workload, &plan.context, &options);
                target.await.map_err(anyhow::Error::from)
            }
            Err(reason) => Err(anyhow!(reason)),
        };
        let filled = match target {
            Ok(target) => fill(plan, target.as_ref(), log, progress)
                .await
                .map(|()| target),
            Err(error) => Err(error),
        };
        match filled {
            Ok(target) => targets.push(target.into()),
            Err(error) => fail(log, &id.to_string(), &error, |line| progress.say(line))?,
        }
    }
    settle(plan, targets, log, progress).await
}

fn target_options(plan: &Plan<'_>) -> TargetOptions {
    TargetOptions {
        values: plan.values.clone(),
        mix: plan.mix.clone(),
        keys_repeat: plan.source.may_repeat_keys(),
        in_flight_per_worker: (plan.load.in_flight / u32::from(plan.options.threads)).max(1)
            as usize,
        request_time_limit: plan.options.time_out,
        consistency: plan.options.consistency,
    }
}

/// Makes a table and loads this shard's rows. With several shards the first one makes it.
async fn fill(
    plan: &Plan<'_>,
    target: &dyn Target,
    log: &mut DriveLog,
    progress: &Progress,
) -> Result<()> {
    let Some(design) = target.design() else {
        return Ok(());
    };
    let is_first = plan.load.shard.index == 0;
    match () {
        () if plan.options.no_load || !is_first => wait_for_table(design).await?,
        () => design.create().await?,
    }
    if plan.options.no_load {
        return Ok(());
    }
    let rows = plan.options.rows(plan.workload);
    let source = plan.source.clone();
    let filled = populate::fill(target, design, source, rows, plan.load.shard, progress).await?;
    log.append(&DriveRecord::Populated(Populated {
        design: target.info().id.clone(),
        rows: filled.rows,
        seconds: filled.seconds,
    }))?;
    Ok(())
}

async fn wait_for_table(design: &dyn bakeoff_driver::Design) -> Result<()> {
    let deadline = Instant::now() + TABLE_PATIENCE;
    while !design.survives().await {
        if Instant::now() > deadline {
            return Err(anyhow!(
                "its table is not there after {} s: shard 1 makes it, without --no-load",
                TABLE_PATIENCE.as_secs()
            ));
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

/// Brings all tables to rest when all are loaded, and reads what they take.
async fn settle(
    plan: &Plan<'_>,
    targets: Vec<Arc<dyn Target>>,
    log: &mut DriveLog,
    progress: &Progress,
) -> Result<Vec<Arc<dyn Target>>> {
    let mut ready = Vec::new();
    let is_whole = plan.load.shard.is_whole();
    for target in targets {
        let id = &target.info().id;
        progress.phase(&format!("settling {id}"));
        let settled = async {
            if let (Some(design), true) = (target.design(), is_whole) {
                design.settle().await?;
            }
            target.prepare().await
        };
        match settled.await {
            Ok(()) => ready.push(target),
            Err(error) => fail(log, id, &error.into(), |line| progress.say(line))?,
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

/// Every design once in every round, in random order; or a search on each.
async fn drive_all(
    plan: &Plan<'_>,
    targets: &[Arc<dyn Target>],
    log: &mut DriveLog,
    stop: &Stop,
) -> Result<()> {
    let operations: Vec<String> = plan.mix.operations.iter().map(|o| o.name.clone()).collect();
    let mut live = Live::new(operations.clone());
    let mut recorder = Recorder {
        log,
        live: &mut live,
        operations,
        trials: 0,
    };
    let mut out = vec![false; targets.len()];
    for round in 1..=plan.options.rounds {
        let keys = [plan.workload.seed, u64::from(round)];
        for index in shuffled((0..targets.len()).collect(), &keys) {
            if stop.is_asked() || out[index] {
                continue;
            }
            let target = &targets[index];
            let mut load = load_plan(plan, plan.load.schedule.clone());
            // Later ones begin when they are ready.
            load.start_at = plan.options.start_at.filter(|_| recorder.trials == 0);
            let driven = match &plan.load.objective {
                None => {
                    let trial = recorder.trial(target.clone(), round, &load, stop);
                    trial.await.map(drop)
                }
                Some(objective) => {
                    find::highest_rate(&mut recorder, target.clone(), objective, plan, round, stop)
                        .await
                }
            };
            if let Err(error) = driven
                && !stop.is_asked()
            {
                out[index] = true;
                let live = &recorder.live;
                fail(recorder.log, &target.info().id, &error, |line| {
                    live.say(line)
                })?;
            }
        }
    }
    live.finish();
    Ok(())
}

/// One load of this drive.
pub fn load_plan(plan: &Plan<'_>, schedule: Schedule) -> LoadPlan {
    let options = plan.options;
    LoadPlan {
        mix: plan.mix.clone(),
        seed: plan.workload.seed,
        rows: options.rows(plan.workload),
        shard: plan.load.shard,
        threads: u32::from(options.threads),
        in_flight: plan.load.in_flight,
        schedule,
        duration: plan.load.duration,
        drain_limit: DEFAULT_DRAIN_LIMIT,
        retries: options.retries,
        start_at: None,
    }
}

fn fail(log: &mut DriveLog, design: &str, error: &anyhow::Error, say: impl Fn(&str)) -> Result<()> {
    let reason = crate::exit::explain(error);
    say(&format!("{design}: {reason}"));
    log.append(&DriveRecord::Failed {
        design: design.to_owned(),
        reason,
    })
    .context("writing down a failure")
}

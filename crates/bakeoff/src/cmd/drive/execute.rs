//! Carries out a drive: starts engines, fills tables, drives loads, stops engines and reports.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use bakeoff_driver::drive::{DriveSettings, Driving, Stop, drive_designs};
use bakeoff_engines::{Context, DesignCandidates, Engines, TargetCandidates, TargetOptions};
use bakeoff_stats::drive::{DriveHeader, DriveLog};
use bakeoff_stats::per_node::Wanted;
use bakeoff_stats::{Event, EventLog};
use bakeoff_workload::{DesignId, RowSource, RowValues, Workload, source};

use super::Drive;
use super::live::Live;
use crate::cmd::measure::{Measurement, write_bad_rows};
use crate::cmd::report;
use crate::exit::Exit;
use crate::interrupt::asked_to_stop;
use crate::progress::Progress;

pub struct Plan<'a> {
    pub options: &'a Drive,
    pub workload: &'a Workload,
    pub designs: &'a [DesignId],
    /// The designs that answer questions beside the loads in place of the driven ones.
    pub beside: &'a [DesignId],
    /// All of these designs.
    pub all: &'a [DesignId],
    pub source: Arc<dyn RowSource>,
    pub values: Arc<dyn RowValues>,
    pub context: Context,
    pub settings: DriveSettings,
    pub header: DriveHeader,
    pub wanted: Wanted,
    /// Warnings that are recorded before anything is started.
    pub warnings: Vec<String>,
    pub progress: Progress,
}

/// Drives until the end or an interruption, and shows the results so far.
pub async fn execute(plan: Plan<'_>) -> Result<Exit> {
    let measurement = Measurement {
        designs: plan.all,
        context: &plan.context,
        warnings: &plan.warnings,
        progress: &plan.progress,
        began: Instant::now(),
    };
    let mut interruption = pin!(asked_to_stop());
    let open_log = || {
        let log = DriveLog::create(&plan.context.run_dir, &plan.header)?;
        write_bad_rows(&plan.context.run_dir, plan.source.bad_rows())?;
        Ok(log)
    };
    let begun = measurement.begin(&mut interruption, open_log).await?;
    let Some((mut engines, mut log)) = begun else {
        return Ok(Exit::Interrupted);
    };
    let (dir, follow) = (&plan.context.run_dir, &plan.options.follow);
    follow.begin(dir, &plan.wanted, &plan.progress);
    let options = target_options(&plan);
    if options.keys_repeat {
        let message = source::ONLY_KEYS_ARE_COMPARED.to_owned();
        log.note(Event::Warning(message))?;
    }
    let driven = drive(&plan, options, &mut engines, &mut log, interruption).await;
    let keep = plan.options.keep || plan.options.keyspace.is_some();
    let interrupted = "interrupted: the results so far are kept";
    let ended = measurement.end(driven, engines, keep, &mut log, interrupted);
    if let Err(error) = ended.await {
        follow.end(dir, &plan.wanted);
        return Err(error);
    }
    drop(log);
    let shown = report::Shown {
        is_for_recommendation: plan.options.is_for_decision,
        ..report::Shown::from(plan.wanted.clone())
    };
    report::render_drive(dir, &shown)
}

/// Drives until all is done. Returns `None` after an interruption, once the load under way has ended.
async fn drive(
    plan: &Plan<'_>,
    options: TargetOptions,
    engines: &mut Engines,
    log: &mut DriveLog,
    interruption: impl Future<Output = ()>,
) -> Option<Result<()>> {
    let stop = Stop::new();
    let mut candidates = TargetCandidates {
        designs: DesignCandidates {
            engines,
            designs: plan.designs,
            workload: plan.workload,
            context: &plan.context,
            observer: &plan.progress,
        },
        options,
        start_at: plan.settings.load.start_at,
        beside: plan.beside,
    };
    let mut live = Live::new(&plan.progress, &plan.settings.load.mix);
    let driving = Driving {
        settings: &plan.settings,
        source: plan.source.clone(),
        values: plan.values.clone(),
        log,
        observer: &plan.progress,
        live: &mut live,
        stop: &stop,
    };
    let stopping = async {
        interruption.await;
        stop.stop();
        std::future::pending().await
    };
    let driven = tokio::select! {
        driven = drive_designs(&mut candidates, driving) => driven,
        driven = stopping => driven,
    };
    match driven {
        Ok(()) if stop.is_asked() => None,
        driven => Some(driven.map_err(anyhow::Error::from)),
    }
}

fn target_options(plan: &Plan<'_>) -> TargetOptions {
    let load = &plan.settings.load;
    TargetOptions {
        values: plan.values.clone(),
        mix: load.mix.clone(),
        loaded: load.shard.rows(load.rows),
        keys_repeat: source::keys_repeat(plan.workload, &*plan.values, load.rows, load.shard.of),
        in_flight_per_worker: load.most_slots() as usize,
        request_time_limit: plan.options.limits.time_out,
        consistency: plan.options.consistency,
    }
}

//! Carrying out a run: engines up, the comparison, engines down, reports.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use bakeoff_driver::{Budget, Design, Observer, Settings, peak_memory_bytes};
use bakeoff_engines::cassandra_server::{Home, list, stop_orphans};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, Running, SqlOracle};
use bakeoff_stats::{Header, Journal, Record, Step};
use bakeoff_workload::{DesignId, RowSource, Workload};
use tokio::signal::unix::{SignalKind, signal};

use super::Run;
use crate::cmd::report;
use crate::exit::Exit;
use crate::machine;
use crate::progress::Progress;

pub struct Plan<'a> {
    pub options: &'a Run,
    pub workload: &'a Workload,
    pub designs: &'a [DesignId],
    pub source: Arc<dyn RowSource>,
    pub context: Context,
    pub header: Header,
}

/// Runs to the end or to an interruption, and shows what there is.
pub async fn execute(plan: Plan<'_>) -> Result<Exit> {
    let began = Instant::now();
    let mut journal = open_journal(&plan)?;
    let progress = Progress::new(plan.designs.len());
    let home = Home::from_env()?;
    for line in stop_orphans(&home).await? {
        progress.say(&line);
    }
    warn_of_others(&home, &mut journal, &progress)?;
    let mut engines = BTreeMap::new();
    let compared = tokio::select! {
        done = compare(&plan, &mut engines, &mut journal, &progress, began) => Some(done),
        () = asked_to_stop() => None,
    };
    progress.finish();
    let kept = plan.options.keep || !matches!(compared, Some(Ok(())));
    for (name, engine) in engines {
        if let Err(error) = engine.finish(kept).await {
            let message = format!("stopping {name} failed: {error}");
            journal.append(&Record::Warning { message })?;
        }
    }
    match compared {
        Some(done) => {
            done?;
            journal.append(&Record::Finished {
                at: machine::now(),
                seconds: began.elapsed().as_secs_f64(),
                peak_memory_bytes: peak_memory_bytes(),
            })?;
        }
        None => {
            journal.append(&Record::Interrupted { at: machine::now() })?;
            eprintln!("interrupted: what is done is kept, and the same command goes on from here");
        }
    }
    report::render(&plan.context.run_dir)
}

/// Two runs at once on one machine disturb each other's times.
fn warn_of_others(home: &Home, journal: &mut Journal, progress: &Progress) -> Result<()> {
    let others = list(home)?
        .into_iter()
        .filter(|server| server.alive && server.owner_alive == Some(true));
    for other in others {
        let message = format!(
            "another run was going on on this machine when this one began (its data are in {}): \
             both disturb each other's times",
            other.dir.display()
        );
        progress.say(&message);
        journal.append(&Record::Warning { message })?;
    }
    Ok(())
}

fn open_journal(plan: &Plan<'_>) -> Result<Journal> {
    let dir = &plan.context.run_dir;
    let mut journal = Journal::create_or_resume(dir, &plan.header.fingerprint)?;
    match journal.records().is_empty() {
        true => journal.append(&Record::Started(Box::new(plan.header.clone())))?,
        false => {
            eprintln!("going on with the run in {}", dir.display());
            journal.append(&Record::Resumed { at: machine::now() })?;
        }
    }
    Ok(journal)
}

async fn compare(
    plan: &Plan<'_>,
    engines: &mut BTreeMap<String, Box<dyn Running>>,
    journal: &mut Journal,
    progress: &Progress,
    began: Instant,
) -> Result<()> {
    let designs = start_engines(plan, engines, journal, progress).await?;
    let mut oracle = SqlOracle::new(
        plan.source.clone(),
        plan.workload.table.clone(),
        plan.context.threads,
    );
    let settings = Settings {
        rows: plan.options.rows(plan.workload),
        rounds: plan.options.rounds,
        budget: plan.options.budget.map(|total| Budget::new(began, total)),
        call_limit: plan.options.limit,
    };
    let source = plan.source.clone();
    bakeoff_driver::run(
        plan.workload,
        source,
        &designs,
        &mut oracle,
        &settings,
        journal,
        progress,
    )
    .await?;
    Ok(())
}

/// Starts the engines that the designs need; an engine that cannot be had fails its designs only.
async fn start_engines(
    plan: &Plan<'_>,
    engines: &mut BTreeMap<String, Box<dyn Running>>,
    journal: &mut Journal,
    progress: &Progress,
) -> Result<Vec<Box<dyn Design>>> {
    let mut designs = Vec::new();
    let mut missing: BTreeMap<&str, String> = BTreeMap::new();
    for id in plan.designs {
        let name = id.engine.as_str();
        if !engines.contains_key(name) && !missing.contains_key(name) {
            progress.phase(&format!("starting {name}"));
            let started = Instant::now();
            match engine(id)?.start(&plan.context).await {
                Ok(running) => {
                    journal.append(&Record::Engine(running.info()))?;
                    if running.info().start_seconds.is_some() {
                        progress.done(&format!("started {name}"), started.elapsed());
                    }
                    engines.insert(name.to_owned(), running);
                }
                Err(error) => {
                    progress.say(&format!("{name}: {error}"));
                    missing.insert(name, error.to_string());
                }
            }
        }
        let design = match engines.get(name) {
            Some(running) => running
                .design(id, plan.workload, &plan.context)
                .await
                .map_err(|e| e.to_string()),
            None => Err(missing.get(name).cloned().unwrap_or_default()),
        };
        match design {
            Ok(design) => designs.push(design),
            Err(reason) => journal.append(&Record::Failed {
                design: id.to_string(),
                step: Step::Start,
                query: None,
                reason,
            })?,
        }
    }
    Ok(designs)
}

/// Ends on Ctrl-C, on SIGTERM, and when the terminal is closed.
async fn asked_to_stop() {
    let wait = |kind| async move {
        match signal(kind) {
            Ok(mut stream) => {
                stream.recv().await;
            }
            // Without a handler the signal ends the process at once, as it does by default.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::hangup()) => {}
    }
}

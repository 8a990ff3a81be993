//! Carrying out a run: engines up, the comparison, engines down, reports.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use bakeoff_driver::{Budget, Design, Settings, peak_memory_bytes};
use bakeoff_engines::{Context, SqlOracle, limits_not_applied};
use bakeoff_stats::{Header, Journal, Prices, Record, Step};
use bakeoff_workload::{DesignId, RowSource, Workload};

use super::Run;
use crate::cmd::report;
use crate::engines::{Engines, clear_and_check};
use crate::exit::Exit;
use crate::interrupt::asked_to_stop;
use crate::machine;
use crate::progress::Progress;
use crate::stderr::tell;

pub struct Plan<'a> {
    pub options: &'a Run,
    pub workload: &'a Workload,
    pub designs: &'a [DesignId],
    pub source: Arc<dyn RowSource>,
    /// Rows to load; `None` lets the budget decide.
    pub rows: Option<u64>,
    pub context: Context,
    pub header: Header,
    pub prices: Option<Prices>,
    /// What is noted before anything is started.
    pub warnings: Vec<String>,
    pub progress: Progress,
    pub began: Instant,
}

/// Runs to the end or to an interruption, and shows what there is.
pub async fn execute(plan: Plan<'_>) -> Result<Exit> {
    let began = plan.began;
    let progress = &plan.progress;
    progress.of_designs(plan.designs.len());
    let mut interruption = pin!(asked_to_stop());
    let checked = clear_and_check(plan.designs, &plan.context, progress, &mut interruption).await?;
    let Some((cleared, mut engines)) = checked else {
        return Ok(Exit::Interrupted);
    };
    let mut journal = open_journal(&plan)?;
    let noted = plan.warnings.iter().cloned().chain(cleared);
    for message in noted.chain(limits_not_applied(&plan.context)) {
        journal.append(&Record::Warning { message })?;
    }
    let compared = tokio::select! {
        done = compare(&plan, &mut engines, &mut journal, began) => Some(done),
        () = interruption => None,
    };
    progress.what("stopping engines");
    let kept = plan.options.keep || !matches!(compared, Some(Ok(())));
    let troubles = engines.finish(kept).await;
    progress.finish();
    for message in troubles {
        journal.append(&Record::Warning { message })?;
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
            tell("interrupted: what is done is kept, and the same command goes on from here");
        }
    }
    report::render(&plan.context.run_dir, plan.prices)
}

fn open_journal(plan: &Plan<'_>) -> Result<Journal> {
    let dir = &plan.context.run_dir;
    let mut journal = Journal::create_or_resume(dir, &plan.header.fingerprint)?;
    if journal.records().is_empty() {
        journal.append(&Record::Started(Box::new(plan.header.clone())))?
    } else {
        let line = format!("going on with the run in {}", dir.display());
        plan.progress.say(&line);
        journal.append(&Record::Resumed { at: machine::now() })?;
    }
    Ok(journal)
}

async fn compare(
    plan: &Plan<'_>,
    engines: &mut Engines,
    journal: &mut Journal,
    began: Instant,
) -> Result<()> {
    let designs = start_designs(plan, engines, journal).await?;
    let mut oracle = SqlOracle::new(
        plan.source.clone(),
        plan.workload.table.clone(),
        plan.context.threads,
    );
    let settings = Settings {
        rows: plan.rows,
        rounds: plan.options.rounds,
        budget: plan.options.budget.map(|total| Budget::new(began, total)),
        call_limit: plan.options.limit,
        concurrent: plan.options.concurrent.plan(plan.workload),
    };
    let source = plan.source.clone();
    bakeoff_driver::run(
        plan.workload,
        source,
        &designs,
        &mut oracle,
        &settings,
        journal,
        &plan.progress,
    )
    .await?;
    Ok(())
}

/// Starts the engines that the designs need; an engine that is not available fails its designs only.
async fn start_designs(
    plan: &Plan<'_>,
    engines: &mut Engines,
    journal: &mut Journal,
) -> Result<Vec<Arc<dyn Design>>> {
    let mut designs = Vec::new();
    for id in plan.designs {
        let design = match engines.get(id, &plan.context, &plan.progress).await {
            Ok(found) => {
                if let Some(info) = found.started {
                    journal.append(&Record::Engine(info))?;
                }
                let design = found.engine.design(id, plan.workload, &plan.context);
                design.await.map_err(|e| e.to_string())
            }
            Err(reason) => Err(reason),
        };
        match design {
            Ok(design) => designs.push(design.into()),
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

//! Carrying out a run: engines up, the comparison, engines down, reports.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use bakeoff_driver::{Budget, Designs, RIGHT_ANSWERS_WITHIN, Settings, start_designs};
use bakeoff_engines::{Context, DesignCandidates, DesignInstances, Engines, SqlOracle};
use bakeoff_stats::per_node::Wanted;
use bakeoff_stats::{DesignInfo, Header, Journal, Record};
use bakeoff_workload::{DesignId, RowSource, Workload};

use super::Run;
use crate::cmd::measure::{Measurement, write_bad_rows};
use crate::cmd::report;
use crate::exit::Exit;
use crate::interrupt::asked_to_stop;
use crate::machine;
use crate::progress::Progress;

pub struct Plan<'a> {
    pub options: &'a Run,
    pub workload: &'a Workload,
    pub designs: &'a [DesignId],
    pub source: Arc<dyn RowSource>,
    /// Rows to load; `None` lets the budget decide.
    pub rows: Option<u64>,
    pub context: Context,
    pub header: Header,
    pub wanted: Wanted,
    /// Warnings that are noted before anything is started.
    pub warnings: Vec<String>,
    pub progress: Progress,
    pub began: Instant,
}

/// Runs to the end or to an interruption, and shows the report of what there is.
pub async fn execute(plan: Plan<'_>) -> Result<Exit> {
    let infos = plan.header.designs.iter();
    let tables = infos.filter(|info| info.has_own_table()).count();
    plan.progress.set_designs(tables);
    let measurement = Measurement {
        designs: plan.designs,
        context: &plan.context,
        warnings: &plan.warnings,
        progress: &plan.progress,
        began: plan.began,
    };
    let mut interruption = pin!(asked_to_stop());
    let begun = measurement.begin(&mut interruption, || open_journal(&plan));
    let Some((mut engines, mut journal)) = begun.await? else {
        return Ok(Exit::Interrupted);
    };
    let (dir, follow) = (&plan.context.run_dir, &plan.options.follow);
    follow.begin(dir, &plan.wanted, &plan.progress);
    let compared = tokio::select! {
        done = compare(&plan, &mut engines, &mut journal) => Some(done),
        () = interruption => None,
    };
    let keep = plan.options.keep || !matches!(compared, Some(Ok(())));
    let interrupted = "interrupted: what is done is kept, and the same command goes on from here";
    let ended = measurement.end(compared, engines, keep, &mut journal, interrupted);
    if let Err(error) = ended.await {
        follow.end(dir, &plan.wanted);
        return Err(error);
    }
    let shown = report::Shown {
        is_for_recommendation: plan.options.is_for_decision,
        ..report::Shown::from(plan.wanted.clone())
    };
    report::render(dir, &shown)
}

fn open_journal(plan: &Plan<'_>) -> Result<Journal> {
    let dir = &plan.context.run_dir;
    let mut journal = Journal::create_or_resume(dir, &plan.header.fingerprint)?;
    if let Some(Record::Started(begun)) = journal.records().first() {
        if begun.token != plan.header.token {
            bail!(
                "another command has just begun this run in {}: repeat this one to go on with it",
                dir.display()
            );
        }
        let line = format!("going on with the run in {}", dir.display());
        plan.progress.say(&line);
        if journal.was_torn() {
            plan.progress.say(
                "its last record was cut off, by a kill or a loss of power: that step is done again",
            );
        }
        journal.append(&Record::Resumed { at: machine::now() })?;
    } else {
        journal.append(&Record::Started(Box::new(plan.header.clone())))?;
    }
    write_bad_rows(dir, plan.source.bad_rows())?;
    Ok(journal)
}

/// Returns the id of a design with the queries that it is not asked.
fn not_asked(info: &DesignInfo) -> (String, BTreeSet<String>) {
    let queries = info.not_asked.iter();
    let queries = queries.map(|left_out| left_out.query.clone());
    (info.id.clone(), queries.collect())
}

async fn compare(plan: &Plan<'_>, engines: &mut Engines, journal: &mut Journal) -> Result<()> {
    let mut candidates = DesignCandidates {
        engines,
        designs: plan.designs,
        workload: plan.workload,
        context: &plan.context,
        observer: &plan.progress,
    };
    let started = start_designs(&mut candidates, journal).await?;
    let mut instances = DesignInstances {
        engines,
        designs: plan.designs,
        workload: plan.workload,
        context: &plan.context,
    };
    let mut oracle = SqlOracle::new(
        plan.source.clone(),
        plan.workload.table.clone(),
        plan.context.threads,
    );
    let budget = plan.options.budget;
    let settings = Settings {
        rows: plan.rows,
        rounds: plan.options.rounds,
        budget: budget.map(|total| Budget::new(plan.began, total)),
        call_limit: plan.options.limit,
        race: plan.options.race,
        right_answers_within: RIGHT_ANSWERS_WITHIN,
        concurrent: plan.options.concurrent.plan(plan.workload),
        further: plan.options.further.tables(),
        shows_stored: plan.options.show_stored,
        not_asked: plan.header.designs.iter().map(not_asked).collect(),
        known_unmet: plan.options.known_unmet(plan.workload),
        profiles: plan.options.profile.profiles(&plan.context.run_dir),
    };
    let designs = Designs {
        started: &started,
        instances: &mut instances,
    };
    bakeoff_driver::run(
        plan.workload,
        plan.source.clone(),
        designs,
        &mut oracle,
        &settings,
        journal,
        &plan.progress,
    )
    .await?;
    Ok(())
}

//! Tables before and after their rows: created, settled, and their size read.

use std::time::Instant;

use bakeoff_stats::{During, Record, Step};

use super::context::{Context, RunError};
use super::shared::{fail_without_table, note_new_table};
use crate::Design;

/// Creates the tables that an earlier process did not leave behind.
pub async fn create(run: &mut Context<'_>) -> Result<(), RunError> {
    run.observer.phase("creating tables");
    for design in run.live_tables() {
        let id = design.info().id.clone();
        if is_still_there(run, design).await {
            continue;
        }
        note_new_table(run, &id)?;
        match run.limited(design.create()).await {
            Ok(()) => run.log.record(Record::Created { design: id })?,
            Err(error) => run.fail(design, Step::Create, None, error)?,
        }
    }
    fail_without_table(run).await
}

/// Returns whether an earlier process made this table and left it so that loading can go on.
async fn is_still_there(run: &Context<'_>, design: &dyn Design) -> bool {
    let state = run.log.state();
    // A slice that was loaded but not recorded leaves rows behind. They are loaded again, unless
    // a budget now ends loading before them.
    if !state.design(&design.info().id).created || run.budget_decides() {
        return false;
    }
    let survives = run.limited(async { Ok(design.survives().await) });
    survives.await.unwrap_or(false)
}

/// Settles every table.
pub async fn settle(run: &mut Context<'_>) -> Result<(), RunError> {
    run.observer.phase("settling (flush, compaction, sorting)");
    let began = Instant::now();
    for design in run.live_tables() {
        let id = design.info().id.clone();
        if run.log.state().design(&id).settled {
            continue;
        }
        let before = run.highest.before_settling(design).await;
        let mut watched = run.watch(design).await;
        let started = Instant::now();
        let settling = run.highest.during(design, design.settle());
        let settling = run.limited(settling);
        let settled = run.server.during(design, &mut watched, settling).await;
        match settled {
            Ok(how) => {
                let seconds = started.elapsed().as_secs_f64();
                let space = run.highest.settled(design, before).await;
                run.log.record(Record::Space(space))?;
                run.log.record(Record::Settled {
                    design: id,
                    seconds,
                    how,
                })?;
                run.record_server(design, watched, During::Settle, seconds)
                    .await?;
            }
            Err(error) => run.fail(design, Step::Settle, None, error)?,
        }
        run.observer.between_steps();
    }
    run.observer.done("settled", began.elapsed());
    Ok(())
}

/// Reads what every table takes, once all are at rest.
pub async fn read_footprints(run: &mut Context<'_>) -> Result<(), RunError> {
    for design in run.live_tables() {
        if run.log.state().design(&design.info().id).footprint {
            continue;
        }
        match run.limited(design.footprint()).await {
            Ok(footprint) => run.log.record(Record::Footprint(footprint))?,
            Err(error) => run.fail(design, Step::Footprint, None, error)?,
        }
    }
    Ok(())
}

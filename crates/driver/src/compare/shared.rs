//! Designs that read the table of another one, which is made, loaded and measured once for all of them.

use std::sync::Arc;

use bakeoff_stats::{Record, Step};

use super::context::{Context, RunError};
use crate::{Design, DesignError};

/// Returns why a design cannot take part: the one whose table it reads is not among those that are made.
pub fn without_table(made: &[Arc<dyn Design>], design: &dyn Design) -> Option<DesignError> {
    let of = design.info().table_of.as_ref()?;
    let is_made = made.iter().any(|made| made.info().id == *of);
    (!is_made).then(|| DesignError(format!("it reads the table of {of}, which was not started")))
}

/// Records that the table which other designs read is made anew, before that is done: their answers are verified again,
/// be the run killed in between.
pub fn note_new_table(run: &mut Context<'_>, table: &str) -> Result<(), RunError> {
    for reader in run.readers_of(table) {
        let design = reader.info().id.clone();
        run.log.record(Record::Created { design })?;
    }
    Ok(())
}

/// Fails the designs whose table an earlier process lost: it failed and the process was killed before it recorded that
/// of them, too, or the design that has it failed later, so that it is not made again, and it is gone since.
pub async fn fail_without_table(run: &mut Context<'_>) -> Result<(), RunError> {
    for design in run.live() {
        let info = design.info();
        let Some(of) = &info.table_of else {
            continue;
        };
        let owner = run.log.state().design(of);
        let (failed_in, has_failed) = (owner.table_failed_in, owner.failed);
        let (step, why) = if let Some(step) = failed_in {
            (step, "which failed")
        } else if has_failed && !is_there(run, of).await {
            (Step::Create, "which failed and is not there any more")
        } else {
            continue;
        };
        let reason = format!("it reads the table of {of}, {why}");
        run.log.fail(&info.id, step, None, reason)?;
    }
    Ok(())
}

/// Returns whether the table of a design can be read.
async fn is_there(run: &Context<'_>, table: &str) -> bool {
    let mut designs = run.designs.iter();
    let Some(design) = designs.find(|design| design.info().id == table) else {
        return false;
    };
    let survives = run.limited(async { Ok(design.survives().await) });
    survives.await.unwrap_or(false)
}

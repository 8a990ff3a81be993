//! Designs that read the table of another one, which is made, loaded and measured once for all of them.

use std::sync::Arc;

use bakeoff_stats::Record;

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

/// Fails the designs whose table failed in an earlier process that was killed before it recorded that of them, too.
pub fn fail_late(run: &mut Context<'_>) -> Result<(), RunError> {
    for design in run.live() {
        let info = design.info();
        let Some(of) = &info.table_of else {
            continue;
        };
        if let Some(step) = run.log.state().design(of).table_failed_in {
            let reason = format!("it reads the table of {of}, which failed");
            run.log.fail(&info.id, step, None, reason)?;
        }
    }
    Ok(())
}

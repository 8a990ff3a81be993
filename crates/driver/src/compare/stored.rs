//! The first rows of each design as they are stored, read once and outside of any clock, where that is asked for.

use std::time::Duration;

use bakeoff_stats::{Record, Stored, StoredRows};

use super::context::{Context, RunError};
use crate::call::within;

/// The longest that the rows of one design may take: a tool may start a JVM.
const ONE_WITHIN: Duration = Duration::from_secs(60);

/// Reads the first rows of each design's own table, but for those in the journal. They only explain sizes, so that what
/// cannot be read is recorded with the reason, and nothing fails.
pub async fn read_stored(run: &mut Context<'_>) -> Result<(), RunError> {
    if !run.settings.shows_stored {
        return Ok(());
    }
    run.observer.phase("reading rows as they are stored");
    for design in run.live_tables() {
        let id = &design.info().id;
        let is_known = run.log.state().has_stored(id);
        if is_known || !run.is_own_table(design) || design.dead().is_some() {
            continue;
        }
        let limit = ONE_WITHIN.min(run.settings.call_limit);
        let rows = match within(limit, design.stored_rows()).await {
            Ok(None) => continue,
            Ok(Some(told)) => StoredRows::told(told.by, &told.text),
            Err(error) => StoredRows::unknown(&error.0),
        };
        run.log.record(Record::Stored(Stored {
            design: id.clone(),
            rows,
        }))?;
    }
    Ok(())
}

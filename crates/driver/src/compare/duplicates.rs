//! Rows whose key repeats, of which some designs keep the last one only.

use std::sync::Arc;

use bakeoff_stats::Record;
use bakeoff_workload::{DuplicateKeys, RowSource};

use super::context::{Context, RunError};

/// Memory that the search for repeated keys may use, in bytes.
const DUPLICATE_SEARCH_BYTES: usize = 128 << 20;

/// Finds the repeated keys among all rows, and records which designs lose rows by them.
pub async fn find_duplicates(run: &mut Context<'_>, rows: u64) -> Result<DuplicateKeys, RunError> {
    if !run.source.may_repeat_keys() {
        return Ok(DuplicateKeys::none());
    }
    run.observer.phase("looking for repeated keys");
    let found = duplicates_within(run, run.source.clone(), rows).await?;
    if !run.log.state().duplicates_known {
        let lost_by = { run.designs.iter() }
            .filter(|design| run.is_own_table(design.as_ref()) && !design.keeps_duplicates())
            .map(|design| design.info().id.clone());
        let lost_by = lost_by.filter(|_| found.count() > 0).collect();
        let told_apart_by = told_apart_by(run, &found, rows).await?;
        run.log.record(Record::DuplicateKeys {
            rows: found.count(),
            lost_by,
            told_apart_by,
        })?;
    }
    Ok(found)
}

/// Returns the column with which keys would not repeat, if there is one.
async fn told_apart_by(
    run: &Context<'_>,
    found: &DuplicateKeys,
    rows: u64,
) -> Result<Option<String>, RunError> {
    let (source, table, found) = (
        run.source.clone(),
        run.workload.table.clone(),
        found.clone(),
    );
    let column =
        tokio::task::spawn_blocking(move || found.told_apart_by(source.as_ref(), &table, rows));
    Ok(column
        .await
        .map_err(|e| RunError::Reader(e.to_string()))??)
}

/// Finds the repeated keys among the first rows of a source.
pub async fn duplicates_within(
    run: &Context<'_>,
    source: Arc<dyn RowSource>,
    rows: u64,
) -> Result<DuplicateKeys, RunError> {
    if !source.may_repeat_keys() {
        return Ok(DuplicateKeys::none());
    }
    let table = run.workload.table.clone();
    let found = tokio::task::spawn_blocking(move || {
        DuplicateKeys::find(source.as_ref(), &table, Some(rows), DUPLICATE_SEARCH_BYTES)
    });
    let found = found.await.map_err(|e| RunError::Reader(e.to_string()))?;
    Ok(found?)
}

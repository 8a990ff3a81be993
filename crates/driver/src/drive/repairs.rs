//! Read repairs of a load: reads whose copies disagreed and were made equal before the answer.

use std::time::Duration;

use bakeoff_stats::JournalError;
use bakeoff_stats::drive::{DriveLog, DriveRecord, ReadRepairs};

use super::Target;
use crate::call::within;

/// Longest time for which nodes are asked.
const LIMIT: Duration = Duration::from_secs(120);

/// Returns the read repairs of a design's nodes so far; `None` where nothing tells them.
pub async fn so_far(target: &dyn Target) -> Option<u64> {
    let design = target.design()?;
    let asked = within(LIMIT, async { Ok(design.read_repairs().await) });
    asked.await.ok().flatten()
}

/// Records how many there were since there had been `before`, unless a node was restarted or does not tell them any
/// more.
pub async fn record(
    target: &dyn Target,
    log: &mut DriveLog,
    before: u64,
) -> Result<(), JournalError> {
    let after = so_far(target).await;
    let Some(repairs) = after.and_then(|after| after.checked_sub(before)) else {
        return Ok(());
    };
    let design = target.info().id.clone();
    log.append(&DriveRecord::ReadRepairs(ReadRepairs { design, repairs }))
}

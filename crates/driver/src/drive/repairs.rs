//! Read repairs of a load: reads whose copies disagreed and were made equal before the answer.

use std::time::Duration;

use bakeoff_stats::JournalError;
use bakeoff_stats::drive::{DriveLog, DriveRecord, ReadRepairs};

use super::Target;
use crate::NodeCounts;
use crate::call::within;

/// Longest time for which nodes are asked.
const LIMIT: Duration = Duration::from_secs(120);

/// Returns the read repairs of a design's nodes so far; `None` where nothing tells them.
pub async fn so_far(target: &dyn Target) -> Option<NodeCounts> {
    let design = target.design()?;
    let asked = within(LIMIT, async { Ok(design.read_repairs().await) });
    asked.await.ok().flatten()
}

/// Records how many there were since there had been `before`, unless a node was restarted or does not tell them any
/// more.
pub async fn record(
    target: &dyn Target,
    log: &mut DriveLog,
    before: &NodeCounts,
) -> Result<(), JournalError> {
    let after = so_far(target).await;
    let Some(repairs) = after.and_then(|after| grown(before, &after)) else {
        return Ok(());
    };
    let design = target.info().id.clone();
    log.append(&DriveRecord::ReadRepairs(ReadRepairs { design, repairs }))
}

/// Adds up by how much the count of each node has grown; `None` if the nodes are others, or the count of one began
/// again, which the sum of all could hide.
fn grown(before: &NodeCounts, after: &NodeCounts) -> Option<u64> {
    if before.len() != after.len() {
        return None;
    }
    let of_node = |(name, after): (&String, &u64)| after.checked_sub(*before.get(name)?);
    after.iter().map(of_node).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts<const N: usize>(all: [(&str, u64); N]) -> NodeCounts {
        all.map(|(name, count)| (name.to_owned(), count)).into()
    }

    #[test]
    fn a_node_that_was_restarted_leaves_the_growth_unknown() {
        let before = counts([("a", 10), ("b", 20)]);
        let grown_to = |after: &NodeCounts| grown(&before, after);
        assert_eq!(grown_to(&before), Some(0));
        assert_eq!(grown_to(&counts([("a", 15), ("b", 21)])), Some(6));
        // The sum has grown, but b began to count anew.
        assert_eq!(grown_to(&counts([("a", 100), ("b", 1)])), None);
        assert_eq!(grown_to(&counts([("a", 15), ("c", 30)])), None);
        assert_eq!(grown_to(&counts([("a", 15)])), None);
    }
}

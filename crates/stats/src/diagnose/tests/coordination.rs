//! Which nodes clients send their reads to.

use super::checked;
use super::cluster::healthy;
use crate::diagnose::{Outcome, diagnose};

/// What the views show is the same for clients that know tokens and for those that take turns; messages between nodes
/// show only that there were too few for the latter.
#[test]
fn reads_that_are_spread_evenly_are_healthy_only_without_messages_between_nodes() {
    for messages in [None, Some(2_000), Some(u64::MAX)] {
        let mut evidence = healthy();
        evidence.nodes[1].sent_messages = messages;
        let diagnosis = diagnose(&evidence);
        let Outcome::NotChecked(not) = checked(&diagnosis, "token-awareness") else {
            panic!("{messages:?}");
        };
        assert!(not.reason.contains("no view tells them apart"), "{not:?}");
        assert!(not.brings.unwrap().contains("trace"), "{not:?}");
    }
}

#[test]
fn a_client_of_one_node_is_told_from_one_that_asks_the_wrong_nodes() {
    for (counts, says) in [
        ([15_000, 0, 0], "one node coordinates nearly all reads"),
        // Each node has all rows, and serves what it coordinates.
        ([14_000, 500, 500], "one node coordinates nearly all reads"),
        (
            [0, 7_500, 7_500],
            "clients send reads to other nodes than those that have the rows",
        ),
    ] {
        let mut evidence = healthy();
        for (node, count) in evidence.nodes.iter_mut().zip(counts) {
            node.tables[0].coordinator_reads.count = Some(count);
            if counts[0] == 14_000 {
                node.tables[0].local_reads.count = Some(count);
            }
        }
        let diagnosis = diagnose(&evidence);
        let Outcome::Finding(finding) = checked(&diagnosis, "token-awareness") else {
            panic!("{counts:?}");
        };
        assert_eq!(finding.says, says);
        assert_eq!(finding.evidence.len(), 6);
    }
}

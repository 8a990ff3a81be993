//! Says what is wrong with a cluster, or that nothing is.

use std::collections::BTreeMap;

use bakeoff_stats::trace::{Attempt, ClusterFinding, ClusterSeen};

use super::time;
use crate::text::style::{Style, wrap};

/// Renders what a client should know of the nodes, and how long connecting to each took.
pub fn render(cluster: &ClusterSeen, width: usize, style: Style) -> String {
    let findings = cluster.findings();
    let mut lines: Vec<String> = findings
        .iter()
        .map(|finding| style.red(&wrap(&words(finding), width, "! ", "  ")))
        .collect();
    if lines.is_empty() {
        lines.push(all_is_well(cluster));
    }
    let connected: Vec<String> = cluster.attempts.iter().map(attempt).collect();
    lines.push(wrap(
        &connected.join(", "),
        width,
        "Nodes     ",
        "          ",
    ));
    lines.join("\n")
}

/// Says that nothing is wrong: `All 3 nodes reachable, one schema, Cassandra 5.0.9`.
fn all_is_well(cluster: &ClusterSeen) -> String {
    let nodes = match cluster.attempts.len() {
        0 => "No node was looked at".to_owned(),
        1 => "The only node is reachable".to_owned(),
        several => format!("All {several} nodes reachable"),
    };
    let releases: Vec<String> = cluster.releases().into_keys().collect();
    match releases.as_slice() {
        [] => nodes,
        releases => format!("{nodes}, one schema, Cassandra {}", releases.join(", ")),
    }
}

fn attempt(attempt: &Attempt) -> String {
    let connect = time(attempt.connect_micros);
    match (&attempt.error, &attempt.view) {
        (None, Some(view)) => format!(
            "{} connected in {connect}, answered in {}",
            attempt.address,
            time(view.answer_micros)
        ),
        (None, None) => format!("{} connected in {connect}", attempt.address),
        (Some(_), _) if attempt.is_connected => {
            format!("{} connected in {connect}, no answer", attempt.address)
        }
        (Some(_), _) => format!("{} failed after {connect}", attempt.address),
    }
}

fn words(finding: &ClusterFinding) -> String {
    match finding {
        ClusterFinding::NotInRing {
            address,
            listed_by,
            not_by,
            has_tokens,
            error,
            micros,
        } => {
            let by = listed_by.join(" and ");
            let mut text =
                format!("{address} is no node of the ring: {by} still names it as a peer");
            match (has_tokens, not_by.as_slice()) {
                (false, _) => text.push_str(", without a part of the ring"),
                (true, not_by) => {
                    text.push_str(&format!(", and {} does not", not_by.join(" and ")));
                }
            }
            match error {
                Some(error) => text.push_str(&format!(
                    ". Nobody answers there ({error}): a client that believes it waits {} at each connect. If \
                     `nodetool status` of several nodes says that the node is gone, and it is gone for good, remove it \
                     with `nodetool removenode`, or with `nodetool assassinate` if that fails",
                    time(*micros)
                )),
                None => text.push_str(
                    ". Somebody answers there: it may be joining or just have restarted. Compare `nodetool status` of \
                     these nodes, and remove nothing as long as it answers",
                ),
            }
            text
        }
        ClusterFinding::Unreachable {
            address,
            error,
            micros,
        } => format!(
            "{address} cannot be connected to: {error}, after {}. Start the node, open its port for this machine, \
             or remove it from the cluster if it is gone for good",
            time(*micros)
        ),
        ClusterFinding::Silent { address, error } => {
            format!("{address} takes connections, but {error}")
        }
        ClusterFinding::AnotherNode {
            address,
            listed,
            answers,
        } => format!(
            "At {address} another node answers than the one that the cluster lists there: host id {answers} instead \
             of {listed}. Look for a proxy or a changed address"
        ),
        ClusterFinding::Schemas { versions } => format!(
            "The nodes do not agree on the schema: {}. Wait for a change that is under way; otherwise see \
             `nodetool describecluster`",
            groups(versions)
        ),
        ClusterFinding::Releases { versions } => {
            format!(
                "The nodes have several versions of Cassandra: {}",
                groups(versions)
            )
        }
    }
}

/// Lists groups of nodes: `5.0.9 on a and b, 4.1.10 on c`.
fn groups(versions: &BTreeMap<String, Vec<String>>) -> String {
    let groups = versions
        .iter()
        .map(|(version, nodes)| format!("{version} on {}", nodes.join(" and ")));
    groups.collect::<Vec<_>>().join(", ")
}

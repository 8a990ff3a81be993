//! The nodes of a cluster, and those that join it while the others are read.

use std::sync::Arc;
use std::time::Duration;

use scylla::client::session::Session;
use scylla::cluster::Node;

use super::figures::NodeFigures;

/// Time limit of asking the cluster for its nodes again.
const REFRESH_LIMIT: Duration = Duration::from_secs(2);

/// Returns the nodes that a session knows, in the order of their addresses.
pub fn nodes_of(session: &Session) -> Vec<Arc<Node>> {
    let cluster = session.get_cluster_state();
    let mut nodes: Vec<Arc<Node>> = cluster.get_nodes_info().to_vec();
    nodes.sort_by_key(|node| (node.address.ip(), node.address.port()));
    nodes
}

/// Returns the addresses of nodes that joined the cluster since the others were read.
pub async fn joined(session: &Session, nodes: &[NodeFigures]) -> Vec<String> {
    let joined = joined_nodes(session, nodes).await;
    joined.iter().map(|node| node.address.to_string()).collect()
}

/// Asks the cluster for its nodes again, and returns those that are not among the others.
pub async fn joined_nodes(session: &Session, nodes: &[NodeFigures]) -> Vec<Arc<Node>> {
    // Without an answer there is only what the driver was told meanwhile.
    let asked = tokio::time::timeout(REFRESH_LIMIT, session.refresh_metadata()).await;
    if !matches!(asked, Ok(Ok(()))) {
        tracing::debug!("the cluster does not tell its nodes again: {asked:?}");
    }
    let known = nodes_of(session);
    let is_new = |node: &Arc<Node>| is_unknown(&node.address.to_string(), nodes);
    known.into_iter().filter(is_new).collect()
}

fn is_unknown(address: &str, nodes: &[NodeFigures]) -> bool {
    nodes.iter().all(|node| node.address != address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_new_if_none_of_the_others_has_its_address_and_port() {
        let named = |address: &str| NodeFigures {
            address: address.to_owned(),
            ..NodeFigures::default()
        };
        let nodes = [named("10.0.0.1:9042"), named("10.0.0.2:9042")];
        for (address, is_new) in [
            ("10.0.0.1:9042", false),
            ("10.0.0.2:9042", false),
            ("10.0.0.2:9043", true),
            ("10.0.0.9:9042", true),
        ] {
            assert_eq!(is_unknown(address, &nodes), is_new, "{address}");
        }
        assert!(is_unknown("10.0.0.1:9042", &[]));
    }
}

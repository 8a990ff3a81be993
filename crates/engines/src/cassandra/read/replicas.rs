//! The choice of the nodes that a request is sent to: first those that have all of its rows.

use std::sync::Arc;

use scylla::cluster::{ClusterState, NodeRef};
use scylla::policies::load_balancing::{FallbackPlan, LoadBalancingPolicy, RoutingInfo};
use scylla::routing::Shard;
use uuid::Uuid;

use super::ranges::Replica;

/// The nodes that have all rows of a request, which are asked first.
#[derive(Debug, PartialEq, Eq)]
pub struct Replicas {
    hosts: Vec<Uuid>,
    /// Number of the request, by which requests for the same rows go to different nodes.
    turn: usize,
}

/// The standing of a node for a request. The least one is asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    is_disconnected: bool,
    lacks_rows: bool,
    /// Whether it is outside of the datacenter that the session prefers, if it prefers one.
    is_remote: bool,
}

impl Replicas {
    /// Returns the replicas of a request, or `None` if they are not known, so that the driver chooses.
    pub fn new(replicas: &[Replica], turn: usize) -> Option<Arc<Replicas>> {
        let hosts: Vec<Uuid> = replicas.iter().map(|replica| replica.host).collect();
        (!hosts.is_empty()).then(|| Arc::new(Replicas { hosts, turn }))
    }

    /// Returns all nodes in the order in which they are asked.
    fn nodes<'a>(&self, request: &RoutingInfo<'_>, cluster: &'a ClusterState) -> Vec<NodeRef<'a>> {
        let enabled = cluster.get_nodes_info().iter();
        let mut nodes: Vec<NodeRef<'a>> = enabled.filter(|node| node.is_enabled()).collect();
        // The driver's order changes whenever it rereads the nodes.
        nodes.sort_by_key(|node| node.host_id);
        let local = request.node_location_preference.datacenter();
        let standing = |node: &NodeRef<'a>| Standing {
            is_disconnected: !node.is_connected(),
            lacks_rows: !self.hosts.contains(&node.host_id),
            is_remote: local.is_some_and(|local| node.datacenter.as_deref() != Some(local)),
        };
        let standings: Vec<Standing> = nodes.iter().map(standing).collect();
        let order = order(&standings, self.turn).into_iter();
        order.map(|number| nodes[number]).collect()
    }
}

/// Returns the numbers of nodes in the order in which they are asked. Nodes with the same standing take
/// turns.
fn order(standings: &[Standing], turn: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..standings.len()).collect();
    numbers.sort_by_key(|number| standings[*number]);
    for alike in numbers.chunk_by_mut(|a, b| standings[*a] == standings[*b]) {
        let first = turn % alike.len();
        alike.rotate_left(first);
    }
    numbers
}

impl LoadBalancingPolicy for Replicas {
    fn pick<'a>(
        &'a self,
        request: &'a RoutingInfo<'_>,
        cluster: &'a ClusterState,
    ) -> Option<(NodeRef<'a>, Option<Shard>)> {
        let nodes = self.nodes(request, cluster);
        nodes.first().map(|node| (*node, None::<Shard>))
    }

    fn fallback<'a>(
        &'a self,
        request: &'a RoutingInfo<'_>,
        cluster: &'a ClusterState,
    ) -> FallbackPlan<'a> {
        let nodes = self.nodes(request, cluster).into_iter();
        Box::new(nodes.map(|node| (node, None::<Shard>)))
    }

    fn name(&self) -> String {
        "ReplicasOfTokenRange".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(is_disconnected: bool, lacks_rows: bool, is_remote: bool) -> Standing {
        Standing {
            is_disconnected,
            lacks_rows,
            is_remote,
        }
    }

    #[test]
    fn a_replica_near_by_is_first_and_a_node_without_connection_last() {
        let nodes = [
            standing(true, false, false),
            standing(false, true, true),
            standing(false, true, false),
            standing(false, false, true),
            standing(false, false, false),
        ];
        for turn in [0, 1, 7] {
            assert_eq!(order(&nodes, turn), [4, 3, 2, 1, 0], "turn {turn}");
        }
        assert_eq!(order(&[], 3), Vec::<usize>::new());
    }

    #[test]
    fn nodes_that_are_alike_take_turns() {
        let (replica, other) = (standing(false, false, false), standing(false, true, false));
        let nodes = [replica, other, replica, replica];
        let firsts = (0..6).map(|turn| order(&nodes, turn)[0]);
        assert_eq!(firsts.collect::<Vec<_>>(), [0, 2, 3, 0, 2, 3]);
        assert_eq!(order(&nodes, 1), [2, 3, 0, 1]);
    }

    #[test]
    fn without_known_replicas_the_driver_chooses() {
        assert_eq!(Replicas::new(&[], 0), None);
        let replica = Replica {
            datacenter: None,
            host: Uuid::from_u128(1),
        };
        assert!(Replicas::new(&[replica], 0).is_some());
    }
}

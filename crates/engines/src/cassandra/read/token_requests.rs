//! The requests that together read all tokens of a table.

use scylla::cluster::ClusterState;
use scylla::cluster::metadata::Strategy;

use super::key_value::KeyValue;
use super::ranges::{Replica, RingRange, token_ranges};
use super::readable::ReadTable;
use super::replicas::Replicas;
use super::request::Request;

/// Makes about `wanted` requests for token ranges, each of which goes to a node that has its rows.
pub fn token_requests(cluster: &ClusterState, table: &ReadTable, wanted: usize) -> Vec<Request> {
    let ranges = token_ranges(&ring(cluster, table), wanted);
    let requests = ranges.into_iter().enumerate().map(|(turn, range)| Request {
        values: [range.after, range.to].map(KeyValue::Bigint).into(),
        replicas: Replicas::new(&range.replicas, turn),
    });
    requests.collect()
}

/// Returns the ring of a table. It is empty where requests need not be sent to certain nodes: if there
/// is only one, and for tables that each node has for itself.
fn ring(cluster: &ClusterState, table: &ReadTable) -> Vec<RingRange> {
    let has_one_node = cluster.get_nodes_info().len() < 2;
    let keyspace = cluster.get_keyspace(&table.keyspace);
    let is_on_ring = keyspace.is_some_and(|keyspace| {
        matches!(
            keyspace.strategy,
            Strategy::SimpleStrategy { .. } | Strategy::NetworkTopologyStrategy { .. }
        )
    });
    if has_one_node || !is_on_ring {
        return Vec::new();
    }
    let locator = cluster.replica_locator();
    let datacenters = locator.datacenter_names();
    let number = |name: &str| datacenters.iter().position(|other| other == name);
    let ranges = locator.ring().iter().map(|(token, _)| {
        let nodes = cluster.get_token_endpoints(&table.keyspace, &table.name, *token);
        let replicas = nodes.iter().map(|(node, _)| Replica {
            datacenter: node.datacenter.as_deref().and_then(number),
            host: node.host_id,
        });
        let mut replicas: Vec<Replica> = replicas.collect();
        replicas.sort_unstable();
        RingRange {
            to: token.value(),
            replicas,
        }
    });
    ranges.collect()
}

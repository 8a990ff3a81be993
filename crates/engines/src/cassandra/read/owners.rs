//! The nodes that own what a scan reads, which its plan shows.

use std::collections::HashSet;

use scylla::cluster::ClusterState;
use uuid::Uuid;

use super::readable::ReadTable;
use super::request::Request;

/// The table of a scan, by which the owners of its requests are found.
#[derive(Debug, Clone)]
pub struct Owners {
    keyspace: String,
    table: String,
    /// Number of values of a request that are its partition key, which come first; `None` for requests of token
    /// ranges, which together reach all nodes.
    key_values: Option<usize>,
}

impl Owners {
    /// Makes it for requests of partitions, or of token ranges that are all of a table.
    pub fn new(table: &ReadTable, are_partitions: bool) -> Owners {
        Owners {
            keyspace: table.keyspace.clone(),
            table: table.name.clone(),
            key_values: are_partitions.then(|| table.token_columns().len()),
        }
    }

    /// Returns whether each request is for one partition.
    pub fn are_partitions(&self) -> bool {
        self.key_values.is_some()
    }

    /// Writes how many nodes own what the requests read, as `, nodes=2 of 3`: by the first copy of each partition.
    /// It is empty for a cluster of one node, and where the owner of a partition is not known.
    pub fn shown(&self, cluster: &ClusterState, requests: &[Vec<Request>]) -> String {
        let all = cluster.get_nodes_info().len();
        let owners = match self.key_values {
            None => Some(all),
            Some(values) => self.of_partitions(cluster, requests, values),
        };
        match owners {
            Some(owners) if all > 1 => format!(", nodes={owners} of {all}"),
            _ => String::new(),
        }
    }

    fn of_partitions(
        &self,
        cluster: &ClusterState,
        requests: &[Vec<Request>],
        values: usize,
    ) -> Option<usize> {
        let mut owners: HashSet<Uuid> = HashSet::new();
        for request in requests.iter().flatten() {
            let key = Request::new(request.values.get(..values)?.to_vec());
            let token = cluster.compute_token(&self.keyspace, &self.table, &key);
            let token = token.ok()?;
            let copies = cluster.get_token_endpoints(&self.keyspace, &self.table, token);
            let (owner, _) = copies.first()?;
            owners.insert(owner.host_id);
        }
        Some(owners.len())
    }
}

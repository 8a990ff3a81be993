//! What a command line and a workload may ask of Cassandra.

use bakeoff_workload::ServerLimits;

use super::cluster::connect::Cluster;
use super::cluster::replication::Replication;

/// Where Cassandra runs, and how it keeps the rows.
#[derive(Debug, Clone, Default)]
pub struct CassandraOptions {
    /// A cluster that already runs; else one is started.
    pub cluster: Option<Cluster>,
    /// Nodes of the Cassandra that is started, and how any keeps the rows.
    pub replication: Replication,
    /// A keyspace that several processes share. It is never dropped.
    pub keyspace: Option<String>,
    /// Memory of a server that is started.
    pub server: ServerLimits,
}

impl CassandraOptions {
    /// What a run reaches or starts, as the end of a sentence.
    pub fn would_touch(&self) -> String {
        match (&self.cluster, self.replication.nodes) {
            (Some(cluster), _) => format!("to the Cassandra at {}", cluster.address),
            (None, 1) => "start a Cassandra on loopback with its data in it".to_owned(),
            (None, nodes) => format!(
                "start {nodes} nodes of Cassandra at 127.0.0.1 to 127.0.0.{nodes} with their data \
                 in it"
            ),
        }
    }
}

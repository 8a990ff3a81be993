//! Options of Cassandra that a command line and a workload set.

use bakeoff_servers::cassandra::Release;
use bakeoff_workload::{DesignId, ServerSettings};

use super::cluster::connect::Cluster;
use super::cluster::replication::Replication;
use super::nodes::{Metrics, Nodetool};
use super::settings_of::TableSettings;

/// Options of Cassandra: the cluster, its replication, its keyspace and its settings.
#[derive(Debug, Clone, Default)]
pub struct CassandraOptions {
    /// Existing cluster to connect to; `None` starts one.
    pub cluster: Option<Cluster>,
    /// Nodetool on the hosts of an existing cluster; `None` if they cannot be reached so.
    pub nodetool: Option<Nodetool>,
    /// Exporters of metrics on these hosts, which are read while something is measured.
    pub metrics: Vec<Metrics>,
    /// Number of nodes to start, copies of each row, and consistency of requests.
    pub replication: Replication,
    /// Settings of a table that exists, which tables of rows take over where a design states none.
    pub settings_of: Option<TableSettings>,
    /// Number of nodes that are added to those later, for which memory is left.
    pub later_nodes: u8,
    /// Keyspace that several processes share, or that the user made, which is never dropped.
    pub keyspace: Option<String>,
    /// Whether the tables of this command in that keyspace are its own, which no other command may replace and which
    /// are dropped at its end.
    pub owns_tables: bool,
    /// Limits and settings of a server that is started.
    pub server: ServerSettings,
    /// Whether a server that is started allows functions in CQL, for a workload's own statements or for a
    /// design, unless its settings say otherwise.
    pub functions: bool,
    /// Whether each design has a server of its own, where Bakeoff starts it.
    pub server_per_design: bool,
    /// Whether methods that a server runs are recorded, where Bakeoff starts it.
    pub records_profiles: bool,
    /// The design that a server is started for; `None` for one that all designs share.
    pub server_of: Option<DesignId>,
}

impl CassandraOptions {
    /// Describes the servers that a run connects to or starts, as the end of a sentence.
    pub fn would_touch(&self, release: Release) -> String {
        match (&self.cluster, self.replication.nodes) {
            (Some(cluster), _) => format!("to the Cassandra at {}", cluster.address),
            (None, _) if self.server_per_design => format!(
                "start a Cassandra {release} for each of its designs on loopback with their data in it"
            ),
            (None, 1) if release == Release::Four => {
                format!("start a Cassandra {release} on loopback with its data in it")
            }
            (None, 1) => "start a Cassandra on loopback with its data in it".to_owned(),
            (None, nodes) => format!(
                "start {nodes} nodes of Cassandra at 127.0.0.1 to 127.0.0.{nodes} with their data \
                 in it"
            ),
        }
    }
}

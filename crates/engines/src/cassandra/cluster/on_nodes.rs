//! Nodetool on every node of a cluster: of servers that Bakeoff started, or by a command that a user named.

use bakeoff_driver::DesignError;
use bakeoff_servers::cassandra::Nodes;

use super::deployment::Deployment;
use crate::cassandra::nodes::Nodetool;

/// Time limit of a nodetool call in seconds; the run's own limit ends a long compaction earlier.
const NODETOOL_LIMIT_SECONDS: u64 = 7 * 24 * 3600;

/// Nodetool on every node.
pub enum OnNodes<'a> {
    /// On servers that Bakeoff started.
    Started(&'a Nodes),
    /// By a command, on these hosts.
    Named(&'a Nodetool, Vec<String>),
}

impl<'a> OnNodes<'a> {
    /// Returns how nodetool is called on a deployment; `None` if it cannot be.
    pub fn of(deployment: &'a Deployment) -> Option<Self> {
        match (&deployment.server, &deployment.nodetool) {
            (Some(server), _) => Some(OnNodes::Started(server)),
            (None, Some(nodetool)) => Some(OnNodes::Named(nodetool, deployment.hosts())),
            (None, None) => None,
        }
    }

    /// Flushes all tables of a keyspace.
    pub async fn flush(&self, keyspace: &str) -> Result<(), DesignError> {
        match self {
            OnNodes::Started(server) => nodetool(server, &["flush", keyspace]).await.map(drop),
            OnNodes::Named(nodetool, hosts) => {
                let flushed = nodetool.flush(hosts, keyspace).await;
                flushed.map_err(DesignError)
            }
        }
    }

    /// Compacts tables and views of a keyspace, and returns when everything is compacted.
    pub async fn compact(&self, keyspace: &str, names: &[&str]) -> Result<(), DesignError> {
        match self {
            OnNodes::Started(server) => {
                let words = ["compact", keyspace].into_iter();
                let words: Vec<&str> = words.chain(names.iter().copied()).collect();
                nodetool(server, &words).await.map(drop)
            }
            OnNodes::Named(nodetool, hosts) => {
                let compacted = nodetool.compact(hosts, keyspace, names).await;
                compacted.map_err(DesignError)
            }
        }
    }

    /// Returns what `tablestats` prints as JSON of a keyspace on each node.
    pub async fn table_statistics(&self, keyspace: &str) -> Result<Vec<String>, DesignError> {
        match self {
            OnNodes::Started(server) => {
                nodetool(server, &["tablestats", "-F", "json", keyspace]).await
            }
            OnNodes::Named(nodetool, hosts) => {
                let printed = nodetool.table_statistics(hosts, keyspace).await;
                printed.map_err(DesignError)
            }
        }
    }
}

/// Runs nodetool on every node that Bakeoff started, and returns what each run printed.
pub async fn nodetool(server: &Nodes, arguments: &[&str]) -> Result<Vec<String>, DesignError> {
    server
        .nodetool_within(arguments, NODETOOL_LIMIT_SECONDS)
        .await
        .map_err(|e| DesignError(e.to_string()))
}

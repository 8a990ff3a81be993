//! Nodetool on every node of a cluster: of servers that Bakeoff started, or by a command that a user named.

use std::time::Duration;

use bakeoff_driver::{DesignError, NodeCounts};
use bakeoff_servers::cassandra::Nodes;

use super::deployment::Deployment;
use crate::cassandra::nodes::{Nodetool, read_repairs};

/// Time limit of a call on a server that Bakeoff started, in seconds; the run's own limit ends a long one earlier.
const NODETOOL_LIMIT_SECONDS: u64 = 7 * 24 * 3600;
/// Time limit of a flush on a host that a user named.
const FLUSH_LIMIT: Duration = Duration::from_secs(600);
/// Time limit of a compaction there. The run's own limit ends a long one earlier.
const COMPACT_LIMIT: Duration = Duration::from_secs(24 * 3600);

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
        let flushed = self.run(&["flush", keyspace], FLUSH_LIMIT).await;
        flushed.map(drop)
    }

    /// Compacts tables and views of a keyspace, and returns when everything is compacted. A compaction whose call was
    /// given up goes on in the server.
    pub async fn compact(&self, keyspace: &str, names: &[&str]) -> Result<(), DesignError> {
        let words = [&["compact", keyspace][..], names].concat();
        let compacted = self.run(&words, COMPACT_LIMIT).await;
        compacted.map(drop)
    }

    /// Writes all SSTables of a table anew, and returns when that is done.
    pub async fn rewrite(&self, keyspace: &str, table: &str) -> Result<(), DesignError> {
        let words = ["upgradesstables", "-a", keyspace, table];
        self.run(&words, COMPACT_LIMIT).await.map(drop)
    }

    /// Returns what `tablestats` prints as JSON of a keyspace on each node.
    pub async fn table_statistics(&self, keyspace: &str) -> Result<Vec<String>, DesignError> {
        let words = ["tablestats", "-F", "json", keyspace];
        self.run(&words, Nodetool::READ_LIMIT).await
    }

    /// Counts the reads since each node started whose copies disagreed, and were made equal before the answer.
    pub async fn read_repairs(&self) -> Result<NodeCounts, DesignError> {
        let printed = self.run(&["netstats"], Nodetool::READ_LIMIT).await?;
        let names: Vec<String> = match self {
            OnNodes::Started(_) => (1..=printed.len()).map(|n| n.to_string()).collect(),
            OnNodes::Named(_, hosts) => hosts.clone(),
        };
        let of_node = |(name, text): (String, &String)| {
            let repairs = read_repairs(text).map_err(DesignError);
            repairs.map(|repairs| (name, repairs.blocking))
        };
        names.into_iter().zip(&printed).map(of_node).collect()
    }

    /// Runs nodetool on each node; on a host that a user named, within a time limit.
    async fn run(&self, words: &[&str], limit: Duration) -> Result<Vec<String>, DesignError> {
        match self {
            OnNodes::Started(server) => nodetool(server, words).await,
            OnNodes::Named(nodetool, hosts) => {
                let printed = nodetool.on_all(hosts, words, limit).await;
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

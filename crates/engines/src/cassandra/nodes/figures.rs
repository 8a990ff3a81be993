//! What is known of a node, every figure of which may be missing.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use bakeoff_servers::HOST_PLACEHOLDER;
use serde::Serialize;

use super::exposed::Exposed;
use super::printed::Printed;
use crate::EngineError;

/// A table by its keyspace and name, both exactly as Cassandra has them and without quotes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TableName {
    pub keyspace: String,
    pub table: String,
}

impl FromStr for TableName {
    type Err = EngineError;

    /// Reads `KEYSPACE.TABLE`.
    fn from_str(text: &str) -> Result<Self, EngineError> {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        match text.split_once('.') {
            Some((keyspace, table)) if is_name(keyspace) && is_name(table) => Ok(TableName {
                keyspace: keyspace.to_owned(),
                table: table.to_owned(),
            }),
            _ => Err(EngineError(format!(
                "`{text}` is no table: write KEYSPACE.TABLE, or SCHEMA.TABLE of PostgreSQL, each of letters, digits \
                 and underscores as the server has them, without quotes"
            ))),
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.keyspace, self.table)
    }
}

/// The figures of one node. Counters begin when the node starts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NodeFigures {
    /// IP address and port at which the node is asked.
    pub address: String,
    /// IP address of the node without its port.
    pub host: String,
    pub datacenter: Option<String>,
    pub rack: Option<String>,
    /// Version of Cassandra on this node; `None` if the node does not answer.
    pub version: Option<String>,
    /// Bytes of all tables of all keyspaces on this node, those of Cassandra itself included, in whole MiB.
    pub all_tables_bytes: Option<u64>,
    /// The tables that were asked for, in their order.
    pub tables: Vec<TableFigures>,
    pub caches: Option<Vec<Cache>>,
    pub thread_pools: Option<Vec<ThreadPool>>,
    /// Compactions and other work on SSTables that run at this moment.
    pub sstable_tasks: Option<Vec<SstableTask>>,
    /// Bytes of the messages that this node has sent to other ones, before they were compressed; `None` as well if it
    /// has not connected to any.
    pub sent_to_nodes_bytes: Option<u64>,
    /// Number of these messages.
    pub sent_to_nodes_messages: Option<u64>,
    /// Bytes of the messages that it has received from other ones.
    pub received_from_nodes_bytes: Option<u64>,
    /// What nodetool prints; `None` if there is no command for it, or its host stands for several nodes.
    pub nodetool: Option<Printed>,
    /// What exporters of metrics expose; `None` if none is named, or its host stands for several nodes.
    pub metrics: Option<Exposed>,
    /// What is not available, with the reason.
    pub missing: Vec<Missing>,
}

/// A figure that is not available.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Name of the view or source that would have it, such as `disk_usage`.
    pub figure: String,
    /// Why it is not available, without a full stop.
    pub reason: String,
}

/// What a node knows of its own share of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableFigures {
    pub name: TableName,
    /// Bytes of its SSTables on this node, in whole MiB.
    pub disk_usage_bytes: Option<u64>,
    /// Bytes of its largest partition before compression, in whole MiB.
    pub max_partition_bytes: Option<u64>,
    /// Reads of single partitions that clients asked this node for.
    pub coordinator_reads: Option<Latency>,
    pub coordinator_writes: Option<Latency>,
    /// Reads of token ranges that clients asked this node for.
    pub coordinator_scans: Option<Latency>,
    /// Reads of single partitions from this node's own SSTables.
    pub local_reads: Option<Latency>,
    pub local_writes: Option<Latency>,
    /// Reads of token ranges from this node's own SSTables.
    pub local_scans: Option<Latency>,
    pub tombstones_per_read: Option<Spread>,
    pub rows_per_read: Option<Spread>,
    pub sstables_per_read: Option<Spread>,
}

impl TableFigures {
    /// Returns a table of which nothing is known yet.
    pub fn new(name: TableName) -> Self {
        TableFigures {
            name,
            disk_usage_bytes: None,
            max_partition_bytes: None,
            coordinator_reads: None,
            coordinator_writes: None,
            coordinator_scans: None,
            local_reads: None,
            local_writes: None,
            local_scans: None,
            tombstones_per_read: None,
            rows_per_read: None,
            sstables_per_read: None,
        }
    }
}

/// Requests and their recent latencies, which Cassandra weights by age over some minutes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Requests since the node started.
    pub count: Option<u64>,
    /// Recent requests a second.
    pub per_second: Option<f64>,
    /// In microseconds, with a resolution of a millisecond; `None` if it is shorter, or the unit of this version is
    /// not known.
    pub p50_micros: Option<f64>,
    pub p99_micros: Option<f64>,
    pub max_micros: Option<f64>,
}

/// A recent distribution of a number per read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Reads that were counted.
    pub count: Option<u64>,
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    pub max: Option<f64>,
}

/// A cache of a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cache {
    /// `chunks`, `keys`, `rows` or `counters`.
    pub name: String,
    pub capacity_bytes: Option<u64>,
    pub size_bytes: Option<u64>,
    pub entries: Option<u64>,
    pub hits: Option<u64>,
    pub requests: Option<u64>,
}

impl Cache {
    /// Returns the share of requests that were hits, from 0 to 1; `None` if there were no requests.
    pub fn hit_ratio(&self) -> Option<f64> {
        let requests = self.requests.filter(|requests| *requests > 0)?;
        Some(self.hits? as f64 / requests as f64)
    }
}

/// A pool of threads of a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThreadPool {
    /// Name such as `ReadStage` or `CompactionExecutor`.
    pub name: String,
    pub active: Option<u64>,
    pub active_limit: Option<u64>,
    pub pending: Option<u64>,
    /// Tasks that are blocked at this moment.
    pub blocked: Option<u64>,
    /// Tasks since the node started.
    pub completed: Option<u64>,
    /// Tasks that were blocked since the node started.
    pub blocked_all_time: Option<u64>,
}

/// Work on SSTables that runs at this moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SstableTask {
    pub keyspace: String,
    pub table: String,
    /// What it does, such as `compaction`.
    pub kind: Option<String>,
    pub progress: Option<u64>,
    pub total: Option<u64>,
    /// Unit of `progress` and `total`, such as `bytes`.
    pub unit: Option<String>,
}

/// Adds up the bytes of tables on all nodes, every copy of a row included.
///
/// # Errors
/// Names the first node that does not tell them, and the reason; fails as well without a node.
pub fn all_bytes(nodes: &[NodeFigures]) -> Result<u64, String> {
    if nodes.is_empty() {
        return Err("no node of the cluster is known".to_owned());
    }
    let mut sum = 0_u64;
    for node in nodes {
        for table in &node.tables {
            let Some(bytes) = table.disk_usage_bytes else {
                return Err(format!(
                    "node {} does not tell the bytes of {}: {}",
                    node.address,
                    table.name,
                    node.why("disk_usage")
                ));
            };
            sum = sum.saturating_add(bytes);
        }
    }
    Ok(sum)
}

/// Returns the hosts that several nodes have, with different ports: `{host}` in a command or a URL does not tell which
/// of them is meant.
pub fn shared_hosts(nodes: &[NodeFigures]) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let again = nodes.iter().filter(|node| !seen.insert(node.host.as_str()));
    again.map(|node| node.host.clone()).collect()
}

impl Missing {
    /// Makes a figure that is missing for a reason.
    pub fn new(figure: &str, reason: String) -> Self {
        Missing {
            figure: figure.to_owned(),
            reason,
        }
    }

    /// Makes what is missing since a host stands for several nodes.
    pub fn of_shared_host(figure: &str, host: &str) -> Self {
        let reason =
            format!("several nodes have the address {host}, which {HOST_PLACEHOLDER} stands for");
        Missing::new(figure, reason)
    }
}

impl NodeFigures {
    /// Returns why a figure is not available.
    pub fn why(&self, figure: &str) -> &str {
        let reason = self.missing.iter().find(|missing| missing.figure == figure);
        reason.map_or("the node does not show it", |missing| &missing.reason)
    }
}

/// Returns the figures of nodes as JSON: a list with an object for each node, `null` for what is not available.
///
/// # Errors
/// Fails if they cannot be written as JSON.
pub fn to_json(nodes: &[NodeFigures]) -> Result<String, EngineError> {
    let json = serde_json::to_string_pretty(nodes);
    json.map_err(|e| EngineError(format!("the figures of the nodes are no JSON: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_named_with_its_keyspace() {
        let table: TableName = "shop.Orders_1".parse().unwrap();
        assert_eq!(table.keyspace, "shop");
        assert_eq!(table.to_string(), "shop.Orders_1");
        for wrong in [
            "orders",
            "shop.",
            ".orders",
            "a.b.c",
            "shop.\"o\"",
            "shop.o;rm",
            "",
        ] {
            let error = wrong.parse::<TableName>().unwrap_err().to_string();
            assert!(error.contains("KEYSPACE.TABLE"), "{error}");
        }
    }

    fn node(address: &str, bytes: &[Option<u64>]) -> NodeFigures {
        let table = |bytes: &Option<u64>| TableFigures {
            disk_usage_bytes: *bytes,
            ..TableFigures::new("ks.t".parse().unwrap())
        };
        NodeFigures {
            address: address.to_owned(),
            tables: bytes.iter().map(table).collect(),
            ..NodeFigures::default()
        }
    }

    #[test]
    fn bytes_are_added_up_if_every_node_tells_them() {
        let first = node("10.0.0.1:9042", &[Some(3), Some(4)]);
        let second = node("10.0.0.2:9042", &[Some(5), None]);
        assert_eq!(all_bytes(&[first.clone(), first.clone()]), Ok(14));
        assert!(all_bytes(&[]).is_err());
        let reason = all_bytes(&[first, second]).unwrap_err();
        assert!(reason.starts_with("node 10.0.0.2:9042 does not tell the bytes of ks.t"));
    }

    #[test]
    fn the_reason_for_what_is_missing_is_found() {
        let mut node = node("n", &[None]);
        let reason = "no answer within 2 s".to_owned();
        node.missing.push(Missing::new("disk_usage", reason));
        assert_eq!(node.why("disk_usage"), "no answer within 2 s");
        assert!(
            all_bytes(&[node])
                .unwrap_err()
                .ends_with("no answer within 2 s")
        );
    }

    #[test]
    fn a_cache_that_nobody_asks_has_no_ratio() {
        let cache = |hits, requests| Cache {
            name: "keys".to_owned(),
            capacity_bytes: None,
            size_bytes: None,
            entries: None,
            hits,
            requests,
        };
        assert_eq!(cache(Some(3), Some(4)).hit_ratio(), Some(0.75));
        assert_eq!(cache(Some(0), Some(0)).hit_ratio(), None);
        assert_eq!(cache(None, Some(4)).hit_ratio(), None);
    }

    #[test]
    fn what_is_not_available_is_null_in_json() {
        let json = to_json(&[node("n", &[None])]).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(parsed[0]["tables"][0]["disk_usage_bytes"].is_null());
        assert_eq!(parsed[0]["tables"][0]["name"]["table"], "t");
    }
}

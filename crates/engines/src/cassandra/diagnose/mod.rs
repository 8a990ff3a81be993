//! Reads what a diagnosis needs of a running cluster: figures of every node, the schema, and what nodetool adds.
//!
//! It only reads, by one query at a time on each node and at most about a hundred a second, each with a time limit.
//! What cannot be had is missing with the reason; nothing but a cluster that cannot be connected to, and a table that
//! does not exist, is an error.

pub(super) mod ask;
mod calls;
mod convert;
mod schema;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bakeoff_servers::read_ahead_bytes_by;
use bakeoff_stats::diagnose::Evidence;
use bakeoff_stats::diagnose::evidence::{self, Asked};
use scylla::client::session::Session;
use scylla::cluster::Node;

use super::cluster::at_once::{HOSTS_AT_ONCE, NODES_AT_ONCE, at_once};
use super::cluster::connect::Cluster;
use super::nodes::{self, Looks, Metrics, Missing, NodeFigures, Nodetool, TableName};
use crate::EngineError;
use ask::{Patience, rows};

/// Tables whose figures are read one after the other without a pause.
const AT_ONCE: usize = 5;
/// Pause between them, so that a node is asked about a hundred queries a second.
const PAUSE: Duration = Duration::from_millis(500);
/// Most tables of a whole cluster that are looked at, the largest of them.
const MOST_TABLES: usize = 20;

/// What is to be read.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Tables; all of the cluster if there are none.
    pub tables: Vec<TableName>,
    pub nodetool: Option<Nodetool>,
    /// Whether nodetool tells garbage collections, which resets its counts for whoever else reads them.
    pub gc: bool,
    pub metrics: Vec<Metrics>,
    /// For how long the keys of reads are sampled by nodetool.
    pub sample_keys: Option<Duration>,
    /// Folder in which the system describes the disks of nodes on this machine; `None` for `/sys`.
    pub sys: Option<PathBuf>,
}

/// What was read.
#[derive(Debug, Clone)]
pub struct Read {
    pub evidence: Evidence,
    /// Number of tables that were not looked at, since others are larger.
    pub left_out: usize,
}

/// Why a cluster cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A table that is not there.
    #[error("{0}")]
    NoTable(String),
    #[error(transparent)]
    Failed(#[from] EngineError),
}

/// What nodes have besides their figures.
#[derive(Default)]
struct Further {
    peers: Option<Vec<String>>,
    read_ahead: Option<u64>,
    /// Mean bytes of partitions of each table.
    partitions: Vec<Option<f64>>,
    pending_compactions: Option<u64>,
    dropped: Option<Vec<evidence::Dropped>>,
    keys: Vec<Option<Vec<evidence::Key>>>,
}

/// Reads a cluster.
///
/// # Errors
/// Fails if the cluster cannot be connected to, or has no such table.
pub async fn read(cluster: &Cluster, request: &Request) -> Result<Read, ReadError> {
    let session = cluster.connect().await?;
    let (names, left_out) = names(&session, request).await?;
    let tables = tables(&session, &names).await?;
    let mut figures = figures(&session, &names).await;
    let state = session.get_cluster_state();
    let known = state.get_nodes_info();
    let sys = request.sys.as_deref().unwrap_or(Path::new("/sys"));
    let asking = { figures.iter_mut() }.map(|node| asked(&session, known, node, &names, sys));
    let mut further = at_once(NODES_AT_ONCE, asking.collect()).await;
    if let Some(nodetool) = &request.nodetool {
        call_all(nodetool, &mut figures, &mut further, request).await;
    }
    if !request.metrics.is_empty() {
        Metrics::add_to(&request.metrics, &mut figures, Looks::Once).await;
    }
    let joined_meanwhile = nodes::joined(&session, &figures).await;
    let both = figures.into_iter().zip(further);
    let address = cluster.full_address();
    let evidence = Evidence {
        named_ips: ips(&address).await,
        named: address,
        nodes: both
            .map(|(figures, further)| joined(figures, further))
            .collect(),
        joined: joined_meanwhile,
        tables,
        asked: Asked {
            nodetool: request.nodetool.is_some(),
            gc: request.nodetool.is_some() && request.gc,
            metrics: !request.metrics.is_empty(),
            keys: request.nodetool.is_some() && request.sample_keys.is_some(),
        },
    };
    Ok(Read { evidence, left_out })
}

/// Returns the tables that were asked for, or the largest ones of the cluster with the number of the others.
async fn names(session: &Session, request: &Request) -> Result<(Vec<TableName>, usize), ReadError> {
    if !request.tables.is_empty() {
        return Ok((request.tables.clone(), 0));
    }
    let all = schema::all_tables(session).await;
    let all =
        all.map_err(|e| EngineError(format!("cannot list the tables of the cluster: {e}")))?;
    if all.len() <= MOST_TABLES {
        return Ok((all, 0));
    }
    let mut sizes: Vec<(u64, TableName)> = Vec::new();
    for some in all.chunks(AT_ONCE * 10) {
        let nodes = nodes::read_sizes(session, some).await;
        for (place, name) in some.iter().enumerate() {
            let bytes =
                { nodes.iter() }.filter_map(|node| node.tables.get(place)?.disk_usage_bytes);
            sizes.push((bytes.sum(), name.clone()));
        }
        tokio::time::sleep(PAUSE).await;
    }
    sizes.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let left_out = sizes.len() - MOST_TABLES;
    sizes.truncate(MOST_TABLES);
    Ok((sizes.into_iter().map(|(_, name)| name).collect(), left_out))
}

async fn tables(session: &Session, names: &[TableName]) -> Result<Vec<evidence::Table>, ReadError> {
    let mut tables = Vec::with_capacity(names.len());
    for name in names {
        let Some(table) = schema::table(session, name).await else {
            return Err(ReadError::NoTable(format!(
                "the cluster has no table {name}; `bakeoff diagnose --cluster` looks at all that it has"
            )));
        };
        tables.push(table);
    }
    Ok(tables)
}

/// Reads the figures of all nodes, some tables at a time.
async fn figures(session: &Session, names: &[TableName]) -> Vec<NodeFigures> {
    let mut parts = names.chunks(AT_ONCE);
    let mut nodes = nodes::read(session, parts.next().unwrap_or_default()).await;
    for some in parts {
        tokio::time::sleep(PAUSE).await;
        join(&mut nodes, nodes::read(session, some).await, some);
    }
    nodes
}

/// Adds the figures of further tables to those of the same nodes. A node that has left has a place for each of them all
/// the same, since it may be back for those that follow.
fn join(nodes: &mut [NodeFigures], mut further: Vec<NodeFigures>, names: &[TableName]) {
    for node in nodes {
        let place = { further.iter() }.position(|more| more.address == node.address);
        let Some(place) = place else {
            let unknown = names.iter().cloned().map(nodes::TableFigures::new);
            node.tables.extend(unknown);
            continue;
        };
        let more = further.swap_remove(place);
        node.tables.extend(more.tables);
        node.missing.extend(more.missing);
        if more.version.is_none() {
            // It died meanwhile.
            node.version = None;
        }
    }
}

/// Asks a node that answers for what the figures of nodes do not have.
async fn asked(
    session: &Session,
    known: &[Arc<Node>],
    figures: &mut NodeFigures,
    names: &[TableName],
    sys: &Path,
) -> Further {
    let mut further = Further::default();
    let node = { known.iter() }.find(|node| node.address.to_string() == figures.address);
    let Some(node) = node.filter(|_| figures.version.is_some()) else {
        return further;
    };
    let mut patience = Patience::default();
    match patience.ask(peers(session, node)).await {
        Ok(peers) => further.peers = Some(peers),
        Err(reason) => lacks(figures, "peers", reason),
    }
    match patience.ask(read_ahead(session, node, sys)).await {
        Ok(bytes) => further.read_ahead = Some(bytes),
        Err(reason) => lacks(figures, "read-ahead", reason),
    }
    for name in names {
        let mean = patience.ask(mean_partition(session, node, name)).await;
        if let Err(reason) = &mean {
            lacks(figures, "size_estimates", reason.clone());
        }
        further.partitions.push(mean.ok());
    }
    further
}

fn lacks(figures: &mut NodeFigures, figure: &str, reason: String) {
    figures.missing.push(Missing::new(figure, reason));
}

/// Returns the addresses that a node tells drivers of the others.
async fn peers(session: &Session, node: &Node) -> Result<Vec<String>, String> {
    let cql = "SELECT rpc_address FROM system.peers";
    let reply = rows(session, Some(node), cql, ()).await?;
    let addresses = reply.rows::<(Option<IpAddr>,)>();
    let mut peers = Vec::new();
    for row in addresses.map_err(|e| e.to_string())? {
        let (address,) = row.map_err(|e| e.to_string())?;
        peers.extend(address.map(|ip| ip.to_string()));
    }
    Ok(peers)
}

/// Returns what the disk of a node's data reads ahead, if the node is on this machine.
async fn read_ahead(session: &Session, node: &Node, sys: &Path) -> Result<u64, String> {
    if !node.address.ip().is_loopback() {
        return Err("the node is on another machine".to_owned());
    }
    let cql = "SELECT value FROM system_views.settings WHERE name = 'data_file_directories'";
    let reply = rows(session, Some(node), cql, ()).await?;
    let value = reply.maybe_first_row::<(Option<String>,)>();
    let value = value.map_err(|e| e.to_string())?.and_then(|(value,)| value);
    let folder = value.as_deref().and_then(first_folder);
    let folder = folder.ok_or("it does not tell the folder of its data")?;
    if !Path::new(folder).exists() {
        return Err("the folder of its data cannot be seen from here".to_owned());
    }
    let bytes = read_ahead_bytes_by(sys, Path::new(folder));
    bytes.ok_or_else(|| "the disk of its data does not tell it".to_owned())
}

/// Returns the first folder of a list such as `[/data/1, /data/2]`.
fn first_folder(list: &str) -> Option<&str> {
    let inner = list.trim().trim_start_matches('[').trim_end_matches(']');
    inner
        .split(',')
        .map(str::trim)
        .find(|folder| !folder.is_empty())
}

/// Returns the mean bytes of a table's partitions on a node, as Cassandra estimates them every five minutes.
async fn mean_partition(session: &Session, node: &Node, name: &TableName) -> Result<f64, String> {
    let cql = "SELECT mean_partition_size, partitions_count FROM system.size_estimates \
               WHERE keyspace_name = ? AND table_name = ?";
    let key = (name.keyspace.as_str(), name.table.as_str());
    let reply = rows(session, Some(node), cql, key).await?;
    let estimates = reply.rows::<(Option<i64>, Option<i64>)>();
    let (mut bytes, mut partitions) = (0.0, 0.0);
    for row in estimates.map_err(|e| e.to_string())? {
        if let (Some(mean), Some(count)) = row.map_err(|e| e.to_string())? {
            bytes += mean as f64 * count as f64;
            partitions += count as f64;
        }
    }
    if partitions > 0.0 && bytes > 0.0 {
        Ok(bytes / partitions)
    } else {
        Err("the node has no estimate yet, which it makes every five minutes".to_owned())
    }
}

/// Calls nodetool for all nodes that answer.
async fn call_all(
    nodetool: &Nodetool,
    figures: &mut [NodeFigures],
    further: &mut [Further],
    request: &Request,
) {
    let shared = nodes::shared_hosts(figures);
    let both = figures.iter_mut().zip(further);
    let own = both.filter(|(node, _)| !shared.contains(&node.host));
    let calls = own.map(|(node, further)| call(nodetool, node, further, request));
    at_once(HOSTS_AT_ONCE, calls.collect()).await;
    for node in figures
        .iter_mut()
        .filter(|node| shared.contains(&node.host))
    {
        for figure in FIGURES {
            let missing = Missing::of_shared_host(figure, &node.host);
            node.missing.push(missing);
        }
    }
}

/// What nodetool tells.
const FIGURES: [&str; 7] = [
    "nodetool compactionstats",
    "nodetool tpstats",
    "nodetool info",
    "nodetool gcstats",
    "nodetool tablestats",
    "nodetool tablehistograms",
    "nodetool toppartitions",
];

/// Calls nodetool for a node, and no more if the first call does not end.
async fn call(
    nodetool: &Nodetool,
    node: &mut NodeFigures,
    further: &mut Further,
    request: &Request,
) {
    let first = if node.version.is_some() {
        calls::pending_compactions(nodetool, &node.host).await
    } else {
        Err("the node does not answer".to_owned())
    };
    match first {
        Ok(pending) => further.pending_compactions = Some(pending),
        Err(reason) => {
            for figure in FIGURES {
                lacks(node, figure, reason.clone());
            }
            return;
        }
    }
    let own = std::slice::from_mut(node);
    nodetool.add_to(own, request.gc).await;
    match calls::dropped_messages(nodetool, &node.host).await {
        Ok(dropped) => further.dropped = Some(dropped),
        Err(reason) => lacks(node, "nodetool tpstats", reason),
    }
    let Some(sampled) = request.sample_keys else {
        return;
    };
    let names: Vec<TableName> = node.tables.iter().map(|table| table.name.clone()).collect();
    for name in names {
        let keys = calls::sample_keys(nodetool, &node.host, &name, sampled).await;
        if let Err(reason) = &keys {
            lacks(node, "nodetool toppartitions", reason.clone());
        }
        further.keys.push(keys.ok());
    }
}

fn joined(figures: NodeFigures, further: Further) -> evidence::Node {
    let mut node = convert::node(figures);
    node.peers = further.peers;
    node.read_ahead_bytes = further.read_ahead;
    node.pending_compactions = further.pending_compactions;
    node.dropped = further.dropped;
    for (share, mean) in node.tables.iter_mut().zip(further.partitions) {
        share.mean_partition_bytes = share.mean_partition_bytes.or(mean);
    }
    for (share, keys) in node.tables.iter_mut().zip(further.keys) {
        share.keys = keys;
    }
    node
}

/// Returns the addresses of `HOST:PORT`; none if they cannot be looked up.
async fn ips(address: &str) -> Vec<String> {
    match tokio::net::lookup_host(address).await {
        Ok(found) => found.map(|address| address.ip().to_string()).collect(),
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests;

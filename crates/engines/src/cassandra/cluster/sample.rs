//! Samples of the resources and the work of nodes: from the operating system for nodes that Bakeoff
//! started, from exporters of metrics that a user named for others, and over CQL from Cassandra's own
//! system views for all nodes of any cluster.

mod resources;

use std::sync::Arc;
use std::time::Duration;

use bakeoff_servers::cassandra::Nodes;
use bakeoff_stats::{CacheCounts, ServerSample};
use bakeoff_workload::literal;
use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::deserialize::row::DeserializeRow;
use scylla::response::query_result::QueryRowsResult;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::at_once::{NODES_AT_ONCE, at_once};
use super::deployment::Deployment;
use super::one_node::for_node;
use crate::cassandra::nodes::{Exporters, micros};
use resources::{exported, used};

/// Age below which a sample is returned again, since every sample costs the server some work.
const SAMPLE_AGE: Duration = Duration::from_millis(900);
/// Time limit of a request, after which a stalled server has no figures.
const TIME_LIMIT: Duration = Duration::from_millis(500);

/// A sampler, which queries the nodes at most about once a second, and at the start and end of loads.
#[derive(Default)]
pub struct Sampler {
    last: Mutex<Option<(Instant, ServerSample)>>,
}

/// The nodes and the tables that are sampled.
pub struct Sampled<'a> {
    pub session: &'a Session,
    /// Nodes that Bakeoff started; `None` for an existing cluster, of which the operating system tells nothing.
    pub server: Option<&'a Nodes>,
    /// Exporters of metrics on the hosts of an existing cluster; `None` where none was named.
    pub exporters: Option<&'a Exporters>,
    /// Version of the server.
    pub version: &'a str,
    pub keyspace: &'a str,
    /// Tables whose requests and latency are sampled: requests are added up, and of latencies the slowest one counts.
    pub tables: &'a [String],
}

impl Sampler {
    /// Samples the server, or returns the last sample if it is recent.
    pub async fn sample(&self, sampled: Sampled<'_>) -> ServerSample {
        self.at_most_once_a_second(async || sampled.ask().await)
            .await
    }

    /// Samples the server at this moment, for the start and the end of a load.
    pub async fn sample_now(&self, sampled: Sampled<'_>) -> ServerSample {
        sampled.ask().await
    }

    async fn at_most_once_a_second(&self, ask: impl AsyncFnOnce() -> ServerSample) -> ServerSample {
        let mut last = self.last.lock().await;
        if let Some((at, sample)) = last.as_ref()
            && at.elapsed() < SAMPLE_AGE
        {
            return sample.clone();
        }
        let at = Instant::now();
        let sample = ask().await;
        *last = Some((at, sample.clone()));
        sample
    }
}

impl Deployment {
    /// Samples the nodes at this moment, and the work that they had with these tables.
    pub async fn sample(&self, keyspace: &str, tables: &[String]) -> ServerSample {
        let sampled = Sampled {
            session: &self.session,
            server: self.server.as_ref(),
            exporters: self.exporters.as_ref(),
            version: &self.info.version,
            keyspace,
            tables,
        };
        sampled.ask().await
    }
}

/// Use of the caches of nodes; `None` of those that they have not.
#[derive(Debug, Default, PartialEq)]
struct Caches {
    chunks: Option<CacheCounts>,
    keys: Option<CacheCounts>,
    rows: Option<CacheCounts>,
}

impl Caches {
    /// Takes those that are known from names, hits and requests.
    fn named(all: impl Iterator<Item = (String, i64, i64)>) -> Caches {
        let mut caches = Caches::default();
        for (name, hits, requests) in all {
            let cache = match name.as_str() {
                "chunks" => &mut caches.chunks,
                "keys" => &mut caches.keys,
                "rows" => &mut caches.rows,
                _ => continue,
            };
            let counts = u64::try_from(hits).ok().zip(u64::try_from(requests).ok());
            *cache = counts.map(|(hits, requests)| CacheCounts { hits, requests });
        }
        caches
    }

    fn and(self, other: Caches) -> Caches {
        let sum = |a: Option<CacheCounts>, b: Option<CacheCounts>| {
            let (a, b) = a.zip(b)?;
            Some(CacheCounts {
                hits: a.hits.checked_add(b.hits)?,
                requests: a.requests.checked_add(b.requests)?,
            })
        };
        Caches {
            chunks: sum(self.chunks, other.chunks),
            keys: sum(self.keys, other.keys),
            rows: sum(self.rows, other.rows),
        }
    }
}

/// Columns `count` and `p99th_ms` of a table's row in a view.
type Shown = (Option<i64>, Option<f64>);

/// What a view of nodes shows of the tables of a load.
#[derive(Debug, Default, PartialEq)]
struct Requests {
    /// Number of requests since the nodes started; `None` if it is not known of every table and node.
    count: Option<u64>,
    /// Recent 99th percentile of the slowest table and node, in microseconds.
    p99_micros: Option<f64>,
}

impl Requests {
    fn new(version: &str, shown: &[Shown]) -> Requests {
        let counts = shown.iter().map(|(count, _)| u64::try_from((*count)?).ok());
        let p99: Vec<Option<f64>> = shown.iter().map(|(_, p99)| *p99).collect();
        Requests {
            count: counts.sum::<Option<u64>>().filter(|_| !shown.is_empty()),
            p99_micros: slowest(version, &p99),
        }
    }

    fn and(self, other: Requests) -> Requests {
        Requests {
            count: sum(self.count, other.count),
            p99_micros: { self.p99_micros.into_iter() }
                .chain(other.p99_micros)
                .reduce(f64::max),
        }
    }
}

/// What nodes tell over CQL.
#[derive(Debug, Default, PartialEq)]
struct Told {
    compactions: Option<u64>,
    caches: Caches,
    reads: Requests,
    writes: Requests,
    coordinator_reads: Requests,
    coordinator_writes: Requests,
    sent_to_nodes_bytes: Option<u64>,
    /// Sum of the numbers that nodes have of their last start.
    generations: Option<u64>,
}

impl Told {
    /// Adds up what two nodes tell. What one of them does not tell is not known of both.
    fn and(self, other: Told) -> Told {
        Told {
            compactions: sum(self.compactions, other.compactions),
            caches: self.caches.and(other.caches),
            reads: self.reads.and(other.reads),
            writes: self.writes.and(other.writes),
            coordinator_reads: self.coordinator_reads.and(other.coordinator_reads),
            coordinator_writes: self.coordinator_writes.and(other.coordinator_writes),
            sent_to_nodes_bytes: sum(self.sent_to_nodes_bytes, other.sent_to_nodes_bytes),
            generations: sum(self.generations, other.generations),
        }
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a?.checked_add(b?)
}

/// The failure of a request, since there is no such view or the time limit has passed.
struct Unanswered;

impl Sampled<'_> {
    /// Asks all nodes, many of them at the same time.
    async fn ask(&self) -> ServerSample {
        // Taken before the requests over CQL, which may take a while.
        let mut used = used(self.server);
        let cluster = self.session.get_cluster_state();
        let nodes = cluster.get_nodes_info();
        let has_others = nodes.len() > 1;
        let asking = nodes.iter().map(|node| self.ask_node(node, has_others));
        let asking = at_once(NODES_AT_ONCE, asking.collect());
        let told = match self.exporters {
            None => asking.await,
            Some(exporters) => {
                let hosts = hosts_of(nodes);
                let (told, read) = tokio::join!(asking, exporters.sample(&hosts));
                used = exported(read);
                told
            }
        };
        match told.into_iter().reduce(Told::and) {
            Some(told) => sample_of(told, nodes.len(), used),
            None => used,
        }
    }

    async fn ask_node(&self, node: &Node, has_others: bool) -> Told {
        let (
            compactions,
            caches,
            reads,
            writes,
            coordinator_reads,
            coordinator_writes,
            sent,
            generations,
        ) = tokio::join!(
            self.compactions(node),
            self.caches(node),
            self.requests(node, "local_read_latency"),
            self.requests(node, "local_write_latency"),
            self.requests(node, "coordinator_read_latency"),
            self.requests(node, "coordinator_write_latency"),
            self.sent_to_nodes(node, has_others),
            self.generation(node, has_others),
        );
        Told {
            compactions,
            caches,
            reads,
            writes,
            coordinator_reads,
            coordinator_writes,
            sent_to_nodes_bytes: sent,
            generations,
        }
    }

    /// Counts the compactions that run or wait for a thread.
    async fn compactions(&self, node: &Node) -> Option<u64> {
        let cql = "SELECT active_tasks, pending_tasks FROM system_views.thread_pools \
                   WHERE name = 'CompactionExecutor'";
        let (active, pending): (i32, i32) = self.first(node, cql).await.ok()??;
        u64::try_from(i64::from(active) + i64::from(pending)).ok()
    }

    /// Returns the bytes of the messages that the node has sent to others, if it has any.
    async fn sent_to_nodes(&self, node: &Node, has_others: bool) -> Option<u64> {
        if !has_others {
            return None;
        }
        let cql = "SELECT sent_bytes FROM system_views.internode_outbound";
        let reply = self.query(node, cql).await.ok()?;
        let rows = reply.rows::<(i64,)>().ok()?;
        let bytes = rows.map(|row| u64::try_from(row.ok()?.0).ok());
        bytes.sum()
    }

    /// Returns the number that the node has of its last start, which grows with each start, if there are other nodes to
    /// whose it is added: the counters of one node alone fall when it is restarted.
    async fn generation(&self, node: &Node, has_others: bool) -> Option<u64> {
        if !has_others {
            return None;
        }
        let cql = "SELECT gossip_generation FROM system.local WHERE key = 'local'";
        let (generation,): (Option<i32>,) = self.first(node, cql).await.ok()??;
        u64::try_from(generation?).ok()
    }

    /// Returns the use of the caches that the node has.
    async fn caches(&self, node: &Node) -> Caches {
        let cql = "SELECT name, hit_count, request_count FROM system_views.caches";
        let Ok(reply) = self.query(node, cql).await else {
            return Caches::default();
        };
        let Ok(rows) = reply.rows::<(String, i64, i64)>() else {
            return Caches::default();
        };
        Caches::named(rows.filter_map(Result::ok))
    }

    /// Returns what a view shows of the tables; nothing if it does not show one of them in time.
    async fn requests(&self, node: &Node, view: &str) -> Requests {
        let mut shown: Vec<Shown> = Vec::with_capacity(self.tables.len());
        for table in self.tables {
            let cql = requests_of(view, self.keyspace, table);
            match self.first(node, &cql).await {
                Ok(row) => shown.push(row.unwrap_or_default()),
                Err(Unanswered) => return Requests::default(),
            }
        }
        Requests::new(self.version, &shown)
    }

    /// Queries the first row of a result from a node.
    async fn first<R>(&self, node: &Node, cql: &str) -> Result<Option<R>, Unanswered>
    where
        R: for<'f> DeserializeRow<'f, 'f>,
    {
        let rows = self.query(node, cql).await?;
        rows.maybe_first_row().map_err(|_| Unanswered)
    }

    /// Queries a node by a text that holds all of its values: the driver would prepare one with markers each time, so
    /// that the node would have two requests.
    async fn query(&self, node: &Node, cql: &str) -> Result<QueryRowsResult, Unanswered> {
        let mut statement = for_node(cql, node.host_id);
        statement.set_request_timeout(Some(TIME_LIMIT));
        let reply = self.session.query_unpaged(statement, ()).await;
        let rows = reply.map_err(|_| Unanswered)?.into_rows_result();
        rows.map_err(|_| Unanswered)
    }
}

/// Returns the text that asks a view of latencies for the row of a table.
fn requests_of(view: &str, keyspace: &str, table: &str) -> String {
    format!(
        "SELECT \"count\", p99th_ms FROM system_views.{view} WHERE keyspace_name = {} AND table_name = {}",
        literal::text(keyspace),
        literal::text(table)
    )
}

/// Returns the address of each node, without its port.
fn hosts_of(nodes: &[Arc<Node>]) -> Vec<String> {
    let hosts = nodes.iter().map(|node| node.address.ip().to_string());
    hosts.collect()
}

/// Joins what all nodes tell with what the operating system or exporters tell of them.
fn sample_of(told: Told, nodes: usize, used: ServerSample) -> ServerSample {
    ServerSample {
        nodes: u32::try_from(nodes).ok().filter(|nodes| *nodes > 1),
        generations: told.generations,
        pending_compactions: told.compactions,
        chunk_cache: told.caches.chunks,
        key_cache: told.caches.keys,
        row_cache: told.caches.rows,
        read_p99_micros: told.reads.p99_micros,
        write_p99_micros: told.writes.p99_micros,
        local_reads: told.reads.count,
        local_writes: told.writes.count,
        coordinator_reads: told.coordinator_reads.count,
        coordinator_writes: told.coordinator_writes.count,
        coordinator_read_p99_micros: told.coordinator_reads.p99_micros,
        coordinator_write_p99_micros: told.coordinator_writes.p99_micros,
        sent_to_nodes_bytes: told.sent_to_nodes_bytes,
        ..used
    }
}

/// Returns the highest of several tables' latencies; a table that was not accessed has none.
fn slowest(version: &str, shown: &[Option<f64>]) -> Option<f64> {
    let known = shown.iter().flatten();
    let micros = known.filter_map(|shown| micros(version, *shown));
    micros.max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests;

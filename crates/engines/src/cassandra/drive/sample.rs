//! Samples of a server's resources and work: from the operating system for a server that Bakeoff
//! started, and over CQL from Cassandra's own system views for any server.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_servers::cassandra::Nodes;
use bakeoff_stats::{CacheCounts, ServerSample};
use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::deserialize::row::DeserializeRow;
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::cassandra::cluster::one_node::for_node;
use crate::cassandra::nodes::micros;

/// Age below which a sample is returned again, since every sample costs the server some work.
const SAMPLE_AGE: Duration = Duration::from_millis(900);
/// Time limit of a request, after which a stalled server has no figures.
const TIME_LIMIT: Duration = Duration::from_millis(500);

/// A sampler of one server, which queries it at most about once a second, and at the start and end of loads.
#[derive(Default)]
pub struct Sampler {
    last: Mutex<Option<(Instant, ServerSample)>>,
    /// Node of a cluster that is queried.
    node: Mutex<Option<Arc<Node>>>,
}

/// The server and the tables that are sampled.
pub struct Sampled<'a> {
    pub session: &'a Session,
    /// Nodes that Bakeoff started; `None` for an existing cluster, one of whose nodes is queried.
    pub server: Option<&'a Nodes>,
    /// Version of the server.
    pub version: &'a str,
    pub keyspace: &'a str,
    /// Tables whose requests and latency are sampled: requests are added up, and of latencies the slowest one counts.
    pub tables: &'a [String],
}

impl Sampler {
    /// Samples the server, or returns the last sample if it is recent.
    pub async fn sample(&self, sampled: Sampled<'_>) -> ServerSample {
        self.at_most_once_a_second(async || self.ask(&sampled).await)
            .await
    }

    /// Samples the server at this moment, for the start and the end of a load.
    pub async fn sample_now(&self, sampled: Sampled<'_>) -> ServerSample {
        self.ask(&sampled).await
    }

    async fn ask(&self, sampled: &Sampled<'_>) -> ServerSample {
        // Taken before the requests over CQL, which may take a while.
        let used = used(sampled.server);
        match self.node(sampled.session).await {
            Some(node) => sampled.ask(&node, used).await,
            None => used,
        }
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

    /// Returns the same node each time as long as it exists, since counters of two nodes must not be
    /// mixed.
    async fn node(&self, session: &Session) -> Option<Arc<Node>> {
        let mut asked = self.node.lock().await;
        let cluster = session.get_cluster_state();
        let nodes = cluster.get_nodes_info();
        let same = |node: &&Arc<Node>| Some(node.host_id) == asked.as_ref().map(|n| n.host_id);
        let node = nodes.iter().find(same).or_else(|| nodes.first()).cloned();
        asked.clone_from(&node);
        node
    }
}

/// Samples the resources of a server that Bakeoff started.
fn used(server: Option<&Nodes>) -> ServerSample {
    let usage = server.map(Nodes::usage).unwrap_or_default();
    let requests = server.and_then(Nodes::device_requests);
    ServerSample {
        cpu_seconds: usage.cpu_seconds,
        resident_bytes: usage.resident_bytes,
        memory_limit_bytes: server.and_then(Nodes::memory_limit_bytes),
        limited_bytes: usage.limited_bytes,
        page_cache_bytes: usage.page_cache_bytes,
        disk_read_bytes: usage.disk_read_bytes,
        disk_written_bytes: usage.disk_written_bytes,
        compaction_read_bytes: usage.compaction_read_bytes,
        compaction_written_bytes: usage.compaction_written_bytes,
        gc_count: usage.gc_count,
        gc_seconds: usage.gc_seconds,
        allocated_bytes: usage.allocated_bytes,
        device_reads: requests.map(|(reads, _)| reads),
        device_writes: requests.map(|(_, writes)| writes),
        load_average: server.and_then(Nodes::load_average),
        ..ServerSample::default()
    }
}

/// Use of the caches of a node; `None` of those that it has not.
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
}

/// Columns `count` and `p99th_ms` of a table's row in a view.
type Shown = (Option<i64>, Option<f64>);

/// What a view of a node shows of the tables of a load.
#[derive(Debug, Default, PartialEq)]
struct Requests {
    /// Number of requests since the node started; `None` if it is not known of every table.
    count: Option<u64>,
    /// Recent 99th percentile of the slowest table, in microseconds.
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
}

/// The failure of a request, since there is no such view or the time limit has passed.
struct Unanswered;

impl Sampled<'_> {
    async fn ask(&self, node: &Node, used: ServerSample) -> ServerSample {
        let (compactions, caches, reads, writes, coordinator_reads, coordinator_writes) = tokio::join!(
            self.compactions(node),
            self.caches(node),
            self.requests(node, "local_read_latency"),
            self.requests(node, "local_write_latency"),
            self.requests(node, "coordinator_read_latency"),
            self.requests(node, "coordinator_write_latency"),
        );
        ServerSample {
            pending_compactions: compactions,
            chunk_cache: caches.chunks,
            key_cache: caches.keys,
            row_cache: caches.rows,
            read_p99_micros: reads.p99_micros,
            write_p99_micros: writes.p99_micros,
            local_reads: reads.count,
            local_writes: writes.count,
            coordinator_reads: coordinator_reads.count,
            coordinator_writes: coordinator_writes.count,
            coordinator_read_p99_micros: coordinator_reads.p99_micros,
            coordinator_write_p99_micros: coordinator_writes.p99_micros,
            ..used
        }
    }

    /// Counts the compactions that run or wait for a thread.
    async fn compactions(&self, node: &Node) -> Option<u64> {
        let cql = "SELECT active_tasks, pending_tasks FROM system_views.thread_pools \
                   WHERE name = 'CompactionExecutor'";
        let (active, pending): (i32, i32) = self.first(node, cql, ()).await.ok()??;
        u64::try_from(i64::from(active) + i64::from(pending)).ok()
    }

    /// Returns the use of the caches that the node has.
    async fn caches(&self, node: &Node) -> Caches {
        let cql = "SELECT name, hit_count, request_count FROM system_views.caches";
        let Ok(reply) = self.query(node, cql, ()).await else {
            return Caches::default();
        };
        let Ok(rows) = reply.rows::<(String, i64, i64)>() else {
            return Caches::default();
        };
        Caches::named(rows.filter_map(Result::ok))
    }

    /// Returns what a view shows of the tables; nothing if it does not show one of them in time.
    async fn requests(&self, node: &Node, view: &str) -> Requests {
        let cql = format!(
            "SELECT \"count\", p99th_ms FROM system_views.{view} \
             WHERE keyspace_name = ? AND table_name = ?"
        );
        let mut shown: Vec<Shown> = Vec::with_capacity(self.tables.len());
        for table in self.tables {
            match self.first(node, &cql, (self.keyspace, table)).await {
                Ok(row) => shown.push(row.unwrap_or_default()),
                Err(Unanswered) => return Requests::default(),
            }
        }
        Requests::new(self.version, &shown)
    }

    /// Queries the first row of a result from a node.
    async fn first<R>(
        &self,
        node: &Node,
        cql: &str,
        values: impl SerializeRow,
    ) -> Result<Option<R>, Unanswered>
    where
        R: for<'f> DeserializeRow<'f, 'f>,
    {
        let rows = self.query(node, cql, values).await?;
        rows.maybe_first_row().map_err(|_| Unanswered)
    }

    /// Queries a node.
    async fn query(
        &self,
        node: &Node,
        cql: &str,
        values: impl SerializeRow,
    ) -> Result<QueryRowsResult, Unanswered> {
        let mut statement = for_node(cql, node.host_id);
        statement.set_request_timeout(Some(TIME_LIMIT));
        let reply = self.session.query_unpaged(statement, values).await;
        let rows = reply.map_err(|_| Unanswered)?.into_rows_result();
        rows.map_err(|_| Unanswered)
    }
}

/// Returns the highest of several tables' latencies; a table that was not accessed has none.
fn slowest(version: &str, shown: &[Option<f64>]) -> Option<f64> {
    let known = shown.iter().flatten();
    let micros = known.filter_map(|shown| micros(version, *shown));
    micros.max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn caches_are_known_by_their_names() {
        let row = |name: &str, hits, requests| (name.to_owned(), hits, requests);
        let rows = [row("keys", 3, 4), row("counters", 9, 9), row("rows", -1, 4)];
        let keys = CacheCounts {
            hits: 3,
            requests: 4,
        };
        let expected = Caches {
            keys: Some(keys),
            ..Caches::default()
        };
        assert_eq!(Caches::named(rows.into_iter()), expected);
    }

    #[test]
    fn requests_of_tables_are_added_up_if_all_are_known() {
        let of = |shown: &[Shown]| Requests::new("5.0.9", shown);
        let both = Requests {
            count: Some(12),
            p99_micros: Some(4000.0),
        };
        assert_eq!(of(&[(Some(5), Some(0.004)), (Some(7), None)]), both);
        let without_a_count = Requests {
            count: None,
            ..both
        };
        assert_eq!(of(&[(Some(5), Some(0.004)), (None, None)]), without_a_count);
        assert_eq!(of(&[(Some(-1), None)]), Requests::default());
        assert_eq!(of(&[]), Requests::default(), "no table is known yet");
    }

    #[test]
    fn a_table_without_figures_hides_no_other() {
        let shown = [Some(0.002), None, Some(0.005), Some(0.0)];
        assert_eq!(slowest("5.0.9", &shown), Some(5000.0));
        assert_eq!(slowest("5.0.9", &[None]), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_age_of_a_sample_counts_from_the_question() {
        let sampler = Sampler::default();
        let asked = AtomicU64::new(0);
        let sample = || {
            sampler.at_most_once_a_second(async || {
                tokio::time::sleep(SAMPLE_AGE / 2).await;
                ServerSample {
                    gc_count: Some(asked.fetch_add(1, Ordering::Relaxed)),
                    ..ServerSample::default()
                }
            })
        };
        assert_eq!(sample().await.gc_count, Some(0));
        assert_eq!(sample().await.gc_count, Some(0), "young enough");
        tokio::time::sleep(SAMPLE_AGE / 2 + Duration::from_millis(50)).await;
        assert_eq!(sample().await.gc_count, Some(1), "asked for too long ago");
    }

    #[test]
    fn resources_of_an_existing_cluster_are_not_sampled() {
        assert_eq!(used(None), ServerSample::default());
    }
}

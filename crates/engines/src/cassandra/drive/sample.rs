//! Samples of a server's resources and work: from the operating system for a server that Bakeoff
//! started, and over CQL from Cassandra's own system views for any server.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_servers::cassandra::Nodes;
use bakeoff_stats::ServerSample;
use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::deserialize::row::DeserializeRow;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::serialize::row::SerializeRow;
use scylla::statement::Statement;
use tokio::sync::Mutex;
use tokio::time::Instant;

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
    /// Tables whose latency is sampled; the slowest one counts.
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
    ServerSample {
        cpu_seconds: usage.cpu_seconds,
        resident_bytes: usage.resident_bytes,
        memory_limit_bytes: server.and_then(Nodes::memory_limit_bytes),
        limited_bytes: usage.limited_bytes,
        page_cache_bytes: usage.page_cache_bytes,
        disk_read_bytes: usage.disk_read_bytes,
        disk_written_bytes: usage.disk_written_bytes,
        gc_count: usage.gc_count,
        gc_seconds: usage.gc_seconds,
        ..ServerSample::default()
    }
}

/// The failure of a request, since there is no such view or the time limit has passed.
struct Unanswered;

impl Sampled<'_> {
    async fn ask(&self, node: &Node, used: ServerSample) -> ServerSample {
        let (compactions, read, write, row_cache) = tokio::join!(
            self.compactions(node),
            self.latency(node, "local_read_latency"),
            self.latency(node, "local_write_latency"),
            self.row_cache(node),
        );
        let (requests, hits) = row_cache.unzip();
        ServerSample {
            pending_compactions: compactions,
            read_p99_micros: read,
            write_p99_micros: write,
            row_cache_requests: requests,
            row_cache_hits: hits,
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

    /// Counts the reads that looked into the row cache, and those whose partition was in it; `None` without a row
    /// cache. Only reads of tables that keep rows in it do so.
    async fn row_cache(&self, node: &Node) -> Option<(u64, u64)> {
        let cql = "SELECT capacity_bytes, request_count, hit_count FROM system_views.caches \
                   WHERE name = 'rows'";
        let (capacity, requests, hits): (i64, i64, i64) =
            self.first(node, cql, ()).await.ok()??;
        let counted = (u64::try_from(requests).ok()?, u64::try_from(hits).ok()?);
        (capacity > 0).then_some(counted)
    }

    /// Returns the recent 99th percentile of the server's own time for the tables, in microseconds.
    async fn latency(&self, node: &Node, view: &str) -> Option<f64> {
        let cql = format!(
            "SELECT p99th_ms FROM system_views.{view} WHERE keyspace_name = ? AND table_name = ?"
        );
        let mut shown = Vec::with_capacity(self.tables.len());
        for table in self.tables {
            let row = self.first(node, &cql, (self.keyspace, table)).await;
            shown.push(row.ok()?.and_then(|(shown,): (Option<f64>,)| shown));
        }
        slowest(self.version, &shown)
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
        let node = NodeIdentifier::HostId(node.host_id);
        let mut statement = Statement::new(cql);
        statement.set_request_timeout(Some(TIME_LIMIT));
        statement.set_load_balancing_policy(Some(SingleTargetLoadBalancingPolicy::new(node, None)));
        let reply = self.session.query_unpaged(statement, values).await;
        let rows = reply.map_err(|_| Unanswered)?.into_rows_result();
        let rows = rows.map_err(|_| Unanswered)?;
        rows.maybe_first_row().map_err(|_| Unanswered)
    }
}

/// Returns the highest of several tables' latencies; a table that was not accessed has none.
fn slowest(version: &str, shown: &[Option<f64>]) -> Option<f64> {
    let known = shown.iter().flatten();
    let micros = known.filter_map(|shown| micros(version, *shown));
    micros.max_by(f64::total_cmp)
}

/// Converts a latency as a system view shows it to microseconds; `None` if it is too short to be
/// shown.
///
/// Cassandra 5.0 calls the column milliseconds, but divides microseconds as if they were nanoseconds:
/// 2,759 microseconds, as JMX shows them, become 0.003. The resolution is therefore a millisecond.
/// The unit of other releases is not known.
fn micros(version: &str, shown: f64) -> Option<f64> {
    (version.starts_with("5.0.") && shown > 0.0).then_some(shown * 1e6)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn latency_is_known_where_its_unit_is() {
        assert_eq!(micros("5.0.9", 0.003), Some(3000.0));
        assert_eq!(micros("5.0.9", 0.0), None);
        assert_eq!(micros("4.0.1", 0.003), None);
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

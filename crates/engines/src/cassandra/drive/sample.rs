//! What the server has used and done: from the system for a server of our own, and over CQL from
//! the tables in which Cassandra shows its own figures, for any.

use std::time::{Duration, Instant};

use bakeoff_cassandra_server::Server;
use bakeoff_stats::ServerSample;
use scylla::client::session::Session;
use scylla::deserialize::row::DeserializeRow;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::serialize::row::SerializeRow;
use scylla::statement::Statement;
use tokio::sync::Mutex;

/// A sample that is younger than this is given again: asking costs the server something.
const SAMPLE_AGE: Duration = Duration::from_millis(900);
/// The longest that a question may take; a server that is stalled has no figures.
const TIME_LIMIT: Duration = Duration::from_millis(500);

/// Samples one server, at most about once a second.
#[derive(Default)]
pub struct Sampler {
    last: Mutex<Option<(Instant, ServerSample)>>,
}

/// What is asked of the server.
pub struct Sampled<'a> {
    pub session: &'a Session,
    /// Absent for a cluster that we did not start: one of its nodes tells its own figures.
    pub server: Option<&'a Server>,
    /// Its release.
    pub version: &'a str,
    pub keyspace: &'a str,
    /// The tables whose latency counts; of several the slowest one's.
    pub tables: &'a [String],
}

impl Sampler {
    pub async fn sample(&self, of: Sampled<'_>) -> ServerSample {
        let mut last = self.last.lock().await;
        if let Some((at, sample)) = last.as_ref()
            && at.elapsed() < SAMPLE_AGE
        {
            return sample.clone();
        }
        let sample = of.ask().await;
        *last = Some((Instant::now(), sample.clone()));
        sample
    }
}

impl Sampled<'_> {
    async fn ask(&self) -> ServerSample {
        let (compactions, read, write) = tokio::join!(
            self.compactions(),
            self.latency("local_read_latency"),
            self.latency("local_write_latency"),
        );
        let usage = self.server.map(Server::usage).unwrap_or_default();
        ServerSample {
            cpu_seconds: usage.cpu_seconds,
            resident_bytes: usage.resident_bytes,
            disk_read_bytes: usage.disk_read_bytes,
            disk_written_bytes: usage.disk_written_bytes,
            gc_count: usage.gc_count,
            gc_seconds: usage.gc_seconds,
            pending_compactions: compactions,
            read_p99_micros: read,
            write_p99_micros: write,
        }
    }

    /// Compactions that run or wait for a thread.
    async fn compactions(&self) -> Option<u64> {
        let cql = "SELECT active_tasks, pending_tasks FROM system_views.thread_pools \
                   WHERE name = 'CompactionExecutor'";
        let (active, pending): (i32, i32) = self.first(cql, ()).await?;
        u64::try_from(i64::from(active) + i64::from(pending)).ok()
    }

    /// The 99th percentile of the server's own time for the table, lately, in microseconds.
    async fn latency(&self, view: &str) -> Option<f64> {
        let cql = format!(
            "SELECT p99th_ms FROM system_views.{view} WHERE keyspace_name = ? AND table_name = ?"
        );
        let mut slowest: Option<f64> = None;
        for table in self.tables {
            let (shown,): (Option<f64>,) = self.first(&cql, (self.keyspace, table)).await?;
            let micros = shown.and_then(|shown| micros(self.version, shown));
            // Nothing is less than any number.
            slowest = if micros > slowest { micros } else { slowest };
        }
        slowest
    }

    /// The first row of an answer of the first node; nothing where the server has no such table.
    async fn first<R>(&self, cql: &str, values: impl SerializeRow) -> Option<R>
    where
        R: for<'f> DeserializeRow<'f, 'f>,
    {
        let cluster = self.session.get_cluster_state();
        let node = NodeIdentifier::HostId(cluster.get_nodes_info().first()?.host_id);
        let mut statement = Statement::new(cql);
        statement.set_request_timeout(Some(TIME_LIMIT));
        statement.set_load_balancing_policy(Some(SingleTargetLoadBalancingPolicy::new(node, None)));
        let rows = self.session.query_unpaged(statement, values).await.ok()?;
        rows.into_rows_result().ok()?.maybe_first_row().ok()?
    }
}

/// Microseconds of a latency as the tables show it; nothing where it is too short to be seen.
///
/// Cassandra 5.0 calls the column milliseconds, but divides microseconds as if they were
/// nanoseconds: 2,759 microseconds, as JMX has them, are shown as 0.003. They are in steps of a
/// millisecond therefore. Of other releases it is not known which unit theirs are.
fn micros(version: &str, shown: f64) -> Option<f64> {
    (version.starts_with("5.0.") && shown > 0.0).then_some(shown * 1e6)
}

#[cfg(test)]
mod tests {
    use super::micros;

    #[test]
    fn latency_is_known_where_its_unit_is() {
        assert_eq!(micros("5.0.9", 0.003), Some(3000.0));
        assert_eq!(micros("5.0.9", 0.0), None);
        assert_eq!(micros("4.0.1", 0.003), None);
    }
}

//! Traces of requests: a SELECT is sent to a cluster with tracing on, and what the cluster has recorded of it is read
//! together with what the client saw.

mod error;
mod nodes;
mod recorded;
mod request;

use std::time::{Duration, Instant};

use bakeoff_stats::trace::{Asked, Traced};
use bakeoff_workload::{Consistency, SelectedTable};

use super::Cluster;
pub use error::TraceError;
use request::Request;

/// A SELECT to trace, and how.
#[derive(Debug, Clone)]
pub struct TraceRequest {
    pub cluster: Cluster,
    /// One SELECT without markers.
    pub cql: String,
    /// Keyspace of the table, if the statement does not name it.
    pub keyspace: Option<String>,
    /// The table that the statement reads.
    pub table: SelectedTable,
    pub consistency: Consistency,
    /// Largest number of rows of a page.
    pub page_rows: u32,
    /// How often the statement is sent, at least once.
    pub times: u32,
    /// Percentile of the times whose trace is read.
    pub percentile: f64,
    /// The longest that one page may take.
    pub page_time_limit: Duration,
    /// The longest that is waited for a trace to be complete.
    pub wait: Duration,
}

/// Sends a SELECT with tracing on, and reads the trace of the page that took longest.
///
/// # Errors
/// Fails if the cluster does not answer, if there is no such table, if Cassandra refuses the statement, or if it
/// records nothing.
pub async fn trace(request: &TraceRequest) -> Result<Traced, TraceError> {
    let began = Instant::now();
    let session = request.cluster.connect().await?;
    let connect_micros = micros(began);
    let cluster = nodes::look(&session).await;
    let (mut client, id) = Request::new(&session, request)?.send().await?;
    client.connect_micros = connect_micros;
    let recorded = recorded::recorded(&session, id, request.wait).await?;
    let asked = Asked {
        cql: request.cql.clone(),
        keyspace: request.keyspace.clone(),
        consistency: request.consistency.to_string(),
        page_rows: request.page_rows,
    };
    Ok(Traced::new(asked, client, cluster, recorded))
}

/// Returns the microseconds that have passed since a moment.
fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

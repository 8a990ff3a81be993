//! Traces of requests: a SELECT is sent to a cluster with tracing on, and what the cluster has recorded of it is read
//! together with what the client saw.

mod error;
mod marks;
mod nodes;
mod question;
mod recorded;
mod request;
mod sending;
mod what;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_stats::trace::{Asked, ClientTimes, Traced};
use bakeoff_workload::Consistency;

use super::Cluster;
pub use error::TraceError;
pub use question::TracedQuestion;
use request::Request;
pub use what::{Traceable, TracedRead, TracedSelect};

/// A request to trace, and how.
#[derive(Clone)]
pub struct TraceRequest {
    pub cluster: Cluster,
    pub what: Traceable,
    /// Consistency level; `None` for that of the operation, or `LOCAL_ONE`.
    pub consistency: Option<Consistency>,
    /// Largest number of rows of a page; `None` for that of the design, or 5,000.
    pub page_rows: Option<u32>,
    /// How often the statement is sent, at least once.
    pub times: u32,
    /// Percentile of the times whose trace is read.
    pub percentile: f64,
    /// The longest that one page may take.
    pub page_time_limit: Duration,
    /// The longest that is waited for a trace to be complete.
    pub wait: Duration,
}

impl TraceRequest {
    fn level(&self) -> Consistency {
        self.consistency.unwrap_or(self.what.level())
    }

    fn page_rows(&self) -> u32 {
        self.page_rows.unwrap_or(self.what.page_rows())
    }
}

/// Sends a statement with tracing on, and reads the trace of the page that took longest.
///
/// # Errors
/// Fails if the cluster does not answer, if there is no such table, if Cassandra refuses the statement, or if it
/// records nothing.
pub async fn trace(request: &TraceRequest) -> Result<Traced, TraceError> {
    let began = Instant::now();
    let session = Arc::new(request.cluster.connect().await?);
    let connect_micros = micros(began);
    let cluster = nodes::look(&session).await;
    let shown = Request::new(&session, request).send().await?;
    let client = ClientTimes {
        connect_micros,
        ..shown.client
    };
    let recorded = recorded::recorded(&session, shown.trace, request.wait).await?;
    let asked = Asked {
        cql: shown.cql,
        of: shown.of,
        keyspace: request.what.keyspace(),
        consistency: request.level().to_string(),
        page_rows: request.page_rows(),
    };
    Ok(Traced::new(asked, client, cluster, recorded))
}

/// Returns the microseconds that have passed since a moment.
fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

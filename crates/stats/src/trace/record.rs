//! What Cassandra recorded of a request: the rows of `system_traces`.

use serde::{Deserialize, Serialize};

/// An event of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceEvent {
    /// Microseconds since the event's node began to work on the request, by its own clock.
    pub elapsed_micros: u64,
    /// Address of the node.
    pub node: String,
    pub thread: String,
    /// What the node says it does, in Cassandra's words.
    pub activity: String,
}

/// All that was recorded of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTrace {
    /// Id of the session in `system_traces`.
    pub id: String,
    /// Address of the node that the client asked.
    pub coordinator: String,
    /// Microseconds until the coordinator had its answer; `None` if that was not recorded within the time limit.
    pub total_micros: Option<u64>,
    /// Events in the order of their times.
    pub events: Vec<TraceEvent>,
}

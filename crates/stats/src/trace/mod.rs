//! Traces of requests to Cassandra: what was recorded of one, what that tells, the nodes of the cluster as a client
//! finds them, and two traces beside each other.

mod activity;
mod answer;
mod beside;
mod cluster;
mod coordinator;
mod hint;
mod place;
mod record;
mod summary;
mod traced;

pub use answer::Answer;
pub use beside::{Beside, Counted, Pair, StepDifference};
pub use cluster::{Attempt, ClusterFinding, ClusterSeen, NodeView, Peer};
pub use coordinator::coordinator_of;
pub use hint::Hint;
pub use record::{RecordedTrace, TraceEvent};
pub use summary::{AskedFor, NodeWork, Replica, Trace, TraceStep};
pub use traced::{Asked, ClientTimes, PageTimes, Traced, at_percentile};

#[cfg(test)]
mod fixture;

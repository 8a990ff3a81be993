//! What a load gives: to who watches it, and at its end.

use std::time::{Duration, SystemTime};

use bakeoff_stats::{CpuSeconds, ServerSample, Tally};
use hdrhistogram::Histogram;

use super::{BackgroundRuns, Failure, NewRows, PlanError};

/// One second of a load, over all workers.
#[derive(Debug)]
pub struct Second {
    /// Counts from the start of the load. Later ones than its duration hold what was still sent or
    /// in flight at its end.
    pub second: u32,
    /// What ended in this second, in the order of `Mix::operations`.
    pub operations: Vec<Tally>,
    /// Of those, operations that were sent late since the limit of operations in flight was
    /// reached when they were due.
    pub queued: u64,
    /// The server at the end of the second; empty where it was not seen in time.
    pub server: ServerSample,
}

/// Who watches a load. Must return soon: while it does not, results are kept, not lost.
pub trait DriveObserver: Send {
    /// All workers are ready; the load begins at this moment of the wall clock.
    fn started(&mut self, _at: SystemTime) {}

    /// A second is over for all workers. Seconds come in order, and none is left out.
    fn second(&mut self, second: Second);
}

/// What came of a load, apart from its seconds.
#[derive(Debug)]
pub struct Driven {
    pub started_at: SystemTime,
    /// How long operations became due; shorter than planned if it was stopped.
    pub duration: Duration,
    pub stopped: bool,
    /// Operations that were due. In a closed loop: that were sent.
    pub scheduled: u64,
    pub sent: u64,
    /// Operations that were due and not sent before the limit for draining was over.
    pub unsent: u64,
    /// Operations that were due when the limit of operations in flight was reached, so that they
    /// were sent late or never.
    pub queued: u64,
    /// Seconds in which such operations ended.
    pub limited_seconds: u32,
    /// Operations sent per second of `duration`.
    pub rate_reached: f64,
    /// From due to sent, in nanoseconds, of operations that did not wait for others: how late the
    /// driver itself was. Empty in a closed loop.
    pub lateness: Histogram<u64>,
    /// Up to five of each kind and worker, five of each kind in all.
    pub failures: Vec<Failure>,
    /// CPU seconds of this process and of the server from the start until all workers ended.
    pub cpu: CpuSeconds,
    /// Why workers ended early. If there are any, the load was not what was asked for: what such a
    /// worker would have done is in none of the counts.
    pub worker_failures: Vec<String>,
    pub background: BackgroundRuns,
    /// For each thread the new rows of this load and those before it, to be handed to the next one
    /// on the same table.
    pub new_rows: Vec<NewRows>,
}

impl Driven {
    /// Operations that became due per second. At random that is not the rate that was asked for.
    pub fn scheduled_rate(&self) -> f64 {
        match self.duration.as_secs_f64() {
            0.0 => 0.0,
            seconds => self.scheduled as f64 / seconds,
        }
    }
}

/// Why there was no load.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error("a worker thread cannot be started: {0}; use fewer with --threads")]
    Thread(#[from] std::io::Error),
    #[error(
        "not every worker could begin, so that there was no load: {}; see that the server is up and \
         takes a connection from each of --threads",
        .0.join("; ")
    )]
    Workers(Vec<String>),
    #[error("the load was to begin {0:?} before its workers were ready: choose a later --start-at")]
    TooLate(Duration),
    #[error("stopped before the load began")]
    Stopped,
}

//! Results of a load: those of each second, for its observer, and those of the whole.

use std::time::{Duration, SystemTime};

use bakeoff_stats::{CpuSeconds, ServerSample, Tally, server_growth_between};
use hdrhistogram::Histogram;

use super::{BackgroundRuns, Failure, NewRows, PlanError};
use crate::cpu::OwnCpu;

/// One second of a load, over all workers.
#[derive(Debug)]
pub struct Second {
    /// Number of the second from the start of the load. Seconds after the load's duration hold operations
    /// that were still sent or in flight at its end.
    pub second: u32,
    /// Operations that ended in this second, in the order of `Mix::operations`.
    pub operations: Vec<Tally>,
    /// Number of operations among them that were sent late since the limit of operations in flight was
    /// reached when they were due.
    pub queued: u64,
    /// State of the server at the end of the second; empty if it was not sampled in time.
    pub server: ServerSample,
}

/// Observes a load. Calls should return soon; results are buffered while they do not.
pub trait DriveObserver: Send {
    /// Takes note that all workers are ready, and of the moment at which the load begins by the wall clock.
    fn started(&mut self, _at: SystemTime) {}

    /// Takes the results of a second that is over for all workers. Seconds come in order, and none is
    /// left out.
    fn second(&mut self, second: Second);
}

/// Results of a whole load, without those of its seconds.
#[derive(Debug)]
pub struct Driven {
    pub started_at: SystemTime,
    /// Time during which operations became due; shorter than planned if the load was stopped. That of a pass, and of
    /// a load of so many operations, ends with the last one.
    pub duration: Duration,
    pub stopped: bool,
    /// Number of operations that were due, or, in a closed loop, that were sent.
    pub scheduled: u64,
    /// Number of operations that were sent.
    pub sent: u64,
    /// Number of operations that were due and not sent before the end of the drain limit.
    pub unsent: u64,
    /// Number of operations that became due while the limit of operations in flight was reached, so that
    /// they were sent late or never.
    pub queued: u64,
    /// Number of seconds in which such operations ended.
    pub limited_seconds: u32,
    /// Operations sent per second of `duration`.
    pub rate_reached: f64,
    /// Time from due to sent, in nanoseconds, of operations that did not wait for others: the lateness of
    /// the driver itself. It is empty in a closed loop.
    pub lateness: Histogram<u64>,
    /// First failures, up to five of each kind.
    pub failures: Vec<Failure>,
    /// CPU seconds of this process and of the server from the start until all workers ended.
    pub cpu: CpuSeconds,
    /// What else this process and the server have used in that time.
    pub used: Used,
    /// Times that the workers took to connect and to prepare statements, before the load began.
    pub connecting: Vec<Duration>,
    /// Reasons why workers ended early. If there are any, the offered load was smaller than planned, and
    /// the operations that such a worker did not perform are in none of the counts.
    pub worker_failures: Vec<String>,
    pub background: BackgroundRuns,
    /// New rows of each thread in this load and those before it, to be passed to the next load on the
    /// same table.
    pub new_rows: Vec<NewRows>,
}

/// Resources that a load has used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Used {
    /// CPU time of this process by mode.
    pub client: OwnCpu,
    pub server: ServerUse,
}

/// Resources that the server has used; `None` where they cannot be read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ServerUse {
    /// Bytes that were really read from the disk.
    pub disk_read_bytes: Option<u64>,
    /// Bytes that were really written to the disk.
    pub disk_written_bytes: Option<u64>,
    /// Seconds for which garbage collections paused the server.
    pub gc_seconds: Option<f64>,
    /// Number of these garbage collections.
    pub gc_count: Option<u64>,
}

impl ServerUse {
    /// Returns what a server has used between two samples.
    pub(super) fn between(then: &ServerSample, now: &ServerSample) -> ServerUse {
        let growth = |counter: fn(&ServerSample) -> Option<u64>| {
            let grown = server_growth_between(then, now, |s| counter(s).map(|n| n as f64));
            grown.map(|grown| grown as u64)
        };
        ServerUse {
            disk_read_bytes: growth(|s| s.disk_read_bytes),
            disk_written_bytes: growth(|s| s.disk_written_bytes),
            gc_seconds: server_growth_between(then, now, |s| s.gc_seconds),
            gc_count: growth(|s| s.gc_count),
        }
    }
}

impl Driven {
    /// Returns the number of operations that became due per second. With random arrivals it differs from
    /// the planned rate.
    pub fn scheduled_rate(&self) -> f64 {
        let seconds = self.duration.as_secs_f64();
        if seconds == 0.0 {
            return 0.0;
        }
        self.scheduled as f64 / seconds
    }
}

/// Reason why a load could not begin.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error("a worker thread could not be started: {0}; use fewer with --threads")]
    Thread(#[from] std::io::Error),
    #[error(
        "the load did not begin, since not every worker could: {}; check that the server is up and \
         accepts a connection from each of --threads",
        .0.join("; ")
    )]
    Workers(Vec<String>),
    #[error("the load was to begin {0:?} before its workers were ready: choose a later --start-at")]
    TooLate(Duration),
    #[error("stopped before the load began")]
    Stopped,
}

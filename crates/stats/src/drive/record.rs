//! Records of a load: one JSON object a line in `drive.jsonl`, appended and synced.

use serde::{Deserialize, Serialize};

use super::{
    AnsweringEnded, Beside, BesideRecord, DriveHeader, FailureKind, NodeAdded, Partitions,
    PassRecord, ServerSample, Tally,
};
use crate::counts::{add, total};
use crate::{CpuSeconds, EngineInfo, Footprint, Profile};

/// One line of `drive.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all records are of a second"
)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum DriveRecord {
    /// First line of every load.
    Started(Box<DriveHeader>),
    Engine(EngineInfo),
    /// Rows that exist before the load begins.
    Populated(Populated),
    Footprint(Footprint),
    /// Footprint after the last load, of a design whose server tells statistics of its tables.
    FootprintAfter(Footprint),
    Partitions(Partitions),
    TrialStarted(TrialStart),
    /// Counts of one second, recorded after its histograms are in the trial's log.
    Second(SecondCounts),
    TrialEnded(TrialEnd),
    ReadRepairs(super::ReadRepairs),
    /// Methods that the server ran during a trial. Absent where nobody asked for them.
    Profile(Profile),
    /// What a pass took, recorded after the end of its trial; such a trial is not a round.
    Pass(PassRecord),
    /// What became of the questions beside a load, recorded after the end of its trial.
    Beside(BesideRecord),
    /// A design that answers questions beside loads failed, and the others go on.
    AnsweringEnded(AnsweringEnded),
    /// A node that was added while a trial ran, recorded after its end.
    NodeAdded(NodeAdded),
    /// Verdict on a trial of a search for the highest rate; such a trial is not a round.
    Probe(ProbeRecord),
    Found(FoundRate),
    /// The design failed and takes no further part in the load.
    Failed {
        design: String,
        reason: String,
    },
    /// Message that a reader of the results has to know.
    Warning {
        message: String,
    },
    Interrupted {
        at: String,
    },
    /// Last line of a complete load; the memory is that of Bakeoff itself.
    Finished {
        at: String,
        seconds: f64,
        peak_memory_bytes: u64,
    },
}

/// Start of a load on one design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialStart {
    /// Number of the trial within the folder, which is also in the name of its histogram log.
    pub trial: u32,
    pub design: String,
    pub round: u32,
    /// Description of the schedule.
    pub schedule: String,
    /// Operations per second that this process is to reach on average; `None` in a closed loop.
    pub scheduled_rate: Option<f64>,
    /// Whether the schedule has the same rate throughout; otherwise a warm-up looks like a change of the rate.
    pub even: bool,
    /// Whether the trial only warms the server up, so that it is in no figure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warm_up: bool,
    /// Whether questions were asked beside the load, so that it is compared with the one without them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
    /// Design that answered these questions; absent if the driven one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// Start of the trial in nanoseconds since 1970.
    pub started_at_ns: u64,
}

/// Counts of one second of a trial, by when operations ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondCounts {
    pub trial: u32,
    /// Seconds since the start of the trial. Seconds after its duration hold operations that were
    /// still sent or in flight at its end.
    pub second: u32,
    /// Counts of each operation, in the header's order.
    pub operations: Vec<OperationCounts>,
    /// Operations that were sent late because the limit of operations in flight was reached.
    pub queued: u64,
    /// Figures of the server at the end of the second.
    pub server: ServerSample,
}

/// Counts of one operation in one second. Times are those of successes, in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OperationCounts {
    pub successes: u64,
    /// Failures by kind, without kinds that did not occur.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<(FailureKind, u64)>,
    pub retries: u64,
    pub not_applied: u64,
    pub rows: u64,
    pub bytes: u64,
    pub response_p50_ns: u64,
    pub response_p99_ns: u64,
    pub response_max_ns: u64,
    /// Mean service time, from which the warm-up is determined.
    pub service_mean_ns: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialEnd {
    pub trial: u32,
    /// Seconds in which operations became due; fewer than planned if the trial was stopped.
    pub seconds: f64,
    pub stopped: bool,
    /// Operations that became due; in a closed loop, operations that were sent.
    pub scheduled: u64,
    pub sent: u64,
    /// Operations that became due but were not sent before the time limit for draining.
    pub unsent: u64,
    /// Operations that became due when the limit of operations in flight was reached, so that they
    /// were sent late or never.
    pub queued: u64,
    /// Number of seconds in which such operations ended.
    pub limited_seconds: u32,
    /// Operations sent per second.
    pub rate_reached: f64,
    /// Time from due to sent of operations that did not wait for others, which is how late the
    /// driver itself was; `None` in a closed loop.
    pub lateness_p99_ns: Option<u64>,
    /// CPU time from the start until all operations ended.
    pub cpu: CpuSeconds,
    /// Seconds that each worker took to connect and to prepare statements, before the load began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connect_seconds: Vec<f64>,
    /// Messages of some of the failures.
    pub messages: Vec<String>,
    /// Messages of some of the background statements that failed.
    pub background: Vec<String>,
    /// Number of background statements.
    #[serde(default)]
    pub background_statements: u64,
    /// Number of background statements that failed.
    #[serde(default)]
    pub background_failed: u64,
    /// Reasons why workers ended early. Such a trial is incomplete and left out of all figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worker_failures: Vec<String>,
}

/// Result of one trial of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeRecord {
    pub design: String,
    pub trial: u32,
    /// Operations per second that were asked for; `None` for the closed loop that a search begins
    /// with.
    pub rate: Option<f64>,
    pub rate_reached: f64,
    /// Each limit as written, with the measured value in nanoseconds.
    pub measured: Vec<(String, Option<f64>)>,
    /// Limits that the trial missed, in words; empty if it met all of them.
    pub missed: Vec<String>,
    /// Whether the trial says nothing about its rate, since it had too few operations for a quantile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undecided: bool,
}

/// Result of a search for one design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundRate {
    pub design: String,
    pub round: u32,
    pub objective: String,
    /// Highest rate that met the objective, in operations per second, of those up to the estimate;
    /// `None` if none did.
    pub rate: Option<f64>,
    /// Lowest rate above it that missed the objective; `None` if all rates that were tried met it.
    pub failed_at: Option<f64>,
    /// The rate by all trials of the search together; `None` in a log from before there was one, and
    /// where not both some trial met the objective and some other missed it.
    #[serde(default)]
    pub estimate: Option<RateEstimate>,
    pub probes: u32,
    /// Reason why the search ended, in words.
    pub why: String,
}

/// Rate at which half of all trials would meet the objective, in operations per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateEstimate {
    pub rate: f64,
    /// Ends of its 95% interval.
    pub low: f64,
    pub high: f64,
}

/// Rows of a table before the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Populated {
    pub design: String,
    pub rows: u64,
    pub seconds: f64,
}

impl FoundRate {
    /// Returns the highest rate: by all trials together, or in an older log the highest one that met
    /// the objective.
    pub fn highest(&self) -> Option<f64> {
        Some(self.estimate.map_or(self.rate?, |estimate| estimate.rate))
    }
}

impl ProbeRecord {
    /// Returns whether the trial was judged and met the objective.
    pub fn held(&self) -> bool {
        self.rate.is_some() && self.missed.is_empty()
    }
}

impl TrialStart {
    /// Returns whether the trial is one of those that figures are of: neither a warm-up, nor with questions beside it.
    pub fn is_round(&self) -> bool {
        !self.warm_up && !self.beside
    }

    /// Returns the id of the design that answered these questions beside the load; `None` if the driven one did.
    pub fn answered_by<'a>(&'a self, asked: &'a Beside) -> Option<&'a str> {
        // Earlier records name a single design, and that in the header alone.
        let only = asked.designs.first().filter(|_| !asked.driven);
        let only = only.map(|design| design.id.as_str());
        self.answered_by.as_deref().or(only)
    }
}

impl TrialEnd {
    /// Returns the longest time in which a worker connected, in seconds; `None` if it is not known.
    pub fn longest_to_connect(&self) -> Option<f64> {
        self.connect_seconds.iter().copied().reduce(f64::max)
    }

    /// Returns whether the trial ran from its start to its planned end without losing a worker.
    pub fn is_complete(&self) -> bool {
        !self.stopped && self.worker_failures.is_empty()
    }
}

impl SecondCounts {
    pub fn new(
        trial: u32,
        second: u32,
        operations: &[Tally],
        queued: u64,
        server: ServerSample,
    ) -> SecondCounts {
        SecondCounts {
            trial,
            second,
            operations: operations.iter().map(OperationCounts::from_tally).collect(),
            queued,
            server,
        }
    }

    pub fn successes(&self) -> u64 {
        total(self.operations.iter().map(|o| o.successes))
    }

    pub fn failed(&self) -> u64 {
        total(self.operations.iter().map(OperationCounts::failed))
    }

    /// Returns the mean over all operations; NaN if none succeeded.
    pub fn mean_service_ns(&self) -> f64 {
        let times = self.operations.iter();
        let sum: f64 = times.map(|o| o.service_mean_ns * o.successes as f64).sum();
        sum / self.successes() as f64
    }

    /// Returns the median response time of each operation, averaged over all operations; NaN if none
    /// succeeded.
    pub fn median_response_ns(&self) -> f64 {
        let times = self.operations.iter();
        let sum: f64 = times
            .map(|o| o.response_p50_ns as f64 * o.successes as f64)
            .sum();
        sum / self.successes() as f64
    }
}

impl OperationCounts {
    pub fn from_tally(tally: &Tally) -> OperationCounts {
        let kinds = FailureKind::ALL.into_iter().zip(tally.failures);
        OperationCounts {
            successes: tally.successes(),
            failures: kinds.filter(|(_, count)| *count > 0).collect(),
            retries: tally.retries,
            not_applied: tally.not_applied,
            rows: tally.rows,
            bytes: tally.bytes,
            response_p50_ns: tally.response.value_at_quantile(0.5),
            response_p99_ns: tally.response.value_at_quantile(0.99),
            response_max_ns: tally.response.max(),
            service_mean_ns: tally.service.mean(),
        }
    }

    pub fn failed(&self) -> u64 {
        total(self.failures.iter().map(|(_, count)| *count))
    }

    /// Adds the counts to a tally; its histograms come from the log.
    pub fn add_to(&self, tally: &mut Tally) {
        for (kind, count) in &self.failures {
            add(&mut tally.failures[*kind as usize], *count);
        }
        add(&mut tally.retries, self.retries);
        add(&mut tally.not_applied, self.not_applied);
        add(&mut tally.rows, self.rows);
        add(&mut tally.bytes, self.bytes);
    }
}

#[cfg(test)]
mod tests;

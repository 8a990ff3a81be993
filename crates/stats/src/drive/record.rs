//! The records of a load: one JSON object a line in `drive.jsonl`, appended and synced.

use serde::{Deserialize, Serialize};

use super::{DriveHeader, FailureKind, ServerSample, Tally};
use crate::{CpuSeconds, EngineInfo, Footprint};

/// One line of `drive.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum DriveRecord {
    /// Always the first line.
    Started(Box<DriveHeader>),
    Engine(EngineInfo),
    /// The rows that are there before the load begins.
    Populated(Populated),
    Footprint(Footprint),
    TrialStarted(TrialStart),
    /// The histograms of the second are in the trial's log already.
    Second(SecondCounts),
    TrialEnded(TrialEnd),
    /// What a trial of a search for the highest rate said. Its trial is no round.
    Probe(ProbeRecord),
    Found(FoundRate),
    /// A design that is out from here on.
    Failed {
        design: String,
        reason: String,
    },
    /// Something that a reader of the results has to know.
    Warning {
        message: String,
    },
    Interrupted {
        at: String,
    },
    /// Always the last line of a complete load. The memory is that of Bakeoff itself.
    Finished {
        at: String,
        seconds: f64,
        peak_memory_bytes: u64,
    },
}

/// A load on one design, from its start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialStart {
    /// Numbers the trials of a folder, also in the names of their histogram logs.
    pub trial: u32,
    pub design: String,
    pub round: u32,
    /// In words.
    pub schedule: String,
    /// Operations that this process has to reach per second, on average; `None` in a closed loop.
    pub scheduled_rate: Option<f64>,
    /// Whether the schedule asks for the same all the time. Else there is no telling a warm-up
    /// from a change of the rate.
    pub even: bool,
    /// Nanoseconds since 1970.
    pub started_at_ns: u64,
}

/// What ended in one second of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecondCounts {
    pub trial: u32,
    /// Counts from the start of the trial. Later ones than its duration hold what was still sent or
    /// in flight at its end.
    pub second: u32,
    /// In the header's order.
    pub operations: Vec<OperationCounts>,
    /// Operations that were sent late since the limit of operations in flight was reached.
    pub queued: u64,
    /// At the end of the second.
    pub server: ServerSample,
}

/// One operation in one second. Times are those of successes, in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OperationCounts {
    pub successes: u64,
    /// Only kinds that occurred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<(FailureKind, u64)>,
    pub retries: u64,
    pub not_applied: u64,
    pub rows: u64,
    pub bytes: u64,
    pub response_p50_ns: u64,
    pub response_p99_ns: u64,
    pub response_max_ns: u64,
    /// For telling the warm-up.
    pub service_mean_ns: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialEnd {
    pub trial: u32,
    /// How long operations became due; shorter than planned if it was stopped.
    pub seconds: f64,
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
    /// Operations sent per second.
    pub rate_reached: f64,
    /// From due to sent, of operations that did not wait for others: how late the driver itself
    /// was. `None` in a closed loop.
    pub lateness_p99_ns: Option<u64>,
    /// From the start until all operations ended.
    pub cpu: CpuSeconds,
    /// Some of the failures, in words.
    pub messages: Vec<String>,
    /// Some of the background statements that failed, in words; how many ran, and how many failed.
    pub background: Vec<String>,
    #[serde(default)]
    pub background_statements: u64,
    #[serde(default)]
    pub background_failed: u64,
    /// Why workers ended early. Of such a trial something is missing: it has no part in any figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worker_failures: Vec<String>,
}

/// One load of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeRecord {
    pub design: String,
    pub trial: u32,
    /// Operations per second that were asked for; `None` for the closed loop that a search begins
    /// with.
    pub rate: Option<f64>,
    pub rate_reached: f64,
    /// Each limit as written, with what was measured, in nanoseconds.
    pub measured: Vec<(String, Option<f64>)>,
    /// Why it did not hold, in words; empty if it did.
    pub missed: Vec<String>,
}

/// What a search found for one design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundRate {
    pub design: String,
    pub round: u32,
    pub objective: String,
    /// The highest rate that held, in operations per second; `None` if none did.
    pub rate: Option<f64>,
    /// The lowest rate above it that did not hold; `None` if all that were tried did.
    pub failed_at: Option<f64>,
    pub probes: u32,
    /// Why the search ended, in words.
    pub why: String,
}

/// Rows that were there before the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Populated {
    pub design: String,
    pub rows: u64,
    pub seconds: f64,
}

impl ProbeRecord {
    /// Whether it was judged, and held.
    pub fn held(&self) -> bool {
        self.rate.is_some() && self.missed.is_empty()
    }
}

impl TrialEnd {
    /// Whether it is what was asked for, from its start to its end.
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
            operations: operations.iter().map(OperationCounts::of).collect(),
            queued,
            server,
        }
    }

    pub fn successes(&self) -> u64 {
        self.operations.iter().map(|o| o.successes).sum()
    }

    pub fn failed(&self) -> u64 {
        self.operations.iter().map(OperationCounts::failed).sum()
    }

    /// Over all operations; not a number where nothing succeeded.
    pub fn mean_service_ns(&self) -> f64 {
        let times = self.operations.iter();
        let sum: f64 = times.map(|o| o.service_mean_ns * o.successes as f64).sum();
        sum / self.successes() as f64
    }
}

impl OperationCounts {
    pub fn of(tally: &Tally) -> OperationCounts {
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
        self.failures.iter().map(|(_, count)| count).sum()
    }

    /// Adds what is counted to a tally; the histograms come from the log.
    pub fn add_to(&self, tally: &mut Tally) {
        for (kind, count) in &self.failures {
            tally.failures[*kind as usize] += count;
        }
        tally.retries += self.retries;
        tally.not_applied += self.not_applied;
        tally.rows += self.rows;
        tally.bytes += self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_tally_have_its_failures_and_times() {
        let mut tally = Tally::default();
        for n in 1..=100 {
            tally.record(n * 1_000_000, n * 500_000);
        }
        tally.failures[FailureKind::Wrong as usize] = 2;
        (tally.retries, tally.rows, tally.bytes) = (3, 100, 4_000);
        let counts = OperationCounts::of(&tally);
        assert_eq!((counts.successes, counts.failed()), (100, 2));
        assert_eq!(counts.failures, [(FailureKind::Wrong, 2)]);
        let close = |ns: u64, ms: f64| (ns as f64 / 1e6 / ms - 1.0).abs() < 2e-3;
        assert!(close(counts.response_p50_ns, 50.0) && close(counts.response_p99_ns, 99.0));
        assert!(close(counts.response_max_ns, 100.0));
        assert!((counts.service_mean_ns / 25.25e6 - 1.0).abs() < 2e-3);
        let mut back = Tally::default();
        counts.add_to(&mut back);
        assert_eq!((back.failures, back.retries), (tally.failures, 3));
        assert_eq!((back.rows, back.bytes), (100, 4_000));
    }

    #[test]
    fn records_have_their_name_and_read_back_as_they_were() {
        let record = DriveRecord::Second(SecondCounts::new(
            1,
            0,
            &[Tally::default()],
            7,
            ServerSample::default(),
        ));
        let json = serde_json::to_string(&record).unwrap();
        assert!(
            json.starts_with(r#"{"record":"second","trial":1"#),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<DriveRecord>(&json).unwrap(), record);
    }

    #[test]
    fn ends_of_trials_from_before_workers_and_background_were_counted_are_read() {
        let end = crate::drive::testing::end(1, 2.0, 3);
        let mut json = serde_json::to_value(&end).unwrap();
        let fields = json.as_object_mut().unwrap();
        assert!(fields.remove("background_statements").is_some());
        assert!(fields.remove("background_failed").is_some());
        assert_eq!(serde_json::from_value::<TrialEnd>(json).unwrap(), end);
    }
}

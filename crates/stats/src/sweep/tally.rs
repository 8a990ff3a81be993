//! Counts of inserts.

use std::ops::AddAssign;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::{Failures, Inserted};
use crate::{FailureKind, MAX_NANOSECONDS, SIGNIFICANT_DIGITS};

/// Inserts from which on a p99 is reported; of fewer, it would be the maximum.
const INSERTS_FOR_P99: u64 = 100;
/// Most messages of failures that are kept.
const MESSAGES: usize = 3;
/// Most characters of a message that are kept.
const MESSAGE_CHARACTERS: usize = 500;

/// Counts of workers in some span of time.
#[derive(Debug, Clone)]
pub struct InsertTally {
    /// Times of acknowledged inserts, in nanoseconds.
    latency: Histogram<u64>,
    rows: u64,
    /// Numbers of failed inserts by kind, in the order of [`FailureKind::ALL`].
    failed: [u64; FailureKind::ALL.len()],
    failed_rows: u64,
    messages: Vec<String>,
    /// Time that all workers together waited for rows to be generated.
    waited: Duration,
    rows_ran_out: bool,
    /// Time from the begin to the last acknowledgement.
    lasted: Duration,
}

impl InsertTally {
    /// Adds an insert of `rows` rows that was acknowledged `at` after the begin.
    pub fn acknowledge(&mut self, rows: u64, took: Duration, at: Duration) {
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.latency.saturating_record(nanoseconds);
        self.rows += rows;
        self.lasted = self.lasted.max(at);
    }

    /// Adds an insert that failed, or a connection for it that could not be opened.
    pub fn fail(&mut self, rows: u64, kind: FailureKind, message: &str) {
        for (count, known) in self.failed.iter_mut().zip(FailureKind::ALL) {
            *count += u64::from(known == kind);
        }
        self.failed_rows += rows;
        let message: String = message.chars().take(MESSAGE_CHARACTERS).collect();
        self.keep(message);
    }

    pub fn wait(&mut self, waited: Duration) {
        self.waited += waited;
    }

    pub fn run_out(&mut self) {
        self.rows_ran_out = true;
    }

    /// Returns the number of rows that were acknowledged.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Sums up the acknowledged inserts of this number of workers; `None` if there were none.
    pub fn inserted(&self, workers: u32) -> Option<Inserted> {
        let lasted = self.lasted.as_secs_f64();
        (self.rows > 0 && lasted > 0.0).then(|| Inserted {
            inserts: self.latency.len(),
            rows: self.rows,
            seconds: lasted,
            mean: self.latency.mean() / 1e9,
            p50: seconds(self.latency.value_at_quantile(0.5)),
            p99: (self.latency.len() >= INSERTS_FOR_P99)
                .then(|| seconds(self.latency.value_at_quantile(0.99))),
            max: seconds(self.latency.max()),
            waited_share: (self.waited.as_secs_f64() / (lasted * f64::from(workers))).min(1.0),
            rows_ran_out: self.rows_ran_out,
        })
    }

    pub fn failures(&self) -> Failures {
        let kinds = FailureKind::ALL.into_iter().zip(self.failed);
        Failures {
            kinds: kinds.filter(|(_, count)| *count > 0).collect(),
            rows: self.failed_rows,
            messages: self.messages.clone(),
        }
    }

    fn keep(&mut self, message: String) {
        if self.messages.len() < MESSAGES && !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

impl Default for InsertTally {
    fn default() -> Self {
        // Cannot fail: 1 and the limit are valid bounds for one to five digits.
        let latency = Histogram::new_with_bounds(1, MAX_NANOSECONDS, SIGNIFICANT_DIGITS)
            .unwrap_or_else(|_| unreachable!("bounds of a histogram are constants"));
        InsertTally {
            latency,
            rows: 0,
            failed: Default::default(),
            failed_rows: 0,
            messages: Vec::new(),
            waited: Duration::ZERO,
            rows_ran_out: false,
            lasted: Duration::ZERO,
        }
    }
}

impl AddAssign<&InsertTally> for InsertTally {
    fn add_assign(&mut self, other: &InsertTally) {
        // Destructured, so that a new field cannot be forgotten.
        let InsertTally {
            latency,
            rows,
            failed,
            failed_rows,
            messages,
            waited,
            rows_ran_out,
            lasted,
        } = other;
        // All histograms have the same bounds, so that adding them cannot fail.
        self.latency += latency;
        self.rows += rows;
        for (mine, theirs) in self.failed.iter_mut().zip(failed) {
            *mine += theirs;
        }
        self.failed_rows += failed_rows;
        for message in messages {
            self.keep(message.clone());
        }
        self.waited += *waited;
        self.rows_ran_out |= rows_ran_out;
        self.lasted = self.lasted.max(*lasted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn what_failed_is_in_no_time_and_no_rate() {
        let mut tally = InsertTally::default();
        tally.acknowledge(100, 20 * MS, 500 * MS);
        tally.acknowledge(100, 40 * MS, 1000 * MS);
        tally.fail(100, FailureKind::TimedOut, "no answer");
        tally.fail(100, FailureKind::TimedOut, "no answer");
        let inserted = tally.inserted(2).unwrap();
        assert_eq!(inserted.rows_per_second(), 200.0);
        assert_eq!(inserted.inserts, 2);
        assert!((inserted.max - 0.04).abs() < 1e-4, "{inserted:?}");
        let failures = tally.failures();
        assert_eq!(failures.kinds, [(FailureKind::TimedOut, 2)]);
        assert_eq!((failures.rows, failures.messages.len()), (200, 1));
    }

    #[test]
    fn a_p99_needs_a_hundred_inserts() {
        let mut tally = InsertTally::default();
        for _ in 0..99 {
            tally.acknowledge(1, MS, MS);
        }
        assert_eq!(tally.inserted(1).unwrap().p99, None);
        tally.acknowledge(1, MS, MS);
        assert!(tally.inserted(1).unwrap().p99.is_some());
    }

    #[test]
    fn tallies_are_joined_whole() {
        let mut one = InsertTally::default();
        one.acknowledge(1, MS, MS);
        let mut two = InsertTally::default();
        two.acknowledge(2, 3 * MS, 9 * MS);
        two.fail(7, FailureKind::Connection, "refused");
        two.wait(9 * MS);
        two.run_out();
        one += &two;
        let inserted = one.inserted(1).unwrap();
        assert_eq!((inserted.rows, inserted.inserts), (3, 2));
        assert_eq!(inserted.seconds, 0.009);
        assert_eq!(inserted.waited_share, 1.0);
        assert!(inserted.rows_ran_out);
        assert_eq!(one.failures().rows, 7);
    }

    #[test]
    fn nothing_acknowledged_is_no_rate() {
        let mut tally = InsertTally::default();
        tally.fail(1, FailureKind::Rejected, "no");
        assert_eq!(tally.inserted(1), None);
    }
}

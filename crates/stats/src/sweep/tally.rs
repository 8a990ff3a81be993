//! Counts of inserts.

use std::ops::AddAssign;
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;

use super::{Failures, Inserted, SavedTally};
use crate::counts::add;
use crate::histogram_text;
use crate::{FailureKind, MAX_NANOSECONDS, SIGNIFICANT_DIGITS};

/// Inserts from which on a p99 is reported; of fewer, it would be the maximum.
const INSERTS_FOR_P99: u64 = 100;
/// Most messages of failures that are kept.
const MESSAGES: usize = 3;
/// Most characters of a message that are kept.
const MESSAGE_CHARACTERS: usize = 500;
/// Most seconds for which rows are counted separately, which are more than an insert may take in addition to the
/// longest time for which a setting inserts.
const MOST_SECONDS: usize = 1 << 18;

/// Counts of workers in some span of time.
#[derive(Debug, Clone)]
pub struct InsertTally {
    /// Times of acknowledged inserts, in nanoseconds.
    latency: Histogram<u64>,
    rows: u64,
    /// Rows that were acknowledged in each second after the begin.
    rows_by_second: Vec<u64>,
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
        self.latency.saturating_record(nanoseconds(took));
        self.rows += rows;
        self.add_in_second(at.as_secs(), rows);
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

    /// Returns what is needed to join acknowledged inserts with those of other processes.
    ///
    /// # Errors
    /// The times cannot be written as text, in words.
    pub fn saved(&self) -> Result<SavedTally, String> {
        // Destructured, so that a new field cannot be forgotten. Failures are in the records of the settings.
        let InsertTally {
            latency,
            rows,
            rows_by_second,
            failed: _,
            failed_rows: _,
            messages: _,
            waited,
            rows_ran_out,
            lasted,
        } = self;
        let latencies = histogram_text::encode(latency, &mut V2DeflateSerializer::new());
        Ok(SavedTally {
            latencies: latencies.map_err(|error| error.to_string())?,
            rows: *rows,
            rows_by_second: rows_by_second.clone(),
            waited_ns: nanoseconds(*waited),
            rows_ran_out: *rows_ran_out,
            lasted_ns: nanoseconds(*lasted),
        })
    }

    /// Reads the acknowledged inserts of a process that began `late` after the first one: their seconds and their
    /// end are counted from when that one began.
    ///
    /// # Errors
    /// The record is damaged, in words.
    pub fn from_saved(saved: &SavedTally, late: Duration) -> Result<InsertTally, String> {
        let SavedTally {
            latencies,
            rows,
            rows_by_second,
            waited_ns,
            rows_ran_out,
            lasted_ns,
        } = saved;
        let mut tally = InsertTally {
            rows: *rows,
            waited: Duration::from_nanos(*waited_ns),
            rows_ran_out: *rows_ran_out,
            lasted: late.saturating_add(Duration::from_nanos(*lasted_ns)),
            ..InsertTally::default()
        };
        let latencies = histogram_text::decode(latencies)?;
        let added = tally.latency.add(&latencies);
        added.map_err(|_| "it has times above an hour".to_owned())?;
        let first = (late + Duration::from_millis(500)).as_secs();
        for (second, rows) in (first..).zip(rows_by_second) {
            tally.add_in_second(second, *rows);
        }
        Ok(tally)
    }

    /// Adds rows to those of a second. Seconds beyond the most that are kept are counted as the last one.
    fn add_in_second(&mut self, second: u64, rows: u64) {
        let second = usize::try_from(second).unwrap_or(usize::MAX);
        let second = second.min(MOST_SECONDS - 1);
        if self.rows_by_second.len() <= second {
            self.rows_by_second.resize(second + 1, 0);
        }
        add(&mut self.rows_by_second[second], rows);
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

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Default for InsertTally {
    fn default() -> Self {
        // Cannot fail: 1 and the limit are valid bounds for one to five digits.
        let latency = Histogram::new_with_bounds(1, MAX_NANOSECONDS, SIGNIFICANT_DIGITS)
            .unwrap_or_else(|_| unreachable!("bounds of a histogram are constants"));
        InsertTally {
            latency,
            rows: 0,
            rows_by_second: Vec::new(),
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
            rows_by_second,
            failed,
            failed_rows,
            messages,
            waited,
            rows_ran_out,
            lasted,
        } = other;
        // All histograms have the same bounds, so that adding them cannot fail.
        self.latency += latency;
        add(&mut self.rows, *rows);
        for (second, rows) in (0..).zip(rows_by_second) {
            self.add_in_second(second, *rows);
        }
        for (mine, theirs) in self.failed.iter_mut().zip(failed) {
            *mine += theirs;
        }
        self.failed_rows += failed_rows;
        for message in messages {
            self.keep(message.clone());
        }
        self.waited = self.waited.saturating_add(*waited);
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
    fn what_was_saved_is_joined_as_if_it_had_never_been() {
        let mut one = InsertTally::default();
        one.acknowledge(10, 20 * MS, 500 * MS);
        one.acknowledge(10, 40 * MS, 1_500 * MS);
        one.wait(7 * MS);
        one.run_out();
        let saved = one.saved().unwrap();
        assert_eq!(saved.rows_by_second, [10, 10]);
        let read = InsertTally::from_saved(&saved, Duration::ZERO).unwrap();
        assert_eq!(read.inserted(1), one.inserted(1));
        assert_eq!(read.saved().unwrap(), saved);
        // A process that began later adds to later seconds, and the end is that of the last one.
        let mut both = read;
        both += &InsertTally::from_saved(&saved, 1_600 * MS).unwrap();
        let joined = both.saved().unwrap();
        assert_eq!(joined.rows_by_second, [10, 10, 10, 10]);
        assert_eq!((joined.rows, joined.lasted_ns), (40, 3_100_000_000));
        assert_eq!(both.inserted(1).unwrap().inserts, 4);
    }

    #[test]
    fn damaged_times_are_refused() {
        let saved = SavedTally {
            latencies: "AAAA".to_owned(),
            ..InsertTally::default().saved().unwrap()
        };
        assert!(InsertTally::from_saved(&saved, Duration::ZERO).is_err());
    }

    #[test]
    fn nothing_acknowledged_is_no_rate() {
        let mut tally = InsertTally::default();
        tally.fail(1, FailureKind::Rejected, "no");
        assert_eq!(tally.inserted(1), None);
    }
}

//! What a load looks like in numbers: operations by second, failures by kind, the server beside.

use std::fmt;
use std::ops::AddAssign;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Why an operation failed. Each is counted on its own and never as a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// No answer in time, by the server's or by our own limit.
    TimedOut,
    /// Too few replicas were alive.
    Unavailable,
    /// The server refused for its load.
    Overloaded,
    /// The connection broke or could not be opened.
    Connection,
    /// Any other error of the server.
    Rejected,
    /// A value came back that is not the one that was written.
    Wrong,
    /// A row that has to be there did not come.
    Missing,
}

impl FailureKind {
    pub const ALL: [FailureKind; 7] = [
        FailureKind::TimedOut,
        FailureKind::Unavailable,
        FailureKind::Overloaded,
        FailureKind::Connection,
        FailureKind::Rejected,
        FailureKind::Wrong,
        FailureKind::Missing,
    ];

    /// Whether trying the same operation again may help.
    pub fn is_transient(self) -> bool {
        match self {
            FailureKind::TimedOut
            | FailureKind::Unavailable
            | FailureKind::Overloaded
            | FailureKind::Connection => true,
            FailureKind::Rejected | FailureKind::Wrong | FailureKind::Missing => false,
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureKind::TimedOut => "timed out",
            FailureKind::Unavailable => "unavailable",
            FailureKind::Overloaded => "overloaded",
            FailureKind::Connection => "connection",
            FailureKind::Rejected => "rejected",
            FailureKind::Wrong => "wrong value",
            FailureKind::Missing => "missing row",
        })
    }
}

/// Operations of one kind in some span of time. Spans, threads and machines are joined with `+=`.
#[derive(Debug, Clone)]
pub struct Tally {
    /// Successful operations, from the moment they were due until the reply was complete, in
    /// nanoseconds.
    pub response: Histogram<u64>,
    /// Successful operations, from sending to the complete reply, in nanoseconds.
    pub service: Histogram<u64>,
    /// Failed operations by kind, in the order of [`FailureKind::ALL`].
    pub failures: [u64; FailureKind::ALL.len()],
    /// Attempts after the first one.
    pub retries: u64,
    /// Conditional writes whose condition did not hold; they are successes in the histograms.
    pub not_applied: u64,
    /// Rows read or written by successful operations.
    pub rows: u64,
    /// Bytes of values read or written by successful operations.
    pub bytes: u64,
}

/// Times above this many nanoseconds (one hour) are recorded as this.
pub const MAX_NANOSECONDS: u64 = 3_600_000_000_000;
/// Histograms keep this many significant decimal digits.
pub const SIGNIFICANT_DIGITS: u8 = 3;

impl Tally {
    pub fn record(&mut self, response_ns: u64, service_ns: u64) {
        self.response.saturating_record(response_ns);
        self.service.saturating_record(service_ns);
    }

    pub fn successes(&self) -> u64 {
        self.response.len()
    }

    pub fn failed(&self) -> u64 {
        self.failures.iter().sum()
    }

    pub fn clear(&mut self) {
        self.response.reset();
        self.service.reset();
        self.failures = Default::default();
        self.retries = 0;
        self.not_applied = 0;
        self.rows = 0;
        self.bytes = 0;
    }
}

fn histogram() -> Histogram<u64> {
    // Cannot fail: 1 and the limit are valid bounds for one to five digits.
    Histogram::new_with_bounds(1, MAX_NANOSECONDS, SIGNIFICANT_DIGITS)
        .unwrap_or_else(|_| unreachable!("bounds of a histogram are constants"))
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            response: histogram(),
            service: histogram(),
            failures: Default::default(),
            retries: 0,
            not_applied: 0,
            rows: 0,
            bytes: 0,
        }
    }
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        // Destructured, so that a new field cannot be forgotten.
        let Tally {
            response,
            service,
            failures,
            retries,
            not_applied,
            rows,
            bytes,
        } = other;
        // All histograms have the same bounds, so that adding them cannot fail.
        self.response += response;
        self.service += service;
        for (mine, theirs) in self.failures.iter_mut().zip(failures) {
            *mine += theirs;
        }
        self.retries += retries;
        self.not_applied += not_applied;
        self.rows += rows;
        self.bytes += bytes;
    }
}

/// What a server has used and done since it started; counters only grow. Absent is not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerSample {
    /// User and system CPU time, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Resident memory now, in bytes.
    pub resident_bytes: Option<u64>,
    /// The most that heap, off-heap memory and page cache may take together, in bytes; absent
    /// without a limit, as the next two are.
    pub memory_limit_bytes: Option<u64>,
    /// Memory now that counts against the limit, and the page cache in it, in bytes.
    pub limited_bytes: Option<u64>,
    pub page_cache_bytes: Option<u64>,
    /// Bytes that were really read from and written to the disk.
    pub disk_read_bytes: Option<u64>,
    pub disk_written_bytes: Option<u64>,
    /// Collections of garbage, and how long they stopped the server in all, in seconds.
    pub gc_count: Option<u64>,
    pub gc_seconds: Option<f64>,
    /// Compactions that wait or run now.
    pub pending_compactions: Option<u64>,
    /// The server's own time for a local read and write of the table lately, in microseconds.
    pub read_p99_micros: Option<f64>,
    pub write_p99_micros: Option<f64>,
}

//! Counts of a load: operations by second, failures by kind, and figures of the server.

use std::fmt;
use std::ops::AddAssign;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use super::database::DatabaseSample;
use crate::counts::{add, total};

/// Reason why an operation failed. A failed operation is counted by its reason and never as a
/// success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The operation had no answer in time, by the limit of the server or of Bakeoff.
    TimedOut,
    /// The server had too few live replicas.
    Unavailable,
    /// The server refused the operation because of its load.
    Overloaded,
    /// The connection broke or could not be opened.
    Connection,
    /// The server ended the transaction for another one that was in its way: a deadlock or a serialization failure,
    /// after which a client is to try again.
    Conflict,
    /// The server returned any other error.
    Rejected,
    /// The server returned a value that differs from the one that was written.
    Wrong,
    /// The server did not return a row that has to exist.
    Missing,
}

impl FailureKind {
    pub const ALL: [FailureKind; 8] = [
        FailureKind::TimedOut,
        FailureKind::Unavailable,
        FailureKind::Overloaded,
        FailureKind::Connection,
        FailureKind::Conflict,
        FailureKind::Rejected,
        FailureKind::Wrong,
        FailureKind::Missing,
    ];

    /// Returns whether trying the same operation again may help.
    pub fn is_transient(self) -> bool {
        match self {
            FailureKind::TimedOut
            | FailureKind::Unavailable
            | FailureKind::Overloaded
            | FailureKind::Connection
            | FailureKind::Conflict => true,
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
            FailureKind::Conflict => "conflict",
            FailureKind::Rejected => "rejected",
            FailureKind::Wrong => "wrong value",
            FailureKind::Missing => "missing row",
        })
    }
}

/// Operations of one kind in some span of time. Tallies of spans, threads and machines are joined
/// with `+=`.
#[derive(Debug, Clone)]
pub struct Tally {
    /// Times of successful operations, from the moment they were due until the reply was complete,
    /// in nanoseconds.
    pub response: Histogram<u64>,
    /// Times of successful operations, from sending until the reply was complete, in nanoseconds.
    pub service: Histogram<u64>,
    /// Numbers of failed operations by kind, in the order of [`FailureKind::ALL`].
    pub failures: [u64; FailureKind::ALL.len()],
    /// Number of attempts after the first ones.
    pub retries: u64,
    /// Conditional writes whose condition was not met; the histograms count them as successes.
    pub not_applied: u64,
    /// Rows read or written by successful operations.
    pub rows: u64,
    /// Bytes of values read or written by successful operations.
    pub bytes: u64,
}

/// Longest time that is recorded, one hour in nanoseconds; longer ones are recorded as this.
pub const MAX_NANOSECONDS: u64 = 3_600_000_000_000;
/// Number of significant decimal digits that histograms keep.
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
        total(self.failures)
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
            add(mine, *theirs);
        }
        add(&mut self.retries, *retries);
        add(&mut self.not_applied, *not_applied);
        add(&mut self.rows, *rows);
        add(&mut self.bytes, *bytes);
    }
}

/// Requests to a cache since its server started, and those among them that it answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheCounts {
    pub hits: u64,
    pub requests: u64,
}

/// Resources that a server has used since it started; counters only grow, and `None` means unknown. Of a cluster whose
/// machines have exporters of metrics, bytes and requests of disks and the network are those of all programs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerSample {
    /// CPU time of the server in seconds, user and system together.
    pub cpu_seconds: Option<f64>,
    /// CPU time of the server's machines in seconds, that of all programs, where exporters of metrics tell it; absent
    /// in records of earlier versions, which had it as that of the server where no JVM exporter was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_cpu_seconds: Option<f64>,
    /// Resident memory at the moment, in bytes.
    pub resident_bytes: Option<u64>,
    /// Most bytes that heap, off-heap memory and page cache may take together; absent without a
    /// limit, like the next two.
    pub memory_limit_bytes: Option<u64>,
    /// Bytes of memory at the moment that count against the limit.
    pub limited_bytes: Option<u64>,
    /// Bytes of the page cache in that memory.
    pub page_cache_bytes: Option<u64>,
    /// Bytes that were really read from the disk.
    pub disk_read_bytes: Option<u64>,
    /// Bytes that were really written to the disk.
    pub disk_written_bytes: Option<u64>,
    /// Bytes of those read that compactions read.
    pub compaction_read_bytes: Option<u64>,
    /// Bytes of those written that compactions wrote.
    pub compaction_written_bytes: Option<u64>,
    /// Number of garbage collections.
    pub gc_count: Option<u64>,
    /// Seconds that garbage collections paused the server.
    pub gc_seconds: Option<f64>,
    /// Bytes that were allocated on the server's heap up to its last garbage collection.
    pub allocated_bytes: Option<u64>,
    /// Bytes of the server's heap that are in use at the moment; like the network's absent in records of earlier
    /// versions, and where no exporter of metrics tells them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_used_bytes: Option<u64>,
    /// Requests to read that the device with the server's data has completed, those of other programs included.
    pub device_reads: Option<u64>,
    /// Requests to write that this device has completed.
    pub device_writes: Option<u64>,
    /// Seconds that all of these requests together have waited and taken; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_queue_seconds: Option<f64>,
    /// Mean number of threads of the machine that ran, wanted to run or waited for the disk, over about a minute.
    pub load_average: Option<f64>,
    /// Bytes that the machine has received from others, clients included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_received_bytes: Option<u64>,
    /// Bytes that the machine has sent to others, clients included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_sent_bytes: Option<u64>,
    /// Number of nodes of which the following are added up, or the highest of latencies, and what exporters of metrics
    /// tell as well; `None` for one node, as in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// Sum of the numbers of these nodes that change whenever one is started (`gossip_generation`), so that the sum
    /// differs once one of them was restarted; absent of one node, and in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generations: Option<u64>,
    /// Number of compactions that wait or run at the moment.
    pub pending_compactions: Option<u64>,
    /// Use of the server's cache of chunks of files; absent where it has none.
    pub chunk_cache: Option<CacheCounts>,
    /// Use of its cache of places of keys in SSTables.
    pub key_cache: Option<CacheCounts>,
    /// Use of its cache of rows.
    pub row_cache: Option<CacheCounts>,
    /// Recent p99 of local reads of the table by the server's own measure, in microseconds.
    pub read_p99_micros: Option<f64>,
    /// Recent p99 of local writes of the table by the server's own measure, in microseconds.
    pub write_p99_micros: Option<f64>,
    /// Reads by key of the tables that nodes have answered from their own data, like the next three since they started.
    pub local_reads: Option<u64>,
    /// Writes to the tables that these nodes have applied to their own data.
    pub local_writes: Option<u64>,
    /// Reads by key of the tables that clients have asked of these nodes.
    pub coordinator_reads: Option<u64>,
    /// Writes to the tables that clients have asked of these nodes.
    pub coordinator_writes: Option<u64>,
    /// Recent p99 of reads that a node coordinated, by its own measure, in microseconds.
    pub coordinator_read_p99_micros: Option<f64>,
    /// Recent p99 of writes that a node coordinated, by its own measure, in microseconds.
    pub coordinator_write_p99_micros: Option<f64>,
    /// Bytes of the messages that these nodes have sent to each other, before they were compressed; absent of one node,
    /// and in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_to_nodes_bytes: Option<u64>,
    /// What the server counts of its work in the database of the tables; absent of a server that is none of SQL, and in
    /// records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseSample>,
    /// What could not be read for this sample, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ServerSample {
    /// Returns whether nothing is known of the server.
    pub fn is_empty(&self) -> bool {
        let told = ServerSample {
            nodes: None,
            generations: None,
            notes: Vec::new(),
            ..self.clone()
        };
        told == ServerSample::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_failure_has_its_place_and_names() {
        for (place, kind) in FailureKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place, "{kind}");
        }
        // The name in records is read by later versions.
        let written = serde_json::to_string(&FailureKind::Conflict).unwrap();
        assert_eq!(written, "\"conflict\"");
        assert_eq!(FailureKind::Conflict.to_string(), "conflict");
        assert!(FailureKind::Conflict.is_transient() && !FailureKind::Rejected.is_transient());
    }
}

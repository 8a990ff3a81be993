//! Figures of a load.

use hdrhistogram::Histogram;
use serde::Serialize;

use super::{FailureKind, Tally};
use crate::counts::total;

const NANOSECONDS: f64 = 1e9;

/// Figures of one trial, or of several trials of a design, after the warm-up. `None` means unknown.
#[derive(Debug, Clone, Serialize)]
pub struct LoadFigures {
    /// Seconds after the warm-up in which operations became due, without a fraction at the end;
    /// rates refer to them.
    pub seconds: f64,
    /// Successful operations per second.
    pub ops_per_second: f64,
    /// Figures of each operation, in the header's order.
    pub operations: Vec<OperationFigures>,
    /// CPU time of Bakeoff per operation sent, warm-up included.
    pub client_cpu_micros_per_op: Option<f64>,
    /// CPU time of the server per operation that ended, failed ones included.
    pub server_cpu_micros_per_op: Option<f64>,
    /// CPU seconds of the server per second.
    pub server_cores: Option<f64>,
    /// Bytes read from the disk per operation that ended.
    pub disk_read_per_op: Option<f64>,
    /// Bytes read from the disk per byte of values that was read.
    pub disk_read_per_byte: Option<f64>,
    pub disk_read_per_second: Option<f64>,
    pub disk_written_per_second: Option<f64>,
    /// Bytes of them that compactions read per second.
    pub compaction_read_per_second: Option<f64>,
    /// Bytes of them that compactions wrote per second.
    pub compaction_written_per_second: Option<f64>,
    /// Share of the time that the server was paused by garbage collection, 0 to 1.
    pub gc_share: Option<f64>,
    /// Garbage collections of the server per second.
    pub gc_per_second: Option<f64>,
    /// Bytes allocated on the server's heap per second.
    pub allocated_per_second: Option<f64>,
    /// Requests to read and to write that the device with the server's data completed per second, those of other
    /// programs included.
    pub device_reads_per_second: Option<f64>,
    pub device_writes_per_second: Option<f64>,
    /// Mean number of such requests that waited or were under way.
    pub device_queue: Option<f64>,
    /// Mean time that such a request waited and took, in microseconds.
    pub device_request_micros: Option<f64>,
    /// Share of the requests to the server's cache of chunks of files that it answered, 0 to 1.
    pub chunk_cache_hits: Option<f64>,
    /// Share of the requests to its cache of places of keys that it answered, 0 to 1.
    pub key_cache_hits: Option<f64>,
    /// Share of the requests to its cache of rows that it answered, 0 to 1.
    pub row_cache_hits: Option<f64>,
    /// Reads by key of the load's tables that one node answered from its own data.
    pub local_reads: NodeRequests,
    /// Writes to these tables that this node applied to its own data.
    pub local_writes: NodeRequests,
    /// Reads by key of these tables that clients asked of this node.
    pub coordinator_reads: NodeRequests,
    /// Writes to these tables that clients asked of this node.
    pub coordinator_writes: NodeRequests,
    /// Largest resident memory of the server.
    pub resident_bytes: Option<u64>,
    /// Largest page cache within the server's memory limit; `None` without a limit.
    pub page_cache_bytes: Option<u64>,
}

/// Requests to one node for the tables of a load, by its own measure. `None` means unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct NodeRequests {
    pub per_second: Option<f64>,
    /// Highest of the node's recent p99 in microseconds, of its slowest table.
    pub p99_micros: Option<f64>,
}

/// Figures of one operation. Rates count operations that ended while operations became due;
/// successes and times cover all that became due, including those that ended later. Failures,
/// retries and unapplied writes cover the whole load, warm-up included.
#[derive(Debug, Clone, Serialize)]
pub struct OperationFigures {
    pub name: String,
    /// Number of successes.
    pub count: u64,
    pub ops_per_second: f64,
    pub rows_per_second: f64,
    pub bytes_per_second: f64,
    /// Times from due to done; `None` if no operation succeeded.
    pub response: Option<Latency>,
    /// Times from sent to done; `None` if no operation succeeded.
    pub service: Option<Latency>,
    /// Failures by kind, without kinds that did not occur.
    pub failures: Vec<(FailureKind, u64)>,
    pub retries: u64,
    pub not_applied: u64,
    /// Response and service times by share of the operations.
    pub curve: Vec<CurvePoint>,
}

/// Latencies in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    pub mean: f64,
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    pub p999: f64,
    pub max: f64,
}

/// Times in seconds that this share of the operations did not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Share of the operations, from 0 to 1.
    pub quantile: f64,
    pub response: f64,
    pub service: f64,
}

/// Number of operations that support a quantile of their times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// No operation was slower: the quantile would be the slowest one.
    None,
    /// Fewer than ten operations were slower: another load may show a rather different time.
    Few,
    Enough,
}

/// Number of slower operations from which on a quantile is shown without a mark.
const ENOUGH_SLOWER: f64 = 10.0;

/// Share of failed operations above which response times are meaningless.
const MAX_FAILED_SHARE: f64 = 0.05;

/// Number of points of a curve for each factor of ten by which the share of slower operations
/// shrinks.
const POINTS_PER_DECADE: i32 = 6;

impl LoadFigures {
    pub fn successes(&self) -> u64 {
        total(self.operations.iter().map(|o| o.count))
    }

    pub fn failed(&self) -> u64 {
        total(self.operations.iter().map(OperationFigures::failed))
    }

    /// Returns the share of failed operations, from 0 to 1; 0 if none ended.
    pub fn failed_share(&self) -> f64 {
        let ended = self.failed().saturating_add(self.successes());
        self.failed() as f64 / ended.max(1) as f64
    }

    /// Returns whether so large a share failed that the times of the other operations do not
    /// describe the load.
    pub fn too_many_failed(&self) -> bool {
        self.failed_share() > MAX_FAILED_SHARE
    }
}

impl OperationFigures {
    /// Computes the figures of an operation; `rates` are operations, rows and bytes per second.
    pub(super) fn new(name: &str, tally: &Tally, rates: [f64; 3]) -> OperationFigures {
        let [ops_per_second, rows_per_second, bytes_per_second] = rates;
        let kinds = FailureKind::ALL.into_iter().zip(tally.failures);
        OperationFigures {
            name: name.to_owned(),
            count: tally.successes(),
            ops_per_second,
            rows_per_second,
            bytes_per_second,
            response: Latency::from_histogram(&tally.response),
            service: Latency::from_histogram(&tally.service),
            failures: kinds.filter(|(_, count)| *count > 0).collect(),
            retries: tally.retries,
            not_applied: tally.not_applied,
            curve: curve(tally),
        }
    }

    pub fn failed(&self) -> u64 {
        total(self.failures.iter().map(|(_, count)| *count))
    }

    /// Returns how well the time at this quantile, from 0 to 1, is supported: it depends on the few
    /// operations that were slower.
    pub fn support(&self, quantile: f64) -> Support {
        // Rounded, since 1000 * (1 - 0.99) is a little less than 10.
        match (self.count as f64 * (1.0 - quantile) * 1e6).round() / 1e6 {
            slower if slower >= ENOUGH_SLOWER => Support::Enough,
            slower if slower >= 1.0 => Support::Few,
            _ => Support::None,
        }
    }

    /// Returns the response time at a quantile in seconds: the median below 0.9, the p99 below 0.995, and the p99.9
    /// from there on; `None` if it hangs on the slowest operation alone.
    pub fn supported(&self, quantile: f64) -> Option<f64> {
        let time = self.response_at(quantile);
        time.filter(|_| self.support(quantile) != Support::None)
    }

    /// Returns the same time; `None` unless enough operations were slower for designs to be compared by it.
    pub fn well_supported(&self, quantile: f64) -> Option<f64> {
        let time = self.response_at(quantile);
        time.filter(|_| self.support(quantile) == Support::Enough)
    }

    fn response_at(&self, quantile: f64) -> Option<f64> {
        let response = self.response?;
        Some(if quantile < 0.9 {
            response.p50
        } else if quantile < 0.995 {
            response.p99
        } else {
            response.p999
        })
    }
}

impl CurvePoint {
    fn new(tally: &Tally, quantile: f64) -> CurvePoint {
        CurvePoint {
            quantile,
            response: seconds(tally.response.value_at_quantile(quantile)),
            service: seconds(tally.service.value_at_quantile(quantile)),
        }
    }
}

impl Latency {
    fn from_histogram(histogram: &Histogram<u64>) -> Option<Latency> {
        let at = |quantile| seconds(histogram.value_at_quantile(quantile));
        (!histogram.is_empty()).then(|| Latency {
            mean: histogram.mean() / NANOSECONDS,
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: seconds(histogram.max()),
        })
    }
}

/// Returns the points of a curve at equal steps of the logarithm of the share of slower operations,
/// down to the single slowest one.
fn curve(tally: &Tally) -> Vec<CurvePoint> {
    let count = tally.response.len() as f64;
    if count == 0.0 {
        return Vec::new();
    }
    (0..)
        .map(|n| 10f64.powf(-f64::from(n) / f64::from(POINTS_PER_DECADE)))
        .take_while(|slower| slower * count >= 1.0)
        .map(|slower| 1.0 - slower)
        .chain([1.0])
        .map(|quantile| CurvePoint::new(tally, quantile))
        .collect()
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / NANOSECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_with_the_slowest_operation() {
        let mut tally = Tally::default();
        for n in 1..=1000 {
            tally.record(n * 1_000_000, n * 100_000);
        }
        let figures = OperationFigures::new("read", &tally, [100.0, 100.0, 0.0]);
        assert_eq!(figures.curve.len(), 3 * 6 + 1 + 1);
        assert_eq!(figures.curve[0].quantile, 0.0);
        let last = figures.curve.last().unwrap();
        assert_eq!(last.quantile, 1.0);
        assert_eq!(last.response, figures.response.unwrap().max);
        let response: Vec<f64> = figures.curve.iter().map(|p| p.response).collect();
        assert!(response.is_sorted());
        let median = figures.response.unwrap().p50 / figures.service.unwrap().p50;
        assert!((median - 10.0).abs() < 0.02);
    }

    #[test]
    fn a_quantile_needs_operations_that_were_slower() {
        let of = |count, quantile| {
            let figures = OperationFigures::new("read", &Tally::default(), [0.0; 3]);
            OperationFigures { count, ..figures }.support(quantile)
        };
        let p99 = [99, 100, 999, 1_000].map(|count| of(count, 0.99));
        let expected = [Support::None, Support::Few, Support::Few, Support::Enough];
        assert_eq!(p99, expected);
        let p999 = [999, 1_000, 9_999, 10_000].map(|count| of(count, 0.999));
        assert_eq!(p999, expected);
        assert_eq!(of(0, 0.5), Support::None);
    }

    #[test]
    fn a_time_is_compared_only_if_enough_operations_were_slower() {
        let of = |count: u64| {
            let mut tally = Tally::default();
            for n in 1..=count {
                tally.record(n * 1_000_000, n * 100_000);
            }
            OperationFigures::new("read", &tally, [100.0, 100.0, 0.0])
        };
        let (few, enough) = (of(200), of(1_000));
        for figures in [&few, &enough] {
            let response = figures.response.unwrap();
            assert_eq!(figures.supported(0.5), Some(response.p50));
            assert_eq!(figures.supported(0.99), Some(response.p99));
            assert_eq!(figures.well_supported(0.5), Some(response.p50));
        }
        assert_eq!(few.well_supported(0.99), None);
        let p99 = enough.response.unwrap().p99;
        assert_eq!(enough.well_supported(0.99), Some(p99));
        let p999 = enough.response.unwrap().p999;
        assert_eq!(enough.supported(0.999), Some(p999));
        assert_eq!(
            (few.supported(0.999), enough.well_supported(0.999)),
            (None, None)
        );
    }

    #[test]
    fn without_successes_there_are_no_times() {
        let mut tally = Tally::default();
        tally.failures[0] = 4;
        let figures = OperationFigures::new("read", &tally, [0.0; 3]);
        assert_eq!((figures.response, figures.failed()), (None, 4));
        assert!(figures.curve.is_empty());
    }
}

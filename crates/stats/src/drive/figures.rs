//! The figures of a load.

use hdrhistogram::Histogram;
use serde::Serialize;

use super::{FailureKind, Tally};

const NANOSECONDS: f64 = 1e9;

/// One trial, or several of a design, after the warm-up. `None` is not known.
#[derive(Debug, Clone, Serialize)]
pub struct LoadFigures {
    /// Seconds after the warm-up in which operations became due, without a last one that is no
    /// whole second; rates are of these.
    pub seconds: f64,
    /// Operations that succeeded.
    pub ops_per_second: f64,
    /// In the header's order.
    pub operations: Vec<OperationFigures>,
    /// CPU time of Bakeoff for one operation sent, warm-up included.
    pub client_cpu_micros_per_op: Option<f64>,
    /// CPU time of the server for one operation that ended, also for one that failed.
    pub server_cpu_micros_per_op: Option<f64>,
    /// CPU seconds of the server in a second.
    pub server_cores: Option<f64>,
    /// Bytes from the disk for one operation that ended.
    pub disk_read_per_op: Option<f64>,
    /// Bytes from the disk for one byte of values that was read.
    pub disk_read_per_byte: Option<f64>,
    pub disk_read_per_second: Option<f64>,
    pub disk_written_per_second: Option<f64>,
    /// Share of the time that the server stood still to collect garbage, 0 to 1.
    pub gc_share: Option<f64>,
    /// The most memory that the server had resident.
    pub resident_bytes: Option<u64>,
}

/// One operation. Rates are of what ended while operations became due; successes and times are of
/// all that became due, also of what ended later. Failures, retries and what was not applied are
/// of the whole load, its warm-up included.
#[derive(Debug, Clone, Serialize)]
pub struct OperationFigures {
    pub name: String,
    /// Successes.
    pub count: u64,
    pub ops_per_second: f64,
    pub rows_per_second: f64,
    pub bytes_per_second: f64,
    /// From due to done; `None` if none succeeded.
    pub response: Option<Latency>,
    /// From sent to done.
    pub service: Option<Latency>,
    /// Only kinds that occurred.
    pub failures: Vec<(FailureKind, u64)>,
    pub retries: u64,
    pub not_applied: u64,
    /// Response and service times by share of the operations.
    pub curve: Vec<CurvePoint>,
}

/// Times in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    pub mean: f64,
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
    pub p999: f64,
    pub max: f64,
}

/// The times that this share of the operations did not exceed, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// From 0 to 1.
    pub quantile: f64,
    pub response: f64,
    pub service: f64,
}

/// How many operations a quantile of their times rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Not one operation was slower: it would be the slowest one.
    None,
    /// Fewer than ten were slower: another load may show a rather different time.
    Few,
    Enough,
}

/// Slower operations from which on a quantile is shown without a mark.
const ENOUGH_SLOWER: f64 = 10.0;

/// Of a load of which a larger share failed, response times answer nothing.
const MAX_FAILED_SHARE: f64 = 0.05;

/// Points of a curve for each factor of ten that the share of slower operations shrinks by.
const POINTS_PER_DECADE: i32 = 6;

impl LoadFigures {
    pub fn successes(&self) -> u64 {
        self.operations.iter().map(|o| o.count).sum()
    }

    pub fn failed(&self) -> u64 {
        self.operations.iter().map(OperationFigures::failed).sum()
    }

    /// From 0 to 1; 0 where nothing ended.
    pub fn failed_share(&self) -> f64 {
        let ended = self.failed() + self.successes();
        self.failed() as f64 / ended.max(1) as f64
    }

    /// Whether enough operations failed that the times of the others are not those of the load.
    pub fn too_many_failed(&self) -> bool {
        self.failed_share() > MAX_FAILED_SHARE
    }
}

impl OperationFigures {
    /// `rates` are operations, rows and bytes per second.
    pub(super) fn of(name: &str, tally: &Tally, rates: [f64; 3]) -> OperationFigures {
        let [ops_per_second, rows_per_second, bytes_per_second] = rates;
        let kinds = FailureKind::ALL.into_iter().zip(tally.failures);
        OperationFigures {
            name: name.to_owned(),
            count: tally.successes(),
            ops_per_second,
            rows_per_second,
            bytes_per_second,
            response: Latency::of(&tally.response),
            service: Latency::of(&tally.service),
            failures: kinds.filter(|(_, count)| *count > 0).collect(),
            retries: tally.retries,
            not_applied: tally.not_applied,
            curve: curve(tally),
        }
    }

    pub fn failed(&self) -> u64 {
        self.failures.iter().map(|(_, count)| count).sum()
    }

    /// How much the time of this quantile, from 0 to 1, rests on: it hangs on the few operations
    /// that were slower.
    pub fn support(&self, quantile: f64) -> Support {
        // Rounded, since 1000 * (1 - 0.99) is a little less than 10.
        match (self.count as f64 * (1.0 - quantile) * 1e6).round() / 1e6 {
            slower if slower >= ENOUGH_SLOWER => Support::Enough,
            slower if slower >= 1.0 => Support::Few,
            _ => Support::None,
        }
    }
}

impl Latency {
    fn of(histogram: &Histogram<u64>) -> Option<Latency> {
        let at = |quantile| seconds(histogram.value_at_quantile(quantile));
        (!histogram.is_empty()).then(|| Latency {
            mean: histogram.mean() / NANOSECONDS,
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            max: seconds(histogram.max()),
        })
    }
}

/// Equal steps of the logarithm of the share of slower operations, down to the single slowest one.
fn curve(tally: &Tally) -> Vec<CurvePoint> {
    let count = tally.response.len() as f64;
    let point = |quantile: f64| CurvePoint {
        quantile,
        response: seconds(tally.response.value_at_quantile(quantile)),
        service: seconds(tally.service.value_at_quantile(quantile)),
    };
    if count == 0.0 {
        return Vec::new();
    }
    let slower = (0..).map(|n| 10f64.powf(-f64::from(n) / f64::from(POINTS_PER_DECADE)));
    let slower = slower.take_while(|slower| slower * count >= 1.0);
    slower
        .map(|slower| point(1.0 - slower))
        .chain([point(1.0)])
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
        let figures = OperationFigures::of("read", &tally, [100.0, 100.0, 0.0]);
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
            let figures = OperationFigures::of("read", &Tally::default(), [0.0; 3]);
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
    fn without_successes_there_are_no_times() {
        let mut tally = Tally::default();
        tally.failures[0] = 4;
        let figures = OperationFigures::of("read", &tally, [0.0; 3]);
        assert_eq!((figures.response, figures.failed()), (None, 4));
        assert!(figures.curve.is_empty());
    }
}

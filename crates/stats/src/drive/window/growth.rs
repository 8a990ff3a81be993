//! Growth of the counters of a server over a span of time.

use std::ops::{AddAssign, Range};

use crate::counts::{add, total};
use crate::drive::figures::NodeRequests;
use crate::drive::{CacheCounts, DriveHeader, SecondCounts, ServerSample};
use crate::server_growth::server_growth;

/// Growth of a counter of the server, and the operations during that time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Growth {
    amount: f64,
    seconds: f64,
    pub operations: u64,
    /// Bytes of values that were read.
    bytes_returned: u64,
}

/// Growth of the requests to a cache of the server, and of those that it answered.
#[derive(Debug, Clone, Copy, Default)]
pub struct CacheUse {
    hits: f64,
    requests: f64,
}

/// Requests to a node for the tables of a load, and the highest of its own recent p99 of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Requests {
    count: Growth,
    p99_micros: Option<f64>,
}

impl AddAssign for Growth {
    fn add_assign(&mut self, other: Growth) {
        let Growth {
            amount,
            seconds,
            operations,
            bytes_returned,
        } = other;
        self.amount += amount;
        self.seconds += seconds;
        add(&mut self.operations, operations);
        add(&mut self.bytes_returned, bytes_returned);
    }
}

impl AddAssign for CacheUse {
    fn add_assign(&mut self, other: CacheUse) {
        let CacheUse { hits, requests } = other;
        self.hits += hits;
        self.requests += requests;
    }
}

impl CacheUse {
    /// Computes the use of a cache in these seconds. Of several nodes a restart may show in one of the two counters
    /// only; then neither of them counts.
    pub fn between(
        counts: &[SecondCounts],
        seconds: Range<u32>,
        cache: fn(&ServerSample) -> Option<CacheCounts>,
    ) -> CacheUse {
        let (_, samples) = with_the_one_before(counts, seconds);
        let hits = server_growth(&samples, |s| Some(cache(s)?.hits as f64));
        let requests = server_growth(&samples, |s| Some(cache(s)?.requests as f64));
        let mut used = CacheUse::default();
        for (hits, requests) in hits.iter().zip(&requests) {
            if let Some((hits, requests)) = hits.amount.zip(requests.amount) {
                used += CacheUse { hits, requests };
            }
        }
        used
    }

    /// Returns the share of the requests that the cache answered; `None` without requests.
    pub fn share(&self) -> Option<f64> {
        (self.requests > 0.0).then(|| self.hits / self.requests)
    }
}

impl Growth {
    pub fn per_operation(amount: f64, operations: u64) -> Growth {
        Growth {
            amount,
            operations,
            ..Growth::default()
        }
    }

    /// Computes the growth from the sample before the first of these seconds, if there is one, to
    /// the last sample.
    pub fn between(
        header: &DriveHeader,
        counts: &[SecondCounts],
        seconds: Range<u32>,
        value: fn(&ServerSample) -> Option<f64>,
    ) -> Growth {
        let (counts, samples) = with_the_one_before(counts, seconds);
        let mut grown = Growth::default();
        for span in server_growth(&samples, value) {
            // What was done while the growth is not known is left out with it.
            let Some(amount) = span.amount else { continue };
            let (from, to) = (counts[span.from].second, counts[span.to].second);
            grown += Growth {
                amount,
                seconds: f64::from(to.saturating_sub(from)),
                ..Growth::of_operations(header, &counts[span.from + 1..=span.to])
            };
        }
        grown
    }

    /// Counts the operations of some seconds, and the bytes that they read.
    fn of_operations(header: &DriveHeader, seconds: &[&SecondCounts]) -> Growth {
        let mut done = Growth::default();
        for second in seconds {
            add(&mut done.operations, second.successes());
            add(&mut done.operations, second.failed());
            let read = header.operations.iter().zip(&second.operations);
            let read = read
                .filter(|(info, _)| !info.writes)
                .map(|(_, counts)| counts.bytes);
            add(&mut done.bytes_returned, total(read));
        }
        done
    }

    pub fn by_operation(&self) -> Option<f64> {
        (self.operations > 0).then(|| self.amount / self.operations as f64)
    }

    pub fn by_second(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.amount / self.seconds)
    }

    /// Divides the growth by that of other counters together; `None` if these did not grow.
    pub fn by_growth_of(&self, others: [Growth; 2]) -> Option<f64> {
        let units: f64 = others.iter().map(|other| other.amount).sum();
        (self.seconds > 0.0 && units > 0.0).then(|| self.amount / units)
    }

    pub fn by_byte(&self) -> Option<f64> {
        let known = self.seconds > 0.0 && self.bytes_returned > 0;
        known.then(|| self.amount / self.bytes_returned as f64)
    }
}

impl AddAssign for Requests {
    fn add_assign(&mut self, other: Requests) {
        let Requests { count, p99_micros } = other;
        self.count += count;
        let known = [self.p99_micros, p99_micros].into_iter().flatten();
        self.p99_micros = known.max_by(f64::total_cmp);
    }
}

impl Requests {
    /// Computes how the number of requests grew in these seconds, and the highest p99 of them.
    pub fn between(
        header: &DriveHeader,
        counts: &[SecondCounts],
        seconds: Range<u32>,
        count: fn(&ServerSample) -> Option<f64>,
        p99_micros: fn(&ServerSample) -> Option<f64>,
    ) -> Requests {
        let in_time = counts.iter().filter(|c| seconds.contains(&c.second));
        let known = in_time.filter_map(|c| p99_micros(&c.server));
        Requests {
            p99_micros: known.max_by(f64::total_cmp),
            count: Growth::between(header, counts, seconds, count),
        }
    }

    pub fn figures(&self) -> NodeRequests {
        NodeRequests {
            per_second: self.count.by_second(),
            p99_micros: self.p99_micros,
        }
    }
}

/// Returns the counts of these seconds and of the one before, with their samples of the server.
fn with_the_one_before(
    counts: &[SecondCounts],
    seconds: Range<u32>,
) -> (Vec<&SecondCounts>, Vec<&ServerSample>) {
    let first = seconds.start.saturating_sub(1);
    let is_counted = |c: &&SecondCounts| (first..seconds.end).contains(&c.second);
    let counts: Vec<&SecondCounts> = counts.iter().filter(is_counted).collect();
    let samples = counts.iter().map(|c| &c.server).collect();
    (counts, samples)
}

//! Growth of the counters of a server over a span of time.

use std::ops::{AddAssign, Range};

use crate::counts::{add, total};
use crate::drive::figures::NodeRequests;
use crate::drive::{DriveHeader, SecondCounts, ServerSample};

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
    pub hits: Growth,
    pub requests: Growth,
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
    /// Returns the share of the requests that the cache answered; `None` without requests.
    pub fn share(&self) -> Option<f64> {
        (self.requests.amount > 0.0).then(|| self.hits.amount / self.requests.amount)
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
        let mut grown = Growth::default();
        let mut before: Option<(u32, f64)> = None;
        // Operations and bytes since the sample before.
        let (mut operations, mut bytes_returned) = (0, 0);
        let first = seconds.start.saturating_sub(1);
        for second in counts
            .iter()
            .filter(|c| (first..seconds.end).contains(&c.second))
        {
            add(&mut operations, second.successes());
            add(&mut operations, second.failed());
            let read = header.operations.iter().zip(&second.operations);
            let read = read
                .filter(|(info, _)| !info.writes)
                .map(|(_, counts)| counts.bytes);
            add(&mut bytes_returned, total(read));
            let Some(now) = value(&second.server) else {
                continue;
            };
            if let Some((at, then)) = before {
                grown += Growth {
                    // A server that was restarted counts from zero.
                    amount: if now < then { now } else { now - then },
                    seconds: f64::from(second.second.saturating_sub(at)),
                    operations,
                    bytes_returned,
                };
            }
            before = Some((second.second, now));
            (operations, bytes_returned) = (0, 0);
        }
        grown
    }

    pub fn by_operation(&self) -> Option<f64> {
        (self.operations > 0).then(|| self.amount / self.operations as f64)
    }

    pub fn by_second(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.amount / self.seconds)
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

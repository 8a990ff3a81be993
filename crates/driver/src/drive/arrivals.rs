//! The due times of one worker's share of a schedule.

use std::time::Duration;

use bakeoff_workload::Stream;

use super::schedule::{Rate, Schedule};

/// Share of the operations that one worker performs: that of thread `thread` of `threads` in shard
/// `shard` of `shards`, all counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub thread: u64,
    pub threads: u64,
    pub shard: u64,
    pub shards: u64,
}

impl Share {
    /// Returns the number, over all threads and shards, of this worker's operation (or new row) `count`.
    pub fn number(&self, count: u64) -> u64 {
        (count * self.threads + self.thread) * self.shards + self.shard
    }

    /// Returns the distance between two successive numbers of one worker.
    pub fn stride(&self) -> u64 {
        self.threads * self.shards
    }
}

/// Due times of one worker's operations in order, in nanoseconds from the start of the load.
#[derive(Debug)]
pub struct Arrivals {
    kind: Kind,
    share: Share,
    /// Due time of the next operation; `None` after the last one.
    next: Option<u64>,
    /// Length of the load in nanoseconds.
    duration: u64,
}

#[derive(Debug)]
enum Kind {
    Even(Even),
    Poisson {
        stream: Stream,
        /// Mean distance of this worker's operations, in nanoseconds.
        mean_gap: f64,
        /// Exact due time of the next operation, in nanoseconds.
        at: f64,
    },
    Ramp {
        /// Operations per second at the start.
        from: f64,
        /// Growth of the rate, in operations per second each second.
        growth: f64,
        /// Number of the next operation, over all threads and shards.
        number: u64,
    },
}

/// Number of operations that are counted one by one, before the rest is estimated.
const COUNTED_SINGLY: u64 = 1_000_000;

impl Arrivals {
    /// Computes the due times of a worker. Returns `None` where nothing is due by the clock, as in a closed
    /// loop. Random times are a pure function of `keys`, a seed and the number of the load.
    pub fn new(
        schedule: &Schedule,
        duration: Duration,
        share: Share,
        keys: [u64; 2],
    ) -> Option<Self> {
        let nanoseconds = duration.as_nanos() as u64;
        let kind = match schedule {
            Schedule::ClosedLoop | Schedule::Operations { .. } | Schedule::Pass(_) => return None,
            Schedule::Constant { rate } => Kind::Even(Even::new(&[*rate], nanoseconds, share)),
            Schedule::Steps { rates } => Kind::Even(Even::new(rates, nanoseconds, share)),
            Schedule::Poisson { rate } => Kind::Poisson {
                // The processes of all workers together are one Poisson process.
                stream: Stream::new(&[keys[0], keys[1], share.shard, share.thread]),
                mean_gap: 1e9 * share.stride() as f64 / rate.per_second(),
                at: 0.0,
            },
            Schedule::Ramp { from, to } => {
                let from = from.map_or(0.0, Rate::per_second);
                let to = to.map_or(0.0, Rate::per_second);
                Kind::Ramp {
                    from,
                    growth: (to - from) / duration.as_secs_f64(),
                    number: share.number(0),
                }
            }
        };
        let mut arrivals = Arrivals {
            kind,
            share,
            next: None,
            duration: nanoseconds,
        };
        arrivals.next = match &mut arrivals.kind {
            Kind::Even(even) => even.due(),
            Kind::Ramp { .. } => arrivals.on_ramp(),
            Kind::Poisson { .. } => {
                arrivals.advance();
                arrivals.next
            }
        };
        Some(arrivals)
    }

    /// Returns when the next operation is due; `None` after the last one.
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// Advances to the following operation.
    pub fn advance(&mut self) {
        self.next = match &mut self.kind {
            Kind::Even(even) => {
                even.advance();
                even.due()
            }
            Kind::Poisson {
                stream,
                mean_gap,
                at,
            } => {
                // Inverse of the exponential distribution's cumulative function; the argument of
                // the logarithm is above 0.
                *at -= *mean_gap * (1.0 - stream.unit()).ln();
                Some(*at as u64).filter(|due| *due < self.duration)
            }
            Kind::Ramp { number, .. } => {
                *number += self.share.stride();
                self.on_ramp()
            }
        };
    }

    /// Returns the due time of an operation on a ramp. Operation n is due when the area below the rate is
    /// n, so `from t + growth t^2 / 2 = n` is solved for t, in the form that cancels no digits.
    fn on_ramp(&self) -> Option<u64> {
        let Kind::Ramp {
            from,
            growth,
            number,
        } = &self.kind
        else {
            return None;
        };
        let n = *number as f64;
        let root = (from * from + 2.0 * growth * n).sqrt();
        let seconds = if n == 0.0 {
            0.0
        } else {
            2.0 * n / (from + root)
        };
        // A falling ramp has no root (not a number) for operations after its end.
        (seconds * 1e9 < self.duration as f64).then_some((seconds * 1e9) as u64)
    }

    /// Counts the operations from the next one on that are due before this moment. After the first
    /// [`COUNTED_SINGLY`], the rest is estimated from their mean distance.
    pub fn count_until(mut self, moment: u64) -> u64 {
        let Some(first) = self.next else { return 0 };
        let mut count = 0;
        while let Some(due) = self.next.filter(|due| *due < moment) {
            if count == COUNTED_SINGLY {
                let left = moment.min(self.duration).saturating_sub(due);
                let gap = (due - first) as f64 / count as f64;
                return count + (left as f64 / gap.max(1e-9)).round() as u64;
            }
            count += 1;
            self.advance();
        }
        count
    }
}

/// Due times at equal distances, in one or several steps: operation i of a step is due i / rate after
/// the step began, rounded down to the nanosecond. The due time is kept as a quotient and a remainder,
/// so that it stays exact after any number of operations without a division for each.
#[derive(Debug)]
struct Even {
    steps: Vec<Step>,
    /// Index of the step that `number` is in.
    step: usize,
    /// Number of the next operation, over all threads and shards.
    number: u64,
    stride: u64,
    /// Due time of the next operation, in nanoseconds.
    due: u64,
    remainder: u64,
    /// Amount that one stride adds to `due` in this step.
    gap: u64,
    /// Amount that one stride adds to `remainder` in this step.
    gap_remainder: u64,
}

#[derive(Debug)]
struct Step {
    /// Start of the step, in nanoseconds.
    start: u64,
    rate: Rate,
    /// Number of the first operation, over all threads and shards.
    first: u64,
    /// Number after that of the last operation.
    end: u64,
}

/// Nanoseconds in a million seconds, to be divided by a rate in operations per million seconds.
const MILLION_SECONDS: u128 = 1_000_000_000_000_000;

impl Even {
    fn new(rates: &[Rate], duration: u64, share: Share) -> Self {
        let mut steps: Vec<Step> = Vec::with_capacity(rates.len());
        for (i, rate) in rates.iter().enumerate() {
            let start = step_boundary(i, rates.len(), duration);
            let end = step_boundary(i + 1, rates.len(), duration);
            let area = u128::from(end - start) * u128::from(rate.per_million_seconds());
            let operations = area.div_ceil(MILLION_SECONDS) as u64;
            let first = steps.last().map_or(0, |step| step.end);
            steps.push(Step {
                start,
                rate: *rate,
                first,
                end: first + operations,
            });
        }
        let mut even = Even {
            steps,
            step: 0,
            number: share.number(0),
            stride: share.stride(),
            due: 0,
            remainder: 0,
            gap: 0,
            gap_remainder: 0,
        };
        even.enter_step();
        even
    }

    fn due(&self) -> Option<u64> {
        (self.step < self.steps.len()).then_some(self.due)
    }

    fn advance(&mut self) {
        let Some(step) = self.steps.get(self.step) else {
            return;
        };
        self.number += self.stride;
        if self.number >= step.end {
            self.enter_step();
            return;
        }
        let divisor = step.rate.per_million_seconds();
        self.due = self.due.saturating_add(self.gap);
        self.remainder += self.gap_remainder;
        if self.remainder >= divisor {
            self.remainder -= divisor;
            self.due += 1;
        }
    }

    /// Finds the step of `number`, and recomputes the due time and the distances.
    fn enter_step(&mut self) {
        while let Some(step) = self.steps.get(self.step) {
            if self.number < step.end {
                let divisor = u128::from(step.rate.per_million_seconds());
                let at = u128::from(self.number - step.first) * MILLION_SECONDS;
                let gap = u128::from(self.stride) * MILLION_SECONDS;
                self.due = step.start + (at / divisor) as u64;
                self.remainder = (at % divisor) as u64;
                self.gap = u64::try_from(gap / divisor).unwrap_or(u64::MAX);
                self.gap_remainder = (gap % divisor) as u64;
                return;
            }
            self.step += 1;
        }
    }
}

/// Returns the start of a step, or the end of the one before it, in nanoseconds.
fn step_boundary(step: usize, steps: usize, duration: u64) -> u64 {
    // The product does not fit into 64 bits for long loads.
    (u128::from(duration) * step as u128 / steps as u128) as u64
}

#[cfg(test)]
mod tests;

//! Counts of one or several trials: rates and times after the warm-up, failures of all of it.

use std::ops::{AddAssign, Range};

use super::figures::{LoadFigures, OperationFigures};
use super::{DriveHeader, SecondCounts, ServerSample, Tally, TrialEnd};
use crate::counts::{add, total};

/// Sums over a span of time, so that trials can be joined with `+=` before anything is divided.
#[derive(Debug, Clone)]
pub struct Window {
    /// Whole seconds in which operations became due, which rates refer to.
    seconds: f64,
    operations: Vec<OperationWindow>,
    /// CPU seconds of the client and operations sent, warm-up included.
    client_cpu: Growth,
    server_cpu: Growth,
    disk_read: Growth,
    disk_written: Growth,
    gc: Growth,
    row_cache_requests: Growth,
    row_cache_hits: Growth,
    resident_bytes: Option<u64>,
}

#[derive(Debug, Clone, Default)]
struct OperationWindow {
    /// Times of all operations that became due after the warm-up, even if they ended late;
    /// failures, retries and unapplied writes of all operations.
    tally: Tally,
    /// Successes that ended in time, which rates are made of, as well as their rows and bytes.
    successes: u64,
    rows: u64,
    bytes: u64,
}

/// Growth of a counter of the server, and the operations during that time.
#[derive(Debug, Clone, Copy, Default)]
struct Growth {
    amount: f64,
    seconds: f64,
    operations: u64,
    /// Bytes of values that were read.
    bytes_returned: u64,
}

impl Window {
    /// Sums up the counts from second `from` on; operations became due until `end`, in seconds.
    pub fn new(
        header: &DriveHeader,
        counts: &[SecondCounts],
        from: u32,
        end: f64,
        trial_end: Option<&TrialEnd>,
    ) -> Window {
        // An incomplete last second also holds operations that were in flight at the end.
        let (whole, seconds) = match end.floor() as u32 {
            last if last > from => (from..last, f64::from(last - from)),
            _ => (from..end.ceil() as u32, end - f64::from(from)),
        };
        let grown = |value: fn(&ServerSample) -> Option<f64>| {
            Growth::between(header, counts, whole.clone(), value)
        };
        let mut server_cpu = grown(|s| s.cpu_seconds);
        let mut client_cpu = Growth::default();
        if let Some(end) = trial_end {
            client_cpu = Growth::per_operation(end.cpu.client, end.sent);
            if server_cpu.operations == 0 {
                let seconds = end.cpu.server;
                server_cpu = seconds.map_or(server_cpu, |s| Growth::per_operation(s, end.sent));
            }
        }
        let mut window = Window {
            seconds,
            operations: vec![OperationWindow::default(); header.operations.len()],
            client_cpu,
            server_cpu,
            disk_read: grown(|s| s.disk_read_bytes.map(|b| b as f64)),
            disk_written: grown(|s| s.disk_written_bytes.map(|b| b as f64)),
            gc: grown(|s| s.gc_seconds),
            row_cache_requests: grown(|s| s.row_cache_requests.map(|n| n as f64)),
            row_cache_hits: grown(|s| s.row_cache_hits.map(|n| n as f64)),
            resident_bytes: counts.iter().filter_map(|c| c.server.resident_bytes).max(),
        };
        for second in counts {
            window.take(second, whole.contains(&second.second));
        }
        window
    }

    fn take(&mut self, second: &SecondCounts, in_time: bool) {
        for (window, counts) in self.operations.iter_mut().zip(&second.operations) {
            counts.add_to(&mut window.tally);
            if in_time {
                add(&mut window.successes, counts.successes);
                add(&mut window.rows, counts.rows);
                add(&mut window.bytes, counts.bytes);
            }
        }
    }

    /// Adds histograms to the counts, which hold everything else.
    pub fn add_times(&mut self, tallies: &[Tally]) {
        for (window, tally) in self.operations.iter_mut().zip(tallies) {
            window.tally += tally;
        }
    }

    pub fn figures(&self, header: &DriveHeader) -> LoadFigures {
        let per_second = |n: u64| {
            if self.seconds > 0.0 {
                n as f64 / self.seconds
            } else {
                0.0
            }
        };
        let operation = |(info, window): (&super::OperationInfo, &OperationWindow)| {
            OperationFigures::new(
                &info.name,
                &window.tally,
                [window.successes, window.rows, window.bytes].map(per_second),
            )
        };
        LoadFigures {
            seconds: self.seconds,
            ops_per_second: per_second(total(self.operations.iter().map(|o| o.successes))),
            operations: header
                .operations
                .iter()
                .zip(&self.operations)
                .map(operation)
                .collect(),
            client_cpu_micros_per_op: self.client_cpu.by_operation().map(|s| s * 1e6),
            server_cpu_micros_per_op: self.server_cpu.by_operation().map(|s| s * 1e6),
            server_cores: self.server_cpu.by_second(),
            disk_read_per_op: self.disk_read.by_operation(),
            disk_read_per_byte: self.disk_read.by_byte(),
            disk_read_per_second: self.disk_read.by_second(),
            disk_written_per_second: self.disk_written.by_second(),
            gc_share: self.gc.by_second(),
            row_cache_hit_share: self.row_cache_hits.share_of(&self.row_cache_requests),
            resident_bytes: self.resident_bytes,
        }
    }
}

impl AddAssign<&Window> for Window {
    fn add_assign(&mut self, other: &Window) {
        let Window {
            seconds,
            operations,
            client_cpu,
            server_cpu,
            disk_read,
            disk_written,
            gc,
            row_cache_requests,
            row_cache_hits,
            resident_bytes,
        } = other;
        self.seconds += seconds;
        for (mine, theirs) in self.operations.iter_mut().zip(operations) {
            *mine += theirs;
        }
        self.client_cpu += *client_cpu;
        self.server_cpu += *server_cpu;
        self.disk_read += *disk_read;
        self.disk_written += *disk_written;
        self.gc += *gc;
        self.row_cache_requests += *row_cache_requests;
        self.row_cache_hits += *row_cache_hits;
        self.resident_bytes = self.resident_bytes.max(*resident_bytes);
    }
}

impl AddAssign<&OperationWindow> for OperationWindow {
    fn add_assign(&mut self, other: &OperationWindow) {
        let OperationWindow {
            tally,
            successes,
            rows,
            bytes,
        } = other;
        self.tally += tally;
        add(&mut self.successes, *successes);
        add(&mut self.rows, *rows);
        add(&mut self.bytes, *bytes);
    }
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

impl Growth {
    fn per_operation(amount: f64, operations: u64) -> Growth {
        Growth {
            amount,
            operations,
            ..Growth::default()
        }
    }

    /// Computes the growth from the sample before the first of these seconds, if there is one, to
    /// the last sample.
    fn between(
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

    fn by_operation(&self) -> Option<f64> {
        (self.operations > 0).then(|| self.amount / self.operations as f64)
    }

    fn by_second(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.amount / self.seconds)
    }

    /// Returns the amount as a share of another one, of which it is a part.
    fn share_of(&self, whole: &Growth) -> Option<f64> {
        (whole.amount > 0.0).then(|| self.amount / whole.amount)
    }

    fn by_byte(&self) -> Option<f64> {
        let known = self.seconds > 0.0 && self.bytes_returned > 0;
        known.then(|| self.amount / self.bytes_returned as f64)
    }
}

#[cfg(test)]
mod tests;

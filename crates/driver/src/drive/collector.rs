//! Joins the measurements of all workers, second by second.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use bakeoff_stats::ServerSample;

use super::recorder::{Report, Slice, Totals};
use super::{DriveObserver, Second};

/// Results of a load so far.
pub struct Collector<'a> {
    observer: &'a mut dyn DriveObserver,
    /// Number of operations of the mix.
    operations: usize,
    /// First second of each thread that is not over yet; `u32::MAX` once the thread has ended.
    over_before: Vec<u32>,
    /// Whether each thread is ready to begin.
    ready: Vec<bool>,
    /// Times that workers took to connect, in the order in which they were ready.
    pub connecting: Vec<Duration>,
    seconds: BTreeMap<u32, Slice>,
    /// State of the server at the end of each second.
    samples: BTreeMap<u32, ServerSample>,
    /// The next second to be shown.
    next: u32,
    pub totals: Totals,
    pub worker_failures: Vec<String>,
    /// Number of seconds in which operations were sent late since too many were in flight.
    pub limited_seconds: u32,
}

impl<'a> Collector<'a> {
    /// Makes a collector for this number of operations and threads.
    pub fn new(observer: &'a mut dyn DriveObserver, operations: usize, threads: u32) -> Self {
        Collector {
            observer,
            operations,
            over_before: vec![0; threads as usize],
            ready: vec![false; threads as usize],
            connecting: Vec::new(),
            seconds: BTreeMap::new(),
            samples: BTreeMap::new(),
            next: 0,
            totals: Totals::new(),
            worker_failures: Vec::new(),
            limited_seconds: 0,
        }
    }

    /// Reports the start of the load to the observer.
    pub fn started(&mut self, at: SystemTime) {
        self.observer.started(at);
    }

    /// Takes a report of a worker.
    pub fn take(&mut self, report: Report) {
        match report {
            Report::Ready { thread, connecting } => {
                self.ready[thread as usize] = true;
                self.connecting.push(connecting);
            }
            Report::Slice { thread, slice } => {
                self.over_before[thread as usize] = slice.second + 1;
                self.join(slice);
            }
            Report::Ended {
                thread,
                totals,
                error,
            } => {
                self.over_before[thread as usize] = u32::MAX;
                self.totals.add(*totals);
                if let Some(error) = error {
                    let failure = format!("worker thread {}: {error}", thread + 1);
                    self.worker_failures.push(failure);
                }
            }
        }
    }

    /// Records that the workers that have not ended yet failed for this reason.
    pub fn give_up(&mut self, reason: &str) {
        for thread in 0..self.over_before.len() {
            if self.over_before[thread] != u32::MAX {
                self.over_before[thread] = u32::MAX;
                let failure = format!("worker thread {}: {reason}", thread + 1);
                self.worker_failures.push(failure);
            }
        }
    }

    fn join(&mut self, slice: Slice) {
        if slice.is_empty() {
            return;
        }
        match self.seconds.get_mut(&slice.second) {
            None => {
                self.seconds.insert(slice.second, slice);
            }
            Some(joined) => {
                joined.queued += slice.queued;
                for (mine, theirs) in joined.operations.iter_mut().zip(&slice.operations) {
                    *mine += theirs;
                }
            }
        }
    }

    /// Takes the state of the server at the end of a second.
    pub fn take_sample(&mut self, second: u32, sample: ServerSample) {
        self.samples.insert(second, sample);
    }

    /// Returns whether each worker is ready, or has ended already.
    pub fn all_are_ready(&self) -> bool {
        let threads = self.ready.iter().zip(&self.over_before);
        threads
            .into_iter()
            .all(|(ready, over)| *ready || *over == u32::MAX)
    }

    /// Returns whether each worker has ended.
    pub fn all_have_ended(&self) -> bool {
        self.over_before.iter().all(|second| *second == u32::MAX)
    }

    /// Shows the seconds that are over for all workers. From second `patience` on, a second is only shown
    /// once the server has been sampled at its end or later.
    pub fn show(&mut self, patience: u32) {
        let over = self.over_before.iter().min().copied().unwrap_or(0);
        while self.next < over && over != u32::MAX {
            let sampled = self.samples.range(self.next..).next().is_some();
            if !sampled && self.next >= patience {
                return;
            }
            self.show_next();
        }
    }

    /// Shows the remaining seconds, so that at least `seconds` have been shown in all.
    pub fn show_rest(&mut self, seconds: u32) {
        let last = self
            .seconds
            .last_key_value()
            .map_or(0, |(last, _)| last + 1);
        while self.next < last.max(seconds) {
            self.show_next();
        }
    }

    fn show_next(&mut self) {
        let slice = self.seconds.remove(&self.next);
        let slice = slice.unwrap_or_else(|| Slice::new(self.operations));
        self.limited_seconds += u32::from(slice.queued > 0);
        let server = self.samples.remove(&self.next).unwrap_or_default();
        self.observer.second(Second {
            second: self.next,
            operations: slice.operations,
            queued: slice.queued,
            server,
        });
        self.next += 1;
    }
}

#[cfg(test)]
mod tests;

//! What one worker measured, second by second.

use std::collections::VecDeque;

use bakeoff_stats::{FailureKind, Tally};
use hdrhistogram::Histogram;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use super::{Done, Failure, NewRows};

/// Messages that are kept of each kind of failure.
pub const MESSAGES_PER_KIND: usize = 5;

const SECOND: u64 = 1_000_000_000;

/// Operations that ended in one second of the load, by one worker or by all.
#[derive(Debug, Default)]
pub struct Slice {
    pub second: u32,
    /// In the order of `Mix::operations`.
    pub operations: Vec<Tally>,
    /// Operations that were sent late since the limit of operations in flight was reached when they
    /// were due.
    pub queued: u64,
}

impl Slice {
    pub fn new(operations: usize) -> Self {
        Slice {
            second: 0,
            operations: (0..operations).map(|_| Tally::default()).collect(),
            queued: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        let empty = |tally: &Tally| tally.successes() == 0 && tally.failed() == 0;
        self.queued == 0 && self.operations.iter().all(empty)
    }
}

/// What a worker tells the collector.
#[derive(Debug)]
pub enum Report {
    /// Its session is ready.
    Ready { thread: u32 },
    /// What ended in one second, when that second and all before it are over for this worker.
    Slice { thread: u32, slice: Slice },
    /// It ended, after all its slices; with the reason where that is not the end of the load.
    Ended {
        thread: u32,
        totals: Box<Totals>,
        error: Option<String>,
    },
}

/// One operation that ended. Times are those of the load's clock.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    pub operation: usize,
    pub due: u64,
    pub sent: u64,
    pub done: u64,
    pub retries: u32,
    /// It was due when all slots had an operation under way.
    pub queued: bool,
}

/// What a worker counted over the whole load.
#[derive(Debug)]
pub struct Totals {
    /// Operations that were due.
    pub scheduled: u64,
    pub sent: u64,
    /// Sent before the end of the load.
    pub sent_in_time: u64,
    /// Due and never sent.
    pub unsent: u64,
    /// Due when all slots had an operation under way, so that they were sent late or never.
    pub queued: u64,
    /// From due to sent, in nanoseconds, of operations of an open loop that had a free slot: the
    /// lateness of the driver itself.
    pub lateness: Histogram<u64>,
    /// The first messages of each kind of failure.
    pub failures: Vec<Failure>,
    /// Of each worker that came to its end, with its thread.
    pub new_rows: Vec<(u32, NewRows)>,
}

impl Totals {
    pub fn new() -> Self {
        Totals {
            scheduled: 0,
            sent: 0,
            sent_in_time: 0,
            unsent: 0,
            queued: 0,
            lateness: Histogram::new_with_bounds(1, 3_600 * SECOND, 2)
                .unwrap_or_else(|_| unreachable!("bounds of a histogram are constants")),
            failures: Vec::new(),
            new_rows: Vec::new(),
        }
    }

    pub fn add(&mut self, other: Totals) {
        let Totals {
            scheduled,
            sent,
            sent_in_time,
            unsent,
            queued,
            lateness,
            failures,
            new_rows,
        } = other;
        self.scheduled += scheduled;
        self.sent += sent;
        self.sent_in_time += sent_in_time;
        self.unsent += unsent;
        self.queued += queued;
        self.lateness += lateness;
        for failure in failures {
            self.keep(failure);
        }
        self.new_rows.extend(new_rows);
    }

    /// Of all threads, in their order.
    pub fn take_new_rows(&mut self) -> Vec<NewRows> {
        let mut new_rows = std::mem::take(&mut self.new_rows);
        new_rows.sort_by_key(|(thread, _)| *thread);
        new_rows.into_iter().map(|(_, rows)| rows).collect()
    }

    /// Keeps a message if there are not enough of its kind yet.
    pub fn keep(&mut self, failure: Failure) {
        if self.kept(failure.kind) < MESSAGES_PER_KIND {
            self.failures.push(failure);
        }
    }

    fn kept(&self, kind: FailureKind) -> usize {
        self.failures.iter().filter(|f| f.kind == kind).count()
    }
}

/// Records what one worker's operations did, and hands each second to the collector without ever
/// waiting for it.
///
/// While the collector is behind, finished seconds are kept here, one [`Slice`] for each second in
/// which something ended; nothing is thrown away.
pub struct Recorder {
    thread: u32,
    start: u64,
    current: Slice,
    /// When the current second ends, on the load's clock.
    current_ends: u64,
    /// Seconds that are over and not handed over yet, oldest first.
    finished: VecDeque<Slice>,
    collector: Sender<Report>,
    pub totals: Totals,
}

impl Recorder {
    pub fn new(thread: u32, operations: usize, collector: Sender<Report>) -> Self {
        Recorder {
            thread,
            start: 0,
            current: Slice::new(operations),
            current_ends: u64::MAX,
            finished: VecDeque::new(),
            collector,
            totals: Totals::new(),
        }
    }

    pub fn collector(&self) -> Sender<Report> {
        self.collector.clone()
    }

    /// The load begins at this moment of its clock.
    pub fn begin(&mut self, start: u64) {
        self.start = start;
        self.current_ends = start + SECOND;
    }

    /// Records one operation in the second in which it ended. Moments of ending never go back.
    pub fn record(&mut self, ended: &Ended, result: Result<Done, Failure>) {
        if ended.done >= self.current_ends {
            self.begin_second_of(ended.done);
        }
        self.current.queued += u64::from(ended.queued);
        self.totals.queued += u64::from(ended.queued);
        let tally = &mut self.current.operations[ended.operation];
        tally.retries += u64::from(ended.retries);
        match result {
            Ok(done) => {
                tally.record(ended.done - ended.due, ended.done - ended.sent);
                tally.rows += done.rows;
                tally.bytes += done.bytes;
                tally.not_applied += u64::from(done.not_applied);
            }
            Err(failure) => {
                tally.failures[failure.kind as usize] += 1;
                self.totals.keep(failure);
            }
        }
    }

    /// Hands over all seconds that are over at this moment.
    pub fn tick(&mut self, now: u64) {
        if now >= self.current_ends {
            self.begin_second_of(now);
        }
    }

    /// When [`Recorder::tick`] is to be called next.
    pub fn next_tick(&self) -> u64 {
        self.current_ends
    }

    #[cold]
    fn begin_second_of(&mut self, now: u64) {
        let second = ((now - self.start) / SECOND) as u32;
        // The slice of the last second before this one says that all of them are over.
        if self.current.is_empty() {
            self.current.second = second - 1;
            self.keep_current();
        } else {
            let last = self.current.second;
            self.keep_current();
            if last + 1 < second {
                self.current.second = second - 1;
                self.keep_current();
            }
        }
        self.current.second = second;
        self.current_ends = self.start + (u64::from(second) + 1) * SECOND;
        self.hand_over();
    }

    fn keep_current(&mut self) {
        let next = Slice::new(self.current.operations.len());
        self.finished
            .push_back(std::mem::replace(&mut self.current, next));
    }

    /// Sends what the collector's queue takes.
    fn hand_over(&mut self) {
        while let Some(slice) = self.finished.pop_front() {
            let thread = self.thread;
            match self.collector.try_send(Report::Slice { thread, slice }) {
                Ok(()) => {}
                Err(TrySendError::Full(Report::Slice { slice, .. })) => {
                    self.finished.push_front(slice);
                    return;
                }
                // The collector is gone: the load was given up.
                Err(_) => return,
            }
        }
    }

    /// What is still to be handed over when the worker ends, to be sent in this order.
    pub fn last_reports(&mut self, error: Option<String>) -> Vec<Report> {
        let thread = self.thread;
        self.keep_current();
        let slices = self.finished.drain(..);
        let mut reports: Vec<Report> = slices
            .map(|slice| Report::Slice { thread, slice })
            .collect();
        reports.push(Report::Ended {
            thread,
            totals: Box::new(std::mem::replace(&mut self.totals, Totals::new())),
            error,
        });
        reports
    }
}

#[cfg(test)]
mod tests;

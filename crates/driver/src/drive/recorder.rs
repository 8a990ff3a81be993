//! Measurements of one worker, second by second.

use std::collections::VecDeque;
use std::time::Duration;

use bakeoff_stats::{FailureKind, Tally};
use hdrhistogram::Histogram;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use super::{Done, Failure, NewRows};

/// Number of messages that are kept of each kind of failure.
pub const MESSAGES_PER_KIND: usize = 5;

/// One second in nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// Operations of one worker, or of all, that ended in one second of the load.
#[derive(Debug, Default)]
pub struct Slice {
    /// Number of the second from the start of the load.
    pub second: u32,
    /// Tally of each operation, in the order of `Mix::operations`.
    pub operations: Vec<Tally>,
    /// Number of operations that were sent late since the limit of operations in flight was reached when
    /// they were due.
    pub queued: u64,
}

impl Slice {
    /// Makes an empty slice for this number of operations.
    pub fn new(operations: usize) -> Self {
        Slice {
            second: 0,
            operations: (0..operations).map(|_| Tally::default()).collect(),
            queued: 0,
        }
    }

    /// Returns whether no operation ended in the second.
    pub fn is_empty(&self) -> bool {
        let empty = |tally: &Tally| tally.successes() == 0 && tally.failed() == 0;
        self.queued == 0 && self.operations.iter().all(empty)
    }
}

/// Report of a worker to the collector.
#[derive(Debug)]
pub enum Report {
    /// The worker's session is ready, after so long.
    Ready { thread: u32, connecting: Duration },
    /// A second, and all seconds before it, are over for this worker; holds the operations that ended in
    /// it.
    Slice { thread: u32, slice: Slice },
    /// The worker ended, after all its slices; holds the error if it ended before the load did.
    Ended {
        thread: u32,
        totals: Box<Totals>,
        error: Option<String>,
    },
}

/// One operation that has ended. Times are those of the load's clock.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    pub operation: usize,
    pub due: u64,
    pub sent: u64,
    pub done: u64,
    pub retries: u32,
    /// Whether all slots were busy when the operation was due.
    pub queued: bool,
}

/// Counts of a worker, or of all, over the whole load.
#[derive(Debug)]
pub struct Totals {
    /// Number of operations that were due.
    pub scheduled: u64,
    /// Number of operations that were sent.
    pub sent: u64,
    /// Number of operations that were sent before the end of the load.
    pub sent_in_time: u64,
    /// Number of operations that were due and never sent.
    pub unsent: u64,
    /// Moment at which the last operation ended, by the load's clock; 0 if none has.
    pub last_done: u64,
    /// Number of operations that became due while all slots were busy, so that they were sent late or
    /// never.
    pub queued: u64,
    /// Time from due to sent, in nanoseconds, of operations of an open loop for which a slot was free: the
    /// lateness of the driver itself.
    pub lateness: Histogram<u64>,
    /// First failures of each kind.
    pub failures: Vec<Failure>,
    /// Number of each thread whose worker completed its share, with its new rows.
    pub new_rows: Vec<(u32, NewRows)>,
}

impl Totals {
    /// Makes counts of nothing.
    pub fn new() -> Self {
        Totals {
            scheduled: 0,
            sent: 0,
            sent_in_time: 0,
            unsent: 0,
            last_done: 0,
            queued: 0,
            lateness: Histogram::new_with_bounds(1, 3_600 * SECOND, 2)
                .unwrap_or_else(|_| unreachable!("bounds of a histogram are constants")),
            failures: Vec::new(),
            new_rows: Vec::new(),
        }
    }

    /// Adds the counts of another worker.
    pub fn add(&mut self, other: Totals) {
        let Totals {
            scheduled,
            sent,
            sent_in_time,
            unsent,
            last_done,
            queued,
            lateness,
            failures,
            new_rows,
        } = other;
        self.scheduled += scheduled;
        self.sent += sent;
        self.sent_in_time += sent_in_time;
        self.unsent += unsent;
        self.last_done = self.last_done.max(last_done);
        self.queued += queued;
        self.lateness += lateness;
        for failure in failures {
            self.keep(failure);
        }
        self.new_rows.extend(new_rows);
    }

    /// Takes the new rows of all threads, in the order of the threads.
    pub fn take_new_rows(&mut self) -> Vec<NewRows> {
        let mut new_rows = std::mem::take(&mut self.new_rows);
        new_rows.sort_by_key(|(thread, _)| *thread);
        new_rows.into_iter().map(|(_, rows)| rows).collect()
    }

    /// Keeps a failure, unless [`MESSAGES_PER_KIND`] of its kind are kept already.
    pub fn keep(&mut self, failure: Failure) {
        if self.kept(failure.kind) < MESSAGES_PER_KIND {
            self.failures.push(failure);
        }
    }

    fn kept(&self, kind: FailureKind) -> usize {
        self.failures.iter().filter(|f| f.kind == kind).count()
    }
}

/// Records the operations of one worker, and passes each second to the collector without ever waiting
/// for it.
///
/// While the collector is behind, finished seconds are kept here, one [`Slice`] for each second in
/// which something ended; none is dropped.
pub struct Recorder {
    thread: u32,
    /// Start of the load on its clock.
    start: u64,
    /// The current second.
    current: Slice,
    /// End of the current second on the load's clock.
    current_ends: u64,
    /// Seconds that are over and not passed on yet, oldest first.
    finished: VecDeque<Slice>,
    collector: Sender<Report>,
    pub totals: Totals,
}

impl Recorder {
    /// Makes the recorder of a thread, for this number of operations.
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

    /// Returns the channel to the collector.
    pub fn collector(&self) -> Sender<Report> {
        self.collector.clone()
    }

    /// Sets the moment at which the load begins, on its clock.
    pub fn begin(&mut self, start: u64) {
        self.start = start;
        self.current_ends = start + SECOND;
    }

    /// Records one operation in the second in which it ended. Operations are recorded in the order of
    /// their ends.
    pub fn record(&mut self, ended: &Ended, result: Result<Done, Failure>) {
        if ended.done >= self.current_ends {
            self.begin_second_of(ended.done);
        }
        self.totals.last_done = self.totals.last_done.max(ended.done);
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

    /// Passes on all seconds that are over at this moment.
    pub fn tick(&mut self, now: u64) {
        if now >= self.current_ends {
            self.begin_second_of(now);
        }
    }

    /// Returns the moment at which [`Recorder::tick`] has to be called next.
    pub fn next_tick(&self) -> u64 {
        self.current_ends
    }

    #[cold]
    fn begin_second_of(&mut self, now: u64) {
        let second = ((now - self.start) / SECOND) as u32;
        // The collector takes a slice as a sign that its second and all before it are over. So a slice of
        // the second just before this one is sent even if nothing ended in it.
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

    /// Sends finished seconds until the collector's queue is full.
    fn hand_over(&mut self) {
        while let Some(slice) = self.finished.pop_front() {
            let thread = self.thread;
            match self.collector.try_send(Report::Slice { thread, slice }) {
                Ok(()) => {}
                Err(TrySendError::Full(Report::Slice { slice, .. })) => {
                    self.finished.push_front(slice);
                    return;
                }
                // The collector is gone, since the load was abandoned.
                Err(_) => return,
            }
        }
    }

    /// Returns the reports that remain when the worker ends, in the order in which they are to be sent.
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

//! The plan of a load, and its checks.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bakeoff_workload::{Action, Keys, Mix, shard_rows};

use super::Schedule;
use super::arrivals::Share;
use super::new_rows::NewRows;

/// Default number of operations in flight for a schedule with a rate. It only bounds memory: a server that
/// keeps up needs far fewer.
pub const DEFAULT_IN_FLIGHT: u32 = 1024;

/// Default time after the end of a load during which operations that are already due are still sent.
pub const DEFAULT_DRAIN_LIMIT: Duration = Duration::from_secs(10);

/// Number of bits of an operation's number that count the operations of its load. The highest rate takes
/// more than a quarter of an hour to use them up, and the other bits suffice for 16 million loads.
const OPERATION_BITS: u32 = 40;

/// Plan of a load.
#[derive(Debug, Clone)]
pub struct Plan {
    pub mix: Arc<Mix>,
    pub seed: u64,
    /// Number of this load. Loads with different numbers have different operations, rows and arrivals, so
    /// that none finds in a cache what another has read. Loads with the same number have the same ones.
    pub ordinal: u32,
    /// Number of rows that exist before the load begins, over all shards.
    pub rows: u64,
    /// New rows of each thread in earlier loads on the same table, from [`Driven`](super::Driven); empty
    /// for the first load.
    pub new_rows: Vec<NewRows>,
    pub shard: Shard,
    /// Number of worker threads of this process, each with its own connections.
    pub threads: u32,
    /// Largest number of operations of this process that may be in flight.
    pub in_flight: u32,
    pub schedule: Schedule,
    pub duration: Duration,
    /// Time after the load's end during which operations that are already due are still sent. After that,
    /// replies are waited for as long again.
    pub drain_limit: Duration,
    /// Number of further attempts of an operation that failed for a transient reason.
    pub retries: u32,
    /// Moment at which the load begins, by the wall clock; `None` for as soon as all workers are ready.
    pub start_at: Option<SystemTime>,
}

/// Reason why a plan cannot be carried out, with what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("the mix has no operations: add [[mix.operations]] to the workload")]
    NoOperations,
    #[error("a load needs at least one worker thread: set --threads 1 or more")]
    NoThreads,
    #[error(
        "{in_flight} operations in flight are too few for {threads} threads, which need one each: \
         set --in-flight {threads} or more, or fewer --threads"
    )]
    InFlight { in_flight: u32, threads: u32 },
    #[error("a load has to last some time: set --for 10s or longer")]
    NoDuration,
    #[error("a load of no operations measures nothing: set --operations 1 or more")]
    NoneAsked,
    #[error("the pass of {0:?} has no rows: give it one or more, such as {0}=1000")]
    EmptyPass(String),
    #[error(
        "the pass of {name:?} goes through {rows} rows, and there are only {loaded}: give it fewer, or \
         have more with --rows"
    )]
    PassRows {
        name: String,
        rows: u64,
        loaded: u64,
    },
    #[error(
        "the pass of {name:?} goes through {rows} rows, which are not a whole number of its batches \
         of {batch}: give it a multiple of {batch}"
    )]
    PassBatches { name: String, rows: u64, batch: u32 },
    #[error(
        "operation {0:?} needs rows that are there before the load, and there are none: load some \
         with --rows, or set its keys = \"new\""
    )]
    NoRows(String),
    #[error(
        "operation {name:?} needs loaded rows of this shard, and {rows} rows are too few for {of} \
         shards: load more with --rows, or use fewer shards"
    )]
    NoOwnRows { name: String, rows: u64, of: u32 },
    #[error(
        "operation {name:?} writes {batch} rows at a time, more than the {rows} rows of this \
         shard: load more with --rows, use fewer shards, or set a smaller batch"
    )]
    Batch { name: String, batch: u32, rows: u64 },
}

impl Plan {
    /// Checks that the plan can be carried out.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.mix.operations.is_empty() {
            return Err(PlanError::NoOperations);
        }
        if self.threads == 0 {
            return Err(PlanError::NoThreads);
        }
        if self.in_flight < self.threads {
            return Err(PlanError::InFlight {
                in_flight: self.in_flight,
                threads: self.threads,
            });
        }
        if self.duration.is_zero() {
            return Err(PlanError::NoDuration);
        }
        if self.schedule.operations() == Some(0) {
            return Err(PlanError::NoneAsked);
        }
        self.check_pass()?;
        self.check_rows()
    }

    fn check_pass(&self) -> Result<(), PlanError> {
        let Some(pass) = self.schedule.pass() else {
            return Ok(());
        };
        let Some(operation) = self.mix.operations.get(pass.operation) else {
            return Err(PlanError::NoOperations);
        };
        let (name, batch) = (operation.name.clone(), operation.batch.max(1));
        if pass.rows == 0 {
            return Err(PlanError::EmptyPass(name));
        }
        if pass.rows > self.rows {
            return Err(PlanError::PassRows {
                name,
                rows: pass.rows,
                loaded: self.rows,
            });
        }
        if !pass.rows.is_multiple_of(u64::from(batch)) {
            return Err(PlanError::PassBatches {
                name,
                rows: pass.rows,
                batch,
            });
        }
        Ok(())
    }

    fn check_rows(&self) -> Result<(), PlanError> {
        let own = self.shard.rows(self.rows);
        let own_rows = own.end - own.start;
        for operation in &self.mix.operations {
            let asks_query = matches!(operation.action, Action::Query { .. });
            if operation.keys == Keys::New || asks_query {
                continue;
            }
            let name = operation.name.clone();
            if self.rows == 0 {
                return Err(PlanError::NoRows(name));
            }
            if own_rows == 0 {
                return Err(PlanError::NoOwnRows {
                    name,
                    rows: self.rows,
                    of: self.shard.of,
                });
            }
            let batch = operation.batch;
            if batch > 1 && u64::from(batch) > own_rows {
                return Err(PlanError::Batch {
                    name,
                    batch,
                    rows: own_rows,
                });
            }
        }
        Ok(())
    }

    /// Returns the mean rate of this process's part of the schedule, in operations per second; `None` where
    /// nothing is due by the clock.
    pub fn expected_rate(&self) -> Option<f64> {
        let operations = self.schedule.expected_operations(self.duration)?;
        Some(operations / self.duration.as_secs_f64() / f64::from(self.shard.of))
    }

    /// Returns the number of this load's first operation, counted over all loads.
    pub(super) fn first_number(&self) -> u64 {
        u64::from(self.ordinal) << OPERATION_BITS
    }

    /// Returns a thread's share of the operations.
    pub(super) fn share(&self, thread: u32) -> Share {
        Share {
            thread: u64::from(thread),
            threads: u64::from(self.threads),
            shard: u64::from(self.shard.index),
            shards: u64::from(self.shard.of),
        }
    }

    /// Returns the largest number of operations that any thread may have in flight.
    pub fn most_slots(&self) -> u32 {
        self.slots(0)
    }

    /// Returns the number of operations that a thread may have in flight. The first threads get the
    /// remainder of the division.
    pub(super) fn slots(&self, thread: u32) -> u32 {
        self.in_flight / self.threads + u32::from(thread < self.in_flight % self.threads)
    }
}

/// Part of a load that this process has, when several drive one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Index of the shard, counted from 0, although its text counts from 1.
    pub index: u32,
    /// Number of shards.
    pub of: u32,
}

/// Reason why a text is not a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    #[error("{0:?} is not a shard: give its number and how many there are, such as 1/4")]
    Unreadable(String),
    #[error("there is no shard {index} of {of}: shards count from 1 to the number after the slash")]
    OutOfRange { index: u32, of: u32 },
}

impl Shard {
    /// The shard of a load that one process drives alone.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Returns whether one process drives the load alone.
    pub fn is_whole(self) -> bool {
        self.of == 1
    }

    /// Returns the numbers of the loaded rows that belong to this shard.
    pub fn rows(self, rows: u64) -> Range<u64> {
        shard_rows(rows, (self.index, self.of))
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parsed = text
            .split_once('/')
            .and_then(|(index, of)| Some((index.trim().parse().ok()?, of.trim().parse().ok()?)));
        let Some((index, of)) = parsed else {
            return Err(ShardError::Unreadable(text.to_owned()));
        };
        if !(1..=of).contains(&index) {
            return Err(ShardError::OutOfRange { index, of });
        }
        Ok(Shard {
            index: index - 1,
            of,
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_and_written_from_one() {
        let shard: Shard = "2/4".parse().unwrap();
        assert_eq!(shard, Shard { index: 1, of: 4 });
        assert_eq!(shard.to_string(), "2/4");
        assert_eq!("1/1".parse(), Ok(Shard::WHOLE));
        for text in ["", "1", "/", "1/", "a/2", "-1/2", "1/2/3"] {
            let error = text.parse::<Shard>().unwrap_err();
            assert_eq!(error, ShardError::Unreadable(text.to_owned()));
        }
        for (text, index, of) in [("0/2", 0, 2), ("3/2", 3, 2), ("1/0", 1, 0), ("0/0", 0, 0)] {
            let error = text.parse::<Shard>().unwrap_err();
            assert_eq!(error, ShardError::OutOfRange { index, of });
        }
    }

    #[test]
    fn shards_share_the_rows_out() {
        for (rows, of) in [(10, 3), (3, 10), (1_000_000_007, 16), (u64::MAX, 3)] {
            let mut next = 0;
            for index in 0..of {
                let own = Shard { index, of }.rows(rows);
                assert_eq!(own.start, next);
                next = own.end;
            }
            assert_eq!(next, rows);
        }
    }
}

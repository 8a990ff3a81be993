//! The rules of the protocol, each of which a test can turn off.

use std::time::Duration;

use bakeoff_columnar::internals::protocol::{
    APPLIED_WITHIN, COMMIT_WITHIN, FREEZE_WAIT, RENEWAL_HOLDS, SETTLED_AFTER, WRITER_LEASE,
};

use super::cells::Time;

/// More ticks than any model has.
pub const FOREVER: Time = 100;

/// How the clocks of a machine may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// The steady clock stands still, as while a machine sleeps, and the wall clock goes on.
    SteadyClock,
    /// Both stand still, as while a virtual machine is paused.
    BothClocks,
}

/// The rules. Times are in ticks.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The time for which what was read of a place is relied on.
    pub lease: Time,
    /// The time that a freeze and a drop wait after they have closed a generation.
    pub freeze_wait: Time,
    /// The time after which a commit writes another version of the index.
    pub applied_within: Time,
    /// The age from which a version is relied on.
    pub settled_after: Time,
    /// The time for which a sweep leaves alone what a commit has renewed.
    pub renewal_holds: Time,
    /// The time after which a commit no longer relies on what it has renewed, and is not sent.
    pub commits_within: Time,
    /// The time for which a sweep leaves alone what was retired, or put and never committed.
    pub grace: Time,
    /// The time for which a reader may rely on the blobs of retired chunks.
    pub promised: Time,
    /// The replicas, how many of them answer a read, and how many take a write before it is acknowledged.
    pub replicas: usize,
    pub reads: usize,
    pub writes: usize,
    /// Whether an insert asks after its write whether the generation is still open, or relies on the lease.
    pub asks_whether_open: bool,
    /// Whether the wall clock counts for what has elapsed, too, if it says more than the steady one.
    pub wall_clock_counts: bool,
    /// Whether a commit renews its chunks, and looks whether they are still there.
    pub renews: bool,
    /// Whether a sweep looks again after it has marked chunks as abandoned.
    pub looks_again: bool,
    /// Whether a commit is one batch.
    pub one_batch: bool,
    /// The number of processes that seal.
    pub seals: usize,
    /// Whether a process sweeps or drops. If none does, what protects from that is left out, and the moments
    /// of states are all the same.
    pub anything_is_removed: bool,
    /// The ticks after which nothing more is looked at.
    pub ticks: Time,
    pub sleep: Sleep,
}

impl Rules {
    /// Returns the rules of the store, with ticks of this length. What is shorter than a tick takes no time.
    pub fn with_ticks_of(tick: Duration) -> Rules {
        let ticks = |time: Duration| {
            let ticks = time.as_millis() / tick.as_millis();
            Time::try_from(ticks).unwrap_or(FOREVER).min(FOREVER)
        };
        Rules {
            lease: ticks(WRITER_LEASE),
            freeze_wait: ticks(FREEZE_WAIT),
            applied_within: ticks(APPLIED_WITHIN),
            settled_after: ticks(SETTLED_AFTER),
            renewal_holds: ticks(RENEWAL_HOLDS),
            commits_within: ticks(COMMIT_WITHIN),
            grace: 0,
            promised: 0,
            replicas: 1,
            reads: 1,
            writes: 1,
            asks_whether_open: true,
            wall_clock_counts: true,
            renews: true,
            looks_again: true,
            one_batch: true,
            seals: 0,
            anything_is_removed: false,
            ticks: 0,
            sleep: Sleep::SteadyClock,
        }
    }

    /// Returns the rules without leases, so that nobody has to wait for the end of any.
    pub fn without_waits(self) -> Rules {
        Rules {
            lease: 0,
            freeze_wait: 0,
            ..self
        }
    }
}

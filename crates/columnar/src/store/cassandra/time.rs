//! The timestamps by which Cassandra decides which write is valid.
//!
//! All writes of a chunk carry the time in the chunk's name, whenever they are made, and its deletion
//! carries a later one. So a late write, from any process and by any clock, brings nothing back.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::id::ChunkId;
use crate::machine::{self, sleep};

/// The difference between the clocks of this machine and of a node from which on neither reads nor writes are
/// certain to be right. Two processes may differ by twice as much from each other, one being ahead of the
/// node and one behind, and that is what the versions of the index allow for (`version.rs`).
pub(super) const CLOCKS_APART_AT_MOST: Duration = Duration::from_secs(15);

/// The longest wait until the clock says a later time than the newest name of a chunk: one that was set back by
/// [`CLOCKS_APART_AT_MOST`] has come that far long before, even if it is slowed down.
const CAUGHT_UP_WITHIN: Duration = Duration::from_secs(30);

/// The longest pause between two looks at a clock that was set back, since somebody may set it right.
const LOOKS_APART: Duration = Duration::from_millis(100);

/// A moment by two clocks: one that only goes forward and stands still while the machine sleeps, and the
/// wall clock, which goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    steady: Instant,
    wall: SystemTime,
}

impl Moment {
    pub(super) fn now() -> Self {
        Moment {
            steady: machine::steady(),
            wall: machine::wall(),
        }
    }

    /// Returns a moment that is as long ago by the wall clock.
    #[cfg(test)]
    pub(super) fn ago(age: Duration) -> Self {
        let now = Moment::now();
        Moment {
            wall: now.wall - age,
            ..now
        }
    }

    /// Returns the time since then by the clock that says more, or the longest time there is if the
    /// wall clock was set back meanwhile.
    pub(super) fn elapsed(&self) -> Duration {
        let by_wall = machine::wall().duration_since(self.wall);
        let steady = machine::steady().saturating_duration_since(self.steady);
        steady.max(by_wall.unwrap_or(Duration::MAX))
    }
}

/// What the answer of a node tells about its clock and that of this machine.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Clocks {
    /// They differ by no more than is allowed.
    Agree,
    /// They differ by more, as these words say.
    Apart(String),
    /// They may differ by more, since the answer took so long.
    Unclear,
}

/// Compares the clock of a node, which said `there`, with that of this machine, which said `before` before
/// the node was asked and `after` when it had answered. All are milliseconds since 1970-01-01 UTC.
pub(super) fn compare_clocks(before: i64, there: i64, after: i64) -> Clocks {
    let limit = CLOCKS_APART_AT_MOST.as_millis() as i64;
    let (apart, which) = if there < before {
        (before.saturating_sub(there), "ahead of")
    } else {
        (there.saturating_sub(after), "behind")
    };
    if apart > limit {
        return Clocks::Apart(format!(
            "the clock of this machine is {} s {which} that of the node, and write times decide which \
             row is the newest; set the clocks of all machines by the same time servers (they may differ \
             by {} s)",
            apart / 1000,
            CLOCKS_APART_AT_MOST.as_secs()
        ));
    }
    // The node looked at its clock at some moment between the two.
    let apart_at_most = there
        .saturating_sub(before)
        .max(after.saturating_sub(there));
    if apart_at_most > limit {
        return Clocks::Unclear;
    }
    Clocks::Agree
}

/// Returns the present moment in milliseconds since 1970-01-01 UTC.
pub(super) fn now_milliseconds() -> i64 {
    let now = machine::wall().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX / 1000)
    })
}

/// Returns the timestamp of all writes of a chunk, in microseconds since 1970-01-01 UTC.
pub(super) fn chunk_timestamp(chunk: ChunkId) -> i64 {
    milliseconds(chunk) * 1000
}

/// Returns the timestamp with which a writer notes that it is still at work on a chunk.
pub(super) fn renewal_timestamp(chunk: ChunkId) -> i64 {
    chunk_timestamp(chunk) + 1
}

/// Returns the timestamp that deletes everything about a chunk.
pub(super) fn deletion_timestamp(chunk: ChunkId) -> i64 {
    chunk_timestamp(chunk) + 999
}

/// Returns the time in a UUID of version 7: its first 48 bits.
fn milliseconds(chunk: ChunkId) -> i64 {
    (chunk.0.as_u128() >> 80) as i64
}

/// Returns the latest millisecond in which this process may have named a chunk.
///
/// # Errors
/// Fails, and says what to do, if the clock was set back since by so much that [`after_all_chunks`] would not
/// wait for it.
pub(super) fn last_named() -> Result<i64, String> {
    let last = milliseconds(ChunkId::new()).max(now_milliseconds());
    let apart = behind(last);
    if apart > CLOCKS_APART_AT_MOST {
        return Err(set_back(apart));
    }
    Ok(last)
}

/// Returns a timestamp that deletes all chunks which this process has named before, and none that it
/// names after this has returned. Of those of others it is so if their clocks agree with this one.
///
/// # Errors
/// Fails, and says what to do, if the clock does not come to a later time soon: names never go back, and so
/// have one time while the clock does not say a later one.
pub(super) async fn after_all_chunks() -> Result<i64, String> {
    let began = machine::steady();
    let last = last_named()?;
    while milliseconds(ChunkId::new()) <= last {
        let apart = behind(last);
        let waited = machine::steady().saturating_duration_since(began);
        if apart > CLOCKS_APART_AT_MOST || waited > CAUGHT_UP_WITHIN {
            return Err(set_back(apart));
        }
        sleep((apart + Duration::from_millis(1)).min(LOOKS_APART)).await;
    }
    Ok(up_to_milliseconds(last))
}

/// Returns how far the clock is behind a time in milliseconds since 1970-01-01 UTC.
fn behind(time: i64) -> Duration {
    let behind = time.saturating_sub(now_milliseconds());
    Duration::from_millis(u64::try_from(behind).unwrap_or(0))
}

/// Says what to do about a clock that is this far behind the newest name of a chunk.
fn set_back(behind: Duration) -> String {
    format!(
        "the clock of this machine was set back, or stands still: it is {} s behind the newest chunk of this \
         process, and only what is older than that clock can be told from what comes later; set it right, or \
         wait that long, and drop again",
        behind.as_secs()
    )
}

/// Returns the timestamp that deletes all chunks which were named up to this millisecond.
pub(super) fn up_to_milliseconds(last: i64) -> i64 {
    last.saturating_mul(1000).saturating_add(999)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, MutexGuard};

    use futures::future::{BoxFuture, FutureExt, ready};
    use uuid::{Builder, Uuid};

    use super::*;
    use crate::machine::{Machine, on};

    /// The moment at which a chunk was named before the clock was set back, since 1970-01-01 UTC.
    const NAMED: Duration = Duration::from_secs(1_760_000_000);

    /// A machine whose wall clock was set back. As in every process, names never go back.
    struct SetBack(Mutex<Hands>);

    /// What the clocks of a machine show.
    struct Hands {
        began: Instant,
        /// How far the steady clock has come.
        passed: Duration,
        wall: Duration,
        stands_still: bool,
        named: Duration,
    }

    impl SetBack {
        fn by(back: Duration, stands_still: bool) -> Arc<SetBack> {
            Arc::new(SetBack(Mutex::new(Hands {
                began: Instant::now(),
                passed: Duration::ZERO,
                wall: NAMED - back,
                stands_still,
                named: NAMED,
            })))
        }

        fn lock(&self) -> MutexGuard<'_, Hands> {
            self.0.lock().unwrap()
        }
    }

    impl Machine for SetBack {
        fn wall(&self) -> SystemTime {
            UNIX_EPOCH + self.lock().wall
        }

        fn name(&self) -> Uuid {
            let mut clocks = self.lock();
            clocks.named = clocks.named.max(clocks.wall);
            let milliseconds = clocks.named.as_millis() as u64;
            Builder::from_unix_timestamp_millis(milliseconds, &[0; 10]).into_uuid()
        }

        fn steady(&self) -> Instant {
            let clocks = self.lock();
            clocks.began + clocks.passed
        }

        fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
            let mut clocks = self.lock();
            clocks.passed += time;
            if !clocks.stands_still {
                clocks.wall += time;
            }
            ready(()).boxed()
        }
    }

    #[tokio::test]
    async fn a_clock_that_was_set_back_a_little_is_waited_for() {
        let machine = SetBack::by(Duration::from_secs(5), false);
        let work = async { (after_all_chunks().await, ChunkId::new()) };
        let (deletion, after) = on(machine.clone(), work).await;
        let deletion = deletion.unwrap();
        assert!(deletion >= NAMED.as_micros() as i64);
        assert!(deletion < chunk_timestamp(after));
        let waited = machine.lock().passed;
        assert!(waited >= Duration::from_secs(5), "{waited:?}");
        assert!(waited < Duration::from_secs(6), "{waited:?}");
    }

    #[tokio::test]
    async fn a_clock_that_was_set_back_by_as_much_as_is_allowed_is_waited_for() {
        let machine = SetBack::by(CLOCKS_APART_AT_MOST, false);
        on(machine.clone(), after_all_chunks()).await.unwrap();
        let waited = machine.lock().passed;
        assert!(waited > CLOCKS_APART_AT_MOST, "{waited:?}");
    }

    #[tokio::test]
    async fn a_clock_that_does_not_catch_up_soon_is_said() {
        let hour = SetBack::by(Duration::from_secs(3600), false);
        let said = on(hour.clone(), after_all_chunks()).await.unwrap_err();
        assert!(said.contains("it is 3600 s behind the newest"), "{said}");
        assert!(said.ends_with("wait that long, and drop again"), "{said}");
        assert_eq!(on(hour.clone(), async { last_named() }).await, Err(said));
        assert_eq!(hour.lock().passed, Duration::ZERO);

        let still = SetBack::by(Duration::ZERO, true);
        let said = on(still.clone(), after_all_chunks()).await.unwrap_err();
        assert!(said.contains("or stands still"), "{said}");
        let waited = still.lock().passed;
        assert!(waited > CAUGHT_UP_WITHIN, "{waited:?}");
        assert!(waited <= CAUGHT_UP_WITHIN + LOOKS_APART, "{waited:?}");
    }

    #[tokio::test]
    async fn deletions_come_after_what_was_and_before_what_will_be() {
        let before = ChunkId::new();
        let deletion = after_all_chunks().await.unwrap();
        let after = ChunkId::new();
        assert!(renewal_timestamp(before) < deletion_timestamp(before));
        assert!(deletion_timestamp(before) <= deletion);
        assert!(deletion < chunk_timestamp(after));
    }

    #[test]
    fn the_clock_that_says_more_counts() {
        let now = Moment::now();
        assert!(now.elapsed() < Duration::from_secs(60));
        let minute = Duration::from_secs(60);
        // The machine has slept for a minute: the steady clock has stood still.
        assert!(Moment::ago(minute).elapsed() >= minute);
        let set_back = Moment {
            wall: now.wall + minute,
            ..now
        };
        assert_eq!(set_back.elapsed(), Duration::MAX);
    }

    #[test]
    fn clocks_may_differ_a_little() {
        let limit = CLOCKS_APART_AT_MOST.as_millis() as i64;
        for there in [200 - limit, 100, 150, 200, 100 + limit] {
            assert_eq!(compare_clocks(100, there, 200), Clocks::Agree, "{there}");
        }
        let said = |there| match compare_clocks(1_000_000, there, 1_000_100) {
            Clocks::Apart(words) => words,
            other => panic!("{there}: {other:?}"),
        };
        let behind = said(1_000_100 + limit + 1);
        assert!(behind.contains("is 15 s behind that"), "{behind}");
        let ahead = said(1_000_000 - 2 * limit);
        assert!(ahead.contains("is 30 s ahead of that"), "{ahead}");
    }

    #[test]
    fn an_answer_that_took_long_does_not_hide_that_clocks_differ() {
        let limit = CLOCKS_APART_AT_MOST.as_millis() as i64;
        let asked = 1_000_000;
        // The clock of this machine is behind, and the answer took long.
        let (there, answered) = (asked + limit * 3 / 2, asked + limit);
        assert_eq!(compare_clocks(asked, there, answered), Clocks::Unclear);
        // It is ahead, and the node looked at its clock at the end.
        let there = answered - limit * 3 / 2;
        assert_eq!(compare_clocks(asked, there, answered), Clocks::Unclear);
        // However long the answer took, good clocks are known to be good.
        let answered = asked + limit;
        for there in [asked, asked + limit / 2, answered] {
            assert_eq!(compare_clocks(asked, there, answered), Clocks::Agree);
        }
    }

    #[test]
    fn any_name_has_a_time() {
        assert_eq!(chunk_timestamp(ChunkId(Uuid::nil())), 0);
        assert_eq!(
            chunk_timestamp(ChunkId(Uuid::max())),
            ((1 << 48) - 1) * 1000
        );
    }
}

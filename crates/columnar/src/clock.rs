//! Write times: the wall clock, but never the same moment twice.

use std::fmt::Display;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use crate::machine::{is_of_task, wall};

/// The last moment that this process has used, for any table.
static LAST_MICROSECONDS: AtomicI64 = AtomicI64::new(i64::MIN);

/// The distance by which a stored write time may be ahead of the clock before that is worth a note.
const AHEAD_AT_MOST: Duration = Duration::from_secs(300);

/// Returns microseconds since 1970-01-01 UTC, later than every earlier result in this process.
pub fn write_time() -> i64 {
    // A process that a test simulates knows nothing of the others that it simulates in this one.
    if is_of_task() {
        return now();
    }
    after(&LAST_MICROSECONDS, now())
}

/// The clock of one table, whose write times are later than all that are known of the table, even if the clock
/// of the machine was set back since, or is behind that of another machine.
#[derive(Debug)]
pub struct Clock {
    last: AtomicI64,
}

impl Clock {
    /// Makes the clock of a table whose greatest write time is this one, if it has any.
    pub fn new(last: Option<i64>) -> Clock {
        Clock {
            last: AtomicI64::new(last.unwrap_or(i64::MIN)),
        }
    }

    /// Returns microseconds since 1970-01-01 UTC, later than every earlier result.
    pub fn write_time(&self) -> i64 {
        after(&self.last, write_time())
    }

    /// Makes all later results greater than a write time that the table has.
    #[cfg(feature = "cassandra")]
    pub fn see(&self, write_time: i64) {
        self.last.fetch_max(write_time, Ordering::Relaxed);
    }

    /// Returns the greatest write time that is known of the table, or the least number there is.
    #[cfg(feature = "cassandra")]
    pub fn last(&self) -> i64 {
        self.last.load(Ordering::Relaxed)
    }
}

/// Returns the note about a table whose greatest write time is so far ahead of the clock of this machine that one
/// of the two must be wrong.
pub fn note_ahead(table: &dyn Display, write_time: i64) -> Option<String> {
    let ahead = ahead(write_time)?;
    Some(format!(
        "the newest row of {table} was written at a time that is {} s ahead of this machine's clock: one of \
         the two is wrong; rows that are written now replace it nevertheless, and count as even newer",
        ahead.as_secs()
    ))
}

/// Returns how far a write time is ahead of the clock of this machine, if that is so far that one of
/// the two must be wrong.
fn ahead(write_time: i64) -> Option<Duration> {
    let ahead = u64::try_from(write_time.saturating_sub(now())).ok()?;
    Some(Duration::from_micros(ahead)).filter(|ahead| *ahead > AHEAD_AT_MOST)
}

fn now() -> i64 {
    let since = wall().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX - 1)
    })
}

/// Returns the present moment, or the one after the last, and makes it the last.
fn after(last: &AtomicI64, now: i64) -> i64 {
    let later = |last: i64| Some(now.max(last.saturating_add(1)));
    match last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later) {
        Ok(last) | Err(last) => now.max(last.saturating_add(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_moment_comes_twice() {
        let times: Vec<i64> = (0..1000).map(|_| write_time()).collect();
        assert!(times.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn the_clock_of_a_table_is_ahead_of_all_that_it_has() {
        let hour = 3_600_000_000;
        let newest = write_time() + hour;
        let clock = Clock::new(Some(newest));
        assert_eq!(clock.write_time(), newest + 1);
        assert_eq!(clock.write_time(), newest + 2);
        assert!(write_time() < newest, "other tables have their own clocks");
        let clock = Clock::new(Some(write_time() - hour));
        assert!(clock.write_time() > newest - hour);
        assert!(Clock::new(None).write_time() > newest - hour);
    }

    #[cfg(feature = "cassandra")]
    #[test]
    fn the_clock_of_a_table_is_ahead_of_what_it_has_seen() {
        let newest = write_time() + 3_600_000_000;
        let clock = Clock::new(None);
        assert_eq!(clock.last(), i64::MIN);
        clock.see(newest);
        clock.see(newest - 7);
        assert_eq!(clock.last(), newest);
        assert_eq!(clock.write_time(), newest + 1);
    }

    #[test]
    fn only_what_is_far_ahead_is_said() {
        assert_eq!(ahead(0), None);
        assert_eq!(ahead(now() + 60_000_000), None);
        let ahead = ahead(now() + 3_600_000_000).unwrap();
        assert!(ahead > Duration::from_secs(3500), "{ahead:?}");
    }
}

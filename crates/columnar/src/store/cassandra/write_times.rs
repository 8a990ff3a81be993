//! The write times that a process chooses, which are later than those of the rows that it knows of, even if its
//! clock is behind that of the process that has written them.
//!
//! Before a process first writes to a place, it reads the write times there. After that its clock only moves on
//! with what it reads for other reasons: to look before each write would cost more than the write. So a row that
//! another process, whose clock is ahead, writes there meanwhile may count as newer than one that comes after it.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::response::PagingState;
use tokio::sync::OnceCell;

use super::CassandraStore;
use super::client::each_row;
use super::names::Part;
use super::options::PLACES_AT_ONCE;
use super::places::{REMEMBERED_PLACES_AT_MOST, key};
use crate::Result;
use crate::clock::{self, Clock};
use crate::id::Place;

/// The greatest write time, in microseconds since 1970-01-01 UTC, that the clock moves on to. No clock shows it for
/// 146,000 years, but a row may have any number, and if it were the greatest there is, no write to any place of the
/// table could be later than another one.
const SEEN_AT_MOST: i64 = i64::MAX / 2;

/// The clock of a table, and the places that it has caught up with.
pub(super) struct WriteTimes {
    clock: Clock,
    /// What is set for each place once the clock has caught up with it, so that of several writers that come at the
    /// same time only one reads the write times there.
    caught_up: Mutex<HashMap<Place, Arc<OnceCell<()>>>>,
}

impl WriteTimes {
    pub(super) fn new() -> Self {
        WriteTimes {
            clock: Clock::new(None),
            caught_up: Mutex::new(HashMap::new()),
        }
    }

    /// Returns a write time that is later than all that were seen.
    pub(super) fn next(&self) -> i64 {
        self.clock.write_time()
    }

    /// Notes the write times of rows that were read.
    pub(super) fn see(&self, write_times: impl Iterator<Item = i64>) {
        if let Some(newest) = write_times.max() {
            self.clock.see(newest.min(SEEN_AT_MOST));
        }
    }

    /// Returns the note about write times far ahead of the clock of this machine, if some were seen.
    pub(super) fn note(&self, table: &str) -> Option<String> {
        clock::note_ahead(&table, self.clock.last())
    }

    /// Returns what is set once the clock has caught up with a place.
    fn caught_up(&self, place: Place) -> Arc<OnceCell<()>> {
        let mut caught_up = self.lock();
        if caught_up.len() >= REMEMBERED_PLACES_AT_MOST && !caught_up.contains_key(&place) {
            caught_up.clear();
        }
        Arc::clone(caught_up.entry(place).or_default())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Place, Arc<OnceCell<()>>>> {
        self.caught_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl CassandraStore {
    /// Makes the write times that come next later than those of all rows that a place has, unless that was done
    /// before.
    pub(super) async fn catch_up_with(&self, place: Place) -> Result<()> {
        let caught_up = self.write_times.caught_up(place);
        let catch_up = || self.see_place(place);
        caught_up.get_or_try_init(catch_up).await.copied()
    }

    async fn see_place(&self, place: Place) -> Result<()> {
        let row = self.place_rows().read(place).await?;
        if let Some(row) = row.filter(|row| !row.is_dropped()) {
            // The fresh rows first and the chunks afterwards: what is sealed in between is seen there.
            let all = stream::iter(row.generations())
                .map(|generation| self.see_generation(place, generation))
                .buffer_unordered(PLACES_AT_ONCE);
            all.try_collect::<()>().await?;
            self.valid_chunks(place).await?;
        }
        Ok(())
    }

    async fn see_generation(&self, place: Place, generation: i64) -> Result<()> {
        let task = self
            .client
            .task("reading the write times of fresh rows", place, Part::Fresh);
        let statement = &self.statements.fresh.read_times;
        let (shard, bucket) = key(place);
        let mut state = PagingState::start();
        loop {
            let values = (shard, bucket, generation);
            let (rows, next) = self.client.page(&task, statement, values, state).await?;
            let times = each_row(&task, &rows, |row: (Option<i64>,)| Ok(row.0))?;
            self.write_times.see(times.into_iter().flatten());
            match next.into_paging_control_flow() {
                ControlFlow::Continue(more) => state = more,
                ControlFlow::Break(()) => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_far_ahead_is_said() {
        let times = WriteTimes::new();
        assert_eq!(times.note("ks.t"), None);
        let now = times.next();
        assert_eq!(times.note("ks.t"), None);
        times.see([now + 3_600_000_000, 7].into_iter());
        let note = times.note("ks.t").unwrap();
        assert!(
            note.starts_with("the newest row of ks.t was written"),
            "{note}"
        );
        assert_eq!(times.next(), now + 3_600_000_001);
    }

    #[test]
    fn a_row_from_the_end_of_time_does_not_end_the_order_of_writes() {
        let times = WriteTimes::new();
        times.see([i64::MAX, 7].into_iter());
        assert!(times.note("ks.t").is_some());
        assert_eq!(times.next(), SEEN_AT_MOST + 1);
        assert_eq!(times.next(), SEEN_AT_MOST + 2);
    }

    #[test]
    fn places_are_remembered_up_to_a_number() {
        let times = WriteTimes::new();
        let place = |bucket: usize| Place {
            bucket: bucket as i64,
            shard: 0,
        };
        for bucket in 0..REMEMBERED_PLACES_AT_MOST {
            times.caught_up(place(bucket)).set(()).unwrap();
        }
        assert!(times.caught_up(place(0)).initialized());
        let another = times.caught_up(place(REMEMBERED_PLACES_AT_MOST));
        assert!(!another.initialized());
        assert_eq!(times.lock().len(), 1);
    }
}

//! The version of the index, which shows whether a remembered index is still true.
//!
//! Each commit writes a new version in the batch that changes the chunks, with a timestamp greater than
//! the one that it found. So the version differs after every commit from the one that was read together
//! with the index, and reading one small row replaces reading the index. Only if two commits happen at
//! the same time may one be hidden by the version of the other. Therefore a version counts only once it
//! is [`SETTLED_AFTER`] old, and a commit that took longer than [`APPLIED_WITHIN`] writes another version
//! before it is acknowledged. Versions are overwritten and never deleted, so that nothing piles up.
//!
//! A commit that was given up and is applied even later was never acknowledged. Processes that remember
//! the index may not see it until the next commit: they see the table as it was before. Once a sweep has
//! removed the chunks that it retired, they find them gone and forget the index.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use uuid::Uuid;

use super::CassandraStore;
use super::client::{as_rows, each_row};
use super::names::Part;
use super::places::key;
use super::retry::server;
use super::time::{Moment, now_milliseconds};
use crate::Result;
use crate::id::Place;
use crate::meta::ChunkMeta;

/// The approximate memory for the indexes of all places.
const REMEMBERED_BYTES: u64 = 128 << 20;

/// The longest time from the choice of a version's timestamp until its commit is applied.
pub const APPLIED_WITHIN: Duration = Duration::from_secs(30);

/// The number of times that a version is written because the commit or the version before took too long.
const VERSIONS_AT_MOST: usize = 3;

/// The age at which all commits that a version may hide are applied. It is [`APPLIED_WITHIN`] and the most by
/// which the clocks of two processes may differ (`CLOCKS_APART_AT_MOST`).
pub const SETTLED_AFTER: Duration = Duration::from_secs(60);

/// The number of places for which the cache is laid out at first.
const EXPECTED_PLACES: usize = 64;

/// The memory that the entry of a chunk takes without its columns and keys.
const ENTRY_BYTES: usize = 256;

/// The memory that an entry takes for each column, with texts of usual lengths in its statistics.
const COLUMN_BYTES: usize = 160;

/// A version of the index, and its timestamp in microseconds since 1970-01-01 UTC.
pub(super) type Version = (Uuid, i64);

/// The valid chunks of a place, and the version of the index that lists them, if it has one.
#[derive(Clone)]
pub(super) struct Index {
    pub(super) version: Option<Version>,
    pub(super) chunks: Vec<Arc<ChunkMeta>>,
}

/// The last index that was read of each place.
pub(super) struct Remembered(Cache<Place, Index, ByBytes>);

/// Weighs indexes by the memory that they take.
#[derive(Clone)]
struct ByBytes;

impl Weighter<Place, Index> for ByBytes {
    fn weight(&self, _: &Place, index: &Index) -> u64 {
        let bytes = |chunk: &Arc<ChunkMeta>| {
            let keys = chunk.first.len() + chunk.last.len();
            ENTRY_BYTES + keys + chunk.blobs.len() * COLUMN_BYTES
        };
        let chunks: usize = index.chunks.iter().map(bytes).sum();
        (ENTRY_BYTES + chunks) as u64
    }
}

impl Remembered {
    pub(super) fn new() -> Self {
        Remembered(Cache::with_weighter(
            EXPECTED_PLACES,
            REMEMBERED_BYTES,
            ByBytes,
        ))
    }

    pub(super) fn forget(&self, place: Place) {
        self.0.remove(&place);
    }
}

impl CassandraStore {
    /// Returns the valid chunks of a place, from memory if the version is still the same.
    pub(super) async fn valid_chunks(&self, place: Place) -> Result<Vec<Arc<ChunkMeta>>> {
        if let Some(known) = self.remembered.0.get(&place)
            && known.version == self.version(place).await?
        {
            return Ok(known.chunks);
        }
        let index = self.read_index(place).await?;
        if index.version.is_some_and(is_settled) {
            self.remembered.0.insert(place, index.clone())
        } else {
            self.remembered.forget(place)
        }
        Ok(index.chunks)
    }

    /// Reads the present version of a place's index.
    pub(super) async fn version(&self, place: Place) -> Result<Option<Version>> {
        let task = self
            .client
            .task("reading the version of the index", place, Part::Index);
        let statement = &self.statements.index.version;
        let answer = self.client.execute(&task, statement, key(place)).await?;
        let rows = as_rows(&task, answer)?;
        let rows = each_row(&task, &rows, |row: (Option<Uuid>, Option<i64>)| {
            Ok(row.0.zip(row.1))
        })?;
        Ok(rows.into_iter().next().flatten())
    }

    /// Makes sure that all processes notice a commit that began at this moment and is applied now.
    ///
    /// # Errors
    /// Fails with `Server` if no version is written soon enough, so that processes that remember
    /// the index may not see the commit before the next one.
    pub(super) async fn see_to_version(&self, place: Place, mut began: Moment) -> Result<()> {
        let task = self
            .client
            .task("writing the version of the index", place, Part::Index);
        let (shard, bucket) = key(place);
        for _ in 0..VERSIONS_AT_MOST {
            if began.elapsed() <= APPLIED_WITHIN {
                return Ok(());
            }
            began = Moment::now();
            let timestamp = after(self.version(place).await?);
            let values = (timestamp, Uuid::now_v7(), shard, bucket);
            let statement = &self.statements.index.put_version;
            self.client.execute(&task, statement, values).await?;
        }
        if began.elapsed() <= APPLIED_WITHIN {
            return Ok(());
        }
        let limit = APPLIED_WITHIN.as_secs();
        Err(server(
            &task,
            format!(
                "it and the commit took more than {limit} s each, {VERSIONS_AT_MOST} times in a row; \
                 check that the nodes are not overloaded, and try again"
            ),
        ))
    }
}

/// Returns whether a version is so old that it hides no other commit.
fn is_settled((_, timestamp): Version) -> bool {
    let age = microseconds_now().saturating_sub(timestamp);
    u64::try_from(age).is_ok_and(|age| Duration::from_micros(age) >= SETTLED_AFTER)
}

/// Returns the timestamp of a version that replaces the one that was found.
pub(super) fn after(found: Option<Version>) -> i64 {
    let now = microseconds_now();
    found.map_or(now, |(_, timestamp)| now.max(timestamp.saturating_add(1)))
}

fn microseconds_now() -> i64 {
    now_milliseconds().saturating_mul(1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::cassandra::time::CLOCKS_APART_AT_MOST;

    /// The present in the unit of Cassandra's timestamps.
    fn now() -> i64 {
        now_milliseconds() * 1_000
    }

    #[test]
    fn versions_settle_late_enough_for_clocks_on_both_sides_of_that_of_a_node() {
        assert!(APPLIED_WITHIN + 2 * CLOCKS_APART_AT_MOST <= SETTLED_AFTER);
    }

    #[test]
    fn a_version_replaces_the_one_before_whatever_the_clocks() {
        let ahead = now() + 5_000_000;
        assert_eq!(after(Some((Uuid::nil(), ahead))), ahead + 1);
        let behind = now();
        assert!(after(Some((Uuid::nil(), behind - 1))) >= behind);
        assert!(after(None) >= behind);
    }

    #[test]
    fn a_version_counts_when_it_is_old_enough() {
        let age = |seconds: i64| (Uuid::nil(), now() - seconds * 1_000_000);
        let grace = SETTLED_AFTER.as_secs() as i64;
        assert!(is_settled(age(grace + 1)));
        assert!(!is_settled(age(grace - 1)));
        assert!(!is_settled(age(-3600)));
    }
}

//! Fresh rows become chunks, and chunks that overlap or are small become few.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::selection::Part;
use super::work::{panicked, threads};
use super::{Table, compaction, overlap};
use crate::definition::Place;
use crate::failpoint;
use crate::meta::{ChunkId, ChunkMeta};
use crate::store::{Change, KeyRange, Snapshot, Swept};
use crate::{Error, Result};

/// Places that are sealed at once: a store may have to wait for its writers in each.
const PLACES_AT_ONCE: usize = 4;

/// Groups of chunks that are written anew at once in all places, at most: each takes a thread, and
/// memory.
const GROUPS_AT_ONCE: usize = 4;

/// Chunks that are written before they are committed together.
const CHUNKS_OF_COMMIT: usize = 64;

/// What a seal did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sealed {
    /// Places that had something to do.
    pub places: u64,
    /// Fresh rows that are in chunks now.
    pub fresh: u64,
    pub chunks_added: u64,
    pub chunks_retired: u64,
}

impl std::ops::AddAssign for Sealed {
    fn add_assign(&mut self, other: Sealed) {
        let Sealed {
            places,
            fresh,
            chunks_added,
            chunks_retired,
        } = other;
        self.places += places;
        self.fresh += fresh;
        self.chunks_added += chunks_added;
        self.chunks_retired += chunks_retired;
    }
}

impl Table {
    /// Turns the fresh rows of closed buckets into chunks, merges chunks that overlap, and sorts
    /// those together of which each has rows of most partition keys.
    ///
    /// With `closed_before`, buckets that reach that value of the first order key are left open; a
    /// table without buckets is one that never closes, and is sealed only without it.
    ///
    /// Readers and writers go on meanwhile. Safe to stop at any time.
    pub async fn seal(self: &Arc<Self>, closed_before: Option<i64>) -> Result<Sealed> {
        let mut places = self.store.places().await?;
        places.retain(|place| self.is_closed(*place, closed_before));
        let turns = Arc::new(Semaphore::new(threads().clamp(2, GROUPS_AT_ONCE)));
        let seals: Vec<_> = places
            .into_iter()
            .map(|place| self.seal_place(place, &turns))
            .collect();
        let mut seals = stream::iter(seals).buffer_unordered(PLACES_AT_ONCE);
        let mut sealed = Sealed::default();
        while let Some(of_place) = seals.try_next().await? {
            sealed += of_place;
        }
        Ok(sealed)
    }

    fn is_closed(&self, place: Place, before: Option<i64>) -> bool {
        let end = |width: i64| place.bucket.saturating_add(1).saturating_mul(width);
        match (before, self.definition.bucket) {
            (None, _) => true,
            (Some(before), Some(width)) => end(width.get()) <= before,
            (Some(_), None) => false,
        }
    }

    async fn seal_place(self: &Arc<Self>, place: Place, turns: &Arc<Semaphore>) -> Result<Sealed> {
        let frozen = self.store.freeze(place).await?;
        failpoint::hit("seal.frozen");
        let snapshot = Snapshot {
            fresh: frozen.rows.clone(),
            chunks: self.store.snapshot(place, KeyRange::EMPTY).await?.chunks,
        };
        let parts = overlap::parts(&self.definition, place, snapshot)?;
        let groups = compaction::groups(&self.definition, parts)?;
        if groups.is_empty() {
            return Ok(Sealed::default());
        }
        let mut sealed = Sealed {
            places: 1,
            fresh: frozen.rows.len() as u64,
            ..Sealed::default()
        };
        let mut change = no_change(place);
        // Each is a task: it goes on, and lets go of what the store has few of, during a commit.
        let mut writing = JoinSet::new();
        for group in groups {
            writing.spawn(Arc::clone(self).written(group, Arc::clone(turns)));
        }
        while let Some(ended) = writing.join_next().await {
            let (retired, added) = ended.map_err(panicked)??;
            if change.add.len() >= CHUNKS_OF_COMMIT {
                // The fresh rows stay until all of them are in chunks: some are in both until then.
                let some = std::mem::replace(&mut change, no_change(place));
                sealed += self.commit(some).await?;
            }
            change.retire.extend(retired);
            change.add.extend(added);
        }
        change.sealed = Some(frozen);
        sealed += self.commit(change).await?;
        failpoint::hit("seal.committed");
        Ok(sealed)
    }

    /// Writes a group as new chunks when it is its turn; tells which ones they replace, and them.
    async fn written(
        self: Arc<Self>,
        group: Part,
        turns: Arc<Semaphore>,
    ) -> Result<(Vec<ChunkId>, Vec<Arc<ChunkMeta>>)> {
        let _turn = turns.acquire().await;
        let (place, retired) = (group.place, group.chunks.iter().map(|chunk| chunk.id));
        let retired = retired.collect();
        let chunks = self.rewritten(group).await?;
        failpoint::hit("seal.encoded");
        self.store.put(place, &chunks).await?;
        failpoint::hit("seal.put");
        let added = chunks.into_iter().map(|chunk| chunk.meta).collect();
        Ok((retired, added))
    }

    async fn commit(&self, change: Change) -> Result<Sealed> {
        let sealed = Sealed {
            chunks_added: change.add.len() as u64,
            chunks_retired: change.retire.len() as u64,
            ..Sealed::default()
        };
        self.store.commit(vec![change]).await?;
        Ok(sealed)
    }

    /// Removes all rows of the buckets that end at or before this value of the first order key, by
    /// whole partitions: nothing is read.
    ///
    /// # Errors
    /// A table without buckets.
    pub async fn drop_before(&self, order_value: i64) -> Result<u64> {
        if self.definition.bucket.is_none() {
            return Err(Error::Invalid(
                "the table has no buckets that could be dropped: it was made without a bucket width"
                    .to_owned(),
            ));
        }
        let mut places = self.store.places().await?;
        places.retain(|place| self.is_closed(*place, Some(order_value)));
        self.store.drop_places(&places).await?;
        Ok(places.len() as u64)
    }

    /// Removes blobs of chunks that were replaced, or never finished, longer ago than `grace`. A
    /// query that is older than that fails: [`crate::store::GRACE`] should be enough for all.
    pub async fn sweep(&self, grace: Duration) -> Result<Swept> {
        self.store.sweep(grace).await
    }
}

fn no_change(place: Place) -> Change {
    Change {
        place,
        add: Vec::new(),
        retire: Vec::new(),
        sealed: None,
    }
}

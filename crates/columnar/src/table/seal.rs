//! Sealing: fresh rows become chunks, and chunks that overlap or are small become fewer.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::selection::Part;
use super::work::{panicked, threads};
use super::{Table, compaction, overlap};
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::store::{Change, KeyRange, Snapshot, Swept};
use crate::{Error, Result, failpoint};

/// The number of places that are sealed at the same time: a store may have to wait for its writers in
/// each.
const PLACES_AT_ONCE: usize = 4;

/// The highest number of groups of chunks that are rewritten at the same time in all places. Each
/// takes a thread and memory.
const GROUPS_AT_ONCE: usize = 4;

/// The number of chunks that are written before they are committed together.
const CHUNKS_OF_COMMIT: usize = 64;

/// The result of a seal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sealed {
    /// The number of places in which something was rewritten.
    pub places: u64,
    /// The number of fresh rows that are in chunks now.
    pub fresh: u64,
    /// The number of chunks that were written.
    pub chunks_added: u64,
    /// The number of chunks that they replace.
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
    /// Turns the fresh rows of closed buckets into chunks, merges chunks that overlap, joins small
    /// ones, and sorts chunks together if each of them has rows of most partition keys.
    ///
    /// A bucket is closed if it ends at or before `closed_before`, a value of the first order key,
    /// and all buckets are if that is `None`. A table without buckets is a single bucket that never
    /// closes otherwise.
    ///
    /// Readers and writers may go on meanwhile, and a seal may be cancelled or killed at any time.
    ///
    /// # Errors
    /// Fails if a chunk is not what was written, or the store fails. The rows stay as they were.
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
        // The fresh rows are those that were frozen, and no others: only these are removed at the end.
        let parts = overlap::parts(&self.definition, place, snapshot)?;
        let groups = compaction::parts_to_rewrite(&self.definition, parts)?;
        if groups.is_empty() {
            return Ok(Sealed::default());
        }
        let mut sealed = Sealed {
            places: 1,
            fresh: frozen.rows.len() as u64,
            ..Sealed::default()
        };
        let mut change = no_change(place);
        // Each group is a task, which goes on during a commit and so releases what it holds of the
        // store's limited resources.
        let mut writing = JoinSet::new();
        for group in groups {
            writing.spawn(Arc::clone(self).written(group, Arc::clone(turns)));
        }
        while let Some(ended) = writing.join_next().await {
            let (retired, added) = ended.map_err(panicked)??;
            if change.add.len() >= CHUNKS_OF_COMMIT {
                // The fresh rows stay until all of them are in chunks. Until then some are in both,
                // with the same write time, so that readers see them once.
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

    /// Writes a group as new chunks when it is its turn. Returns the names of the chunks that are
    /// replaced, and the new chunks.
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

    /// Removes all rows of the buckets that end at or before this value of the first order key,
    /// without reading them. Returns the number of places that were removed.
    ///
    /// # Errors
    /// Fails if the table has no buckets, or the store fails.
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

    /// Removes chunks that were replaced, or never committed, longer ago than `grace`. A query that
    /// began before may fail; [`GRACE`](crate::GRACE) should be enough for all queries.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn sweep(&self, grace: Duration) -> Result<Swept> {
        self.store.sweep(grace).await
    }
}

/// Returns a change that changes nothing yet.
fn no_change(place: Place) -> Change {
    Change {
        place,
        add: Vec::new(),
        retire: Vec::new(),
        sealed: None,
    }
}

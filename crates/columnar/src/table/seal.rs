//! Fresh rows become chunks, and chunks that overlap or are small become few.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array};
use arrow::compute::interleave;

use super::chunker::{ChunkBuilder, pieces};
use super::clock::write_time;
use super::merge::{Versions, newest};
use super::selection::Part;
use super::{Table, compaction, fresh, overlap};
use crate::definition::Place;
use crate::failpoint;
use crate::store::{Change, Chunk, KeyRange, Snapshot, Swept};
use crate::{Error, Result};

/// How long the fact that a key is deleted is kept, for older versions that come late.
const DELETIONS_KEPT: Duration = Duration::from_secs(10 * 24 * 3600);

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
    /// Turns the fresh rows of closed buckets into chunks and merges chunks that overlap.
    ///
    /// With `closed_before`, buckets that reach that value of the first order key are left open; a
    /// table without buckets is one that never closes, and is sealed only without it.
    ///
    /// Readers and writers go on meanwhile. Safe to stop at any time.
    pub async fn seal(&self, closed_before: Option<i64>) -> Result<Sealed> {
        let mut sealed = Sealed::default();
        for place in self.store.places().await? {
            if self.is_closed(place, closed_before) {
                sealed += self.seal_place(place).await?;
            }
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

    async fn seal_place(&self, place: Place) -> Result<Sealed> {
        let frozen = self.store.freeze(place).await?;
        failpoint::hit("seal.frozen");
        let chunks = self
            .store
            .snapshot(place, KeyRange::default())
            .await?
            .chunks;
        let fresh = frozen.rows.clone();
        let parts = overlap::parts(&self.definition, place, Snapshot { fresh, chunks })?;
        let groups = compaction::groups(&self.definition, parts)?;
        if groups.is_empty() {
            return Ok(Sealed::default());
        }
        let mut change = Change {
            place,
            add: Vec::new(),
            retire: Vec::new(),
            sealed: None,
        };
        for group in groups {
            let chunks = self.rewritten(&group).await?;
            failpoint::hit("seal.encoded");
            self.store.put(place, &chunks).await?;
            failpoint::hit("seal.put");
            change
                .add
                .extend(chunks.into_iter().map(|chunk| chunk.meta));
            change
                .retire
                .extend(group.chunks.iter().map(|chunk| chunk.id));
        }
        let sealed = Sealed {
            places: 1,
            fresh: frozen.rows.len() as u64,
            chunks_added: change.add.len() as u64,
            chunks_retired: change.retire.len() as u64,
        };
        change.sealed = Some(frozen);
        self.store.commit(vec![change]).await?;
        failpoint::hit("seal.committed");
        Ok(sealed)
    }

    /// The newest versions of a group as chunks. One column of all its chunks is in memory at once.
    async fn rewritten(&self, group: &Part) -> Result<Vec<Chunk>> {
        let mut sources = Vec::with_capacity(group.chunks.len() + 1);
        for chunk in &group.chunks {
            sources.push(self.versions(group.place, chunk, &[]).await?.0);
        }
        sources.push(fresh::versions(&self.definition, &group.fresh)?);
        let fresh = fresh::rows(&self.definition, &group.fresh)?;
        let expired = write_time().saturating_sub(DELETIONS_KEPT.as_micros() as i64);
        let is_kept = |(source, row): &(usize, usize)| {
            let versions = &sources[*source];
            !versions.is_deleted(*row) || versions.write_times.of(*row) >= expired
        };
        let rows: Vec<_> = newest(&sources).into_iter().filter(is_kept).collect();
        let pieces = pieces(&self.definition, rows.len());
        let mut chunks: Vec<ChunkBuilder> = Vec::with_capacity(pieces.len());
        for piece in &pieces {
            chunks.push(self.begun(&sources, &rows[piece.clone()])?);
        }
        for (number, column) in self.definition.columns.iter().enumerate() {
            let mut arrays = Vec::with_capacity(sources.len());
            for chunk in &group.chunks {
                arrays.extend(self.column(group.place, chunk, number as u16).await?);
            }
            arrays.push(Arc::clone(fresh.column(number)));
            let arrays: Vec<&dyn Array> = arrays.iter().map(|a| a.as_ref()).collect();
            for (piece, chunk) in pieces.iter().zip(&mut chunks) {
                let merged: ArrayRef =
                    interleave(&arrays, &rows[piece.clone()]).map_err(|source| Error::Arrow {
                        doing: "merging chunks",
                        source,
                    })?;
                chunk.add_column(column.kind, &merged)?;
            }
        }
        chunks.into_iter().map(ChunkBuilder::finish).collect()
    }

    fn begun(&self, sources: &[Versions], rows: &[(usize, usize)]) -> Result<ChunkBuilder> {
        let key = |at: Option<&(usize, usize)>| {
            at.map(|(source, row)| sources[*source].keys.key(*row))
                .unwrap_or_default()
        };
        let time = |(source, row): &(usize, usize)| sources[*source].write_times.of(*row);
        let deleted = |(source, row): &(usize, usize)| Some(sources[*source].is_deleted(*row));
        let times: Int64Array = rows.iter().map(time).collect();
        let deleted: BooleanArray = rows.iter().map(deleted).collect();
        let (first, last) = (key(rows.first()), key(rows.last()));
        ChunkBuilder::new(self.definition.profile, first, last, times, Some(deleted))
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

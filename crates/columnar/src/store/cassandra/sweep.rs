//! Removing what is no longer needed: dropped places, replaced chunks, and chunks that were never
//! committed.

use std::ops::RangeInclusive;
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};

use super::CassandraStore;
use super::chunks::{PACKED, is_packed};
use super::client::{as_rows, each_row};
use super::commit::RENEWAL_HOLDS;
use super::index::{NAMES_AT_ONCE, States, chunk_id, name, names};
use super::names::Part;
use super::options::{FREEZE_WAIT, PLACES_AT_ONCE};
use super::place_row::Row;
use super::places::{cql_shard, key};
use super::retry::server;
use super::time::{
    after_all_chunks, chunk_timestamp, deletion_timestamp, last_named, now_milliseconds,
    up_to_milliseconds,
};
use crate::id::{ChunkId, Place};
use crate::machine::sleep;
use crate::meta::read::read_meta;
use crate::store::Swept;
use crate::{Error, Result, failpoint};

/// A place that is about to be deleted.
struct Unlisted {
    place: Place,
    /// The generations that may have rows.
    generations: RangeInclusive<i64>,
}

/// The latest moments of what is swept, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy)]
struct Age {
    before: i64,
    renewed_before: i64,
}

impl Age {
    fn new(grace: Duration) -> Self {
        let ago = |age: Duration| {
            let milliseconds = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            now_milliseconds().saturating_sub(milliseconds)
        };
        Age {
            before: ago(grace),
            renewed_before: ago(grace.max(RENEWAL_HOLDS)),
        }
    }

    fn is_retired(&self, states: &States) -> bool {
        states.retired.is_some_and(|at| at <= self.before)
    }

    fn is_given_up(&self, states: &States) -> bool {
        let is_renewed = states.renewed.is_some_and(|at| at > self.renewed_before);
        let is_old = states.put.is_none_or(|at| at <= self.before);
        states.is_pending() && is_old && !is_renewed
    }
}

impl CassandraStore {
    /// Drops places: they are removed from the list first, and once all writers know that,
    /// everything that was written before is deleted, one partition at a time. If this is
    /// interrupted, a sweep does the rest.
    pub(super) async fn drop_all_of(&self, dropped: &[Place]) -> Result<()> {
        // Before anything is changed: if it failed afterwards, a sweep would do the rest up to the time of a
        // clock that is behind, and leave the chunks that were named later.
        last_named().map_err(|reason| self.cannot_drop(reason))?;
        let dropped = stream::iter(dropped.iter().copied());
        let unlist = dropped
            .map(|place| self.unlist(place))
            .buffer_unordered(PLACES_AT_ONCE);
        let unlisted: Vec<Option<Unlisted>> = unlist.try_collect().await?;
        let unlisted: Vec<Unlisted> = unlisted.into_iter().flatten().collect();
        if unlisted.is_empty() {
            return Ok(());
        }
        failpoint::hit("cassandra.drop.unlisted");
        sleep(FREEZE_WAIT).await;
        let timestamp = after_all_chunks()
            .await
            .map_err(|reason| self.cannot_drop(reason))?;
        let delete = stream::iter(unlisted).map(|place| self.delete_place(place, timestamp));
        delete.buffer_unordered(PLACES_AT_ONCE).try_collect().await
    }

    fn cannot_drop(&self, reason: String) -> Error {
        let task = self.client.task_of_all("dropping places", Part::Places);
        server(&task, reason)
    }

    /// Removes a place from the list. Returns `None` if it has been dropped completely before.
    async fn unlist(&self, place: Place) -> Result<Option<Unlisted>> {
        let places = self.place_rows();
        let Some(row) = places.read(place).await? else {
            return Ok(None);
        };
        let first = *row.generations().start();
        let last = match (row.is_dropped(), row.unfinished_drop()) {
            (true, None) => return Ok(None),
            (true, Some(_)) => row.opened,
            (false, _) => {
                let last = row.opened + 1;
                places.drop(place, last).await?;
                last
            }
        };
        Ok(Some(Unlisted {
            place,
            generations: first..=last,
        }))
    }

    /// Deletes everything in a place: chunks that were written up to a timestamp, and all rows of these generations.
    async fn delete_place(&self, unlisted: Unlisted, timestamp: i64) -> Result<()> {
        let Unlisted { place, generations } = unlisted;
        let values = (timestamp, cql_shard(place.shard), place.bucket);
        for (part, statement) in [
            (Part::Index, &self.statements.index.delete_place),
            (Part::Chunks, &self.statements.chunks.delete_place),
        ] {
            let task = self.client.task("deleting everything", place, part);
            self.client.execute(&task, statement, values).await?;
            failpoint::hit("cassandra.drop.deleted");
        }
        let last = *generations.end();
        // No number is used twice, so that this hides nothing that comes later, and rows may have any write time.
        self.delete_generations(place, generations, i64::MAX)
            .await?;
        self.place_rows().seal(place, last).await
    }

    /// Sweeps all places.
    pub(super) async fn sweep_all(&self, grace: Duration) -> Result<Swept> {
        let places = self.place_rows().all(self.definition.shards).await?;
        let sweep = stream::iter(places).map(|(place, row)| self.sweep_or_drop(place, row, grace));
        let swept: Vec<u64> = sweep.buffer_unordered(PLACES_AT_ONCE).try_collect().await?;
        Ok(Swept {
            chunks: swept.iter().sum(),
        })
    }

    async fn sweep_or_drop(&self, place: Place, row: Row, grace: Duration) -> Result<u64> {
        if !row.is_dropped() {
            return self.sweep_place(place, grace).await;
        }
        if let Some(dropped) = row.unfinished_drop() {
            // The place may be in use again since then, so that only what is older may go. That is so if
            // clocks agree: a place that is in use again by a clock that is behind could lose chunks.
            let generations = row.generations();
            let timestamp = up_to_milliseconds(dropped);
            self.delete_place(Unlisted { place, generations }, timestamp)
                .await?;
        }
        Ok(0)
    }

    async fn sweep_place(&self, place: Place, grace: Duration) -> Result<u64> {
        let age = Age::new(grace);
        let states = self.states(place, None).await?;
        let retired = states.iter().filter(|s| age.is_retired(s));
        let mut swept: Vec<ChunkId> = retired.map(|s| s.chunk).collect();
        let pending: Vec<ChunkId> = states
            .iter()
            .filter(|s| age.is_given_up(s))
            .map(|s| s.chunk)
            .collect();
        if !pending.is_empty() {
            swept.extend(self.abandon(place, &pending, age).await?);
        }
        if !swept.is_empty() {
            self.delete_chunks(place, &swept).await?;
        }
        Ok(swept.len() as u64)
    }

    /// Marks pending chunks so that no writer can commit them any more, and returns those that no
    /// writer was about to commit.
    async fn abandon(&self, place: Place, pending: &[ChunkId], age: Age) -> Result<Vec<ChunkId>> {
        let task = self.client.task("abandoning chunks", place, Part::Index);
        let now = now_milliseconds();
        let (shard, bucket) = key(place);
        let statement = &self.statements.index.abandon;
        let mark = |id: &ChunkId| {
            (
                statement,
                (chunk_timestamp(*id), now, shard, bucket, name(*id)),
            )
        };
        let marks: Vec<_> = pending.iter().map(mark).collect();
        self.client.in_batches(&task, &marks, |_| 64).await?;
        failpoint::hit("cassandra.sweep.abandoned");
        let mut states = self.states(place, Some(pending)).await?;
        states.retain(|s| age.is_given_up(s));
        Ok(states.into_iter().map(|s| s.chunk).collect())
    }

    /// Deletes chunks, their blobs first, so that the remains of an interrupted sweep are still found.
    async fn delete_chunks(&self, place: Place, chunks: &[ChunkId]) -> Result<()> {
        for some in chunks.chunks(NAMES_AT_ONCE) {
            for (id, columns) in self.columns_of(place, some).await? {
                self.delete_blobs(place, id, columns).await?;
                failpoint::hit("cassandra.sweep.blobs");
            }
            let task = self.client.task("deleting chunks", place, Part::Index);
            let (shard, bucket) = key(place);
            let statement = &self.statements.index.delete;
            let delete = |id: &ChunkId| {
                (
                    statement,
                    (deletion_timestamp(*id), shard, bucket, name(*id)),
                )
            };
            let deletes: Vec<_> = some.iter().map(delete).collect();
            self.client.in_batches(&task, &deletes, |_| 64).await?;
            failpoint::hit("cassandra.sweep.index");
        }
        Ok(())
    }

    /// Returns the columns in which chunks have rows.
    async fn columns_of(
        &self,
        place: Place,
        chunks: &[ChunkId],
    ) -> Result<Vec<(ChunkId, Vec<i16>)>> {
        let task = self
            .client
            .task("reading what chunks consist of", place, Part::Index);
        let values = (cql_shard(place.shard), place.bucket, names(chunks));
        let statement = &self.statements.index.metas_of;
        let answer = self.client.execute(&task, statement, values).await?;
        // Columns, write times and flags of deleted rows.
        let all = self.definition.columns.len() + 2;
        each_row(
            &task,
            &as_rows(&task, answer)?,
            |(chunk, meta): (&[u8], Option<&[u8]>)| {
                let id = chunk_id(&task, chunk)?;
                let columns = match read_meta(meta.unwrap_or_default()) {
                    Ok(meta) if is_packed(&meta) => vec![PACKED],
                    Ok(meta) => (0..meta.blobs.len() as i16).collect(),
                    // The metadata is damaged, so that all columns come that any chunk may have.
                    Err(_) => (PACKED..all as i16).collect(),
                };
                Ok((id, columns))
            },
        )
    }

    /// Deletes blobs of a chunk.
    async fn delete_blobs(&self, place: Place, id: ChunkId, columns: Vec<i16>) -> Result<()> {
        let task = self.client.task("deleting blobs", place, Part::Chunks);
        let (shard, bucket) = key(place);
        let statement = &self.statements.chunks.delete;
        let delete = |column: i16| {
            (
                statement,
                (deletion_timestamp(id), shard, bucket, column, name(id)),
            )
        };
        let deletes: Vec<_> = columns.into_iter().map(delete).collect();
        self.client.in_batches(&task, &deletes, |_| 64).await
    }
}

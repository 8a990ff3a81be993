//! Commits: changes of a place that become visible at once.
//!
//! A sweep deletes rows of the index that stay pending. To make sure that it never does so during a
//! commit of the same chunks, each of the two first writes what it is about to do (a commit `renewed`, a
//! sweep `abandoned`) and then looks for what the other has written: at least one of them sees the other
//! and gives way. A commit can rely on what it has renewed for [`RENEWAL_HOLDS`], and uses it for at most
//! [`COMMIT_WITHIN`].

use std::collections::HashMap;
use std::time::Duration;

use scylla::serialize::row::SerializeRow;
use uuid::Uuid;

use super::CassandraStore;
use super::index::name;
use super::names::Part;
use super::options::BLOB_BYTES_AT_MOST;
use super::places::key;
use super::retry::server;
use super::time::{Moment, chunk_timestamp, now_milliseconds, renewal_timestamp};
use super::version::after;
use crate::id::{ChunkId, Place};
use crate::meta::write::write_meta;
use crate::store::{Change, Chunk};
use crate::{Error, Result, failpoint};

/// The highest number of chunks that a commit can change in a place: that of statements in a batch of
/// CQL, without the one for the version of the index.
const CHUNKS_OF_COMMIT_AT_MOST: usize = u16::MAX as usize - 1;

/// The values of a statement of one of several kinds.
type Values = Box<dyn SerializeRow + Send + Sync>;

/// The time for which a sweep leaves a chunk alone that a commit has renewed: as long as Cassandra
/// by default remembers deletions in the index. Otherwise a commit that a node gets only later, by
/// a hint or a repair, would retire chunks without adding those that replace them.
pub const RENEWAL_HOLDS: Duration = Duration::from_secs(10 * 24 * 3600);

/// The longest time from the beginning of the renewal until the commit is sent for the last time. It leaves
/// room for all attempts, and is little of [`RENEWAL_HOLDS`].
pub const COMMIT_WITHIN: Duration = Duration::from_secs(600);

impl CassandraStore {
    /// Notes in the index that the blobs of these chunks are about to be written.
    pub(super) async fn put_pending(&self, place: Place, chunks: &[Chunk]) -> Result<()> {
        let task = self.client.task("announcing chunks", place, Part::Index);
        let now = now_milliseconds();
        let (shard, bucket) = key(place);
        let mut rows = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let id = chunk.meta.id;
            let meta = write_meta(&chunk.meta);
            if meta.len() > BLOB_BYTES_AT_MOST {
                return Err(Error::Invalid(format!(
                    "what is known of chunk {id} of {place} takes {} bytes, and at most \
                     {BLOB_BYTES_AT_MOST} are possible in Cassandra; use shorter keys",
                    meta.len()
                )));
            }
            let values = (shard, bucket, name(id), now, meta, chunk_timestamp(id));
            rows.push((&self.statements.index.put, values));
        }
        let bytes = |values: &(i32, i64, [u8; 16], i64, Vec<u8>, i64)| 64 + values.4.len();
        self.client.in_batches(&task, &rows, bytes).await
    }

    /// Commits a change.
    pub(super) async fn commit_change(&self, change: Change) -> Result<()> {
        let place = change.place;
        let add: Vec<ChunkId> = change.add.iter().map(|meta| meta.id).collect();
        let mut renewed = None;
        if !add.is_empty() {
            self.place_rows().list(place).await?;
            renewed = Some(Moment::now());
            self.renew(place, &add).await?;
            failpoint::hit("cassandra.commit.renewed");
        }
        self.change_states(place, &add, &change.retire, renewed)
            .await?;
        failpoint::hit("cassandra.commit.index");
        match &change.sealed {
            Some(sealed) => self.remove_sealed(place, sealed).await,
            None => Ok(()),
        }
    }

    /// Makes sure that no sweep removes chunks that are about to be committed.
    async fn renew(&self, place: Place, add: &[ChunkId]) -> Result<()> {
        let task = self.client.task("preparing a commit", place, Part::Index);
        let now = now_milliseconds();
        let (shard, bucket) = key(place);
        let statement = &self.statements.index.renew;
        let renewal = |id: &ChunkId| {
            (
                statement,
                (renewal_timestamp(*id), now, shard, bucket, name(*id)),
            )
        };
        let renewals: Vec<_> = add.iter().map(renewal).collect();
        self.client.in_batches(&task, &renewals, |_| 64).await?;
        let states = self.states(place, Some(add)).await?;
        let ready: HashMap<ChunkId, bool> = states
            .iter()
            .map(|s| (s.chunk, s.can_be_committed()))
            .collect();
        match add.iter().find(|id| ready.get(id) != Some(&true)) {
            None => Ok(()),
            Some(id) => Err(server(
                &task,
                format!(
                    "chunk {id} is not there: it was never put, or was dropped or swept away while \
                     it waited to be committed; write its rows again"
                ),
            )),
        }
    }

    /// Makes chunks valid and others invalid, in one batch. `renewed` is when the renewal began of those that
    /// become valid.
    async fn change_states(
        &self,
        place: Place,
        add: &[ChunkId],
        retire: &[ChunkId],
        renewed: Option<Moment>,
    ) -> Result<()> {
        let task = self.client.task("committing chunks", place, Part::Index);
        if add.len() + retire.len() > CHUNKS_OF_COMMIT_AT_MOST {
            return Err(Error::Invalid(format!(
                "a commit changes at most {CHUNKS_OF_COMMIT_AT_MOST} chunks of {place}, not {}",
                add.len() + retire.len()
            )));
        }
        if add.is_empty() && retire.is_empty() {
            return Ok(());
        }
        let began = Moment::now();
        let found = self.version(place).await?;
        let now = now_milliseconds();
        let (shard, bucket) = key(place);
        let index = &self.statements.index;
        let values = |id: &ChunkId| {
            let values = (chunk_timestamp(*id), now, shard, bucket, name(*id));
            Box::new(values) as Values
        };
        let put_version = Box::new((after(found), Uuid::now_v7(), shard, bucket)) as Values;
        let mut all = vec![(&index.put_version, put_version)];
        all.extend(add.iter().map(|id| (&index.commit, values(id))));
        all.extend(retire.iter().map(|id| (&index.retire, values(id))));
        let is_sent = self
            .client
            .together_while(&task, &all, || can_rely_on(renewed))
            .await?;
        if is_sent {
            self.see_to_version(place, began).await
        } else {
            let limit = COMMIT_WITHIN.as_secs();
            Err(server(
                &task,
                format!(
                    "more than {limit} s have passed since it was prepared: this machine slept, or the \
                     nodes are overloaded; try again"
                ),
            ))
        }
    }
}

/// Returns whether a commit may still be sent whose chunks were renewed at some moment, if it adds any. Later
/// a sweep may have removed them, and it would retire others without adding these.
fn can_rely_on(renewed: Option<Moment>) -> bool {
    renewed.is_none_or(|began| began.elapsed() < COMMIT_WITHIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_not_sent_long_after_its_chunks_were_renewed() {
        assert!(can_rely_on(None));
        assert!(can_rely_on(Some(Moment::ago(COMMIT_WITHIN / 2))));
        assert!(!can_rely_on(Some(Moment::ago(COMMIT_WITHIN))));
        assert!(!can_rely_on(Some(Moment::ago(2 * RENEWAL_HOLDS))));
    }
}

//! Which chunks a place has.
//!
//! A row of the index begins its life *pending*, when its blobs are about to be put; a commit makes
//! it *valid* and others *retired*, in one batch of one partition, which Cassandra applies as a
//! whole. Each of these is a column of its own that is written once, so that no write undoes
//! another one.
//!
//! A sweep deletes rows that stay pending. So that it never does so beneath a commit, each of the
//! two first writes down what it is about to do, a commit `renewed`, a sweep `abandoned`, and then
//! looks for what the other wrote: one at least sees the other, and gives way. What a commit has
//! renewed it may count on for [`RENEWAL_HOLDS`], and uses for [`COMMIT_WITHIN`] at most.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::try_join;
use tokio::time::Instant;
use uuid::Uuid;

use super::CassandraStore;
use super::client::{Task, as_rows, each_row};
use super::names::Part;
use super::options::BLOB_BYTES_AT_MOST;
use super::places::{cql_shard, key};
use super::retry::server;
use super::time::{now_milliseconds, of_chunk, of_renewal};
use crate::codec::{read_meta, write_meta};
use crate::definition::Place;
use crate::meta::{ChunkId, ChunkMeta};
use crate::store::{Change, Chunk, GRACE, KeyRange, Snapshot};
use crate::{Error, Result, failpoint};

/// Chunks that are asked for by name at once.
pub(super) const NAMES_AT_ONCE: usize = 500;

/// Chunks that a commit can change in a place, as CQL has it.
const CHUNKS_OF_COMMIT_AT_MOST: usize = u16::MAX as usize;

/// How long a sweep leaves a chunk alone that a commit has renewed.
pub(super) const RENEWAL_HOLDS: Duration = GRACE;

/// How soon after it began to renew chunks a commit is sent. With all attempts to send it, this is
/// over long before a sweep takes the chunks away.
const COMMIT_WITHIN: Duration = Duration::from_secs(60);

/// How often a commit is prepared anew because that took too long.
const RENEWALS_AT_MOST: usize = 3;

/// When what happened to a chunk, in milliseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct States {
    pub(super) chunk: ChunkId,
    pub(super) put: Option<i64>,
    pub(super) renewed: Option<i64>,
    pub(super) abandoned: Option<i64>,
    pub(super) committed: Option<i64>,
    pub(super) retired: Option<i64>,
}

impl States {
    pub(super) fn is_valid(&self) -> bool {
        is_valid(self.committed, self.retired)
    }

    pub(super) fn is_pending(&self) -> bool {
        self.committed.is_none() && self.retired.is_none()
    }

    fn can_be_committed(&self) -> bool {
        self.put.is_some() && (self.abandoned.is_none() || self.committed.is_some())
    }
}

type StateColumns<'a> = (
    &'a [u8],
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    Option<i64>,
);

impl CassandraStore {
    /// A seal commits chunks before it removes their fresh rows, so that no row is missed when
    /// fresh rows are read first.
    pub(super) async fn read_place(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        let places = self.place_rows();
        let guess = places.remembered(place);
        let early = async {
            match guess.clone() {
                Some(guess) => self.read_fresh(place, guess, keys).await,
                None => Ok(Vec::new()),
            }
        };
        let (row, early) = try_join!(places.read(place), early)?;
        let Some(row) = row.filter(|row| !row.is_dropped()) else {
            return Ok(Snapshot::default());
        };
        let fresh = match guess == Some(row.generations()) {
            true => early,
            false => self.read_fresh(place, row.generations(), keys).await?,
        };
        let chunks = self.valid_chunks(place).await?;
        Ok(Snapshot { fresh, chunks })
    }

    /// In one read that is not cut into pages, so that it sees each commit whole or not at all.
    async fn valid_chunks(&self, place: Place) -> Result<Vec<Arc<ChunkMeta>>> {
        type Columns<'a> = (&'a [u8], Option<i64>, Option<i64>, Option<&'a [u8]>);
        let task = self.client.task("reading the index", place, Part::Index);
        let statement = &self.statements.index.read;
        let answer = self.client.execute(&task, statement, key(place)).await?;
        let rows = as_rows(&task, answer)?;
        let valid = each_row(
            &task,
            &rows,
            |(chunk, committed, retired, meta): Columns<'_>| {
                let chunk = chunk_id(&task, chunk)?;
                let meta = || meta_of(place, chunk, meta.unwrap_or_default());
                is_valid(committed, retired).then(meta).transpose()
            },
        )?;
        Ok(valid.into_iter().flatten().map(Arc::new).collect())
    }

    /// States of all chunks of a place, or of some that are named, as far as they are there.
    pub(super) async fn states(
        &self,
        place: Place,
        chunks: Option<&[ChunkId]>,
    ) -> Result<Vec<States>> {
        let task = self
            .client
            .task("reading the states of chunks", place, Part::Index);
        let statements = &self.statements.index;
        let Some(chunks) = chunks else {
            let answer = self
                .client
                .execute(&task, &statements.states, key(place))
                .await?;
            return each_row(&task, &as_rows(&task, answer)?, |row| states(&task, row));
        };
        let mut found = Vec::with_capacity(chunks.len());
        for some in chunks.chunks(NAMES_AT_ONCE) {
            let values = (cql_shard(place.shard), place.bucket, names(some));
            let answer = self
                .client
                .execute(&task, &statements.states_of, values)
                .await?;
            let rows = as_rows(&task, answer)?;
            found.extend(each_row(&task, &rows, |row| states(&task, row))?);
        }
        Ok(found)
    }

    /// Notes that the blobs of these chunks are about to be put.
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
            let values = (shard, bucket, name(id), now, meta, of_chunk(id));
            rows.push((&self.statements.index.put, values));
        }
        let bytes = |values: &(i32, i64, [u8; 16], i64, Vec<u8>, i64)| 64 + values.4.len();
        self.client.in_batches(&task, &rows, bytes).await
    }

    pub(super) async fn commit_change(&self, change: Change) -> Result<()> {
        let place = change.place;
        let add: Vec<ChunkId> = change.add.iter().map(|meta| meta.id).collect();
        if !add.is_empty() {
            try_join!(
                self.renew_in_time(place, &add),
                self.place_rows().list(place)
            )?;
            failpoint::hit("cassandra.commit.renewed");
        }
        self.change_states(place, &add, &change.retire).await?;
        failpoint::hit("cassandra.commit.index");
        match &change.sealed {
            Some(sealed) => self.remove_sealed(place, sealed).await,
            None => Ok(()),
        }
    }

    async fn renew_in_time(&self, place: Place, add: &[ChunkId]) -> Result<()> {
        for _ in 0..RENEWALS_AT_MOST {
            let began = Instant::now();
            self.renew(place, add).await?;
            if began.elapsed() < COMMIT_WITHIN {
                return Ok(());
            }
        }
        let task = self.client.task("preparing a commit", place, Part::Index);
        let limit = COMMIT_WITHIN.as_secs();
        Err(server(
            &task,
            format!(
                "it took more than {limit} s {RENEWALS_AT_MOST} times; check that the nodes are not \
                 overloaded, and try again"
            ),
        ))
    }

    /// Makes sure that no sweep takes chunks away that are about to be committed.
    async fn renew(&self, place: Place, add: &[ChunkId]) -> Result<()> {
        let task = self.client.task("preparing a commit", place, Part::Index);
        let now = now_milliseconds();
        let (shard, bucket) = key(place);
        let statement = &self.statements.index.renew;
        let renewal = |id: &ChunkId| (statement, (of_renewal(*id), now, shard, bucket, name(*id)));
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

    async fn change_states(&self, place: Place, add: &[ChunkId], retire: &[ChunkId]) -> Result<()> {
        let task = self.client.task("committing chunks", place, Part::Index);
        if add.len() + retire.len() > CHUNKS_OF_COMMIT_AT_MOST {
            return Err(Error::Invalid(format!(
                "a commit changes at most {CHUNKS_OF_COMMIT_AT_MOST} chunks of {place}, not {}",
                add.len() + retire.len()
            )));
        }
        let now = now_milliseconds();
        let (shard, bucket) = key(place);
        let index = &self.statements.index;
        let values = |id: &ChunkId| (of_chunk(*id), now, shard, bucket, name(*id));
        let add = add.iter().map(|id| (&index.commit, values(id)));
        let retire = retire.iter().map(|id| (&index.retire, values(id)));
        let all: Vec<_> = add.chain(retire).collect();
        match all.is_empty() {
            true => Ok(()),
            false => self.client.together(&task, &all).await,
        }
    }
}

fn is_valid(committed: Option<i64>, retired: Option<i64>) -> bool {
    committed.is_some() && retired.is_none()
}

pub(super) fn name(chunk: ChunkId) -> [u8; 16] {
    chunk.0.into_bytes()
}

pub(super) fn names(chunks: &[ChunkId]) -> Vec<[u8; 16]> {
    chunks.iter().copied().map(name).collect()
}

pub(super) fn chunk_id(task: &Task<'_>, name: &[u8]) -> Result<ChunkId> {
    let id = Uuid::from_slice(name).map(ChunkId);
    id.map_err(|_| {
        server(
            task,
            format!(
                "a chunk's name has {} bytes instead of 16: the row is damaged",
                name.len()
            ),
        )
    })
}

fn states(task: &Task<'_>, row: StateColumns<'_>) -> Result<States> {
    Ok(States {
        chunk: chunk_id(task, row.0)?,
        put: row.1,
        renewed: row.2,
        abandoned: row.3,
        committed: row.4,
        retired: row.5,
    })
}

fn meta_of(place: Place, chunk: ChunkId, bytes: &[u8]) -> Result<ChunkMeta> {
    let corrupt = |reason: String| Error::Corrupt {
        chunk,
        place,
        what: "its row of the index".to_owned(),
        reason,
    };
    let meta = read_meta(bytes).map_err(corrupt)?;
    match meta.id == chunk {
        true => Ok(meta),
        false => Err(corrupt(format!("it is that of chunk {}", meta.id))),
    }
}

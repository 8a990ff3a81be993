//! The index: the chunks of each place.
//!
//! A row of the index begins as *pending*, when the blobs of its chunk are about to be written. A commit
//! makes it *valid* and others *retired*, in one batch of one partition, which Cassandra applies as a
//! whole. Each of these states has its own column, which is written once, so that no write undoes
//! another one.
//!
//! One row of each place belongs to no chunk: it has the version of the index (`version.rs`).

use std::sync::Arc;
use std::time::Duration;

use futures::try_join;
use uuid::Uuid;

use super::CassandraStore;
use super::client::{Task, as_rows, each_row};
use super::names::Part;
use super::place_row::Row;
use super::places::{cql_shard, key};
use super::retry::server;
use super::version::Index;
use crate::definition::Definition;
use crate::id::{ChunkId, Place};
use crate::machine::sleep;
use crate::meta::ChunkMeta;
use crate::meta::read::read_meta;
use crate::store::{FreshRow, KeyRange, Snapshot};
use crate::{Error, Result};

/// The highest number of chunks in a request that names them.
pub(super) const NAMES_AT_ONCE: usize = 500;

/// The number of times that an index is read in which a chunk lacks its metadata, and the time in between: all
/// together far longer than a write takes from one replica to the next.
const READS_AT_MOST: usize = 5;
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// The moments at which a chunk changed its state, in milliseconds since 1970-01-01 UTC.
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

    pub(super) fn can_be_committed(&self) -> bool {
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
    /// Reads the fresh rows and the chunks of a place. The place's own row, its fresh rows and its chunks
    /// are requested at the same time, and the answers count if nothing can have moved from fresh rows to
    /// chunks meanwhile.
    pub(super) async fn read_place(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        let places = self.place_rows();
        let Some(guess) = places.remembered(place) else {
            let row = places.read(place).await?;
            return self.read_place_in_turn(place, row, keys, None).await;
        };
        let (row, fresh, chunks) = try_join!(
            places.read(place),
            self.read_fresh(place, guess.clone(), keys),
            self.valid_chunks(place)
        )?;
        let is_same = |row: &Row| row.generations() == guess;
        let fresh = row.as_ref().is_some_and(is_same).then_some(fresh);
        match (row, fresh) {
            (Some(row), Some(fresh)) if row.is_quiet() => Ok(Snapshot { fresh, chunks }),
            (row, fresh) => self.read_place_in_turn(place, row, keys, fresh).await,
        }
    }

    /// Reads fresh rows first and chunks afterwards. A seal commits chunks before it removes their fresh
    /// rows, so that no row is missed in this order.
    async fn read_place_in_turn(
        &self,
        place: Place,
        row: Option<Row>,
        keys: KeyRange<'_>,
        fresh: Option<Vec<FreshRow>>,
    ) -> Result<Snapshot> {
        let Some(row) = row.filter(|row| !row.is_dropped()) else {
            return Ok(Snapshot::default());
        };
        let fresh = match fresh {
            Some(fresh) => fresh,
            None => self.read_fresh(place, row.generations(), keys).await?,
        };
        let chunks = self.valid_chunks(place).await?;
        if row.is_leased() || !self.is_dropped(place).await? {
            Ok(Snapshot { fresh, chunks })
        } else {
            Ok(Snapshot::default())
        }
    }

    /// Returns whether a drop may have removed chunks that were being read.
    async fn is_dropped(&self, place: Place) -> Result<bool> {
        let row = self.place_rows().read(place).await?;
        Ok(row.is_none_or(|row| row.is_dropped()))
    }

    /// Reads the index of a place. Replicas answer at different moments, and one that missed a chunk's
    /// metadata may have its commit already, of which the other one knows nothing yet. Such an answer is
    /// asked for again.
    pub(super) async fn read_index(&self, place: Place) -> Result<Index> {
        let mut reads = 1;
        loop {
            match self.read_index_once(place).await? {
                (index, None) => {
                    let chunks = index.chunks.iter();
                    self.write_times
                        .see(chunks.map(|chunk| chunk.max_write_time));
                    return Ok(index);
                }
                (_, Some(_)) if reads < READS_AT_MOST => sleep(AGAIN_AFTER).await,
                (_, Some(chunk)) => {
                    return Err(corrupt(place, chunk, "it has no metadata".to_owned()));
                }
            }
            reads += 1;
        }
    }

    /// Reads the index of a place in one page, so that each commit is seen as a whole or not at all, and
    /// returns with it a valid chunk without metadata, if there is one.
    async fn read_index_once(&self, place: Place) -> Result<(Index, Option<ChunkId>)> {
        type Columns<'a> = (
            &'a [u8],
            Option<i64>,
            Option<i64>,
            Option<&'a [u8]>,
            Option<Uuid>,
            Option<i64>,
        );
        let task = self.client.task("reading the index", place, Part::Index);
        let statement = &self.statements.index.read;
        let answer = self.client.execute(&task, statement, key(place)).await?;
        let mut index = Index {
            version: None,
            chunks: Vec::new(),
        };
        let mut incomplete = None;
        each_row(&task, &as_rows(&task, answer)?, |row: Columns<'_>| {
            let (chunk, committed, retired, meta, version, written) = row;
            if let Some(version) = version.zip(written) {
                index.version = Some(version);
            } else if is_valid(committed, retired) {
                let chunk = chunk_id(&task, chunk)?;
                match meta {
                    Some(meta) => {
                        let meta = meta_of(&self.definition, place, chunk, meta)?;
                        index.chunks.push(Arc::new(meta));
                    }
                    None => incomplete = Some(chunk),
                }
            }
            Ok(())
        })?;
        Ok((index, incomplete))
    }

    /// Reads the states of all chunks of a place, or of those that are named, as far as they exist.
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
}

/// Returns whether a chunk with these states is valid.
pub(super) fn is_valid(committed: Option<i64>, retired: Option<i64>) -> bool {
    committed.is_some() && retired.is_none()
}

/// Returns the name of a chunk as Cassandra keeps it.
pub(super) fn name(chunk: ChunkId) -> [u8; 16] {
    chunk.0.into_bytes()
}

/// Returns the names of chunks as Cassandra keeps them.
pub(super) fn names(chunks: &[ChunkId]) -> Vec<[u8; 16]> {
    chunks.iter().copied().map(name).collect()
}

/// Returns the chunk with a name that Cassandra has.
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

/// Decodes and checks the metadata of a chunk.
pub(super) fn meta_of(
    definition: &Definition,
    place: Place,
    chunk: ChunkId,
    bytes: &[u8],
) -> Result<ChunkMeta> {
    let corrupt = |reason: String| corrupt(place, chunk, reason);
    let meta = read_meta(bytes).map_err(corrupt)?;
    meta.check(definition).map_err(corrupt)?;
    if meta.id == chunk {
        Ok(meta)
    } else {
        Err(corrupt(format!("it is that of chunk {}", meta.id)))
    }
}

fn corrupt(place: Place, chunk: ChunkId, reason: String) -> Error {
    Error::Corrupt {
        chunk,
        place,
        what: "its row of the index".to_owned(),
        reason,
    }
}

//! What this process remembers of the index, and how it knows that it still holds.
//!
//! Each commit adds a name of its own to the commits of its place and removes those that it found,
//! in the batch that changes the chunks. No name is added twice, and the one of the commit that was
//! applied last is always there, whatever the clocks of those who write: so the same commits mean
//! the same valid chunks, and reading one small row spares reading the index.

use std::collections::BTreeSet;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use uuid::Uuid;

use super::CassandraStore;
use super::client::{as_rows, each_row};
use super::names::Part;
use super::places::key;
use crate::Result;
use crate::definition::Place;
use crate::meta::ChunkMeta;

/// Memory for what is remembered of all places, about.
const REMEMBERED_BYTES: u64 = 128 << 20;

/// Places that are expected, to begin with.
const EXPECTED_PLACES: usize = 64;

/// Memory that a chunk's entry takes, beside its columns and keys.
const ENTRY_BYTES: usize = 256;

/// Memory that an entry takes for each column, texts of usual lengths among its statistics.
const COLUMN_BYTES: usize = 160;

pub(super) type Commits = BTreeSet<Uuid>;

/// The valid chunks of a place after these commits.
#[derive(Clone)]
pub(super) struct Index {
    pub(super) commits: Commits,
    pub(super) chunks: Vec<Arc<ChunkMeta>>,
}

/// What was read of each place's index last.
pub(super) struct Remembered(Cache<Place, Index, ByBytes>);

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
}

impl CassandraStore {
    /// The valid chunks of a place.
    pub(super) async fn valid_chunks(&self, place: Place) -> Result<Vec<Arc<ChunkMeta>>> {
        if let Some(known) = self.remembered.0.get(&place)
            && known.commits == self.commits(place).await?
        {
            return Ok(known.chunks);
        }
        let index = self.read_index(place).await?;
        // Without a commit there is nothing to remember it by.
        if !index.commits.is_empty() {
            self.remembered.0.insert(place, index.clone());
        }
        Ok(index.chunks)
    }

    /// The commits that a place's index has now.
    pub(super) async fn commits(&self, place: Place) -> Result<Commits> {
        let task = self
            .client
            .task("reading what was committed", place, Part::Index);
        let statement = &self.statements.index.commits;
        let answer = self.client.execute(&task, statement, key(place)).await?;
        let rows = as_rows(&task, answer)?;
        let rows = each_row(&task, &rows, |(commits,): (Option<Commits>,)| {
            Ok(commits.unwrap_or_default())
        })?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }
}

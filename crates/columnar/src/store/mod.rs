//! Where a table's chunks and fresh rows are kept.
//!
//! A store knows nothing of columns, queries or merging: it keeps blobs, says which chunks are
//! valid, and keeps fresh rows by key. What readers rely on:
//!
//! - A chunk is valid from the [`Store::commit`] that adds it to the one that retires it; a commit
//!   is seen in each place whole or not at all, also after a crash.
//! - [`Store::snapshot`] shows every acknowledged row at least once: among the fresh rows, in a
//!   chunk, or (while a seal ends) in both, then with the same write time.
//! - Blobs of a retired chunk can be read for [`GRACE`] after.

#[cfg(feature = "cassandra")]
pub mod cassandra;
pub mod directory;
pub mod memory;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;

use crate::Result;
use crate::definition::{Definition, Place};
use crate::meta::{ChunkId, ChunkMeta, Key};

/// How long what a commit replaced stays readable: longer than any query should take.
pub const GRACE: Duration = Duration::from_secs(600);

/// A row that is in no chunk yet, or the fact that a key is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshRow {
    pub key: Key,
    /// Microseconds since 1970-01-01 UTC. The version of a key with the highest one is valid; see
    /// [`FreshRow::replaces`] for equal ones.
    pub write_time: i64,
    /// The columns outside the key (`row.rs`), or none if the key is deleted.
    pub row: Option<Bytes>,
}

impl FreshRow {
    /// Whether this one of two versions of a key is valid and not the other. Of equal write times a
    /// deletion is, else the row with the greater bytes, so that the order in which they came does
    /// not matter.
    ///
    /// A fresh row and one in a chunk are not compared so, as a chunk's rows have no such bytes: of
    /// equal write times, and if neither is a deletion, the fresh one is valid, and of two in chunks
    /// the one in the later chunk. A store in which fresh rows that came after a freeze are kept
    /// beside those before it prefers the later of the two for the same reason
    /// ([`FreshRow::follows`]), so that it does not matter whether the earlier one is in a chunk yet.
    pub fn replaces(&self, other: &FreshRow) -> bool {
        (self.rank(), &self.row) > (other.rank(), &other.row)
    }

    /// Whether this one is valid if it came after a freeze, and the other before.
    pub fn follows(&self, other: &FreshRow) -> bool {
        self.rank() >= other.rank()
    }

    fn rank(&self) -> (i64, bool) {
        (self.write_time, self.row.is_none())
    }
}

/// What is in a place, as of one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// In order of their keys; one version per key.
    pub fresh: Vec<FreshRow>,
    /// In order of their names.
    pub chunks: Vec<Arc<ChunkMeta>>,
}

/// A chunk and its blobs, in the order of [`ChunkMeta::blobs`].
#[derive(Debug, Clone)]
pub struct Chunk {
    pub meta: Arc<ChunkMeta>,
    pub blobs: Vec<Bytes>,
}

/// Fresh rows that are about to become chunks. Rows that come later are not among them.
#[derive(Debug)]
pub struct Frozen {
    /// In order of their keys; one version per key.
    pub rows: Vec<FreshRow>,
    /// For the store: how far its log is frozen.
    pub up_to: u64,
}

/// What changes in a place, all at once.
#[derive(Debug)]
pub struct Change {
    pub place: Place,
    /// Chunks that [`Store::put`] has written.
    pub add: Vec<Arc<ChunkMeta>>,
    pub retire: Vec<ChunkId>,
    /// Fresh rows that are in the added chunks, and are no longer kept here. A version that came
    /// meanwhile stays.
    pub sealed: Option<Frozen>,
}

/// What a sweep removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Retired or never finished.
    pub chunks: u64,
}

#[async_trait]
pub trait Store: Debug + Send + Sync {
    fn definition(&self) -> &Arc<Definition>;

    /// Places that may hold something, in order.
    async fn places(&self) -> Result<Vec<Place>>;

    /// All valid chunks of a place, and its fresh rows with `first <= key <= last` (where given).
    async fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot>;

    /// Blobs of a chunk by number, in the order asked for. Not checked against their CRC.
    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>>;

    /// Writes chunks that nobody sees before they are committed.
    async fn put(&self, place: Place, chunks: &[Chunk]) -> Result<()>;

    /// Durable when it returns. Each change is seen whole or not at all.
    async fn commit(&self, changes: Vec<Change>) -> Result<()>;

    /// Durable when it returns.
    async fn insert(&self, place: Place, rows: &[FreshRow]) -> Result<()>;

    /// The fresh rows of a place that a seal turns into chunks.
    async fn freeze(&self, place: Place) -> Result<Frozen>;

    /// Removes everything in these places, without reading it. Not seen by queries that began.
    async fn drop_places(&self, places: &[Place]) -> Result<()>;

    /// Removes what was retired, or put and never committed, longer than this ago.
    async fn sweep(&self, grace: Duration) -> Result<Swept>;
}

/// Both ends belong to it.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyRange<'a> {
    pub first: Option<&'a [u8]>,
    pub last: Option<&'a [u8]>,
}

impl KeyRange<'_> {
    /// A range without any key: all of them begin with the byte 0x01.
    pub const EMPTY: KeyRange<'static> = KeyRange {
        first: Some(&[0xFF]),
        last: Some(&[0xFF]),
    };

    /// Whether no key can be in it.
    pub fn is_empty(&self) -> bool {
        let is_reversed = |(first, last)| first > last;
        self.first == KeyRange::EMPTY.first || self.first.zip(self.last).is_some_and(is_reversed)
    }

    /// Whether a key from the first to the last may be in it.
    pub fn overlaps(&self, first: &[u8], last: &[u8]) -> bool {
        self.first.is_none_or(|least| least <= last)
            && self.last.is_none_or(|greatest| first <= greatest)
    }

    pub fn contains(&self, key: &[u8]) -> bool {
        self.first.is_none_or(|first| first <= key) && self.last.is_none_or(|last| key <= last)
    }
}

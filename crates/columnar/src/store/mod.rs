//! Stores, which keep the chunks and the fresh rows of a table.
//!
//! A store knows nothing of columns, queries or merging: it keeps blobs, knows which chunks are valid,
//! and keeps fresh rows by key. Readers rely on three things:
//!
//! - A chunk is valid from the [`Store::commit`] that adds it to the one that retires it. In each place a
//!   commit is visible as a whole or not at all, also after a crash.
//! - [`Store::snapshot`] shows every acknowledged row at least once: among the fresh rows, in a chunk, or
//!   in both while a seal ends, and then with the same write time.
//! - The blobs of a retired chunk can be read for [`GRACE`] after that.

#[cfg(feature = "cassandra")]
pub mod cassandra;
pub mod check;
pub mod directory;
pub mod memory;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;

use crate::Result;
use crate::clock;
use crate::definition::Definition;
use crate::id::{ChunkId, Place};
use crate::meta::{ChunkMeta, Key};

/// The time that replaced chunks stay readable, which is longer than any query should take.
pub const GRACE: Duration = Duration::from_secs(600);

/// A row that is in no chunk yet, or the deletion of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshRow {
    /// The encoded key.
    pub key: Key,
    /// The write time in microseconds since 1970-01-01 UTC. The version of a key with the highest one is
    /// valid; [`FreshRow::replaces`] decides between equal ones.
    pub write_time: i64,
    /// The encoded columns outside of the key, or none if the key is deleted.
    pub row: Option<Bytes>,
}

impl FreshRow {
    /// Returns whether this version of a key is valid and `other` is not. If the write times are equal, a
    /// deletion is valid, or else the row with the greater bytes, so that the order in which the two came
    /// does not matter.
    ///
    /// Rows in chunks are not compared like this, because they have no such bytes. If the write times are
    /// equal and neither is a deletion, a fresh row wins over one in a chunk, and of two in chunks the one
    /// in the later chunk wins. For the same reason a store that keeps fresh rows from before and after
    /// a freeze prefers the later one ([`FreshRow::follows`]): then it does not matter whether the
    /// earlier one is in a chunk already.
    pub fn replaces(&self, other: &FreshRow) -> bool {
        (self.rank(), &self.row) > (other.rank(), &other.row)
    }

    /// Returns whether this version is valid if it came after a freeze and `other` before.
    pub fn follows(&self, other: &FreshRow) -> bool {
        self.rank() >= other.rank()
    }

    fn rank(&self) -> (i64, bool) {
        (self.write_time, self.row.is_none())
    }
}

/// The contents of a place at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The fresh rows, in order of their keys, with one version per key.
    pub fresh: Vec<FreshRow>,
    /// The valid chunks, in order of their names.
    pub chunks: Vec<Arc<ChunkMeta>>,
}

/// A chunk with its blobs.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The metadata.
    pub meta: Arc<ChunkMeta>,
    /// The blobs, in the order of [`ChunkMeta::blobs`].
    pub blobs: Vec<Bytes>,
}

/// Fresh rows that are about to become chunks. Rows that come later do not belong to them.
#[derive(Debug)]
pub struct Frozen {
    /// The rows, in order of their keys, with one version per key.
    pub rows: Vec<FreshRow>,
    /// A number with which the store knows behind what of its log they are: all before was in chunks or dropped.
    pub from: u64,
    /// A number with which the store knows how far its log is frozen.
    pub up_to: u64,
}

/// A change of a place, all of which becomes visible at once.
#[derive(Debug)]
pub struct Change {
    /// The place.
    pub place: Place,
    /// The chunks that become valid, which [`Store::put`] has written.
    pub add: Vec<Arc<ChunkMeta>>,
    /// The chunks that become invalid.
    pub retire: Vec<ChunkId>,
    /// The fresh rows that are in the added chunks and are removed. Versions that came meanwhile stay.
    pub sealed: Option<Frozen>,
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// The number of chunks that were removed: retired ones, and ones that were never committed.
    pub chunks: u64,
}

/// A store of one table: its chunks and its fresh rows.
///
/// All methods may be called at the same time. Each returns an error if the disk or the server fails.
#[async_trait]
pub trait Store: Debug + Send + Sync {
    /// Returns the definition of the table.
    fn definition(&self) -> &Arc<Definition>;

    /// Returns a write time for rows that are about to be written, in microseconds since 1970-01-01 UTC.
    /// It is later than those of all rows that this process has written, and in a store that only one
    /// process writes, than those of all rows that it had when it was opened. In a store that several
    /// processes write, it is later than those of all rows that were read, or that [`Store::catch_up`] found.
    fn write_time(&self) -> i64 {
        clock::write_time()
    }

    /// Makes sure that [`Store::write_time`] is later than those of the rows that these places had when this
    /// process first asked for it, whoever has written them and by whatever clock.
    async fn catch_up(&self, _places: &[Place]) -> Result<()> {
        Ok(())
    }

    /// Returns what was noticed when the store was opened, or since, and does not prevent its use, for people.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns what reads by this process may miss of what others have written at `QUORUM`, by the copies that there
    /// were when the store was opened, for people. `None` if each read meets each such write: writes at lower levels
    /// may be missed all the same, and so may any if there are more copies now.
    fn missed(&self) -> Option<&str> {
        None
    }

    /// Returns the places that may hold something, in order.
    async fn places(&self) -> Result<Vec<Place>>;

    /// Returns all valid chunks of a place, and its fresh rows with keys in a range.
    async fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot>;

    /// Reads blobs of a chunk, given by their numbers, in this order. Their CRC is not checked.
    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>>;

    /// Writes chunks, which stay invisible until they are committed.
    async fn put(&self, place: Place, chunks: &[Chunk]) -> Result<()>;

    /// Makes changes, each of which is visible as a whole or not at all. They are durable when it
    /// returns.
    async fn commit(&self, changes: Vec<Change>) -> Result<()>;

    /// Inserts fresh rows. They are durable when it returns.
    async fn insert(&self, place: Place, rows: &[FreshRow]) -> Result<()>;

    /// Returns the fresh rows of a place, for a seal that turns them into chunks.
    async fn freeze(&self, place: Place) -> Result<Frozen>;

    /// Removes everything in these places without reading it. Queries that have begun may not see that.
    async fn drop_places(&self, places: &[Place]) -> Result<()>;

    /// Removes chunks that were retired, or put and never committed, longer ago than this.
    async fn sweep(&self, grace: Duration) -> Result<Swept>;
}

/// A range of keys, which both ends belong to.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyRange<'a> {
    /// The least key, if there is a limit.
    pub first: Option<&'a [u8]>,
    /// The greatest key, if there is a limit.
    pub last: Option<&'a [u8]>,
}

impl KeyRange<'_> {
    /// A range without any key: all keys begin with the byte 0x01.
    pub const EMPTY: KeyRange<'static> = KeyRange {
        first: Some(&[0xFF]),
        last: Some(&[0xFF]),
    };

    /// Returns whether no key can be in the range.
    pub fn is_empty(&self) -> bool {
        let is_reversed = |(first, last)| first > last;
        self.first == KeyRange::EMPTY.first || self.first.zip(self.last).is_some_and(is_reversed)
    }

    /// Returns whether a key between `first` and `last` may be in the range.
    pub fn overlaps(&self, first: &[u8], last: &[u8]) -> bool {
        self.first.is_none_or(|least| least <= last)
            && self.last.is_none_or(|greatest| first <= greatest)
    }

    /// Returns whether a key is in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.first.is_none_or(|first| first <= key) && self.last.is_none_or(|last| key <= last)
    }
}

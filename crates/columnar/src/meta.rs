//! What is known of a chunk without reading it.

use std::fmt;

use bytes::Bytes;
use uuid::Uuid;

/// A chunk's name. Later ones of a process are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub Uuid);

impl ChunkId {
    /// A new name: version 7, time and then random bits.
    pub fn new() -> Self {
        ChunkId(Uuid::now_v7())
    }
}

impl Default for ChunkId {
    fn default() -> Self {
        ChunkId::new()
    }
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A row's whole key in an encoding whose bytes compare as the rows do (`key.rs`).
pub type Key = Bytes;

/// A value in statistics. Which variant stands for which kind: booleans, integers, dates and times
/// are `Int`, floats and doubles `Double`, text and blobs `Bytes`.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    Int(i64),
    Double(f64),
    Bytes(Bytes),
}

/// What is known of a column's values in one chunk. Deleted rows do not count.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnStats {
    pub nulls: u32,
    /// Least and greatest value by Arrow's total order; none if all are null, if a value is NaN,
    /// or if one is text or a blob longer than [`LONGEST_BOUND`].
    pub bounds: Option<(Scalar, Scalar)>,
    /// Sum of integers (none where it does not fit 64 bits) or of floats (none where it is not
    /// finite).
    pub sum: Option<Scalar>,
    /// Estimate of the number of different values that are not null.
    pub distinct: u32,
}

/// Bytes of a text or blob that is kept as a bound.
pub const LONGEST_BOUND: usize = 128;

/// One blob of a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct BlobMeta {
    /// Bytes of the blob, its header included.
    pub bytes: u32,
    /// CRC-32 of the blob, so that even a whole blob of another chunk is noticed.
    pub crc: u32,
}

/// A chunk: rows of one place, sorted by key, each column encoded on its own.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkMeta {
    pub id: ChunkId,
    /// Rows, deleted ones included.
    pub rows: u32,
    /// Rows that say that their key is deleted.
    pub deleted: u32,
    pub first: Key,
    pub last: Key,
    /// Of all rows; microseconds since 1970-01-01 UTC.
    pub min_write_time: i64,
    pub max_write_time: i64,
    /// For each column of the table, in order.
    pub stats: Vec<ColumnStats>,
    /// For each column of the table, in order; then write times if they differ, then the flags of
    /// deleted rows if there are any.
    pub blobs: Vec<BlobMeta>,
}

impl ChunkMeta {
    /// Number of the blob with the write times, unless they are all the same.
    pub fn write_times_blob(&self) -> Option<u16> {
        (self.min_write_time != self.max_write_time).then_some(self.stats.len() as u16)
    }

    /// Number of the blob that says which rows are deleted, if any are.
    pub fn deleted_blob(&self) -> Option<u16> {
        let before = self.stats.len() as u16 + u16::from(self.write_times_blob().is_some());
        (self.deleted > 0).then_some(before)
    }

    /// Rows whose key is not deleted.
    pub fn live_rows(&self) -> u32 {
        self.rows - self.deleted.min(self.rows)
    }

    /// Bytes of all blobs.
    pub fn bytes(&self) -> u64 {
        self.blobs.iter().map(|b| u64::from(b.bytes)).sum()
    }
}

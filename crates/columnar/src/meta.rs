//! What is known of a chunk without reading it.

use std::fmt;

use bytes::Bytes;
use uuid::Uuid;

use crate::definition::{CHUNK_ROWS_AT_MOST, Definition};

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
    /// Least and greatest value of the first order key in all rows, deleted ones included; none if
    /// that is no integer, date or time.
    pub order_range: Option<(i64, i64)>,
    /// Bytes of the values of the column that has most of them, before it was encoded.
    pub widest: u32,
    /// For each column of the table, in order.
    pub stats: Vec<ColumnStats>,
    /// For each column of the table, in order; then write times if they differ, then the flags of
    /// deleted rows if there are any.
    pub blobs: Vec<BlobMeta>,
}

impl ChunkMeta {
    /// # Errors
    /// Says why it cannot be that of a chunk of this table, whatever its blobs are.
    pub fn check(&self, definition: &Definition) -> Result<(), String> {
        let columns = definition.columns.len();
        let numbers =
            u16::from(self.min_write_time != self.max_write_time) + u16::from(self.deleted > 0);
        let reason = if self.rows > CHUNK_ROWS_AT_MOST || self.deleted > self.rows {
            format!("{} of {} rows deleted", self.deleted, self.rows)
        } else if self.stats.len() != columns {
            format!("{} columns, not {columns}", self.stats.len())
        } else if self.blobs.len() != columns + usize::from(numbers) {
            format!("{} blobs for {columns} columns", self.blobs.len())
        } else if self.first > self.last {
            "a first key behind its last one".to_owned()
        } else if self.min_write_time > self.max_write_time {
            "a least write time after the greatest one".to_owned()
        } else if self.order_range.is_some_and(|(low, high)| low > high) {
            "a least order key beyond the greatest one".to_owned()
        } else {
            return Ok(());
        };
        Err(format!("chunk {} cannot have {reason}", self.id))
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::key::tests::definition;

    #[test]
    fn what_no_chunk_of_the_table_can_be_is_said() {
        let definition = definition(&[Kind::Text, Kind::Int], 1, 1);
        let blob = BlobMeta { bytes: 1, crc: 1 };
        let good = ChunkMeta {
            id: ChunkId::new(),
            rows: CHUNK_ROWS_AT_MOST,
            deleted: 1,
            first: Key::from_static(b"a"),
            last: Key::from_static(b"b"),
            min_write_time: 1,
            max_write_time: 2,
            widest: 1,
            order_range: Some((1, 1)),
            stats: vec![ColumnStats::default(); 2],
            blobs: vec![blob.clone(); 4],
        };
        good.check(&definition).unwrap();
        let wrong: [fn(&mut ChunkMeta); 9] = [
            |chunk| chunk.rows = u32::MAX,
            |chunk| chunk.deleted = CHUNK_ROWS_AT_MOST + 1,
            |chunk| chunk.stats.truncate(1),
            |chunk| chunk.blobs.truncate(3),
            |chunk| chunk.deleted = 0,
            |chunk| chunk.max_write_time = 1,
            |chunk| chunk.max_write_time = 0,
            |chunk| chunk.last = Key::new(),
            |chunk| chunk.order_range = Some((2, 1)),
        ];
        for (number, change) in wrong.into_iter().enumerate() {
            let mut chunk = good.clone();
            change(&mut chunk);
            let error = chunk.check(&definition).unwrap_err();
            assert!(error.contains("cannot have"), "{number}: {error}");
        }
    }
}

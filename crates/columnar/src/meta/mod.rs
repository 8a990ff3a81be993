//! The metadata of chunks: what is known of a chunk without reading its blobs.

pub mod column_stats;
pub mod read;
#[cfg(test)]
mod tests;
pub mod write;

use bytes::Bytes;

use crate::definition::{CHUNK_ROWS_AT_MOST, Definition};
use crate::id::ChunkId;

/// The encoded key of a row. The bytes of keys compare as the rows do.
pub type Key = Bytes;

/// A single value, in statistics and in keys.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// A boolean (0 or 1), an integer, a date or a time.
    Int(i64),
    /// A float or a double.
    Double(f64),
    /// A text or a blob.
    Bytes(Bytes),
}

/// The statistics of a column in one chunk. Deleted rows do not count.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnStats {
    /// The number of nulls.
    pub nulls: u32,
    /// The least and the greatest value in Arrow's total order. `None` if all values are null, if
    /// one is NaN, or if one of the two is a text or blob of more than 128 bytes.
    pub bounds: Option<(Scalar, Scalar)>,
    /// The sum of integers or floats. `None` if it does not fit 64 bits or is not finite, and for
    /// other kinds.
    pub sum: Option<Scalar>,
    /// The estimated number of different values that are not null.
    pub distinct: u32,
}

/// The highest number of bytes of a text or blob that is kept as a bound.
pub const LONGEST_BOUND: usize = 128;

/// The metadata of a blob: an encoded column of a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct BlobMeta {
    /// The bytes of the blob, including its header.
    pub bytes: u32,
    /// The CRC-32 of the blob, which shows even if a blob is that of another chunk.
    pub crc: u32,
}

/// The metadata of a chunk: rows of one place, sorted by key, with each column encoded by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkMeta {
    /// The name of the chunk.
    pub id: ChunkId,
    /// The number of rows, including deleted ones.
    pub rows: u32,
    /// The number of rows that mark their key as deleted.
    pub deleted: u32,
    /// The key of the first row.
    pub first: Key,
    /// The key of the last row.
    pub last: Key,
    /// The least write time of all rows, in microseconds since 1970-01-01 UTC.
    pub min_write_time: i64,
    /// The greatest write time of all rows, in microseconds since 1970-01-01 UTC.
    pub max_write_time: i64,
    /// The least and the greatest value of the first order key in all rows, including deleted ones.
    /// None if that is no integer, date or time.
    pub order_range: Option<(i64, i64)>,
    /// The bytes of the values in the largest column before it was encoded.
    pub widest: u32,
    /// The statistics of each column of the table, in order.
    pub stats: Vec<ColumnStats>,
    /// The blobs of each column of the table, in order, then that of the write times if they
    /// differ, then that of the flags of deleted rows if there are any.
    pub blobs: Vec<BlobMeta>,
}

impl ChunkMeta {
    /// Checks that this can be the metadata of a chunk of a table.
    ///
    /// # Errors
    /// Returns the reason why it cannot be.
    pub fn check(&self, definition: &Definition) -> Result<(), String> {
        let columns = definition.columns.len();
        let numbers =
            u16::from(self.min_write_time != self.max_write_time) + u16::from(self.deleted > 0);
        let reason = if self.rows > CHUNK_ROWS_AT_MOST || self.deleted > self.rows {
            format!("{} of {} rows deleted", self.deleted, self.rows)
        } else if let Some(stats) = self.stats.iter().find(|stats| stats.nulls > self.rows) {
            format!("{} nulls among {} rows", stats.nulls, self.rows)
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

    /// Returns the number of the blob with the write times, unless they are all the same.
    pub fn write_times_blob(&self) -> Option<u16> {
        (self.min_write_time != self.max_write_time).then_some(self.stats.len() as u16)
    }

    /// Returns the number of the blob with the flags of deleted rows, if there are any.
    pub fn deleted_blob(&self) -> Option<u16> {
        let before = self.stats.len() as u16 + u16::from(self.write_times_blob().is_some());
        (self.deleted > 0).then_some(before)
    }

    /// Returns the number of rows whose keys are not deleted.
    pub fn live_rows(&self) -> u32 {
        self.rows - self.deleted.min(self.rows)
    }

    /// Returns the bytes of all blobs.
    pub fn bytes(&self) -> u64 {
        self.blobs.iter().map(|b| u64::from(b.bytes)).sum()
    }
}

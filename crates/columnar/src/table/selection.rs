//! Selections, the keys that a query wants, and parts, which have them.

use std::sync::Arc;

use bytes::Bytes;

use super::chunker::VIEW_BYTES;
use crate::id::Place;
use crate::meta::{ChunkMeta, Scalar};
use crate::store::FreshRow;

/// The keys that a query wants. What is read may contain others, too.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The wanted partition keys, each with a value for every column, or `None` for all of them.
    pub partitions: Option<Vec<Vec<Scalar>>>,
    /// The least wanted value of the first order key, if that is an integer, a date or a time.
    pub low: Option<i64>,
    /// The greatest wanted value of the first order key, included.
    pub high: Option<i64>,
}

/// Rows that have to be read together: a chunk that overlaps nothing, or chunks and fresh rows that may
/// hold versions of the same keys. No key has versions in two parts.
#[derive(Debug, Clone)]
pub struct Part {
    /// The place that the rows are in.
    pub place: Place,
    /// The chunks, in order of their names.
    pub chunks: Vec<Arc<ChunkMeta>>,
    /// The fresh rows, in order of their keys.
    pub fresh: Vec<FreshRow>,
}

impl Part {
    /// Returns the chunk that the part consists of, if it is a single one: then its statistics are exactly
    /// those of the part's rows.
    pub fn exact(&self) -> Option<&Arc<ChunkMeta>> {
        match (&self.chunks[..], &self.fresh[..]) {
            ([chunk], []) => Some(chunk),
            _ => None,
        }
    }

    /// Returns the least key, which may be that of a deleted row.
    pub fn first(&self) -> &[u8] {
        let chunks = self.chunks.iter().map(|c| &c.first[..]);
        let fresh = self.fresh.first().map(|row| &row.key[..]);
        chunks.chain(fresh).min().unwrap_or_default()
    }

    /// Returns the greatest key, which may be that of a deleted row.
    pub fn last(&self) -> &[u8] {
        let chunks = self.chunks.iter().map(|c| &c.last[..]);
        let fresh = self.fresh.last().map(|row| &row.key[..]);
        chunks.chain(fresh).max().unwrap_or_default()
    }

    /// Returns the highest possible number of rows: every version and every deleted row counts.
    pub fn rows_at_most(&self) -> u64 {
        let chunks: u64 = self.chunks.iter().map(|c| u64::from(c.rows)).sum();
        chunks + self.fresh.len() as u64
    }

    /// Returns the highest possible number of bytes of its widest column before that is encoded.
    pub(super) fn widest(&self) -> u64 {
        let chunks: u64 = self.chunks.iter().map(|c| u64::from(c.widest)).sum();
        let row = |row: &FreshRow| row.key.len() + row.row.as_ref().map_or(0, Bytes::len);
        let fresh = self
            .fresh
            .iter()
            .map(|fresh| (row(fresh) + VIEW_BYTES) as u64);
        chunks + fresh.sum::<u64>()
    }

    /// Returns the bytes of its chunks' blobs with these numbers.
    pub fn bytes(&self, columns: &[usize]) -> u64 {
        let blob =
            |c: &Arc<ChunkMeta>, n: &usize| c.blobs.get(*n).map_or(0, |b| u64::from(b.bytes));
        let chunk = |c| columns.iter().map(|n| blob(c, n)).sum::<u64>();
        self.chunks.iter().map(chunk).sum()
    }
}

//! What a query wants, and what it may find it in.

use std::sync::Arc;

use bytes::Bytes;

use super::chunker::VIEW_BYTES;
use crate::definition::Place;
use crate::meta::{ChunkMeta, Scalar};
use crate::store::FreshRow;

/// Keys that a query wants. What is read may hold others, too.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Whole partition keys, a value per column; none for all.
    pub partitions: Option<Vec<Vec<Scalar>>>,
    /// Least value of the first order key, if that is an integer, a date or a time.
    pub low: Option<i64>,
    /// Greatest value, which belongs to it.
    pub high: Option<i64>,
}

/// Rows that have to be read together: a chunk that overlaps nothing, or chunks and fresh rows with
/// versions of the same keys, maybe. No key has versions in two parts.
#[derive(Debug, Clone)]
pub struct Part {
    pub place: Place,
    pub chunks: Vec<Arc<ChunkMeta>>,
    /// In order of their keys.
    pub fresh: Vec<FreshRow>,
}

impl Part {
    /// The chunk whose statistics are exactly those of the part's rows.
    pub fn exact(&self) -> Option<&Arc<ChunkMeta>> {
        match (&self.chunks[..], &self.fresh[..]) {
            ([chunk], []) => Some(chunk),
            _ => None,
        }
    }

    /// The least key, maybe of a deleted row.
    pub fn first(&self) -> &[u8] {
        let chunks = self.chunks.iter().map(|c| &c.first[..]);
        let fresh = self.fresh.first().map(|row| &row.key[..]);
        chunks.chain(fresh).min().unwrap_or_default()
    }

    /// The greatest key, maybe of a deleted row.
    pub fn last(&self) -> &[u8] {
        let chunks = self.chunks.iter().map(|c| &c.last[..]);
        let fresh = self.fresh.last().map(|row| &row.key[..]);
        chunks.chain(fresh).max().unwrap_or_default()
    }

    /// Rows at most: versions and deleted rows count.
    pub fn rows_at_most(&self) -> u64 {
        let chunks: u64 = self.chunks.iter().map(|c| u64::from(c.rows)).sum();
        chunks + self.fresh.len() as u64
    }

    /// Bytes of the values of its widest column before that was encoded, at most.
    pub(super) fn widest(&self) -> u64 {
        let chunks: u64 = self.chunks.iter().map(|c| u64::from(c.widest)).sum();
        let row = |row: &FreshRow| row.key.len() + row.row.as_ref().map_or(0, Bytes::len);
        let fresh = self
            .fresh
            .iter()
            .map(|fresh| (row(fresh) + VIEW_BYTES) as u64);
        chunks + fresh.sum::<u64>()
    }

    /// Bytes of its chunks' blobs with these numbers.
    pub fn bytes(&self, columns: &[usize]) -> u64 {
        let blob =
            |c: &Arc<ChunkMeta>, n: &usize| c.blobs.get(*n).map_or(0, |b| u64::from(b.bytes));
        let chunk = |c| columns.iter().map(|n| blob(c, n)).sum::<u64>();
        self.chunks.iter().map(chunk).sum()
    }
}

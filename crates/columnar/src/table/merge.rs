//! The newest version of each key.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use arrow::array::{BooleanArray, Int64Array};

use crate::key::Keys;

/// When the rows of a source were written.
#[derive(Debug, Clone)]
pub enum WriteTimes {
    All(i64),
    Each(Int64Array),
}

impl WriteTimes {
    pub fn of(&self, row: usize) -> i64 {
        match self {
            WriteTimes::All(time) => *time,
            WriteTimes::Each(times) => times.value(row),
        }
    }
}

/// The versions in one chunk, or of the fresh rows: in order of their keys, one per key.
#[derive(Debug)]
pub struct Versions {
    pub keys: Keys,
    pub write_times: WriteTimes,
    /// Which rows say that their key is deleted, if any does.
    pub deleted: Option<BooleanArray>,
}

impl Versions {
    pub fn is_deleted(&self, row: usize) -> bool {
        self.deleted
            .as_ref()
            .is_some_and(|deleted| deleted.value(row))
    }
}

/// Source and row of the newest version of each key, in order of the keys, deletions among them.
/// Of versions with the same write time a deletion is valid, else that of the last source: chunks
/// come in order of their names, and fresh rows after them ([`FreshRow::replaces`]).
///
/// [`FreshRow::replaces`]: crate::store::FreshRow::replaces
pub fn newest(sources: &[Versions]) -> Vec<(usize, usize)> {
    let version = |source: usize, row: usize| {
        let versions = sources.get(source)?;
        if row >= versions.keys.len() {
            return None;
        }
        let key = versions.keys.get(row);
        let order = (
            Reverse(versions.write_times.of(row)),
            !versions.is_deleted(row),
            Reverse(source),
        );
        Some(Reverse((key, order, source, row)))
    };
    let mut heads: BinaryHeap<_> = (0..sources.len()).filter_map(|s| version(s, 0)).collect();
    let rows: usize = sources.iter().map(|s| s.keys.len()).sum();
    let mut newest = Vec::with_capacity(rows);
    let mut previous: Option<&[u8]> = None;
    while let Some(Reverse((key, _, source, row))) = heads.pop() {
        if previous != Some(key) {
            newest.push((source, row));
            previous = Some(key);
        }
        heads.extend(version(source, row + 1));
    }
    newest
}

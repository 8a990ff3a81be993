//! Finding the newest version of each key.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use arrow::array::{BooleanArray, Int64Array};

use crate::key::Keys;

/// The write times of the rows of a source.
#[derive(Debug, Clone)]
pub enum WriteTimes {
    /// All rows were written at this time.
    All(i64),
    /// Each row has its own time.
    Each(Int64Array),
}

impl WriteTimes {
    pub fn get(&self, row: usize) -> i64 {
        match self {
            WriteTimes::All(time) => *time,
            WriteTimes::Each(times) => times.value(row),
        }
    }
}

/// The versions in one source, which is a chunk or the fresh rows: in order of their keys, one per
/// key.
#[derive(Debug)]
pub struct Versions {
    pub keys: Keys,
    pub write_times: WriteTimes,
    /// Flags the rows whose keys are deleted, if there are any.
    pub deleted: Option<BooleanArray>,
}

impl Versions {
    pub fn is_deleted(&self, row: usize) -> bool {
        self.deleted
            .as_ref()
            .is_some_and(|deleted| deleted.value(row))
    }
}

/// Returns the source and the row of the newest version of each key, in order of the keys and
/// including deletions.
///
/// If versions have the same write time, a deletion is valid, or else the version in the last source.
/// Chunks come in order of their names, and fresh rows after them ([`FreshRow::replaces`]).
///
/// [`FreshRow::replaces`]: crate::store::FreshRow::replaces
pub fn newest(sources: &[Versions]) -> Vec<(usize, usize)> {
    // The heap has the next row of each source. Of equal keys the valid version comes out first.
    let version = |source: usize, row: usize| {
        let versions = sources.get(source)?;
        if row >= versions.keys.len() {
            return None;
        }
        let key = versions.keys.get(row);
        let order = (
            Reverse(versions.write_times.get(row)),
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
        // All versions of a key come out one after another with the valid one first, so that the
        // others are recognized by their key alone.
        if previous != Some(key) {
            newest.push((source, row));
            previous = Some(key);
        }
        heads.extend(version(source, row + 1));
    }
    newest
}

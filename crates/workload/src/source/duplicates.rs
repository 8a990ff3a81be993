//! Finds rows that a later row with the same key overwrites.

mod later;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use arrow::array::{ArrayRef, BooleanArray, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{filter_record_batch, not};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use xxhash_rust::xxh3::xxh3_128;

use super::{RowBatch, RowSource};
use crate::{ColumnType, Error, Result, Table};
pub use later::{Limits, later_rows};

const BATCH_ROWS: usize = 8192;

/// Largest number of overwritten rows whose keys are examined to find a column that distinguishes them.
const SAMPLE: usize = 10_000;

/// Largest memory per key, in bytes, of the map from a key's hash to its last row: 33 bytes per slot of a
/// table that has just doubled (7 of 16 slots used), plus the previous table of half the size.
const MAP_BYTES_PER_KEY: usize = 128;

/// Rows of a table that have the same key as a later row. A store with this key keeps only the last
/// row.
#[derive(Debug, Clone)]
pub struct DuplicateKeys {
    /// Bit *i* is set if row *i* is overwritten; ends with the last such row.
    overwritten: BooleanBuffer,
    keys: u64,
}

impl DuplicateKeys {
    /// Makes the result for rows with unique keys.
    pub fn none() -> Self {
        DuplicateKeys {
            overwritten: BooleanBuffer::new_unset(0),
            keys: 0,
        }
    }

    /// Finds the overwritten rows among the first `rows` rows of a source, or among all rows if `None`. A
    /// source that never repeats a key is not read at all. The search takes at most `memory_limit_bytes`
    /// and one bit per row. If that is too little for all keys, the source is read several times, each time
    /// for a share of the keys.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn find(
        source: &dyn RowSource,
        table: &Table,
        rows: Option<u64>,
        memory_limit_bytes: usize,
    ) -> Result<Self> {
        if !source.may_repeat_keys() {
            return Ok(Self::none());
        }
        let max_keys = (memory_limit_bytes / MAP_BYTES_PER_KEY).max(1);
        let mut passes = 1;
        loop {
            if let Some(found) = find_in_passes(source, table, rows, max_keys, passes)? {
                return Ok(found);
            }
            passes *= 2;
        }
    }

    /// Returns the numbers of the overwritten rows, ascending.
    pub fn rows(&self) -> impl Iterator<Item = u64> {
        self.overwritten.set_indices().map(|row| row as u64)
    }

    /// Returns the number of overwritten rows.
    pub fn count(&self) -> u64 {
        self.overwritten.count_set_bits() as u64
    }

    /// Returns the number of keys that have more than one row.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// Returns whether a later row has the same key.
    pub fn is_overwritten(&self, row: u64) -> bool {
        (row as usize) < self.overwritten.len() && self.overwritten.value(row as usize)
    }

    /// Returns the rows of a batch that are kept.
    ///
    /// # Errors
    /// The batch is not one of the source that was searched.
    pub fn filter(&self, batch: RowBatch) -> Result<RecordBatch> {
        let first_row = batch.first_row as usize;
        if first_row >= self.overwritten.len() {
            return Ok(batch.rows);
        }
        let overwritten: BooleanArray = (batch.first_row..)
            .take(batch.rows.num_rows())
            .map(|row| Some(self.is_overwritten(row)))
            .collect();
        not(&overwritten)
            .and_then(|kept| filter_record_batch(&batch.rows, &kept))
            .map_err(|error| unexpected(&error))
    }
}

impl DuplicateKeys {
    /// Finds a column outside of the key that differs between all rows with the same key, so that the key
    /// would not repeat with it. Times are preferred to numbers and texts; floats and bytes cannot be in a
    /// key. If many rows are overwritten, only the keys of the first ones are examined.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn told_apart_by(
        &self,
        source: &dyn RowSource,
        table: &Table,
        rows: u64,
    ) -> Result<Option<String>> {
        if self.count() == 0 {
            return Ok(None);
        }
        let mut hasher = KeyHasher::new(table)?;
        let keys = self.sample(source, &mut hasher)?;
        let mut candidates = candidates(table)?;
        for batch in source.read(0, BATCH_ROWS)? {
            let batch = batch?;
            let hashes = hasher.hashes(&batch.rows)?;
            let is_wanted = |(row, hash): (u64, &u128)| row < rows && keys.contains(hash);
            let wanted = (batch.first_row..).zip(&hashes).map(is_wanted);
            let wanted = BooleanArray::from(wanted.collect::<Vec<_>>());
            let repeated =
                filter_record_batch(&batch.rows, &wanted).map_err(|error| unexpected(&error))?;
            for candidate in &mut candidates {
                candidate.examine(&batch.rows, &repeated)?;
            }
            candidates.retain(|candidate| candidate.is_unique);
            if candidates.is_empty() || batch.first_row + batch.rows.num_rows() as u64 >= rows {
                break;
            }
        }
        Ok(candidates.into_iter().next().map(|found| found.name))
    }

    /// Returns hashes of the keys of the first overwritten rows.
    fn sample(&self, source: &dyn RowSource, hasher: &mut KeyHasher) -> Result<HashSet<u128>> {
        let mut keys = HashSet::new();
        for batch in source.read(0, BATCH_ROWS)? {
            let batch = batch?;
            let rows = (batch.first_row..).zip(hasher.hashes(&batch.rows)?);
            let overwritten = rows.filter(|(row, _)| self.is_overwritten(*row));
            keys.extend(overwritten.map(|(_, hash)| hash));
            let read = batch.first_row as usize + batch.rows.num_rows();
            if keys.len() >= SAMPLE || read >= self.overwritten.len() {
                break;
            }
        }
        Ok(keys)
    }
}

/// A column that may distinguish rows with the same key.
struct Candidate {
    name: String,
    index: usize,
    hasher: KeyHasher,
    seen: HashSet<u128>,
    /// Whether no key with this column was seen twice, and the column had no null.
    is_unique: bool,
}

impl Candidate {
    /// Examines a batch of rows, given as a whole and as the rows whose key repeats.
    fn examine(&mut self, all: &RecordBatch, repeated: &RecordBatch) -> Result<()> {
        let hashes = self.hasher.hashes(repeated)?;
        self.is_unique = all.column(self.index).null_count() == 0
            && hashes.into_iter().all(|hash| self.seen.insert(hash));
        Ok(())
    }
}

/// Returns the columns that may be added to a key, the most suitable ones first.
fn candidates(table: &Table) -> Result<Vec<Candidate>> {
    let kinds = [
        ColumnType::Timestamp,
        ColumnType::Int,
        ColumnType::Bigint,
        ColumnType::Text,
    ];
    let mut candidates = Vec::new();
    for kind in kinds {
        for (index, column) in table.columns.iter().enumerate() {
            if column.kind == kind && !table.is_key(&column.name) {
                candidates.push(Candidate {
                    name: column.name.clone(),
                    index,
                    hasher: KeyHasher::with(table, Some(&column.name))?,
                    seen: HashSet::new(),
                    is_unique: true,
                });
            }
        }
    }
    Ok(candidates)
}

/// Reads the source `passes` times, each time for the keys whose hash falls to that pass. Returns
/// `None` if a pass encounters more than `max_keys` keys.
fn find_in_passes(
    source: &dyn RowSource,
    table: &Table,
    rows: Option<u64>,
    max_keys: usize,
    passes: u128,
) -> Result<Option<DuplicateKeys>> {
    let mut hasher = KeyHasher::new(table)?;
    let mut overwritten = BooleanBufferBuilder::new(0);
    let mut keys = 0;
    for pass in 0..passes {
        let mut last: HashMap<u128, LastRow> = HashMap::new();
        for batch in source.read(0, BATCH_ROWS)? {
            let batch = batch?;
            for (row, hash) in (batch.first_row..).zip(hasher.hashes(&batch.rows)?) {
                if rows.is_some_and(|rows| row >= rows) {
                    break;
                }
                // All rows of a key fall to the same pass, so that no key is split.
                if hash % passes != pass {
                    continue;
                }
                match last.entry(hash) {
                    Entry::Vacant(entry) => {
                        entry.insert(LastRow {
                            row,
                            repeated: false,
                        });
                    }
                    Entry::Occupied(mut entry) => {
                        let earlier = entry.insert(LastRow {
                            row,
                            repeated: true,
                        });
                        set(&mut overwritten, earlier.row as usize);
                        // A key with several rows is counted at the second one only.
                        keys += u64::from(!earlier.repeated);
                    }
                }
            }
            if last.len() > max_keys {
                return Ok(None);
            }
            if rows.is_some_and(|rows| batch.first_row + batch.rows.num_rows() as u64 >= rows) {
                break;
            }
        }
    }
    Ok(Some(DuplicateKeys {
        overwritten: overwritten.finish(),
        keys,
    }))
}

/// The last row seen of a key, and whether it overwrites another one.
struct LastRow {
    row: u64,
    repeated: bool,
}

fn set(bits: &mut BooleanBufferBuilder, index: usize) {
    if index >= bits.len() {
        bits.append_n(index + 1 - bits.len(), false);
    }
    bits.set_bit(index, true);
}

/// Hashes of keys, with 128 bits, so that equal hashes mean equal keys.
struct KeyHasher {
    columns: Vec<usize>,
    converter: RowConverter,
}

impl KeyHasher {
    fn new(table: &Table) -> Result<Self> {
        KeyHasher::with(table, None)
    }

    /// Hashes the key with another column.
    fn with(table: &Table, other: Option<&str>) -> Result<Self> {
        let (columns, fields) = table
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| table.is_key(&column.name) || other == Some(&*column.name))
            .map(|(index, column)| (index, SortField::new(column.kind.arrow())))
            .unzip();
        let converter = RowConverter::new(fields).map_err(|error| unexpected(&error))?;
        Ok(KeyHasher { columns, converter })
    }

    fn hashes(&mut self, batch: &RecordBatch) -> Result<Vec<u128>> {
        let columns: Vec<ArrayRef> = self
            .columns
            .iter()
            .map(|index| batch.column(*index).clone())
            .collect();
        let keys = self
            .converter
            .convert_columns(&columns)
            .map_err(|error| unexpected(&error))?;
        Ok(keys.iter().map(|key| xxh3_128(key.as_ref())).collect())
    }
}

fn unexpected(error: &ArrowError) -> Error {
    Error::Usage(format!("cannot compare keys: {error}"))
}

#[cfg(test)]
mod tests;

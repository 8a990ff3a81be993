//! Single rows of a source that has to be read in order: its first rows, kept in memory.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, Rows, SortField};
use xxhash_rust::xxh3::Xxh3;

use super::RowSource;
use crate::{Error, Result, RowValues, Table, Value, Version};

const BATCH_ROWS: usize = 8192;

/// Bytes of a row besides its values: a slot of a hash map that may be half empty, its position in
/// the order, and its key while rows are sorted.
const INDEX_BYTES_OF_A_ROW: usize = 80;

/// First rows of any source. The second version of a cell is that of the next row. Rows with one
/// key all have the values of the last one, as in a table that they were written to in order.
pub struct RowPool {
    table: Table,
    /// Batches, with the number of their first row.
    batches: Vec<(u64, RecordBatch)>,
    rows: u64,
    /// Columns of the key, in its order.
    key: Vec<usize>,
    /// Last row with a key, by the key's hash; colliding hashes are resolved by linear probing.
    by_key: HashMap<u64, u32>,
    /// Last row with the same key, for each row that a later one overwrites.
    overwritten: HashMap<u32, u32>,
    /// Number of each row's next row in its partition; its own if there is none.
    next: Vec<u32>,
    /// Number of each row's previous row in its partition; its own if there is none.
    previous: Vec<u32>,
}

impl RowPool {
    /// Reads rows until there are `most_rows`, they take `limit_bytes`, or the source ends.
    ///
    /// # Errors
    /// The source cannot be read or has no rows.
    pub fn read(
        source: &dyn RowSource,
        table: &Table,
        most_rows: u64,
        limit_bytes: usize,
    ) -> Result<Self> {
        let mut pool = RowPool {
            key: indexes(table, table.key()),
            table: table.clone(),
            batches: Vec::new(),
            rows: 0,
            by_key: HashMap::new(),
            overwritten: HashMap::new(),
            next: Vec::new(),
            previous: Vec::new(),
        };
        let mut bytes = 0;
        for batch in source.read(0, BATCH_ROWS)? {
            let rows = batch?.rows;
            let left = most_rows.min(u64::from(u32::MAX)) - pool.rows;
            let rows = rows.slice(0, rows.num_rows().min(left as usize));
            bytes += rows.get_array_memory_size() + rows.num_rows() * INDEX_BYTES_OF_A_ROW;
            if rows.num_rows() == 0 || (bytes > limit_bytes && pool.rows > 0) {
                break;
            }
            pool.rows += rows.num_rows() as u64;
            pool.batches
                .push((pool.rows - rows.num_rows() as u64, rows));
        }
        if pool.rows == 0 {
            return Err(Error::Usage(format!(
                "the data of table {} have no rows to read or write",
                table.name
            )));
        }
        pool.find_keys();
        pool.order_partitions()
            .map_err(|error| Error::Usage(format!("cannot put rows in order: {error}")))?;
        Ok(pool)
    }

    fn find_keys(&mut self) {
        for row in 0..self.rows as u32 {
            let key = self.key_of(u64::from(row));
            let mut slot = hash(&key);
            while let Some(earlier) = self.by_key.get(&slot) {
                if is_same(&self.key_of(u64::from(*earlier)), &key) {
                    self.overwritten.insert(*earlier, row);
                    break;
                }
                slot = slot.wrapping_add(1);
            }
            self.by_key.insert(slot, row);
        }
        self.point_at_the_last();
    }

    /// Makes each overwritten row refer to the last row with its key instead of the next one.
    fn point_at_the_last(&mut self) {
        let mut rows: Vec<u32> = self.overwritten.keys().copied().collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        // Later rows come first, so that theirs is the last one already.
        for row in rows {
            let last = |next: &u32| self.overwritten.get(next).copied();
            if let Some(last) = self.overwritten.get(&row).and_then(last) {
                self.overwritten.insert(row, last);
            }
        }
    }

    fn order_partitions(&mut self) -> std::result::Result<(), ArrowError> {
        let partition = self.sortable(&indexes(
            &self.table,
            self.table.partition_key.iter().map(String::as_str),
        ))?;
        let whole = self.sortable(&self.key)?;
        let mut order: Vec<u32> = (0..self.rows as u32)
            .filter(|row| !self.overwritten.contains_key(row))
            .collect();
        order.sort_unstable_by_key(|row| whole.row(*row as usize));
        self.next = (0..self.rows as u32).collect();
        self.previous = self.next.clone();
        for pair in order.windows(2) {
            if partition.row(pair[0] as usize) == partition.row(pair[1] as usize) {
                self.next[pair[0] as usize] = pair[1];
                self.previous[pair[1] as usize] = pair[0];
            }
        }
        Ok(())
    }

    /// Returns these columns of all rows in a form that is ordered as they are.
    fn sortable(&self, columns: &[usize]) -> std::result::Result<Rows, ArrowError> {
        let fields = columns
            .iter()
            .map(|c| SortField::new(self.table.columns[*c].kind.arrow()));
        let converter = RowConverter::new(fields.collect())?;
        let mut rows = converter.empty_rows(self.rows as usize, 0);
        for (_, batch) in &self.batches {
            let arrays: Vec<ArrayRef> = columns.iter().map(|c| batch.column(*c).clone()).collect();
            converter.append(&mut rows, &arrays)?;
        }
        Ok(rows)
    }

    fn key_of(&self, row: u64) -> Vec<Value> {
        self.key
            .iter()
            .map(|column| self.cell(*column, row))
            .collect()
    }

    fn cell(&self, column: usize, row: u64) -> Value {
        let after = self.batches.partition_point(|(first, _)| *first <= row);
        let Some((first, batch)) = self.batches.get(after.saturating_sub(1)) else {
            return Value::Null;
        };
        let array: &dyn Array = batch.column(column);
        match (row - first) as usize {
            index if index < array.len() => {
                Value::of_cell(self.table.columns[column].kind, array, index)
            }
            _ => Value::Null,
        }
    }

    /// Returns the row itself, or the last one with its key.
    fn kept(&self, row: u64) -> u64 {
        let last = u32::try_from(row)
            .ok()
            .and_then(|row| self.overwritten.get(&row));
        last.map_or(row, |last| u64::from(*last))
    }

    /// Returns the neighbour of a row according to `neighbours`.
    fn neighbour(&self, neighbours: &[u32], row: u64) -> Option<u64> {
        let row = self.kept(row);
        let neighbour = u64::from(*neighbours.get(row as usize)?);
        (neighbour != row).then_some(neighbour)
    }
}

impl RowValues for RowPool {
    fn value(&self, column: usize, row: u64, version: Version) -> Value {
        let kept = self.kept(row);
        match version {
            Version::Second if !self.key.contains(&column) => {
                self.cell(column, (kept + 1) % self.rows)
            }
            _ => self.cell(column, kept),
        }
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn keys_repeat(&self, rows: u64, in_order: bool) -> bool {
        // If fewer rows are loaded than are here, another one may be the last with its key.
        let last_one_is_known = in_order && rows == self.rows;
        !last_one_is_known && !self.overwritten.is_empty()
    }

    fn row_of(&self, key: &[Value]) -> Option<u64> {
        let mut slot = hash(key);
        loop {
            let row = u64::from(*self.by_key.get(&slot)?);
            if is_same(&self.key_of(row), key) {
                return Some(row);
            }
            slot = slot.wrapping_add(1);
        }
    }

    fn next_in_partition(&self, row: u64) -> Option<u64> {
        self.neighbour(&self.next, row)
    }

    fn previous_in_partition(&self, row: u64) -> Option<u64> {
        self.neighbour(&self.previous, row)
    }
}

/// Returns whether a store considers these keys the same: NaNs equal themselves, and zeros of
/// different sign differ.
fn is_same(a: &[Value], b: &[Value]) -> bool {
    let same = |(a, b): (&Value, &Value)| match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

fn indexes<'a>(table: &Table, names: impl Iterator<Item = &'a str>) -> Vec<usize> {
    names
        .filter_map(|name| table.columns.iter().position(|c| c.name == name))
        .collect()
}

fn hash(key: &[Value]) -> u64 {
    let mut hasher = Xxh3::new();
    for value in key {
        match value {
            Value::Null => hasher.update(&[0]),
            Value::Boolean(value) => hasher.update(&[1, u8::from(*value)]),
            Value::Int(value) => hasher.update(&value.to_le_bytes()),
            Value::Bigint(value) | Value::Timestamp(value) => hasher.update(&value.to_le_bytes()),
            Value::Float(value) => hasher.update(&value.to_bits().to_le_bytes()),
            Value::Double(value) => hasher.update(&value.to_bits().to_le_bytes()),
            Value::Text(value) => {
                hasher.update(&(value.len() as u64).to_le_bytes());
                hasher.update(value.as_bytes());
            }
            Value::Uuid(value) => hasher.update(value.as_bytes()),
            Value::Blob(value) => {
                hasher.update(&(value.len() as u64).to_le_bytes());
                hasher.update(value);
            }
        }
    }
    hasher.digest()
}

#[cfg(test)]
mod tests;

//! Rows whose columns are generated one by one, each by its own generator.

mod bytes;
mod cells;
mod doubles;
mod draw;
mod json;
mod key_digits;
mod numbers;
mod sequence;
mod text;
mod vocabulary;

use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use xxhash_rust::xxh3::xxh3_64;

use self::cells::Cells;
use self::draw::Draw;
use super::{RowBatch, RowBatches, RowSource};
use crate::{ColumnGenerator, Error, Result, RowValues, Stream, Table, Value, Version};

pub use key_digits::KeyDigits;
pub use text::MOST_WORDS_OF_A_PASSAGE;

/// Largest number of bytes of a batch of long values, so that 32-bit offsets suffice.
const BATCH_BYTES: u64 = 64 << 20;

/// An endless table whose cells are pure functions of (seed, column, row).
pub struct Columns {
    rows: Arc<Rows>,
}

struct Rows {
    table: Table,
    schema: SchemaRef,
    columns: Vec<Column>,
    keys: KeyDigits,
    /// Whether the workload has its own statements, which may use another key than the table's.
    is_written_in_cql: bool,
}

struct Column {
    cells: Cells,
    is_key: bool,
    /// Stream of seed and column.
    stream: Stream,
}

impl Columns {
    /// Makes the table; `generators` has one for each column that makes values of its type.
    pub fn new(
        seed: u64,
        table: &Table,
        generators: &[ColumnGenerator],
        is_written_in_cql: bool,
    ) -> Self {
        let columns = table
            .columns
            .iter()
            .zip(generators)
            .map(|(column, generator)| Column {
                cells: Cells::new(column.kind, generator),
                is_key: table.is_key(&column.name),
                stream: Stream::new(&[seed, xxh3_64(column.name.as_bytes())]),
            });
        Columns {
            rows: Arc::new(Rows {
                columns: columns.collect(),
                keys: KeyDigits::find(table, generators),
                schema: table.schema(),
                table: table.clone(),
                is_written_in_cql,
            }),
        }
    }
}

impl RowSource for Columns {
    fn schema(&self) -> SchemaRef {
        self.rows.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let rows = self.rows.clone();
        let most = BATCH_BYTES / rows.most_bytes_of_a_row().max(1);
        let step = most.clamp(1, batch_rows.max(1) as u64);
        let starts = std::iter::successors(Some(from), move |row| Some(row.wrapping_add(step)));
        Ok(Box::new(starts.map(move |first_row| {
            let rows = rows.batch(first_row..first_row.saturating_add(step))?;
            Ok(RowBatch { first_row, rows })
        })))
    }

    fn may_repeat_keys(&self) -> bool {
        self.rows.keys.unique_rows().is_some()
    }

    fn values(&self) -> Option<Arc<dyn RowValues>> {
        Some(self.rows.clone())
    }
}

impl Column {
    fn draw(&self, row: u64, version: Version) -> Draw {
        let stream = self.stream.and(row);
        match version {
            Version::Second if !self.is_key => Draw {
                row,
                second: true,
                stream: stream.and(1),
            },
            _ => Draw {
                row,
                second: false,
                stream,
            },
        }
    }

    fn array(&self, rows: Range<u64>) -> ArrayRef {
        self.cells
            .array(rows.map(|row| self.draw(row, Version::First)))
    }
}

impl Rows {
    fn most_bytes_of_a_row(&self) -> u64 {
        self.columns.iter().map(|c| c.cells.most_bytes()).sum()
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch> {
        let columns = self.columns.iter().map(|c| c.array(rows.clone())).collect();
        RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| {
            Error::Usage(format!("cannot build rows from {} on: {error}", rows.start))
        })
    }

    fn same_partition(&self, one: u64, other: u64) -> bool {
        let partition = self.table.partition_key.iter().map(String::as_str);
        self.indexes(partition).all(|column| {
            let value = |row| self.value(column, row, Version::First);
            let agree = self.keys.agree(column, one, other);
            agree.unwrap_or_else(|| value(one) == value(other))
        })
    }

    /// Returns the indices of these columns in the table.
    fn indexes<'a>(&'a self, names: impl Iterator<Item = &'a str>) -> impl Iterator<Item = usize> {
        names.filter_map(|name| self.table.columns.iter().position(|c| c.name == name))
    }
}

impl RowValues for Rows {
    fn value(&self, column: usize, row: u64, version: Version) -> Value {
        let column = &self.columns[column];
        column.cells.value(column.draw(row, version))
    }

    fn rows(&self) -> Option<u64> {
        if self.is_written_in_cql || self.keys.is_empty() {
            return None;
        }
        let ends = [self.keys.unique_rows(), self.keys.rows_of_types()];
        ends.into_iter().flatten().min()
    }

    /// Returns whether keys repeat, since each row is computed from its number, and the values that are
    /// stored may be those of a later row with its key.
    fn keys_repeat(&self, rows: u64, _in_order: bool) -> bool {
        self.keys.unique_rows().is_some_and(|unique| rows > unique)
    }

    fn row_of(&self, key: &[Value]) -> Option<u64> {
        let columns: Vec<usize> = self.indexes(self.table.key()).collect();
        let value = |column| key.get(columns.iter().position(|c| *c == column)?);
        let row = self.keys.row_of(&self.table, value)?;
        // Key columns that are no digits follow from the row.
        let is_its_key = columns.len() == key.len()
            && columns
                .iter()
                .zip(key)
                .all(|(column, value)| self.value(*column, row, Version::First) == *value);
        is_its_key.then_some(row)
    }

    fn next_in_partition(&self, row: u64) -> Option<u64> {
        let next = self.keys.next_by_order(&self.table, row)?;
        self.same_partition(row, next).then_some(next)
    }

    fn previous_in_partition(&self, row: u64) -> Option<u64> {
        let previous = self.keys.previous_by_order(&self.table, row)?;
        self.same_partition(row, previous).then_some(previous)
    }
}

#[cfg(test)]
mod tests;

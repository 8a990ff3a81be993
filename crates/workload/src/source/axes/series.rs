//! Hashes of partition keys, by which series are chosen.

use arrow::array::ArrayRef;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Error, Result, Table};

/// Hashes the partition key of rows.
pub struct SeriesHasher {
    columns: Vec<usize>,
    converter: RowConverter,
}

impl SeriesHasher {
    pub fn new(table: &Table) -> Result<SeriesHasher> {
        let key = table.partition_key.iter();
        let columns: Vec<usize> = key.filter_map(|name| table.column_index(name)).collect();
        let fields = columns.iter().map(|index| table.columns[*index].kind);
        let fields = fields.map(|kind| SortField::new(kind.arrow())).collect();
        Ok(SeriesHasher {
            columns,
            converter: RowConverter::new(fields).map_err(|error| unexpected(&error))?,
        })
    }

    /// Returns the hash of each row's series.
    pub fn hashes(&mut self, batch: &RecordBatch) -> Result<Vec<u64>> {
        let columns = self.columns.iter().map(|index| batch.column(*index));
        let columns: Vec<ArrayRef> = columns.cloned().collect();
        let keys = { self.converter.convert_columns(&columns) }.map_err(|e| unexpected(&e))?;
        Ok(keys.iter().map(|key| xxh3_64(key.as_ref())).collect())
    }
}

fn unexpected(error: &ArrowError) -> Error {
    Error::Usage(format!(
        "cannot tell the series of the rows apart by their partition key: {error}"
    ))
}

//! Parquet files as sources of rows.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use super::stamp::Stamp;
use super::stored::{self, row_error, rows_of};
use super::{data_error, guarded, parquet_pages, read_error};
use crate::source::{RowBatch, RowBatches, RowSource};
use crate::{Result, Table, TextForm};

/// A Parquet file whose columns can be cast to those of the table without loss.
#[derive(Clone)]
pub struct ParquetFile {
    path: PathBuf,
    /// That of the file when its metadata were read.
    stamp: Stamp,
    metadata: ArrowReaderMetadata,
    table: Arc<Table>,
    /// Index in the file of each column of the table.
    columns: Vec<usize>,
}

impl ParquetFile {
    /// Opens a file and checks that it has the columns of the table, by the names that `form` gives, those of the first
    /// file that it is read together with, and a row.
    pub fn open(
        path: &Path,
        table: &Table,
        form: &TextForm,
        first: Option<(&Path, &Schema)>,
    ) -> Result<Self> {
        let file = File::open(path).map_err(|error| read_error(path, error))?;
        let stamp = Stamp::of(&file).map_err(|error| read_error(path, error))?;
        let not_parquet =
            |error: ParquetError| data_error(path, format!("not a Parquet file: {error}"));
        let load = || ArrowReaderMetadata::load(&file, Default::default()).map_err(not_parquet);
        let metadata = guarded(path, load)?;
        if let Some(first) = first {
            stored::check_same(first, path, metadata.schema())?;
        }
        let columns = stored::locate(path, metadata.schema(), table, form)?;
        guarded(path, || {
            parquet_pages::check(&file, metadata.metadata(), &columns)
                .map_err(|why| data_error(path, why))
        })?;
        let file = ParquetFile {
            path: path.to_owned(),
            stamp,
            metadata,
            table: Arc::new(table.clone()),
            columns,
        };
        match file.known_rows() {
            Some(0) => Err(data_error(path, "the file has no rows")),
            Some(_) => Ok(file),
            None => Err(data_error(
                path,
                "the file says that it has less than no rows; it is damaged: try another copy of it",
            )),
        }
    }

    /// Returns the columns of the file.
    pub fn stored(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Reads the next rows, of which the first one has this number.
    fn next_batch(
        &self,
        reader: &mut ParquetRecordBatchReader,
        first_row: u64,
    ) -> Result<Option<RowBatch>> {
        let Some(batch) = reader.next() else {
            return Ok(None);
        };
        let batch = batch.map_err(|error| {
            let row = first_row + 1;
            data_error(&self.path, format!("cannot read row {row}: {error}"))
        })?;
        let rows = rows_of(&batch, &self.table, &self.columns);
        let rows = rows.map_err(|bad| row_error(&self.path, first_row, bad))?;
        Ok(Some(RowBatch { first_row, rows }))
    }
}

impl RowSource for ParquetFile {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn known_rows(&self) -> Option<u64> {
        u64::try_from(self.metadata.metadata().file_metadata().num_rows()).ok()
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let input =
            { self.stamp.open(&self.path) }.map_err(|error| read_error(&self.path, error))?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(input, self.metadata.clone());
        let projection =
            ProjectionMask::roots(builder.parquet_schema(), self.columns.iter().copied());
        let build = || {
            builder
                .with_projection(projection)
                .with_batch_size(batch_rows.max(1))
                .with_offset(from as usize)
                .build()
                .map_err(|error| data_error(&self.path, error.to_string()))
        };
        let mut reader = Some(guarded(&self.path, build)?);
        let file = self.clone();
        let mut first_row = from;
        Ok(Box::new(std::iter::from_fn(move || {
            let open = reader.as_mut()?;
            let read = guarded(&file.path, || file.next_batch(open, first_row)).transpose()?;
            match &read {
                Ok(batch) => first_row += batch.rows.num_rows() as u64,
                Err(_) => reader = None,
            }
            Some(read)
        })))
    }

    fn may_repeat_keys(&self) -> bool {
        true
    }

    fn seeks(&self) -> bool {
        // Every start has to decode a page of each column.
        false
    }
}

//! Parquet files as sources of rows.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::kernels::cmp::not_distinct;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use super::stamp::Stamp;
use super::{BadCell, data_error, guarded, header, read_error, table_batch};
use crate::source::{RowBatch, RowBatches, RowSource};
use crate::{Column, ColumnType, Error, Result, Table, TextForm};

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
    /// Opens a file and checks that it has the columns of the table, by the names that `form` gives, and a row.
    pub fn open(path: &Path, table: &Table, form: &TextForm) -> Result<Self> {
        let file = File::open(path).map_err(|error| read_error(path, error))?;
        let stamp = Stamp::of(&file).map_err(|error| read_error(path, error))?;
        let not_parquet =
            |error: ParquetError| data_error(path, format!("not a Parquet file: {error}"));
        let load = || ArrowReaderMetadata::load(&file, Default::default()).map_err(not_parquet);
        let metadata = guarded(path, load)?;
        let fields = metadata.schema().fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let columns = header::locate_columns(path, &names, table, form)?;
        for (column, index) in table.columns.iter().zip(&columns) {
            let stored = fields[*index].data_type();
            if !is_castable(stored, column.kind) {
                let message = format!(
                    "column `{}` is stored as {stored}, which is not a {}",
                    column.name,
                    column.kind.name()
                );
                return Err(data_error(path, message));
            }
        }
        let file = ParquetFile {
            path: path.to_owned(),
            stamp,
            metadata,
            table: Arc::new(table.clone()),
            columns,
        };
        match file.known_rows() {
            Some(0) => Err(data_error(path, "the file has no rows")),
            _ => Ok(file),
        }
    }

    /// Returns the columns of the table, in its order and types.
    fn convert(&self, batch: &RecordBatch) -> Result<RecordBatch, BadCell> {
        // A projected batch has its columns in the order of the file.
        let mut in_file_order = self.columns.clone();
        in_file_order.sort_unstable();
        let columns = self
            .table
            .columns
            .iter()
            .zip(&self.columns)
            .map(|(column, index)| {
                let position = in_file_order.partition_point(|other| other < index);
                cast(column, batch.column(position))
            });
        table_batch(&self.table, columns.collect::<Result<_, _>>()?)
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
        let rows = self
            .convert(&batch)
            .map_err(|bad| self.row_error(first_row, bad))?;
        Ok(Some(RowBatch { first_row, rows }))
    }

    /// Makes an error about a row; row numbers in messages count from 1.
    fn row_error(&self, first_row: u64, bad: BadCell) -> Error {
        let row = first_row + bad.row as u64 + 1;
        data_error(&self.path, format!("row {row}: {}", bad.message))
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

/// Returns whether all values of a stored type that fit can be cast without loss.
fn is_castable(stored: &DataType, kind: ColumnType) -> bool {
    use DataType::{
        Binary, BinaryView, Boolean, Date32, Date64, Dictionary, FixedSizeBinary, LargeBinary,
        LargeUtf8, Timestamp, Utf8, Utf8View,
    };
    if let Dictionary(_, values) = stored {
        return is_castable(values, kind);
    }
    match kind {
        ColumnType::Boolean => matches!(stored, Boolean),
        ColumnType::Int | ColumnType::Bigint | ColumnType::Double => stored.is_numeric(),
        ColumnType::Text => matches!(stored, Utf8 | LargeUtf8 | Utf8View),
        ColumnType::Timestamp => matches!(stored, Timestamp(..) | Date32 | Date64),
        ColumnType::Blob => {
            matches!(
                stored,
                Binary | LargeBinary | BinaryView | FixedSizeBinary(_)
            )
        }
    }
}

fn cast(column: &Column, stored: &ArrayRef) -> Result<ArrayRef, BadCell> {
    let kind = column.kind.arrow();
    if *stored.data_type() == kind {
        return Ok(stored.clone());
    }
    let unexpected =
        |error: ArrowError| BadCell::new(0, &column.name, format!("cannot be cast: {error}"));
    // With `safe`, values that do not fit become null. Casting back finds these and the rounded ones.
    let options = CastOptions {
        safe: true,
        ..Default::default()
    };
    let stored = without_zone(stored, &options).map_err(unexpected)?;
    let values = cast_with_options(&stored, &kind, &options).map_err(unexpected)?;
    let back = cast_with_options(&values, stored.data_type(), &options).map_err(unexpected)?;
    let kept = not_distinct(&back, &stored).map_err(unexpected)?;
    match kept.values().iter().position(|kept| !kept) {
        None => Ok(values),
        Some(row) => Err(BadCell::new(
            row,
            &column.name,
            describe_loss(column.kind, &stored, row),
        )),
    }
}

/// Removes the zone of timestamps: they are stored as UTC whatever zone they are shown in, so
/// casting needs no zone.
fn without_zone(stored: &ArrayRef, options: &CastOptions) -> Result<ArrayRef, ArrowError> {
    let DataType::Timestamp(unit, Some(_)) = stored.data_type() else {
        return Ok(stored.clone());
    };
    let since_epoch = cast_with_options(stored, &DataType::Int64, options)?;
    cast_with_options(&since_epoch, &DataType::Timestamp(*unit, None), options)
}

fn describe_loss(kind: ColumnType, stored: &ArrayRef, row: usize) -> String {
    let value = arrow::util::display::array_value_to_string(stored, row).unwrap_or_default();
    format!(
        "`{value}` ({}) is not exactly a {}",
        stored.data_type(),
        kind.name()
    )
}

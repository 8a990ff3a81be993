//! Rows of files that have types of their own, as text: Parquet and Arrow IPC.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::datatypes::{DataType, Field, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::source::check_parquet_pages;
use crate::source::file::arrow_ipc::{Ipc, StoredBatches};
use crate::source::file::named::{DataFileName, DataFormat};
use crate::source::file::{check_same, data_error, fits, guarded, has_more_digits, read_error};
use crate::{ColumnType, Result, uuids};

const BATCH_ROWS: usize = 1024;

/// Files of one kind with the same columns.
pub struct TypedFiles {
    files: Vec<TypedFile>,
    pub schema: SchemaRef,
    /// Type of each column; `None` for one that no column of a workload can have.
    pub kinds: Vec<Option<ColumnType>>,
    /// Columns that are text since some of their numbers are not exactly of this type, which the others are.
    inexact: Vec<(usize, ColumnType)>,
}

enum TypedFile {
    Parquet(PathBuf),
    Arrow(Ipc),
}

impl TypedFiles {
    /// Opens files, of which there is at least one.
    ///
    /// # Errors
    /// One cannot be read, has no rows, or has other columns than the first one.
    pub fn open(paths: &[PathBuf]) -> Result<TypedFiles> {
        let mut files = Vec::new();
        let mut first: Option<(&Path, SchemaRef)> = None;
        for path in paths {
            let is_arrow = DataFileName::of(path).format == Some(DataFormat::Arrow);
            let (file, schema) = if is_arrow {
                let ipc = Ipc::open(path)?;
                let schema = ipc.schema.clone();
                (TypedFile::Arrow(ipc), schema)
            } else {
                let reader = parquet_reader(path)?;
                if reader.metadata().file_metadata().num_rows() == 0 {
                    return Err(data_error(path, "the file has no rows"));
                }
                (TypedFile::Parquet(path.clone()), reader.schema().clone())
            };
            match &first {
                Some((first, columns)) => check_same((*first, columns.as_ref()), path, &schema)?,
                None => first = Some((path.as_path(), schema)),
            }
            files.push(file);
        }
        let schema = first.map(|(_, schema)| schema);
        let schema = schema.ok_or_else(|| data_error(Path::new(""), "no file is named"))?;
        let kinds = schema.fields().iter();
        let mut kinds: Vec<Option<ColumnType>> = kinds.map(|field| kind_of_field(field)).collect();
        let inexact = inexact(&files, &schema, &kinds)?;
        for (column, _) in &inexact {
            kinds[*column] = Some(ColumnType::Text);
        }
        Ok(TypedFiles {
            files,
            schema,
            kinds,
            inexact,
        })
    }

    /// Returns why a column of numbers is text, if it is.
    pub fn why_text(&self, column: usize) -> Option<String> {
        let (_, kind) = self.inexact.iter().find(|(index, _)| *index == column)?;
        Some(format!(
            "{}, of which some values are not exactly a {}, and so text",
            self.schema.field(column).data_type(),
            kind.name()
        ))
    }

    /// Shows the cells of all rows, with their numbers from 1.
    pub fn visit(&self, see: &mut dyn FnMut(u64, &[&str])) -> Result<()> {
        let mut row = 0;
        for file in &self.files {
            let (path, mut batches) = file.batches(None)?;
            let failed = |error: ArrowError| data_error(path, error.to_string());
            while let Some(batch) = guarded(path, || batches.next().transpose().map_err(failed))? {
                for start in (0..batch.num_rows()).step_by(BATCH_ROWS) {
                    let rows = BATCH_ROWS.min(batch.num_rows() - start);
                    let texts = texts(&batch.slice(start, rows), &self.kinds).map_err(failed)?;
                    for index in 0..rows {
                        let cell =
                            |column: &Vec<String>| column.get(index).cloned().unwrap_or_default();
                        let cells: Vec<String> = texts.iter().map(cell).collect();
                        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                        row += 1;
                        see(row, &cells);
                    }
                }
            }
        }
        Ok(())
    }
}

impl TypedFile {
    /// Reads all batches, of which each has the columns with these indexes in the order of the file; all columns if
    /// none are given.
    fn batches(&self, columns: Option<&[usize]>) -> Result<(&Path, StoredBatches)> {
        match self {
            TypedFile::Arrow(ipc) => Ok((ipc.path.as_path(), ipc.batches(columns)?)),
            TypedFile::Parquet(path) => Ok((path.as_path(), parquet_batches(path, columns)?)),
        }
    }
}

/// Returns the columns with numbers that are not exactly of the type which they would have, by looking at all values of
/// those that may have some.
fn inexact(
    files: &[TypedFile],
    schema: &SchemaRef,
    kinds: &[Option<ColumnType>],
) -> Result<Vec<(usize, ColumnType)>> {
    let fields = schema.fields().iter().zip(kinds).enumerate();
    let doubtful: Vec<(usize, ColumnType)> = fields
        .filter(|(_, (field, _))| has_more_digits(field.data_type()))
        .filter_map(|(index, (_, kind))| Some((index, (*kind)?)))
        .collect();
    let columns: Vec<usize> = doubtful.iter().map(|(index, _)| *index).collect();
    let mut exact = vec![true; columns.len()];
    for file in files {
        if !exact.contains(&true) {
            break;
        }
        let (path, mut batches) = file.batches(Some(&columns))?;
        let failed = |error: ArrowError| data_error(path, error.to_string());
        while let Some(batch) = guarded(path, || batches.next().transpose().map_err(failed))? {
            let cells = batch.columns().iter().zip(&doubtful).zip(&mut exact);
            for ((cells, (_, kind)), exact) in cells {
                *exact = *exact && fits(*kind, cells);
            }
        }
    }
    let both = doubtful.into_iter().zip(exact);
    Ok(both
        .filter_map(|(column, exact)| (!exact).then_some(column))
        .collect())
}

fn parquet_reader(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = File::open(path).map_err(|error| read_error(path, error))?;
    guarded(path, || {
        ParquetRecordBatchReaderBuilder::try_new(file)
            .map_err(|error| data_error(path, format!("not a Parquet file: {error}")))
    })
}

fn parquet_batches(path: &Path, columns: Option<&[usize]>) -> Result<StoredBatches> {
    let mut reader = parquet_reader(path)?.with_batch_size(BATCH_ROWS);
    let file = File::open(path).map_err(|error| read_error(path, error))?;
    let all: Vec<usize> = (0..reader.schema().fields().len()).collect();
    guarded(path, || {
        check_parquet_pages(&file, reader.metadata(), columns.unwrap_or(&all))
            .map_err(|why| data_error(path, why))
    })?;
    if let Some(columns) = columns {
        let projection = ProjectionMask::roots(reader.parquet_schema(), columns.iter().copied());
        reader = reader.with_projection(projection);
    }
    guarded(path, || match reader.build() {
        Ok(batches) => Ok(Box::new(batches) as StoredBatches),
        Err(error) => Err(data_error(path, error.to_string())),
    })
}

/// Returns the values of each column as text, which are none for columns without a type.
fn texts(
    batch: &RecordBatch,
    kinds: &[Option<ColumnType>],
) -> std::result::Result<Vec<Vec<String>>, ArrowError> {
    let options = FormatOptions::default();
    let columns = batch.columns().iter().zip(kinds);
    let texts = columns.map(
        |(column, kind)| -> std::result::Result<Vec<String>, ArrowError> {
            if kind.is_none() {
                return Ok(Vec::new());
            }
            let formatter = ArrayFormatter::try_new(column.as_ref(), &options)?;
            (0..batch.num_rows())
                .map(|row| formatter.value(row).try_to_string())
                .collect()
        },
    );
    texts.collect()
}

/// Returns whether values of a stored type are days.
pub fn is_of_days(stored: &DataType) -> bool {
    match stored {
        DataType::Dictionary(_, values) => is_of_days(values),
        other => matches!(other, DataType::Date32 | DataType::Date64),
    }
}

/// Returns the type of a column of a workload that can have the values of a stored column.
fn kind_of_field(stored: &Field) -> Option<ColumnType> {
    if uuids::is_of_uuids(stored) {
        return Some(ColumnType::Uuid);
    }
    kind_of(stored.data_type())
}

/// Returns the type of a column of a workload that can have the values of a stored type. Days are times while nobody
/// knows whether rows are ordered by them.
fn kind_of(stored: &DataType) -> Option<ColumnType> {
    use DataType::{
        Boolean, Date32, Date64, Decimal32, Decimal64, Decimal128, Decimal256, Dictionary, Float16,
        Float32, Float64, Int8, Int16, Int32, Int64, LargeUtf8, Timestamp, UInt8, UInt16, UInt32,
        UInt64, Utf8, Utf8View,
    };
    match stored {
        Dictionary(_, values) => kind_of(values),
        Boolean => Some(ColumnType::Boolean),
        Int8 | Int16 | Int32 | UInt8 | UInt16 => Some(ColumnType::Int),
        Int64 | UInt32 | UInt64 => Some(ColumnType::Bigint),
        Float16 | Float32 => Some(ColumnType::Float),
        Float64 => Some(ColumnType::Double),
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => Some(ColumnType::Double),
        Utf8 | LargeUtf8 | Utf8View => Some(ColumnType::Text),
        Timestamp(..) | Date32 | Date64 => Some(ColumnType::Timestamp),
        _ => None,
    }
}

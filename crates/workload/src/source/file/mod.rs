//! Rows of a file: CSV or TSV (either may be gzipped) or Parquet, distinguished by the name.

mod decode;
mod diagnose;
mod header;
mod input;
mod parquet;
mod text;
mod values;

use std::path::Path;

use arrow::array::{Array, ArrayRef};
use arrow::record_batch::RecordBatch;

use super::RowSource;
use crate::{Error, Result, Table};
use text::TextFile;
pub use values::milliseconds;

/// Opens a data file and checks that it has the columns of the table. Other columns are ignored.
///
/// # Errors
/// [`Error::Read`] if it cannot be read; [`Error::Data`] if it is empty, lacks columns or has a
/// name that does not reveal its format.
pub fn open(path: &Path, table: &Table) -> Result<Box<dyn RowSource>> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let gzip = name.ends_with(".gz");
    match name
        .trim_end_matches(".gz")
        .rsplit_once('.')
        .map(|(_, ending)| ending)
    {
        Some("csv") => Ok(Box::new(TextFile::open(path, input::csv(), gzip, table)?)),
        Some("tsv") => Ok(Box::new(TextFile::open(path, input::tsv(), gzip, table)?)),
        Some("parquet") if !gzip => Ok(Box::new(parquet::ParquetFile::open(path, table)?)),
        _ => Err(data_error(
            path,
            "the name does not say the format; it has to end in .csv, .tsv (either may be \
             followed by .gz) or .parquet",
        )),
    }
}

/// A cell that does not fit its column: its row in a batch, and a description.
#[derive(Debug)]
struct BadCell {
    row: usize,
    message: String,
}

impl BadCell {
    fn new(row: usize, column: &str, message: impl AsRef<str>) -> Self {
        BadCell {
            row,
            message: format!("column `{column}`: {}", message.as_ref()),
        }
    }
}

/// Makes a batch of a table, if no key column has a null. `columns` have the table's types.
fn table_batch(table: &Table, columns: Vec<ArrayRef>) -> Result<RecordBatch, BadCell> {
    for (column, array) in table.columns.iter().zip(&columns) {
        let first_null = || {
            (0..array.len())
                .find(|row| array.is_null(*row))
                .unwrap_or(0)
        };
        if table.is_key(&column.name) && array.null_count() > 0 {
            let message = "no value, but it is in the key, where every row needs one: fill it in, \
                           leave the row out, or choose another key";
            return Err(BadCell::new(first_null(), &column.name, message));
        }
    }
    RecordBatch::try_new(table.schema(), columns).map_err(|error| BadCell {
        row: 0,
        message: error.to_string(),
    })
}

fn data_error(path: &Path, message: impl Into<String>) -> Error {
    Error::Data {
        path: path.to_owned(),
        message: message.into(),
    }
}

fn read_error(path: &Path, source: std::io::Error) -> Error {
    Error::Read {
        what: "data file",
        path: path.to_owned(),
        source,
    }
}

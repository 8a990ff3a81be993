//! Rows of files: CSV, TSV or lines of JSON (any may be packed), Parquet or Arrow IPC, distinguished by the name.

mod archive;
pub(crate) mod arrow_ipc;
mod bad_rows;
mod constants;
mod decode;
mod diagnose;
pub(crate) mod fields;
pub(crate) mod folder;
mod header;
pub(crate) mod input;
pub(crate) mod ipc_lengths;
mod joined;
mod json;
pub(crate) mod json_keys;
mod lines;
pub(crate) mod named;
mod parquet;
pub(crate) mod parquet_pages;
mod part;
mod several;
mod spaced_quotes;
pub(crate) mod split_times;
mod stamp;
mod stored;
mod text;
mod values;
mod without;
mod zstandard;

use std::any::Any;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use self::arrow_ipc::ArrowFile;
use self::input::TextInput;
use self::parquet::ParquetFile;
use super::RowSource;
use crate::{Error, Result, Table, TextForm};
pub use bad_rows::BadRows;
use constants::WithConstants;
use joined::PartError;
use named::{DataFileName, DataFormat};
use several::Several;
pub(crate) use stored::{check_same, fits, has_more_digits};
use text::TextFile;
pub use values::{milliseconds, milliseconds_in};

/// The mark with which text in UTF-8 may begin.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Opens data files, or all files in folders, and checks that they have the columns of the table, but for constants.
/// Other columns are ignored. The rows of several files, which are of one kind and have the same columns, follow each
/// other.
///
/// # Errors
/// [`Error::Read`] if one cannot be read; [`Error::Data`] if one is empty, lacks columns, has a name that does not
/// reveal its format, or is another kind of file than the others.
pub fn open(paths: &[PathBuf], table: &Table, form: &TextForm) -> Result<Box<dyn RowSource>> {
    if form.constants.is_empty() {
        return open_stored(paths, table, form);
    }
    let in_files = table.without(|name| form.constants.contains_key(name));
    let form_of_files = TextForm {
        constants: BTreeMap::new(),
        ..form.clone()
    };
    let rows = open_stored(paths, &in_files, &form_of_files)?;
    let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
    let rows = WithConstants::new(rows, table, &form.constants, path);
    Ok(Box::new(rows))
}

/// Opens files that have all columns of the table.
fn open_stored(paths: &[PathBuf], table: &Table, form: &TextForm) -> Result<Box<dyn RowSource>> {
    let paths = folder::files(paths)?;
    let Some(typed) = paths.iter().find(|path| DataFileName::of(path).is_typed()) else {
        return Ok(Box::new(TextFile::open(&paths, table, form)?));
    };
    let named = DataFileName::of(typed);
    let is_other = |path: &&PathBuf| !DataFileName::of(path).is_like(&named);
    if let Some(other) = paths.iter().find(is_other) {
        let message = format!(
            "it is another kind of file than {}: several files are read together only if all are of one kind",
            other.display()
        );
        return Err(data_error(typed, message));
    }
    if let Some(column) = form.joined.keys().next() {
        let message = format!(
            "`join` puts times together from columns of text, and this file has types: write the parts of `{column}` \
             to it as one timestamp, and leave `join` out"
        );
        return Err(data_error(typed, message));
    }
    let names_alone = TextForm {
        from: form.from.clone(),
        ..TextForm::default()
    };
    if *form != names_alone {
        let name = match named.format {
            Some(DataFormat::Arrow) => "Arrow",
            _ => "Parquet",
        };
        let message = format!(
            "{name} has names, types and nulls, and no delimiters: leave `header`, `fields`, `delimiter`, `null`, \
             `format`, `zone`, `decimal`, `thousands`, `signs`, `bad_rows`, `repeated_keys`, `skip_lines`, \
             `units_line` and `lines_after_names` out, and --no-header and --delimiter"
        );
        return Err(data_error(typed, message));
    }
    open_typed(&paths, table, form)
}

/// Opens the text of a CSV or TSV file as its records are read: unpacked, and without the spaces around quotes where
/// these are no part of fields. Of a ZIP file it is the first one in it.
///
/// # Errors
/// [`Error::Read`] if it cannot be read; [`Error::Data`] if its name does not reveal its format.
pub fn open_text(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    let input = TextInput::new(&[path.to_owned()], &TextForm::default())?;
    match input.parts.first() {
        Some(part) => part.open().map_err(|error| read_error(path, error)),
        None => Err(data_error(path, "there is no file in it")),
    }
}

/// Opens files of one kind that have types.
fn open_typed(paths: &[PathBuf], table: &Table, form: &TextForm) -> Result<Box<dyn RowSource>> {
    let mut files: Vec<Box<dyn RowSource>> = Vec::new();
    let mut first: Option<(&Path, SchemaRef)> = None;
    for path in paths {
        let like = first
            .as_ref()
            .map(|(path, columns)| (*path, columns.as_ref()));
        let is_arrow = DataFileName::of(path).format == Some(DataFormat::Arrow);
        let (file, stored): (Box<dyn RowSource>, SchemaRef) = if is_arrow {
            let file = ArrowFile::open(path, table, form, like)?;
            let stored = file.stored().clone();
            (Box::new(file), stored)
        } else {
            let file = ParquetFile::open(path, table, form, like)?;
            let stored = file.stored().clone();
            (Box::new(file), stored)
        };
        first = first.or(Some((path.as_path(), stored)));
        files.push(file);
    }
    match files.pop() {
        Some(file) if files.is_empty() => Ok(file),
        last => {
            files.extend(last);
            Ok(Box::new(Several::new(files)))
        }
    }
}

/// Returns the name of a file in lower case, whose ending says what it is.
pub(crate) fn lower_case_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().to_lowercase()
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

pub(crate) fn data_error(path: &Path, message: impl Into<String>) -> Error {
    Error::Data {
        path: path.to_owned(),
        message: message.into(),
    }
}

pub(crate) fn read_error(path: &Path, error: std::io::Error) -> Error {
    let (path, source) = match error.downcast::<PartError>() {
        Ok(PartError { path, source }) => (path, source),
        Err(source) => (path.to_owned(), source),
    };
    Error::Read {
        what: "data file",
        path,
        source,
    }
}

/// Returns what was read, or the panic of a library that reads as an error: it checks most of what a file says
/// of itself, but not all. Nothing that it worked on is used again.
pub(crate) fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    let damaged = |panic: Box<dyn Any + Send>| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        let words = words.unwrap_or("it says something else of itself than it has");
        data_error(path, format!("the file is damaged: {words}"))
    };
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| Err(damaged(panic)))
}

//! Rows of a file of which nothing is known yet, as text.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::sniff;
use crate::source::file::fields::{FieldReader, FieldsError};
use crate::source::file::input::TextInput;
use crate::source::file::{data_error, guarded, lower_case_name, read_error};
use crate::{ColumnType, Error, Result, TextForm};

/// Endings of files whose rows are not read, with what turns them into some that are.
const OTHERS: [(&str, &str); 7] = [
    (".json", "JSON"),
    (".jsonl", "JSON"),
    (".ndjson", "JSON"),
    (".arrow", "Arrow IPC"),
    (".feather", "Arrow IPC"),
    (".ipc", "Arrow IPC"),
    (".xlsx", "a spreadsheet"),
];

const BATCH_ROWS: usize = 1024;

/// A file whose rows are looked at.
pub struct FileRows {
    path: PathBuf,
    /// Names of its columns, as they are in the file; numbers from 1 where it has none.
    pub names: Vec<String>,
    /// Whether its first line is a row.
    pub no_header: bool,
    /// What separates fields, where the name of the file does not say it.
    pub delimiter: Option<u8>,
    form: Form,
}

enum Form {
    Text(TextInput),
    /// With the type of each column; `None` for one that no column of a workload can have.
    Parquet(Vec<Option<ColumnType>>),
}

/// A row that is looked at.
pub enum Seen<'a> {
    /// Its cells; empty ones have no value.
    Cells(u64, &'a [&'a str]),
    /// A row with another number of fields than the first one, which is given, or that is not text; one for each of
    /// its lines.
    Bad(usize),
}

impl FileRows {
    /// Opens a file, and finds out what separates its fields and whether its first line names them, unless that is
    /// given.
    ///
    /// # Errors
    /// It cannot be read, or has no rows, or a form that is not read.
    pub fn open(path: &Path, delimiter: Option<u8>, header: Option<bool>) -> Result<FileRows> {
        let name = lower_case_name(path);
        let found = std::fs::metadata(path).map_err(|error| read_error(path, error))?;
        if !found.is_file() {
            let message = "it is no regular file, and has to be read several times: write its rows to one first";
            return Err(data_error(path, message));
        }
        if let Some((_, what)) = OTHERS.iter().find(|(ending, _)| name.ends_with(ending)) {
            let message = format!(
                "it is {what}, whose rows are not read: make it CSV or Parquet, for example with DuckDB or pandas"
            );
            return Err(data_error(path, message));
        }
        if name.ends_with(".parquet") {
            if delimiter.is_some() || header.is_some() {
                let message =
                    "--delimiter, --header and --no-header are for files of text; leave them out";
                return Err(Error::Usage(format!("{}: {message}", path.display())));
            }
            return FileRows::parquet(path);
        }
        let paths = [path.to_owned()];
        let named = TextInput::new(&paths, &TextForm::default());
        let named = named.ok().map(|input| input.delimiter);
        let form = TextForm {
            no_header: true,
            delimiter: delimiter.or(named).or(Some(b',')),
            ..TextForm::default()
        };
        let mut input = TextInput::new(&paths, &form)?;
        let failed = |error: FieldsError| error.about(path);
        let sniffed = sniff::delimiter(&input).map_err(failed)?;
        if delimiter.is_none()
            && sniffed.is_none()
            && let Some(words) = sniff::words(&input).map_err(failed)?
        {
            let message = format!(
                "spaces seem to separate its fields, {words} in a line, which are not read so: write a comma or a tab \
                 there, or say --delimiter tab if each line is one field"
            );
            return Err(data_error(path, message));
        }
        input.delimiter = delimiter.or(sniffed).unwrap_or(input.delimiter);
        let mut reader = FieldReader::new(input.open(), input.delimiter);
        let Some(first) = reader.read().map_err(failed)? else {
            return Err(data_error(path, "the file is empty"));
        };
        if !first.is_text() {
            let message = "the first line is not UTF-8 text: write the file in UTF-8";
            return Err(data_error(path, message));
        }
        let first = first.all();
        let second = reader.read().map_err(failed)?;
        let second = second.map(|fields| fields.all());
        let no_header = !header
            .unwrap_or_else(|| sniff::names_columns(&first, second.as_deref().unwrap_or_default()));
        if !no_header && second.is_none() {
            return Err(data_error(
                path,
                "the file names its columns, but has no rows",
            ));
        }
        if !no_header
            && header.is_none()
            && let Some(unnamed) = sniff::unnamed_of_title(&first)
        {
            let message = format!(
                "{unnamed} of the {} fields of the first line are empty, as after a title: remove the line if it is \
                 one, or say --header if it names the columns",
                first.len()
            );
            return Err(data_error(path, message));
        }
        input.header = !no_header;
        input.fields = first.len();
        let delimiter = input.delimiter;
        Ok(FileRows {
            path: path.to_owned(),
            names: if no_header {
                (1..=first.len()).map(|number| number.to_string()).collect()
            } else {
                first
            },
            no_header,
            delimiter: (named != Some(delimiter)).then_some(delimiter),
            form: Form::Text(input),
        })
    }

    fn parquet(path: &Path) -> Result<FileRows> {
        let reader = parquet_reader(path)?;
        let fields = reader.schema().fields();
        if reader.metadata().file_metadata().num_rows() == 0 {
            return Err(data_error(path, "the file has no rows"));
        }
        Ok(FileRows {
            path: path.to_owned(),
            names: fields.iter().map(|field| field.name().clone()).collect(),
            no_header: false,
            delimiter: None,
            form: Form::Parquet(
                fields
                    .iter()
                    .map(|field| kind_of(field.data_type()))
                    .collect(),
            ),
        })
    }

    /// Returns the types of the columns if the file says them.
    pub fn kinds(&self) -> Option<&[Option<ColumnType>]> {
        match &self.form {
            Form::Parquet(kinds) => Some(kinds),
            Form::Text(_) => None,
        }
    }

    /// Shows all rows, in their order.
    ///
    /// # Errors
    /// A row cannot be read.
    pub fn visit(&self, mut see: impl FnMut(Seen<'_>)) -> Result<()> {
        match &self.form {
            Form::Text(input) => self.visit_text(input, &mut see),
            Form::Parquet(kinds) => self.visit_parquet(kinds, &mut see),
        }
    }

    fn visit_text(&self, input: &TextInput, see: &mut dyn FnMut(Seen<'_>)) -> Result<()> {
        let failed = |error: FieldsError| error.about(&self.path);
        let mut reader = FieldReader::new(input.open(), input.delimiter);
        if input.header {
            reader.read().map_err(failed)?;
        }
        while let Some(fields) = reader.read().map_err(failed)? {
            let cells: Option<Vec<&str>> = (0..fields.len()).map(|i| fields.get(i)).collect();
            match cells.filter(|cells| cells.len() == input.fields && fields.is_text()) {
                Some(cells) => see(Seen::Cells(fields.line, &cells)),
                // A quote that is never closed takes in many lines, each of which was a row.
                None => {
                    let found = fields.len();
                    (0..fields.lines()).for_each(|_| see(Seen::Bad(found)));
                }
            }
        }
        Ok(())
    }

    fn visit_parquet(
        &self,
        kinds: &[Option<ColumnType>],
        see: &mut dyn FnMut(Seen<'_>),
    ) -> Result<()> {
        let failed = |error: ArrowError| data_error(&self.path, error.to_string());
        let build = || {
            let reader = parquet_reader(&self.path)?.with_batch_size(BATCH_ROWS);
            reader
                .build()
                .map_err(|error| data_error(&self.path, error.to_string()))
        };
        let mut reader = guarded(&self.path, build)?;
        let mut row = 0;
        while let Some(batch) = guarded(&self.path, || reader.next().transpose().map_err(failed))? {
            let columns = texts(&batch, kinds).map_err(failed)?;
            for index in 0..batch.num_rows() {
                let cell = |column: &Vec<String>| column.get(index).cloned().unwrap_or_default();
                let cells: Vec<String> = columns.iter().map(cell).collect();
                let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                row += 1;
                see(Seen::Cells(row, &cells));
            }
        }
        Ok(())
    }
}

fn parquet_reader(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = File::open(path).map_err(|error| read_error(path, error))?;
    guarded(path, || {
        ParquetRecordBatchReaderBuilder::try_new(file)
            .map_err(|error| data_error(path, format!("not a Parquet file: {error}")))
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

/// Returns the type of a column of a workload that can have the values of a stored type.
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
        Float16 | Float32 | Float64 => Some(ColumnType::Double),
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => Some(ColumnType::Double),
        Utf8 | LargeUtf8 | Utf8View => Some(ColumnType::Text),
        Timestamp(..) | Date32 | Date64 => Some(ColumnType::Timestamp),
        _ => None,
    }
}

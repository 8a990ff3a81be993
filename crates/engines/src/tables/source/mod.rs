//! Rows that a columnar table is filled with: of files, and of other tables.

mod arrow_file;
mod convert;
mod loss;
mod of_table;
mod text;

use std::path::Path;

use arrow::datatypes::Field;
use arrow::record_batch::RecordBatch;
use bakeoff_columnar::{Column, Kind};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::{Keys, Location, TableError, Tables};
use arrow_file::ArrowFile;
use convert::Conversion;
use of_table::{TableRows, forward as forward_query};
use text::TextFile;

/// Batches that are read ahead.
const BATCHES_AHEAD: usize = 2;
/// Rows of a batch.
const BATCH_ROWS: usize = 8_192;

/// A column as the source has it. Names are in lower case, as queries have them.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceColumn {
    pub name: String,
    /// Its type in a columnar table, if there is one that keeps all its values.
    pub kind: Option<Kind>,
    /// Its type in the source, for people.
    pub stored_as: String,
}

/// Where rows come from.
pub struct Source {
    columns: Vec<SourceColumn>,
    input: Input,
}

enum Input {
    Text(TextFile),
    Arrow(ArrowFile),
    Table(Box<TableRows>),
}

/// Rows as they come, in the columns and types that were asked for.
pub struct Rows {
    batches: mpsc::Receiver<Result<RecordBatch, TableError>>,
    notes: Vec<String>,
}

impl Source {
    /// A file: CSV or TSV (either may be gzipped), Parquet or Arrow IPC, told apart by the name's
    /// ending. Types of text are guessed from this many rows at most.
    pub fn open(path: &Path, sample_rows: Option<usize>) -> Result<Source, TableError> {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        let (plain, gzipped) = match name.strip_suffix(".gz") {
            Some(plain) => (plain, true),
            None => (&*name, false),
        };
        let ending = plain.rsplit_once('.').map_or("", |(_, ending)| ending);
        let (fields, input) = match (ending, gzipped) {
            ("csv" | "tsv", _) => {
                let file = TextFile::open(path, ending == "tsv", gzipped, sample_rows)?;
                (file.fields().to_vec(), Input::Text(file))
            }
            ("parquet" | "arrow" | "arrows" | "feather" | "ipc", false) => {
                let file = ArrowFile::open(path, ending == "parquet")?;
                (file.fields(), Input::Arrow(file))
            }
            _ => {
                return Err(TableError::Asked(format!(
                    "{}: the name does not say the format; it has to end in .csv, .tsv (either may \
                     be followed by .gz), .parquet or .arrow",
                    path.display()
                )));
            }
        };
        let columns = columns(&fields, &path.display().to_string())?;
        Ok(Source { columns, input })
    }

    /// All rows of a table that can be queried.
    pub async fn of_table(tables: Tables, location: &Location) -> Result<Source, TableError> {
        let rows = TableRows::open(tables, location).await?;
        let columns = columns(rows.fields(), &location.to_string())?;
        let input = Input::Table(Box::new(rows));
        Ok(Source { columns, input })
    }

    pub fn columns(&self) -> &[SourceColumn] {
        &self.columns
    }

    /// If that is known before they are read.
    pub fn total_rows(&self) -> Option<u64> {
        match &self.input {
            Input::Arrow(file) => file.total_rows(),
            Input::Text(_) | Input::Table(_) => None,
        }
    }

    /// From how many rows the types of columns were guessed; none where they are known.
    pub fn guessed_from(&self) -> Option<usize> {
        match &self.input {
            Input::Text(file) => Some(file.sampled_rows()),
            Input::Arrow(_) | Input::Table(_) => None,
        }
    }

    /// The key, where the source is a table.
    pub fn keys(&self) -> Option<&Keys> {
        match &self.input {
            Input::Table(table) => Some(table.keys()),
            Input::Text(_) | Input::Arrow(_) => None,
        }
    }

    /// Reads these columns, as these types. No value of a key may be null.
    ///
    /// # Errors
    /// A column that the source does not have. Values that do not fit come as errors with their
    /// row, and are the last thing that comes.
    pub async fn read(self, columns: &[Column], keys: &[&str]) -> Result<Rows, TableError> {
        let place = |column: &Column| {
            let lower = column.name.to_lowercase();
            let found = self.columns.iter().position(|c| c.name == lower);
            found.ok_or_else(|| TableError::Asked(format!("there is no column `{}`", column.name)))
        };
        let places: Vec<usize> = columns.iter().map(place).collect::<Result<_, _>>()?;
        let (send, receive) = mpsc::channel(BATCHES_AHEAD);
        let conversion = Conversion::new(columns, keys);
        let mut notes = Vec::new();
        match self.input {
            Input::Text(file) => {
                let batches = file.read(columns, keys, &places)?;
                spawn_blocking(move || forward(batches, conversion, &send));
            }
            Input::Arrow(file) => {
                let path = file.path().to_owned();
                let batches = file.read(&places)?;
                let conversion = conversion.of_file(path);
                spawn_blocking(move || forward(batches, conversion, &send));
            }
            Input::Table(table) => {
                let query = table.read(&places).await?;
                notes = query.notes();
                tokio::spawn(async move { forward_query(query, conversion, &send).await });
            }
        }
        Ok(Rows {
            batches: receive,
            notes,
        })
    }
}

impl Rows {
    pub async fn next(&mut self) -> Option<Result<RecordBatch, TableError>> {
        self.batches.recv().await
    }

    /// What their reader has to know of columns that are not read as what they are.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, TableError>> + Send>;

/// Until the end, an error, or nobody wants more.
fn forward(
    batches: Batches,
    mut conversion: Conversion,
    to: &mpsc::Sender<Result<RecordBatch, TableError>>,
) {
    for batch in batches {
        let batch = batch.and_then(|batch| conversion.convert(&batch));
        let failed = batch.is_err();
        if to.blocking_send(batch).is_err() || failed {
            return;
        }
    }
}

fn columns(fields: &[Field], whose: &str) -> Result<Vec<SourceColumn>, TableError> {
    let column = |field: &Field| SourceColumn {
        name: field.name().trim().to_lowercase(),
        kind: Kind::of(field.data_type()),
        stored_as: field.data_type().to_string(),
    };
    let columns: Vec<SourceColumn> = fields.iter().map(column).collect();
    for (i, column) in columns.iter().enumerate() {
        if columns[..i].iter().any(|c| c.name == column.name) {
            return Err(TableError::Asked(format!(
                "{whose}: two columns are called `{}` (case does not count)",
                column.name
            )));
        }
    }
    Ok(columns)
}

/// Why a file cannot be read.
fn failed(path: &Path, why: impl std::fmt::Display) -> TableError {
    TableError::Failed(format!("cannot read {}: {why}", path.display()))
}

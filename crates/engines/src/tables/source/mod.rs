//! Sources of rows for columnar tables: files and other tables.

mod arrow_file;
mod convert;
mod loss;
mod table_rows;
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
use table_rows::{TableRows, forward as forward_query};
use text::TextFile;

/// The number of batches that are read ahead.
const BATCHES_AHEAD: usize = 2;
/// The number of rows in a batch.
const BATCH_ROWS: usize = 8_192;

/// A column of a source. Names are in lower case, as in queries.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceColumn {
    pub name: String,
    /// The column's type in a columnar table, if there is one that keeps all its values.
    pub kind: Option<Kind>,
    /// The column's type in the source, for people.
    pub stored_as: String,
}

/// A source of rows.
pub struct Source {
    columns: Vec<SourceColumn>,
    input: Input,
}

enum Input {
    Text(TextFile),
    Arrow(ArrowFile),
    Table(Box<TableRows>),
}

/// The rows of a source, in the requested columns and types.
pub struct Rows {
    batches: mpsc::Receiver<Result<RecordBatch, TableError>>,
    notes: Vec<String>,
}

impl Source {
    /// Opens a file: CSV or TSV (either may be gzipped), Parquet or Arrow IPC, by its name's ending. The
    /// types of text are guessed from at most `sample_rows` rows.
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

    /// Opens a table, all of whose rows are read.
    pub async fn from_table(tables: Tables, location: &Location) -> Result<Source, TableError> {
        let rows = TableRows::open(tables, location).await?;
        let columns = columns(rows.fields(), &location.to_string())?;
        let input = Input::Table(Box::new(rows));
        Ok(Source { columns, input })
    }

    pub fn columns(&self) -> &[SourceColumn] {
        &self.columns
    }

    /// Returns the number of rows, if it is known before they are read.
    pub fn total_rows(&self) -> Option<u64> {
        match &self.input {
            Input::Arrow(file) => file.total_rows(),
            Input::Text(_) | Input::Table(_) => None,
        }
    }

    /// Returns the number of rows that the types of columns were guessed from, or `None` if they
    /// are known.
    pub fn guessed_from(&self) -> Option<usize> {
        match &self.input {
            Input::Text(file) => Some(file.sampled_rows()),
            Input::Arrow(_) | Input::Table(_) => None,
        }
    }

    /// Returns the key, if the source is a table.
    pub fn keys(&self) -> Option<&Keys> {
        match &self.input {
            Input::Table(table) => Some(table.keys()),
            Input::Text(_) | Input::Arrow(_) => None,
        }
    }

    /// Reads these columns and converts them to their types. No value of a key may be null.
    ///
    /// # Errors
    /// Fails for a column that the source does not have. A value that does not fit comes as an error with
    /// its row, which is the last item.
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
                let conversion = conversion.with_file(path);
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

    /// Returns notes on columns that are read as another type than they have.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, TableError>> + Send>;

/// Converts and sends batches until they end, one fails, or the receiver is dropped.
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
        kind: Kind::from_data_type(field.data_type()),
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

/// Returns the error of a file that cannot be read.
fn failed(path: &Path, why: impl std::fmt::Display) -> TableError {
    TableError::Failed(format!("cannot read {}: {why}", path.display()))
}

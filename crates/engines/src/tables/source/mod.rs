//! Sources of rows for columnar tables: files and other tables.

mod arrow_file;
mod bounded;
mod convert;
#[cfg(test)]
mod hostile;
mod look;
mod loss;
mod said;
mod table_rows;
mod text;

use std::any::Any;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::datatypes::Field;
use arrow::record_batch::RecordBatch;
use bakeoff_columnar::{Column, Kind};
use bakeoff_workload::source::{DataFileName, DataFormat, PackedAs};
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

use super::{Keys, Location, TableError, Tables, wide_numbers};
use arrow_file::ArrowFile;
use convert::Conversion;
use said::check_typed;
pub use said::{JoinedTime, SaidOfText};
use table_rows::{StaticRows, TableRows, forward as forward_query};
pub use text::Doubt;
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
    /// The file or table, as errors name it.
    name: String,
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
    /// The file or table, as errors name it.
    source: String,
    batches: mpsc::Receiver<Result<RecordBatch, TableError>>,
    /// The thread or task that reads, until it has ended.
    reader: Option<JoinHandle<()>>,
    notes: Vec<String>,
    /// The number of rows that were left out, since they have only static columns.
    static_rows: Arc<AtomicU64>,
    /// The number of rows that have a time to live.
    expiring_rows: Arc<AtomicU64>,
}

impl Source {
    /// Opens a file: CSV or TSV (either may be gzipped), Parquet or Arrow IPC, by its name's ending. The
    /// types of text are guessed from at most `sample_rows` rows, by what is said of it.
    ///
    /// # Errors
    /// It cannot be read, or its name does not say what it is; or something is said of a file with types that only one
    /// of text can have, or the same mark is before decimals and before three digits, or a time is put together from
    /// columns that it lacks.
    pub fn open(
        path: &Path,
        sample_rows: Option<usize>,
        said: &SaidOfText,
    ) -> Result<Source, TableError> {
        let named = DataFileName::of(path);
        let (fields, input) = match (named.format, named.packed) {
            (Some(DataFormat::Csv | DataFormat::Tsv), None | Some(PackedAs::Gzip)) => {
                let is_tsv = named.format == Some(DataFormat::Tsv);
                let is_packed = named.packed.is_some();
                let file = TextFile::open(path, is_tsv, is_packed, sample_rows, said)?;
                (file.fields().to_vec(), Input::Text(file))
            }
            (Some(DataFormat::Parquet | DataFormat::Arrow), None) => {
                check_typed(path, said)?;
                let file = ArrowFile::open(path, named.format == Some(DataFormat::Parquet))?;
                (file.fields(), Input::Arrow(file))
            }
            (Some(DataFormat::Json), None | Some(PackedAs::Gzip)) => {
                return Err(TableError::Asked(format!(
                    "{}: lines of JSON are not ingested: make them CSV or Parquet, for example with DuckDB or pandas",
                    path.display()
                )));
            }
            _ => {
                return Err(TableError::Asked(format!(
                    "{}: the name does not say the format; it has to end in .csv, .tsv (either may \
                     be followed by .gz), .parquet or .arrow",
                    path.display()
                )));
            }
        };
        let name = path.display().to_string();
        let columns = columns(&fields, &name)?;
        Ok(Source {
            name,
            columns,
            input,
        })
    }

    /// Opens a table, all of whose rows are read.
    pub async fn from_table(tables: Tables, location: &Location) -> Result<Source, TableError> {
        let rows = TableRows::open(tables, location).await?;
        let name = location.to_string();
        let columns = columns(rows.fields(), &name)?;
        Ok(Source {
            name,
            columns,
            input: Input::Table(Box::new(rows)),
        })
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

    /// Returns the columns that are text only because of words that usually stand for no value.
    pub fn doubts(&self) -> &[Doubt] {
        match &self.input {
            Input::Text(file) => file.doubts(),
            Input::Arrow(_) | Input::Table(_) => &[],
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
        let static_rows = Arc::new(AtomicU64::new(0));
        let mut expiring_rows = Arc::default();
        let reader = match self.input {
            Input::Text(file) => {
                let batches = file.read(columns, keys, &places)?;
                spawn_blocking(move || forward(batches, conversion, &send))
            }
            Input::Arrow(file) => {
                let path = file.path().to_owned();
                let batches = file.read(&places)?;
                let conversion = conversion.with_file(path);
                spawn_blocking(move || forward(batches, conversion, &send))
            }
            Input::Table(table) => {
                let is_clustering = |place: &usize| {
                    let column = &columns[*place];
                    let lower = column.name.to_lowercase();
                    keys.contains(&column.name.as_str()) && table.keys().order.contains(&lower)
                };
                let clustering_key = (0..columns.len()).filter(is_clustering).collect();
                let left_out = StaticRows::new(clustering_key, Arc::clone(&static_rows));
                expiring_rows = table.expiring_rows();
                let query = table.read(&places).await?;
                notes = query.notes();
                let conversion = conversion.with_keys_in_errors();
                tokio::spawn(async move { forward_query(query, left_out, conversion, &send).await })
            }
        };
        Ok(Rows {
            source: self.name,
            batches: receive,
            reader: Some(reader),
            notes,
            static_rows,
            expiring_rows,
        })
    }
}

impl Rows {
    /// Returns the next batch of rows, or `None` at the end.
    ///
    /// # Errors
    /// Fails if the source cannot be read to its end; that is the last item.
    pub async fn next(&mut self) -> Option<Result<RecordBatch, TableError>> {
        if let Some(batch) = self.batches.recv().await {
            return Some(batch);
        }
        // The channel also closes when the reader panics, which is not the end of the rows.
        let ended = self.reader.take()?.await;
        ended.err().map(|error| Err(broke_off(&self.source, error)))
    }

    /// Returns notes on columns that are read as another type than they have.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns notes on rows that were read so far.
    pub fn notes_on_rows(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let partitions = self.static_rows.load(Ordering::Relaxed);
        if partitions > 0 {
            let have = plural(
                partitions,
                "partition of the source has",
                "partitions of the source have",
            );
            notes.push(format!(
                "{have} only static columns, and so no row with a whole key: left out"
            ));
        }
        let expiring = self.expiring_rows.load(Ordering::Relaxed);
        if expiring > 0 {
            let have = plural(expiring, "row has", "rows have");
            notes.push(format!(
                "{have} a time to live (TTL) in {}, which columnar tables do not keep: nothing expires here; \
                 `bakeoff table drop-before` removes old rows",
                self.source
            ));
        }
        notes
    }
}

fn plural(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
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
        stored_as: wide_numbers::name_in_cql(field.data_type()).map_or_else(
            || field.data_type().to_string(),
            |name| format!("a CQL {name}"),
        ),
    };
    let columns: Vec<SourceColumn> = fields.iter().map(column).collect();
    match twice(&columns) {
        Some(name) => Err(TableError::Asked(format!(
            "{whose}: two columns are called `{name}` (case does not count)"
        ))),
        None => Ok(columns),
    }
}

/// Returns the first name that an earlier column has, too.
fn twice(columns: &[SourceColumn]) -> Option<String> {
    let mut names = HashSet::new();
    let mut all = columns.iter().map(|column| column.name.as_str());
    all.find(|name| !names.insert(*name)).map(str::to_owned)
}

/// Returns the error of a reader that did not come to the end of its rows.
fn broke_off(source: &str, error: JoinError) -> TableError {
    let why = match error.try_into_panic() {
        Ok(panic) => {
            let words = words_of(&*panic);
            format!("a bug in Bakeoff or in a library that reads it: {words}")
        }
        Err(error) => error.to_string(),
    };
    TableError::Failed(format!(
        "reading {source} ended before its last row by {why}; it may be damaged: try another copy of \
         it, or write it anew in another format"
    ))
}

/// Returns the words of a panic.
fn words_of(panic: &(dyn Any + Send)) -> &str {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    words.unwrap_or("it panicked without a message")
}

/// Returns the error of a file that cannot be read.
fn failed(path: &Path, why: impl std::fmt::Display) -> TableError {
    TableError::Failed(format!("cannot read {}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use arrow::array::Int64Array;
    use arrow::datatypes::{DataType, Schema};

    use super::*;

    #[tokio::test]
    async fn a_reader_that_panics_is_an_error_and_not_the_end() {
        let field = Field::new("k", DataType::Int64, true);
        let column: arrow::array::ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let schema = Arc::new(Schema::new(vec![field]));
        let batch = RecordBatch::try_new(schema, vec![column]).unwrap();
        let batches = [Some(batch), None].into_iter();
        let batches: Batches = Box::new(batches.map(|batch| Ok(batch.expect("a broken page"))));
        let kept = Column {
            name: "k".to_owned(),
            kind: Kind::Bigint,
        };
        let conversion = Conversion::new(&[kept], &[]);
        let (send, receive) = mpsc::channel(BATCHES_AHEAD);
        let mut rows = Rows {
            source: "f.parquet".to_owned(),
            batches: receive,
            reader: Some(spawn_blocking(move || forward(batches, conversion, &send))),
            notes: Vec::new(),
            static_rows: Arc::default(),
            expiring_rows: Arc::default(),
        };
        assert_eq!(rows.next().await.unwrap().unwrap().num_rows(), 2);
        let error = rows.next().await.unwrap().unwrap_err().to_string();
        assert!(
            error.contains("f.parquet ended before its last row"),
            "{error}"
        );
        assert!(error.contains("a broken page"), "{error}");
        assert!(rows.next().await.is_none());
    }
}

//! CSV and TSV files, whose column types are guessed.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::csv::ReaderBuilder;
use arrow::csv::reader::Format;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use bakeoff_columnar::{Column, Kind};
use bakeoff_workload::source::{open_files, open_text};
use bakeoff_workload::{self as workload, ColumnType, NumberForm, TextForm};
use flate2::read::MultiGzDecoder;

use super::bounded::{Bounded, Seen};
use super::look::{Look, looks};
use super::said::{JoinedTime, SaidOfText};
use super::{BATCH_ROWS, Batches, TableError, failed};

/// The highest number of bytes of a heading that is checked.
const HEADING_BYTES_AT_MOST: u64 = 1 << 16;
/// The memory for records in which codes are searched, in bytes, and their highest number.
const CODES_BYTES: u64 = 32 << 20;
const CODES_ROWS: u64 = 1_024;
/// The highest number of cells of these records, for each of which memory is reserved.
const CODES_CELLS: u64 = 1 << 20;

pub struct TextFile {
    path: PathBuf,
    fields: Vec<Field>,
    sampled_rows: usize,
    /// What is said of it; a time that is put together is the last field.
    said: SaidOfText,
    /// Columns of numbers and words that usually stand for no value, which are text.
    doubts: Vec<Doubt>,
}

/// A column that is text only because of words that usually stand for no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// Name of the column, in lower case.
    pub column: String,
    /// The words, with how often they are among the values that were looked at.
    pub words: Vec<(String, u64)>,
}

impl TextFile {
    pub fn open(
        path: &Path,
        tabs: bool,
        gzipped: bool,
        sample_rows: Option<usize>,
        said: &SaidOfText,
    ) -> Result<Self, TableError> {
        said.check()?;
        if let Some(separator) = other_separator(unzipped(path, gzipped)?, tabs) {
            return Err(failed(path, &separator));
        }
        // TSV has no quotes, here and in the reader of such files.
        let format = if tabs {
            Format::default().with_delimiter(b'\t').with_quote(0xff)
        } else {
            Format::default()
        };
        let format = format.with_header(true);
        let bounded = || {
            let separator = if tabs { b'\t' } else { b',' };
            let text = open_text(path).map_err(|error| TableError::Failed(error.to_string()))?;
            Ok::<_, TableError>(Bounded::new(text, separator, !tabs))
        };
        let text = bounded()?;
        let seen = text.seen();
        let guessed = format.infer_schema(text, sample_rows);
        let (schema, sampled_rows) = guessed.map_err(|error| unreadable(path, error, &seen))?;
        let mut fields: Vec<Field> = schema.fields().iter().map(|f| guessed_field(f)).collect();
        let mut doubts = Vec::new();
        let is_looked_at = |field: &Field| field.data_type().is_integer() || is_text(field);
        let form = NumberForm::of_file(said.decimal, said.thousands);
        let null = said.null.as_slice();
        if form.is_some() || fields.iter().any(is_looked_at) {
            let by_bytes = CODES_BYTES / seen.longest().max(1);
            let by_cells = CODES_CELLS / fields.len() as u64;
            let batch_rows = by_bytes.min(by_cells).clamp(1, CODES_ROWS);
            let reader = ReaderBuilder::new(texts(fields.len()))
                .with_format(format)
                .with_batch_size(batch_rows as usize)
                .with_bounds(0, sampled_rows);
            let text = bounded()?;
            let seen = text.seen();
            let looks = looks(reader, text, fields.len(), null, form);
            let looks = looks.map_err(|error| unreadable(path, error, &seen))?;
            for (field, look) in fields.iter_mut().zip(looks) {
                doubts.extend(settle(field, look, null));
            }
        }
        if let Some(join) = &said.join {
            fields.push(join.field(&fields)?);
        }
        if fields.is_empty() {
            Err(failed(
                path,
                "the file is empty; its first line has to name the columns",
            ))
        } else {
            Ok(TextFile {
                path: path.to_owned(),
                fields,
                sampled_rows,
                said: said.clone(),
                doubts,
            })
        }
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    pub fn sampled_rows(&self) -> usize {
        self.sampled_rows
    }

    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Reads the columns with these numbers, in this order, in types as close to the wanted ones as
    /// text is parsed to.
    pub fn read(
        self,
        columns: &[Column],
        keys: &[&str],
        places: &[usize],
    ) -> Result<Batches, TableError> {
        let name = |place: &usize| self.fields[*place].name().trim().to_lowercase();
        let column = |(column, place): (&Column, &usize)| workload::Column {
            name: name(place),
            kind: read_as(column.kind),
        };
        let is_key = |(column, _): &(&Column, &usize)| keys.contains(&column.name.as_str());
        let all = || columns.iter().zip(places);
        let table = workload::Table {
            name: "rows".to_owned(),
            columns: all().map(column).collect(),
            partition_key: all().filter(is_key).map(|(_, place)| name(place)).collect(),
            order_key: Vec::new(),
        };
        let to_table_error = |error: workload::Error| match error {
            workload::Error::Row { .. } => TableError::Misfit(error.to_string()),
            error => TableError::Failed(error.to_string()),
        };
        self.said.check_kinds(columns)?;
        let path = std::slice::from_ref(&self.path);
        let mut form = TextForm {
            null: self.said.null,
            decimal: self.said.decimal,
            thousands: self.said.thousands,
            zone: self.said.zone,
            ..TextForm::default()
        };
        if let Some(JoinedTime {
            name,
            parts,
            format,
        }) = self.said.join
        {
            let own = table.columns.iter().find(|column| column.name == name);
            if own.is_some_and(|column| column.kind != ColumnType::Timestamp) {
                return Err(TableError::Asked(format!(
                    "--join: `{name}` is put together as a timestamp, and has another type in --types or in the table: \
                     give it another name"
                )));
            }
            form.formats
                .extend(format.map(|format| (name.clone(), format)));
            form.joined.insert(name, parts);
        }
        let batches = open_files(path, &table, &form)
            .and_then(|file| file.read(0, BATCH_ROWS))
            .map_err(to_table_error)?;
        Ok(Box::new(batches.map(move |batch| {
            batch.map(|b| b.rows).map_err(to_table_error)
        })))
    }
}

/// Returns an error if the heading of one column looks as if several were meant: it has another
/// separator outside of quotes, and the first row has as many of them.
fn other_separator(input: Box<dyn Read>, tabs: bool) -> Option<String> {
    let mut first = BufReader::new(input.take(HEADING_BYTES_AT_MOST));
    // A file that cannot be read is reported when its types are guessed.
    let mut line = || {
        let mut line = Vec::new();
        first.read_until(b'\n', &mut line).ok()?;
        Some(String::from_utf8_lossy(&line).into_owned())
    };
    let (heading, row) = (line()?, line()?);
    let (own, others) = if tabs {
        ('\t', [',', ';', '|'])
    } else {
        (',', ['\t', ';', '|'])
    };
    let count = |text: &str, other: char| {
        let unquoted = text.split('"').step_by(2);
        unquoted.map(|part| part.matches(other).count()).sum()
    };
    let splits = |other: &char| {
        let separators: usize = count(&heading, *other);
        separators > 0 && (row.trim().is_empty() || count(&row, *other) >= separators)
    };
    let other = others.into_iter().find(splits)?;
    let remedy = match other {
        '\t' => "tabs; call it .tsv".to_owned(),
        ',' => "`,`; call it .csv".to_owned(),
        other => format!("`{other}`; separate it by commas, or by tabs as .tsv"),
    };
    (!heading.contains(own)).then(|| {
        format!(
            "it has one column, `{}`: it seems to be separated by {remedy}",
            heading.trim()
        )
    })
}

fn unzipped(path: &Path, gzipped: bool) -> Result<Box<dyn Read>, TableError> {
    let file = File::open(path).map_err(|error| failed(path, error))?;
    Ok(if gzipped {
        Box::new(MultiGzDecoder::new(BufReader::new(file)))
    } else {
        Box::new(BufReader::new(file))
    })
}

/// Returns the error of text that cannot be read.
fn unreadable(path: &Path, error: ArrowError, seen: &Seen) -> TableError {
    match seen.too_long() {
        Some(too_long) => TableError::Failed(format!("{}, {too_long}", path.display())),
        None => failed(path, error),
    }
}

fn texts(columns: usize) -> SchemaRef {
    let texts = (0..columns).map(|i| Field::new(i.to_string(), DataType::Utf8, true));
    Arc::new(Schema::new(texts.collect::<Vec<_>>()))
}

fn is_text(field: &Field) -> bool {
    *field.data_type() == DataType::Utf8
}

/// Makes a column of codes text, and one of numbers with a form or with words for null a column of numbers; returns a
/// doubt if nobody said that its words are such.
fn settle(field: &mut Field, look: Look, null: &[String]) -> Option<Doubt> {
    if look.has_codes && field.data_type().is_integer() {
        *field = field.clone().with_data_type(DataType::Utf8);
    }
    let is_open = is_text(field) || look.has_form();
    let kind = look.numbers().filter(|_| is_open)?;
    if null.is_empty() && !look.words.is_empty() {
        return Some(Doubt {
            column: field.name().trim().to_lowercase(),
            words: look.words.into_iter().collect(),
        });
    }
    *field = field.clone().with_data_type(kind);
    None
}

/// Returns a guessed column, which is text if it has no value from which its type could be guessed.
fn guessed_field(field: &Field) -> Field {
    let data_type = match field.data_type() {
        DataType::Null => DataType::Utf8,
        other => other.clone(),
    };
    Field::new(field.name(), data_type, true)
}

/// Returns the type that text is parsed to before the conversion to a column's kind.
fn read_as(kind: Kind) -> ColumnType {
    match kind {
        Kind::Boolean => ColumnType::Boolean,
        Kind::Int => ColumnType::Int,
        Kind::Bigint => ColumnType::Bigint,
        Kind::Float | Kind::Double => ColumnType::Double,
        Kind::Timestamp => ColumnType::Timestamp,
        Kind::Blob => ColumnType::Blob,
        Kind::Date | Kind::Nanotime | Kind::Text => ColumnType::Text,
    }
}

//! Rows of files of which nothing is known yet, as text.

use std::path::{Path, PathBuf};

use super::Asked;
use super::text::TextRows;
use super::typed::{TypedFiles, is_of_days};
use crate::source::file::fields::{FieldReader, FieldsError};
use crate::source::file::input::TextInput;
use crate::source::file::json_keys::JsonNumbers;
use crate::source::file::named::DataFileName;
use crate::source::file::split_times::together;
use crate::source::file::{data_error, folder, lower_case_name, read_error};
use crate::{ColumnType, Error, Result, TimeFormat};

/// Files whose rows are looked at.
pub struct FileRows {
    path: PathBuf,
    /// Number of files.
    pub files: usize,
    /// Names of the columns, as they are in the files; numbers from 1 where they have none.
    pub names: Vec<String>,
    /// Whether the first line of each file is a row.
    pub no_header: bool,
    /// What separates fields, where the name of the file does not say it.
    pub delimiter: Option<u8>,
    /// Lines that are skipped before the one that names the columns, or before the first row.
    pub skip_lines: u64,
    /// Lines after the one that names the columns that are no rows, such as one of units.
    pub lines_after_names: u64,
    /// Columns that no table can have, with the reasons, besides those without a type.
    pub left_out: Vec<String>,
    /// The time that is put together from some of the columns, and is shown behind the cells of each row.
    pub join: Option<Join>,
    /// How lines of JSON have the numbers of each column; empty for other files.
    numbers: Vec<JsonNumbers>,
    form: Form,
}

/// A time whose parts stand in several columns.
pub struct Join {
    /// Name of the time.
    pub name: String,
    /// Numbers of the columns, in the order of the parts.
    pub parts: Vec<usize>,
    /// Names of the columns, as `join` in a workload has them.
    pub called: Vec<String>,
    /// How the time may be written, with a space between each two parts.
    pub forms: Vec<TimeFormat>,
    /// Words that stand for no value.
    pub null: Vec<String>,
    /// Numbers of the columns that remain columns of their own.
    pub kept: Vec<usize>,
}

impl Join {
    /// Returns whether a column is only a part of the time.
    pub fn takes(&self, column: usize) -> bool {
        self.parts.contains(&column) && !self.kept.contains(&column)
    }

    /// Names the columns, for a reader.
    pub fn in_words(&self) -> String {
        let called = self.called.iter().map(|name| format!("`{name}`"));
        let called: Vec<String> = called.collect();
        match called.split_last() {
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Returns the time of a row, which has no value where one of the parts has none.
    fn cell(&self, cells: &[&str]) -> String {
        let parts = self.parts.iter();
        let parts = parts.map(|part| cells.get(*part).copied().unwrap_or_default());
        together(parts, |cell| self.null.iter().any(|word| word == cell))
    }
}

enum Form {
    Text(TextInput),
    Typed(TypedFiles),
}

/// A row that is looked at.
pub enum Seen<'a> {
    /// Its cells, and the time that is put together from some of them; empty ones have no value.
    Cells(u64, &'a [&'a str]),
    /// A row with another number of fields than the first one, which is given, or that is not text; one for each of
    /// its lines.
    Bad(usize),
}

impl FileRows {
    /// Opens a file, or all files in a folder, and finds out how they are read, unless that is given.
    ///
    /// # Errors
    /// One cannot be read, or has no rows, or a form that is not read; or files in a folder differ in their kinds or
    /// columns.
    pub fn open(path: &Path, asked: &Asked) -> Result<FileRows> {
        let found = std::fs::metadata(path).map_err(|error| read_error(path, error))?;
        if !found.is_file() && !found.is_dir() {
            let message = "it is no regular file, and has to be read several times: write its rows to one first";
            return Err(data_error(path, message));
        }
        let paths = folder::files(&[path.to_owned()])?;
        let first = paths.first().map_or(path, PathBuf::as_path);
        if lower_case_name(first).ends_with(".xlsx") {
            let message = "it is a spreadsheet, whose rows are not read: save it as CSV";
            return Err(data_error(first, message));
        }
        if DataFileName::of(first).is_typed() {
            let of_lines =
                asked.delimiter.is_some() || asked.header.is_some() || asked.skip_lines.is_some();
            let of_cells =
                asked.decimal.is_some() || asked.thousands.is_some() || asked.zone.is_some();
            if of_lines || of_cells || !asked.formats.is_empty() {
                let message = "--delimiter, --header, --no-header, --skip-lines, --time-format, --decimal, --thousands \
                               and --zone are for files of text; leave them out";
                return Err(Error::Usage(format!("{}: {message}", path.display())));
            }
            let files = TypedFiles::open(&paths)?;
            let names = files.schema.fields().iter();
            return Ok(FileRows {
                path: path.to_owned(),
                files: paths.len(),
                names: names.map(|field| field.name().clone()).collect(),
                no_header: false,
                delimiter: None,
                skip_lines: 0,
                lines_after_names: 0,
                left_out: Vec::new(),
                join: None,
                numbers: Vec::new(),
                form: Form::Typed(files),
            });
        }
        let text = TextRows::open(path, &paths, asked)?;
        Ok(FileRows {
            path: path.to_owned(),
            files: paths.len(),
            names: text.names,
            no_header: text.no_header,
            delimiter: text.delimiter,
            skip_lines: text.skip_lines,
            lines_after_names: text.lines_after_names,
            left_out: text.left_out,
            join: None,
            numbers: text.numbers,
            form: Form::Text(text.input),
        })
    }

    /// Returns the types of the columns if the file says them.
    pub fn kinds(&self) -> Option<&[Option<ColumnType>]> {
        match &self.form {
            Form::Typed(files) => Some(&files.kinds),
            Form::Text(_) => None,
        }
    }

    /// Returns how a column of a file with types is stored.
    pub fn stored_as(&self, column: usize) -> String {
        match &self.form {
            Form::Typed(files) => files.schema.field(column).data_type().to_string(),
            Form::Text(_) => "text".to_owned(),
        }
    }

    /// Returns whether a file with types stores a column as days.
    pub fn has_days(&self, column: usize) -> bool {
        let Form::Typed(files) = &self.form else {
            return false;
        };
        let field = files.schema.fields().get(column);
        field.is_some_and(|field| is_of_days(field.data_type()))
    }

    /// Returns how lines of JSON have the numbers of a column; none are counted for other files.
    pub fn numbers(&self, column: usize) -> JsonNumbers {
        self.numbers.get(column).copied().unwrap_or_default()
    }

    /// Returns why a column of numbers of a file with types is text, if it is.
    pub fn why_text(&self, column: usize) -> Option<String> {
        match &self.form {
            Form::Typed(files) => files.why_text(column),
            Form::Text(_) => None,
        }
    }

    /// Returns whether lines have fields that something separates.
    pub fn has_delimiter(&self) -> bool {
        matches!(&self.form, Form::Text(input) if !input.is_json)
    }

    /// Returns whether commas separate the fields of lines, so that a field with one is in quotes.
    pub fn is_divided_by_commas(&self) -> bool {
        matches!(&self.form, Form::Text(input) if !input.is_json && input.delimiter == b',')
    }

    /// Returns whether spaces around the quotes of fields are no part of them.
    pub fn has_spaced_quotes(&self) -> bool {
        matches!(&self.form, Form::Text(input) if input.has_spaced_quotes())
    }

    /// Shows all rows, in their order.
    ///
    /// # Errors
    /// A row cannot be read.
    pub fn visit(&self, mut see: impl FnMut(Seen<'_>)) -> Result<()> {
        match &self.form {
            Form::Text(input) => self.visit_text(input, &mut see),
            Form::Typed(files) => files.visit(&mut |row, cells| see(Seen::Cells(row, cells))),
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
                Some(mut cells) => {
                    let time = self.join.as_ref().map(|join| join.cell(&cells));
                    cells.extend(time.as_deref());
                    see(Seen::Cells(fields.line, &cells));
                }
                // A quote that is never closed takes in many lines, each of which was a row.
                None => {
                    let found = fields.len();
                    (0..fields.lines()).for_each(|_| see(Seen::Bad(found)));
                }
            }
        }
        Ok(())
    }
}

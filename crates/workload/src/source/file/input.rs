//! Text of CSV, TSV or JSON files, and how it is read.

use std::io::BufRead;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::csv::reader::Format;

use super::joined::Joined;
use super::json::{FIELD_END, JsonFields, QUOTE, RECORD_END};
use super::part::{Named, Part, parts_of};
use super::spaced_quotes::Look;
use super::without::Without;
use super::{data_error, read_error};
use crate::{Result, TextForm};

/// Text of one or several files, which is read as one.
#[derive(Clone)]
pub struct TextInput {
    pub parts: Arc<[Part]>,
    pub format: Format,
    /// Byte between the fields.
    pub delimiter: u8,
    /// Whether the first line of each part that is not skipped names the columns.
    pub header: bool,
    /// Whether each line is an object of JSON, which [`TextInput::read_json`] makes records of.
    pub is_json: bool,
    /// Number of fields of each record.
    pub fields: usize,
    /// Who says that there are so many fields, for messages.
    pub counted_by: &'static str,
    /// Places of records that are left out, in bytes of the whole text.
    pub left_out: Arc<[Range<u64>]>,
}

impl TextInput {
    /// Finds the text of these files, whose fields have yet to be counted.
    ///
    /// # Errors
    /// It is not known what separates the fields, or files differ in that; or a ZIP file cannot be read.
    pub fn new(paths: &[PathBuf], form: &TextForm) -> Result<TextInput> {
        let mut parts = Vec::new();
        let mut first: Option<(&PathBuf, Named)> = None;
        for path in paths {
            let (found, named) = parts_of(path)?;
            parts.extend(found);
            let of_form = form.delimiter.map(Named::Delimiter);
            let named = named
                .filter(|named| *named == Named::Json)
                .or(of_form)
                .or(named);
            let named = named.ok_or_else(|| {
                let message = "the name does not say the format; it has to end in .csv, .tsv, .jsonl (any may be \
                               followed by .gz, .zst or .zip), .parquet or .arrow, unless [data] has a `delimiter`";
                data_error(path, message)
            })?;
            match first {
                Some((first, other)) if other != named => {
                    let message = format!(
                        "it is another kind of file than {}: files that are read together are all CSV or all TSV, \
                         unless [data] has a `delimiter`, or all JSON",
                        first.display()
                    );
                    return Err(data_error(path, message));
                }
                _ => first = first.or(Some((path, named))),
            }
        }
        let is_json = first.is_some_and(|(_, named)| named == Named::Json);
        let delimiter = match first {
            Some((_, Named::Delimiter(delimiter))) => delimiter,
            _ => b',',
        };
        let spaces = delimiter == TextForm::SPACES;
        let delimiter = if spaces { b'\t' } else { delimiter };
        if !is_json {
            for part in &mut parts {
                part.lines.skipped = form.skip_lines;
                part.lines.after_names = form.lines_after_names;
                part.lines.spaces = spaces;
            }
            leave_spaces_out(&mut parts, delimiter);
        }
        Ok(TextInput {
            parts: parts.into(),
            format: format(delimiter),
            delimiter,
            header: !form.no_header && !is_json,
            is_json,
            fields: 0,
            counted_by: "that the first line names",
            left_out: Arc::new([]),
        })
    }

    /// Returns the same text with another byte between its fields.
    pub fn divided_at(&self, delimiter: u8) -> TextInput {
        let mut parts = self.parts.to_vec();
        leave_spaces_out(&mut parts, delimiter);
        TextInput {
            parts: parts.into(),
            format: format(delimiter),
            delimiter,
            ..self.clone()
        }
    }

    /// Returns whether spaces around the quotes of fields are no part of them.
    pub fn has_spaced_quotes(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| part.lines.spaced_quotes.is_some())
    }

    /// Makes records of the objects of JSON, with the fields of these names, which are in lower case.
    pub fn read_json(&mut self, names: Vec<String>) {
        self.fields = names.len();
        let fields = Arc::new(JsonFields::new(names));
        let mut parts = self.parts.to_vec();
        for part in &mut parts {
            part.lines.json = Some(fields.clone());
        }
        self.parts = parts.into();
        self.delimiter = FIELD_END;
        let format = Format::default().with_delimiter(FIELD_END);
        self.format = format.with_quote(QUOTE).with_terminator(RECORD_END);
    }

    /// Returns the path of the first file, which messages about the whole text name.
    pub fn path(&self) -> &Path {
        let first = self.parts.first();
        first.map_or(Path::new(""), |part| part.path.as_path())
    }

    /// Opens the text at its start.
    pub fn open(&self) -> Box<dyn BufRead + Send> {
        let joined = Box::new(Joined::new(self.parts.clone(), self.header));
        if self.left_out.is_empty() {
            joined
        } else {
            Box::new(Without::new(joined, self.left_out.clone()))
        }
    }

    /// Checks that several parts begin with the same line.
    ///
    /// # Errors
    /// A part begins with another line than the first one, which the error names, or the first line is empty.
    pub fn check_headings(&self) -> Result<()> {
        let Some((first, others @ [_, ..])) = self.parts.split_first() else {
            return Ok(());
        };
        let first_line = |part: &Part| {
            part.first_line()
                .map_err(|error| read_error(&part.path, error))
        };
        let heading = first_line(first)?;
        if heading.is_empty() {
            let message = "its first line is empty, and has to name the columns";
            return Err(data_error(&first.path, message));
        }
        for part in others {
            if first_line(part)? != heading {
                let of = part.name_in_zip().map(|name| format!(" of `{name}` in it"));
                let message = format!(
                    "the first line{} is not that of the first file, {}: all that are read together name the \
                     same columns in the same order",
                    of.unwrap_or_default(),
                    first.name()
                );
                return Err(data_error(&part.path, message));
            }
        }
        Ok(())
    }

    /// Returns the byte at the end of each line.
    pub fn record_end(&self) -> u8 {
        self.parts.first().map_or(b'\n', Part::record_end)
    }

    /// Returns the number of the record that holds a row. Records are counted from 0, and the header is one.
    pub fn record_of(&self, row: u64) -> u64 {
        row.saturating_add(u64::from(self.header))
    }
}

/// Has the spaces around quotes left out of all parts if the beginnings of these have no other quotes. What cannot be
/// read is told where rows are read.
fn leave_spaces_out(parts: &mut [Part], delimiter: u8) {
    let mut look = Look::new(delimiter);
    for part in parts.iter_mut() {
        part.lines.spaced_quotes = None;
        if !look.is_over()
            && let Ok(text) = part.open()
            && look.see(text).is_err()
        {
            break;
        }
    }
    let found = look.found().then_some(delimiter);
    for part in parts {
        part.lines.spaced_quotes = found;
    }
}

/// Returns the format of text with this byte between fields. Where that is a tab there are no quotes, as in
/// GDELT's files: the quote is set to a byte that never occurs in UTF-8.
fn format(delimiter: u8) -> Format {
    let format = Format::default().with_delimiter(delimiter);
    if delimiter == b'\t' {
        format.with_quote(0xff)
    } else {
        format
    }
}

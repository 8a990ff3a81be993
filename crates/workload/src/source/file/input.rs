//! Text of CSV or TSV files, and how it is read.

use std::io::BufRead;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::csv::reader::Format;

use super::data_error;
use super::joined::Joined;
use super::part::{Part, parts_of};
use super::without::Without;
use crate::{Result, TextForm};

/// Text of one or several CSV or TSV files, which is read as one.
#[derive(Clone)]
pub struct TextInput {
    pub parts: Arc<[Part]>,
    pub format: Format,
    /// Byte between the fields.
    pub delimiter: u8,
    /// Whether the first line of each part names the columns.
    pub header: bool,
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
    /// It is not known what separates the fields, or a ZIP file cannot be read.
    pub fn new(paths: &[PathBuf], form: &TextForm) -> Result<TextInput> {
        let mut parts = Vec::new();
        let mut delimiters = Vec::new();
        for path in paths {
            let (found, named) = parts_of(path)?;
            parts.extend(found);
            delimiters.push(form.delimiter.or(named).ok_or_else(|| {
                let message = "the name does not say the format; it has to end in .csv, .tsv (either may be \
                               followed by .gz, .zst or .zip) or .parquet, unless [data] has a `delimiter`";
                data_error(path, message)
            })?);
        }
        let delimiter = delimiters.first().copied().unwrap_or(b',');
        let other = delimiters.iter().position(|other| *other != delimiter);
        if let Some(path) = other.and_then(|other| paths.get(other)) {
            let message = "files that are read together are all CSV or all TSV, unless [data] has a `delimiter`";
            return Err(data_error(path, message));
        }
        Ok(TextInput {
            parts: parts.into(),
            format: format(delimiter),
            delimiter,
            header: !form.no_header,
            fields: 0,
            counted_by: "that the first line names",
            left_out: Arc::new([]),
        })
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

    /// Returns the number of the record that holds a row. Records are counted from 0, and the header is one.
    pub fn record_of(&self, row: u64) -> u64 {
        row.saturating_add(u64::from(self.header))
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

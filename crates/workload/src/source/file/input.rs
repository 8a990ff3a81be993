//! Text of a CSV or TSV file.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use arrow::csv::reader::Format;
use flate2::bufread::MultiGzDecoder;

use super::read_error;
use crate::Result;

const BUFFER_BYTES: usize = 256 << 10;

/// Text of a CSV or TSV file, whose first record is a header.
#[derive(Clone)]
pub struct TextInput {
    pub path: PathBuf,
    pub format: Format,
    pub gzip: bool,
    /// Number of fields of each record.
    pub fields: usize,
}

/// Returns the format with commas and quotes.
pub fn csv() -> Format {
    Format::default()
}

/// Returns the format with tabs. It has no quotes, as in GDELT's files: the quote is set to a byte
/// that never occurs in UTF-8.
pub fn tsv() -> Format {
    Format::default().with_delimiter(b'\t').with_quote(0xff)
}

impl TextInput {
    /// Opens the text at its start.
    pub fn open(&self) -> Result<Box<dyn BufRead + Send>> {
        let file = File::open(&self.path).map_err(|error| read_error(&self.path, error))?;
        let raw = BufReader::with_capacity(BUFFER_BYTES, file);
        Ok(if self.gzip {
            Box::new(BufReader::with_capacity(
                BUFFER_BYTES,
                MultiGzDecoder::new(raw),
            ))
        } else {
            Box::new(raw)
        })
    }
}

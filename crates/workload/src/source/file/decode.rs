//! Decodes CSV and TSV to record batches of text, in bounded memory.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use arrow::csv::ReaderBuilder;
use arrow::csv::reader::{Decoder, Format};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;

/// Largest number of bytes of a record; a longer one has an unmatched quote.
pub const MAX_RECORD_BYTES: usize = 16 << 20;

/// Reason why records cannot be decoded.
#[derive(Debug)]
pub enum DecodeError {
    Io(io::Error),
    /// A requested record has too few or too many fields, or is not UTF-8.
    Malformed,
    /// The record after the first `complete_records` requested ones takes more than
    /// [`MAX_RECORD_BYTES`].
    Endless {
        complete_records: usize,
    },
}

/// Text that is read record by record.
pub struct Records {
    pub input: Box<dyn BufRead + Send>,
    /// Line (1-based) at which the unread input begins.
    pub line: u64,
}

impl Records {
    pub fn new(input: Box<dyn BufRead + Send>) -> Self {
        Records { input, line: 1 }
    }

    /// Reads the next records, as many as the decoder takes; returns `None` at the end. The header
    /// is a record like the others.
    pub fn read(&mut self, decoder: &mut Decoder) -> Result<Option<RecordBatch>, DecodeError> {
        let wanted = decoder.capacity();
        let mut complete_records = 0;
        let mut record_bytes = 0;
        loop {
            let bytes = self.input.fill_buf().map_err(DecodeError::Io)?;
            let used = decoder.decode(bytes).map_err(|_| DecodeError::Malformed)?;
            self.line += newlines(&bytes[..used]);
            self.input.consume(used);
            if used == 0 || decoder.capacity() == 0 {
                return decoder.flush().map_err(|_| DecodeError::Malformed);
            }
            let complete = wanted - decoder.capacity();
            record_bytes = if complete == complete_records {
                record_bytes + used
            } else {
                0
            };
            complete_records = complete;
            if record_bytes > MAX_RECORD_BYTES {
                return Err(DecodeError::Endless { complete_records });
            }
        }
    }

    /// Skips this many records, or all that there are, and returns how many those were.
    pub fn skip(&mut self, format: &Format, fields: usize, count: u64) -> Result<u64, DecodeError> {
        const BATCH_RECORDS: u64 = 8192;
        let mut skipped = 0;
        while skipped < count {
            let batch_records = (count - skipped).min(BATCH_RECORDS);
            let mut decoder = decoder(format, fields, &[0], batch_records as usize);
            match self.read(&mut decoder) {
                Ok(Some(batch)) => skipped += batch.num_rows() as u64,
                Ok(None) => break,
                Err(DecodeError::Endless { complete_records }) => {
                    let complete_records = complete_records + skipped as usize;
                    return Err(DecodeError::Endless { complete_records });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(skipped)
    }

    /// Skips line ends; a record ends before the last of them (`\r\n`), and blank lines are no
    /// records.
    pub fn skip_line_ends(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.input.fill_buf()?;
            let line_ends = bytes
                .iter()
                .take_while(|b| matches!(b, b'\r' | b'\n'))
                .count();
            if line_ends == 0 {
                return Ok(());
            }
            self.line += newlines(&bytes[..line_ends]);
            self.input.consume(line_ends);
        }
    }
}

/// Reads the fields of the first record; returns `None` if they are not UTF-8 or never end.
pub fn first_record(format: &Format, input: impl Read) -> Option<Vec<String>> {
    let input = input.take(MAX_RECORD_BYTES as u64);
    let (schema, _) = format
        .clone()
        .with_header(true)
        .infer_schema(input, Some(0))
        .ok()?;
    Some(
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect(),
    )
}

/// Makes a decoder of records with `fields` fields to batches with the projected ones.
pub fn decoder(format: &Format, fields: usize, projection: &[usize], batch_rows: usize) -> Decoder {
    let text = |index: usize| Field::new(index.to_string(), DataType::Utf8, true);
    let schema = Schema::new((0..fields).map(text).collect::<Vec<_>>());
    ReaderBuilder::new(Arc::new(schema))
        .with_format(format.clone().with_header(false))
        .with_projection(projection.to_vec())
        .with_batch_size(batch_rows.max(1))
        .build_decoder()
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

//! Decodes CSV and TSV to record batches of text, in bounded memory.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use arrow::csv::ReaderBuilder;
use arrow::csv::reader::{Decoder, Format};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;

/// Largest number of bytes of a record; a longer one has an unmatched quote.
pub const MAX_RECORD_BYTES: usize = 16 << 20;

/// Largest number of bytes of a record whose fields are looked at one by one, such as the header.
pub const MAX_HEADER_BYTES: usize = 1 << 20;

/// Largest number of bytes of records that are decoded at once; longer ones are decoded fewer at a time.
const MAX_BATCH_BYTES: usize = 128 << 20;

/// Number of records that are skipped at once: as many as take no more than [`MAX_BATCH_BYTES`], however
/// long they are.
const SKIPPED_RECORDS: u64 = (MAX_BATCH_BYTES / MAX_RECORD_BYTES - 1) as u64;

/// Largest number of cells that are decoded at once, for each of which the decoder reserves memory.
const MAX_CELLS: usize = 1 << 20;

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
    /// The requested records, of which there are several, take more than [`MAX_BATCH_BYTES`].
    TooLongTogether,
}

/// Text that is read record by record.
pub struct Records {
    pub input: Box<dyn BufRead + Send>,
    /// Line (1-based) at which the unread input begins.
    pub line: u64,
    /// Byte at the end of a line.
    end: u8,
}

impl Records {
    /// Reads text at the end of whose lines is this byte.
    pub fn new(input: Box<dyn BufRead + Send>, end: u8) -> Self {
        Records {
            input,
            line: 1,
            end,
        }
    }

    /// Reads the next records, as many as the decoder takes; returns `None` at the end. The header
    /// is a record like the others.
    pub fn read(&mut self, decoder: &mut Decoder) -> Result<Option<RecordBatch>, DecodeError> {
        let wanted = decoder.capacity();
        let mut complete_records = 0;
        let (mut record_bytes, mut batch_bytes) = (0, 0);
        loop {
            let bytes = self.input.fill_buf().map_err(DecodeError::Io)?;
            let used = decoder.decode(bytes).map_err(|_| DecodeError::Malformed)?;
            self.line += count_ends(&bytes[..used], self.end);
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
            batch_bytes += used;
            if record_bytes > MAX_RECORD_BYTES {
                return Err(DecodeError::Endless { complete_records });
            }
            if batch_bytes > MAX_BATCH_BYTES && wanted > 1 {
                return Err(DecodeError::TooLongTogether);
            }
        }
    }

    /// Skips this many records, or all that there are, and returns how many those were.
    pub fn skip(&mut self, format: &Format, fields: usize, count: u64) -> Result<u64, DecodeError> {
        // Without any of the fields, none of which is looked at.
        let new_decoder = |records: u64| decoder(format, fields, &[], records as usize);
        let mut decoder = new_decoder(SKIPPED_RECORDS);
        let mut skipped = 0;
        while skipped < count {
            if count - skipped < SKIPPED_RECORDS {
                decoder = new_decoder(count - skipped);
            }
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
            let is_end = |byte: &&u8| **byte == self.end || self.end == b'\n' && **byte == b'\r';
            let line_ends = bytes.iter().take_while(is_end).count();
            if line_ends == 0 {
                return Ok(());
            }
            self.line += count_ends(&bytes[..line_ends], self.end);
            self.input.consume(line_ends);
        }
    }
}

/// Fields of a record, or why there are none.
pub enum FirstRecord {
    Fields(Vec<String>),
    NotUtf8,
    /// The record takes more than [`MAX_HEADER_BYTES`].
    TooLong,
}

/// Reads the fields of the first record.
pub fn first_record(format: &Format, input: impl Read) -> FirstRecord {
    let mut input = input.take(MAX_HEADER_BYTES as u64);
    let read = format
        .clone()
        .with_header(true)
        .infer_schema(&mut input, Some(0));
    match read {
        _ if input.limit() == 0 => FirstRecord::TooLong,
        Ok((schema, _)) => {
            let fields = schema.fields().iter();
            FirstRecord::Fields(fields.map(|field| field.name().clone()).collect())
        }
        Err(_) => FirstRecord::NotUtf8,
    }
}

/// Makes a decoder of records with `fields` fields to batches with the projected ones. Batches have fewer
/// than `batch_rows` rows if there are very many fields.
pub fn decoder(format: &Format, fields: usize, projection: &[usize], batch_rows: usize) -> Decoder {
    let most_rows = (MAX_CELLS / fields.max(1)).max(1);
    let text = |index: usize| Field::new(index.to_string(), DataType::Utf8, true);
    let schema = Schema::new((0..fields).map(text).collect::<Vec<_>>());
    ReaderBuilder::new(Arc::new(schema))
        .with_format(format.clone().with_header(false))
        .with_projection(projection.to_vec())
        .with_batch_size(batch_rows.clamp(1, most_rows))
        .build_decoder()
}

/// Counts the ends of lines.
pub fn count_ends(bytes: &[u8], end: u8) -> u64 {
    bytes.iter().filter(|byte| **byte == end).count() as u64
}

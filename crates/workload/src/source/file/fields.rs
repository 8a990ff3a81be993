//! Reads text record by record, whatever the number of its fields.

use std::io::{self, BufRead};
use std::ops::Range;
use std::path::Path;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

use super::decode::{MAX_RECORD_BYTES, count_ends};
use super::json::{FIELD_END, QUOTE, RECORD_END};
use super::{data_error, read_error};
use crate::Error;

/// Most fields of a record.
const MAX_FIELDS: usize = 1 << 16;

/// Reason why no further record can be read.
#[derive(Debug)]
pub enum FieldsError {
    Io(io::Error),
    /// The record at this line takes more than [`MAX_RECORD_BYTES`], or has too many fields; a quote may be
    /// opened and never closed.
    Endless {
        line: u64,
    },
}

impl FieldsError {
    /// Makes an error about the file of the text.
    pub fn about(self, path: &Path) -> Error {
        match self {
            FieldsError::Io(error) => read_error(path, error),
            FieldsError::Endless { line } => data_error(
                path,
                format!(
                    "the row that begins at line {line} never ends; is a quote opened and never closed?"
                ),
            ),
        }
    }
}

/// Text that is read record by record. Blank lines are no records.
pub struct FieldReader {
    input: Box<dyn BufRead + Send>,
    reader: Reader,
    /// Bytes of the fields of the last record, one after the other.
    text: Vec<u8>,
    /// End of each of these fields.
    ends: Vec<usize>,
    /// Bytes that were read.
    at: u64,
    /// Line (from 1) at which the unread text begins.
    line: u64,
    /// Byte at the end of a line.
    end: u8,
}

/// Fields of one record.
pub struct Fields<'a> {
    text: &'a [u8],
    ends: &'a [usize],
    /// Place of the record in the text, in bytes, with the end of its line.
    pub bytes: Range<u64>,
    /// Line (from 1) at which it begins.
    pub line: u64,
    /// Byte at the end of a line.
    end: u8,
}

impl FieldReader {
    /// Reads text with this byte between its fields. Where that is a tab there are no quotes; [`FIELD_END`] is that of
    /// records which were lines of JSON.
    pub fn new(input: Box<dyn BufRead + Send>, delimiter: u8) -> FieldReader {
        let mut builder = ReaderBuilder::new();
        let builder = builder.delimiter(delimiter).quoting(delimiter != b'\t');
        let mut end = b'\n';
        if delimiter == FIELD_END {
            end = RECORD_END;
            builder.quote(QUOTE).terminator(Terminator::Any(end));
        }
        FieldReader {
            input,
            reader: builder.build(),
            text: vec![0; 4096],
            ends: vec![0; 64],
            at: 0,
            line: 1,
            end,
        }
    }

    /// Reads the next record; returns `None` at the end.
    pub fn read(&mut self) -> Result<Option<Fields<'_>>, FieldsError> {
        self.skip_line_ends().map_err(FieldsError::Io)?;
        let (start, line) = (self.at, self.line);
        let (mut written, mut fields) = (0, 0);
        loop {
            let input = self.input.fill_buf().map_err(FieldsError::Io)?;
            let (text, ends) = (&mut self.text[written..], &mut self.ends[fields..]);
            let (result, read, more_bytes, more_fields) =
                self.reader.read_record(input, text, ends);
            self.line += count_ends(&input[..read], self.end);
            self.input.consume(read);
            self.at += read as u64;
            written += more_bytes;
            fields += more_fields;
            let endless = match result {
                ReadRecordResult::InputEmpty => self.at - start > MAX_RECORD_BYTES as u64,
                ReadRecordResult::OutputFull => !grow(&mut self.text, MAX_RECORD_BYTES),
                ReadRecordResult::OutputEndsFull => !grow(&mut self.ends, MAX_FIELDS),
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(None),
            };
            if endless {
                return Err(FieldsError::Endless { line });
            }
        }
        Ok(Some(Fields {
            text: &self.text[..written],
            ends: &self.ends[..fields],
            bytes: start..self.at,
            line,
            end: self.end,
        }))
    }

    /// Skips the ends of lines before a record, so that its place and its line are known.
    fn skip_line_ends(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.input.fill_buf()?;
            let is_end = |byte: &&u8| **byte == self.end || self.end == b'\n' && **byte == b'\r';
            let skipped = bytes.iter().take_while(is_end).count();
            if skipped == 0 {
                return Ok(());
            }
            self.line += count_ends(&bytes[..skipped], self.end);
            self.input.consume(skipped);
            self.at += skipped as u64;
        }
    }
}

impl Fields<'_> {
    /// Returns the number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of lines of text that the record takes: more than one where fields have line ends.
    pub fn lines(&self) -> u64 {
        let ends = count_ends(self.text, self.end);
        ends + u64::from(ends == 0 || !self.text.ends_with(&[self.end]))
    }

    /// Returns whether all fields together are UTF-8.
    pub fn is_text(&self) -> bool {
        std::str::from_utf8(self.text).is_ok()
    }

    /// Returns the text of a field; `None` if it is not UTF-8, and for one that is not there.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        std::str::from_utf8(self.text.get(start..end)?).ok()
    }

    /// Returns all fields, with what is not UTF-8 replaced.
    pub fn all(&self) -> Vec<String> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let fields = starts.zip(self.ends);
        let text = |(start, end): (usize, &usize)| {
            String::from_utf8_lossy(self.text.get(start..*end).unwrap_or_default()).into_owned()
        };
        fields.map(text).collect()
    }
}

/// Doubles a buffer, and returns whether it is not too large for that.
fn grow<T: Clone + Default>(buffer: &mut Vec<T>, most: usize) -> bool {
    let grows = buffer.len() <= most;
    if grows {
        buffer.resize(buffer.len() * 2, T::default());
    }
    grows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str, delimiter: u8) -> Vec<(u64, Vec<String>)> {
        let input = Box::new(io::Cursor::new(text.to_owned()));
        let mut reader = FieldReader::new(input, delimiter);
        let mut records = Vec::new();
        while let Some(fields) = reader.read().unwrap() {
            assert_eq!(fields.len(), fields.all().len());
            let lines = fields.all().concat().lines().count().max(1);
            assert_eq!(fields.lines(), lines as u64);
            records.push((fields.line, fields.all()));
        }
        records
    }

    #[test]
    fn records_may_have_any_number_of_fields_and_know_their_lines() {
        let text = "\u{feff}a,b\r\n1,\"x\ny\"\r\n\r\n2\r\n3,,\r\n4,\"\"\"\"";
        let expected = [
            (1, vec!["a", "b"]),
            (2, vec!["1", "x\ny"]),
            (5, vec!["2"]),
            (6, vec!["3", "", ""]),
            (7, vec!["4", "\""]),
        ];
        let expected = expected.map(|(line, fields)| {
            let fields: Vec<String> = fields.into_iter().map(str::to_owned).collect();
            (line, fields)
        });
        assert_eq!(records(text, b','), expected);
        assert_eq!(records("a\t\"b\n", b'\t')[0].1, ["a", "\"b"]);
        assert!(records("", b',').is_empty());
        assert!(records("\n\n", b',').is_empty());
    }

    #[test]
    fn the_place_of_a_record_is_what_has_to_be_cut_out() {
        let text = "a,b\r\n1,2\r\n3\r\n4,5";
        let input = Box::new(io::Cursor::new(text));
        let mut reader = FieldReader::new(input, b',');
        let mut places = Vec::new();
        while let Some(fields) = reader.read().unwrap() {
            places.push(fields.bytes.clone());
        }
        let bad = places[2].clone();
        let cut = format!(
            "{}{}",
            &text[..bad.start as usize],
            &text[bad.end as usize..]
        );
        let left: Vec<_> = records(&cut, b',').into_iter().map(|(_, f)| f).collect();
        assert_eq!(left, [vec!["a", "b"], vec!["1", "2"], vec!["4", "5"]]);
    }

    #[test]
    fn long_records_are_read_and_endless_ones_are_told() {
        let long = "x".repeat(100_000);
        let many = ["y"; 1_000].join(",");
        let found = records(&format!("{long}\n{many}\n"), b',');
        assert_eq!((found[0].1[0].len(), found[1].1.len()), (100_000, 1_000));
        let endless = format!("a\n\"{}", "x".repeat(2 * MAX_RECORD_BYTES + 100_000));
        let mut reader = FieldReader::new(Box::new(io::Cursor::new(endless)), b',');
        assert!(reader.read().unwrap().is_some());
        let failed = reader.read().map(|_| ()).unwrap_err();
        assert!(
            matches!(failed, FieldsError::Endless { line: 2 }),
            "{failed:?}"
        );
    }
}

//! Reading text whose records have a limited length.
//!
//! What guesses the types of text reads each record as a whole. A quote that is opened and never closed would
//! make a record of the rest of the file, which may be far larger than memory, above all if it is
//! compressed.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

/// The highest number of bytes of a record, as in the reader of rows.
const RECORD_BYTES_AT_MOST: u64 = 16 << 20;
/// The highest number of fields of a record, as in the reader of rows. Each takes far more memory than the byte
/// that a file may have for it.
const FIELDS_AT_MOST: u64 = 1 << 16;
/// The mark that a text may begin with. A reader of CSV skips it, so that a quote behind it opens a field.
const MARK: [u8; 3] = *b"\xef\xbb\xbf";

/// Text that ends with an error in a record that is too long.
pub struct Bounded<R> {
    input: R,
    separator: u8,
    /// Whether the text has quotes.
    has_quotes: bool,
    /// The number of bytes of the mark that were read, while nothing else was.
    of_mark: usize,
    state: State,
    /// The line, counted from 1, of what is read next.
    line: u64,
    /// The line in which the record begins.
    first_line: u64,
    record_bytes: u64,
    /// The number of separators in the record so far.
    separators: u64,
    seen: Rc<Seen>,
}

/// What was seen of the records so far.
#[derive(Debug, Default)]
pub struct Seen {
    longest: Cell<u64>,
    too_long: Cell<Option<TooLong>>,
}

/// The part of a record that was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    FieldBegins,
    Unquoted,
    Quoted,
    /// After a quote in a quoted field, which is its end or the first half of a quote that is meant.
    QuoteInQuoted,
}

/// A record that is too long: the line in which it begins.
#[derive(Debug, Clone, Copy)]
pub enum TooLong {
    Bytes(u64),
    Fields(u64),
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooLong::Bytes(line) => write!(
                f,
                "line {line}: the row that begins here takes more than {} MiB; is a quote opened and never \
                 closed?",
                RECORD_BYTES_AT_MOST >> 20
            ),
            TooLong::Fields(line) => write!(
                f,
                "line {line}: the row that begins here has more than {FIELDS_AT_MOST} columns"
            ),
        }
    }
}

impl std::error::Error for TooLong {}

impl Seen {
    /// Returns the bytes of the longest record.
    pub fn longest(&self) -> u64 {
        self.longest.get()
    }

    /// Returns the record that was too long, since a reader of CSV may keep no more than the text of an error.
    pub fn too_long(&self) -> Option<TooLong> {
        self.too_long.get()
    }
}

impl<R: Read> Bounded<R> {
    /// Limits the records of a text. `quotes` says whether it has any.
    pub fn new(input: R, separator: u8, has_quotes: bool) -> Self {
        Bounded {
            input,
            separator,
            has_quotes,
            of_mark: 0,
            state: State::FieldBegins,
            line: 1,
            first_line: 1,
            record_bytes: 0,
            separators: 0,
            seen: Rc::default(),
        }
    }

    /// Returns what is seen of the records while the text is read.
    pub fn seen(&self) -> Rc<Seen> {
        Rc::clone(&self.seen)
    }

    /// Follows the next byte of the text.
    fn take(&mut self, byte: u8) -> Result<(), TooLong> {
        if MARK.get(self.of_mark) == Some(&byte) {
            self.of_mark += 1;
            return Ok(());
        }
        if (1..MARK.len()).contains(&self.of_mark) {
            self.state = State::Unquoted;
        }
        self.of_mark = MARK.len();
        let is_line_end = matches!(byte, b'\n' | b'\r');
        let is_quote = self.has_quotes && byte == b'"';
        let was_quoted = self.state == State::Quoted;
        self.record_bytes += 1;
        self.line += u64::from(byte == b'\n');
        self.separators += u64::from(byte == self.separator && !was_quoted);
        self.state = match self.state {
            State::Quoted if is_quote => State::QuoteInQuoted,
            State::Quoted => State::Quoted,
            State::QuoteInQuoted if is_quote => State::Quoted,
            _ if is_line_end || byte == self.separator => State::FieldBegins,
            State::FieldBegins if is_quote => State::Quoted,
            _ => State::Unquoted,
        };
        if is_line_end && !was_quoted {
            let longest = &self.seen.longest;
            longest.set(longest.get().max(self.record_bytes));
            self.record_bytes = 0;
            self.separators = 0;
            self.first_line = self.line;
        }
        let too_long = if self.record_bytes > RECORD_BYTES_AT_MOST {
            TooLong::Bytes(self.first_line)
        } else if self.separators >= FIELDS_AT_MOST {
            TooLong::Fields(self.first_line)
        } else {
            return Ok(());
        };
        self.seen.too_long.set(Some(too_long));
        Err(too_long)
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        for byte in &buffer[..read] {
            self.take(*byte).map_err(io::Error::other)?;
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads to the end, without keeping what was read, or to the error.
    fn read(input: impl Read, has_quotes: bool) -> Result<u64, String> {
        let mut bounded = Bounded::new(input, b',', has_quotes);
        let seen = bounded.seen();
        let copied = io::copy(&mut bounded, &mut io::sink());
        assert_eq!(copied.is_err(), seen.too_long().is_some());
        copied.map(|_| seen.longest()).map_err(|e| e.to_string())
    }

    fn long(byte: u8) -> impl Read {
        io::repeat(byte).take(RECORD_BYTES_AT_MOST + 1)
    }

    #[test]
    fn a_quote_that_is_never_closed_is_reported_with_its_line() {
        let said = "line 3: the row that begins here takes more than 16 MiB; is a quote opened and never closed?";
        let open = "a,b\n1,2\n3,\"\n".as_bytes();
        assert_eq!(read(open.chain(long(b'\n')), true), Err(said.to_owned()));
        let open = "a,b\n1,2\n3,\"".as_bytes();
        assert_eq!(read(open.chain(long(b'x')), true), Err(said.to_owned()));
        let said = said.replace('3', "1");
        let marked = "\u{feff}\"".as_bytes();
        assert_eq!(read(marked.chain(long(b'\n')), true), Err(said));
        // Half of a mark is a field that has begun.
        let half = b"\xef\xbb\"\n".as_slice();
        assert_eq!(read(half.chain(long(b'\n')), true), Ok(2));
        // Without quotes, and after a quote that opens nothing, a line end ends the record.
        assert_eq!(read("a\n\"\n".as_bytes().chain(long(b'\n')), false), Ok(2));
        assert_eq!(
            read("a\n5\",\"x\"\n".as_bytes().chain(long(b'\r')), true),
            Ok(7)
        );
    }

    #[test]
    fn very_many_columns_are_refused_before_they_take_memory() {
        let commas = |count: u64| io::repeat(b',').take(count);
        let begin = || "a\n\",\"\n".as_bytes();
        let row = FIELDS_AT_MOST - 1;
        assert_eq!(read(begin().chain(commas(row)), true), Ok(4));
        let said = "line 3: the row that begins here has more than 65536 columns";
        let refused = read(begin().chain(commas(row + 1)), true);
        assert_eq!(refused, Err(said.to_owned()));
        // Those between quotes separate nothing.
        let quoted = "\"".as_bytes().chain(commas(row + 1));
        assert!(read(quoted, true).is_ok());
        let rows = commas(row).chain("\n".as_bytes()).chain(commas(row));
        assert!(read(rows, false).is_ok());
    }

    #[test]
    fn quotes_within_quotes_close_nothing() {
        assert_eq!(read("\"a\"\"\n\"\",\n\"\nb\n".as_bytes(), true), Ok(11));
        assert_eq!(read("\"a\"b\",\nc,\"\"\n".as_bytes(), true), Ok(7));
    }
}

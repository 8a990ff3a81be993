//! Lines of a file of any length, of which none is held that is very long.

use std::io::{self, BufRead, Read};

/// Most bytes of a line.
const MOST_BYTES: u64 = 1 << 20;

/// Reads lines one after the other.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Lines that were skipped, since they are too long.
    pub too_long: u64,
    /// Double quotes in the lines that were skipped before the last one; `None` if none was since that was taken.
    pub skipped_quotes: Option<u64>,
}

impl<R: BufRead> Lines<R> {
    pub fn new(reader: R) -> Self {
        Lines {
            reader,
            buffer: Vec::new(),
            too_long: 0,
            skipped_quotes: None,
        }
    }

    /// Returns the next line without its end, with signs in place of bytes that are no text; `None` at the end.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            self.buffer.clear();
            let mut part = self.reader.by_ref().take(MOST_BYTES);
            let read = part.read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                return Ok(None);
            }
            let is_whole = self.buffer.last() == Some(&b'\n') || (read as u64) < MOST_BYTES;
            if is_whole {
                let line = String::from_utf8_lossy(&self.buffer);
                return Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()));
            }
            self.too_long += 1;
            self.count_skipped(quotes(&self.buffer));
            self.skip_line()?;
        }
    }

    fn count_skipped(&mut self, number: u64) {
        self.skipped_quotes = Some(self.skipped_quotes.unwrap_or(0) + number);
    }

    /// Goes behind the end of the line.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let held = self.reader.fill_buf()?;
            if held.is_empty() {
                return Ok(());
            }
            let end = held.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(held.len(), |end| end + 1);
            let skipped = quotes(&held[..length]);
            self.reader.consume(length);
            self.count_skipped(skipped);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}

fn quotes(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'"')).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_end_are_skipped_and_counted() {
        let mut bytes = b"one\r\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 3 << 20));
        bytes.extend(b"\"\ntw\xff\n\nthree");
        let mut lines = Lines::new(&bytes[..]);
        let mut found = Vec::new();
        while let Some(line) = lines.line().unwrap() {
            found.push(line);
        }
        assert_eq!(found, ["one", "tw\u{fffd}", "", "three"]);
        assert_eq!((lines.too_long, lines.skipped_quotes), (1, Some(1)));
        let endless = vec![b'x'; 2 << 20];
        let mut lines = Lines::new(&endless[..]);
        assert_eq!(lines.line().unwrap(), None);
        assert_eq!(lines.too_long, 1);
    }
}

//! What is done to the text of a file before its records are read: lines are skipped, or written in another form.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use super::json::JsonFields;
use super::spaced_quotes::Trim;

/// Largest number of bytes of a line that is written in another form. It leaves room for what separates fields below
/// the most bytes of a record.
pub const MAX_LINE_BYTES: usize = 8 << 20;

/// Bytes in another form that are made at once, or more if a line has more.
const FILLED_BYTES: usize = 64 << 10;

/// How records are made of the lines of a text.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    /// Lines before the one that names the columns, or before the first row.
    pub skipped: u64,
    /// Lines after the one that names the columns that are no rows, such as one of units.
    pub after_names: u64,
    /// Whether runs of spaces and tabs separate fields; a tab does in the records.
    pub spaces: bool,
    /// The byte between fields whose quotes have spaces around them, which are left out.
    pub spaced_quotes: Option<u8>,
    /// What is read of objects of JSON, one on each line.
    pub json: Option<Arc<JsonFields>>,
}

impl Lines {
    /// Returns the text of which records are read. A line that is skipped is empty in it, so that lines keep their
    /// numbers.
    pub fn read(&self, mut text: Box<dyn BufRead + Send>) -> io::Result<Box<dyn BufRead + Send>> {
        if let Some(fields) = self.json.clone() {
            let write = move |line: &[u8], out: &mut Vec<u8>| fields.write(line, out);
            return Ok(Box::new(Rewritten::new(text, write)));
        }
        if self.skipped > 0 || self.after_names > 0 {
            let head = self.head(&mut *text)?;
            text = Box::new(io::Cursor::new(head).chain(text));
        }
        if self.spaces {
            text = Box::new(Rewritten::new(text, with_tabs));
        } else if let Some(delimiter) = self.spaced_quotes {
            let mut trim = Trim::new(delimiter);
            let write = move |line: &[u8], out: &mut Vec<u8>| trim.write(line, out);
            text = Box::new(Rewritten::new(text, write));
        }
        Ok(text)
    }

    /// Returns how many lines come before the first row of a text that has a header.
    pub fn before_rows(&self) -> u64 {
        self.skipped + 1 + self.after_names
    }

    /// Reads the lines that are skipped, with the header between them, and returns what stands for them.
    fn head(&self, text: &mut dyn BufRead) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        for line in 0..self.skipped {
            if !skip_line(text)? {
                return Err(io::Error::other(format!(
                    "it has only {line} of the {} lines that are skipped",
                    self.skipped
                )));
            }
            head.push(b'\n');
        }
        if self.after_names > 0 {
            let most = MAX_LINE_BYTES as u64;
            (&mut *text).take(most).read_until(b'\n', &mut head)?;
        }
        for _ in 0..self.after_names {
            if skip_line(text)? {
                head.push(b'\n');
            }
        }
        Ok(head)
    }
}

/// Skips the rest of a line of any length, and returns whether there was any.
fn skip_line(text: &mut dyn BufRead) -> io::Result<bool> {
    let mut any = false;
    loop {
        let bytes = text.fill_buf()?;
        if bytes.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let read = end.map_or(bytes.len(), |end| end + 1);
        text.consume(read);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// Writes a line with a tab in place of each run of spaces and tabs between its words.
fn with_tabs(line: &[u8], out: &mut Vec<u8>) {
    let words = line.split(u8::is_ascii_whitespace);
    for (index, word) in words.filter(|word| !word.is_empty()).enumerate() {
        if index > 0 {
            out.push(b'\t');
        }
        out.extend_from_slice(word);
    }
    out.push(b'\n');
}

/// Text whose lines are written in another form, each for itself.
struct Rewritten<F> {
    text: Box<dyn BufRead + Send>,
    /// Writes a line, which may have an end, with what ends a record.
    write: F,
    line: Vec<u8>,
    /// Lines that were read.
    lines: u64,
    out: Vec<u8>,
    /// Bytes of `out` that were consumed.
    at: usize,
}

impl<F: FnMut(&[u8], &mut Vec<u8>)> Rewritten<F> {
    fn new(text: Box<dyn BufRead + Send>, write: F) -> Rewritten<F> {
        Rewritten {
            text,
            write,
            line: Vec::new(),
            lines: 0,
            out: Vec::new(),
            at: 0,
        }
    }

    /// Reads the next line, and returns whether there is one.
    fn next_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut limited = self.text.by_ref().take(MAX_LINE_BYTES as u64 + 1);
        let read = limited.read_until(b'\n', &mut self.line)?;
        self.lines += u64::from(read > 0);
        if read > MAX_LINE_BYTES {
            return Err(io::Error::other(format!(
                "line {} takes more than {} MiB; has each row a line of its own?",
                self.lines,
                MAX_LINE_BYTES >> 20
            )));
        }
        Ok(read > 0)
    }
}

impl<F: FnMut(&[u8], &mut Vec<u8>)> BufRead for Rewritten<F> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.out.len() {
            self.out.clear();
            self.at = 0;
            while self.out.len() < FILLED_BYTES && self.next_line()? {
                (self.write)(&self.line, &mut self.out);
            }
        }
        Ok(&self.out[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }
}

impl<F: FnMut(&[u8], &mut Vec<u8>)> Read for Rewritten<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &Lines, text: &'static str) -> io::Result<String> {
        let mut all = String::new();
        let text = io::BufReader::with_capacity(3, text.as_bytes());
        lines.read(Box::new(text))?.read_to_string(&mut all)?;
        Ok(all)
    }

    #[test]
    fn skipped_lines_are_empty_and_others_keep_their_numbers() {
        let lines = Lines {
            skipped: 2,
            after_names: 1,
            ..Lines::default()
        };
        let text = "title\n\na,b\nm,s\n1,2\n";
        assert_eq!(read(&lines, text).unwrap(), "\n\na,b\n\n1,2\n");
        assert_eq!(lines.before_rows(), 4);
        let two = Lines {
            after_names: 2,
            ..Lines::default()
        };
        let text = "a,b\nm,s\nx,y\n1,2\n";
        assert_eq!(read(&two, text).unwrap(), "a,b\n\n\n1,2\n");
        assert_eq!(read(&two, "a,b\nm,s").unwrap(), "a,b\n\n");
        assert_eq!(two.before_rows(), 3);
        let error = read(&lines, "title\n").unwrap_err().to_string();
        assert_eq!(error, "it has only 1 of the 2 lines that are skipped");
    }

    #[test]
    fn runs_of_spaces_become_tabs() {
        let lines = Lines {
            skipped: 1,
            spaces: true,
            ..Lines::default()
        };
        let text = "el nino\n 1950   1.5 \t2\r\n\n1951 3";
        assert_eq!(read(&lines, text).unwrap(), "\n1950\t1.5\t2\n\n1951\t3\n");
    }

    #[test]
    fn spaces_around_quotes_are_left_out_behind_lines_that_are_skipped() {
        let lines = Lines {
            skipped: 1,
            spaced_quotes: Some(b','),
            ..Lines::default()
        };
        let text = "an \"open title\na, \"b\"\n1, \"x\n, y\" \n";
        assert_eq!(read(&lines, text).unwrap(), "\na,\"b\"\n1,\"x\n, y\"\n");
    }

    #[test]
    fn a_line_without_an_end_does_not_fill_the_memory() {
        let endless = io::BufReader::new(io::repeat(b'x'));
        let lines = Lines {
            spaces: true,
            ..Lines::default()
        };
        let mut text = lines.read(Box::new(endless)).unwrap();
        let error = text.fill_buf().unwrap_err().to_string();
        assert!(error.starts_with("line 1 takes more than 8 MiB"), "{error}");
    }
}

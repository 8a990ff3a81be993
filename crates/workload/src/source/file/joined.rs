//! Several texts, one after the other, as one.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::sync::Arc;

use super::BYTE_ORDER_MARK;
use super::decode::count_ends;
use super::part::{Part, read_line};

/// The text of all parts in their order. A part whose last line has no end gets one, and headers are left
/// out but for the first one, with the lines that are skipped around them.
pub struct Joined {
    parts: Arc<[Part]>,
    header: bool,
    /// Number of parts that were opened.
    opened: usize,
    /// The part that was opened last.
    open: Option<Box<dyn BufRead + Send>>,
    /// Whether the line that was read last has no end yet.
    in_line: bool,
}

/// Error in one of several parts.
#[derive(Debug)]
pub struct PartError {
    /// The file that the part is in.
    pub path: PathBuf,
    pub source: io::Error,
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for PartError {}

impl Joined {
    pub fn new(parts: Arc<[Part]>, header: bool) -> Self {
        Joined {
            parts,
            header,
            opened: 0,
            open: None,
            in_line: false,
        }
    }

    fn open_next(&mut self) -> io::Result<()> {
        self.opened += 1;
        let part = &self.parts[self.opened - 1];
        let mut text = part.open().map_err(|error| error_in(part, error))?;
        if self.header && self.opened > 1 {
            for _ in 0..part.lines.before_rows() {
                read_line(&mut text).map_err(|error| error_in(part, error))?;
            }
        } else if self.opened > 1 {
            // The reader of fields skips one at the start of all parts only.
            let start = text.fill_buf().map_err(|error| error_in(part, error))?;
            let has_mark = start.starts_with(BYTE_ORDER_MARK);
            if has_mark {
                text.consume(BYTE_ORDER_MARK.len());
            }
        }
        self.open = Some(text);
        Ok(())
    }

    /// Returns the unread text in the buffer of the part that is open, which is empty at its end.
    fn buffer(&mut self) -> io::Result<&[u8]> {
        match &mut self.open {
            Some(text) => {
                let part = &self.parts[self.opened - 1];
                text.fill_buf().map_err(|error| error_in(part, error))
            }
            None => Ok(&[]),
        }
    }
}

impl BufRead for Joined {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.buffer()?.is_empty() && self.opened < self.parts.len() {
            if self.in_line {
                return Ok(b"\n");
            }
            self.open_next()?;
        }
        self.buffer()
    }

    fn consume(&mut self, bytes: usize) {
        let Some(text) = self.open.as_mut().filter(|_| bytes > 0) else {
            return;
        };
        // What was shown is still in the buffer, so nothing is read here, and nothing can fail.
        match text.fill_buf().map(|shown| shown.get(bytes - 1).copied()) {
            Ok(Some(last)) => {
                self.in_line = last != self.parts[self.opened - 1].record_end();
                text.consume(bytes);
            }
            // The part is at its end: what was shown is the end of its last line.
            _ => self.in_line = false,
        }
    }
}

impl Read for Joined {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

fn error_in(part: &Part, source: io::Error) -> io::Error {
    let path = part.path.clone();
    io::Error::new(source.kind(), PartError { path, source })
}

/// Returns the part that a line of the joined text is in, and the number of the line there. Lines are
/// counted from 1. Parts are read to find it if there are several.
pub fn place(parts: &[Part], header: bool, line: u64) -> io::Result<Option<(&Part, u64)>> {
    if let [part] = parts {
        return Ok(Some((part, line)));
    }
    let starts = lines_before(parts, header, line)?;
    Ok(place_after(&starts, parts, line))
}

/// Returns what [`place`] does by what [`lines_before`] returned, so that no part is read.
pub fn place_after<'p>(
    starts: &[(u64, u64)],
    parts: &'p [Part],
    line: u64,
) -> Option<(&'p Part, u64)> {
    let number = starts.iter().rposition(|(before, _)| *before < line)?;
    let (before, left_out) = starts[number];
    Some((parts.get(number)?, line - before + left_out))
}

/// Returns for each part how many lines of the joined text come before it, and how many of its own are left out; of
/// no part after the one with this line, since these are not read.
pub fn lines_before(parts: &[Part], header: bool, line: u64) -> io::Result<Vec<(u64, u64)>> {
    let (mut all, mut before) = (Vec::with_capacity(parts.len()), 0);
    for (number, part) in parts.iter().enumerate() {
        if before >= line {
            break;
        }
        let left_out = if header && number > 0 {
            part.lines.before_rows()
        } else {
            0
        };
        all.push((before, left_out));
        let end = part.record_end();
        let counted = part.open();
        let counted = counted.and_then(|mut text| count_lines(&mut text, end));
        let counted = counted.map_err(|error| error_in(part, error))?;
        before += counted.saturating_sub(left_out);
    }
    Ok(all)
}

/// Counts the lines of a text, at whose end is this byte. The last one may have none.
fn count_lines(text: &mut impl BufRead, end: u8) -> io::Result<u64> {
    let (mut lines, mut in_line) = (0, false);
    loop {
        let bytes = text.fill_buf()?;
        let Some(last) = bytes.last() else {
            return Ok(lines + u64::from(in_line));
        };
        in_line = *last != end;
        lines += count_ends(bytes, end);
        let read = bytes.len();
        text.consume(read);
    }
}

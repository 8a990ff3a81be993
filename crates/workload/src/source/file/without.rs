//! Text without some of its bytes.

use std::io::{self, BufRead, Read};
use std::ops::Range;
use std::sync::Arc;

/// A text from which ranges of bytes are left out.
pub struct Without {
    text: Box<dyn BufRead + Send>,
    /// Bytes that are left out, in order, which do not overlap.
    ranges: Arc<[Range<u64>]>,
    /// Number of ranges that were passed.
    passed: usize,
    /// Bytes of the text that were passed.
    at: u64,
}

impl Without {
    pub fn new(text: Box<dyn BufRead + Send>, ranges: Arc<[Range<u64>]>) -> Without {
        Without {
            text,
            ranges,
            passed: 0,
            at: 0,
        }
    }

    /// Passes over the ranges that begin here.
    fn pass(&mut self) -> io::Result<()> {
        while let Some(range) = self.ranges.get(self.passed).filter(|r| r.start <= self.at) {
            let left = range.end.saturating_sub(self.at);
            let there = self.text.fill_buf()?.len();
            let passed = usize::try_from(left).unwrap_or(usize::MAX).min(there);
            self.text.consume(passed);
            self.at += passed as u64;
            if passed as u64 == left || there == 0 {
                self.passed += 1;
            }
        }
        Ok(())
    }
}

impl BufRead for Without {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.pass()?;
        let next = self
            .ranges
            .get(self.passed)
            .map(|range| range.start - self.at);
        let bytes = self.text.fill_buf()?;
        let most = next.map_or(usize::MAX, |next| {
            usize::try_from(next).unwrap_or(usize::MAX)
        });
        Ok(&bytes[..bytes.len().min(most)])
    }

    fn consume(&mut self, bytes: usize) {
        self.text.consume(bytes);
        self.at += bytes as u64;
    }
}

impl Read for Without {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(ranges: &[Range<u64>], buffer: usize) -> String {
        let text = io::BufReader::with_capacity(buffer, "0123456789".as_bytes());
        let mut without = Without::new(Box::new(text), ranges.into());
        let mut left = String::new();
        without.read_to_string(&mut left).unwrap();
        left
    }

    #[test]
    fn ranges_are_left_out_however_they_lie_in_buffers() {
        for buffer in [1, 2, 3, 100] {
            assert_eq!(left(&[], buffer), "0123456789");
            assert_eq!(left(&[0..3, 3..4, 8..10], buffer), "4567");
            assert_eq!(left(&[2..3, 5..7], buffer), "0134789");
            assert_eq!(left(&[0..5, 5..10], buffer), "");
            assert_eq!(left(&[0..1, 9..20], buffer), "12345678");
        }
    }
}

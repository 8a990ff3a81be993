//! Inputs and traits of the generators of cells.

use std::ops::RangeInclusive;

use crate::Stream;

/// Inputs that a cell is drawn from.
pub struct Draw {
    pub row: u64,
    /// Whether it is the value that an update writes.
    pub second: bool,
    /// Stream of seed, column, row and version.
    pub stream: Stream,
}

impl Draw {
    /// Draws a length in the range, both ends included.
    pub fn length(&mut self, range: &RangeInclusive<u32>) -> usize {
        let lengths = u64::from(range.end().saturating_sub(*range.start())) + 1;
        (u64::from(*range.start()) + self.stream.below(lengths)) as usize
    }
}

/// Makes whole or real numbers.
pub trait Numbers<T>: Send + Sync {
    fn draw(&self, draw: Draw) -> T;
}

/// Makes texts.
pub trait Texts: Send + Sync {
    fn append(&self, draw: Draw, out: &mut String);

    /// Returns an upper estimate of the bytes of the longest text.
    fn most_bytes(&self) -> u64;
}

//! Generates numbers, times and numbered texts in the order of the rows.

use std::fmt::Write;

use super::draw::{Draw, Numbers, Texts};
use crate::Sequence;

/// Digits of the longest 64-bit number, with its sign.
const MOST_DIGITS: u64 = 20;

/// Returns the number of a cell; an update moves it to the sequence's next value.
fn number(sequence: &Sequence, draw: &Draw) -> i64 {
    let position = sequence.position(draw.row);
    if !draw.second {
        return sequence.at(position);
    }
    let next = position.wrapping_add(1);
    sequence.at(sequence.cycle.map_or(next, |cycle| next % cycle))
}

impl Numbers<i64> for Sequence {
    fn draw(&self, draw: Draw) -> i64 {
        number(self, &draw)
    }
}

impl Texts for Sequence {
    fn append(&self, draw: Draw, out: &mut String) {
        out.push_str(&self.prefix);
        append_number(number(self, &draw), out);
    }

    fn most_bytes(&self) -> u64 {
        self.prefix.len() as u64 + MOST_DIGITS
    }
}

/// Appends a number in decimal digits.
pub fn append_number(number: impl std::fmt::Display, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{number}");
}

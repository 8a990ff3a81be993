//! Generators for the cells of a column (`generator = "columns"`).

use std::ops::RangeInclusive;

use crate::{ColumnType, Value, days};

/// Generator for the values of one column. Every cell is a pure function of seed, column and row.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnGenerator {
    /// Numbers, times, or texts with a number, in the order of the rows.
    Sequence(Sequence),
    /// Whole numbers between two bounds, both included.
    UniformInteger { from: i64, to: i64 },
    /// Numbers from `from` to below `to`.
    UniformReal { from: f64, to: f64 },
    /// Normally distributed numbers, rounded in columns of whole numbers.
    Normal { mean: f64, deviation: f64 },
    /// Numbers 0, 1, 2, ... below `items`, where number k has a probability in proportion to 1 / (k
    /// + 1)^exponent; with `prefix` in text columns.
    Zipf {
        items: u64,
        exponent: f64,
        prefix: String,
    },
    /// Values of a list, all equally likely.
    Choice(Vec<Value>),
    /// Random letters and digits, of a number in this range.
    Characters(RangeInclusive<u32>),
    /// Words, of a number in this range, drawn one by one by their frequency.
    Words(RangeInclusive<u32>),
    /// Words, of a number in this range, cut from one text at a random position.
    Passages(RangeInclusive<u32>),
    /// JSON objects with a number of members in this range.
    Json(RangeInclusive<u32>),
    /// Bytes, of a number in this range, of which a share of `compressibility` repeats bytes
    /// shortly before them; printable ASCII in text columns.
    Bytes {
        length: RangeInclusive<u32>,
        compressibility: f64,
    },
    /// This many doubles in a blob, big-endian and one after the other, drawn one by one.
    Doubles { items: u32, law: RealLaw },
}

/// Distribution of the numbers of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RealLaw {
    /// Numbers from `from` to below `to`.
    Uniform { from: f64, to: f64 },
    /// Normally distributed numbers.
    Normal { mean: f64, deviation: f64 },
}

/// Sequence with the value start + step * ((row / every) mod cycle).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// First value, in milliseconds since the epoch in timestamp columns.
    pub start: i64,
    /// Difference of two values, in milliseconds in timestamp columns; not 0.
    pub step: i64,
    /// Number of rows in a row with the same value, at least 1.
    pub every: u64,
    /// Number of different values, at least 1; `None` for a sequence that never repeats.
    pub cycle: Option<u64>,
    /// Text before the number in text columns.
    pub prefix: String,
}

impl Sequence {
    /// Returns the position in the sequence of a row's value.
    pub fn position(&self, row: u64) -> u64 {
        let count = row / self.every;
        self.cycle.map_or(count, |cycle| count % cycle)
    }

    /// Returns the value at a position.
    pub fn at(&self, position: u64) -> i64 {
        self.start
            .wrapping_add(self.step.wrapping_mul(position as i64))
    }

    /// Returns the number of rows before a number does not fit a column of this type; `None` if it
    /// always does, or if no load has that many rows.
    pub fn rows_of_type(&self, kind: ColumnType) -> Option<u64> {
        if self.cycle.is_some() {
            // A whole cycle is checked to fit.
            return None;
        }
        let (least, most) = match kind {
            ColumnType::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
            ColumnType::Date => (i64::from(days::FIRST), i64::from(days::LAST)),
            _ => (i64::MIN, i64::MAX),
        };
        let end = if self.step < 0 { least } else { most };
        let distance = i128::from(end) - i128::from(self.start);
        let positions = distance.checked_div(i128::from(self.step))? + 1;
        let rows = positions.checked_mul(i128::from(self.every))?;
        u64::try_from(rows).ok().filter(|_| rows < ENDLESS_ROWS)
    }

    /// Returns the position with this value, as the inverse of [`Sequence::at`].
    pub fn position_of(&self, value: i64) -> Option<u64> {
        let distance = value.checked_sub(self.start)?;
        if distance.checked_rem(self.step)? != 0 {
            return None;
        }
        let position = u64::try_from(distance.checked_div(self.step)?).ok()?;
        self.cycle
            .is_none_or(|cycle| position < cycle)
            .then_some(position)
    }
}

/// Number of rows that no table is loaded with, so that a later end does not matter.
const ENDLESS_ROWS: i128 = 1 << 53;

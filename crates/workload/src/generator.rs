//! Generators for the cells of a column (`generator = "columns"`).

use std::ops::RangeInclusive;

use crate::{ColumnType, Table, Value};

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
    pub fn position(&self, row: u64) -> u64 {
        let count = row / self.every;
        self.cycle.map_or(count, |cycle| count % cycle)
    }

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

/// Key columns that are sequences and number the rows like the digits of a number: the first
/// changes with each row, the next one whenever the first starts again, and so on.
#[derive(Debug, Clone)]
pub struct KeyDigits {
    /// Columns of the table with their sequences, from the fastest to the slowest.
    digits: Vec<(usize, Sequence)>,
    /// Number of rows before all digits start again.
    rows: Option<u64>,
    /// Number of rows before a value of the key does not fit its type.
    rows_of_types: Option<u64>,
}

/// Number of rows that no table is loaded with, so that a later end does not matter.
const ENDLESS_ROWS: i128 = 1 << 53;

impl KeyDigits {
    /// Finds the digits of a table's key; `generators` has one for each column of the table.
    pub fn find(table: &Table, generators: &[ColumnGenerator]) -> Self {
        let columns = table.columns.iter().zip(generators).enumerate();
        let mut sequences: Vec<(usize, &Sequence)> = columns
            .filter(|(_, (column, _))| table.is_key(&column.name))
            .filter_map(|(index, (_, generator))| match generator {
                ColumnGenerator::Sequence(sequence) => Some((index, sequence)),
                _ => None,
            })
            .collect();
        let of_type = |(column, sequence): &(usize, &Sequence)| {
            sequence.rows_of_type(table.columns[*column].kind)
        };
        let mut found = KeyDigits {
            digits: Vec::new(),
            rows: Some(1),
            rows_of_types: sequences.iter().filter_map(of_type).min(),
        };
        while let Some(next) = sequences
            .iter()
            .position(|(_, s)| Some(s.every) == found.rows && s.cycle != Some(1))
        {
            let (column, sequence) = sequences.swap_remove(next);
            found.rows = sequence.cycle.and_then(|c| c.checked_mul(sequence.every));
            found.digits.push((column, sequence.clone()));
        }
        found
    }

    /// Returns whether no column of the key distinguishes rows.
    pub fn is_empty(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns how many rows from the first on have unique keys; `None` if all have.
    pub fn unique_rows(&self) -> Option<u64> {
        self.rows
    }

    /// Returns how many rows from the first on have keys that fit their types; `None` if no load
    /// has more.
    pub fn rows_of_types(&self) -> Option<u64> {
        self.rows_of_types
    }

    /// Returns whether two rows have the same value of a column; `None` if it is no digit.
    pub fn agree(&self, column: usize, one: u64, other: u64) -> Option<bool> {
        let digit = self.digits.iter().find(|(digit, _)| *digit == column);
        digit.map(|(_, sequence)| sequence.position(one) == sequence.position(other))
    }

    /// Returns the row with these digits; `value` gives the key's value of a column.
    pub fn row_of<'a>(
        &self,
        table: &Table,
        value: impl Fn(usize) -> Option<&'a Value>,
    ) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        self.digits
            .iter()
            .try_fold(0u64, |row, (column, sequence)| {
                let number = match (table.columns[*column].kind, value(*column)?) {
                    (ColumnType::Text, Value::Text(text)) => {
                        text.strip_prefix(&sequence.prefix)?.parse().ok()?
                    }
                    (_, Value::Int(number)) => i64::from(*number),
                    (_, Value::Bigint(number) | Value::Timestamp(number)) => *number,
                    _ => return None,
                };
                let position = sequence.position_of(number)?;
                row.checked_add(position.checked_mul(sequence.every)?)
            })
    }

    /// Returns the row with the next order key according to these columns; `None` if there is none,
    /// or if the order key does not consist of ascending digits.
    pub fn next_by_order(&self, table: &Table, row: u64) -> Option<u64> {
        let mut next = row;
        for name in table.order_key.iter().rev() {
            let sequence = self.ascending(table, name)?;
            let position = sequence.position(row);
            if sequence.cycle.is_none_or(|cycle| position + 1 < cycle) {
                return next.checked_add(sequence.every);
            }
            next -= position * sequence.every;
        }
        None
    }

    /// Returns the row with the previous order key according to these columns; `None` if there is
    /// none, if the order key does not consist of ascending digits, or if there are rows without
    /// end before it.
    pub fn previous_by_order(&self, table: &Table, row: u64) -> Option<u64> {
        let mut previous = row;
        for name in table.order_key.iter().rev() {
            let sequence = self.ascending(table, name)?;
            if sequence.position(row) > 0 {
                return previous.checked_sub(sequence.every);
            }
            let last = sequence.cycle?.checked_sub(1)?;
            previous = previous.checked_add(last.checked_mul(sequence.every)?)?;
        }
        None
    }

    /// Returns the digit of a column, if its values ascend.
    fn ascending(&self, table: &Table, name: &str) -> Option<&Sequence> {
        let (_, sequence) = self.digits.iter().find(|(column, _)| {
            // Texts are in another order than their numbers.
            let column = &table.columns[*column];
            column.name == name && column.kind != ColumnType::Text
        })?;
        (sequence.step > 0).then_some(sequence)
    }
}

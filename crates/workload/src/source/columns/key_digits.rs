//! Key columns that determine the number of their row.

use crate::{ColumnGenerator, ColumnType, Sequence, Table, Value, uuids};

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
        let rows_of_types = sequences
            .iter()
            .filter_map(|(column, sequence)| sequence.rows_of_type(table.columns[*column].kind))
            .min();
        let mut found = KeyDigits {
            digits: Vec::new(),
            rows: Some(1),
            rows_of_types,
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
                    (_, Value::Uuid(uuid)) => uuids::number_of(*uuid)?,
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
            // Texts and UUIDs are in another order than their numbers.
            let column = &table.columns[*column];
            column.name == name && !matches!(column.kind, ColumnType::Text | ColumnType::Uuid)
        })?;
        (sequence.step > 0).then_some(sequence)
    }
}

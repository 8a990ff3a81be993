//! The check of a reply with several rows of one partition.

use std::cmp::Ordering;

use bakeoff_driver::drive::Failure;
use bakeoff_workload::{Value, Version};

use super::check::{Cell, Checker};
use super::read_rows::ReadRows;
use super::rows::{Rows, Selected};
use super::values::{is_on_wire, order, read, shown};

/// A walk along the rows of a partition in the order of a reply.
///
/// Each row has to belong to the drawn row's partition, follow the row before in order, and hold what
/// was written for the row that has its key. Where the neighbours of a row are known, no loaded row
/// may be missing between two rows, before the first one of a partition, or after the last one.
pub struct Walk<'a> {
    rows: &'a Rows,
    wanted: ReadRows,
    /// Number of the drawn row.
    drawn: u64,
    /// Partition key and order key of the drawn row.
    drawn_key: Vec<Value>,
    /// Partition key of the drawn row, and order key of the latest row.
    key: Vec<Value>,
    /// Number of the latest row whose number is known by its key.
    last: Option<u64>,
    /// Number of rows so far.
    count: u64,
    /// Flag that is set once the drawn row was among the rows.
    drawn_found: bool,
}

impl<'a> Walk<'a> {
    /// Begins a walk for a read of the drawn row's partition.
    pub fn new(rows: &'a Rows, drawn: u64, wanted: ReadRows) -> Self {
        let columns = rows.partition.iter().chain(&rows.clustering);
        let value = |column: &usize| rows.values.value(*column, drawn, Version::First);
        let drawn_key: Vec<Value> = columns.map(value).collect();
        Walk {
            rows,
            wanted,
            drawn,
            key: drawn_key.clone(),
            drawn_key,
            last: None,
            count: 0,
            drawn_found: false,
        }
    }

    /// Checks the next row.
    pub fn row<'c>(
        &mut self,
        checker: &Checker<'_>,
        cells: impl Iterator<Item = Result<Cell<'c>, Failure>> + Clone,
    ) -> Result<(), Failure> {
        let before = self.key[self.rows.partition.len()..].to_vec();
        self.take_key(checker, cells.clone())?;
        let now = &self.key[self.rows.partition.len()..];
        // Before the first row, `key` is the drawn row's, where a range begins.
        let (expected, strictly) = match (self.count, self.wanted) {
            (0, ReadRows::From { .. }) => (Some(Ordering::Greater), false),
            (0, _) => (None, false),
            _ if self.descends() => (Some(Ordering::Less), true),
            _ => (Some(Ordering::Greater), true),
        };
        let found = compare_keys(now, &before);
        let in_order = expected.is_none_or(|order| found == order || (found.is_eq() && !strictly));
        if !in_order {
            let [now, before] = [now, &before].map(shown_key);
            return Err(checker.wrong(format!("a row with key {now} came after {before}")));
        }
        self.count += 1;
        self.drawn_found |= compare_keys(&self.key, &self.drawn_key).is_eq();
        match self.rows.values.row_of(&self.key) {
            Some(row) => {
                self.check_neighbour(checker, row)?;
                checker.row(row, cells)
            }
            None => Ok(()),
        }
    }

    /// Checks that no row is missing between the latest one and this one.
    fn check_neighbour(&mut self, checker: &Checker<'_>, row: u64) -> Result<(), Failure> {
        let missing = match (self.last, self.wanted) {
            (Some(last), _) => {
                let next = self.rows.loaded_neighbour(last, self.descends());
                next.filter(|next| *next != row)
            }
            (None, ReadRows::Partition { .. }) => self.rows.loaded_neighbour(row, !self.descends()),
            (None, _) => None,
        };
        self.last = Some(row);
        missing.map_or(Ok(()), |row| Err(checker.missing_row(row)))
    }

    /// Checks at the end of a reply that no row is missing, except those that the limit cut off.
    pub fn ends(&self, checker: &Checker<'_>) -> Result<(), Failure> {
        if self.is_cut_off() {
            return Ok(());
        }
        let last = self.last;
        let missing = last.and_then(|last| self.rows.loaded_neighbour(last, self.descends()));
        missing.map_or(Ok(()), |row| Err(checker.missing_row(row)))
    }

    fn descends(&self) -> bool {
        let ReadRows::Partition { descending, .. } = self.wanted else {
            return false;
        };
        descending
    }

    fn is_cut_off(&self) -> bool {
        let limit = self.wanted.limit();
        limit.is_some_and(|limit| self.count >= u64::from(limit))
    }

    /// Reads the row's order key, and checks its partition key.
    fn take_key<'c>(
        &mut self,
        checker: &Checker<'_>,
        cells: impl Iterator<Item = Result<Cell<'c>, Failure>>,
    ) -> Result<(), Failure> {
        for (cell, selected) in cells.zip(&self.rows.selected) {
            let cell = cell?;
            if let Selected::Column(column) = selected {
                self.take_cell(checker, *column, cell)?;
            }
        }
        Ok(())
    }

    fn take_cell(
        &mut self,
        checker: &Checker<'_>,
        column: usize,
        cell: Cell<'_>,
    ) -> Result<(), Failure> {
        let position_in = |columns: &[usize]| columns.iter().position(|c| *c == column);
        if let Some(position) = position_in(&self.rows.partition) {
            return if is_on_wire(&self.drawn_key[position], cell) {
                Ok(())
            } else {
                Err(checker.wrong(format!(
                    "a row of another partition came than that of row {} ({})",
                    self.drawn,
                    shown_key(&self.drawn_key)
                )))
            };
        }
        let Some(position) = position_in(&self.rows.clustering) else {
            return Ok(());
        };
        let definition = &self.rows.table.columns[column];
        let value = read(definition.kind, cell).filter(|v| *v != Value::Null);
        self.key[self.rows.partition.len() + position] = value.ok_or_else(|| {
            checker.wrong(format!(
                "key column `{}` holds bytes that do not fit its type",
                definition.name
            ))
        })?;
        Ok(())
    }

    /// Returns whether the drawn row was found, or may be beyond the limit.
    pub fn has_drawn_row(&self) -> bool {
        // The first row of a range is the drawn one.
        let is_range = matches!(self.wanted, ReadRows::From { .. });
        self.drawn_found || (!is_range && self.is_cut_off())
    }
}

fn compare_keys(a: &[Value], b: &[Value]) -> Ordering {
    let columns = a.iter().zip(b).map(|(a, b)| order(a, b));
    columns.fold(Ordering::Equal, Ordering::then)
}

fn shown_key(key: &[Value]) -> String {
    let values: Vec<_> = key.iter().map(shown).collect();
    values.join(", ")
}

#[cfg(test)]
pub mod tests;

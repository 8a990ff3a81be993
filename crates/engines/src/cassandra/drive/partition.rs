//! Replies of several rows of one partition.

use std::cmp::Ordering;

use bakeoff_driver::drive::Failure;
use bakeoff_workload::{Value, Version};

use super::cells::{is_on_wire, order, read, shown};
use super::check::{Cell, Checker};
use super::plan::ReadRows;
use super::rows::{Rows, Selected};

/// Goes along the rows of a partition as they come: each has to be of the drawn row's partition,
/// in order, and hold what was written for the row that has its key.
pub struct Walk<'a> {
    rows: &'a Rows,
    wanted: ReadRows,
    drawn: u64,
    /// Of the drawn row: partition key, then order key.
    drawn_key: Vec<Value>,
    /// Of the row that came last: the same partition key, then its own order key.
    key: Vec<Value>,
    count: u64,
    drawn_came: bool,
}

impl<'a> Walk<'a> {
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
            count: 0,
            drawn_came: false,
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
        let (least, strictly) = match (self.count, self.wanted) {
            (0, ReadRows::From { .. }) => (Some(Ordering::Greater), false),
            (0, _) => (None, false),
            (
                _,
                ReadRows::Partition {
                    descending: true, ..
                },
            ) => (Some(Ordering::Less), true),
            _ => (Some(Ordering::Greater), true),
        };
        let came = order_of(now, &before);
        let in_order = least.is_none_or(|least| came == least || (came.is_eq() && !strictly));
        if !in_order {
            let [now, before] = [now, &before].map(shown_key);
            return Err(checker.wrong(format!("a row with key {now} came after {before}")));
        }
        self.count += 1;
        self.drawn_came |= order_of(&self.key, &self.drawn_key).is_eq();
        match self.rows.values.row_of(&self.key) {
            Some(row) => checker.row(row, cells),
            None => Ok(()),
        }
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
        let place_in = |columns: &[usize]| columns.iter().position(|c| *c == column);
        if let Some(place) = place_in(&self.rows.partition) {
            return match is_on_wire(&self.drawn_key[place], cell) {
                true => Ok(()),
                false => Err(checker.wrong(format!(
                    "a row of another partition came than that of row {} ({})",
                    self.drawn,
                    shown_key(&self.drawn_key)
                ))),
            };
        }
        let Some(place) = place_in(&self.rows.clustering) else {
            return Ok(());
        };
        let definition = &self.rows.table.columns[column];
        let value = read(definition.kind, cell).filter(|v| *v != Value::Null);
        self.key[self.rows.partition.len() + place] = value.ok_or_else(|| {
            checker.wrong(format!(
                "key column `{}` holds bytes that are not its type's",
                definition.name
            ))
        })?;
        Ok(())
    }

    /// Whether the drawn row came, or was cut off by the limit.
    pub fn has_drawn_row(&self) -> bool {
        let cut_off = match self.wanted {
            ReadRows::Partition {
                limit: Some(limit), ..
            } => self.count >= u64::from(limit),
            _ => false,
        };
        self.drawn_came || cut_off
    }
}

fn order_of(a: &[Value], b: &[Value]) -> Ordering {
    let columns = a.iter().zip(b).map(|(a, b)| order(a, b));
    columns.fold(Ordering::Equal, Ordering::then)
}

fn shown_key(key: &[Value]) -> String {
    let values: Vec<_> = key.iter().map(shown).collect();
    values.join(", ")
}

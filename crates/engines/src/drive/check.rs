//! Comparison of replies with the rows that were written, cell by cell and without copying.

use bakeoff_driver::drive::{Call, Failure};
use bakeoff_stats::FailureKind;
use bakeoff_workload::{ColumnType, Value, Version};

use super::rows::{Rows, Selected};
use super::values::{is_in_blob, is_on_wire, read, shown, shown_bytes};
use crate::row_blob;

/// The checker of a reply to one call.
pub struct Checker<'a> {
    pub rows: &'a Rows,
    /// Name of the operation, for messages.
    pub operation: &'a str,
    pub call: &'a Call,
}

/// The bytes of a cell of a reply; `None` for null.
pub type Cell<'a> = Option<&'a [u8]>;

impl Checker<'_> {
    /// Compares cells with those of the row with a given number.
    pub fn row<'c>(
        &self,
        row: u64,
        cells: impl Iterator<Item = Result<Cell<'c>, Failure>>,
    ) -> Result<(), Failure> {
        for (cell, selected) in cells.zip(&self.rows.selected) {
            self.cell(row, *selected, cell?)?;
        }
        Ok(())
    }

    fn cell(&self, row: u64, selected: Selected, cell: Cell<'_>) -> Result<(), Failure> {
        match selected {
            Selected::Column(column) => {
                if self.agrees(column, row, cell, is_on_wire) {
                    Ok(())
                } else {
                    Err(self.wrong_cell(column, row, cell))
                }
            }
            Selected::Blob if self.rows.keys_repeat => Ok(()),
            Selected::Blob => self.blob(row, cell),
        }
    }

    fn blob(&self, row: u64, blob: Cell<'_>) -> Result<(), Failure> {
        let Some(blob) = blob else {
            return if self.rows.nulls_appear {
                Ok(())
            } else {
                Err(self.wrong(format!("row {row} has no values outside its key")))
            };
        };
        let inside = &self.rows.in_blob;
        if inside.is_empty() {
            return Ok(());
        }
        let kinds: Vec<ColumnType> = inside
            .iter()
            .map(|column| self.rows.table.columns[*column].kind)
            .collect();
        let mut differs = None;
        let whole = row_blob::decode(&kinds, kinds.len() - 1, blob, |i, value| {
            if self.agrees(inside[i], row, value, is_in_blob) {
                Some(())
            } else {
                differs = Some((inside[i], value));
                None
            }
        });
        match (whole, differs) {
            (Some(()), _) => Ok(()),
            (None, Some((column, value))) => {
                let name = &self.rows.table.columns[column].name;
                let came = value.map_or("null".to_owned(), shown_bytes);
                Err(self.wrong(format!(
                    "column `{name}` of row {row} is {came} in the row's blob, not {}",
                    self.expected(column, row)
                )))
            }
            (None, None) => Err(self.wrong(format!("the blob of row {row} is torn"))),
        }
    }

    /// Returns whether a cell holds one of the versions that the mix writes.
    pub fn agrees(
        &self,
        column: usize,
        row: u64,
        cell: Cell<'_>,
        same: impl Fn(&Value, Cell<'_>) -> bool,
    ) -> bool {
        let rows = self.rows;
        let is_key = || rows.table.is_key(&rows.table.columns[column].name);
        if rows.keys_repeat && !is_key() {
            return true;
        }
        if same(&rows.values.value(column, row, Version::First), cell) {
            return true;
        }
        let second = || rows.values.value(column, row, Version::Second);
        (rows.has_second[column] && same(&second(), cell))
            || (rows.nulls_appear && cell.is_none() && !is_key())
    }

    /// Compares a column in the result of a statement as written.
    pub fn column(&self, column: usize, cell: Cell<'_>) -> Result<(), Failure> {
        self.cell(self.call.row, Selected::Column(column), cell)
    }

    fn wrong_cell(&self, column: usize, row: u64, cell: Cell<'_>) -> Failure {
        let definition = &self.rows.table.columns[column];
        let came = match read(definition.kind, cell) {
            Some(value) => shown(&value),
            None => cell.map_or_else(String::new, shown_bytes),
        };
        self.wrong(format!(
            "column `{}` of row {row} is {came}, not {}",
            definition.name,
            self.expected(column, row)
        ))
    }

    fn expected(&self, column: usize, row: u64) -> String {
        let value = |version| shown(&self.rows.values.value(column, row, version));
        if self.rows.has_second[column] {
            format!("{} or {}", value(Version::First), value(Version::Second))
        } else {
            value(Version::First)
        }
    }

    /// Makes the failure for a reply that lacks the drawn row.
    pub fn missing(&self) -> Failure {
        self.missing_row(self.call.row)
    }

    /// Makes the failure for a reply that lacks a row.
    pub fn missing_row(&self, row: u64) -> Failure {
        let message = format!("{}: row {row} is missing from the reply", self.operation);
        Failure::new(FailureKind::Missing, message)
    }

    /// Makes the failure for a reply with wrong values.
    pub fn wrong(&self, what: String) -> Failure {
        Failure::new(FailureKind::Wrong, format!("{}: {what}", self.operation))
    }

    /// Makes the failure for a reply that cannot be parsed.
    pub fn rejected(&self, error: &dyn std::error::Error) -> Failure {
        let message = format!("{}: the reply cannot be read: {error}", self.operation);
        Failure::new(FailureKind::Rejected, message)
    }
}

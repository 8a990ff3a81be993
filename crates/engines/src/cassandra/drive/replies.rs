//! Checks of replies as they come from Cassandra: page by page, or on a direct connection.

use bakeoff_driver::drive::{Done, Failure};
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::{QueryResult, QueryRowsResult};

use super::arrays::ArrayType;
use super::cells;
use super::direct::RawRows;
use super::pages::{Pages, value_bytes};
use crate::drive::check::{Cell, Checker};
use crate::drive::read_rows::ReadRows;

impl Checker<'_> {
    /// Parses a page as rows.
    pub fn rows_of(&self, page: QueryResult) -> Result<QueryRowsResult, Failure> {
        page.into_rows_result().map_err(|e| self.rejected(&e))
    }

    /// Compares the rows of a read.
    pub fn read(&self, wanted: ReadRows, pages: Pages) -> Result<Done, Failure> {
        let mut done = Done::default();
        let mut walk = self.walk(wanted);
        for page in std::iter::once(pages.first).chain(pages.more) {
            let page = self.rows_of(page)?;
            done.bytes += value_bytes(&page);
            done.rows += page.rows_num() as u64;
            let rows = page.rows::<ColumnIterator<'_, '_>>();
            for cells in rows.map_err(|e| self.rejected(&e))? {
                let cells = cells.map_err(|e| self.rejected(&e))?;
                let cells = cells.map(|cell| match cell {
                    Ok(cell) => Ok(cell.slice.map(|s| s.as_slice())),
                    Err(e) => Err(self.rejected(&e)),
                });
                self.next_row(&mut walk, cells)?;
            }
        }
        self.whole(wanted, walk, done)
    }

    /// Compares the rows of a read that a direct connection has sent.
    pub fn read_raw(&self, wanted: ReadRows, rows: &RawRows) -> Result<Done, Failure> {
        let mut walk = self.walk(wanted);
        for cells in rows.iter() {
            let cells = cells.map(|cell| match cell {
                cells::Cell::Value(bytes) => Ok(Some(bytes)),
                cells::Cell::Null | cells::Cell::Unset => Ok(None),
            });
            self.next_row(&mut walk, cells)?;
        }
        let done = Done {
            rows: rows.rows as u64,
            bytes: rows.value_bytes(),
            not_applied: false,
        };
        self.whole(wanted, walk, done)
    }

    /// Compares a column of lists of numbers in the result of a statement as written.
    pub fn numbers(&self, column: usize, kind: ArrayType, cell: Cell<'_>) -> Result<(), Failure> {
        let row = self.call.row;
        if self.agrees(column, row, cell, |value, cell| {
            kind.is_on_wire(value, cell)
        }) {
            return Ok(());
        }
        let name = &self.rows.table.columns[column].name;
        let what = cell.map_or("null", |_| "other numbers than were written");
        Err(self.wrong(format!("column `{name}` of row {row} has {what}")))
    }
}

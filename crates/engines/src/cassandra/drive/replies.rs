//! Checks of replies to reads of one row or of several rows of a partition.

#[cfg(feature = "postgres")]
use std::borrow::Cow;

use bakeoff_driver::drive::{Done, Failure};
use scylla::deserialize::row::ColumnIterator;

use super::cells;
use super::check::{Cell, Checker, value_bytes};
use super::direct::RawRows;
use super::pages::Pages;
use super::partition::Walk;
use super::plan::ReadRows;

impl Checker<'_> {
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

    /// Compares the rows of a read that came from another system, each with its cells as CQL has them on the wire.
    /// `bytes` are those of the values as they came.
    #[cfg(feature = "postgres")]
    pub fn read_cells(
        &self,
        wanted: ReadRows,
        rows: &[Vec<Option<Cow<'_, [u8]>>>],
        bytes: u64,
    ) -> Result<Done, Failure> {
        let mut walk = self.walk(wanted);
        for cells in rows {
            self.next_row(&mut walk, cells.iter().map(|cell| Ok(cell.as_deref())))?;
        }
        let done = Done {
            rows: rows.len() as u64,
            bytes,
            not_applied: false,
        };
        self.whole(wanted, walk, done)
    }

    fn walk(&self, wanted: ReadRows) -> Option<Walk<'_>> {
        match wanted {
            ReadRows::One => None,
            _ => Some(Walk::new(self.rows, self.call.row, wanted)),
        }
    }

    fn next_row<'c>(
        &self,
        walk: &mut Option<Walk<'_>>,
        cells: impl Iterator<Item = Result<Cell<'c>, Failure>> + Clone,
    ) -> Result<(), Failure> {
        match walk {
            None => self.row(self.call.row, cells),
            Some(walk) => walk.row(self, cells),
        }
    }

    /// Checks at the end of a reply that no row is missing and that the limit was respected.
    pub fn whole(
        &self,
        wanted: ReadRows,
        walk: Option<Walk<'_>>,
        done: Done,
    ) -> Result<Done, Failure> {
        let found = walk.as_ref().map_or(done.rows > 0, Walk::has_drawn_row);
        if !found && self.call.row_exists && !self.rows.rows_vanish {
            return Err(self.missing());
        }
        if let Some(walk) = walk {
            walk.ends(self)?;
        }
        self.within_limit(wanted, done)
    }

    fn within_limit(&self, wanted: ReadRows, done: Done) -> Result<Done, Failure> {
        match wanted.limit() {
            Some(limit) if done.rows > u64::from(limit) => {
                Err(self.wrong(format!("{} rows came, more than {limit}", done.rows)))
            }
            _ => Ok(done),
        }
    }
}

//! Checks of replies to reads of one row or of several rows of a partition.

#[cfg(feature = "postgres")]
use std::borrow::Cow;

use bakeoff_driver::drive::{Done, Failure};

use super::check::{Cell, Checker};
use super::partition::Walk;
use super::read_rows::ReadRows;

impl Checker<'_> {
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

    /// Begins to compare the rows of a read; `None` where it returns one row.
    pub fn walk(&self, wanted: ReadRows) -> Option<Walk<'_>> {
        match wanted {
            ReadRows::One => None,
            _ => Some(Walk::new(self.rows, self.call.row, wanted)),
        }
    }

    /// Compares the next row of a reply.
    pub fn next_row<'c>(
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

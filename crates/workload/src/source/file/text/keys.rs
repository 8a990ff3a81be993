//! Finds rows of text files whose key an earlier row has.

use super::TextFile;
use crate::Result;
use crate::source::duplicates::{Limits, later_rows};
use crate::source::file::bad_rows::MOST;

/// Memory for the hashes of keys, in bytes: those of 8 million. Of more rows the files are read several times.
const SEARCH_BYTES: u64 = 512 << 20;

impl TextFile {
    /// Returns the numbers of the rows, of which there are so many, whose key an earlier row has, ascending; not all of
    /// them if they are more than can be set aside.
    pub(super) fn later_of_keys(&self, rows: u64) -> Result<Vec<u64>> {
        let limits = Limits {
            memory_bytes: SEARCH_BYTES,
            found: MOST,
        };
        let keys = self.of_keys();
        if keys.table.columns.is_empty() {
            // All of the key is the same in all rows, so that the files do not have it.
            return Ok((1..rows).take(MOST + 1).collect());
        }
        later_rows(&keys, &keys.table, rows, &limits)
    }

    /// Returns the same rows with the columns of their key alone.
    fn of_keys(&self) -> TextFile {
        let columns = self.table.columns.iter().zip(&self.places);
        let in_key = columns.filter(|(column, _)| self.table.is_key(&column.name));
        TextFile {
            places: in_key.map(|(_, places)| places.clone()).collect(),
            table: self.table.without(|name| !self.table.is_key(name)),
            ..self.clone()
        }
    }
}

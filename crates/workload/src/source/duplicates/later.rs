//! Finds rows whose key an earlier row has.

use std::collections::HashSet;

use super::{BATCH_ROWS, KeyHasher};
use crate::source::RowSource;
use crate::{Result, Table};

/// Largest memory per key, in bytes, of the set of the keys' hashes: 17 bytes per slot of a table that has just
/// doubled (7 of 16 slots used), plus the previous table of half the size.
const SET_BYTES_PER_KEY: u64 = 64;

/// Memory that a search may use, and where it ends.
pub struct Limits {
    pub memory_bytes: u64,
    /// A search that has found more rows than these ends, and returns those.
    pub found: usize,
}

/// Returns the numbers of the rows whose key an earlier row has, ascending. The source, which has so many rows, is read
/// several times if the memory is too little for all keys, each time for a share of them.
///
/// # Errors
/// The source cannot be read.
pub fn later_rows(
    source: &dyn RowSource,
    table: &Table,
    rows: u64,
    limits: &Limits,
) -> Result<Vec<u64>> {
    let keys_of_a_pass = (limits.memory_bytes / SET_BYTES_PER_KEY).max(1);
    let passes = u128::from(rows.div_ceil(keys_of_a_pass).max(1));
    let mut hasher = KeyHasher::new(table)?;
    let mut later = Vec::new();
    'passes: for pass in 0..passes {
        let mut seen = HashSet::new();
        for batch in source.read(0, BATCH_ROWS)? {
            let batch = batch?;
            for (row, hash) in (batch.first_row..).zip(hasher.hashes(&batch.rows)?) {
                // All rows of a key fall to the same pass, so that no key is split.
                if hash % passes == pass && !seen.insert(hash) {
                    later.push(row);
                }
            }
            if later.len() > limits.found {
                break 'passes;
            }
        }
    }
    later.sort_unstable();
    Ok(later)
}

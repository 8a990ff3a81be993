//! Reads single rows of a source.

use arrow::record_batch::RecordBatch;

use super::RowSource;
use crate::{Error, Result};

const BATCH_ROWS: usize = 8192;

/// Shows each wanted row, given by its number and sorted by it: the tag that came with it, the
/// batch that it is in, and its index there.
pub fn visit_rows<T>(
    source: &dyn RowSource,
    wanted: &[(u64, T)],
    mut see: impl FnMut(&T, &RecordBatch, usize),
) -> Result<()> {
    let mut next = 0;
    while let Some((row, _)) = wanted.get(next) {
        let (from, batch_rows) = if source.seeks() {
            (*row, 1)
        } else {
            (0, BATCH_ROWS)
        };
        for batch in source.read(from, batch_rows)? {
            let batch = batch?;
            let end = batch.first_row + batch.rows.num_rows() as u64;
            while let Some((row, tag)) = wanted.get(next).filter(|(row, _)| *row < end) {
                see(tag, &batch.rows, (row - batch.first_row) as usize);
                next += 1;
            }
            if source.seeks() || next == wanted.len() {
                break;
            }
        }
        if wanted.get(next).is_some_and(|(unseen, _)| unseen == row) {
            return Err(Error::Usage(format!(
                "row {} is needed, but the data end before it; load fewer rows",
                row + 1
            )));
        }
    }
    Ok(())
}

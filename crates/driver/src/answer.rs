//! Answers of designs, held as far as they fit into memory.

use std::mem;

use arrow::array::Array;
use arrow::record_batch::RecordBatch;

use crate::digest::Digest;

/// Largest number of bytes of an answer that is held. A comparison holds it twice, and its cells one by one.
pub const ANSWER_BYTES: usize = 32 << 20;

/// A complete answer to a query.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Its rows, if it takes no more than [`ANSWER_BYTES`].
    pub batches: Vec<RecordBatch>,
    /// What is kept of its rows otherwise.
    pub digest: Option<Digest>,
    /// Number of rows that the storage handed to the query engine; `None` where they were not counted.
    pub rows_scanned: Option<u64>,
}

impl Answer {
    /// Returns the number of its rows.
    pub fn rows(&self) -> u64 {
        match &self.digest {
            Some(digest) => digest.rows(),
            None => self.batches.iter().map(|b| b.num_rows() as u64).sum(),
        }
    }
}

/// An answer whose rows are still coming.
#[derive(Debug, Default)]
pub struct IncomingAnswer {
    answer: Answer,
    bytes: usize,
    /// Whether more than is held is an error, since nothing is compared.
    held_only: bool,
}

impl IncomingAnswer {
    /// Starts an answer that is an error as soon as it is larger than [`ANSWER_BYTES`].
    pub fn held_only() -> Self {
        IncomingAnswer {
            held_only: true,
            ..IncomingAnswer::default()
        }
    }

    /// Adds the next rows.
    ///
    /// # Errors
    /// All together are too large to be held, and only what is held is wanted or a column is of a type that
    /// has no digest.
    pub fn add(&mut self, rows: RecordBatch) -> Result<(), String> {
        if let Some(digest) = &mut self.answer.digest {
            return digest.add(&rows);
        }
        self.bytes += own_bytes(&rows);
        self.answer.batches.push(rows);
        if self.bytes > ANSWER_BYTES && self.held_only {
            return Err(format!(
                "the answer is larger than {} MiB: let the query aggregate, or restrict its rows",
                ANSWER_BYTES >> 20
            ));
        }
        if self.bytes > ANSWER_BYTES {
            let held = mem::take(&mut self.answer.batches);
            self.answer.digest = Some(Digest::of(&held)?);
        }
        Ok(())
    }

    /// Returns the answer when all rows have come.
    pub fn complete(self) -> Answer {
        self.answer
    }
}

/// Returns the bytes of a batch itself, which may be a part of larger buffers.
fn own_bytes(rows: &RecordBatch) -> usize {
    let columns = rows.columns().iter();
    columns
        .map(|column| {
            let own = column.to_data().get_slice_memory_size();
            own.unwrap_or_else(|_| column.get_array_memory_size())
        })
        .sum()
}

/// Says why an answer cannot be compared that is too large to be held, and has more than values of the table.
pub fn too_large() -> String {
    format!(
        "the answer is larger than {} MiB, too large to be compared unless all of its values are read as \
         they are, without a LIMIT: let the query aggregate, or restrict its rows",
        ANSWER_BYTES >> 20
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray};

    use super::*;

    /// A quarter of what is held, in a few rows.
    fn rows() -> RecordBatch {
        let text = "x".repeat(ANSWER_BYTES / 32);
        let texts: ArrayRef = Arc::new(StringArray::from(vec![text.as_str(); 8]));
        RecordBatch::try_from_iter([("text", texts)]).unwrap()
    }

    #[test]
    fn where_nothing_is_compared_a_large_answer_is_not_read_to_its_end() {
        let mut incoming = IncomingAnswer::held_only();
        for _ in 0..3 {
            incoming.add(rows()).unwrap();
        }
        let error = incoming.add(rows()).unwrap_err();
        assert!(
            error.starts_with("the answer is larger than 32 MiB"),
            "{error}"
        );
    }

    #[test]
    fn parts_of_a_large_buffer_count_for_what_they_are() {
        let rows = rows();
        let mut incoming = IncomingAnswer::default();
        for _ in 0..64 {
            incoming.add(rows.slice(0, 1)).unwrap();
        }
        assert!(incoming.bytes > ANSWER_BYTES);
        let mut incoming = IncomingAnswer::default();
        for _ in 0..16 {
            incoming.add(rows.slice(0, 1)).unwrap();
        }
        assert_eq!(incoming.complete().batches.len(), 16);
    }

    #[test]
    fn an_answer_is_held_while_it_fits_and_digested_beyond() {
        let rows = rows();
        let mut incoming = IncomingAnswer::default();
        for _ in 0..3 {
            incoming.add(rows.clone()).unwrap();
        }
        assert_eq!(incoming.answer.batches.len(), 3);
        assert_eq!(incoming.answer.rows(), 24);
        for _ in 3..6 {
            incoming.add(rows.clone()).unwrap();
        }
        let answer = incoming.complete();
        assert!(answer.batches.is_empty());
        assert_eq!(answer.rows(), 48);
        let whole = Digest::of(&vec![rows; 6]).unwrap();
        assert_eq!(whole.difference(&answer.digest.unwrap(), &[0]), None);
    }
}

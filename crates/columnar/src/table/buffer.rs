//! The rows of a place that wait to be written.

use arrow::array::{Array, ArrayRef, RecordBatch, make_comparator};
use arrow::compute::SortOptions;

use crate::{Error, Result};

/// Rows of a place in the order in which they came.
#[derive(Default)]
pub struct Buffer {
    pub batches: Vec<RecordBatch>,
    pub rows: usize,
    /// The approximate memory that the rows take.
    pub bytes: usize,
}

impl Buffer {
    /// Adds rows and returns how many bytes they take.
    pub fn push(&mut self, rows: RecordBatch) -> usize {
        let bytes = memory_of(&rows);
        self.rows += rows.num_rows();
        self.bytes += bytes;
        self.batches.push(rows);
        bytes
    }

    /// Removes and returns the rows at the end that have the value of the first order key with which the
    /// next rows begin. Where rows come in order of time, the chunks before and after then share no
    /// moment, so that they overlap nothing. Returns no rows if the last row has another value, or if
    /// all rows have this one.
    pub fn take_back(&mut self, order: usize, next: &RecordBatch) -> Result<Vec<RecordBatch>> {
        for (i, rows) in self.batches.iter().enumerate().rev() {
            let split = begin_of(rows.column(order), next.column(order))?;
            if split > 0 {
                let kept = rows.slice(0, split);
                let last = rows.slice(split, rows.num_rows() - split);
                let mut back = self.batches.split_off(i);
                for rows in &back {
                    self.rows -= rows.num_rows();
                    self.bytes -= memory_of(rows);
                }
                self.push(kept);
                back[0] = last;
                back.retain(|rows| rows.num_rows() > 0);
                return Ok(back);
            }
        }
        Ok(Vec::new())
    }

    /// Removes and returns the rows at the end that have the same value as the last row, like
    /// [`Buffer::take_back`].
    pub fn take_last_back(&mut self, order: usize) -> Result<Vec<RecordBatch>> {
        let Some(rows) = self.batches.last() else {
            return Ok(Vec::new());
        };
        let last = rows.slice(rows.num_rows().saturating_sub(1), rows.num_rows().min(1));
        self.take_back(order, &last)
    }
}

/// Returns where the values at the end begin that equal the first one of `others`.
fn begin_of(values: &ArrayRef, others: &ArrayRef) -> Result<usize> {
    if others.is_empty() {
        return Ok(values.len());
    }
    let failed = |source| Error::Arrow {
        doing: "comparing order keys",
        source,
    };
    let compare = make_comparator(values, others, SortOptions::default()).map_err(failed)?;
    let same = (0..values.len())
        .rev()
        .take_while(|row| compare(*row, 0).is_eq());
    Ok(values.len() - same.count())
}

/// Returns the memory of the rows themselves, even if they are a slice of others.
fn memory_of(rows: &RecordBatch) -> usize {
    let of_column = |column: &ArrayRef| {
        let own = column.to_data().get_slice_memory_size();
        own.unwrap_or_else(|_| column.get_array_memory_size())
    };
    rows.columns().iter().map(of_column).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{AsArray, Int64Array, StringArray};
    use arrow::datatypes::Int64Type;

    use super::*;

    #[test]
    fn rows_of_the_last_moment_are_taken_back_from_as_many_batches_as_have_it() {
        let batch = |times: &[i64]| {
            let times: ArrayRef = Arc::new(Int64Array::from(times.to_vec()));
            RecordBatch::try_from_iter([("time", times)]).unwrap()
        };
        let times = |batches: &[RecordBatch]| -> Vec<i64> {
            let of_batch =
                |rows: &RecordBatch| rows.column(0).as_primitive::<Int64Type>().values().to_vec();
            batches.iter().flat_map(of_batch).collect()
        };
        let mut buffer = Buffer::default();
        for moments in [&[1, 1, 2][..], &[2, 3], &[3, 3], &[3]] {
            buffer.push(batch(moments));
        }
        assert!(buffer.take_back(0, &batch(&[4])).unwrap().is_empty());
        assert_eq!((buffer.rows, buffer.bytes), (8, 64));
        let back = buffer.take_back(0, &batch(&[3])).unwrap();
        assert_eq!(times(&back), [3, 3, 3, 3]);
        assert_eq!(times(&buffer.batches), [1, 1, 2, 2]);
        assert_eq!((buffer.rows, buffer.bytes), (4, 32));
        assert_eq!(times(&buffer.take_last_back(0).unwrap()), [2, 2]);
        assert!(buffer.take_last_back(0).unwrap().is_empty());
        assert_eq!(times(&buffer.batches), [1, 1]);
    }

    #[test]
    fn rows_that_are_a_slice_take_no_more_than_their_own() {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10_000));
        let texts = StringArray::from_iter_values((0..10_000).map(|i| format!("text {i:05}")));
        let columns = [("number", numbers), ("text", Arc::new(texts) as ArrayRef)];
        let rows = RecordBatch::try_from_iter(columns).unwrap();
        let slices = (0..10).map(|i| memory_of(&rows.slice(i * 1000, 1000)));
        let all = memory_of(&rows);
        assert!(slices.sum::<usize>() <= all + 100, "{all}");
        assert_eq!(memory_of(&rows.slice(7, 1)), 8 + 10 + 2 * 4);
    }
}

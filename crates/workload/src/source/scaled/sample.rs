//! The rows of a sample, in memory and in the order of its series.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, UInt32Array};
use arrow::compute::{
    SortColumn, cast, concat_batches, lexsort_to_indices, partition, take_record_batch,
};
use arrow::datatypes::{DataType, Int64Type};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

use super::super::RowSource;
use crate::{Error, Result, Table};

const BATCH_ROWS: usize = 8192;
/// Bytes of a row besides its values: its place, its series and its time.
const INDEX_BYTES_OF_A_ROW: usize = 24;

/// A sample whose rows are sorted by series and time.
pub struct Sample {
    pub rows: RecordBatch,
    /// Place in `rows` of each row of the file.
    pub places: Vec<u32>,
    /// Series of each place.
    pub series: Vec<u32>,
    /// First place of each series, and then the number of rows.
    pub starts: Vec<u32>,
    /// Times of the places in milliseconds, or whole numbers, if the table has any.
    pub times: Option<Vec<Option<i64>>>,
}

impl Sample {
    /// Reads all rows of a source, which may take `limit` bytes, and sorts them.
    ///
    /// # Errors
    /// The source cannot be read, has no rows, or too many.
    pub fn read(source: &dyn RowSource, table: &Table, limit: usize) -> Result<Sample> {
        let (mut batches, mut bytes) = (Vec::new(), 0);
        for batch in source.read(0, BATCH_ROWS)? {
            let rows = batch?.rows;
            bytes += rows.get_array_memory_size() + rows.num_rows() * INDEX_BYTES_OF_A_ROW;
            if bytes > limit {
                return Err(Error::Usage(format!(
                    "the sample of table {} takes more than {} MiB of memory, in which it is kept to be continued; \
                     take fewer rows of it: whole series, or a shorter time",
                    table.name,
                    limit >> 20
                )));
            }
            batches.push(rows);
        }
        let read = concat_batches(&source.schema(), &batches).map_err(|error| failed(&error))?;
        if read.num_rows() == 0 {
            return Err(Error::Usage(format!(
                "the sample of table {} has no rows, so nothing can be continued",
                table.name
            )));
        }
        Sample::sort(&read, table).map_err(|error| failed(&error))
    }

    fn sort(read: &RecordBatch, table: &Table) -> Result<Sample, ArrowError> {
        let series = table.series_columns();
        let time = table.time_column();
        let numbers = UInt32Array::from_iter_values(0..read.num_rows() as u32);
        let sorted_by = { series.iter().chain(&time) }.map(|index| read.column(*index).clone());
        let sorted_by = sorted_by.chain([Arc::new(numbers) as ArrayRef]);
        let sorted_by: Vec<SortColumn> = sorted_by
            .map(|values| SortColumn {
                values,
                options: None,
            })
            .collect();
        let order = lexsort_to_indices(&sorted_by, None)?;
        let rows = take_record_batch(read, &order)?;
        let mut places = vec![0; read.num_rows()];
        for (place, row) in order.values().iter().enumerate() {
            places[*row as usize] = place as u32;
        }
        let keys: Vec<ArrayRef> = series
            .iter()
            .map(|index| rows.column(*index).clone())
            .collect();
        let ranges = partition(&keys)?.ranges();
        let mut of_place = Vec::with_capacity(rows.num_rows());
        let mut starts = Vec::with_capacity(ranges.len() + 1);
        for (number, range) in ranges.into_iter().enumerate() {
            starts.push(range.start as u32);
            of_place.resize(range.end, number as u32);
        }
        starts.push(rows.num_rows() as u32);
        let times = time.map(|index| whole_numbers(rows.column(index)));
        Ok(Sample {
            times: times.transpose()?,
            rows,
            places,
            series: of_place,
            starts,
        })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// Returns the number of series.
    pub fn series(&self) -> u64 {
        self.starts.len().saturating_sub(1) as u64
    }

    /// Returns the first place of a series, and the number of its rows.
    pub fn extent(&self, series: u32) -> (u32, u32) {
        let start = self.starts[series as usize];
        (start, self.starts[series as usize + 1] - start)
    }

    /// Returns the first and last time of these places, if there is any.
    pub fn first_and_last(&self, places: Range<usize>) -> Option<(i64, i64)> {
        let times = self.times.as_ref()?[places].iter().flatten();
        let first = times.clone().min()?;
        Some((*first, *times.max()?))
    }
}

/// Returns the cells of a column of times or whole numbers.
fn whole_numbers(column: &ArrayRef) -> Result<Vec<Option<i64>>, ArrowError> {
    let numbers = cast(column, &DataType::Int64)?;
    Ok(numbers.as_primitive::<Int64Type>().iter().collect())
}

fn failed(error: &ArrowError) -> Error {
    Error::Usage(format!(
        "cannot put the rows of the sample in the order of its series and times: {error}"
    ))
}

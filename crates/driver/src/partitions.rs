//! Counts of rows and of operations by partition.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use bakeoff_stats::drive::{KeyShares, PartitionRows};
use bakeoff_workload::{ColumnType, RowValues, Value, Version};
use xxhash_rust::xxh3::xxh3_64;

use crate::DesignError;

/// Largest number of partitions that are counted one by one. Of more, those of a part of all keys are, so
/// that the memory is bounded.
const MOST_COUNTED: usize = 1 << 20;

/// What says which rows are in one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionKey {
    /// Columns of the workload's table, by place and type.
    pub columns: Vec<(usize, ColumnType)>,
    /// A bucket beside them, if the design has one.
    pub bucket: Option<KeyBucket>,
    /// The key in words, such as `sensor, floor(time / 86400000)`.
    pub words: String,
}

/// Bucket of a partition key: the value of a column divided by a width, rounded down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyBucket {
    /// Column of numbers or times, by place and type.
    pub column: (usize, ColumnType),
    /// Width in units of the column, which are milliseconds for timestamps; above 0.
    pub width: i64,
}

/// Counts by partition.
///
/// A partition is known by a hash of 64 bits. Where there are too many, only those remain whose hash ends
/// in some zeros, which is a random part of all keys that does not depend on how often they occur; then the
/// most frequent key may be missed.
pub struct PartitionCounter {
    key: PartitionKey,
    counts: HashMap<u64, u64>,
    /// Largest number of counts.
    limit: usize,
    /// Number of partitions of which one is counted, a power of two.
    one_in: u64,
}

impl PartitionCounter {
    pub fn new(key: PartitionKey) -> Self {
        PartitionCounter::with_limit(key, MOST_COUNTED)
    }

    fn with_limit(key: PartitionKey, limit: usize) -> Self {
        PartitionCounter {
            key,
            counts: HashMap::new(),
            limit,
            one_in: 1,
        }
    }

    /// Returns what says which rows are in one partition.
    pub fn key(&self) -> &PartitionKey {
        &self.key
    }

    /// Counts rows with all columns of the workload's table.
    ///
    /// # Errors
    /// If the columns are not those of the key.
    pub fn add(&mut self, rows: &RecordBatch) -> Result<(), DesignError> {
        let columns = self.key_columns(|(place, _)| {
            let column = rows.columns().get(place).cloned();
            column.ok_or_else(|| DesignError(format!("there is no column {place}")))
        })?;
        self.add_columns(columns)
    }

    /// Counts rows by their numbers.
    ///
    /// # Errors
    /// Fails for nothing that values of the table can cause.
    pub fn add_rows(&mut self, values: &dyn RowValues, rows: &[u64]) -> Result<(), DesignError> {
        let columns = self.key_columns(|(place, kind)| {
            let of_row = |row: &u64| values.value(place, *row, Version::First);
            let all: Vec<Value> = rows.iter().map(of_row).collect();
            Ok(Value::array(kind, all.iter()))
        })?;
        self.add_columns(columns)
    }

    /// Returns the arrays of the key, whose columns `array` makes.
    fn key_columns(
        &self,
        array: impl Fn((usize, ColumnType)) -> Result<ArrayRef, DesignError>,
    ) -> Result<Vec<ArrayRef>, DesignError> {
        let mut columns = Vec::new();
        for column in &self.key.columns {
            columns.push(array(*column)?);
        }
        if let Some(bucket) = self.key.bucket {
            let numbers = cast(&array(bucket.column)?, &DataType::Int64).map_err(failed)?;
            let numbers = numbers.as_primitive::<Int64Type>();
            let buckets: Int64Array = numbers.unary(|number| number.div_euclid(bucket.width));
            columns.push(Arc::new(buckets));
        }
        Ok(columns)
    }

    fn add_columns(&mut self, columns: Vec<ArrayRef>) -> Result<(), DesignError> {
        let fields = columns
            .iter()
            .map(|c| SortField::new(c.data_type().clone()));
        let converter = RowConverter::new(fields.collect()).map_err(failed)?;
        let keys = converter.convert_columns(&columns).map_err(failed)?;
        for key in &keys {
            let hash = xxh3_64(key.as_ref());
            if hash.is_multiple_of(self.one_in) {
                *self.counts.entry(hash).or_default() += 1;
                self.keep_within_limit();
            }
        }
        Ok(())
    }

    fn keep_within_limit(&mut self) {
        while self.counts.len() > self.limit {
            self.one_in *= 2;
            let one_in = self.one_in;
            self.counts.retain(|hash, _| hash.is_multiple_of(one_in));
        }
    }

    /// Returns what was counted; `None` if there were no rows.
    pub fn rows(&self) -> Option<PartitionRows> {
        let counts: Vec<u64> = self.counts.values().copied().collect();
        PartitionRows::of(&counts, self.one_in)
    }

    /// Returns how unevenly what was counted is distributed over the keys.
    pub fn shares(&self) -> Option<KeyShares> {
        let counts: Vec<u64> = self.counts.values().copied().collect();
        KeyShares::of(&counts)
    }
}

fn failed(error: arrow::error::ArrowError) -> DesignError {
    DesignError(format!("counting rows by partition failed: {error}"))
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, StringArray, TimestampMillisecondArray};
    use arrow::datatypes::{Field, Schema, TimeUnit};

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn key(bucket: Option<i64>) -> PartitionKey {
        PartitionKey {
            columns: vec![(0, ColumnType::Text)],
            bucket: bucket.map(|width| KeyBucket {
                column: (1, ColumnType::Timestamp),
                width,
            }),
            words: "sensor".to_owned(),
        }
    }

    /// Rows of sensors by turns, a row each half an hour, from an hour before 1970 on.
    fn rows(sensors: usize, number: usize) -> RecordBatch {
        let schema = Schema::new(vec![
            Field::new("sensor", DataType::Utf8, true),
            Field::new(
                "time",
                DataType::Timestamp(TimeUnit::Millisecond, None),
                true,
            ),
            Field::new("value", DataType::Int32, true),
        ]);
        let names: Vec<String> = (0..number).map(|n| format!("s{}", n % sensors)).collect();
        let time = |n: usize| (n / sensors) as i64 * HOUR / 2 - HOUR;
        let times: Vec<i64> = (0..number).map(time).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(names)),
            Arc::new(TimestampMillisecondArray::from(times)),
            Arc::new(Int32Array::from(vec![1; number])),
        ];
        RecordBatch::try_new(Arc::new(schema), columns).unwrap()
    }

    #[test]
    fn rows_are_counted_by_key_over_all_slices() {
        let mut counter = PartitionCounter::new(key(None));
        counter.add(&rows(3, 30)).unwrap();
        counter.add(&rows(2, 10)).unwrap();
        let counted = counter.rows().unwrap();
        assert_eq!((counted.partitions, counted.one_in), (3, 1));
        assert_eq!((counted.p50, counted.max), (15, 15));
        assert_eq!(counted.shares.counted, 40);
    }

    #[test]
    fn a_bucket_divides_a_partition_also_before_1970() {
        // Two sensors for four hours, two rows of each in an hour.
        let mut counter = PartitionCounter::new(key(Some(HOUR)));
        counter.add(&rows(2, 16)).unwrap();
        let counted = counter.rows().unwrap();
        assert_eq!((counted.partitions, counted.p50, counted.max), (8, 2, 2));
    }

    #[test]
    fn too_many_partitions_are_sampled_and_each_of_those_is_whole() {
        let mut counter = PartitionCounter::with_limit(key(None), 100);
        for _ in 0..3 {
            counter.add(&rows(2_000, 2_000)).unwrap();
        }
        let counted = counter.rows().unwrap();
        assert!(counted.one_in >= 16, "{counted:?}");
        assert!(counter.counts.len() <= 100);
        assert_eq!((counted.p50, counted.max), (3, 3));
        let share = counted.partitions as f64 / 2_000.0;
        assert!((0.5..2.0).contains(&share), "{counted:?}");
    }

    #[test]
    fn a_key_of_other_columns_is_an_error() {
        let missing = PartitionKey {
            columns: vec![(7, ColumnType::Text)],
            bucket: None,
            words: "none".to_owned(),
        };
        let error = PartitionCounter::new(missing).add(&rows(1, 1)).unwrap_err();
        assert!(error.0.contains("no column 7"), "{error}");
    }
}

//! An oracle in memory, and rows made up on the spot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{DesignError, Expected, Oracle};
use bakeoff_workload::source::RowBatches;
use bakeoff_workload::{DuplicateKeys, Error, Result, RowBatch, RowSource};

use super::fake::answer_to;

#[derive(Default)]
pub struct FakeOracle {
    rows: u64,
    overwritten: u64,
    /// Rows that a query with a WHERE clause selects; `None` if they cannot be counted.
    pub selected: Option<u64>,
    /// Number of columns that a query without a condition reads.
    pub columns: Option<u32>,
    /// Whether it computes no more answers.
    pub is_gone: Arc<AtomicBool>,
}

#[async_trait]
impl Oracle for FakeOracle {
    async fn prepare(
        &mut self,
        rows: u64,
        duplicates: Arc<DuplicateKeys>,
    ) -> Result<(), DesignError> {
        (self.rows, self.overwritten) = (rows, duplicates.count());
        Ok(())
    }

    fn over(&self, _: Arc<dyn RowSource>) -> Box<dyn Oracle> {
        Box::new(FakeOracle::default())
    }

    async fn count_selected(&self, queries: &[String]) -> Result<Vec<Option<u64>>, DesignError> {
        let count = |sql: &String| self.selected.filter(|_| sql.contains("WHERE"));
        Ok(queries.iter().map(count).collect())
    }

    async fn columns_read(&self, queries: &[String]) -> Result<Vec<Option<u32>>, DesignError> {
        let count = |sql: &String| self.columns.filter(|_| !sql.contains("WHERE"));
        Ok(queries.iter().map(count).collect())
    }

    async fn distinct_values(&self, columns: &[String]) -> Result<Vec<Option<u64>>, DesignError> {
        Ok(vec![self.selected; columns.len()])
    }

    async fn answer(&self, sql: &str, keeps_duplicates: bool) -> Result<Expected, DesignError> {
        if self.is_gone.load(Ordering::Relaxed) {
            return Err(DesignError::new("no memory is left"));
        }
        let overwritten = if keeps_duplicates {
            0
        } else {
            self.overwritten
        };
        let batches = vec![answer_to(sql, self.rows - overwritten)];
        Ok(Expected {
            batches,
            order_by: Vec::new(),
            beyond: None,
            ..Expected::default()
        })
    }
}

/// Rows of sensors at times 0, 1, 2, ...
#[derive(Clone)]
pub struct Rows {
    pub schema: SchemaRef,
    pub end: u64,
    /// Reading this row fails.
    pub broken: Option<u64>,
    /// Sensors that are read at each time.
    pub sensors: u64,
    /// Times start anew after so many rows.
    pub repeat_after: Option<u64>,
}

impl RowSource for Rows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn count_rows(&self, most: u64) -> Result<Option<u64>> {
        Ok(Some(self.end.min(most)))
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let source = self.clone();
        let starts = (from..self.end).step_by(batch_rows);
        Ok(Box::new(starts.map(move |first_row| {
            let end = source.end.min(first_row + batch_rows as u64);
            if source
                .broken
                .is_some_and(|row| (first_row..end).contains(&row))
            {
                return Err(Error::Usage("a broken row".to_owned()));
            }
            Ok(RowBatch {
                first_row,
                rows: source.batch(first_row, end),
            })
        })))
    }

    fn may_repeat_keys(&self) -> bool {
        self.repeat_after.is_some()
    }
}

impl Rows {
    fn batch(&self, first_row: u64, end: u64) -> RecordBatch {
        let rows = first_row..end;
        let time = |row| (row % self.repeat_after.unwrap_or(u64::MAX) / self.sensors) as i64;
        let sensor = |row| 10 + (row % self.sensors) as i32;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from_iter_values(rows.clone().map(sensor))),
            Arc::new(Int64Array::from_iter_values(rows.clone().map(time))),
            Arc::new(Float64Array::from_iter_values(rows.map(|row| row as f64))),
        ];
        RecordBatch::try_new(self.schema.clone(), columns).unwrap()
    }
}

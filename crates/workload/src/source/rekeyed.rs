//! Gives a generator's table another key.

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use super::{RowBatch, RowBatches, RowSource};
use crate::{Error, Result, Table};

/// Rows of `inner` with the schema of a table that has the same columns and another key.
pub struct Rekeyed {
    inner: Box<dyn RowSource>,
    schema: SchemaRef,
    may_repeat_keys: bool,
}

impl Rekeyed {
    /// Gives `inner` the key of `table`; `own` is the table that it was made for.
    pub fn new(inner: Box<dyn RowSource>, own: &Table, table: &Table) -> Self {
        let keeps_own_key = own.key().all(|column| table.is_key(column));
        Rekeyed {
            may_repeat_keys: inner.may_repeat_keys() || !keeps_own_key,
            schema: table.schema(),
            inner,
        }
    }
}

impl RowSource for Rekeyed {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        self.inner.known_rows()
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let schema = self.schema.clone();
        Ok(Box::new(self.inner.read(from, batch_rows)?.map(
            move |batch| {
                let RowBatch { first_row, rows } = batch?;
                let rows = RecordBatch::try_new(schema.clone(), rows.columns().to_vec()).map_err(
                    |error| Error::Usage(format!("the table's key does not work: {error}")),
                )?;
                Ok(RowBatch { first_row, rows })
            },
        )))
    }

    fn may_repeat_keys(&self) -> bool {
        self.may_repeat_keys
    }

    fn seeks(&self) -> bool {
        self.inner.seeks()
    }

    fn in_order_of_time_beyond(&self) -> Option<u64> {
        self.inner.in_order_of_time_beyond()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sensor;
    use super::*;

    #[test]
    fn a_key_that_loses_a_column_may_repeat() {
        let rekeyed = |partition: &[&str], order: &[&str]| {
            let mut table = sensor::table();
            table.partition_key = partition.iter().map(|s| s.to_string()).collect();
            table.order_key = order.iter().map(|s| s.to_string()).collect();
            let source = Rekeyed::new(
                Box::new(sensor::Sensor::new(1, 5)),
                &sensor::table(),
                &table,
            );
            let batch = source.read(7, 3).unwrap().next().unwrap().unwrap();
            assert_eq!((batch.first_row, batch.rows.schema()), (7, table.schema()));
            source.may_repeat_keys()
        };
        assert!(!rekeyed(&["time"], &["value", "sensor_id"]));
        assert!(rekeyed(&["time"], &["value"]));
    }
}

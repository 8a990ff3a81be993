//! Generator of study S4: sensors with one value per time step.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use super::{RowBatch, RowBatches, RowSource};
use crate::{Column, ColumnType, Error, Result, Stream, Table};

/// Id of the study's only sensor.
const FIRST_SENSOR_ID: u64 = 10;

/// Returns the table sensor(sensor_id int, time bigint, value double) with the key (sensor_id),
/// (time).
pub fn table() -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Table {
        name: "sensor".to_owned(),
        columns: vec![
            column("sensor_id", ColumnType::Int),
            column("time", ColumnType::Bigint),
            column("value", ColumnType::Double),
        ],
        partition_key: vec!["sensor_id".to_owned()],
        order_key: vec!["time".to_owned()],
    }
}

/// Readings of sensors: row *i* is that of sensor *i* mod `sensors` at time *i* / `sensors` + 1, a
/// uniform value in 0..100.
pub struct Sensor {
    seed: u64,
    sensors: u64,
    schema: SchemaRef,
}

impl Sensor {
    pub fn new(seed: u64, sensors: u32) -> Self {
        Sensor {
            seed,
            sensors: u64::from(sensors.max(1)),
            schema: table().schema(),
        }
    }
}

impl RowSource for Sensor {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let (seed, sensors, schema) = (self.seed, self.sensors, self.schema.clone());
        let starts = (from..).step_by(batch_rows.max(1));
        Ok(Box::new(starts.map(move |first_row| {
            let rows = batch(seed, sensors, first_row, batch_rows.max(1), &schema)?;
            Ok(RowBatch { first_row, rows })
        })))
    }

    fn may_repeat_keys(&self) -> bool {
        false
    }

    fn turn(&self) -> Option<u64> {
        Some(self.sensors)
    }
}

fn batch(
    seed: u64,
    sensors: u64,
    first_row: u64,
    batch_rows: usize,
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let rows = || first_row..first_row + batch_rows as u64;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from_iter_values(
            rows().map(|i| (FIRST_SENSOR_ID + i % sensors) as i32),
        )),
        Arc::new(Int64Array::from_iter_values(
            rows().map(|i| (i / sensors + 1) as i64),
        )),
        Arc::new(Float64Array::from_iter_values(
            rows().map(|i| Stream::new(&[seed, i]).unit() * 100.0),
        )),
    ];
    RecordBatch::try_new(schema.clone(), columns)
        .map_err(|error| Error::Usage(format!("cannot build sensor rows: {error}")))
}

#[cfg(test)]
mod tests {
    use arrow::compute::concat_batches;

    use super::*;

    fn rows(sensors: u32, from: u64, batch_rows: usize, batches: usize) -> RecordBatch {
        let source = Sensor::new(1, sensors);
        let batches: Vec<_> = source
            .read(from, batch_rows)
            .unwrap()
            .take(batches)
            .map(|batch| batch.unwrap().rows)
            .collect();
        concat_batches(&source.schema(), &batches).unwrap()
    }

    #[test]
    fn rows_do_not_depend_on_batches_or_on_where_reading_starts() {
        let whole = rows(3, 0, 100, 1);
        assert_eq!(whole, rows(3, 0, 10, 10));
        assert_eq!(whole.slice(40, 20), rows(3, 40, 20, 1));
    }

    #[test]
    fn one_sensor_is_number_ten_from_time_one_on() {
        let expected: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![10, 10, 10])),
            Arc::new(Int64Array::from(vec![1, 2, 3])),
        ];
        assert_eq!(rows(1, 0, 3, 1).columns()[..2], expected);
    }

    #[test]
    fn sensors_take_turns() {
        let expected: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![10, 11, 10, 11])),
            Arc::new(Int64Array::from(vec![1, 1, 2, 2])),
        ];
        assert_eq!(rows(2, 0, 4, 1).columns()[..2], expected);
    }
}

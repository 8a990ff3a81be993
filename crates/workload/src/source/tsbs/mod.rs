//! Generators in the shape of the Time Series Benchmark Suite (TSBS): monitored hosts (`devops`)
//! and trucks (`iot`), one measurement each. `docs/tsbs-generators.md` shows how close they are.
//!
//! A [`walker`] makes random walks with random access, a [`law`] makes a walk into the values of a
//! metric, a [`measurement`] is a list of metrics, and [`devops`] and [`iot`] are the sources of
//! rows.

mod arrivals;
mod devops;
mod host_metrics;
mod hosts;
mod iot;
mod law;
mod measurement;
mod trucks;
mod walker;

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, TimestampMillisecondArray};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

use self::measurement::Measurement;
use self::walker::Visit;
use super::{RowBatch, RowBatches};
use crate::tsbs::START_MS;
use crate::{Column, ColumnType, Error, Stream, Table, TsbsScale};

pub use devops::{Devops, table as devops_table};
pub use iot::{Iot, table as iot_table};

/// Returns the stream for tags, which is the same for all measurements.
fn tag_stream(seed: u64) -> Stream {
    Stream::new(&[seed, u64::MAX])
}

/// Returns the stream for the values of a measurement.
fn walk_stream(seed: u64, measurement: u64) -> Stream {
    Stream::new(&[seed, measurement])
}

/// Makes a table of time, tags and metrics, partitioned by the tag that names the source, in the
/// order of time.
fn table_of(
    name: &str,
    tags: impl Iterator<Item = (&'static str, ColumnType)>,
    metrics: &Measurement,
    source: &str,
) -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    let mut columns = vec![column("time", ColumnType::Timestamp)];
    columns.extend(tags.map(|(tag, kind)| column(tag, kind)));
    columns.extend(metrics.columns());
    Table {
        name: name.to_owned(),
        columns,
        partition_key: vec![source.to_owned()],
        order_key: vec!["time".to_owned()],
    }
}

/// Returns these rows in batches, made of the columns for a range of them.
fn batches(
    schema: SchemaRef,
    mut rows: Range<u64>,
    batch_rows: usize,
    mut columns: impl FnMut(Range<u64>) -> Result<Vec<ArrayRef>, ArrowError> + Send + 'static,
) -> RowBatches {
    let batch_rows = batch_rows.max(1) as u64;
    Box::new(std::iter::from_fn(move || {
        let first_row = rows.start;
        if first_row >= rows.end {
            return None;
        }
        rows.start = first_row.saturating_add(batch_rows).min(rows.end);
        let made = columns(first_row..rows.start)
            .and_then(|columns| RecordBatch::try_new(schema.clone(), columns));
        let batch = made.map(|rows| RowBatch { first_row, rows });
        Some(batch.map_err(unbuildable))
    }))
}

fn unbuildable(error: ArrowError) -> Error {
    Error::Usage(format!("cannot build rows of the generator: {error}"))
}

fn times(visits: &[Visit], scale: &TsbsScale) -> ArrayRef {
    let interval_ms = i64::from(scale.interval_ms);
    let times = visits
        .iter()
        .map(|visit| START_MS + visit.tick as i64 * interval_ms);
    Arc::new(TimestampMillisecondArray::from_iter_values(times))
}

fn doubles(values: Vec<f64>) -> ArrayRef {
    Arc::new(Float64Array::from(values))
}

#[cfg(test)]
mod pinned;
#[cfg(test)]
mod starts;
#[cfg(test)]
mod tests;

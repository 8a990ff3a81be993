//! The layout `series`, with a partition for each key, metric and day and a row for each value: the
//! model in which the Time Series Benchmark Suite keeps metrics in Cassandra.
//!
//! `measurements(series_id text, timestamp_ns bigint, value double)` holds the values, where a series
//! is `key#metric#day`. A second table, the index, has one row for each key with its tags and its
//! days: a reader finds in it the series that a query needs, and DataFusion does the rest.
//!
//! A null is a row without a value, so that all series of a key and day have the same times, and the
//! number of rows can be read from any of them.

mod definition;
mod describe;
mod design;
mod index;
mod inserts;
mod load;
mod read;
mod scan;
mod table;

use super::request::DesignRequest;
use crate::EngineError;
use definition::SeriesLayout;
pub use definition::{LAYOUT, LAYOUT_4};
pub use describe::describe;
pub use design::SeriesDesign;

/// Lays out the tables that a design asks for.
///
/// # Errors
/// Fails if a setting makes no sense, or the workload's table cannot be kept as series.
fn series_layout(request: &DesignRequest<'_>) -> Result<SeriesLayout, EngineError> {
    let table = &request.workload.table;
    SeriesLayout::new(request.id, table, request.context.keys_repeat)
}

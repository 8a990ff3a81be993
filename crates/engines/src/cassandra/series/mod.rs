//! A partition for each key, metric and day, and a row for each value: the model in which the Time
//! Series Benchmark Suite keeps metrics in Cassandra.
//!
//! `measurements(series_id text, timestamp_ns bigint, value double)` holds the values, a series
//! being `key#metric#day`. A second table has one row for each key with its tags and its days: with
//! it a reader finds the series that a query needs, and DataFusion does all else.
//!
//! A null is a row without a value, so that all series of a key and day have the same times, and
//! any of them tells how many rows there are.

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
pub use definition::LAYOUT;
use definition::SeriesLayout;
pub use describe::describe;
pub use design::SeriesDesign;

/// The tables that a design asks for.
///
/// # Errors
/// If a setting makes no sense, or the workload's table does not fit.
fn series_layout(request: &DesignRequest<'_>) -> Result<SeriesLayout, EngineError> {
    let table = &request.workload.table;
    SeriesLayout::new(request.id, table, request.context.keys_repeat)
}

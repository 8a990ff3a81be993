//! The rows of a summary table that a slice of rows adds.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, TimestampMillisecondArray};
use arrow::datatypes::{Field, Float32Type, Float64Type, Schema};
use arrow::record_batch::RecordBatch;
use bakeoff_driver::DesignError;
use bakeoff_workload::{ColumnType, Table};
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use futures::future::BoxFuture;

use crate::cassandra::rows::summary::{SLICE_TABLE, START, Summary};
use crate::integers::integers;
use crate::sql::session_with;

/// Aggregates a slice of rows by partition key and interval.
///
/// # Errors
/// Fails for a value of the order key that is too near to the least one to have an interval, and for NaN, since the
/// least or greatest value of numbers with NaN depends on the order in which DataFusion compares them.
pub async fn of_slice(
    summary: &Summary,
    table: &Table,
    slice: u64,
    rows: &RecordBatch,
) -> Result<Vec<RecordBatch>, DesignError> {
    check_numbers(summary, rows)?;
    let rows = with_start(summary, rows)?;
    let aggregated = aggregated(rows, summary.sql(table, slice)).await;
    aggregated.map_err(|error| failed(&error))
}

/// Runs SQL over rows. It is boxed, so that the compiler does not walk through DataFusion's types for each caller.
fn aggregated(
    rows: RecordBatch,
    sql: String,
) -> BoxFuture<'static, Result<Vec<RecordBatch>, DataFusionError>> {
    Box::pin(async move {
        let source = MemTable::try_new(rows.schema(), vec![vec![rows]])?;
        let session = session_with(1, SLICE_TABLE, Arc::new(source))?;
        session.sql(&sql).await?.collect().await
    })
}

fn check_numbers(summary: &Summary, rows: &RecordBatch) -> Result<(), DesignError> {
    for number in &summary.numbers {
        let column = rows.column_by_name(&number.name);
        let floats = column.and_then(|column| column.as_primitive_opt::<Float32Type>());
        let doubles = column.and_then(|column| column.as_primitive_opt::<Float64Type>());
        let has_nan = floats.is_some_and(|floats| floats.iter().flatten().any(f32::is_nan))
            || doubles.is_some_and(|doubles| doubles.iter().flatten().any(f64::is_nan));
        if has_nan {
            return Err(failed(&format!(
                "column `{}` holds NaN, of which no least and greatest value can be told: leave summary= out",
                number.name
            )));
        }
    }
    Ok(())
}

/// Adds the start of its interval to each row.
fn with_start(summary: &Summary, rows: &RecordBatch) -> Result<RecordBatch, DesignError> {
    let (name, width) = (&summary.time.name, summary.width);
    let times = rows
        .column_by_name(name)
        .ok_or_else(|| failed(&format!("the rows have no column `{name}`")))?;
    let start = |time: i64| {
        let start = time.div_euclid(width).checked_mul(width);
        start.ok_or_else(|| failed(&format!("{time} in `{name}` has no interval")))
    };
    let starts: Vec<i64> = { integers(times).into_iter() }
        .map(start)
        .collect::<Result<_, DesignError>>()?;
    let starts: ArrayRef = match summary.time.kind {
        ColumnType::Timestamp => Arc::new(TimestampMillisecondArray::from(starts)),
        _ => Arc::new(Int64Array::from(starts)),
    };
    let mut fields: Vec<Arc<Field>> = rows.schema().fields().iter().cloned().collect();
    fields.push(Arc::new(Field::new(
        START,
        starts.data_type().clone(),
        false,
    )));
    let mut columns = rows.columns().to_vec();
    columns.push(starts);
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(|error| failed(&error))
}

fn failed(why: &dyn std::fmt::Display) -> DesignError {
    DesignError(format!(
        "aggregating rows for the summary table failed: {why}"
    ))
}

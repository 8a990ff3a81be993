//! Loading of a slice: metric by metric into the table of values, then its keys into the index.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, StringArray};
use arrow::datatypes::TimestampMillisecondType;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::DesignError;
use bakeoff_driver::drive::Failure;
use bakeoff_stats::FailureKind;
use futures::TryStreamExt;
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;
use scylla::value::{CqlValue, MaybeUnset};

use super::definition::{SERIES_COLUMN, SeriesLayout, TIME_COLUMN, VALUE_COLUMN, series_id};
use super::index::{Entry, Index, NANOSECONDS_PER_MILLISECOND, day_of};
use crate::cassandra::cluster::failures::failure;
use crate::cassandra::write::batches::{self, IN_FLIGHT};
use crate::rate_limit::Pace;

/// The prepared statements that load rows.
#[derive(Clone)]
pub struct Prepared {
    pub insert: PreparedStatement,
    pub update_index: PreparedStatement,
}

/// Writes all values of a slice, then the index of its keys.
pub async fn write(
    session: &Session,
    prepared: &Prepared,
    layout: &SeriesLayout,
    rows: &RecordBatch,
    index: &Index,
    pace: Pace<'_>,
) -> Result<(), DesignError> {
    let mut written = write_values(session, prepared, layout, rows, pace).await;
    if written.is_ok() {
        written = write_index(session, prepared, index, pace).await;
    }
    written.map_err(|failure| DesignError(failure.message))
}

/// Writes the values of all metrics.
pub async fn write_values(
    session: &Session,
    prepared: &Prepared,
    layout: &SeriesLayout,
    rows: &RecordBatch,
    pace: Pace<'_>,
) -> Result<(), Failure> {
    let pace = pace.of_parts(layout.metrics.len());
    for metric in &layout.metrics {
        let values = metric_values(layout, rows, metric);
        let values = values.map_err(|e| Failure::new(FailureKind::Rejected, e.0))?;
        batches::insert_all(session, &prepared.insert, &layout.values, &values, pace).await?;
    }
    Ok(())
}

/// Writes the values of all metrics, one metric after the other, in batches of values of any partitions.
pub async fn write_values_over_any(
    session: &Session,
    prepared: &Prepared,
    layout: &SeriesLayout,
    rows: &RecordBatch,
) -> Result<(), Failure> {
    for metric in &layout.metrics {
        let values = metric_values(layout, rows, metric);
        let values = values.map_err(|e| Failure::new(FailureKind::Rejected, e.0))?;
        let values_layout = &layout.values;
        batches::insert_over_any(session, &prepared.insert, values_layout, &values).await?;
    }
    Ok(())
}

/// Writes the keys of an index with their tags and days.
pub async fn write_index(
    session: &Session,
    prepared: &Prepared,
    index: &Index,
    pace: Pace<'_>,
) -> Result<(), Failure> {
    let entries = index.entries.iter();
    let entries = entries.map(|(key, entry)| Ok(entry_values(key, entry)));
    futures::stream::iter(entries)
        .try_for_each_concurrent(IN_FLIGHT, |values| async move {
            pace.wait(1).await;
            let done = session.execute_unpaged(&prepared.update_index, values);
            let done = done.await.map(drop);
            done.map_err(|e| failure("writing to Cassandra failed", &e))
        })
        .await
}

/// Returns the values of [`SeriesLayout::update_index`] for one key.
fn entry_values(key: &str, entry: &Entry) -> Vec<MaybeUnset<CqlValue>> {
    let mut values = Vec::with_capacity(entry.tags.len() + 2);
    for tag in &entry.tags {
        values.push(match tag {
            Some(tag) => MaybeUnset::Set(CqlValue::Text(tag.clone())),
            None => MaybeUnset::Unset,
        });
    }
    let days = entry.days.iter().map(|day| CqlValue::BigInt(*day));
    values.push(MaybeUnset::Set(CqlValue::Set(days.collect())));
    values.push(MaybeUnset::Set(CqlValue::Text(key.to_owned())));
    values
}

/// Converts a metric of rows to rows of the table of values.
fn metric_values(
    layout: &SeriesLayout,
    rows: &RecordBatch,
    metric: &str,
) -> Result<RecordBatch, DesignError> {
    let column = |name: &str| {
        rows.column_by_name(name)
            .ok_or_else(|| DesignError(format!("the rows have no column `{name}`")))
    };
    let keys = column(&layout.key)?.as_string::<i32>();
    let times = column(&layout.time)?.as_primitive::<TimestampMillisecondType>();
    let milliseconds = times.values().iter();
    let nanoseconds: Option<Int64Array> = milliseconds
        .map(|ms| ms.checked_mul(NANOSECONDS_PER_MILLISECOND).map(Some))
        .collect();
    let nanoseconds = nanoseconds.ok_or_else(|| {
        let message = "there are times after the year 2262 or before 1677, which do not fit into \
                       the nanoseconds of series: use another layout for this table";
        DesignError(message.to_owned())
    })?;
    let ids = (0..rows.num_rows())
        .map(|row| series_id(keys.value(row), metric, day_of(times.value(row))));
    let columns: [(&str, ArrayRef); 3] = [
        (SERIES_COLUMN, Arc::new(StringArray::from_iter_values(ids))),
        (TIME_COLUMN, Arc::new(nanoseconds)),
        (VALUE_COLUMN, column(metric)?.clone()),
    ];
    RecordBatch::try_from_iter(columns)
        .map_err(|e| DesignError(format!("making rows of a series failed: {e}")))
}

//! Reading of the series that a query needs, for each key and day side by side.

use std::fmt::{self, Debug, Formatter};
use std::iter::repeat_n;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, Int64Array, RecordBatchOptions, StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::{Int64Type, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::error::{DataFusionError, Result};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;

use super::definition::series_id;
use super::index::NANOSECONDS_PER_MILLISECOND;
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::key_value::KeyValue;
use crate::cassandra::read::reader::pages;
use crate::cassandra::read::request::Request;

/// Number of series that a partition of a scan reads at the same time, unless two keys and days have
/// more.
const SERIES_AT_ONCE: usize = 32;

/// A key on a day.
#[derive(Debug, Clone)]
pub struct Unit {
    pub key: Arc<str>,
    pub tags: Arc<[Option<String>]>,
    pub day: i64,
}

/// The source of a column that a query wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Key,
    Time,
    Tag(usize),
    /// Takes the values of the metric with this number among those that are read.
    Metric(usize),
}

/// The part of every key and day that a query reads.
#[derive(Clone)]
pub struct Reading {
    pub session: Arc<Session>,
    /// Statement that reads one series, whose values are its name and `range`.
    pub statement: PreparedStatement,
    pub decoder: Arc<Decoder>,
    /// Names of the metrics that are read, at least one.
    pub metrics: Vec<String>,
    /// Values of the restrictions of the time.
    pub range: Vec<KeyValue>,
    /// Sources of the output columns, in order.
    pub outputs: Vec<Output>,
    pub schema: SchemaRef,
}

impl Debug for Reading {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Reading({:?})", self.metrics)
    }
}

impl Reading {
    /// Returns the same reading with another statement, which binds the same values.
    pub fn with_statement(&self, statement: PreparedStatement) -> Reading {
        Reading {
            statement,
            ..self.clone()
        }
    }

    /// Reads the rows of keys and days, in any order.
    pub fn units(
        self: Arc<Self>,
        units: Vec<Unit>,
    ) -> impl futures::Stream<Item = Result<RecordBatch>> {
        let at_once = (SERIES_AT_ONCE / self.metrics.len().max(1)).max(2);
        futures::stream::iter(units)
            .map(move |unit| self.clone().unit(unit).boxed())
            .flatten_unordered(at_once)
    }

    fn unit(self: Arc<Self>, unit: Unit) -> impl futures::Stream<Item = Result<RecordBatch>> {
        let series = self.metrics.iter().map(|metric| {
            let id = KeyValue::Text(series_id(&unit.key, metric, unit.day));
            let request = Request::new([id].into_iter().chain(self.range.clone()).collect());
            let (session, statement) = (self.session.clone(), self.statement.clone());
            Series {
                pages: pages(session, statement, self.decoder.clone(), request).boxed(),
                rows: None,
            }
        });
        let side_by_side = SideBySide(series.collect());
        let parts = futures::stream::try_unfold(side_by_side, |mut series| async move {
            Ok(series.next().await?.map(|part| (part, series)))
        });
        parts.and_then(move |part| std::future::ready(self.rows(&unit, &part)))
    }

    /// Makes the output columns of rows.
    fn rows(&self, unit: &Unit, part: &[RecordBatch]) -> Result<RecordBatch> {
        let rows = part.first().map_or(0, RecordBatch::num_rows);
        let text = |value: Option<&str>| -> ArrayRef {
            Arc::new(StringArray::from_iter(repeat_n(value, rows)))
        };
        let arrays = self.outputs.iter().map(|output| match output {
            Output::Key => text(Some(&unit.key)),
            Output::Tag(tag) => text(unit.tags[*tag].as_deref()),
            Output::Time => milliseconds(times(&part[0])),
            Output::Metric(metric) => part[*metric].column(1).clone(),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch =
            RecordBatch::try_new_with_options(self.schema.clone(), arrays.collect(), &options)?;
        Ok(batch)
    }
}

fn times(rows: &RecordBatch) -> &Int64Array {
    rows.column(0).as_primitive::<Int64Type>()
}

fn milliseconds(times: &Int64Array) -> ArrayRef {
    let times = times.values().iter();
    let milliseconds = times.map(|ns| ns.div_euclid(NANOSECONDS_PER_MILLISECOND));
    Arc::new(TimestampMillisecondArray::from_iter_values(milliseconds))
}

/// A series that is being read page by page.
struct Series {
    pages: BoxStream<'static, Result<RecordBatch>>,
    /// Times and values that were received but not returned yet.
    rows: Option<RecordBatch>,
}

impl Series {
    async fn fill(&mut self) -> Result<()> {
        while self.rows.as_ref().is_none_or(|rows| rows.num_rows() == 0) {
            self.rows = self.pages.try_next().await?;
            if self.rows.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// All series of a key and day, which have the same times.
struct SideBySide(Vec<Series>);

impl SideBySide {
    /// Returns the next rows as one batch of times and values for each series.
    async fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        futures::future::try_join_all(self.0.iter_mut().map(Series::fill)).await?;
        let heads: Vec<&RecordBatch> = self.0.iter().filter_map(|s| s.rows.as_ref()).collect();
        if heads.is_empty() {
            return Ok(None);
        }
        let rows = heads.iter().map(|rows| rows.num_rows()).min().unwrap_or(0);
        let part: Vec<RecordBatch> = heads.iter().map(|head| head.slice(0, rows)).collect();
        let alike = part.iter().all(|other| times(other) == times(&part[0]));
        if part.len() < self.0.len() || !alike {
            let message = "Cassandra: the series of a key have different times, as when loading \
                           was cut short: load the table again";
            return Err(DataFusionError::External(message.into()));
        }
        for series in &mut self.0 {
            if let Some(head) = &mut series.rows {
                *head = head.slice(rows, head.num_rows() - rows);
            }
        }
        Ok(Some(part))
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::Float64Array;

    use super::*;

    /// Makes a series of pages, whose values are their times plus 0.5.
    fn series(pages: &[&[i64]]) -> Series {
        let page = |times: &&[i64]| {
            let values = times.iter().map(|time| *time as f64 + 0.5);
            let columns: [(&str, ArrayRef); 2] = [
                ("time", Arc::new(Int64Array::from(times.to_vec()))),
                ("value", Arc::new(Float64Array::from_iter_values(values))),
            ];
            Ok(RecordBatch::try_from_iter(columns)?)
        };
        let pages: Vec<Result<RecordBatch>> = pages.iter().map(page).collect();
        Series {
            pages: futures::stream::iter(pages).boxed(),
            rows: None,
        }
    }

    async fn together(series: Vec<Series>) -> Result<Vec<i64>> {
        let (mut side_by_side, mut all) = (SideBySide(series), Vec::new());
        while let Some(part) = side_by_side.next().await? {
            assert!(part.iter().all(|rows| rows.num_rows() > 0));
            all.extend_from_slice(times(&part[0]).values());
        }
        Ok(all)
    }

    #[tokio::test]
    async fn pages_of_different_lengths_are_put_side_by_side() {
        let cut_here = series(&[&[1, 2, 3], &[], &[4, 5]]);
        let cut_there = series(&[&[1], &[2, 3, 4, 5]]);
        assert_eq!(
            together(vec![cut_here, cut_there]).await.unwrap(),
            [1, 2, 3, 4, 5]
        );
        assert_eq!(
            together(vec![series(&[]), series(&[&[]])]).await.unwrap(),
            [0; 0]
        );
    }

    #[tokio::test]
    async fn times_that_differ_are_an_error() {
        for other in [&[1, 3][..], &[1], &[], &[1, 2, 3]] {
            let error = together(vec![series(&[&[1, 2]]), series(&[other])]).await;
            assert!(
                error
                    .unwrap_err()
                    .to_string()
                    .contains("load the table again")
            );
        }
    }
}

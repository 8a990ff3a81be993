//! Series as a DataFusion table: the projection picks the metrics, filters on key and time pick
//! the series and the part of them that is read.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use bakeoff_driver::DesignError;
use datafusion::catalog::{Session as DataFusionSession, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;
use tokio::sync::Mutex;

use super::definition::{SERIES_COLUMN, SeriesLayout, TIME_COLUMN, VALUE_COLUMN};
use super::index::{Entry, Index, NANOSECONDS_OF_A_MILLISECOND, day_of};
use super::read::{Output, Reading, Unit};
use super::scan::SeriesScan;
use crate::cassandra::names::quoted;
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::first_rows::{FirstRows, row_order};
use crate::cassandra::read::key_value::KeyValue;
use crate::cassandra::read::pushdown::Pushdown;
use crate::cassandra::read::ranges::dealt_out;
use crate::cassandra::read::readable::ReadTable;
use crate::cassandra::read::table::CassandraTable;

/// The index of the keys: read when it is first needed, and kept.
pub struct KnownKeys {
    session: Arc<Session>,
    layout: Arc<SeriesLayout>,
    keyspace: String,
    index: Mutex<Option<Index>>,
}

impl KnownKeys {
    pub fn new(session: Arc<Session>, layout: Arc<SeriesLayout>, keyspace: &str) -> Self {
        KnownKeys {
            session,
            layout,
            keyspace: keyspace.to_owned(),
            index: Mutex::default(),
        }
    }

    /// Adds those of rows that are loaded.
    ///
    /// # Errors
    /// If tags differ from those that are known.
    pub async fn add(&self, index: &Index) -> Result<(), DesignError> {
        let mut known = self.index.lock().await;
        self.read(&mut known).await?.add(&self.layout, index)
    }

    pub async fn forget(&self) {
        *self.index.lock().await = None;
    }

    /// What a query reads, key by key and day by day.
    async fn units(&self, pushdown: &Pushdown) -> Result<Vec<Unit>, DesignError> {
        let mut known = self.index.lock().await;
        let index = self.read(&mut known).await?;
        let (low, high) = pushdown.bounds(&self.layout.time);
        let (first, last) = (low.map_or(i64::MIN, day_of), high.map_or(i64::MAX, day_of));
        let of_key = |(key, entry): (&String, &Entry)| {
            let tags: Arc<[Option<String>]> = entry.tags.clone().into();
            let key: Arc<str> = key.as_str().into();
            let unit = move |day: &i64| Unit {
                key: key.clone(),
                tags: tags.clone(),
                day: *day,
            };
            // A range that ends before it begins has no days.
            let days = entry.days.iter();
            let days = days.filter(move |day| (first..=last).contains(*day));
            days.map(unit).collect::<Vec<_>>()
        };
        let wanted = pushdown.partitions.as_ref();
        Ok(match wanted {
            None => index.entries.iter().flat_map(of_key).collect(),
            Some(keys) => { keys.iter().flatten() }
                .filter_map(|key| match key {
                    KeyValue::Text(key) => index.entries.get_key_value(key),
                    _ => None,
                })
                .flat_map(of_key)
                .collect(),
        })
    }

    async fn read<'i>(&self, known: &'i mut Option<Index>) -> Result<&'i mut Index, DesignError> {
        if known.is_none() {
            *known = Some(Index::read(&self.session, &self.layout, &self.keyspace).await?);
        }
        Ok(known.get_or_insert_default())
    }
}

pub struct SeriesTable {
    layout: Arc<SeriesLayout>,
    known: Arc<KnownKeys>,
    session: Arc<Session>,
    /// The rows as a query sees them.
    rows: ReadTable,
    /// The table of the values.
    values: CassandraTable,
    value_decoder: Arc<Decoder>,
}

impl SeriesTable {
    pub fn new(
        session: Arc<Session>,
        layout: Arc<SeriesLayout>,
        keyspace: &str,
        known: Arc<KnownKeys>,
    ) -> Result<Self> {
        let values = ReadTable::of_layout(&layout.values, keyspace.to_owned());
        let read = [TIME_COLUMN, VALUE_COLUMN];
        let place = |name: &&str| values.columns.iter().position(|c| c.name == **name);
        let places: Vec<usize> = read.iter().filter_map(place).collect();
        Ok(SeriesTable {
            value_decoder: Arc::new(Decoder::new(&values, &places)?),
            values: CassandraTable::new(session.clone(), values),
            rows: layout.as_read(keyspace),
            layout,
            known,
            session,
        })
    }

    /// The statement that reads a series as far as the filters leave it, and their values.
    fn select(&self, pushdown: &Pushdown) -> (String, Vec<KeyValue>) {
        let time = quoted(TIME_COLUMN);
        let conditions =
            { pushdown.order.iter() }.map(|(_, operator, _)| format!(" AND {time} {operator} ?"));
        let cql = format!(
            "SELECT {time}, {} FROM {} WHERE {} = ?{}",
            quoted(VALUE_COLUMN),
            self.values.quoted_name(),
            quoted(SERIES_COLUMN),
            conditions.collect::<String>()
        );
        let values = pushdown
            .order
            .iter()
            .map(|(_, _, value)| in_nanoseconds(value));
        (cql, values.collect())
    }

    /// How a statement reads only the newest value of a series.
    async fn newest(
        &self,
        cql: &str,
        projection: &[usize],
    ) -> Option<FirstRows<PreparedStatement>> {
        let newest_first = ReadTable {
            descending: Some(true),
            ..self.rows.clone()
        };
        let order = row_order(&newest_first)?;
        let cql = format!("{cql} ORDER BY {} DESC LIMIT 1", quoted(TIME_COLUMN));
        // Without it all rows are read.
        let statement = self.values.prepare(&cql).await.ok()?;
        Some(FirstRows {
            order,
            projection: projection.to_vec(),
            statement,
        })
    }

    /// What becomes of the columns that a query wants, and the metrics that are read for it.
    fn outputs(&self, projection: &[usize]) -> (Vec<Output>, Vec<String>) {
        let mut metrics: Vec<String> = Vec::new();
        let outputs = projection.iter().map(|column| {
            let name = &self.rows.columns[*column].name;
            let place = |names: &[String]| names.iter().position(|n| n == name);
            if *name == self.layout.time {
                Output::Time
            } else if let Some(tag) = place(&self.layout.tags) {
                Output::Tag(tag)
            } else if *name == self.layout.key {
                Output::Key
            } else {
                metrics.push(name.clone());
                Output::Metric(metrics.len() - 1)
            }
        });
        let outputs = outputs.collect();
        if metrics.is_empty() {
            // Any series tells the times.
            metrics.extend(self.layout.metrics.first().cloned());
        }
        (outputs, metrics)
    }
}

/// Times are milliseconds in the rows and nanoseconds in the values.
fn in_nanoseconds(value: &KeyValue) -> KeyValue {
    match value {
        KeyValue::Bigint(ms) => KeyValue::Bigint(ms.saturating_mul(NANOSECONDS_OF_A_MILLISECOND)),
        other => other.clone(),
    }
}

impl Debug for SeriesTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "SeriesTable({})", self.rows.quoted_name())
    }
}

#[async_trait]
impl TableProvider for SeriesTable {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let answer = |exact| {
            if exact {
                TableProviderFilterPushDown::Exact
            } else {
                TableProviderFilterPushDown::Unsupported
            }
        };
        let pushdown = Pushdown::of_any_partition(&self.rows, filters);
        Ok(pushdown.exact.into_iter().map(answer).collect())
    }

    async fn scan(
        &self,
        state: &dyn DataFusionSession,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.rows.columns.len()).collect();
        let projection = projection.unwrap_or(&all);
        let filters: Vec<&Expr> = filters.iter().collect();
        let pushdown = Pushdown::of_any_partition(&self.rows, &filters);
        if !pushdown.exact.iter().all(|exact| *exact) {
            let message = "a filter was promised that series cannot be restricted by";
            return Err(DataFusionError::External(message.into()));
        }
        let (cql, range) = self.select(&pushdown);
        let (outputs, metrics) = self.outputs(projection);
        let reading = Arc::new(Reading {
            session: self.session.clone(),
            statement: self.values.prepare(&cql).await?,
            decoder: self.value_decoder.clone(),
            metrics,
            range,
            outputs,
            schema: Arc::new(self.schema().project(projection)?),
        });
        let units = self.known.units(&pushdown).await;
        let units = units.map_err(|e| DataFusionError::External(e.0.into()))?;
        let threads = state.config().target_partitions();
        let partitions = dealt_out(units, threads);
        let newest = self.newest(&cql, projection).await;
        Ok(Arc::new(SeriesScan::new(
            reading,
            partitions,
            newest.map(Arc::new),
        )))
    }
}

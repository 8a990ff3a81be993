//! The DataFusion table of series: the projection selects the metrics, and filters on key and time
//! select the series and the range of them that is read.

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
use super::index::{Entry, Index, NANOSECONDS_PER_MILLISECOND, day_of};
use super::read::{Output, Reading, Unit};
use super::scan::SeriesScan;
use crate::cassandra::names::quoted;
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::first_rows::{FirstRows, row_order};
use crate::cassandra::read::key_value::KeyValue;
use crate::cassandra::read::pushdown::Pushdown;
use crate::cassandra::read::ranges::split_round_robin;
use crate::cassandra::read::readable::ReadTable;
use crate::cassandra::read::table::CassandraTable;

/// The cached index of the keys, which is read when it is first needed.
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

    /// Adds the keys of rows that are being loaded.
    ///
    /// # Errors
    /// Fails if tags differ from the known ones.
    pub async fn add(&self, index: &Index) -> Result<(), DesignError> {
        let mut known = self.index.lock().await;
        self.read(&mut known).await?.add(&self.layout, index)
    }

    /// Clears the cache, so that the next use reads the table again.
    pub async fn forget(&self) {
        *self.index.lock().await = None;
    }

    /// Lists the keys and days that a query reads.
    async fn units(&self, pushdown: &Pushdown) -> Result<Vec<Unit>, DesignError> {
        let mut known = self.index.lock().await;
        let index = self.read(&mut known).await?;
        let (low, high) = pushdown.bounds(&self.layout.time);
        let (first, last) = (low.map_or(i64::MIN, day_of), high.map_or(i64::MAX, day_of));
        let mut units = Vec::new();
        match &pushdown.partitions {
            None => {
                for (key, entry) in &index.entries {
                    units.extend(units_of_key(key, entry, first, last));
                }
            }
            Some(keys) => {
                for key in keys.iter().flatten() {
                    if let KeyValue::Text(key) = key
                        && let Some(entry) = index.entries.get(key)
                    {
                        units.extend(units_of_key(key, entry, first, last));
                    }
                }
            }
        }
        Ok(units)
    }

    async fn read<'i>(&self, known: &'i mut Option<Index>) -> Result<&'i mut Index, DesignError> {
        if known.is_none() {
            *known = Some(Index::read(&self.session, &self.layout, &self.keyspace).await?);
        }
        Ok(known.get_or_insert_default())
    }
}

/// Lists the days of a key within a range, which is empty if it ends before it begins.
fn units_of_key(key: &str, entry: &Entry, first: i64, last: i64) -> Vec<Unit> {
    let tags: Arc<[Option<String>]> = entry.tags.clone().into();
    let key: Arc<str> = key.into();
    let days = entry.days.iter();
    days.filter(|day| (first..=last).contains(*day))
        .map(|day| Unit {
            key: key.clone(),
            tags: tags.clone(),
            day: *day,
        })
        .collect()
}

/// A table of series for DataFusion.
pub struct SeriesTable {
    layout: Arc<SeriesLayout>,
    known: Arc<KnownKeys>,
    session: Arc<Session>,
    /// Workload's table as a query sees it.
    rows: ReadTable,
    /// Table of the values.
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
        let values = ReadTable::from_layout(&layout.values, keyspace.to_owned());
        let number = |name: &str| values.columns.iter().position(|c| c.name == name);
        let columns = [TIME_COLUMN, VALUE_COLUMN].into_iter();
        let projection: Vec<usize> = columns.filter_map(number).collect();
        Ok(SeriesTable {
            value_decoder: Arc::new(Decoder::new(&values, &projection)?),
            values: CassandraTable::new(session.clone(), values),
            rows: layout.read_table(keyspace),
            layout,
            known,
            session,
        })
    }

    /// Returns the statement that reads a series within the pushed restrictions, and their values.
    fn select(&self, pushdown: &Pushdown) -> (String, Vec<KeyValue>) {
        let time = quoted(TIME_COLUMN);
        let order = pushdown.conditions.iter();
        let conditions = order.map(|(_, operator, _)| format!(" AND {time} {operator} ?"));
        let cql = format!(
            "SELECT {time}, {} FROM {} WHERE {} = ?{}",
            quoted(VALUE_COLUMN),
            self.values.quoted_name(),
            quoted(SERIES_COLUMN),
            conditions.collect::<String>()
        );
        let values = pushdown
            .conditions
            .iter()
            .map(|(_, _, value)| in_nanoseconds(value));
        (cql, values.collect())
    }

    /// Prepares the variant of a statement that reads only the newest value of a series.
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
        // It is an optimization: if it fails, all rows are read.
        let statement = self.values.prepare(&cql).await.ok()?;
        Some(FirstRows {
            order,
            projection: projection.to_vec(),
            statement,
        })
    }

    /// Returns the sources of the columns that a query wants, and the metrics that it has to read.
    fn outputs(&self, projection: &[usize]) -> (Vec<Output>, Vec<String>) {
        let mut metrics: Vec<String> = Vec::new();
        let outputs = projection.iter().map(|column| {
            let name = &self.rows.columns[*column].name;
            if *name == self.layout.time {
                Output::Time
            } else if let Some(tag) = self.layout.tags.iter().position(|tag| tag == name) {
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
            // All series of a key and day have the same times, so that any of them will do.
            metrics.extend(self.layout.metrics.first().cloned());
        }
        (outputs, metrics)
    }
}

/// Converts a time from milliseconds, as in the workload's rows, to nanoseconds, as in the values.
fn in_nanoseconds(value: &KeyValue) -> KeyValue {
    match value {
        KeyValue::Bigint(ms) => KeyValue::Bigint(ms.saturating_mul(NANOSECONDS_PER_MILLISECOND)),
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
        let pushdown = Pushdown::for_known_partitions(&self.rows, filters);
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
        let pushdown = Pushdown::for_known_partitions(&self.rows, &filters);
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
        let partitions = split_round_robin(units, threads);
        let newest = self.newest(&cql, projection).await;
        Ok(Arc::new(SeriesScan::new(
            reading,
            partitions,
            newest.map(Arc::new),
        )))
    }
}

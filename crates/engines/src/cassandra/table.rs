//! A Cassandra table as a DataFusion table.

use std::collections::HashMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session as DataFusionSession, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::{Consistency, Statement};
use tokio::sync::{Mutex, OnceCell};

use super::buckets::{BucketsWritten, joined};
use super::decode::Decoder;
use super::key_value::KeyValue;
use super::layout::{quoted, quoted_list};
use super::pushdown::Pushdown;
use super::ranges::{dealt_out, token_ranges};
use super::readable::ReadTable;
use super::scan::{CassandraScan, PAGE_TIME_LIMIT, PageRows, Request, Scope};

/// Rows of a page. The measured optimum is flat from 5,000 rows on.
pub const PAGE_ROWS: i32 = 5_000;
/// Token ranges of a full scan for each DataFusion partition: enough to even out their sizes.
const RANGES_PER_PARTITION: usize = 4;
const RANGES_PER_PARTITION_WITH_PROGRESS: usize = 16;

/// Requests that one query may make for buckets.
const BUCKETS_LIMIT: usize = 100_000;

/// Reads a table with whatever the filters leave: partitions one by one, or token ranges in
/// parallel.
pub struct CassandraTable {
    session: Arc<Session>,
    table: ReadTable,
    prepared: Mutex<HashMap<String, PreparedStatement>>,
    /// Of all reads; the session's own where absent.
    consistency: Option<Consistency>,
    /// First and last bucket in the table when it was first asked.
    buckets: OnceCell<Option<(i64, i64)>>,
    /// Those that are written while it is asked.
    written: Option<Arc<BucketsWritten>>,
    ranges_per_partition: usize,
    page_rows: PageRows,
}

impl CassandraTable {
    pub fn new(session: Arc<Session>, table: ReadTable) -> Self {
        let (prepared, buckets) = (Mutex::default(), OnceCell::new());
        CassandraTable {
            session,
            table,
            prepared,
            consistency: None,
            buckets,
            written: None,
            ranges_per_partition: RANGES_PER_PARTITION,
            page_rows: PageRows::Fixed,
        }
    }

    /// For a table of whose rows nothing is known: pages are small where rows are large, and ranges
    /// are so many that those that are read tell how far a scan has come.
    pub fn of_any_size(self, consistency: Option<Consistency>) -> Self {
        CassandraTable {
            consistency,
            ranges_per_partition: RANGES_PER_PARTITION_WITH_PROGRESS,
            page_rows: PageRows::BySize,
            ..self
        }
    }

    /// For a load, whose queries have a consistency level and whose inserts may add buckets.
    pub fn under_load(
        self,
        consistency: Option<Consistency>,
        written: Option<Arc<BucketsWritten>>,
    ) -> Self {
        CassandraTable {
            consistency,
            written,
            ..self
        }
    }

    /// Keyspace and name as CQL takes them.
    pub fn quoted_name(&self) -> String {
        self.table.quoted_name()
    }

    /// A statement that reads, prepared once.
    pub async fn prepare(&self, cql: &str) -> Result<PreparedStatement> {
        let mut prepared = self.prepared.lock().await;
        if let Some(statement) = prepared.get(cql) {
            return Ok(statement.clone());
        }
        let mut statement = Statement::new(cql).with_page_size(PAGE_ROWS);
        statement.set_request_timeout(Some(PAGE_TIME_LIMIT));
        statement.set_is_idempotent(true);
        if let Some(consistency) = self.consistency {
            statement.set_consistency(consistency);
        }
        let statement = self.session.prepare(statement).await.map_err(external)?;
        prepared.insert(cql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// The requests that read what the filters leave, and their restriction in CQL.
    async fn requests(
        &self,
        pushdown: &Pushdown,
        partitions: usize,
    ) -> Result<(String, Vec<Request>)> {
        if let Some(keys) = &pushdown.partitions {
            let keys = self.with_buckets(keys, pushdown).await?;
            let columns = self.table.token_columns();
            let mut conditions: Vec<String> = columns
                .iter()
                .map(|c| format!("{} = ?", quoted(c)))
                .collect();
            conditions.extend(
                pushdown
                    .order
                    .iter()
                    .map(|(c, op, _)| format!("{} {op} ?", quoted(c))),
            );
            let order = pushdown.order.iter().map(|(_, _, value)| value.clone());
            let requests = keys
                .into_iter()
                .map(|key| Request(key.into_iter().chain(order.clone()).collect()));
            return Ok((conditions.join(" AND "), requests.collect()));
        }
        let token = format!("token({})", quoted_list(&self.table.token_columns()));
        let ranges = token_ranges(partitions * self.ranges_per_partition);
        let requests = ranges
            .into_iter()
            .map(|(after, to)| Request(vec![KeyValue::Bigint(after), KeyValue::Bigint(to)]));
        Ok((format!("{token} > ? AND {token} <= ?"), requests.collect()))
    }

    /// Adds the buckets that the order key's range leaves to each partition key.
    async fn with_buckets(
        &self,
        keys: &[Vec<KeyValue>],
        pushdown: &Pushdown,
    ) -> Result<Vec<Vec<KeyValue>>> {
        let Some(bucket) = &self.table.bucket else {
            return Ok(keys.to_vec());
        };
        let Some((first, last)) = self.bucket_bounds().await? else {
            return Ok(Vec::new());
        };
        let (low, high) = pushdown.bounds(&bucket.column);
        let first = low.map_or(first, |v| v.div_euclid(bucket.width).max(first));
        let last = high.map_or(last, |v| v.div_euclid(bucket.width).min(last));
        let count = usize::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(0);
        if count.saturating_mul(keys.len()) > BUCKETS_LIMIT {
            return Err(external(format!(
                "the query would read {count} buckets of {} partition keys one by one, more than \
                 {BUCKETS_LIMIT}; choose a larger bucket= or a shorter range",
                keys.len()
            )));
        }
        let with = |key: &Vec<KeyValue>, number: i64| {
            key.iter()
                .cloned()
                .chain([KeyValue::Bigint(number)])
                .collect()
        };
        Ok(keys
            .iter()
            .flat_map(|key| (first..=last).map(move |n| with(key, n)))
            .collect())
    }

    /// First and last bucket number, from the partition keys alone.
    async fn bucket_bounds(&self) -> Result<Option<(i64, i64)>> {
        let found = self.buckets.get_or_try_init(|| self.read_bucket_bounds());
        let written = self.written.as_ref().and_then(|written| written.bounds());
        Ok(joined(*found.await?, written))
    }

    async fn read_bucket_bounds(&self) -> Result<Option<(i64, i64)>> {
        use futures::TryStreamExt;
        let cql = format!(
            "SELECT DISTINCT {} FROM {}",
            quoted_list(&self.table.token_columns()),
            self.table.quoted_name()
        );
        let statement = self.prepare(&cql).await?;
        let rows = self
            .session
            .execute_iter(statement, &[])
            .await
            .map_err(external)?;
        let mut rows = rows.rows_stream::<scylla::value::Row>().map_err(external)?;
        let mut bounds: Option<(i64, i64)> = None;
        while let Some(row) = rows.try_next().await.map_err(external)? {
            let bucket = row.columns.last().and_then(|c| c.as_ref()?.as_bigint());
            if let Some(number) = bucket {
                let (first, last) = bounds.unwrap_or((number, number));
                bounds = Some((first.min(number), last.max(number)));
            }
        }
        Ok(bounds)
    }

    fn select(&self, decoder: &Decoder, condition: &str, limit: Option<usize>) -> String {
        let limit = limit.map(|n| format!(" LIMIT {n}")).unwrap_or_default();
        format!(
            "SELECT {} FROM {} WHERE {condition}{limit}",
            quoted_list(&decoder.selected()),
            self.table.quoted_name()
        )
    }
}

impl Debug for CassandraTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "CassandraTable({})", self.table.quoted_name())
    }
}

#[async_trait]
impl TableProvider for CassandraTable {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let answer = |exact| match exact {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(Pushdown::new(&self.table, filters)
            .exact
            .into_iter()
            .map(answer)
            .collect())
    }

    async fn scan(
        &self,
        state: &dyn DataFusionSession,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.table.columns.len()).collect();
        let decoder = Decoder::new(&self.table, projection.unwrap_or(&all))?;
        let pushdown = Pushdown::new(&self.table, &filters.iter().collect::<Vec<_>>());
        if !pushdown.exact.iter().all(|exact| *exact) {
            // Nobody would apply such a filter: no answer is better than a wrong one.
            return Err(external(
                "a filter was promised that cannot be expressed in CQL",
            ));
        }
        let threads = state.config().target_partitions();
        let (condition, requests) = self.requests(&pushdown, threads).await?;
        let scope = match pushdown.partitions {
            Some(_) => Scope::Partition,
            None => Scope::TokenRange,
        };
        let statement = self
            .prepare(&self.select(&decoder, &condition, limit))
            .await?;
        Ok(Arc::new(CassandraScan::new(
            self.session.clone(),
            statement,
            Arc::new(decoder),
            dealt_out(requests, threads),
            scope,
            limit,
            self.page_rows,
        )))
    }
}

fn external(error: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::External(format!("Cassandra: {error}").into())
}

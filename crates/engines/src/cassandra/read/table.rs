//! The DataFusion table that reads a CQL table.

mod by_keys;
mod copies;
mod large_partitions;

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session as DataFusionSession, TableProvider};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use scylla::client::session::Session;
use scylla::statement::Consistency;
use scylla::statement::prepared::PreparedStatement;
use tokio::sync::OnceCell;

use super::aggregation::{Aggregation, Division};
use super::decode::Decoder;
use super::first_rows::{FirstRows, row_order};
use super::key_value::KeyValue;
use super::pushdown::Pushdown;
use super::ranges::split_round_robin;
use super::readable::ReadTable;
use super::reading::ServerAggregate;
use super::request::Request;
use super::scan::{CassandraScan, PageRows, Scope};
use super::split::OrderKey;
use super::statements::Statements;
use super::token_requests::token_requests;
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::write::buckets::{BucketsWritten, joined};

/// Number of token ranges of a full scan for each DataFusion partition, which evens out their sizes.
const RANGES_PER_PARTITION: usize = 4;
/// Number of token ranges for each partition if an index finds the rows: a hidden table is read from its
/// beginning for each range.
const RANGES_PER_PARTITION_BY_INDEX: usize = 1;
/// Number of token ranges for each partition if the ranges done show the progress of a scan.
const RANGES_PER_PARTITION_WITH_PROGRESS: usize = 16;

/// Number of requests that a large partition is read by at the same time, for each thread.
const AT_ONCE_PER_THREAD: usize = 2;

/// Maximum number of requests that one query may make for buckets.
const BUCKETS_LIMIT: usize = 100_000;

/// A CQL table for DataFusion, read partition by partition if filters name the partition keys and
/// by token ranges in parallel otherwise.
pub struct CassandraTable {
    statements: Arc<Statements>,
    table: ReadTable,
    /// Copies of the table that are keyed by other columns.
    copies: Vec<CassandraTable>,
    /// First and last bucket in the table at the time of the first query.
    buckets: OnceCell<Option<(i64, i64)>>,
    /// Buckets that a load writes at the same time.
    written: Option<Arc<BucketsWritten>>,
    ranges_per_partition: usize,
    page_rows: PageRows,
    /// Counter of rows with a time to live, if they are counted.
    expiring_rows: Option<Arc<AtomicU64>>,
}

impl CassandraTable {
    pub fn new(session: Arc<Session>, table: ReadTable) -> Self {
        let consistency = table.reading.consistency.map(in_driver);
        CassandraTable {
            statements: Statements::new(session, consistency, table.reading.page_rows),
            table,
            copies: Vec::new(),
            buckets: OnceCell::new(),
            written: None,
            ranges_per_partition: RANGES_PER_PARTITION,
            page_rows: PageRows::Fixed,
            expiring_rows: None,
        }
    }

    /// Counts the rows that scans read of which a value has a time to live.
    pub fn counting_expiring(self, rows: Option<Arc<AtomicU64>>) -> Self {
        CassandraTable {
            expiring_rows: rows,
            ..self
        }
    }

    /// Adapts reading to rows of unknown size: pages are smaller if rows are large, and there are
    /// enough token ranges to show the progress of a scan.
    pub fn for_rows_of_any_size(self, consistency: Option<Consistency>) -> Self {
        CassandraTable {
            statements: self.statements.with_consistency(consistency),
            ranges_per_partition: RANGES_PER_PARTITION_WITH_PROGRESS,
            page_rows: PageRows::BySize,
            ..self
        }
    }

    /// Waits for each page no longer than this; `None` is for the limit of all other reading.
    pub fn with_page_time_limit(self, limit: Option<Duration>) -> Self {
        CassandraTable {
            statements: self.statements.with_page_time_limit(limit),
            ..self
        }
    }

    /// Adapts reading to a load, whose queries have a consistency level and whose inserts may add
    /// buckets.
    pub fn under_load(
        self,
        consistency: Option<Consistency>,
        written: Option<Arc<BucketsWritten>>,
    ) -> Self {
        let copies = self.copies.into_iter();
        let copies = copies.map(|copy| copy.under_load(consistency, None));
        CassandraTable {
            statements: self.statements.with_consistency(consistency),
            copies: copies.collect(),
            written,
            ..self
        }
    }

    /// Returns keyspace and name, quoted for CQL.
    pub fn quoted_name(&self) -> String {
        self.table.quoted_name()
    }

    /// Prepares a statement that reads the table, once.
    pub async fn prepare(&self, cql: &str) -> Result<PreparedStatement> {
        self.statements.prepare(cql).await.map_err(external)
    }

    /// Returns the `WHERE` clause, whose values are those of a request.
    fn condition(&self, pushdown: &Pushdown) -> String {
        let (columns, names) = (self.table.token_columns(), &self.table.names);
        let mut conditions: Vec<String> = match pushdown.partitions {
            Some(_) => columns
                .iter()
                .map(|c| format!("{} = ?", names.quoted(c)))
                .collect(),
            None => {
                let token = format!("token({})", names.quoted_list(&columns));
                vec![format!("{token} > ?"), format!("{token} <= ?")]
            }
        };
        let order = pushdown.conditions.iter();
        conditions.extend(order.map(|(c, op, _)| format!("{} {op} ?", names.quoted(c))));
        let indexed = pushdown.indexed.iter();
        conditions.extend(indexed.map(|(c, _)| format!("{} = ?", names.quoted(c))));
        conditions.join(" AND ")
    }

    /// Makes the requests that together read all rows that the pushed filters allow.
    async fn requests(&self, pushdown: &Pushdown, partitions: usize) -> Result<Vec<Request>> {
        let mut requests: Vec<Request> = match &pushdown.partitions {
            Some(keys) => {
                let partitions = self.with_buckets(keys, pushdown).await?;
                partitions.into_iter().map(Request::new).collect()
            }
            None => {
                let cluster = self.statements.session.get_cluster_state();
                let wanted = partitions * self.ranges_per_partition(pushdown);
                token_requests(&cluster, &self.table, wanted)
            }
        };
        for request in &mut requests {
            let conditions = pushdown.conditions.iter();
            let values = conditions.map(|(_, _, value)| value.clone());
            request.values.extend(values);
            let indexed = pushdown.indexed.iter();
            request
                .values
                .extend(indexed.map(|(_, value)| value.clone()));
        }
        Ok(requests)
    }

    /// Returns the number of token ranges of a scan of the whole table for each partition of the plan.
    fn ranges_per_partition(&self, pushdown: &Pushdown) -> usize {
        if pushdown.indexed.is_empty() {
            self.ranges_per_partition
        } else {
            RANGES_PER_PARTITION_BY_INDEX
        }
    }

    /// Combines each partition key with the buckets that the order key's range allows.
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
        let mut bucketed = Vec::with_capacity(count.saturating_mul(keys.len()));
        for key in keys {
            for number in first..=last {
                bucketed.push([key.as_slice(), &[KeyValue::Bigint(number)]].concat());
            }
        }
        Ok(bucketed)
    }

    /// Returns the first and the last bucket number, including those that a load has written.
    async fn bucket_bounds(&self) -> Result<Option<(i64, i64)>> {
        let found = self.buckets.get_or_try_init(|| self.read_bucket_bounds());
        let written = self.written.as_ref().and_then(|written| written.bounds());
        Ok(joined(*found.await?, written))
    }

    /// Reads the first and the last bucket number from the partition keys.
    async fn read_bucket_bounds(&self) -> Result<Option<(i64, i64)>> {
        use futures::TryStreamExt;
        let cql = format!(
            "SELECT DISTINCT {} FROM {}",
            self.table.names.quoted_list(&self.table.token_columns()),
            self.table.quoted_name()
        );
        let statement = self.prepare(&cql).await?;
        let session = &self.statements.session;
        let rows = session
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

    fn select(&self, decoder: &Decoder, pushdown: &Pushdown, limit: &str) -> String {
        let filtering = if pushdown.is_filtering() {
            " ALLOW FILTERING"
        } else {
            ""
        };
        format!(
            "SELECT {} FROM {}{limit}{filtering}",
            decoder.selection(),
            self.table_and_condition(pushdown)
        )
    }

    fn table_and_condition(&self, pushdown: &Pushdown) -> String {
        format!(
            "{} WHERE {}",
            self.table.quoted_name(),
            self.condition(pushdown)
        )
    }

    /// Returns the statement that reads the greatest or the least order key of a partition, as far as
    /// a query wants it.
    fn end_statement(&self, order_key: &OrderKey, pushdown: &Pushdown, greatest: bool) -> String {
        let column = self.table.names.quoted(&order_key.column);
        let direction = if greatest { "DESC" } else { "ASC" };
        format!(
            "SELECT {column} FROM {} WHERE {} ORDER BY {column} {direction} LIMIT 1",
            self.table.quoted_name(),
            self.condition(pushdown)
        )
    }

    /// Returns the requests by which Cassandra aggregates the rows that the pushed filters allow.
    fn aggregation(
        &self,
        aggregate: ServerAggregate,
        pushdown: &Pushdown,
        requests: &[Request],
        threads: usize,
    ) -> Aggregation {
        let is_few = pushdown.partitions.is_some() && requests.len() < threads;
        let order_key = match aggregate {
            ServerAggregate::Ranges if is_few => OrderKey::new(&self.table, pushdown),
            _ => None,
        };
        let restricted = order_key.as_ref().map(|key| key.restrict(pushdown));
        let at_once = at_once(threads, requests.len());
        let division = order_key.map(|order_key| Division {
            least: self.end_statement(&order_key, pushdown, false),
            greatest: self.end_statement(&order_key, pushdown, true),
            at_once,
            order_key,
        });
        let requests = match (aggregate, &pushdown.partitions) {
            (ServerAggregate::Ranges, _) | (_, Some(_)) => requests.to_vec(),
            (_, None) => self.whole_table(pushdown),
        };
        let pushdown = restricted.as_ref().unwrap_or(pushdown);
        Aggregation {
            from: format!("FROM {}", self.table_and_condition(pushdown)),
            java: aggregate.java(&self.table.keyspace),
            partitions: split_round_robin(requests, threads),
            division,
        }
    }

    /// Makes the one request that reads all tokens.
    fn whole_table(&self, pushdown: &Pushdown) -> Vec<Request> {
        let ends = [i64::MIN, i64::MAX].map(KeyValue::Bigint);
        let conditions = pushdown.conditions.iter();
        let values = conditions.map(|(_, _, value)| value.clone());
        vec![Request::new(ends.into_iter().chain(values).collect())]
    }

    /// Returns the statement that reads only the first row of each partition, if the order of rows
    /// is known.
    fn first_rows(
        &self,
        decoder: &Decoder,
        pushdown: &Pushdown,
        projection: &[usize],
    ) -> Option<FirstRows<String>> {
        Some(FirstRows {
            order: row_order(&self.table)?,
            projection: projection.to_vec(),
            statement: self.select(decoder, pushdown, " PER PARTITION LIMIT 1"),
        })
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
        let pushdown = Pushdown::new(&self.table, filters);
        let answer = |(exact, inexact): (&bool, &bool)| match (exact, inexact) {
            (true, _) => TableProviderFilterPushDown::Exact,
            (false, true) => TableProviderFilterPushDown::Inexact,
            (false, false) => TableProviderFilterPushDown::Unsupported,
        };
        let answers = pushdown.exact.iter().zip(&pushdown.inexact).map(answer);
        Ok(answers.collect())
    }

    async fn scan(
        &self,
        state: &dyn DataFusionSession,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.table.columns.len()).collect();
        let projection = projection.unwrap_or(&all);
        let filters: Vec<&Expr> = filters.iter().collect();
        let pushdown = Pushdown::new(&self.table, &filters);
        let mut taken = pushdown.exact.iter().zip(&pushdown.inexact);
        if !taken.all(|(exact, inexact)| *exact || *inexact) {
            // Nothing would apply such a filter, and no answer is better than a wrong one.
            return Err(external(
                "a filter was promised that cannot be expressed in CQL",
            ));
        }
        let threads = state.config().target_partitions();
        match self.copy_for(&pushdown) {
            // Here no filter was promised, so that it may express others than the table itself.
            Some(copy) => {
                let pushdown = Pushdown::new(&copy.table, &filters);
                if self.table.copies_hold_keys {
                    return self.scan_by_keys(copy, projection, pushdown, threads).await;
                }
                copy.scan_pushed(projection, pushdown, limit, threads).await
            }
            None => self.scan_pushed(projection, pushdown, limit, threads).await,
        }
    }
}

impl CassandraTable {
    /// Plans the scan of the rows that the pushed filters allow.
    async fn scan_pushed(
        &self,
        projection: &[usize],
        mut pushdown: Pushdown,
        limit: Option<usize>,
        threads: usize,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut decoder = Decoder::new(&self.table, projection)?;
        if let Some(rows) = &self.expiring_rows {
            decoder = decoder.counting_expiring(&self.table, Arc::clone(rows));
        }
        let limited = limit.map(|n| format!(" LIMIT {n}")).unwrap_or_default();
        let mut cql = self.select(&decoder, &pushdown, &limited);
        if self.prepare(&cql).await.is_err() {
            if pushdown.is_filtering() {
                pushdown = pushdown.without_filtering();
            } else if pushdown.is_filtering_by_index() {
                pushdown = pushdown.without_indexes();
            }
            cql = self.select(&decoder, &pushdown, &limited);
        }
        let requests = self.requests(&pushdown, threads).await?;
        let scope = match pushdown.partitions {
            Some(_) => Scope::Partition,
            None => Scope::TokenRange,
        };
        // CQL neither orders nor aggregates the rows that an index finds as those of a partition.
        let is_whole = limit.is_none() && pushdown.indexed.is_empty();
        let first_rows = if is_whole {
            self.first_rows(&decoder, &pushdown, projection)
        } else {
            None
        };
        let split = if is_whole {
            self.split(&decoder, projection, &pushdown, requests.len(), threads)?
        } else {
            None
        };
        let aggregation = match self.table.reading.aggregate {
            Some(aggregate) if is_whole && !pushdown.is_filtering() => {
                Some(self.aggregation(aggregate, &pushdown, &requests, threads))
            }
            _ => None,
        };
        let scan = CassandraScan::new(
            Arc::clone(&self.statements),
            cql,
            Arc::new(decoder),
            split_round_robin(requests, threads),
            scope,
            limit,
            self.page_rows,
        );
        let indexed = pushdown.indexed.iter().map(|(column, _)| column.clone());
        let scan = scan.with_indexed(indexed.collect());
        let scan = scan.with_first_rows(first_rows).with_split(split);
        Ok(Arc::new(scan.with_aggregation(aggregation)))
    }
}

/// Returns the number of requests that a large partition is read by at the same time.
fn at_once(threads: usize, partitions: usize) -> usize {
    (AT_ONCE_PER_THREAD * threads / partitions.max(1)).max(1)
}

fn external(error: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::External(format!("Cassandra: {error}").into())
}

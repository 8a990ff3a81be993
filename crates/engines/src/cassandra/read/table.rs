//! The DataFusion table that reads a CQL table.

mod by_keys;
mod copies;
mod cql;
mod few_partitions;
mod large_partitions;
mod requests;

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
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

use super::decode::Decoder;
use super::owners::Owners;
use super::pushdown::Pushdown;
use super::ranges::split_round_robin;
use super::readable::ReadTable;
use super::scan::{CassandraScan, PageRows, Scope};
use super::statements::Statements;
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::write::buckets::BucketsWritten;

/// Number of token ranges of a full scan for each DataFusion partition, which evens out their sizes.
const RANGES_PER_PARTITION: usize = 4;
/// Number of token ranges for each partition if the ranges done show the progress of a scan.
const RANGES_PER_PARTITION_WITH_PROGRESS: usize = 16;

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
    /// Whether a scan found as many partitions as it had threads, or more.
    has_many_partitions: AtomicBool,
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
            has_many_partitions: AtomicBool::new(false),
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
        // CQL neither orders nor aggregates the rows that an index finds as those of a partition.
        let is_whole = limit.is_none() && pushdown.indexed.is_empty();
        if is_whole && let Some(keys) = self.few_partitions(projection, &pushdown, threads).await {
            pushdown.partitions = Some(keys);
            cql = self.select(&decoder, &pushdown, &limited);
        }
        let requests = self.requests(&pushdown, threads).await?;
        let scope = match pushdown.partitions {
            Some(_) => Scope::Partition,
            None => Scope::TokenRange,
        };
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
        let owners = Owners::new(&self.table, scope == Scope::Partition);
        let scan = scan
            .with_indexed(indexed.collect())
            .with_owners(Some(owners));
        let scan = scan.with_first_rows(first_rows).with_split(split);
        Ok(Arc::new(scan.with_aggregation(aggregation)))
    }
}

fn external(error: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::External(format!("Cassandra: {error}").into())
}

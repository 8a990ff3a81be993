//! The requests that together read what a query wants of a table.

use datafusion::error::Result;
use futures::TryStreamExt;
use scylla::value::Row;

use super::large_partitions::at_once;
use super::{CassandraTable, external};
use crate::cassandra::read::aggregation::{Aggregation, Division};
use crate::cassandra::read::key_value::KeyValue;
use crate::cassandra::read::pushdown::Pushdown;
use crate::cassandra::read::ranges::split_round_robin;
use crate::cassandra::read::reading::ServerAggregate;
use crate::cassandra::read::request::Request;
use crate::cassandra::read::split::OrderKey;
use crate::cassandra::read::token_requests::token_requests;
use crate::cassandra::write::buckets::joined;

/// Number of token ranges for each partition if an index finds the rows: a hidden table is read from its
/// beginning for each range.
const RANGES_PER_PARTITION_BY_INDEX: usize = 1;

/// Maximum number of requests that one query may make for buckets.
const BUCKETS_LIMIT: usize = 100_000;

impl CassandraTable {
    /// Makes the requests that together read all rows that the pushed filters allow.
    pub(super) async fn requests(
        &self,
        pushdown: &Pushdown,
        partitions: usize,
    ) -> Result<Vec<Request>> {
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
        let mut rows = rows.rows_stream::<Row>().map_err(external)?;
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

    /// Returns the requests by which Cassandra aggregates the rows that the pushed filters allow.
    pub(super) fn aggregation(
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
}

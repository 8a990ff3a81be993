//! Reading of a sample that is spread over the partitions of a table: some rows of each of many ranges of tokens.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::record_batch::RecordBatch;
use datafusion::error::DataFusionError;
use scylla::client::session::Session;
use scylla::cluster::ClusterState;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
use scylla::response::{PagingState, PagingStateResponse};

use crate::cassandra::cluster::one_node::failed_attempt;
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::failures::explained;
use crate::cassandra::read::key_value::KeyValue;
use crate::cassandra::read::partition_key::PartitionKey;
use crate::cassandra::read::readable::ReadTable;
use crate::cassandra::read::request::Request;
use crate::cassandra::read::statements::Statements;
use crate::cassandra::read::token_requests::token_requests;
use crate::live::{LiveKey, MOST_BYTES, SampleRequest, with_key};
use crate::rate_limit::Pace;
use crate::tables::{Location, TableError};

/// The ranges of tokens of which some rows are read; more if neighbours are on other nodes.
const RANGES: usize = 64;
/// The rows of the first page, when the size of rows is not known, and of a later one at most.
const FIRST_PAGE_ROWS: u64 = 10;
const MOST_PAGE_ROWS: u64 = 1_000;
/// How often as many rows a page has at most as were read before, since a few rows say little about the size of others.
const GROWTH: u64 = 4;
/// The bytes that a page is to have at most.
const MOST_PAGE_BYTES: usize = 1 << 20;
/// The rows as which a page counts at least within a rate limit.
const LEAST_ROWS: usize = 50;

/// A sample of the rows of a table.
#[derive(Debug, Default)]
pub struct Sample {
    pub rows: Vec<RecordBatch>,
    pub count: u64,
    /// The ranges of tokens that rows are from.
    pub ranges: usize,
    /// Whether all rows of the table were read.
    pub is_whole: bool,
    /// Whether the rows were too large for the number that was asked for.
    pub is_cut: bool,
    /// The number of all rows of the table, and how that is known.
    pub all: Option<(u64, String)>,
    /// The number of sampled rows of which a value has a time to live.
    pub expiring: u64,
    /// The number of partitions that have only static columns, which Cassandra may answer with as rows without a whole
    /// key; none of them is in `rows`.
    pub without_rows: usize,
}

impl Sample {
    /// Says how the sample was taken.
    pub fn in_words(&self, address: &str) -> String {
        let Sample { count, ranges, .. } = self;
        let which = if self.is_whole {
            format!("all {count} rows that were there")
        } else {
            format!(
                "{count} rows from {ranges} ranges of the tokens of its partitions; the last partition of a range may \
                 lack rows"
            )
        };
        let cut = if self.is_cut {
            format!(
                "; no more were read, since they have more than {} MiB",
                MOST_BYTES >> 20
            )
        } else {
            String::new()
        };
        format!(
            "Sample: {which}{cut}. They were read at {address}, while others may have written and deleted rows."
        )
    }
}

/// Why a sample could not be read.
#[derive(Debug)]
pub enum SampleError {
    Refused(String),
    Failed(String),
}

impl SampleError {
    fn failed(error: impl std::fmt::Display) -> SampleError {
        SampleError::Failed(error.to_string())
    }

    /// Returns the error of a table, with what to do.
    pub fn about(self, location: &Location) -> TableError {
        TableError::Failed(match self {
            SampleError::Refused(message) => format!(
                "cannot read {location}: {message}; have somebody who may run GRANT SELECT ON {location} TO this user, \
                 or read it as another user"
            ),
            SampleError::Failed(why) => format!("cannot read {location}: {why}"),
        })
    }
}

impl From<ExecutionError> for SampleError {
    fn from(error: ExecutionError) -> Self {
        match failed_attempt(&error) {
            Some(RequestAttemptError::DbError(DbError::Unauthorized, message)) => {
                SampleError::Refused(message.clone())
            }
            _ => SampleError::Failed(explained(&error)),
        }
    }
}

impl From<DataFusionError> for SampleError {
    fn from(error: DataFusionError) -> Self {
        SampleError::failed(error)
    }
}

/// A range of tokens, as far as it was read.
struct Range {
    request: Request,
    /// Where its next page begins; `None` at its end.
    next: Option<PagingState>,
    rows: u64,
    /// The keys of the first and the last partition that were read.
    first: Option<Vec<KeyValue>>,
    last: Option<Vec<KeyValue>>,
}

impl Range {
    fn see(&mut self, batch: &RecordBatch, key: Option<&PartitionKey>) {
        let rows = batch.num_rows();
        if rows == 0 {
            return;
        }
        if self.rows == 0 {
            self.first = key.and_then(|key| key.of(batch, 0));
        }
        self.last = key.and_then(|key| key.of(batch, rows - 1));
        self.rows += rows as u64;
    }

    /// Returns the bounds of the range.
    fn bounds(&self) -> Option<(i64, i64)> {
        match self.request.values.as_slice() {
            [KeyValue::Bigint(after), KeyValue::Bigint(to)] => Some((*after, *to)),
            _ => None,
        }
    }

    /// Returns the last token up to which it was read, as `token_of` tells it of a key; `None` if that is not known.
    fn read_up_to(&self, token_of: &impl Fn(&[KeyValue]) -> Option<i64>) -> Option<i64> {
        let (after, to) = self.bounds()?;
        match &self.last {
            _ if self.next.is_none() => Some(to),
            Some(key) => token_of(key),
            None if self.rows == 0 => Some(after),
            None => None,
        }
    }
}

/// Reads a sample: a page of each range in turn, until there are as many rows as are asked for, or `most_bytes` of
/// them. Only one request is under way at a time.
///
/// # Errors
/// The table cannot be read, or its user has no right to read it.
pub async fn sample(
    session: &Arc<Session>,
    table: &ReadTable,
    request: &SampleRequest,
    most_bytes: usize,
) -> Result<Sample, SampleError> {
    let projection: Vec<usize> = (0..table.columns.len()).collect();
    let expiring = Arc::new(AtomicU64::new(0));
    let decoder = Decoder::new(table, &projection)?.with_nulls_in_key();
    let decoder = decoder.counting_expiring(table, Arc::clone(&expiring));
    let token = table.names.quoted_list(&table.token_columns());
    let cql = format!(
        "SELECT {} FROM {} WHERE token({token}) > ? AND token({token}) <= ?",
        decoder.selection(),
        table.quoted_name()
    );
    let statements = Statements::new(Arc::clone(session), None, FIRST_PAGE_ROWS as i32);
    let prepared = statements.prepare(&cql).await;
    let prepared = prepared.map_err(ExecutionError::from)?;
    let key = PartitionKey::new(table, &projection);
    let whole_key = LiveKey {
        partition: table.partition_key.clone(),
        order: table.clustering_key.clone(),
    };
    let cluster = session.get_cluster_state();
    let mut ranges: Vec<Range> = { token_requests(&cluster, table, RANGES).into_iter() }
        .map(|request| Range {
            request,
            next: Some(PagingState::start()),
            rows: 0,
            first: None,
            last: None,
        })
        .collect();
    let pace = Pace::within(request.rate_limit.as_ref());
    let mut sample = Sample::default();
    let mut bytes = 0;
    let page_bytes = page_bytes(most_bytes, ranges.len());
    while sample.count < request.rows && bytes < most_bytes {
        let unread = ranges.iter().filter(|range| range.next.is_some()).count();
        if unread == 0 {
            break;
        }
        let share = (request.rows - sample.count).div_ceil(unread as u64);
        for range in &mut ranges {
            if sample.count >= request.rows || bytes >= most_bytes {
                break;
            }
            let Some(state) = range.next.take() else {
                continue;
            };
            let mut statement = range.request.routed(prepared.clone());
            statement.set_page_size(page_rows(share, sample.count, bytes, page_bytes));
            let page = session
                .execute_single_page(&statement, &range.request, state)
                .await;
            let (result, paging) = page?;
            let page = result.into_rows_result().map_err(SampleError::failed)?;
            bytes += page.rows_bytes_size();
            let decoded = decoder.decode(&page)?;
            let batch = with_key(&decoded, Some(&whole_key)).map_err(SampleError::failed)?;
            sample.without_rows += decoded.num_rows() - batch.num_rows();
            range.see(&batch, key.as_ref());
            if let PagingStateResponse::HasMorePages { state } = paging {
                range.next = Some(state);
            }
            sample.count += batch.num_rows() as u64;
            pace.wait(batch.num_rows().max(LEAST_ROWS)).await;
            if batch.num_rows() > 0 {
                sample.rows.push(batch);
            }
        }
    }
    sample.ranges = ranges.iter().filter(|range| range.rows > 0).count();
    sample.is_whole = ranges.iter().all(|range| range.next.is_none());
    sample.is_cut = !sample.is_whole && sample.count < request.rows;
    sample.expiring = expiring.load(Ordering::Relaxed);
    sample.all = if sample.is_whole {
        Some((sample.count, "all rows that the table had".to_owned()))
    } else {
        estimated(&ranges, &|key: &[KeyValue]| token_of(&cluster, table, key))
    };
    Ok(sample)
}

/// Returns the bytes of a page of which each range can have two within all bytes.
fn page_bytes(most_bytes: usize, ranges: usize) -> u64 {
    let share = most_bytes / (2 * ranges.max(1));
    share.min(MOST_PAGE_BYTES) as u64
}

/// Returns the number of rows of a page: no more than a range is to have, and small enough for the rows seen so far.
fn page_rows(share: u64, rows: u64, bytes: usize, page_bytes: u64) -> i32 {
    let fitting = if rows == 0 {
        FIRST_PAGE_ROWS
    } else {
        let row_bytes = (bytes as u64).div_ceil(rows).max(1);
        (page_bytes / row_bytes).min(rows.saturating_mul(GROWTH))
    };
    let rows = fitting.min(share).clamp(1, MOST_PAGE_ROWS);
    i32::try_from(rows).unwrap_or(1)
}

/// Returns the token of a partition.
fn token_of(cluster: &ClusterState, table: &ReadTable, key: &[KeyValue]) -> Option<i64> {
    let key = Request::new(key.to_vec());
    let token = cluster.compute_token(&table.keyspace, &table.name, &key);
    Some(token.ok()?.value())
}

/// Estimates the rows of a table from those of the tokens that were read.
fn estimated(
    ranges: &[Range],
    token_of: &impl Fn(&[KeyValue]) -> Option<i64>,
) -> Option<(u64, String)> {
    let (mut rows, mut read, mut all) = (0.0, 0.0, 0.0);
    let (mut unfinished, mut in_first) = (0, 0);
    for range in ranges {
        let (after, to) = range.bounds()?;
        all += to as f64 - after as f64;
        read += range.read_up_to(token_of)? as f64 - after as f64;
        rows += range.rows as f64;
        if range.next.is_some() && range.rows > 0 {
            unfinished += 1;
            in_first += usize::from(range.first == range.last);
        }
    }
    if read <= 0.0 {
        return None;
    }
    let share = read / all;
    let how = if in_first * 2 > unfinished {
        // A partition of which not all was read counts as if it had been.
        "at least, as an estimate, since most partitions were too large to be read to their end"
    } else {
        "an estimate"
    };
    let percent = share * 100.0;
    Some((
        (rows / share) as u64,
        format!("{how}, from the rows of {percent:.3}% of all tokens"),
    ))
}

#[cfg(test)]
mod tests;

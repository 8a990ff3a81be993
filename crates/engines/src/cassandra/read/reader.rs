//! Reading of the requests of a scan, one CQL request after another, of which the next page is fetched
//! while one is decoded. What is left of a large partition is read by several requests at the same time.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::metrics::Count;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt};
use scylla::client::session::Session;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;

use super::decode::Decoder;
use super::failures::explained;
use super::reading::PAGE_ROWS;
use super::request::Request;
use super::split::{self, OrderKey};
use super::statements::Statements;

/// Number of rows of the first page if the size of rows is not known.
pub const FIRST_PAGE_ROWS: i32 = 100;
/// Target size of a page in bytes if the size of rows is not known.
const PAGE_BYTES: usize = 4 << 20;
/// Maximum growth in rows from one page to the next, since later rows may be larger.
const PAGE_GROWTH: i32 = 10;

/// Number of bytes that the pages of ranges, which are read at the same time, may take together.
const RANGES_BYTES: usize = 128 << 20;
/// A range of no numbers.
const NOTHING: (i64, i64) = (1, 0);
/// Number of pages of one partition after which the rest of it is split.
const PAGES_BEFORE_SPLIT: usize = 4;

/// How the rest of a large partition is read by several requests at the same time.
#[derive(Debug)]
pub struct Split {
    pub order_key: OrderKey,
    /// Statement that reads the same columns and the order key, of which the last one read says where
    /// the rest begins.
    pub opening: String,
    pub opening_decoder: Arc<Decoder>,
    /// Place of the order key in what `opening_decoder` yields.
    pub place: usize,
    /// Statement that reads the order key of the last row of a partition.
    pub last_row: String,
    /// Statement that reads a range of the order key.
    pub range: String,
    /// Number of requests that are sent at the same time.
    pub at_once: usize,
}

/// Reads the rows of one request page by page.
pub fn pages(
    session: Arc<Session>,
    statement: PreparedStatement,
    decoder: Arc<Decoder>,
    request: Request,
) -> impl Stream<Item = Result<RecordBatch>> {
    batches(Reader {
        session,
        statement,
        decoder,
        split: None,
        requests: vec![request].into_iter(),
        coming: None,
        remaining: usize::MAX,
        page_rows: None,
        requests_done: Count::new(),
    })
}

pub fn batches(reader: Reader) -> impl Stream<Item = Result<RecordBatch>> {
    futures::stream::try_unfold(reader, |mut reader| async move {
        Ok(reader.next().await?.map(|batch| (batch, reader)))
    })
}

pub type Page = (QueryResult, PagingStateResponse);

/// The state of a partition of a scan, which reads its requests page by page.
pub struct Reader {
    pub session: Arc<Session>,
    pub statement: PreparedStatement,
    pub decoder: Arc<Decoder>,
    /// How the requests are split if their partitions are large; `None` if they are not.
    pub split: Option<Splitting>,
    pub requests: std::vec::IntoIter<Request>,
    /// Page that is being fetched, with the request that it belongs to.
    pub coming: Option<(SpawnedTask<Result<Page>>, Request)>,
    /// Number of rows until the limit.
    pub remaining: usize,
    /// Number of rows of the next page, unless the statement sets it.
    pub page_rows: Option<i32>,
    pub requests_done: Count,
}

impl Reader {
    /// Returns the next page that is not empty.
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.next_of_ranges().await? {
                return Ok(Some(batch));
            }
            if self.remaining == 0 {
                return Ok(None);
            }
            let (task, request) = match self.coming.take() {
                Some(coming) => coming,
                None => match self.requests.next() {
                    Some(request) => (self.fetch(&request, PagingState::start()), request),
                    None => return Ok(None),
                },
            };
            let (result, paging) = task.join().await.map_err(|e| external(e.to_string()))??;
            let page = result
                .into_rows_result()
                .map_err(|e| external(e.to_string()))?;
            self.page_rows = self.page_rows.map(|rows| next_page_rows(rows, &page));
            if self.is_large(&page, &paging) {
                return self.last_before_ranges(&page, &request).await.map(Some);
            }
            // Requested before this page is decoded, so that decoding and network overlap.
            self.coming = self.fetch_next(request, paging);
            if page.rows_num() == 0 {
                continue;
            }
            let batch = self.decode(&page)?;
            let batch = batch.slice(0, batch.num_rows().min(self.remaining));
            self.remaining -= batch.num_rows();
            return Ok(Some(batch));
        }
    }

    /// Decodes a page to the columns that the scan yields.
    fn decode(&self, page: &QueryRowsResult) -> Result<RecordBatch> {
        let batch = self.decoder.decode(page)?;
        match &self.split {
            Some(splitting) => splitting.yielded(&batch),
            None => Ok(batch),
        }
    }

    /// Counts a page of a partition, and returns whether so many came that the rest is split.
    fn is_large(&mut self, page: &QueryRowsResult, paging: &PagingStateResponse) -> bool {
        let Some(splitting) = &mut self.split else {
            return false;
        };
        match paging {
            PagingStateResponse::NoMorePages => {
                splitting.pages = 0;
                false
            }
            PagingStateResponse::HasMorePages { .. } => {
                splitting.pages += 1;
                splitting.pages >= PAGES_BEFORE_SPLIT && page.rows_num() > 0
            }
        }
    }

    /// Returns the rows of a page after which the rest of its partition is read by ranges.
    async fn last_before_ranges(
        &mut self,
        page: &QueryRowsResult,
        request: &Request,
    ) -> Result<RecordBatch> {
        let batch = self.decoder.decode(page)?;
        let Some(splitting) = &mut self.split else {
            return Ok(batch);
        };
        splitting.pages = 0;
        let page_bytes = page.rows_bytes_size();
        let rest = splitting.ranges_after(&batch, request, page_bytes);
        splitting.rest = Some(rest.await?);
        splitting.yielded(&batch)
    }

    /// Returns the next batch of the ranges that a partition was split into, in no order.
    async fn next_of_ranges(&mut self) -> Result<Option<RecordBatch>> {
        let Some(splitting) = &mut self.split else {
            return Ok(None);
        };
        let Some(rest) = &mut splitting.rest else {
            return Ok(None);
        };
        let batch = rest.try_next().await?;
        if batch.is_none() {
            splitting.rest = None;
            self.requests_done.add(1);
        }
        Ok(batch)
    }

    /// Fetches the page after a page: the next one of its request, or the first one of the next.
    fn fetch_next(
        &mut self,
        request: Request,
        paging: PagingStateResponse,
    ) -> Option<(SpawnedTask<Result<Page>>, Request)> {
        match paging {
            PagingStateResponse::HasMorePages { state } => {
                Some((self.fetch(&request, state), request))
            }
            PagingStateResponse::NoMorePages => {
                self.requests_done.add(1);
                let request = self.requests.next()?;
                Some((self.fetch(&request, PagingState::start()), request))
            }
        }
    }

    fn fetch(&self, request: &Request, state: PagingState) -> SpawnedTask<Result<Page>> {
        let (session, mut statement) = (self.session.clone(), self.statement.clone());
        if let Some(rows) = self.page_rows {
            statement.set_page_size(rows);
        }
        let request = request.clone();
        SpawnedTask::spawn(async move {
            let page = session
                .execute_single_page(&statement, &request, state)
                .await;
            page.map_err(|e| external(format!("reading from Cassandra failed: {}", explained(&e))))
        })
    }
}

/// The state of a reader that splits large partitions.
pub struct Splitting {
    split: Arc<Split>,
    statements: Arc<Statements>,
    /// Decoder of what the scan yields.
    decoder: Arc<Decoder>,
    /// Number of pages of the current partition so far.
    pages: usize,
    /// The ranges of the current partition, once it is split.
    rest: Option<BoxStream<'static, Result<RecordBatch>>>,
    /// Number of ranges so far.
    ranges: Count,
}

impl Splitting {
    /// Starts with a partition of which nothing was read. `decoder` is that of what the scan yields.
    pub fn new(
        split: Arc<Split>,
        statements: Arc<Statements>,
        decoder: Arc<Decoder>,
        ranges: Count,
    ) -> Splitting {
        Splitting {
            split,
            statements,
            decoder,
            pages: 0,
            rest: None,
            ranges,
        }
    }

    /// Drops the order key from a batch, unless the scan yields it.
    fn yielded(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns: Vec<usize> = (0..self.decoder.schema().fields().len()).collect();
        Ok(batch.project(&columns)?)
    }

    /// Reads the rows of a partition that come after a batch, by ranges at the same time.
    ///
    /// The future is boxed since its stream is made of readers, whose future contains this one.
    fn ranges_after<'a>(
        &'a self,
        batch: &'a RecordBatch,
        request: &'a Request,
        page_bytes: usize,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<RecordBatch>>>> {
        let (split, statements) = (Arc::clone(&self.split), Arc::clone(&self.statements));
        let (decoder, ranges) = (Arc::clone(&self.decoder), self.ranges.clone());
        // Of each request, a page is decoded while the next one is on its way.
        let fitting = RANGES_BYTES / (2 * page_bytes.max(1));
        let at_once = split.at_once.min(fitting).max(1);
        Box::pin(async move {
            let requests = range_requests(&split, &statements, batch, request, at_once).await?;
            ranges.add(requests.len());
            let statement = prepare(&statements, &split.range).await?;
            let streams = requests.into_iter().map(move |request| {
                let (session, statement) = (Arc::clone(&statements.session), statement.clone());
                pages(session, statement, Arc::clone(&decoder), request).boxed()
            });
            Ok(futures::stream::iter(streams)
                .flatten_unordered(at_once)
                .boxed())
        })
    }
}

/// Makes the requests for the rows of a partition that come after a batch.
async fn range_requests(
    split: &Split,
    statements: &Statements,
    batch: &RecordBatch,
    request: &Request,
    at_once: usize,
) -> Result<Vec<Request>> {
    let last_row = prepare(statements, &split.last_row).await?;
    let reached = split::last_value(batch, split.place);
    let last = split::end(&statements.session, &last_row, request).await?;
    let (Some(reached), Some(last)) = (reached, last) else {
        return Err(external(format!(
            "Cassandra: rows without {} in a partition that has them all",
            split.order_key.column
        )));
    };
    // An order key that is the last one there is has nothing behind it.
    let rest = if split.order_key.descending {
        reached.checked_sub(1).map(|next| (last, next))
    } else {
        reached.checked_add(1).map(|next| (next, last))
    };
    let rest = rest.unwrap_or(NOTHING);
    Ok(split.order_key.requests(request, rest, at_once))
}

/// Prepares a statement, once.
pub async fn prepare(statements: &Statements, cql: &str) -> Result<PreparedStatement> {
    let prepared = statements.prepare(cql).await;
    prepared.map_err(|e| external(format!("Cassandra: {e}")))
}

fn next_page_rows(rows: i32, page: &QueryRowsResult) -> i32 {
    let row_bytes = page
        .rows_bytes_size()
        .div_ceil(page.rows_num().max(1))
        .max(1);
    let fitting = i32::try_from(PAGE_BYTES / row_bytes).unwrap_or(PAGE_ROWS);
    let grown = rows.saturating_mul(PAGE_GROWTH);
    fitting.min(grown).clamp(1, PAGE_ROWS)
}

fn external(message: String) -> DataFusionError {
    DataFusionError::External(message.into())
}

//! Reading of the requests of a scan, one CQL request after another, of which the next page is fetched
//! while one is decoded. What is left of a large partition is read by several requests at the same time
//! (`splitting.rs`).

mod splitting;

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::metrics::Count;
use futures::{Stream, TryStreamExt};
use scylla::client::session::Session;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;

use super::decode::Decoder;
use super::failures::explained;
use super::reading::PAGE_ROWS;
use super::request::Request;
use super::statements::Statements;
pub use splitting::{Readers, Split, Splitting};

/// Number of rows of the first page if the size of rows is not known.
pub const FIRST_PAGE_ROWS: i32 = 100;
/// Target size of a page in bytes if the size of rows is not known.
const PAGE_BYTES: usize = 4 << 20;
/// Maximum growth in rows from one page to the next, since later rows may be larger.
const PAGE_GROWTH: i32 = 10;

/// Reads the rows of one request page by page.
pub fn pages(
    session: Arc<Session>,
    statement: PreparedStatement,
    decoder: Arc<Decoder>,
    request: Request,
) -> impl Stream<Item = Result<RecordBatch>> {
    pages_of(session, statement, decoder, request, None)
}

/// Reads the rows of one request page by page, the first of which has `page_rows` rows if that is given.
fn pages_of(
    session: Arc<Session>,
    statement: PreparedStatement,
    decoder: Arc<Decoder>,
    request: Request,
    page_rows: Option<i32>,
) -> impl Stream<Item = Result<RecordBatch>> {
    batches(Reader {
        session,
        statement,
        decoder,
        split: None,
        requests: vec![request].into_iter(),
        coming: None,
        remaining: usize::MAX,
        page_rows,
        most_page_rows: PAGE_ROWS,
        requests_done: Count::new(),
    })
}

pub fn batches(reader: Reader) -> impl Stream<Item = Result<RecordBatch>> {
    futures::stream::try_unfold(reader, |mut reader| async move {
        let batch = reader.next().await?;
        if batch.is_none() {
            reader.end();
        }
        Ok(batch.map(|batch| (batch, reader)))
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
    /// Maximum number of rows of a page after the first one.
    pub most_page_rows: i32,
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
            let (rows, bytes) = (page.rows_num(), page.rows_bytes_size());
            let most = self.most_page_rows;
            let next = |asked| next_page_rows(asked, rows, bytes).min(most);
            self.page_rows = self.page_rows.map(next);
            let has_more = matches!(paging, PagingStateResponse::HasMorePages { .. });
            let is_due = has_more && self.split.as_ref().is_some_and(Splitting::is_due);
            if is_due && page.rows_num() > 0 {
                let batch = self.decoder.decode(&page)?;
                if !self.splits(&batch, &request, &page).await? {
                    self.coming = self.fetch_next(request, paging);
                }
                return self.yielded(&batch).map(Some);
            }
            // Requested before this page is decoded, so that decoding and network overlap.
            self.coming = self.fetch_next(request, paging);
            if page.rows_num() == 0 {
                continue;
            }
            let batch = self.decoder.decode(&page)?;
            if has_more && let Some(splitting) = &mut self.split {
                splitting.count(&batch);
            }
            let batch = self.yielded(&batch)?;
            let batch = batch.slice(0, batch.num_rows().min(self.remaining));
            self.remaining -= batch.num_rows();
            return Ok(Some(batch));
        }
    }

    /// Returns the columns of a batch that the scan yields.
    fn yielded(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        match &self.split {
            Some(splitting) => splitting.yielded(batch),
            None => Ok(batch.clone()),
        }
    }

    /// Begins to read what comes after a page by ranges, if it is in a large partition. Returns whether
    /// it does.
    async fn splits(
        &mut self,
        batch: &RecordBatch,
        request: &Request,
        page: &QueryRowsResult,
    ) -> Result<bool> {
        let Some(splitting) = &mut self.split else {
            return Ok(false);
        };
        splitting.count(batch);
        let page_bytes = page.rows_bytes_size();
        splitting
            .split(batch, request, page_bytes, self.page_rows)
            .await
    }

    /// Returns the next batch of the ranges that a partition was split into, in no order.
    async fn next_of_ranges(&mut self) -> Result<Option<RecordBatch>> {
        let Some(splitting) = &mut self.split else {
            return Ok(None);
        };
        let Some(rest) = &mut splitting.rest else {
            return Ok(None);
        };
        let batch = rest.batches.try_next().await?;
        if batch.is_none() {
            let behind = splitting.rest.take().and_then(|rest| rest.behind);
            match behind {
                Some(request) => {
                    self.coming = Some((self.fetch(&request, PagingState::start()), request));
                }
                None => self.requests_done.add(1),
            }
        }
        Ok(batch)
    }

    /// Leaves the thread to the other readers of the scan.
    fn end(&self) {
        if let Some(splitting) = &self.split {
            splitting.end();
        }
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
                if let Some(splitting) = &mut self.split {
                    splitting.forget();
                }
                let request = self.requests.next()?;
                Some((self.fetch(&request, PagingState::start()), request))
            }
        }
    }

    fn fetch(&self, request: &Request, state: PagingState) -> SpawnedTask<Result<Page>> {
        let session = self.session.clone();
        let mut statement = request.routed(self.statement.clone());
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

/// Prepares a statement, once.
pub async fn prepare(statements: &Statements, cql: &str) -> Result<PreparedStatement> {
    let prepared = statements.prepare(cql).await;
    prepared.map_err(|e| external(format!("Cassandra: {e}")))
}

/// Returns the maximum number of rows of later pages of a statement with a `LIMIT`.
///
/// Cassandra pages no answer whose limit is at most the number of rows of a page: it takes no notice of where
/// the page before it ended, and answers from the beginning again. So pages may not grow up to the limit.
pub fn most_page_rows(limit: Option<usize>) -> i32 {
    let below_limit = limit.and_then(|limit| i32::try_from(limit.saturating_sub(1)).ok());
    below_limit.unwrap_or(PAGE_ROWS).clamp(1, PAGE_ROWS)
}

/// Returns the number of rows of the page after a page for which so many rows were asked.
///
/// Only a full page lets the next one be larger: a few small rows say nothing about those that follow, and
/// a page of thousands of large ones would take the memory of both sides.
fn next_page_rows(asked: i32, rows: usize, bytes: usize) -> i32 {
    let row_bytes = bytes.div_ceil(rows.max(1)).max(1);
    let fitting = i32::try_from(PAGE_BYTES / row_bytes).unwrap_or(PAGE_ROWS);
    let is_full = usize::try_from(asked).is_ok_and(|asked| rows >= asked);
    let most = if is_full {
        asked.saturating_mul(PAGE_GROWTH)
    } else {
        asked
    };
    fitting.min(most).clamp(1, PAGE_ROWS)
}

fn external(message: String) -> DataFusionError {
    DataFusionError::External(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_pages_stay_below_a_limit() {
        let most = [Some(0), Some(1), Some(2), Some(601), Some(1 << 40), None];
        let most = most.map(most_page_rows);
        assert_eq!(most, [1, 1, 1, 600, PAGE_ROWS, PAGE_ROWS]);
    }

    #[test]
    fn pages_grow_behind_full_ones_and_fit_large_rows() {
        let after = |asked: i32, rows: usize, row_bytes: usize| {
            next_page_rows(asked, rows, rows * row_bytes)
        };
        assert_eq!(after(100, 100, 50), 1000);
        assert_eq!(after(1000, 1000, 50), PAGE_ROWS);
        assert_eq!(after(PAGE_ROWS, 5000, 50), PAGE_ROWS);
        // The last page of a request, or that of an empty range.
        assert_eq!(after(100, 1, 50), 100);
        assert_eq!(after(100, 0, 0), 100);
        assert_eq!(after(100, 100, 100_000), 41);
        assert_eq!(after(5000, 3, 1_000_000), 4);
        assert_eq!(after(100, 1, 1 << 30), 1);
    }
}

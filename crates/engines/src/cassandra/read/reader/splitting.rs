//! Reading of what is left of a large partition by ranges of its order key at the same time.
//!
//! A scan of partitions knows which one it is in. One of the whole table tells them apart by their keys
//! where it reads these anyway, and goes on behind a partition that it has split.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::record_batch::RecordBatch;
use datafusion::error::Result;
use datafusion::physical_plan::metrics::Count;
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::BoxStream;

use super::{external, pages_of, prepare};
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::key_value::KeyValue;
use crate::cassandra::read::partition_key::PartitionKey;
use crate::cassandra::read::request::Request;
use crate::cassandra::read::split::{OrderKey, end, last_value};
use crate::cassandra::read::statements::Statements;

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
    /// How partitions are told apart in a scan of the whole table; `None` if each request is for one.
    pub partition_key: Option<PartitionKey>,
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
    /// Number of requests that are sent at the same time, in a scan of the whole table by all of its
    /// readers together.
    pub at_once: usize,
}

/// The readers of a scan, of which those that have ended leave their threads to the others.
#[derive(Debug)]
pub struct Readers {
    all: usize,
    ended: AtomicUsize,
}

impl Readers {
    pub fn new(all: usize) -> Arc<Readers> {
        Arc::new(Readers {
            all,
            ended: AtomicUsize::new(0),
        })
    }

    fn working(&self) -> usize {
        let ended = self.ended.load(Ordering::Relaxed);
        self.all.saturating_sub(ended).max(1)
    }

    fn leave_threads_idle(&self) -> bool {
        self.working() < self.all
    }
}

/// The partition that the last page ended in.
#[derive(Debug, Default)]
struct Current {
    /// Its key, in a scan of the whole table.
    partition: Option<Vec<KeyValue>>,
    /// Number of its whole pages so far.
    pages: usize,
}

impl Current {
    /// Counts a page of a scan of the whole table whose first and last rows are in these partitions.
    fn count(&mut self, first: Option<Vec<KeyValue>>, last: Option<Vec<KeyValue>>) {
        let is_whole = last.is_some() && first == last;
        if !is_whole {
            self.pages = 0;
        } else if last == self.partition {
            self.pages += 1;
        } else {
            self.pages = 1;
        }
        self.partition = last;
    }
}

/// The rest of a partition, and what comes behind it.
pub(super) struct Rest {
    pub(super) batches: BoxStream<'static, Result<RecordBatch>>,
    /// The request for the partitions behind it, if there may be some.
    pub(super) behind: Option<Request>,
}

/// The state of a reader that splits large partitions.
pub struct Splitting {
    split: Arc<Split>,
    statements: Arc<Statements>,
    /// Decoder of what the scan yields.
    decoder: Arc<Decoder>,
    readers: Arc<Readers>,
    current: Current,
    /// The ranges of the current partition, once it is split.
    pub(super) rest: Option<Rest>,
    /// Number of ranges so far.
    ranges: Count,
}

impl Splitting {
    /// Starts with a partition of which nothing was read. `decoder` is that of what the scan yields.
    pub fn new(
        split: Arc<Split>,
        statements: Arc<Statements>,
        decoder: Arc<Decoder>,
        readers: Arc<Readers>,
        ranges: Count,
    ) -> Splitting {
        Splitting {
            split,
            statements,
            decoder,
            readers,
            current: Current::default(),
            rest: None,
            ranges,
        }
    }

    /// Returns whether the next page may be the one after which a partition is split.
    ///
    /// A scan of the whole table splits none as long as all threads have partitions to read.
    pub(super) fn is_due(&self) -> bool {
        let has_threads = self.split.partition_key.is_none() || self.readers.leave_threads_idle();
        has_threads && self.current.pages + 1 >= PAGES_BEFORE_SPLIT
    }

    /// Counts a page that has rows, behind which the same request has others.
    pub(super) fn count(&mut self, batch: &RecordBatch) {
        match &self.split.partition_key {
            None => self.current.pages += 1,
            Some(key) => {
                let last = batch.num_rows().saturating_sub(1);
                self.current.count(key.of(batch, 0), key.of(batch, last));
            }
        }
    }

    /// Forgets the current partition, since a request has no more pages.
    pub(super) fn forget(&mut self) {
        self.current = Current::default();
    }

    /// Drops the order key from a batch, unless the scan yields it.
    pub(super) fn yielded(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns: Vec<usize> = (0..self.decoder.schema().fields().len()).collect();
        Ok(batch.project(&columns)?)
    }

    /// Leaves the thread to the other readers of the scan.
    pub(super) fn end(&self) {
        self.readers.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Begins to read what comes after the last page by ranges, if so many pages of its partition came.
    /// Returns whether it does.
    pub(super) async fn split(
        &mut self,
        batch: &RecordBatch,
        request: &Request,
        page_bytes: usize,
        page_rows: Option<i32>,
    ) -> Result<bool> {
        if self.current.pages < PAGES_BEFORE_SPLIT {
            return Ok(false);
        }
        let current = std::mem::take(&mut self.current);
        let (of_partition, behind) = match (&self.split.partition_key, current.partition) {
            (None, _) => (request.clone(), None),
            (Some(_), None) => return Ok(false),
            (Some(key), Some(values)) => {
                let Some(behind) = key.behind(&self.statements, &values, request).await? else {
                    return Ok(false);
                };
                (Request::new(values), behind.request)
            }
        };
        let batches = self.ranges_after(batch, &of_partition, page_bytes, page_rows);
        let batches = batches.await?;
        self.rest = Some(Rest { batches, behind });
        Ok(true)
    }

    /// Reads the rows of a partition that come after a batch, by ranges at the same time.
    ///
    /// The future is boxed since its stream is made of readers, whose future contains this one.
    fn ranges_after<'a>(
        &'a self,
        batch: &'a RecordBatch,
        request: &'a Request,
        page_bytes: usize,
        page_rows: Option<i32>,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<RecordBatch>>>> {
        let (split, statements) = (Arc::clone(&self.split), Arc::clone(&self.statements));
        let (decoder, ranges) = (Arc::clone(&self.decoder), self.ranges.clone());
        // Each other reader of a whole table may split a partition, too.
        let sharing = match split.partition_key {
            Some(_) => self.readers.working(),
            None => 1,
        };
        // Of each request, a page is decoded while the next one is on its way.
        let fitting = RANGES_BYTES / sharing / (2 * page_bytes.max(1));
        let at_once = (split.at_once / sharing).min(fitting).max(1);
        Box::pin(async move {
            let requests = range_requests(&split, &statements, batch, request, at_once).await?;
            ranges.add(requests.len());
            let statement = prepare(&statements, &split.range).await?;
            let streams = requests.into_iter().map(move |request| {
                let (session, statement) = (Arc::clone(&statements.session), statement.clone());
                pages_of(session, statement, Arc::clone(&decoder), request, page_rows).boxed()
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
    let Some(reached) = last_value(batch, split.place) else {
        return Err(external(format!(
            "Cassandra: rows without {} in a partition that has them all",
            split.order_key.column
        )));
    };
    // Rows may have expired meanwhile, or been deleted.
    let Some(last) = end(&statements.session, &last_row, request).await? else {
        return Ok(Vec::new());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pages_of_the_same_partition_are_counted() {
        let key = |number| Some(vec![KeyValue::Int(number)]);
        let mut current = Current::default();
        let mut pages = |first, last| {
            current.count(first, last);
            current.pages
        };
        // The page in which a partition begins has rows of others, too.
        assert_eq!(pages(key(1), key(2)), 0);
        assert_eq!(pages(key(2), key(2)), 1);
        assert_eq!(pages(key(2), key(2)), 2);
        assert_eq!(pages(key(3), key(3)), 1);
        assert_eq!(pages(key(3), key(4)), 0);
        assert_eq!(pages(None, None), 0);
        assert_eq!(pages(None, None), 0);
    }

    #[test]
    fn readers_that_have_ended_leave_their_threads() {
        let readers = Readers::new(2);
        assert!(!readers.leave_threads_idle());
        for _ in 0..3 {
            readers.ended.fetch_add(1, Ordering::Relaxed);
            assert!(readers.leave_threads_idle());
            assert_eq!(readers.working(), 1);
        }
        let alone = Readers::new(1);
        alone.ended.fetch_add(1, Ordering::Relaxed);
        assert!(!alone.leave_threads_idle());
    }
}

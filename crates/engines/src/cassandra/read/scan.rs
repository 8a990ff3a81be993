//! The scan of a table, which sends one CQL request after another and fetches the next page while
//! one is decoded.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt};
use scylla::client::session::Session;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;

use super::aggregation::Aggregation;
use super::decode::Decoder;
use super::first_rows::{FirstRows, HasFirstRows};
use super::readable::ReadColumn;
use super::reading::PAGE_ROWS;
use super::request::Request;
use super::split::{self, OrderKey};
use super::statements::Statements;

/// Number of rows of the first page if the size of rows is not known.
const FIRST_PAGE_ROWS: i32 = 100;
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

/// Name of the metric with the number of requests of a scan.
pub const REQUESTS: &str = "requests";
/// Name of the metric with the number of requests that have been answered.
pub const REQUESTS_DONE: &str = "requests_done";

/// The rows that each request of a scan reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Reads one partition, or a part of it.
    Partition,
    /// Reads all partitions of a token range, so that all requests read the whole table.
    TokenRange,
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Scope::Partition => "partitions",
            Scope::TokenRange => "full scan, token ranges",
        }
    }
}

/// The number of rows of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageRows {
    /// Uses [`PAGE_ROWS`].
    Fixed,
    /// Uses as many rows as fit into [`PAGE_BYTES`] by the size of earlier rows, but no more than
    /// [`PAGE_ROWS`].
    BySize,
}

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
    /// Number of values that the conditions of a query bind, behind the partition key.
    pub conditions: usize,
    /// Number of requests that are sent at the same time.
    pub at_once: usize,
}

/// A scan in a DataFusion plan, each partition of which sends its requests one after another.
#[derive(Debug)]
pub struct CassandraScan {
    statements: Arc<Statements>,
    pub cql: String,
    pub decoder: Arc<Decoder>,
    pub partitions: Vec<Vec<Request>>,
    pub scope: Scope,
    /// Number of rows after which each partition may stop.
    pub limit: Option<usize>,
    page_rows: PageRows,
    /// Statement that reads only the first row of each partition, if there is one.
    first_rows: Option<Arc<FirstRows<String>>>,
    /// Requests that aggregate the same rows, if Cassandra is to do it.
    aggregation: Option<Arc<Aggregation>>,
    /// How a large partition is split, if it can be.
    split: Option<Arc<Split>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl CassandraScan {
    pub fn new(
        statements: Arc<Statements>,
        cql: String,
        decoder: Arc<Decoder>,
        partitions: Vec<Vec<Request>>,
        scope: Scope,
        limit: Option<usize>,
        page_rows: PageRows,
    ) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(decoder.schema().clone()),
            Partitioning::UnknownPartitioning(partitions.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let (properties, metrics) = (Arc::new(properties), ExecutionPlanMetricsSet::new());
        let requests = partitions.iter().map(Vec::len).sum();
        MetricBuilder::new(&metrics)
            .global_counter(REQUESTS)
            .add(requests);
        CassandraScan {
            statements,
            cql,
            decoder,
            partitions,
            scope,
            limit,
            page_rows,
            first_rows: None,
            aggregation: None,
            split: None,
            properties,
            metrics,
        }
    }

    /// Returns the same scan with requests that aggregate its rows.
    pub fn with_aggregation(self, aggregation: Option<Aggregation>) -> Self {
        CassandraScan {
            aggregation: aggregation.map(Arc::new),
            ..self
        }
    }

    /// Returns the same scan, which splits large partitions.
    pub fn with_split(self, split: Option<Split>) -> Self {
        CassandraScan {
            split: split.map(Arc::new),
            ..self
        }
    }

    /// Returns the requests that aggregate the scan's rows, if Cassandra is to do it.
    pub fn aggregation(&self) -> Option<&Aggregation> {
        self.aggregation.as_deref()
    }

    pub fn statements(&self) -> Arc<Statements> {
        Arc::clone(&self.statements)
    }

    /// Returns the columns that the scan yields.
    pub fn columns(&self) -> Vec<ReadColumn> {
        self.decoder.columns()
    }

    /// Returns the same scan with a statement for first rows.
    pub fn with_first_rows(self, first_rows: Option<FirstRows<String>>) -> Self {
        CassandraScan {
            first_rows: first_rows.map(Arc::new),
            ..self
        }
    }
}

impl HasFirstRows for CassandraScan {
    type Statement = String;

    fn first_rows(&self) -> Option<&FirstRows<String>> {
        self.first_rows.as_deref()
    }

    fn with_statement(&self, cql: &String) -> Self {
        CassandraScan::new(
            Arc::clone(&self.statements),
            cql.clone(),
            Arc::clone(&self.decoder),
            self.partitions.clone(),
            self.scope,
            self.limit,
            self.page_rows,
        )
    }
}

impl DisplayAs for CassandraScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        let requests: usize = self.partitions.iter().map(Vec::len).sum();
        write!(
            f,
            "CassandraScan: cql=[{}], {}={requests}",
            self.cql,
            self.scope.name()
        )?;
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        if let Some(split) = &self.split {
            write!(f, ", if large by ranges of={}", split.order_key.column)?;
        }
        match self.decoder.selected_for_rows().as_slice() {
            [] => Ok(()),
            columns => write!(f, ", only to learn which rows exist={columns:?}"),
        }
    }
}

impl ExecutionPlan for CassandraScan {
    fn name(&self) -> &str {
        "CassandraScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let statements = Arc::clone(&self.statements);
        let split = self.split.clone();
        let (cql, decoder) = match &split {
            Some(split) => (split.opening.clone(), Arc::clone(&split.opening_decoder)),
            None => (self.cql.clone(), Arc::clone(&self.decoder)),
        };
        let yielded = Arc::clone(&self.decoder);
        let requests = self.partitions[partition].clone().into_iter();
        let remaining = self.limit.unwrap_or(usize::MAX);
        let page_rows = match self.page_rows {
            PageRows::Fixed => None,
            PageRows::BySize => Some(FIRST_PAGE_ROWS),
        };
        let requests_done = MetricBuilder::new(&self.metrics).counter(REQUESTS_DONE, partition);
        let ranges = MetricBuilder::new(&self.metrics).counter("ranges", partition);
        let reading = async move {
            let prepared = statements.prepare(&cql).await;
            Ok::<_, DataFusionError>(batches(Reader {
                session: Arc::clone(&statements.session),
                statement: prepared.map_err(|e| external(format!("Cassandra: {e}")))?,
                decoder,
                split: split.map(|split| Splitting {
                    split,
                    statements,
                    decoder: yielded,
                    pages: 0,
                    rest: None,
                    ranges,
                }),
                requests,
                coming: None,
                remaining,
                page_rows,
                requests_done,
            }))
        };
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let pages = MetricBuilder::new(&self.metrics).counter("pages", partition);
        let batches = futures::stream::once(reading).try_flatten();
        let counted = batches.inspect(move |batch| {
            if let Ok(batch) = batch {
                metrics.record_output(batch.num_rows());
                pages.add(1);
            }
        });
        let schema: SchemaRef = self.decoder.schema().clone();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, counted)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
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

fn batches(reader: Reader) -> impl Stream<Item = Result<RecordBatch>> {
    futures::stream::try_unfold(reader, |mut reader| async move {
        Ok(reader.next().await?.map(|batch| (batch, reader)))
    })
}

type Page = (QueryResult, PagingStateResponse);

/// The state of a partition of a scan, which reads its requests page by page.
struct Reader {
    session: Arc<Session>,
    statement: PreparedStatement,
    decoder: Arc<Decoder>,
    /// How the requests are split if their partitions are large; `None` if they are not.
    split: Option<Splitting>,
    requests: std::vec::IntoIter<Request>,
    /// Page that is being fetched, with the request that it belongs to.
    coming: Option<(SpawnedTask<Result<Page>>, Request)>,
    /// Number of rows until the limit.
    remaining: usize,
    /// Number of rows of the next page, unless the statement sets it.
    page_rows: Option<i32>,
    requests_done: Count,
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
            page.map_err(|e| external(format!("reading from Cassandra failed: {e}")))
        })
    }
}

/// The state of a reader that splits large partitions.
struct Splitting {
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
    let ranges = split::RANGES_PER_REQUEST * at_once;
    let rest = rest.unwrap_or(NOTHING);
    Ok(split
        .order_key
        .requests(request, split.conditions, rest, ranges))
}

async fn prepare(statements: &Statements, cql: &str) -> Result<PreparedStatement> {
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

//! The plan node that scans a table.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::{StreamExt, TryStreamExt};

use super::aggregation::Aggregation;
use super::decode::Decoder;
use super::first_rows::{FirstRows, HasFirstRows};
use super::owners::Owners;
use super::readable::ReadColumn;
use super::reader::{
    FIRST_PAGE_ROWS, Reader, Readers, Split, Splitting, batches, most_page_rows, prepare,
};
use super::request::{Request, Sent};
use super::statements::Statements;

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
    /// Uses that of the statement.
    Fixed,
    /// Uses as many rows as fit into a few MiB by the size of earlier rows.
    BySize,
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
    /// Columns whose indexes find the rows.
    indexed: Vec<String>,
    /// By which the nodes that own the rows are shown.
    owners: Option<Owners>,
    /// How a large partition is split, if it can be.
    split: Option<Arc<Split>>,
    readers: Arc<Readers>,
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
        let readers = Readers::new(partitions.len());
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
            indexed: Vec::new(),
            owners: None,
            split: None,
            readers,
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

    /// Returns the same scan, which shows the columns whose indexes find the rows.
    pub fn with_indexed(self, indexed: Vec<String>) -> Self {
        CassandraScan { indexed, ..self }
    }

    /// Returns the same scan, which shows how many nodes own its rows.
    pub fn with_owners(self, owners: Option<Owners>) -> Self {
        CassandraScan { owners, ..self }
    }

    /// Returns that by which the nodes that own the rows are shown.
    pub fn owners(&self) -> Option<&Owners> {
        self.owners.as_ref()
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

    /// Returns the statement that is sent first, with its requests.
    pub fn sent(&self) -> Sent {
        let opening = self.split.as_ref().map(|split| &split.opening);
        Sent {
            cql: opening.unwrap_or(&self.cql).clone(),
            requests: self.partitions.concat(),
        }
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
        .with_owners(self.owners.clone())
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
        if let Some(owners) = &self.owners {
            let cluster = self.statements.session.get_cluster_state();
            f.write_str(&owners.shown(&cluster, &self.partitions))?;
        }
        if !self.indexed.is_empty() {
            write!(f, ", by index of={}", self.indexed.join("+"))?;
        }
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
        let readers = Arc::clone(&self.readers);
        let requests = self.partitions[partition].clone().into_iter();
        let limit = self.limit;
        let remaining = limit.unwrap_or(usize::MAX);
        let page_rows = match self.page_rows {
            PageRows::Fixed => None,
            PageRows::BySize => Some(FIRST_PAGE_ROWS),
        };
        let requests_done = MetricBuilder::new(&self.metrics).counter(REQUESTS_DONE, partition);
        let ranges = MetricBuilder::new(&self.metrics).counter("ranges", partition);
        let reading = async move {
            Ok::<_, DataFusionError>(batches(Reader {
                session: Arc::clone(&statements.session),
                statement: prepare(&statements, &cql).await?,
                decoder,
                split: split
                    .map(|split| Splitting::new(split, statements, yielded, readers, ranges)),
                requests,
                coming: None,
                remaining,
                page_rows,
                most_page_rows: most_page_rows(limit),
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

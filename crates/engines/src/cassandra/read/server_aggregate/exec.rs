//! The plan node of aggregates that Cassandra computes.

use std::fmt::{self, Formatter};
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{
    Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::{StreamExt, TryStreamExt};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;
use scylla::value::{CqlValue, Row};

use super::measure::Measure;
use crate::cassandra::read::aggregation::{Aggregation, Division};
use crate::cassandra::read::failures::explained;
use crate::cassandra::read::owners::Owners;
use crate::cassandra::read::request::{Request, Sent};
use crate::cassandra::read::scan::CassandraScan;
use crate::cassandra::read::split::end;
use crate::cassandra::read::statements::Statements;

/// Time limit of a request, which is none: the limit of the question ends it, and the server has its own.
const TIME_LIMIT: Duration = Duration::from_secs(86_400);
/// What is selected before all measures: the number of rows that the server has read.
const ROWS: &str = "count(*)";

/// The plan node that yields the state of aggregates after the rows of each request.
#[derive(Debug)]
pub struct ServerAggregateExec {
    statements: Arc<Statements>,
    cql: String,
    partitions: Vec<Vec<Request>>,
    division: Option<Division>,
    owners: Option<Owners>,
    measures: Vec<Measure>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl ServerAggregateExec {
    pub(super) fn new(
        scan: &CassandraScan,
        aggregation: &Aggregation,
        measures: Vec<Measure>,
        schema: SchemaRef,
    ) -> ServerAggregateExec {
        let measured = measures.iter().flat_map(Measure::selected);
        let selected: Vec<String> = iter::once(ROWS.to_owned()).chain(measured).collect();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(aggregation.partitions.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        ServerAggregateExec {
            statements: scan.statements(),
            cql: format!("SELECT {} {}", selected.join(", "), aggregation.from),
            partitions: aggregation.partitions.clone(),
            division: aggregation.division.clone(),
            owners: scan.owners().cloned(),
            measures,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// Returns the statement with its requests. A partition that is divided is asked for its ends first.
    ///
    /// # Errors
    /// Fails if Cassandra does not say where a partition ends.
    pub async fn sent(&self) -> Result<Sent> {
        let requests = self.partitions.concat();
        let cql = self.cql.clone();
        let Some(division) = &self.division else {
            return Ok(Sent { cql, requests });
        };
        let (asked, division) = (Arc::new(self.asked(0)), Arc::new(division.clone()));
        let mut divided = Vec::new();
        for request in requests {
            let ranges = divide(Arc::clone(&asked), Arc::clone(&division), request);
            divided.extend(ranges.await?);
        }
        Ok(Sent {
            cql,
            requests: divided,
        })
    }

    /// Returns what each request of a partition of the plan needs.
    fn asked(&self, partition: usize) -> Asked {
        Asked {
            statements: Arc::clone(&self.statements),
            cql: self.cql.clone(),
            measures: self.measures.clone(),
            schema: Arc::clone(self.properties.eq_properties.schema()),
            rows: MetricBuilder::new(&self.metrics).output_rows(partition),
            ranges: MetricBuilder::new(&self.metrics).counter("ranges", partition),
        }
    }
}

impl DisplayAs for ServerAggregateExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        let requests: usize = self.partitions.iter().map(Vec::len).sum();
        write!(
            f,
            "CassandraAggregate: cql=[{}], requests={requests}",
            self.cql
        )?;
        if let Some(owners) = &self.owners {
            if owners.are_partitions() {
                write!(f, ", partitions={requests}")?;
            }
            let cluster = self.statements.session.get_cluster_state();
            f.write_str(&owners.shown(&cluster, &self.partitions))?;
        }
        match &self.division {
            Some(division) => write!(f, ", by ranges of={}", division.order_key.column),
            None => Ok(()),
        }
    }
}

impl ExecutionPlan for ServerAggregateExec {
    fn name(&self) -> &str {
        "CassandraAggregate"
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
        let schema = Arc::clone(self.properties.eq_properties.schema());
        let asked = Arc::new(self.asked(partition));
        let requests = futures::stream::iter(self.partitions[partition].clone());
        let states = match self.division.clone() {
            None => requests
                .then(move |request| Arc::clone(&asked).state(request))
                .boxed(),
            Some(division) => {
                let at_once = division.at_once;
                let division = Arc::new(division);
                let of_ranges = Arc::clone(&asked);
                let divided = requests.then(move |request| {
                    divide(Arc::clone(&asked), Arc::clone(&division), request)
                });
                let ranges = divided.map_ok(|ranges| futures::stream::iter(ranges).map(Ok));
                ranges
                    .try_flatten()
                    .map_ok(move |range| Arc::clone(&of_ranges).state(range))
                    .try_buffer_unordered(at_once)
                    .boxed()
            }
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, states)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// What each request of an aggregation needs.
struct Asked {
    statements: Arc<Statements>,
    cql: String,
    measures: Vec<Measure>,
    schema: SchemaRef,
    /// Number of rows that the server has read.
    rows: Count,
    /// Number of ranges that partitions were divided into.
    ranges: Count,
}

impl Asked {
    /// Returns the state of the aggregates after the rows of a request.
    async fn state(self: Arc<Self>, request: Request) -> Result<RecordBatch> {
        let statement = request.routed(self.prepare(&self.cql).await?);
        let row = ask(&self.statements, &statement, &request).await?;
        let mut values = row.columns.into_iter();
        match values.next().flatten() {
            Some(CqlValue::BigInt(rows)) => self.rows.add(usize::try_from(rows).unwrap_or(0)),
            other => return Err(failed(format!("the number of rows is {other:?}"))),
        }
        let mut states: Vec<ScalarValue> = Vec::new();
        for measure in &self.measures {
            states.extend(measure.state(&mut values).map_err(failed)?);
        }
        let columns = states
            .iter()
            .map(ScalarValue::to_array)
            .collect::<Result<_>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    async fn prepare(&self, cql: &str) -> Result<PreparedStatement> {
        let mut statement = self.statements.prepare(cql).await.map_err(failed)?;
        statement.set_request_timeout(Some(TIME_LIMIT));
        Ok(statement)
    }
}

/// Divides the partition of a request by ranges of its order key.
async fn divide(
    asked: Arc<Asked>,
    division: Arc<Division>,
    request: Request,
) -> Result<Vec<Request>> {
    let least = asked.prepare(&division.least).await?;
    let greatest = asked.prepare(&division.greatest).await?;
    let session = &asked.statements.session;
    let ends = futures::try_join!(
        end(session, &least, &request),
        end(session, &greatest, &request)
    )?;
    let (Some(low), Some(high)) = ends else {
        return Ok(Vec::new());
    };
    let order_key = &division.order_key;
    let requests = order_key.requests(&request, (low, high), division.at_once);
    asked.ranges.add(requests.len());
    Ok(requests)
}

/// Sends a request, and returns the one row of its answer.
async fn ask(
    statements: &Statements,
    statement: &PreparedStatement,
    request: &Request,
) -> Result<Row> {
    let session = &statements.session;
    let mut paging = PagingState::start();
    loop {
        let page = session.execute_single_page(statement, request, paging);
        let (result, next) = page.await.map_err(|error| failed(explained(&error)))?;
        let rows = result.into_rows_result().map_err(failed)?;
        if let Some(row) = rows.maybe_first_row::<Row>().map_err(failed)? {
            return Ok(row);
        }
        match next {
            PagingStateResponse::HasMorePages { state } => paging = state,
            PagingStateResponse::NoMorePages => return Err(failed("the answer has no row")),
        }
    }
}

fn failed(error: impl fmt::Display) -> DataFusionError {
    DataFusionError::External(format!("aggregating in Cassandra failed: {error}").into())
}

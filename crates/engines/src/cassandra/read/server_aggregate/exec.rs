//! The plan node of aggregates that Cassandra computes.

use std::fmt::{self, Formatter};
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
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::StreamExt;
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;
use scylla::value::{CqlValue, Row};

use super::measure::Measure;
use crate::cassandra::read::request::{Aggregation, Request};
use crate::cassandra::read::scan::CassandraScan;
use crate::cassandra::read::statements::Statements;

/// Time limit of an aggregate: that of a server which Bakeoff starts, unless a workload sets another.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// The plan node that yields the state of aggregates after the rows of each request.
#[derive(Debug)]
pub struct ServerAggregateExec {
    statements: Arc<Statements>,
    cql: String,
    partitions: Vec<Vec<Request>>,
    measures: Vec<Measure>,
    properties: Arc<PlanProperties>,
}

impl ServerAggregateExec {
    pub(super) fn new(
        scan: &CassandraScan,
        aggregation: &Aggregation,
        measures: Vec<Measure>,
        schema: SchemaRef,
    ) -> ServerAggregateExec {
        let selected: Vec<String> = measures.iter().flat_map(Measure::selected).collect();
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
            measures,
            properties: Arc::new(properties),
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
        )
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
        let (statements, cql) = (Arc::clone(&self.statements), self.cql.clone());
        let (measures, schema) = (
            self.measures.clone(),
            self.properties.eq_properties.schema(),
        );
        let (schema, requests) = (Arc::clone(schema), self.partitions[partition].clone());
        let states = {
            let schema = Arc::clone(&schema);
            futures::stream::iter(requests).then(move |request| {
                let (statements, cql) = (Arc::clone(&statements), cql.clone());
                let (measures, schema) = (measures.clone(), Arc::clone(&schema));
                async move {
                    let mut statement = statements.prepare(&cql).await.map_err(failed)?;
                    statement.set_request_timeout(Some(TIME_LIMIT));
                    let row = ask(&statements, &statement, &request).await?;
                    state(&measures, row, schema)
                }
            })
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, states)))
    }
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
        let (result, next) = page.await.map_err(failed)?;
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

fn state(measures: &[Measure], row: Row, schema: SchemaRef) -> Result<RecordBatch> {
    let mut values = row.columns.into_iter();
    let values: &mut dyn Iterator<Item = Option<CqlValue>> = &mut values;
    let mut states: Vec<ScalarValue> = Vec::new();
    for measure in measures {
        states.extend(measure.state(values).map_err(failed)?);
    }
    let columns = states
        .iter()
        .map(ScalarValue::to_array)
        .collect::<Result<_>>()?;
    Ok(RecordBatch::try_new(schema, columns)?)
}

fn failed(error: impl fmt::Display) -> DataFusionError {
    DataFusionError::External(format!("aggregating in Cassandra failed: {error}").into())
}

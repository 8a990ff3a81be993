//! The plan node of aggregates that statistics answer.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::memory::MemoryStream;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};

/// The plan node that yields one row, the state of aggregates after the rows of some chunks, and reads
/// nothing.
#[derive(Debug)]
pub struct StatisticsExec {
    state: RecordBatch,
    table: String,
    chunks: usize,
    rows: u64,
    looked_up: usize,
    properties: Arc<PlanProperties>,
}

impl StatisticsExec {
    /// Makes a node from states in the order of the schema's columns.
    pub(super) fn new(
        schema: SchemaRef,
        states: Vec<ScalarValue>,
        table: String,
        chunks: usize,
        rows: u64,
    ) -> Result<StatisticsExec> {
        let columns = states
            .iter()
            .map(ScalarValue::to_array)
            .collect::<Result<_>>()?;
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(StatisticsExec {
            state: RecordBatch::try_new(schema, columns)?,
            table,
            chunks,
            rows,
            looked_up: 0,
            properties: Arc::new(properties),
        })
    }

    /// Notes how many chunks were looked up, for a plan without a scan that would say so.
    pub(super) fn with_looked_up(self, looked_up: usize) -> StatisticsExec {
        StatisticsExec { looked_up, ..self }
    }

    /// Returns the number of chunks that are answered from statistics.
    pub fn chunks(&self) -> usize {
        self.chunks
    }

    /// Returns the number of chunks in the places that were looked up, or 0 if the plan has a scan that
    /// knows it.
    pub fn chunks_looked_up(&self) -> usize {
        self.looked_up
    }
}

impl DisplayAs for StatisticsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        let (table, chunks, rows) = (&self.table, self.chunks, self.rows);
        write!(
            f,
            "ColumnarStatistics: {table}, chunks={chunks}, rows={rows}, read=0"
        )
    }
}

impl ExecutionPlan for StatisticsExec {
    fn name(&self) -> &str {
        "ColumnarStatistics"
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

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let rows = vec![self.state.clone()];
        Ok(Box::pin(MemoryStream::try_new(
            rows,
            self.state.schema(),
            None,
        )?))
    }
}

//! The scan of series in a DataFusion plan, each partition of which reads some keys and days.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::StreamExt;
use scylla::statement::prepared::PreparedStatement;

use super::read::{Reading, Unit};
use crate::cassandra::read::first_rows::{FirstRows, HasFirstRows};

/// A scan of series.
#[derive(Debug)]
pub struct SeriesScan {
    reading: Arc<Reading>,
    partitions: Vec<Vec<Unit>>,
    /// Statement that reads only the newest row of each key and day, if there is one.
    newest: Option<Arc<FirstRows<PreparedStatement>>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl SeriesScan {
    pub fn new(
        reading: Arc<Reading>,
        partitions: Vec<Vec<Unit>>,
        newest: Option<Arc<FirstRows<PreparedStatement>>>,
    ) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(reading.schema.clone()),
            Partitioning::UnknownPartitioning(partitions.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        SeriesScan {
            reading,
            partitions,
            newest,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }
}

impl HasFirstRows for SeriesScan {
    type Statement = PreparedStatement;

    fn first_rows(&self) -> Option<&FirstRows<PreparedStatement>> {
        self.newest.as_deref()
    }

    fn with_statement(&self, statement: &PreparedStatement) -> Self {
        let reading = Arc::new(self.reading.with_statement(statement.clone()));
        SeriesScan::new(reading, self.partitions.clone(), None)
    }
}

impl DisplayAs for SeriesScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        let units: usize = self.partitions.iter().map(Vec::len).sum();
        write!(
            f,
            "SeriesScan: cql=[{}], keys and days={units}, metrics=[{}]",
            self.reading.statement.get_statement(),
            self.reading.metrics.join(", ")
        )
    }
}

impl ExecutionPlan for SeriesScan {
    fn name(&self) -> &str {
        "SeriesScan"
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
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let units = self.partitions[partition].clone();
        let counted = self.reading.clone().units(units).inspect(move |batch| {
            if let Ok(batch) = batch {
                metrics.record_output(batch.num_rows());
            }
        });
        let schema = self.reading.schema.clone();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, counted)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

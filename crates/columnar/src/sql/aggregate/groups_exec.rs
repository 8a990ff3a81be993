//! The plan node of an aggregation by a column of codes.

use std::collections::HashSet;
use std::fmt::{self, Formatter};
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{CardinalityEffect, EmissionType};
use datafusion::physical_plan::filter_pushdown::{
    ChildFilterDescription, FilterDescription, FilterPushdownPhase,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PlanProperties,
};

use super::group_rows;
use super::grouping::{Aggregate, Grouping};

/// The plan node that aggregates rows by a column of codes, and yields states for a last step to
/// merge.
#[derive(Debug)]
pub struct GroupsExec {
    input: Arc<dyn ExecutionPlan>,
    grouping: Arc<Grouping>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl GroupsExec {
    /// Makes a node that does the same as DataFusion's own first step, over an input with the same
    /// columns, one of them coded. Returns `None` if rows are not grouped by a column.
    pub fn new(step: &AggregateExec, input: Arc<dyn ExecutionPlan>) -> Result<Option<GroupsExec>> {
        let grouping = Grouping::new(step, &input.schema())?;
        Ok(grouping.map(|grouping| GroupsExec::over(Arc::new(grouping), input)))
    }

    fn over(grouping: Arc<Grouping>, input: Arc<dyn ExecutionPlan>) -> GroupsExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&grouping.schema)),
            Partitioning::UnknownPartitioning(input.output_partitioning().partition_count()),
            EmissionType::Final,
            input.boundedness(),
        );
        GroupsExec {
            input,
            grouping,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }
}

impl DisplayAs for GroupsExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        let by = self.grouping.schema.field(0).name();
        let functions = self
            .grouping
            .aggregates
            .iter()
            .map(|a| a.function.name())
            .collect::<Vec<_>>()
            .join(", ");
        match format {
            DisplayFormatType::TreeRender => writeln!(f, "by={by}\n{functions}"),
            _ => write!(f, "ColumnarGroups: by=[{by}], aggregates=[{functions}]"),
        }
    }
}

impl ExecutionPlan for GroupsExec {
    fn name(&self) -> &str {
        "ColumnarGroups"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let aggregates = self.grouping.aggregates.iter();
        for expr in aggregates.flat_map(Aggregate::expressions) {
            if visit(expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children
            .into_iter()
            .next()
            .unwrap_or_else(|| Arc::clone(&self.input));
        Ok(Arc::new(GroupsExec::over(
            Arc::clone(&self.grouping),
            input,
        )))
    }

    /// The scan has divided its parts already among as many partitions as there are.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.input.execute(partition, Arc::clone(&context))?;
        group_rows::stream(&self.grouping, rows, partition, &context, &self.metrics)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.grouping.schema);
        if let Some(input) = inputs.first() {
            statistics.num_rows = input.num_rows.to_inexact();
        }
        Ok(Arc::new(statistics))
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::LowerEqual
    }

    /// Passes filters of the group on: they exclude all rows of a group or none.
    fn gather_filters_for_pushdown(
        &self,
        _: FilterPushdownPhase,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterDescription> {
        let name = self.grouping.schema.field(0).name();
        // DataFusion finds the columns of such filters by name.
        let same = self.input.schema().index_of(name).ok() == Some(self.grouping.column);
        let groups = HashSet::from_iter(same.then_some(0));
        let below =
            ChildFilterDescription::from_child_with_allowed_indices(&filters, groups, &self.input)?;
        Ok(FilterDescription::new().with_child(below))
    }
}

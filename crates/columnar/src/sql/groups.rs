//! The first step of an aggregation by a column that comes as codes, as DataFusion plans and runs it.

use std::collections::HashSet;
use std::fmt::{self, Formatter};
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use arrow::datatypes::SchemaRef;
use datafusion::common::Statistics;
use datafusion::common::cast::as_boolean_array;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::filter_pushdown::{
    ChildFilterDescription, FilterDescription, FilterPushdownPhase,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
    PlanProperties,
};

use super::codes::over_values;
use super::grouping;

/// What is computed of each group.
#[derive(Debug)]
pub struct Grouping {
    /// Of the input: the column that the groups are of, a dictionary array.
    pub column: usize,
    pub aggregates: Vec<Aggregate>,
    /// Groups and states of the aggregates.
    pub schema: SchemaRef,
}

/// A function, and what it is applied to.
#[derive(Debug)]
pub struct Aggregate {
    pub function: Arc<AggregateFunctionExpr>,
    arguments: Vec<Arc<dyn PhysicalExpr>>,
    filter: Option<Arc<dyn PhysicalExpr>>,
}

impl Aggregate {
    pub fn arguments(&self, rows: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let array = |expr: &Arc<dyn PhysicalExpr>| -> Result<ArrayRef> {
            expr.evaluate(rows)?.into_array(rows.num_rows())
        };
        self.arguments.iter().map(array).collect()
    }

    /// Which rows are aggregated, if not all.
    pub fn filter(&self, rows: &RecordBatch) -> Result<Option<BooleanArray>> {
        let Some(filter) = &self.filter else {
            return Ok(None);
        };
        let passing = filter.evaluate(rows)?.into_array(rows.num_rows())?;
        Ok(Some(as_boolean_array(&passing)?.clone()))
    }
}

/// Aggregates rows by a column that comes as codes, and yields states for a last step to merge.
#[derive(Debug)]
pub struct GroupsExec {
    input: Arc<dyn ExecutionPlan>,
    grouping: Arc<Grouping>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl GroupsExec {
    /// Does the same as a first step, of an input with the same columns, one of them coded. Nothing
    /// if the groups are not of a column.
    pub fn new(step: &AggregateExec, input: Arc<dyn ExecutionPlan>) -> Result<Option<GroupsExec>> {
        let schema = input.schema();
        let groups = step.group_expr().expr().first();
        let Some(column) = groups.and_then(|(expr, _)| expr.downcast_ref::<Column>()) else {
            return Ok(None);
        };
        let over_values = |expr: &Arc<dyn PhysicalExpr>| over_values(expr, &schema);
        let aggregate = |(function, filter): (&Arc<AggregateFunctionExpr>, &Option<_>)| {
            // It looks at nulls only, which codes tell as well.
            let counts = function.fun() == count_udaf().as_ref() && !function.is_distinct();
            let argument = |expr: &Arc<dyn PhysicalExpr>| {
                if counts && expr.is::<Column>() {
                    Ok(Arc::clone(expr))
                } else {
                    over_values(expr)
                }
            };
            let arguments = function.expressions();
            Ok(Aggregate {
                function: Arc::clone(function),
                arguments: arguments.iter().map(argument).collect::<Result<_>>()?,
                filter: filter.as_ref().map(over_values).transpose()?,
            })
        };
        let aggregates = step.aggr_expr().iter().zip(step.filter_expr());
        let grouping = Grouping {
            column: column.index(),
            aggregates: aggregates.map(aggregate).collect::<Result<_>>()?,
            schema: step.schema(),
        };
        Ok(Some(GroupsExec::over(Arc::new(grouping), input)))
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

    fn over_first(&self, children: Vec<Arc<dyn ExecutionPlan>>) -> Arc<dyn ExecutionPlan> {
        let input = children.into_iter().next();
        let input = input.unwrap_or_else(|| Arc::clone(&self.input));
        Arc::new(GroupsExec::over(Arc::clone(&self.grouping), input))
    }
}

impl DisplayAs for GroupsExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        let by = self.grouping.schema.field(0).name();
        let functions = self.grouping.aggregates.iter().map(|a| a.function.name());
        let functions = functions.collect::<Vec<_>>().join(", ");
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
        for expr in aggregates.flat_map(|a| a.arguments.iter().chain(&a.filter)) {
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
        Ok(self.over_first(children))
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.over_first(children))
    }

    /// A scan deals its parts to as many as there are.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.input.execute(partition, Arc::clone(&context))?;
        grouping::stream(&self.grouping, rows, partition, &context, &self.metrics)
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

    /// Filters of the groups may leave rows out: all of a group's or none.
    fn gather_filters_for_pushdown(
        &self,
        _: FilterPushdownPhase,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterDescription> {
        let name = self.grouping.schema.field(0).name();
        // Columns are found by name.
        let same = self.input.schema().index_of(name).ok() == Some(self.grouping.column);
        let groups = HashSet::from_iter(same.then_some(0));
        let below =
            ChildFilterDescription::from_child_with_allowed_indices(&filters, groups, &self.input)?;
        Ok(FilterDescription::new().with_child(below))
    }
}

//! A scan as DataFusion plans and runs it.

use std::fmt::{self, Formatter};
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::DynamicFilterTracking;
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation, PushedDown,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    SortOrderPushdownResult,
};

use super::spec::ScanSpec;
use super::{explain, order, statistics, stream};
use crate::sql::plan::task::Task;
use crate::table::Part;

/// The plan node that reads parts of a columnar table.
#[derive(Debug)]
pub struct ColumnarScan {
    pub(crate) spec: ScanSpec,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl ColumnarScan {
    pub(crate) fn new(spec: ScanSpec) -> ColumnarScan {
        let properties = PlanProperties::new(
            order::equivalence(&spec),
            Partitioning::UnknownPartitioning(spec.tasks.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        ColumnarScan {
            spec,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// Returns the number of chunks in the places that were looked up.
    pub fn chunks_looked_up(&self) -> usize {
        self.spec.source.chunks
    }

    /// Returns the number of chunks that are read: neither pruned nor beyond a limit.
    pub fn chunks_to_read(&self) -> usize {
        let chunks = self.spec.in_order().map(|task| task.part.chunks.len());
        chunks.sum()
    }

    /// Returns the parts that are read, in the order of the scan, each with the cost of reading it in
    /// bytes.
    pub fn parts(&self) -> Vec<(Part, u64)> {
        let cost = |task: &Task| task.cost(&self.spec.projection, &self.spec.source.filter);
        let part = |task: &Arc<Task>| (task.part.clone(), cost(task));
        self.spec.in_order().map(part).collect()
    }
}

impl DisplayAs for ColumnarScan {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut Formatter<'_>) -> fmt::Result {
        let (table, facts) = (&self.spec.source.name, explain::facts(&self.spec));
        match format {
            DisplayFormatType::TreeRender => writeln!(f, "table={table}\n{}", facts.join("\n")),
            _ => write!(f, "ColumnarScan: {table}, {}", facts.join(", ")),
        }
    }
}

impl ExecutionPlan for ColumnarScan {
    fn name(&self) -> &str {
        "ColumnarScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for expr in &self.spec.dynamic {
            if visit(expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        Ok(stream::stream(&self.spec, partition, &self.metrics))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let statistics = statistics::scan_statistics(&self.spec, args.partition())?;
        Ok(Arc::new(statistics))
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let limited = self.spec.clone().limited(limit);
        Some(Arc::new(ColumnarScan::new(limited)))
    }

    fn fetch(&self) -> Option<usize> {
        self.spec.fetch
    }

    fn try_pushdown_sort(
        &self,
        wanted: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        if self.spec.newest {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        let pushed = order::pushed_down(&self.spec, wanted)?;
        Ok(pushed.map(|spec| Arc::new(ColumnarScan::new(spec)) as _))
    }

    /// Takes filters that become narrower while the query runs, such as the least value among the ten
    /// best so far, to skip parts that cannot match any more. The rows of the other parts are filtered
    /// by a node above, as if this scan had taken no filter.
    fn handle_child_pushdown_result(
        &self,
        phase: FilterPushdownPhase,
        pushed: ChildPushdownResult,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let filters = pushed.parent_filters.iter().map(|f| &f.filter);
        let dynamic: Vec<_> = filters
            .filter(|f| DynamicFilterTracking::classify(f).contains_dynamic_filter())
            .cloned()
            .collect();
        let still_above = vec![PushedDown::No; pushed.parent_filters.len()];
        let answer = FilterPushdownPropagation::with_parent_pushdown_result(still_above);
        // Below a limit, and where the newest rows are chosen, rows that are skipped would make room
        // for others that do not belong to the answer.
        let is_fixed = self.spec.fetch.is_some() || self.spec.newest;
        if !matches!(phase, FilterPushdownPhase::Post) || dynamic.is_empty() || is_fixed {
            return Ok(answer);
        }
        let mut spec = self.spec.clone();
        spec.dynamic.extend(dynamic);
        Ok(answer.with_updated_node(Arc::new(ColumnarScan::new(spec))))
    }
}

//! A scan as DataFusion plans and runs it.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::Statistics;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::DynamicFilterTracking;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation, PushedDown,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    ExecutionPlan, Partitioning, PlanProperties, SortOrderPushdownResult,
};

use super::filter::{Filter, projected};
use super::newest;
use super::order::{self, Order};
use super::read;
use super::statistics;
use super::task::{Task, dealt, enough};
use crate::definition::Definition;
use crate::encoding::coded_schema;
use crate::table::Table;

/// What is the same for all variants of a scan.
#[derive(Debug)]
pub struct Source {
    pub table: Arc<Table>,
    pub name: String,
    pub filter: Filter,
    /// What the filters say of keys, for people.
    pub keys: String,
    /// Places that were looked up, and those that were passed over; none where the filters
    /// contradict each other, so that no key is wanted.
    pub places: Option<(usize, Option<usize>)>,
    /// Chunks in those places.
    pub chunks: usize,
    /// Those of them that hold no wanted keys.
    pub pruned_by_key: usize,
    pub pruned_by_statistics: usize,
    /// Columns that the filters leave one value of, by number.
    pub constants: Vec<usize>,
}

impl Source {
    pub(super) fn definition(&self) -> &Arc<Definition> {
        self.table.definition()
    }
}

/// Reads parts of a table: each DataFusion partition has some, one after another.
#[derive(Debug, Clone)]
pub struct ColumnarScan {
    pub(super) source: Arc<Source>,
    /// Numbers of the columns.
    pub(super) projection: Arc<[usize]>,
    schema: SchemaRef,
    /// All that the filters leave, for each DataFusion partition.
    all: Vec<Vec<Arc<Task>>>,
    /// What is read of it.
    pub(super) tasks: Vec<Vec<Arc<Task>>>,
    pub(super) order: Order,
    /// The column that comes as a dictionary array, by number.
    pub(super) coded: Option<usize>,
    /// Whether only the newest rows of each partition key are read. More of them may come.
    pub(super) newest: bool,
    /// Chunks that are not read, since statistics answer what is asked of them.
    pub(super) answered: usize,
    /// Rows after which each DataFusion partition may stop.
    pub(super) fetch: Option<usize>,
    /// Filters over the projection that get narrower while the query runs. They only prune.
    pub(super) dynamic: Vec<Arc<dyn PhysicalExpr>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl ColumnarScan {
    /// Tasks are in the order of `order`, for this many DataFusion partitions at most.
    pub(super) fn new(
        source: Arc<Source>,
        projection: Arc<[usize]>,
        tasks: &[Arc<Task>],
        partitions: usize,
        order: Order,
    ) -> ColumnarScan {
        let cost = |task: &Task| task.cost(&projection, &source.filter);
        let tasks = dealt(tasks, partitions, cost);
        let schema = projected(source.filter.schema(), &projection);
        let properties = properties(&source, &schema, order, tasks.len());
        ColumnarScan {
            source,
            projection,
            schema,
            all: tasks.clone(),
            tasks,
            order,
            coded: None,
            newest: false,
            answered: 0,
            fetch: None,
            dynamic: Vec::new(),
            properties,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// The same scan of other tasks.
    pub(super) fn with_tasks(&self, tasks: Vec<Vec<Arc<Task>>>, order: Order) -> ColumnarScan {
        let tasks = if tasks.is_empty() {
            vec![Vec::new()]
        } else {
            tasks
        };
        ColumnarScan {
            properties: properties(&self.source, &self.schema, order, tasks.len()),
            all: tasks.clone(),
            tasks,
            order,
            metrics: ExecutionPlanMetricsSet::new(),
            ..self.clone()
        }
        .limited(self.fetch)
    }

    /// A scan of the same rows of which only the newest of each partition key come, and maybe more.
    pub(super) fn of_newest(&self) -> ColumnarScan {
        let tasks = self.in_order().cloned().collect();
        let tasks = newest::dealt(self.definition(), tasks, self.tasks.len());
        ColumnarScan {
            newest: true,
            ..self.with_tasks(tasks, Order::None)
        }
    }

    /// The same scan, of which one column comes as a dictionary array.
    pub(super) fn with_codes(&self, column: usize) -> ColumnarScan {
        let at = self.projection.iter().position(|n| *n == column);
        let schema = coded_schema(&self.schema, at);
        ColumnarScan {
            properties: properties(&self.source, &schema, self.order, self.tasks.len()),
            coded: Some(column),
            schema,
            metrics: ExecutionPlanMetricsSet::new(),
            ..self.clone()
        }
    }

    /// The same scan, of which as many rows are enough.
    pub(super) fn limited(mut self, fetch: Option<usize>) -> ColumnarScan {
        self.fetch = fetch;
        self.tasks = match fetch {
            None => self.all.clone(),
            Some(rows) => enough(&self.all, rows as u64),
        };
        self
    }

    pub(super) fn definition(&self) -> &Arc<Definition> {
        self.source.definition()
    }

    /// Chunks in the places that were looked up.
    pub fn chunks_looked_up(&self) -> usize {
        self.source.chunks
    }

    /// Those of them that are read: neither pruned nor beyond a limit.
    pub fn chunks_to_read(&self) -> usize {
        self.in_order().map(|task| task.part.chunks.len()).sum()
    }

    /// What is read, in the order of the scan.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &Arc<Task>> {
        self.tasks.iter().flatten()
    }
}

fn properties(
    source: &Source,
    schema: &SchemaRef,
    order: Order,
    partitions: usize,
) -> Arc<PlanProperties> {
    let mut equivalence = EquivalenceProperties::new(Arc::clone(schema));
    order::declare(&mut equivalence, source, order);
    Arc::new(PlanProperties::new(
        equivalence,
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    ))
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
        for expr in &self.dynamic {
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

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        Ok(read::stream(
            self,
            Arc::clone(&self.schema),
            partition,
            &self.metrics,
        ))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        Ok(Arc::new(statistics::of_scan(self, args.partition())?))
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(self.clone().limited(limit)))
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn try_pushdown_sort(
        &self,
        wanted: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        if self.newest {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        order::pushed_down(self, wanted)
    }

    /// Takes filters that get narrower while the query runs, such as the least value among the ten
    /// best so far: parts that cannot match any more are not read. Their rows are filtered above.
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
        // Below a limit, or where the newest are chosen, leaving rows out would let others take
        // their place.
        let fixed = self.fetch.is_some() || self.newest;
        if !matches!(phase, FilterPushdownPhase::Post) || dynamic.is_empty() || fixed {
            return Ok(answer);
        }
        let mut scan = self.clone();
        scan.dynamic.extend(dynamic);
        Ok(answer.with_updated_node(Arc::new(scan)))
    }
}

//! The data of a scan: which parts of a table are read, in which order and by whom.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::physical_expr::PhysicalExpr;

use crate::definition::Definition;
use crate::encoding::coded_schema;
use crate::sql::plan::filter::{Filter, projected};
use crate::sql::plan::task::{Task, split_by_cost, split_by_shard, tasks_for_limit};
use crate::table::Table;

/// The facts that all variants of a scan share.
#[derive(Debug)]
pub struct Source {
    pub table: Arc<Table>,
    /// The name of the table in `EXPLAIN`.
    pub name: String,
    pub filter: Filter,
    /// The conditions on keys, in words for `EXPLAIN`.
    pub keys: String,
    /// The number of places that were looked up, and of those that were skipped if that is known. None
    /// if the filters contradict each other, so that no key is wanted.
    pub places: Option<(usize, Option<usize>)>,
    /// The number of chunks in the places that were looked up.
    pub chunks: usize,
    /// The number of those chunks that have no wanted keys.
    pub pruned_by_key: usize,
    /// The number of those chunks whose statistics exclude all rows.
    pub pruned_by_statistics: usize,
    /// The numbers of the columns that the filters restrict to one value.
    pub constants: Vec<usize>,
}

impl Source {
    pub fn definition(&self) -> &Arc<Definition> {
        self.table.definition()
    }
}

/// The order of all rows of a scan, across its DataFusion partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    None,
    /// Ascending by partition key and order key.
    Key,
    /// Descending by partition key and order key.
    Reversed,
}

impl Order {
    pub fn reversed(self) -> Order {
        match self {
            Order::None => Order::None,
            Order::Key => Order::Reversed,
            Order::Reversed => Order::Key,
        }
    }
}

/// The parts that a scan reads: each DataFusion partition reads some of them, one after another.
#[derive(Debug, Clone)]
pub struct ScanSpec {
    pub source: Arc<Source>,
    /// The numbers of the table's columns that the scan yields.
    pub projection: Arc<[usize]>,
    pub schema: SchemaRef,
    /// All parts that the filters leave, for each DataFusion partition.
    all: Vec<Vec<Arc<Task>>>,
    /// The parts among them that are read: fewer below a limit.
    pub tasks: Vec<Vec<Arc<Task>>>,
    pub order: Order,
    /// The number of the column that comes as a dictionary array, if one does.
    pub coded: Option<usize>,
    /// Whether the newest row of each partition key is enough. The scan may still yield others.
    pub newest: bool,
    /// The number of chunks that are not read because statistics answer what is asked of them.
    pub answered: usize,
    /// The number of rows after which each DataFusion partition may stop.
    pub fetch: Option<usize>,
    /// Filters over the projection that become narrower while the query runs. They exclude parts, but
    /// no single rows.
    pub dynamic: Vec<Arc<dyn PhysicalExpr>>,
}

impl ScanSpec {
    /// Divides tasks, which are in the given order, among at most `partitions` DataFusion partitions.
    pub fn new(
        source: Arc<Source>,
        projection: Arc<[usize]>,
        tasks: &[Arc<Task>],
        partitions: usize,
        order: Order,
    ) -> ScanSpec {
        let cost = |task: &Task| task.cost(&projection, &source.filter);
        let tasks = split_by_cost(tasks, partitions, cost);
        let schema = projected(source.filter.schema(), &projection);
        ScanSpec {
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
        }
    }

    /// Returns the same scan with other tasks.
    pub fn with_tasks(&self, tasks: Vec<Vec<Arc<Task>>>, order: Order) -> ScanSpec {
        // A plan needs at least one partition, even if that reads nothing.
        let tasks = if tasks.is_empty() {
            vec![Vec::new()]
        } else {
            tasks
        };
        let spec = ScanSpec {
            all: tasks.clone(),
            tasks,
            order,
            ..self.clone()
        };
        spec.limited(self.fetch)
    }

    /// Returns the same scan, reduced to the newest row of each partition key and perhaps some others.
    pub fn newest_rows(&self) -> ScanSpec {
        let tasks = self.in_order().cloned().collect();
        let tasks = split_by_shard(self.definition(), tasks, self.tasks.len());
        ScanSpec {
            newest: true,
            ..self.with_tasks(tasks, Order::None)
        }
    }

    /// Returns the same scan, of which one column comes as a dictionary array.
    pub fn with_codes(&self, column: usize) -> ScanSpec {
        let at = self.projection.iter().position(|n| *n == column);
        ScanSpec {
            coded: Some(column),
            schema: coded_schema(&self.schema, at),
            ..self.clone()
        }
    }

    /// Returns the same scan, of which this number of rows is enough.
    pub fn limited(mut self, fetch: Option<usize>) -> ScanSpec {
        self.fetch = fetch;
        self.tasks = match fetch {
            None => self.all.clone(),
            Some(rows) => tasks_for_limit(&self.all, rows as u64),
        };
        self
    }

    pub fn definition(&self) -> &Arc<Definition> {
        self.source.definition()
    }

    /// Returns the tasks that are read, in the order of the scan.
    pub fn in_order(&self) -> impl Iterator<Item = &Arc<Task>> {
        self.tasks.iter().flatten()
    }
}

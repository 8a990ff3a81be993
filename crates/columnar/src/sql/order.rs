//! In which order a scan yields its rows.

use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::ScalarValue;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    AcrossPartitions, ConstExpr, EquivalenceProperties, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::{ExecutionPlan, SortOrderPushdownResult};

use super::facts::column_facts;
use super::scan::{ColumnarScan, Source};
use super::task::Task;

/// The order of all rows of a scan, across its DataFusion partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    None,
    /// By partition key and order key.
    Key,
    Reversed,
}

/// Says what is known of the order, in columns of the projection.
pub fn declare(equivalence: &mut EquivalenceProperties, source: &Source, order: Order) {
    let schema = Arc::clone(equivalence.schema());
    let column = |number: usize| -> Option<Arc<dyn PhysicalExpr>> {
        let name = &source.definition().columns[number].name;
        let index = schema.index_of(name).ok()?;
        Some(Arc::new(Column::new(name, index)))
    };
    let constants = source.constants.iter().filter_map(|n| column(*n));
    let constants = constants.map(|expr| ConstExpr::new(expr, AcrossPartitions::Uniform(None)));
    if equivalence.add_constants(constants).is_err() {
        // Then less is known of the order, and rows are sorted that need not be.
        return;
    }
    let descending = match order {
        Order::None => return,
        Order::Key => false,
        Order::Reversed => true,
    };
    let options = SortOptions {
        descending,
        nulls_first: descending,
    };
    let keys = source.definition().key_indexes();
    let varying = keys.into_iter().filter(|n| !source.constants.contains(n));
    let ordering = varying
        .map_while(column)
        .map(|expr| PhysicalSortExpr { expr, options });
    equivalence.add_ordering(ordering.collect::<Vec<_>>());
}

/// What a scan can do for a wanted order: yield it, from either end, or at least begin with the
/// parts that hold the first rows.
pub fn pushed_down(
    scan: &ColumnarScan,
    wanted: &[PhysicalSortExpr],
) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
    let satisfies = |scan: &ColumnarScan| {
        let known = scan.properties().equivalence_properties();
        Ok::<_, DataFusionError>(
            scan.order != Order::None && known.ordering_satisfy(wanted.to_vec())?,
        )
    };
    if satisfies(scan)? {
        let inner = Arc::new(scan.clone());
        return Ok(SortOrderPushdownResult::Exact { inner });
    }
    if scan.fetch.is_some() {
        // The first rows of another order would be other rows.
        return Ok(SortOrderPushdownResult::Unsupported);
    }
    let backwards = scan.with_tasks(reversed(&scan.tasks), reverse(scan.order));
    if satisfies(&backwards)? {
        let inner = Arc::new(backwards);
        return Ok(SortOrderPushdownResult::Exact { inner });
    }
    match first_ones_first(scan, wanted) {
        Some(inner) => Ok(SortOrderPushdownResult::Inexact {
            inner: Arc::new(inner),
        }),
        None => Ok(SortOrderPushdownResult::Unsupported),
    }
}

fn reverse(order: Order) -> Order {
    match order {
        Order::None => Order::None,
        Order::Key => Order::Reversed,
        Order::Reversed => Order::Key,
    }
}

fn reversed(tasks: &[Vec<Arc<Task>>]) -> Vec<Vec<Arc<Task>>> {
    let backwards = |own: &Vec<Arc<Task>>| own.iter().rev().cloned().collect();
    tasks.iter().rev().map(backwards).collect()
}

/// Each DataFusion partition begins with its share of the parts with the first values of the first
/// column. Parts of which nothing is known come first, too.
fn first_ones_first(scan: &ColumnarScan, wanted: &[PhysicalSortExpr]) -> Option<ColumnarScan> {
    let first = wanted.first()?;
    let index = first.expr.downcast_ref::<Column>()?.index();
    let number = *scan.projection.get(index)?;
    let bound = |task: &Arc<Task>| -> Option<ScalarValue> {
        let (low, high) = column_facts(scan.definition(), &task.part, number)?.bounds?;
        Some(if first.options.descending { high } else { low })
    };
    let mut tasks: Vec<_> = scan.in_order().map(|t| (bound(t), Arc::clone(t))).collect();
    if tasks.iter().all(|(bound, _)| bound.is_none()) {
        return None;
    }
    tasks.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) => {
            let order = a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
            if first.options.descending {
                order.reverse()
            } else {
                order
            }
        }
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    let mut dealt = vec![Vec::new(); scan.tasks.len()];
    let readers = dealt.len();
    for (i, (_, task)) in tasks.into_iter().enumerate() {
        dealt[i % readers].push(task);
    }
    Some(scan.with_tasks(dealt, Order::None))
}

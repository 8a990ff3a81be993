//! The order of a scan's rows, and what it can do for an order that a query wants.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::compute::SortOptions;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    AcrossPartitions, ConstExpr, EquivalenceProperties, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::SortOrderPushdownResult;

use super::spec::{Order, ScanSpec};
use crate::sql::plan::facts::column_facts;
use crate::sql::plan::task::Task;

/// Returns what DataFusion may rely on: which columns are constant, and how the others are ordered.
pub fn equivalence(scan: &ScanSpec) -> EquivalenceProperties {
    let mut known = EquivalenceProperties::new(Arc::clone(&scan.schema));
    let source = &scan.source;
    let column = |number: usize| -> Option<Arc<dyn PhysicalExpr>> {
        let name = &source.definition().columns[number].name;
        let index = scan.schema.index_of(name).ok()?;
        Some(Arc::new(Column::new(name, index)))
    };
    let constants = source
        .constants
        .iter()
        .filter_map(|n| column(*n))
        .map(|expr| ConstExpr::new(expr, AcrossPartitions::Uniform(None)));
    if known.add_constants(constants).is_err() {
        // Less is known of the order then, and DataFusion sorts where it need not.
        return known;
    }
    let descending = match scan.order {
        Order::None => return known,
        Order::Key => false,
        Order::Reversed => true,
    };
    let options = SortOptions {
        descending,
        nulls_first: descending,
    };
    let keys = source.definition().key_indexes();
    let varying = keys.into_iter().filter(|n| !source.constants.contains(n));
    // The order of a key column means nothing without the columns before it, so that the first one
    // that is not in the projection ends the list.
    let ordering = varying
        .map_while(column)
        .map(|expr| PhysicalSortExpr { expr, options });
    known.add_ordering(ordering.collect::<Vec<_>>());
    known
}

/// Returns a scan for an order that a query wants: one that yields it from either end, or one that at
/// least begins with the parts that hold the first rows.
pub fn pushed_down(
    scan: &ScanSpec,
    wanted: &[PhysicalSortExpr],
) -> Result<SortOrderPushdownResult<ScanSpec>> {
    if is_satisfied(scan, wanted)? {
        let inner = scan.clone();
        return Ok(SortOrderPushdownResult::Exact { inner });
    }
    if scan.fetch.is_some() {
        // The first rows in another order would be other rows.
        return Ok(SortOrderPushdownResult::Unsupported);
    }
    let inner = scan.with_tasks(reversed(&scan.tasks), scan.order.reversed());
    if is_satisfied(&inner, wanted)? {
        return Ok(SortOrderPushdownResult::Exact { inner });
    }
    Ok(match first_ones_first(scan, wanted) {
        Some(inner) => SortOrderPushdownResult::Inexact { inner },
        None => SortOrderPushdownResult::Unsupported,
    })
}

fn is_satisfied(scan: &ScanSpec, wanted: &[PhysicalSortExpr]) -> Result<bool> {
    if scan.order == Order::None {
        return Ok(false);
    }
    equivalence(scan).ordering_satisfy(wanted.to_vec())
}

fn reversed(tasks: &[Vec<Arc<Task>>]) -> Vec<Vec<Arc<Task>>> {
    let backwards = |own: &Vec<Arc<Task>>| own.iter().rev().cloned().collect();
    tasks.iter().rev().map(backwards).collect()
}

/// Gives each DataFusion partition its share of the parts in order of the first wanted column: those
/// with the first values come first, and so do those whose values are unknown.
fn first_ones_first(scan: &ScanSpec, wanted: &[PhysicalSortExpr]) -> Option<ScanSpec> {
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
            let order = a.partial_cmp(b).unwrap_or(Ordering::Equal);
            if first.options.descending {
                order.reverse()
            } else {
                order
            }
        }
        (a, b) => a.is_some().cmp(&b.is_some()),
    });
    let partitions = scan.tasks.len();
    let mut divided = vec![Vec::new(); partitions];
    for (i, (_, task)) in tasks.into_iter().enumerate() {
        divided[i % partitions].push(task);
    }
    Some(scan.with_tasks(divided, Order::None))
}

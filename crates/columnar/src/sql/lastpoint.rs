//! Queries that look at the newest row of each partition key only.
//!
//! An aggregation by the partition key whose functions all take the newest row gets nothing else to
//! see: `SELECT DISTINCT ON (series) … ORDER BY series, time DESC`, `last_value(value ORDER BY
//! time) … GROUP BY series`, `max(time) … GROUP BY series`, `SELECT DISTINCT series`.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::functions_aggregate::first_last::{first_value_udaf, last_value_udaf};
use datafusion::functions_aggregate::min_max::max_udaf;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::projection::ProjectionExec;

use super::aggregate::{column, scan_below};
use super::condition::Condition;
use super::filter::Conjunct;
use super::rule::{Replacement, Rule};
use super::scan::ColumnarScan;

/// Lets such aggregations read newest rows only.
pub const NEWEST_ROWS: Rule = Rule {
    name: "columnar_newest_rows",
    replacement: rewritten,
};

fn rewritten(node: &Arc<dyn ExecutionPlan>) -> Result<Replacement> {
    let Some(aggregation) = node.downcast_ref::<AggregateExec>() else {
        return Ok(None);
    };
    let raw = aggregation.mode().input_mode() == AggregateInputMode::Raw;
    let plain = raw
        && aggregation.group_expr().is_single()
        && aggregation.filter_expr().iter().all(Option::is_none);
    let below = scan_below(aggregation.input()).filter(|_| plain);
    let Some((scan, projections)) = below else {
        return Ok(None);
    };
    if !is_by_partition_key(aggregation, scan, &projections)?
        || !scan
            .source
            .filter
            .conjuncts
            .iter()
            .all(|c| keeps_newest(scan, c))
    {
        return Ok(None);
    }
    for function in aggregation.aggr_expr() {
        if !takes_newest(function, scan, &projections)? {
            return Ok(None);
        }
    }
    let newest: Arc<dyn ExecutionPlan> = Arc::new(scan.of_newest());
    let below =
        Arc::clone(aggregation.input()).transform_up(|node| match node.is::<ColumnarScan>() {
            true => Ok(Transformed::yes(Arc::clone(&newest))),
            false => Ok(Transformed::no(node)),
        });
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(node)
        .replace_children(vec![below.data()?], options)
        .map(Some)
}

/// Whether the groups are the partition keys.
fn is_by_partition_key(
    aggregation: &AggregateExec,
    scan: &ColumnarScan,
    projections: &[&ProjectionExec],
) -> Result<bool> {
    let mut groups = BTreeSet::new();
    for (expr, _) in aggregation.group_expr().expr() {
        match column(expr, scan, projections)? {
            Some(column) => groups.insert(column),
            None => return Ok(false),
        };
    }
    // Without an order key there is no newest row.
    let is_ordered = scan.definition().first_order_index().is_some();
    Ok(is_ordered && groups == scan.definition().partition_indexes().into_iter().collect())
}

/// Whether the newest row of a partition key passes a filter if any of its rows does.
fn keeps_newest(scan: &ColumnarScan, conjunct: &Conjunct) -> bool {
    let of_partition = scan.definition().partition_indexes();
    if conjunct
        .columns
        .iter()
        .all(|column| of_partition.contains(column))
    {
        return true;
    }
    match &conjunct.condition {
        Condition::Compare(column, Operator::Gt | Operator::GtEq, _) => {
            scan.definition().first_order_index() == Some(*column)
        }
        _ => false,
    }
}

/// Whether a function's value over the rows of a partition key is that over the newest one alone.
fn takes_newest(
    function: &AggregateFunctionExpr,
    scan: &ColumnarScan,
    projections: &[&ProjectionExec],
) -> Result<bool> {
    let of = function.fun();
    if of == max_udaf().as_ref() {
        let [argument] = &function.expressions()[..] else {
            return Ok(false);
        };
        return Ok(column(argument, scan, projections)? == scan.definition().first_order_index());
    }
    let descending = if of == first_value_udaf().as_ref() {
        true
    } else if of == last_value_udaf().as_ref() {
        false
    } else {
        return Ok(false);
    };
    if function.ignore_nulls() || function.is_distinct() {
        return Ok(false);
    }
    let definition = scan.definition();
    let (partition, order) = (definition.partition_indexes(), definition.order_indexes());
    let mut wanted = order.iter();
    let mut is_ordered = false;
    for sort in function.order_bys() {
        let by = column(&sort.expr, scan, projections)?;
        if by.is_some_and(|column| partition.contains(&column)) {
            continue;
        }
        match wanted.next() {
            // By the whole key: what comes after orders nothing.
            None => break,
            Some(next) if by == Some(*next) && sort.options.descending == descending => {
                is_ordered = true;
            }
            Some(_) => return Ok(false),
        }
    }
    Ok(is_ordered)
}

//! Queries that look at the newest row of each partition key only.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::logical_expr::Operator;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use super::aggregate::{column, scan_below};
use super::below::with_scan;
use super::condition::Condition;
use super::filter::Conjunct;
use super::first_rows::RowOrder;
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
    let Some(below) = scan_below(aggregation.input()) else {
        return Ok(None);
    };
    let scan = below.scan;
    let filters = &scan.source.filter.conjuncts;
    let newest_first = newest_first(scan);
    if !filters.iter().all(|c| keeps_newest(scan, c))
        || !newest_first.first_rows_are_enough(aggregation, |expr| column(expr, &below))?
    {
        return Ok(None);
    }
    with_scan(Arc::clone(node), Arc::new(scan.of_newest())).map(Some)
}

fn newest_first(scan: &ColumnarScan) -> RowOrder {
    let definition = scan.definition();
    RowOrder {
        partition_key: definition.partition_indexes().into_iter().collect(),
        // Of others it is not known which is newest.
        order_key: match definition.first_order_index() {
            Some(_) => definition.order_indexes(),
            None => Vec::new(),
        },
        descending: true,
    }
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

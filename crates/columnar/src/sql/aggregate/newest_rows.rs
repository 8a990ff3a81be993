//! Aggregations that look only at the newest row of each partition key.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::logical_expr::Operator;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use super::first_rows::RowOrder;
use super::table_scan::{column, scan_below};
use crate::sql::plan::condition::Condition;
use crate::sql::plan::filter::Conjunct;
use crate::sql::rules::below::with_scan;
use crate::sql::rules::rule::{Replacement, Rule};
use crate::sql::scan::exec::ColumnarScan;
use crate::sql::scan::spec::ScanSpec;

/// The rule that lets such aggregations read newest rows only.
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
    let scan = &below.scan.spec;
    let filters = &scan.source.filter.conjuncts;
    let newest_first = newest_first(scan);
    if !filters.iter().all(|c| keeps_newest(scan, c))
        || !newest_first.first_rows_are_enough(aggregation, |expr| column(expr, &below))?
    {
        return Ok(None);
    }
    let newest = Arc::new(ColumnarScan::new(scan.newest_rows()));
    with_scan(Arc::clone(node), newest).map(Some)
}

/// Returns the order in which the newest row of each partition key comes first.
fn newest_first(scan: &ScanSpec) -> RowOrder {
    let definition = scan.definition();
    RowOrder {
        partition_key: definition.partition_indexes().into_iter().collect(),
        // Of keys of other kinds it is unknown which is the newest.
        order_key: match definition.first_order_index() {
            Some(_) => definition.order_indexes(),
            None => Vec::new(),
        },
        descending: true,
    }
}

/// Returns whether the newest row of a partition key passes a filter if any of its rows does.
fn keeps_newest(scan: &ScanSpec, conjunct: &Conjunct) -> bool {
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

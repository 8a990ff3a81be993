//! `GROUP BY` a column of texts or blobs on the codes of its dictionaries.
//!
//! Such an aggregation runs in two steps: states of the groups of some rows each, which a last step
//! merges. Where chunks keep the column as a dictionary, the first step gets its codes instead of
//! texts, and hashes each different text of a chunk once instead of that of each row.

use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column};
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::aggregate::{column, scan_below};
use super::below::Below;
use super::groups::GroupsExec;
use super::rule::{Replacement, Rule};
use super::scan::ColumnarScan;
use super::task::Task;
use crate::definition::Kind;

/// How many rows of a chunk have the same value, on average, where its codes save work.
pub const ROWS_OF_A_VALUE: u32 = 2;

/// Groups by codes where most rows have them. Every other aggregation stays as it is.
pub const GROUPS_FROM_CODES: Rule = Rule {
    name: "columnar_groups_from_codes",
    replacement: rewritten,
};

fn rewritten(node: &Arc<dyn ExecutionPlan>) -> Result<Replacement> {
    let Some(partial) = node.downcast_ref::<AggregateExec>().filter(|a| fits(a)) else {
        return Ok(None);
    };
    let Some(below) = scan_below(partial.input()) else {
        return Ok(None);
    };
    let scan = below.scan;
    let Some(column) = grouped_by(partial, &below)? else {
        return Ok(None);
    };
    if !has_codes(scan, column) {
        return Ok(None);
    }
    let scan: Arc<dyn ExecutionPlan> = Arc::new(scan.with_codes(column));
    let input = over_codes(partial.input(), &scan)?;
    Ok(GroupsExec::new(partial, input)?.map(|groups| Arc::new(groups) as _))
}

/// Whether this is a first step by one expression that may read its rows in any order, with nothing
/// that only DataFusion's own has.
fn fits(step: &AggregateExec) -> bool {
    let is_simple = *step.mode() == AggregateMode::Partial
        && step.group_expr().is_single()
        && step.group_expr().expr().len() == 1
        && *step.input_order_mode() == InputOrderMode::Linear
        && step.required_input_ordering().iter().all(Option::is_none)
        && step.limit_options().is_none();
    let by_groups = step
        .aggr_expr()
        .iter()
        .all(|f| f.groups_accumulator_supported() && f.order_bys().is_empty());
    // Dictionaries of the query's own would be taken for those of the scan.
    let fields = step.input().schema();
    let mut types = fields.fields().iter().map(|field| field.data_type());
    is_simple && by_groups && !types.any(is_dictionary)
}

/// The column of texts or blobs of the table that the groups are of, if they are of one.
fn grouped_by(step: &AggregateExec, below: &Below<'_, ColumnarScan>) -> Result<Option<usize>> {
    let [(expr, _)] = step.group_expr().expr() else {
        return Ok(None);
    };
    let column = column(expr, below)?;
    Ok(column.filter(|n| {
        let kind = below.scan.definition().columns[*n].kind;
        matches!(kind, Kind::Text | Kind::Blob)
    }))
}

/// Whether at least half of the rows are in chunks with few different values in a column, which keep
/// it as a dictionary.
fn has_codes(scan: &ColumnarScan, column: usize) -> bool {
    let coded = |task: &&Arc<Task>| {
        task.part.exact().is_some_and(|chunk| {
            let distinct = chunk.stats.get(column).map(|stats| stats.distinct);
            distinct.is_some_and(|distinct| distinct <= chunk.rows / ROWS_OF_A_VALUE)
        })
    };
    let rows = |task: &Arc<Task>| task.part.rows_at_most();
    let all: u64 = scan.in_order().map(rows).sum();
    let with_codes: u64 = scan.in_order().filter(coded).map(rows).sum();
    all > 0 && with_codes >= all / 2
}

/// The projections of a plan over another scan. Columns go through as they come; expressions get
/// values.
fn over_codes(
    plan: &Arc<dyn ExecutionPlan>,
    scan: &Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let Some(projection) = plan.downcast_ref::<ProjectionExec>() else {
        return Ok(Arc::clone(scan));
    };
    let input = over_codes(projection.input(), scan)?;
    let schema = input.schema();
    let over_input = |of: &ProjectionExpr| {
        let expr = if of.expr.is::<Column>() {
            Arc::clone(&of.expr)
        } else {
            over_values(&of.expr, &schema)?
        };
        Ok(ProjectionExpr::new(expr, of.alias.clone()))
    };
    let exprs = projection.expr().iter().map(over_input);
    let exprs = exprs.collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(ProjectionExec::try_new(exprs, input)?))
}

/// An expression that gets values where columns are dictionaries.
pub fn over_values(expr: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Result<Arc<dyn PhysicalExpr>> {
    let decoded = |expr: Arc<dyn PhysicalExpr>| {
        let column = expr.downcast_ref::<Column>();
        let field = column.and_then(|column| schema.fields().get(column.index()));
        match field.map(|field| field.data_type()) {
            Some(DataType::Dictionary(_, values)) => {
                let values = values.as_ref().clone();
                Ok(Transformed::yes(
                    Arc::new(CastExpr::new(expr, values, None)) as _,
                ))
            }
            _ => Ok(Transformed::no(expr)),
        }
    };
    Arc::clone(expr).transform_up(decoded).data()
}

fn is_dictionary(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Dictionary(..))
}

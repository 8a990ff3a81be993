//! `GROUP BY` a column of texts or blobs on the codes of its dictionaries.
//!
//! Such an aggregation runs in two steps: the first one computes states of the groups of some rows
//! each, the last one merges them. Where chunks keep the column as a dictionary, the first step gets
//! codes instead of texts, and hashes each different text of a chunk once instead of that of each row.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::decoded::over_values;
use super::groups_exec::GroupsExec;
use super::table_scan::{column, scan_below};
use crate::kind::Kind;
use crate::sql::plan::facts::has_few_values;
use crate::sql::plan::task::Task;
use crate::sql::rules::below::Below;
use crate::sql::rules::rule::{Replacement, Rule};
use crate::sql::scan::exec::ColumnarScan;
use crate::sql::scan::spec::ScanSpec;

/// The rule that groups by codes where most rows have them. All other aggregations stay as they are.
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
    let Some(column) = grouped_by(partial, &below)? else {
        return Ok(None);
    };
    let scan = &below.scan.spec;
    if !has_codes(scan, column) {
        return Ok(None);
    }
    let scan: Arc<dyn ExecutionPlan> = Arc::new(ColumnarScan::new(scan.with_codes(column)));
    let input = over_codes(partial.input(), &scan)?;
    Ok(GroupsExec::new(partial, input)?.map(|groups| Arc::new(groups) as _))
}

/// Returns whether a node is a first step by one expression that may read its rows in any order, with
/// nothing that only DataFusion's own step has.
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
    // Dictionaries that the query makes itself would be taken for those of the scan.
    let fields = step.input().schema();
    let mut types = fields.fields().iter().map(|field| field.data_type());
    is_simple && by_groups && !types.any(is_dictionary)
}

/// Returns the number of the column of texts or blobs that rows are grouped by, if it is one.
fn grouped_by(step: &AggregateExec, below: &Below<'_, ColumnarScan>) -> Result<Option<usize>> {
    let [(expr, _)] = step.group_expr().expr() else {
        return Ok(None);
    };
    let column = column(expr, below)?;
    Ok(column.filter(|n| {
        let kind = below.scan.spec.definition().columns[*n].kind;
        matches!(kind, Kind::Text | Kind::Blob)
    }))
}

/// Returns whether at least half of the rows are in chunks that keep a column as a dictionary.
fn has_codes(scan: &ScanSpec, column: usize) -> bool {
    let coded = |task: &&Arc<Task>| {
        let chunk = task.part.exact();
        chunk.is_some_and(|chunk| has_few_values(chunk, column))
    };
    let rows = |task: &Arc<Task>| task.part.rows_at_most();
    let all: u64 = scan.in_order().map(rows).sum();
    let with_codes: u64 = scan.in_order().filter(coded).map(rows).sum();
    all > 0 && with_codes >= all / 2
}

/// Returns the projections of a plan over another scan. Columns pass through as they come; expressions
/// get values instead of codes.
fn over_codes(
    plan: &Arc<dyn ExecutionPlan>,
    scan: &Arc<dyn ExecutionPlan>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let Some(projection) = plan.downcast_ref::<ProjectionExec>() else {
        return Ok(Arc::clone(scan));
    };
    let input = over_codes(projection.input(), scan)?;
    let schema = input.schema();
    let over_input = |projected: &ProjectionExpr| {
        let expr = if projected.expr.is::<Column>() {
            Arc::clone(&projected.expr)
        } else {
            over_values(&projected.expr, &schema)?
        };
        Ok(ProjectionExpr::new(expr, projected.alias.clone()))
    };
    let exprs = projection
        .expr()
        .iter()
        .map(over_input)
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(ProjectionExec::try_new(exprs, input)?))
}

fn is_dictionary(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Dictionary(..))
}

//! Aggregates of whole chunks from their statistics.
//!
//! `COUNT`, `MIN`, `MAX`, `SUM` and `AVG` without `GROUP BY` run in two steps: partial states of
//! some rows each, which a last step merges. Chunks all of whose rows pass the filters get their
//! state from statistics; only the others are read.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode, AggregateMode};
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;

use super::measure::Measure;
use super::rule::{Replacement, Rule};
use super::scan::ColumnarScan;
use super::states::StatisticsExec;
use super::task::{Task, dealt};

/// Answers aggregates from statistics where it can.
pub const AGGREGATE_FROM_CHUNKS: Rule = Rule {
    name: "columnar_aggregate_from_chunks",
    replacement: rewritten,
};

fn rewritten(node: &Arc<dyn ExecutionPlan>) -> Result<Replacement> {
    let Some(partial) = partial_step(node) else {
        return Ok(None);
    };
    let Some((scan, projections)) = scan_below(partial.input()) else {
        return Ok(None);
    };
    let Some(measures) = measures(partial, scan, &projections)? else {
        return Ok(None);
    };
    let known = |task: &&Arc<Task>| {
        task.answered_by()
            .is_some_and(|chunk| measures.iter().all(|m| m.is_known(chunk)))
    };
    let (answered, left): (Vec<_>, Vec<_>) = scan.in_order().partition(known);
    let chunks: Vec<_> = answered
        .iter()
        .filter_map(|task| task.answered_by())
        .collect();
    let states: Option<Vec<_>> = measures.iter().map(|m| m.state(&chunks)).collect();
    let (Some(states), false) = (states, chunks.is_empty()) else {
        return Ok(None);
    };
    let states = states.into_iter().flatten().collect();
    let from_statistics = StatisticsExec::new(
        partial.schema(),
        states,
        scan.source.name.clone(),
        chunks.len(),
        chunks.iter().map(|c| u64::from(c.live_rows())).sum(),
    )?;
    let inputs: Vec<Arc<dyn ExecutionPlan>> = match left.is_empty() {
        true => vec![Arc::new(from_statistics.instead_of(scan))],
        false => vec![
            over_the_rest(partial, scan, left, chunks.len())?,
            Arc::new(from_statistics),
        ],
    };
    let merged = Arc::clone(node).replace_children(
        vec![UnionExec::try_new(inputs)?],
        ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute),
    )?;
    Ok(Some(merged))
}

/// The first step of an aggregation without groups in two steps.
fn partial_step(node: &Arc<dyn ExecutionPlan>) -> Option<&AggregateExec> {
    let last = node.downcast_ref::<AggregateExec>()?;
    let partial = last.input().downcast_ref::<AggregateExec>()?;
    let merges = last.mode().input_mode() == AggregateInputMode::Partial;
    let plain = |step: &AggregateExec| {
        step.group_expr().is_true_no_grouping()
            && step.limit_options().is_none()
            && step.filter_expr().iter().all(Option::is_none)
    };
    let fits = merges && *partial.mode() == AggregateMode::Partial && plain(last) && plain(partial);
    fits.then_some(partial)
}

/// A scan without a limit, and the projections between, the outermost first.
pub fn scan_below(plan: &Arc<dyn ExecutionPlan>) -> Option<(&ColumnarScan, Vec<&ProjectionExec>)> {
    let mut projections = Vec::new();
    let mut plan = plan;
    while let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        projections.push(projection);
        plan = projection.input();
    }
    let scan = plan.downcast_ref::<ColumnarScan>()?;
    (scan.fetch.is_none() && !scan.newest).then_some((scan, projections))
}

fn measures(
    partial: &AggregateExec,
    scan: &ColumnarScan,
    projections: &[&ProjectionExec],
) -> Result<Option<Vec<Measure>>> {
    let mut measures = Vec::new();
    for aggregate in partial.aggr_expr() {
        let [argument] = &aggregate.expressions()[..] else {
            return Ok(None);
        };
        let argument = over_the_scan(argument, projections)?;
        match Measure::new(scan.definition(), &scan.projection, aggregate, &argument) {
            Some(measure) => measures.push(measure),
            None => return Ok(None),
        }
    }
    Ok(Some(measures))
}

/// An expression over the outermost projection as one over the scan.
fn over_the_scan(
    expr: &Arc<dyn PhysicalExpr>,
    projections: &[&ProjectionExec],
) -> Result<Arc<dyn PhysicalExpr>> {
    let mut expr = Arc::clone(expr);
    for projection in projections {
        let inner = |expr: Arc<dyn PhysicalExpr>| {
            let column = expr.downcast_ref::<Column>();
            let of = column.and_then(|column| projection.expr().get(column.index()));
            match of {
                Some(of) => Ok(Transformed::yes(Arc::clone(&of.expr))),
                None => Ok(Transformed::no(expr)),
            }
        };
        expr = expr.transform_up(inner).data()?;
    }
    Ok(expr)
}

/// The column of the table that an expression over the outermost projection is, if it is one.
pub fn column(
    expr: &Arc<dyn PhysicalExpr>,
    scan: &ColumnarScan,
    projections: &[&ProjectionExec],
) -> Result<Option<usize>> {
    let expr = over_the_scan(expr, projections)?;
    let index = expr.downcast_ref::<Column>().map(Column::index);
    Ok(index.and_then(|index| scan.projection.get(index).copied()))
}

/// The first step over the parts that statistics do not answer.
fn over_the_rest(
    partial: &AggregateExec,
    scan: &ColumnarScan,
    left: Vec<&Arc<Task>>,
    answered: usize,
) -> Result<Arc<dyn ExecutionPlan>> {
    let left: Vec<Arc<Task>> = left.into_iter().cloned().collect();
    let tasks = dealt(&left, scan.tasks.len(), |task| {
        task.cost(&scan.projection, &scan.source.filter)
    });
    let mut rest = scan.with_tasks(tasks, scan.order);
    rest.answered = answered;
    let rest: Arc<dyn ExecutionPlan> = Arc::new(rest);
    let below = Arc::clone(partial.input());
    let below = below.transform_up(|node| match node.is::<ColumnarScan>() {
        true => Ok(Transformed::yes(Arc::clone(&rest))),
        false => Ok(Transformed::no(node)),
    });
    let partial: Arc<dyn ExecutionPlan> = Arc::new(partial.clone());
    partial.replace_children(
        vec![below.data()?],
        ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute),
    )
}

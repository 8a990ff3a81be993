//! Aggregates of whole chunks from their statistics.
//!
//! `COUNT`, `MIN`, `MAX`, `SUM` and `AVG` without `GROUP BY` run in two steps: the first one computes
//! partial states of some rows each, the last one merges them. The state of a chunk all of whose rows
//! pass the filters comes from its statistics; only the other chunks are read.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode, AggregateMode};
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::union::UnionExec;

use super::measure::Measure;
use super::statistics_exec::StatisticsExec;
use super::table_scan::scan_below;
use crate::sql::plan::task::{Task, split_by_cost};
use crate::sql::rules::below::{Below, with_scan};
use crate::sql::rules::rule::{Replacement, Rule};
use crate::sql::scan::exec::ColumnarScan;
use crate::sql::scan::spec::ScanSpec;

/// The rule that answers aggregates from statistics where it can.
pub const AGGREGATE_FROM_CHUNKS: Rule = Rule {
    name: "columnar_aggregate_from_chunks",
    replacement: rewritten,
};

fn rewritten(node: &Arc<dyn ExecutionPlan>) -> Result<Replacement> {
    let Some(partial) = partial_step(node) else {
        return Ok(None);
    };
    let Some(below) = scan_below(partial.input()) else {
        return Ok(None);
    };
    let Some(measures) = measures(partial, &below)? else {
        return Ok(None);
    };
    let scan = &below.scan.spec;
    let is_known = |task: &&Arc<Task>| {
        task.answered_by()
            .is_some_and(|chunk| measures.iter().all(|m| m.is_known(chunk)))
    };
    let (answered, unanswered): (Vec<_>, Vec<_>) = scan.in_order().partition(is_known);
    let chunks: Vec<_> = answered
        .iter()
        .filter_map(|task| task.answered_by())
        .collect();
    if chunks.is_empty() {
        return Ok(None);
    }
    let states: Option<Vec<_>> = measures.iter().map(|m| m.state(&chunks)).collect();
    let Some(states) = states else {
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
    // Both kinds of states go to the last step, which merges them alike.
    let inputs: Vec<Arc<dyn ExecutionPlan>> = if unanswered.is_empty() {
        let looked_up = below.scan.chunks_looked_up();
        vec![Arc::new(from_statistics.with_looked_up(looked_up))]
    } else {
        vec![
            over_the_rest(partial, scan, unanswered, chunks.len())?,
            Arc::new(from_statistics),
        ]
    };
    let merged = Arc::clone(node).replace_children(
        vec![UnionExec::try_new(inputs)?],
        ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute),
    )?;
    Ok(Some(merged))
}

/// Returns the first step of an aggregation without groups, if the node is the last of two steps.
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

/// Returns the aggregates as measures if statistics can answer all of them.
fn measures(
    partial: &AggregateExec,
    below: &Below<'_, ColumnarScan>,
) -> Result<Option<Vec<Measure>>> {
    let scan = &below.scan.spec;
    let mut measures = Vec::new();
    for aggregate in partial.aggr_expr() {
        let [argument] = &aggregate.expressions()[..] else {
            return Ok(None);
        };
        let argument = below.over_the_scan(argument)?;
        match Measure::new(scan.definition(), &scan.projection, aggregate, &argument) {
            Some(measure) => measures.push(measure),
            None => return Ok(None),
        }
    }
    Ok(Some(measures))
}

/// Returns the first step over the parts that statistics do not answer.
fn over_the_rest(
    partial: &AggregateExec,
    scan: &ScanSpec,
    unanswered: Vec<&Arc<Task>>,
    answered: usize,
) -> Result<Arc<dyn ExecutionPlan>> {
    let unanswered: Vec<Arc<Task>> = unanswered.into_iter().cloned().collect();
    let tasks = split_by_cost(&unanswered, scan.tasks.len(), |task| {
        task.cost(&scan.projection, &scan.source.filter)
    });
    let mut rest = scan.with_tasks(tasks, scan.order);
    rest.answered = answered;
    with_scan(Arc::new(partial.clone()), Arc::new(ColumnarScan::new(rest)))
}

//! Aggregates that Cassandra computes, for designs that ask for it.
//!
//! An aggregation without groups runs in two steps in DataFusion: the first one computes partial
//! states of some rows each, the last one merges them. Here a CQL statement takes the place of the
//! first step. A query that CQL cannot answer so is answered from its rows, as by other designs.

mod exec;
mod measure;

use std::sync::Arc;

use bakeoff_columnar::sql::{Below, Replacement, Rule, below, with_early_rules};
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::prelude::SessionContext;

use super::java::JavaFunctions;
use super::scan::CassandraScan;
pub use exec::ServerAggregateExec;
use measure::Measure;

/// Extends a session by the rule that lets Cassandra compute aggregates.
pub fn session(session: &SessionContext) -> SessionContext {
    let rule = Rule {
        name: "cassandra_server_aggregate",
        replacement: rewritten,
    };
    let state = SessionStateBuilder::new_from_existing(session.state());
    SessionContext::new_with_state(with_early_rules(state, [rule]).build())
}

fn rewritten(node: &Arc<dyn ExecutionPlan>) -> Result<Replacement> {
    let Some(partial) = partial_step(node) else {
        return Ok(None);
    };
    let Some(below) = below::<CassandraScan>(partial.input()) else {
        return Ok(None);
    };
    let Some(part) = below.scan.aggregation() else {
        return Ok(None);
    };
    let Some(measures) = measures(partial, &below, part.java.as_ref())? else {
        return Ok(None);
    };
    let aggregate = ServerAggregateExec::new(below.scan, part, measures, partial.schema());
    Ok(Some(Arc::new(aggregate)))
}

/// Returns the first step of an aggregation without groups, if the node is one.
fn partial_step(node: &Arc<dyn ExecutionPlan>) -> Option<&AggregateExec> {
    let step = node.downcast_ref::<AggregateExec>()?;
    let is_plain = *step.mode() == AggregateMode::Partial
        && step.group_expr().is_true_no_grouping()
        && step.limit_options().is_none()
        && step.filter_expr().iter().all(Option::is_none);
    is_plain.then_some(step)
}

/// Returns the aggregates as measures if CQL can compute all of them.
fn measures(
    partial: &AggregateExec,
    below: &Below<'_, CassandraScan>,
    java: Option<&JavaFunctions>,
) -> Result<Option<Vec<Measure>>> {
    let columns = below.scan.columns();
    let mut measures = Vec::new();
    for aggregate in partial.aggr_expr() {
        let [argument] = &aggregate.expressions()[..] else {
            return Ok(None);
        };
        let argument = below.over_the_scan(argument)?;
        match Measure::new(&columns, aggregate, &argument, java) {
            Some(measure) => measures.push(measure),
            None => return Ok(None),
        }
    }
    Ok(Some(measures))
}

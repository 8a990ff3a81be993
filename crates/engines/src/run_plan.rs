//! Running a physical plan to its last row.

use std::sync::Arc;

use bakeoff_driver::{Answer, IncomingAnswer};
use datafusion::common::stats::Precision;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{DataFrame, SessionContext};
use futures::StreamExt;

/// Marks a session whose answers are not compared.
struct HeldOnly;

/// Makes a session whose answers are errors as soon as they are too large to be held.
pub fn holding_only(session: &SessionContext) -> SessionContext {
    let state = session.state();
    let config = state.config().clone().with_extension(Arc::new(HeldOnly));
    let state = SessionStateBuilder::new_from_existing(state).with_config(config);
    SessionContext::new_with_state(state.build())
}

/// Runs a plan to its last row.
pub async fn run(
    session: &SessionContext,
    plan: Arc<dyn ExecutionPlan>,
) -> Result<Answer, DataFusionError> {
    let mut stream = execute_stream(plan.clone(), session.task_ctx())?;
    let context = session.task_ctx();
    let held_only = context.session_config().get_extension::<HeldOnly>();
    let mut rows = match held_only {
        Some(_) => IncomingAnswer::held_only(),
        None => IncomingAnswer::default(),
    };
    while let Some(batch) = stream.next().await.transpose()? {
        rows.add(batch)
            .map_err(|why| DataFusionError::External(why.into()))?;
    }
    Ok(Answer {
        rows_scanned: rows_scanned(plan.as_ref()),
        ..rows.complete()
    })
}

/// Plans a query and runs it to its last row.
pub async fn execute(
    session: &SessionContext,
    query: DataFrame,
) -> Result<Answer, DataFusionError> {
    run(session, query.create_physical_plan().await?).await
}

/// Returns DataFusion's message without its chain of contexts, or an engine's own error unchanged.
pub fn message(error: &DataFusionError) -> String {
    match error.find_root() {
        DataFusionError::External(cause) => cause.to_string(),
        root => root.strip_backtrace(),
    }
}

/// Returns the number of rows that the plan's tables have returned, or `None` if no table was read, as
/// for a count that statistics answer.
pub fn rows_scanned(plan: &dyn ExecutionPlan) -> Option<u64> {
    let children = plan.children();
    if children.is_empty() {
        if matches!(plan.name(), "PlaceholderRowExec" | "EmptyExec") {
            return None;
        }
        let counted = plan.metrics().and_then(|metrics| metrics.output_rows());
        // Tables in memory have no such metric, but know how many rows they have.
        return counted.or_else(|| exact_rows(plan)).map(|rows| rows as u64);
    }
    children
        .into_iter()
        .filter_map(|child| rows_scanned(child.as_ref()))
        .reduce(|sum, rows| sum + rows)
}

fn exact_rows(plan: &dyn ExecutionPlan) -> Option<usize> {
    let statistics = StatisticsContext::new()
        .compute(plan, &StatisticsArgs::new())
        .ok()?;
    match statistics.num_rows {
        Precision::Exact(rows) => Some(rows),
        _ => None,
    }
}

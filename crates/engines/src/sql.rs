//! DataFusion, the one SQL engine on our side: sessions, answers, and what a query's order is.

use std::sync::Arc;

use bakeoff_driver::{Answer, DesignError, Expected};
use datafusion::catalog::TableProvider;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::error::DataFusionError;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::{Expr, LogicalPlan, SortExpr};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{SessionConfig, SessionContext};

/// Memory that the operators of one session may use before they spill, in bytes.
const OPERATOR_MEMORY_BYTES: usize = 192 << 20;
/// Rows of a batch while sorting: what a merge holds of each spilled run.
const SORT_BATCH_ROWS: usize = 1_024;

/// A session for one table: no catalog, no files, bounded memory.
pub fn session(threads: usize) -> Result<SessionContext, DataFusionError> {
    with_bounded_memory(SessionConfig::from(options()).with_target_partitions(threads))
}

/// A session that sorts a whole table: one sorter has all the memory, and spills what does not fit.
pub fn sorting_session() -> Result<SessionContext, DataFusionError> {
    let config = SessionConfig::from(options()).with_target_partitions(1);
    with_bounded_memory(config.with_batch_size(SORT_BATCH_ROWS))
}

fn options() -> ConfigOptions {
    let mut options = ConfigOptions::new();
    options.execution.parquet.pushdown_filters = true;
    options.execution.parquet.schema_force_view_types = false;
    options.sql_parser.collect_spans = true;
    options.sql_parser.map_string_types_to_utf8view = false;
    options
}

fn with_bounded_memory(config: SessionConfig) -> Result<SessionContext, DataFusionError> {
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_limit(OPERATOR_MEMORY_BYTES, 1.0)
        .build_arc()?;
    Ok(SessionContext::new_with_config_rt(config, runtime))
}

/// A session in which `table` is known by its name.
pub fn session_with(
    threads: usize,
    name: &str,
    table: Arc<dyn TableProvider>,
) -> Result<SessionContext, DataFusionError> {
    let session = session(threads)?;
    session.register_table(name, table)?;
    Ok(session)
}

/// Runs SQL to its last row.
pub async fn answer(session: &SessionContext, sql: &str) -> Result<Answer, DesignError> {
    let run = async {
        let plan = session.sql(sql).await?.create_physical_plan().await?;
        let batches = collect(plan.clone(), session.task_ctx()).await?;
        Ok::<_, DataFusionError>(Answer {
            batches,
            rows_scanned: rows_scanned(plan.as_ref()),
        })
    };
    run.await.map_err(|error| DesignError(message(&error)))
}

/// DataFusion's message without its chain of contexts.
pub fn message(error: &DataFusionError) -> String {
    error.find_root().strip_backtrace()
}

/// Rows that the plan's tables handed over; `None` when no table was read, as for a count that
/// statistics answer.
fn rows_scanned(plan: &dyn ExecutionPlan) -> Option<u64> {
    let children = plan.children();
    if children.is_empty() {
        if matches!(plan.name(), "PlaceholderRowExec" | "EmptyExec") {
            return None;
        }
        let counted = plan.metrics().and_then(|metrics| metrics.output_rows());
        // Tables in memory count nothing, but know how many rows they have.
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

/// Runs SQL and says what of its order counts.
pub async fn expected(session: &SessionContext, sql: &str) -> Result<Expected, DesignError> {
    let plan = session.state().create_logical_plan(sql).await;
    let (order_by, limited) = ordering(&plan.map_err(|e| DesignError(message(&e)))?);
    let batches = answer(session, sql).await?.batches;
    Ok(Expected {
        batches,
        order_by,
        limited,
    })
}

/// The output columns that a plan orders by, and whether it has a limit.
pub fn ordering(plan: &LogicalPlan) -> (Vec<usize>, bool) {
    match plan {
        LogicalPlan::Limit(limit) => (ordering(&limit.input).0, true),
        LogicalPlan::Projection(projection) => {
            let (inner, limited) = ordering(&projection.input);
            let names: Vec<_> = projection.input.schema().columns();
            let outer = inner.iter().map_while(|column| {
                projection.expr.iter().position(
                    |e| matches!(unaliased(e), Expr::Column(c) if names.get(*column) == Some(c)),
                )
            });
            (outer.collect(), limited)
        }
        LogicalPlan::SubqueryAlias(alias) => ordering(&alias.input),
        LogicalPlan::Sort(sort) => {
            let columns = sort.input.schema().columns();
            let position = |key: &SortExpr| match &key.expr {
                Expr::Column(column) => columns.iter().position(|c| c == column),
                _ => None,
            };
            (
                sort.expr.iter().map_while(position).collect(),
                sort.fetch.is_some(),
            )
        }
        _ => (Vec::new(), false),
    }
}

fn unaliased(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => unaliased(&alias.expr),
        expr => expr,
    }
}

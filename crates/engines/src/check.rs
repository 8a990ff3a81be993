//! Designs and queries of a workload, checked before anything is touched.

mod expectation;

use std::sync::Arc;

use bakeoff_workload::{Error, Parameter, Query, Result, Workload};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::empty::EmptyTable;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{LogicalPlan, SkipType};
use datafusion::prelude::SessionContext;

use crate::complaint::{self, is_query};
use crate::registry::{self, ENGINES};
use crate::sql::{message, ordering, session_with};

/// Checks that each design that a workload names suits it, as far as its file says. Engines that do
/// not exist are not looked for.
///
/// # Errors
/// The first design that does not, with its line and column in the workload file.
pub fn check_designs(workload: &Workload) -> Result<()> {
    for id in &workload.designs {
        let engine = registry::engine(id).ok();
        if let Some(why) = engine.and_then(|engine| engine.unfit(id, workload)) {
            return Err(workload.error_in_design(id, why));
        }
    }
    Ok(())
}

/// Plans every query of a workload against its table: a missing column, an unknown function,
/// broken SQL, SQL that is no query, or an expected answer that it cannot give is an error with its
/// line and column in the workload file.
pub async fn check_queries(workload: &Workload) -> Result<()> {
    let table = Arc::new(EmptyTable::new(workload.table.schema()));
    let session =
        session_with(1, &workload.table.name, table).map_err(|e| Error::Usage(message(&e)))?;
    for query in &workload.queries {
        let plan = match planned(workload, &session, query, &query.sql).await {
            Ok(plan) => plan,
            Err((line, column, complaint)) => {
                let message = format!("query {}: {complaint}", query.name);
                return Err(workload.error_at(query, line, column, message));
            }
        };
        if let Some(complaint) = complaint_of_engine_sql(workload, &session, query).await {
            let message = format!("query {}: {complaint}", query.name);
            return Err(workload.error_at(query, 1, 1, message));
        }
        if let Some(expectation) = &query.expect
            && let Some(complaint) = expectation::complaint(expectation, &plan)
        {
            let message = format!("query {}: {complaint}", query.name);
            return Err(workload.error_in_expectation(expectation, message));
        }
    }
    Ok(())
}

/// What is wrong with the SQL for some engine. Its place in the file is not known.
async fn complaint_of_engine_sql(
    workload: &Workload,
    session: &SessionContext,
    query: &Query,
) -> Option<String> {
    let is_known = |place: &str| ENGINES.iter().any(|engine| engine.is_place(place));
    if let Some(unknown) = query.engine_sql.keys().find(|place| !is_known(place)) {
        return Some(format!(
            "it has SQL for `{unknown}`, which is neither an engine nor a layout; `bakeoff list` \
             shows them"
        ));
    }
    // One that speaks SQL may speak another one than DataFusion: its own errors tell.
    let is_planned = |place: &str| {
        let name = place.split('/').next().unwrap_or_default();
        !ENGINES.iter().any(|e| e.name() == name && e.speaks_sql())
    };
    for (engine, sql) in query
        .engine_sql
        .iter()
        .filter(|(place, _)| is_planned(place))
    {
        let planned = planned(workload, session, query, sql).await;
        if let Err((line, column, complaint)) = planned {
            return Some(format!(
                "its SQL for {engine}, line {line}, column {column}: {complaint}"
            ));
        }
    }
    None
}

/// The plan of a query's SQL, or line and column in it and what is wrong there.
async fn planned(
    workload: &Workload,
    session: &SessionContext,
    query: &Query,
    sql: &str,
) -> Result<LogicalPlan, (usize, usize, String)> {
    let plan = session
        .state()
        .create_logical_plan(&with_nulls(query, sql))
        .await
        .map_err(|error| located(workload, &error))?;
    match complaint_of_plan(&plan) {
        Some(complaint) => Err((1, 1, complaint)),
        None => Ok(plan),
    }
}

/// Why answers to a query cannot be compared.
fn complaint_of_plan(plan: &LogicalPlan) -> Option<String> {
    if !is_query(plan) {
        return Some("this is no query: write a SELECT".to_owned());
    }
    let (mut unordered, mut offset) = (false, false);
    let walked = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::Limit(limit) = node {
            unordered |= ordering(node).is_empty();
            offset |= !matches!(limit.get_skip_type(), Ok(SkipType::Literal(0)));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    let complaint = match walked {
        Err(error) => return Some(message(&error)),
        Ok(_) if unordered => {
            "it has a LIMIT without an ORDER BY on its output columns: many answers would be \
             right, so designs cannot be compared; add an ORDER BY"
        }
        Ok(_) if offset => {
            "it has an OFFSET: which rows are left out is open where rows tie, so designs cannot \
             be compared; restrict the rows with WHERE"
        }
        Ok(_) => return None,
    };
    Some(complaint.to_owned())
}

/// The SQL with NULL for each parameter, padded so that every other token keeps its position.
fn with_nulls(query: &Query, sql: &str) -> String {
    let names = query.parameters.iter().flat_map(Parameter::placeholders);
    names.fold(sql.to_owned(), |sql, name| {
        let mark = format!("${{{name}}}");
        sql.replace(&mark, &format!("{:width$}", "NULL", width = mark.len()))
    })
}

/// A planner's complaint and its place in the SQL.
fn located(workload: &Workload, error: &DataFusionError) -> (usize, usize, String) {
    let complaint = complaint::of_planner(
        error,
        |column, _| workload.column_suggestion(column),
        |_| format!("; the workload's table is `{}`", workload.table.name),
    );
    let (line, column) = complaint.position.unwrap_or((1, 1));
    (line, column, complaint.message)
}

#[cfg(test)]
mod tests;

//! Queries of a workload, planned before anything is touched.

use std::sync::Arc;

use bakeoff_workload::{Error, Parameter, Query, Result, Workload};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::empty::EmptyTable;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{LogicalPlan, SkipType};
use datafusion::prelude::SessionContext;

use crate::Engine;
use crate::complaint::{self, is_query};
use crate::registry::ENGINES;
use crate::sql::{message, ordering, session_with};

/// Plans every query of a workload against its table: a missing column, an unknown function,
/// broken SQL, or SQL that is no query is an error with its line and column in the workload file.
pub async fn check_queries(workload: &Workload) -> Result<()> {
    let table = Arc::new(EmptyTable::new(workload.table.schema()));
    let session =
        session_with(1, &workload.table.name, table).map_err(|e| Error::Usage(message(&e)))?;
    for query in &workload.queries {
        let (line, column, complaint) = match complaint(workload, &session, query, &query.sql).await
        {
            Some(complaint) => complaint,
            None => match complaint_of_engine_sql(workload, &session, query).await {
                Some(complaint) => (1, 1, complaint),
                None => continue,
            },
        };
        let message = format!("query {}: {complaint}", query.name);
        return Err(workload.error_at(query, line, column, message));
    }
    Ok(())
}

/// What is wrong with the SQL for some engine. Its place in the file is not known.
async fn complaint_of_engine_sql(
    workload: &Workload,
    session: &SessionContext,
    query: &Query,
) -> Option<String> {
    if let Some(unknown) = query.engine_sql.keys().find(|place| !is_known(place)) {
        return Some(format!(
            "it has SQL for `{unknown}`, which is neither an engine nor a layout; `bakeoff list` \
             shows them"
        ));
    }
    // One that speaks SQL may speak another one than DataFusion: its own errors tell.
    let planned = |place: &str| {
        let name = place.split('/').next().unwrap_or_default();
        !ENGINES.iter().any(|e| e.name() == name && e.speaks_sql())
    };
    for (engine, sql) in query.engine_sql.iter().filter(|(place, _)| planned(place)) {
        if let Some((line, column, complaint)) = complaint(workload, session, query, sql).await {
            return Some(format!(
                "its SQL for {engine}, line {line}, column {column}: {complaint}"
            ));
        }
    }
    None
}

/// Whether there is such an engine or layout.
fn is_known(place: &str) -> bool {
    let is_layout = |engine: &&dyn Engine| engine.layouts().iter().any(|l| l.name == place);
    ENGINES
        .iter()
        .any(|engine| engine.name() == place || is_layout(engine))
}

/// Line, column and what is wrong there.
async fn complaint(
    workload: &Workload,
    session: &SessionContext,
    query: &Query,
    sql: &str,
) -> Option<(usize, usize, String)> {
    let plan = session
        .state()
        .create_logical_plan(&with_nulls(query, sql))
        .await;
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => return Some(located(workload, &error)),
    };
    let at_start = |complaint: &str| Some((1, 1, complaint.to_owned()));
    if !is_query(&plan) {
        return at_start("this is no query: write a SELECT");
    }
    let (mut unordered, mut offset) = (false, false);
    let walked = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::Limit(limit) = node {
            unordered |= ordering(node).is_empty();
            offset |= !matches!(limit.get_skip_type(), Ok(SkipType::Literal(0)));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    match walked {
        Err(error) => at_start(&message(&error)),
        Ok(_) if unordered => at_start(
            "it has a LIMIT without an ORDER BY on its output columns: many answers would be \
             right, so designs cannot be compared; add an ORDER BY",
        ),
        Ok(_) if offset => at_start(
            "it has an OFFSET: which rows are left out is open where rows tie, so designs cannot \
             be compared; restrict the rows with WHERE",
        ),
        Ok(_) => None,
    }
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

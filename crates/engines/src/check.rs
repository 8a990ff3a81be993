//! Designs and queries of a workload, checked before anything is touched.

mod expectation;

use std::sync::Arc;

use bakeoff_servers::cassandra::Nodes;
use bakeoff_workload::{ColumnType, DesignId, Error, Query, Result, Workload};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Limit, LogicalPlan, SkipType};
use datafusion::prelude::SessionContext;

use crate::complaint::{self, is_query};
use crate::dialect::position_of;
use crate::nulls::with_nulls;
use crate::plain_sql::{NotPlain, plain_sql};
use crate::registry::{self, ENGINES};
use crate::shared_tables::SharedTables;
use crate::sql::{message, ordering, session_with};
use crate::statements::ambiguous::ambiguity;
use crate::statements::parse::{self, Unparsed};
use crate::statements::words::{has_stray_comma, words};
use crate::statements::{depth, ignored};
use crate::uuid_constants::{empty_table, misspelled};
use crate::{
    Context, EngineOptions, date_columns, float_joins, lengths_of_time, text_constants,
    text_numbers, text_of_time,
};

/// Checks that each design that a workload names suits it, as far as its file says. Designs on
/// unknown engines are not checked.
///
/// # Errors
/// Returns the first design that does not, with its line and column in the workload file.
pub fn check_designs(workload: &Workload) -> Result<()> {
    for id in &workload.designs {
        let engine = registry::engine(id).ok();
        if let Some(why) = engine.and_then(|engine| engine.unfit(id, workload)) {
            return Err(workload.error_in_design(id, why));
        }
    }
    Ok(())
}

/// Sets the options that designs need of the servers that are started for them. Designs on unknown engines
/// need none.
pub fn require(designs: &[DesignId], options: &mut EngineOptions) {
    for id in designs {
        if let Ok(engine) = registry::engine(id) {
            engine.require(id, options);
        }
    }
}

/// Finds the designs that would write the same table as one before them, and can read that one instead. Designs on
/// unknown engines have tables of their own.
pub fn share_tables(designs: &[DesignId]) -> SharedTables {
    let table_of = |id: &DesignId| registry::engine(id).ok()?.table_id(id);
    SharedTables::of(designs.iter().map(|id| (id, table_of(id))))
}

/// Lists the settings of designs that have no effect with the options of a command. Designs on unknown
/// engines have none.
pub fn settings_without_effect(designs: &[DesignId], context: &Context) -> Vec<String> {
    let of_designs = designs
        .iter()
        .filter_map(|id| registry::engine(id).ok()?.without_effect(id, context));
    of_designs.chain(smaller_heap(designs, context)).collect()
}

/// Says which heap a Cassandra would have that is started for one of these designs, where it is less than what was asked
/// for.
fn smaller_heap(designs: &[DesignId], context: &Context) -> Option<String> {
    context.options.cassandra.server.heap_mib?;
    let mut servers = designs
        .iter()
        .filter_map(|id| registry::engine(id).ok()?.own_cassandra(id, context));
    servers.find_map(|(server, nodes)| Nodes::smaller_heap(&server, nodes))
}

/// Plans every query of a workload against its table.
///
/// # Errors
/// Fails for a missing column, an unknown function, broken SQL, SQL that is not a query, or an
/// expected answer that the query cannot give, with the line and column in the workload file.
pub async fn check_queries(workload: &Workload) -> Result<()> {
    let table = Arc::new(empty_table(&workload.table));
    let session =
        session_with(1, &workload.table.name, table).map_err(|e| Error::Usage(message(&e)))?;
    for query in &workload.queries {
        let plan = match planned_question(workload, &session, query).await {
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

/// Plans a question that is asked as a query of a workload would be, and returns whether all right answers to it
/// are the same. They are not where it has a LIMIT, since which of two rows that tie is shown is open.
///
/// # Errors
/// Returns what is wrong with its SQL, and where.
pub async fn check_question(
    workload: &Workload,
    question: &Query,
) -> std::result::Result<bool, String> {
    let table = Arc::new(empty_table(&workload.table));
    let session = session_with(1, &workload.table.name, table).map_err(|error| message(&error))?;
    let planned = planned_question(workload, &session, question).await;
    let plan = planned.map_err(|(line, column, complaint)| {
        format!("line {line}, column {column}: {complaint}")
    })?;
    let mut has_limit = false;
    let walked = plan.apply_with_subqueries(|node| {
        has_limit |= matches!(node, LogicalPlan::Limit(_));
        Ok(TreeNodeRecursion::Continue)
    });
    walked.map_err(|error| message(&error))?;
    Ok(!has_limit)
}

/// Returns what is wrong with the SQL for some engine. Its position in the file is not known.
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
    for (place, sql) in &query.engine_sql {
        // Only counted: other systems have other tokens, so that what does not end here may end there.
        if let Some(complaint) = words(sql).and_then(|words| depth::too_deep(&words)) {
            return Some(format!("its SQL for {place}: {complaint}"));
        }
        // An engine that speaks SQL may speak another dialect than DataFusion and reports its own errors.
        let speaks = ENGINES.iter().find(|e| e.is_place(place) && e.speaks_sql());
        let complaint = match speaks {
            Some(engine) => engine
                .complaint_of_sql(&with_nulls(query, sql))
                .map(|complaint| format!("its SQL for {place}: {complaint}")),
            None => planned(workload, session, query, sql).await.err().map(
                |(line, column, complaint)| {
                    format!("its SQL for {place}, line {line}, column {column}: {complaint}")
                },
            ),
        };
        if complaint.is_some() {
            return complaint;
        }
    }
    None
}

/// Plans a question, unless it has something that has no meaning in the SQL of DataFusion. The error is that of
/// [`planned`].
async fn planned_question(
    workload: &Workload,
    session: &SessionContext,
    query: &Query,
) -> Result<LogicalPlan, (usize, usize, String)> {
    if let Err(NotPlain { position, why }) = plain_sql(&query.sql) {
        return Err((position.0, position.1, why));
    }
    planned(workload, session, query, &query.sql).await
}

/// Plans a query's SQL. The error is the line, the column and what is wrong there.
async fn planned(
    workload: &Workload,
    session: &SessionContext,
    query: &Query,
    sql: &str,
) -> Result<LogicalPlan, (usize, usize, String)> {
    if words(sql).is_some_and(|words| has_stray_comma(&words)) {
        let complaint = "there is a comma before FROM with no column behind it: leave it out";
        return Err((1, 1, complaint.to_owned()));
    }
    let with_nulls = with_nulls(query, sql);
    if let Some(found) = ambiguity(&with_nulls) {
        let (line, column) = position_of(sql, found.word).unwrap_or((1, 1));
        return Err((line, column, found.why));
    }
    let plan = parse::plan(&session.state(), &with_nulls).await;
    let plan = plan.map_err(|unparsed| match unparsed {
        Unparsed::Refused(complaint) => (1, 1, complaint),
        Unparsed::Failed(error) => located(workload, &error),
    })?;
    if let Some(complaint) = ignored::complaint(&with_nulls) {
        return Err((1, 1, complaint));
    }
    let complaint = complaint_of_plan(&plan)
        .or_else(|| text_of_time::complaint(&plan))
        .or_else(|| lengths_of_time::complaint(&plan))
        .or_else(|| float_joins::complaint(&plan))
        .or_else(|| text_numbers::complaint(&plan));
    if let Some(complaint) = complaint {
        return Err((1, 1, complaint));
    }
    let mut columns = workload.table.columns.iter();
    let has_dates = columns.any(|column| column.kind == ColumnType::Date);
    if let Some(complaint) = date_columns::complaint(&plan).filter(|_| has_dates) {
        return Err((1, 1, complaint));
    }
    for unreadable in text_constants::unreadable(&plan) {
        // What has a parameter in it is another text once that is drawn.
        if let Some((line, column)) = position_of(sql, &unreadable.literal) {
            return Err((line, column, unreadable.why));
        }
    }
    if let Some((word, why)) = misspelled(session, query, sql, &plan).await {
        let (line, column) = position_of(sql, &word).unwrap_or((1, 1));
        return Err((line, column, why));
    }
    match marker(&plan) {
        Some(marker) => {
            let (line, column) = position_of(sql, &marker).unwrap_or((1, 1));
            let complaint = format!(
                "no value is bound to its marker `{marker}`: write a value there, or ${{name}} with parameters = \
                 {{ name = {{ column = \"COLUMN\" }} }}, which draws one from the rows"
            );
            Err((line, column, complaint))
        }
        None => Ok(plan),
    }
}

/// Returns a marker of a query such as `?` or `$1`, for which an application binds a value.
fn marker(plan: &LogicalPlan) -> Option<String> {
    plan.get_parameter_names().ok()?.into_iter().min()
}

/// Returns the reason why answers to a query cannot be compared, if there is one.
fn complaint_of_plan(plan: &LogicalPlan) -> Option<String> {
    if !is_query(plan) {
        return Some("this is not a query: write a SELECT".to_owned());
    }
    let (mut unordered, mut offset) = (false, false);
    let mut hidden = Vec::new();
    let walked = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::Limit(limit) = node {
            if ordering(node).is_empty() {
                unordered = true;
                hidden.extend(hidden_order(limit));
            }
            offset |= !matches!(limit.get_skip_type(), Ok(SkipType::Literal(0)));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    let complaint = match walked {
        Err(error) => return Some(message(&error)),
        Ok(_) if !hidden.is_empty() => {
            let hidden = hidden.join(", ");
            return Some(format!(
                "it has a LIMIT, and its ORDER BY has {hidden}, which it does not return, so that the order of its \
                 answers cannot be checked: select {hidden} too"
            ));
        }
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

/// Returns the columns that order the rows of a limit and are not among its own.
fn hidden_order(limit: &Limit) -> Vec<String> {
    let fields = limit.input.schema().fields();
    let is_returned = |name: &str| fields.iter().any(|field| field.name() == name);
    let mut inner = limit.input.as_ref();
    loop {
        inner = match inner {
            LogicalPlan::Projection(projection) => projection.input.as_ref(),
            LogicalPlan::SubqueryAlias(alias) => alias.input.as_ref(),
            LogicalPlan::Sort(sort) => {
                let columns = sort.expr.iter().filter_map(|by| by.expr.try_as_col());
                let names = columns.map(|column| column.name.clone());
                return names.filter(|name| !is_returned(name)).collect();
            }
            _ => return Vec::new(),
        };
    }
}

/// Returns the position of a planner's complaint in the SQL, and its message.
fn located(workload: &Workload, error: &DataFusionError) -> (usize, usize, String) {
    let complaint = complaint::from_planner(
        error,
        |column, _| workload.column_suggestion(column),
        |_| format!("; the workload's table is `{}`", workload.table.name),
    );
    let (line, column) = complaint.position.unwrap_or((1, 1));
    (line, column, complaint.message)
}

#[cfg(test)]
mod tests;

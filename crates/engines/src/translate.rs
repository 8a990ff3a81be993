//! The questions of a workload in the SQL of the engines that are asked them.

mod clauses;
mod zoned;

use bakeoff_workload::{DesignId, Error, Query, Result, Table, Workload};

use crate::adbc::{DriverFile, ENGINE};
use crate::dialect::{SqlDialect, position_of, translated};
use crate::nulls::with_nulls;
use crate::registry::engine;
use crate::statements::depth;
use zoned::Zoned;

/// Writes the queries of a workload that have functions of other systems in the SQL of DataFusion, by which right
/// answers are known.
pub fn plain_queries(workload: &mut Workload) {
    let Workload { table, queries, .. } = workload;
    for query in queries {
        plain_query(query, table);
    }
}

/// Writes a question that has functions of other systems in the SQL of DataFusion. One that cannot be written so stays
/// as it is, and is refused where it is checked.
pub fn plain_query(query: &mut Query, table: &Table) {
    if depth::complaint(&query.sql).is_some() {
        return;
    }
    if let Ok(Some(sql)) = translated(SqlDialect::Datafusion, table, &query.sql) {
        query.sql = sql;
    }
}

/// Gives the queries of a workload texts for the engines of these designs whose SQL differs, as far as a query has
/// none for an engine and its text has to change.
///
/// # Errors
/// An engine lacks something that a query asks for: the line and the column, and what to write.
pub fn translate_queries(
    workload: &mut Workload,
    designs: &[DesignId],
    drivers: Option<&DriverFile>,
) -> Result<()> {
    let mut all = workload.queries.clone();
    for query in &mut all {
        let done = translate_query(query, &workload.table, designs, drivers);
        done.map_err(|((line, column), why)| -> Error {
            workload.error_at(query, line, column, format!("query {}: {why}", query.name))
        })?;
    }
    workload.queries = all;
    Ok(())
}

/// Gives a question texts as [`translate_queries`] does.
///
/// # Errors
/// An engine lacks something that the question asks for, or that is nested too deeply: the line and the column in its
/// SQL, and what to write.
pub fn translate_query(
    query: &mut Query,
    table: &Table,
    designs: &[DesignId],
    drivers: Option<&DriverFile>,
) -> std::result::Result<(), ((usize, usize), String)> {
    if let Some(complaint) = depth::complaint(&query.sql) {
        return Err(((1, 1), complaint));
    }
    for id in designs {
        let Some((dialect, place)) = spoken(id, drivers) else {
            continue;
        };
        let layout = format!("{}/{}", id.engine, id.layout.as_deref().unwrap_or_default());
        let has_own = [layout.as_str(), id.engine.as_str(), place.as_str()];
        if has_own
            .iter()
            .any(|place| query.engine_sql.contains_key(*place))
        {
            continue;
        }
        if let Some(clause) = clauses::lacking(dialect, &with_nulls(query, &query.sql)) {
            let position = position_of(&query.sql, clause.word).unwrap_or((1, 1));
            let why = format!(
                "{} has no {}: {}, or {}",
                dialect.system(),
                clause.name,
                clause.instead,
                separate_text(&place)
            );
            return Err((position, why));
        }
        let sql = translated(dialect, table, &query.sql).map_err(|lacking| {
            let position = position_of(&query.sql, &lacking.word).unwrap_or((1, 1));
            (position, advice(dialect, &place, &lacking.why))
        })?;
        let sent = sql.as_deref().unwrap_or(&query.sql);
        if let Some(Zoned { literal, in_utc }) = zoned::left(query, table, sent) {
            let position = position_of(&query.sql, &literal).unwrap_or((1, 1));
            let why = format!(
                "{} would take {literal} for the time that it shows, without its offset or zone: write it in UTC, \
                 '{in_utc}', or {}",
                dialect.system(),
                separate_text(&place)
            );
            return Err((position, why));
        }
        let Some(sql) = sql else {
            continue;
        };
        // What is asked is checked, not what it was made of.
        let asked = engine(id).ok();
        if let Some(complaint) = asked.and_then(|e| e.complaint_of_sql(&with_nulls(query, &sql))) {
            return Err(((1, 1), format!("its SQL for {place}: {complaint}")));
        }
        query.engine_sql.insert(place, sql);
    }
    Ok(())
}

/// Says which question of a workload a design cannot be asked, and why; `None` if it can be asked all of them.
pub fn lacking(id: &DesignId, workload: &Workload) -> Option<String> {
    workload.queries.iter().find_map(|query| {
        let mut asked = query.clone();
        let done = translate_query(&mut asked, &workload.table, std::slice::from_ref(id), None);
        done.err()
            .map(|(_, why)| format!("query {}: {why}", query.name))
    })
}

/// Returns the dialect that a design speaks, if it is another one than that of a workload's queries, and the name under
/// which queries have texts for it.
fn spoken(id: &DesignId, drivers: Option<&DriverFile>) -> Option<(SqlDialect, String)> {
    let of_engine = engine(id).ok().and_then(|engine| engine.dialect());
    if let Some(dialect) = of_engine {
        return Some((dialect, id.engine.clone()));
    }
    let name = id.layout.as_deref().filter(|_| id.engine == ENGINE)?;
    let entry = drivers?.entry(name).ok()?;
    Some((entry.dialect.of_sql()?, format!("{ENGINE}/{name}")))
}

/// Says what an engine lacks, and what to write.
fn advice(dialect: SqlDialect, place: &str, why: &str) -> String {
    format!("{} {why}; {}", dialect.system(), separate_text(place))
}

/// Says how a query gets a text for one engine.
fn separate_text(place: &str) -> String {
    let key = if place.contains('/') {
        format!("\"{place}\"")
    } else {
        place.to_owned()
    };
    format!("give the query a separate text for {place}: engine_sql = {{ {key} = \"SELECT ...\" }}")
}

#[cfg(test)]
mod tests;

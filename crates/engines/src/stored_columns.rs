//! Designs that store some of the table's columns only, as `columns=10` says, and the queries that they are not
//! asked for want of the others.

mod design;

use std::borrow::Cow;
use std::sync::Arc;

use bakeoff_driver::Design;
use bakeoff_stats::{DesignInfo, NotAsked, Role};
use bakeoff_workload::{DesignId, Table, Workload};
use datafusion::datasource::empty::EmptyTable;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use futures::FutureExt;

use crate::EngineError;
use crate::complaint::missing_column;
use crate::nulls::with_nulls;
use crate::settings::COLUMNS;
use crate::sql::{message, session_with};
use design::SomeColumnsDesign;

/// What a design stores of a workload's table.
pub struct Stored<'a> {
    workload: Cow<'a, Workload>,
    /// The columns that it stores; `None` for all of them.
    some: Option<SomeColumns>,
}

/// The columns that a design stores, where they are not all of the table.
struct SomeColumns {
    /// Their places in the workload's table, in its order.
    places: Vec<usize>,
    /// Number of columns of that table.
    of: usize,
    not_asked: Vec<NotAsked>,
}

impl<'a> Stored<'a> {
    /// Reads the setting `columns` of a design, which every layout has that names it.
    ///
    /// # Errors
    /// Fails for a number of columns that is less than those of the key or not less than those of the table, and if
    /// no query can be answered from so few.
    pub fn of(id: &DesignId, workload: &'a Workload) -> Result<Self, EngineError> {
        let Some(written) = id.settings.get(COLUMNS) else {
            return Ok(Stored {
                workload: Cow::Borrowed(workload),
                some: None,
            });
        };
        let failed = |why: String| EngineError(format!("design {id}: {COLUMNS}={written}{why}"));
        let table = &workload.table;
        let places = places(written, table).map_err(failed)?;
        let mut narrow = workload.clone();
        let columns = places.iter().map(|place| table.columns[*place].clone());
        narrow.table.columns = columns.collect();
        // A mix beside the queries writes whole rows, and is for `drive`, which refuses the design.
        narrow.mix = narrow.mix.filter(|_| workload.queries.is_empty());
        let not_asked = not_asked(id, workload, &narrow.table).map_err(|error| {
            failed(format!(
                ": planning the queries failed: {}",
                message(&error)
            ))
        })?;
        let is_asked = |name: &str| not_asked.iter().all(|other| other.query != name);
        narrow.queries.retain(|query| is_asked(&query.name));
        if let (true, Some(first)) = (narrow.queries.is_empty(), not_asked.first()) {
            return Err(failed(format!(
                ": no query can be answered from these columns ({}); the first one, {}, {}: store more",
                names(&narrow.table),
                first.query,
                first.why
            )));
        }
        let some = SomeColumns {
            places,
            of: table.columns.len(),
            not_asked,
        };
        Ok(Stored {
            workload: Cow::Owned(narrow),
            some: Some(some),
        })
    }

    /// Returns the workload with a table of the stored columns, and the queries that need no others.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// Adds to the description of a design what it stores, if that is not everything.
    pub fn described(&self, info: DesignInfo) -> DesignInfo {
        let Some(some) = &self.some else {
            return info;
        };
        let (stored, table) = (some.places.len(), &self.workload.table);
        let mut settings = info.settings;
        settings.push((
            COLUMNS.to_owned(),
            format!("{stored} of {}: {}", some.of, names(table)),
        ));
        DesignInfo {
            role: Role::SomeColumns,
            settings,
            not_asked: some.not_asked.clone(),
            ..info
        }
    }

    /// Returns the design for the rows of the workload's whole table, given the one for the table of the stored
    /// columns and the description by [`Stored::described`].
    pub fn over(&self, design: Box<dyn Design>, info: DesignInfo) -> Box<dyn Design> {
        match &self.some {
            None => design,
            Some(some) => Box::new(SomeColumnsDesign {
                design,
                info,
                places: some.places.clone(),
            }),
        }
    }
}

/// Returns the places of the key columns and of the first further ones, so many in all.
///
/// # Errors
/// Returns what is wrong with the number, as the end of a sentence that begins with the setting.
fn places(written: &str, table: &Table) -> Result<Vec<usize>, String> {
    let all = table.columns.len();
    let is_key = |place: &usize| table.is_key(&table.columns[*place].name);
    let mut places: Vec<usize> = (0..all).filter(is_key).collect();
    let key = places.len();
    let count: usize = written
        .parse()
        .map_err(|_| " is not a number of columns".to_owned())?;
    // Else one table would have several ids.
    if count.to_string() != written {
        return Err(format!(" is not written plainly: write {COLUMNS}={count}"));
    }
    if count < key {
        return Err(format!(
            " is less than the {key} of the key, which every design stores: write {COLUMNS}={key} or more"
        ));
    }
    if count >= all {
        return Err(format!(
            " is not less than the {all} of the table: leave {COLUMNS}= out to store them all"
        ));
    }
    let further = (0..all).filter(|place| !is_key(place));
    places.extend(further.take(count - key));
    places.sort_unstable();
    Ok(places)
}

/// Returns the queries that a table of the stored columns does not answer like the workload's own.
fn not_asked(
    id: &DesignId,
    workload: &Workload,
    stored: &Table,
) -> Result<Vec<NotAsked>, DataFusionError> {
    let session = |table: &Table| {
        let empty = Arc::new(EmptyTable::new(table.schema()));
        session_with(1, &table.name, empty)
    };
    let (all, some) = (session(&workload.table)?, session(stored)?);
    let design = id.to_string();
    let mut not_asked = Vec::new();
    for query in &workload.queries {
        let sql = with_nulls(query, query.sql_for(&design));
        not_asked.extend(why_not(&all, &some, &sql).map(|why| NotAsked {
            query: query.name.clone(),
            why,
        }));
    }
    Ok(not_asked)
}

/// Returns why a query cannot be asked of a table with some columns, if there is a reason: it has to mean the same as
/// over all of them.
fn why_not(all: &SessionContext, some: &SessionContext, sql: &str) -> Option<String> {
    let of_some = match planned(some, sql) {
        Ok(plan) => plan,
        Err(error) => {
            return Some(match missing_column(&error) {
                Some(column) => format!("needs the column {column}"),
                None => format!("needs further columns ({})", message(&error)),
            });
        }
    };
    // The planner writes out `*`, so that the plans of a query with one anywhere differ.
    let text = |plan: &LogicalPlan| plan.display_indent().to_string();
    let of_all = planned(all, sql).ok();
    let is_same = of_all.is_some_and(|of_all| text(&of_all) == text(&of_some));
    (!is_same).then(|| "reads all columns of the table".to_owned())
}

/// Plans SQL over a table that has no rows, which waits for nothing.
fn planned(session: &SessionContext, sql: &str) -> Result<LogicalPlan, DataFusionError> {
    let state = session.state();
    let planned = state.create_logical_plan(sql).now_or_never();
    planned.unwrap_or_else(|| {
        let waits = "planning waits for a table".to_owned();
        Err(DataFusionError::Internal(waits))
    })
}

fn names(table: &Table) -> String {
    let names: Vec<&str> = { table.columns.iter() }.map(|c| c.name.as_str()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;

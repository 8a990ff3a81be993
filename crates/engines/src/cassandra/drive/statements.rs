//! Preparation of statements for one session.

use std::time::Duration;

use bakeoff_driver::DesignError;
use bakeoff_workload::{Consistency, Table};
use scylla::client::session::Session;
use scylla::cluster::metadata::{CollectionType, ColumnType as CqlType};
use scylla::statement::prepared::PreparedStatement;

use super::plan::{Bind, Statement, takes};
use crate::cassandra::cluster::connect::in_time;
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::read::reading::PAGE_ROWS;

/// Time limit of preparing one statement.
const PREPARE_LIMIT: Duration = Duration::from_secs(30);

/// A prepared statement, and the sources of its values.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub statement: PreparedStatement,
    pub binds: Vec<Bind>,
}

/// Prepares a statement, and checks that its markers accept the values that are bound to them.
///
/// # Errors
/// Fails if the server refuses it, or if a marker has another type than its value.
pub async fn prepare(
    client: &Session,
    operation: &str,
    statement: &Statement,
    consistency: Option<Consistency>,
    table: &Table,
) -> Result<Prepared, DesignError> {
    let failed = |why: String| {
        DesignError(format!(
            "operation `{operation}`: preparing `{}` failed: {why}",
            statement.cql
        ))
    };
    let prepared = in_time(PREPARE_LIMIT, client.prepare(statement.cql.as_str())).await;
    let prepared = prepared.map_err(failed)?;
    let mut prepared = prepared.map_err(|e| failed(e.to_string()))?;
    prepared.set_page_size(PAGE_ROWS);
    if let Some(consistency) = consistency {
        prepared.set_consistency(in_driver(consistency));
    }
    let binds = adapt_binds(&prepared, statement, table).map_err(failed)?;
    Ok(Prepared {
        statement: prepared,
        binds,
    })
}

/// Adapts the binds to the types of their markers.
fn adapt_binds(
    prepared: &PreparedStatement,
    statement: &Statement,
    table: &Table,
) -> Result<Vec<Bind>, String> {
    let markers = prepared.get_variable_col_specs();
    if markers.len() != statement.binds.len() {
        return Err(format!(
            "it has {} markers, and {} values are bound",
            markers.len(),
            statement.binds.len()
        ));
    }
    let pairs = markers.iter().zip(&statement.binds).enumerate();
    pairs
        .map(|(number, (marker, bind))| adapt_bind(number + 1, marker.typ(), bind, table))
        .collect()
}

fn adapt_bind(
    number: usize,
    marker: &CqlType<'_>,
    bind: &Bind,
    table: &Table,
) -> Result<Bind, String> {
    let (Bind::Column(column, version) | Bind::ColumnUnlessNull(column, version)) = bind else {
        return Ok(bind.clone());
    };
    let definition = &table.columns[*column];
    if takes(&type_name(marker), definition.kind) {
        return Ok(bind.clone());
    }
    match element(marker) {
        Some(element) if takes(&type_name(element), definition.kind) => {
            Ok(Bind::Element(*column, *version))
        }
        _ => Err(format!(
            "its marker {number} is a {}, but column `{}` of [table] is a {}: give the column the \
             type that the statement needs",
            type_name(marker),
            definition.name,
            definition.kind.name()
        )),
    }
}

/// Returns the type of the elements of a set or list.
fn element<'t>(kind: &'t CqlType<'_>) -> Option<&'t CqlType<'t>> {
    match kind {
        CqlType::Collection {
            typ: CollectionType::Set(element) | CollectionType::List(element),
            ..
        } => Some(element),
        _ => None,
    }
}

/// Returns the CQL name of a type, or the driver's name for types without a short one.
fn type_name(kind: &CqlType<'_>) -> String {
    match kind {
        CqlType::Native(native) => format!("{native:?}").to_lowercase(),
        CqlType::Collection { typ, .. } => match typ {
            CollectionType::Set(element) => format!("set<{}>", type_name(element)),
            CollectionType::List(element) => format!("list<{}>", type_name(element)),
            CollectionType::Map(key, value) => {
                format!("map<{}, {}>", type_name(key), type_name(value))
            }
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    }
}

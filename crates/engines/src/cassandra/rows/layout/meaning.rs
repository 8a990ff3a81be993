//! Settings that have no meaning for a layout of rows, or not together.

use bakeoff_workload::{DesignId, Table};

use super::{BUCKET_COLUMN, Shape};
use crate::EngineError;
use crate::cassandra::column_names::ColumnNames;
use crate::settings::Settings;

/// Settings of tables, indexes and aggregates beside the table, in which columns have the workload's names.
const WITH_OWN_NAMES: [&str; 6] = [
    "aggregate",
    "index",
    "index_table",
    "summary",
    "table_by",
    "view",
];

/// Refuses settings that have no meaning for a shape, with a better reason than "unknown".
pub fn check_meaning(id: &DesignId, shape: Shape) -> Result<(), EngineError> {
    let (names, why): (&[&str], &str) = match shape {
        Shape::Narrow => (
            &["bucket", "key", "order"],
            "means nothing with one row per partition",
        ),
        Shape::Wide => return Ok(()),
        Shape::Blob | Shape::Compact => (
            &["names"],
            "means nothing where all columns outside the key are in one",
        ),
    };
    match names.iter().find(|name| id.settings.contains_key(**name)) {
        Some(name) => Err(EngineError(format!(
            "design {id}: {name}= {why}: leave it out"
        ))),
        None => Ok(()),
    }
}

/// Takes the names that the columns have in CQL from the setting `names`.
///
/// # Errors
/// Fails for an unknown word, and for short names together with what has the workload's.
pub fn column_names(
    settings: &mut Settings<'_>,
    id: &DesignId,
    table: &Table,
) -> Result<ColumnNames, EngineError> {
    if settings.word("names", &["full", "short"])? != Some("short") {
        return Ok(ColumnNames::default());
    }
    let mut others = WITH_OWN_NAMES.iter();
    if let Some(other) = others.find(|name| id.settings.contains_key(**name)) {
        return Err(settings.error(format!(
            "names=short is for a table without indexes, further tables and aggregates in Cassandra, in which \
             columns keep their names: leave out one of the two, names= or {other}="
        )));
    }
    let columns = table.columns.iter().map(|column| column.name.as_str());
    Ok(ColumnNames::short(columns.chain([BUCKET_COLUMN])))
}

//! Lists of the tables and keyspaces that can be queried, as rows.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::physical_plan::execute_stream;

use super::catalogue::{self, Relation, RelationKind};
use super::cql_words::Listing;
use super::names::quoted;
use super::{Location, Query, SqlError, TableError, Tables};
use crate::cassandra::is_system_keyspace;

const NOTHING_THERE: &str = "there is nothing to show: name a cluster with --cassandra \
    HOST[:PORT], or a table with --table";

/// A table of a list.
struct Row {
    /// The keyspace, or `None` for a table in a folder.
    keyspace: Option<String>,
    table: String,
    kind: RelationKind,
    /// The name by which queries refer to the table.
    called: String,
}

impl Tables {
    /// Returns the rows of a list. The inner error is one of the statement.
    pub(super) async fn list(
        &self,
        listing: &Listing,
        most_rows: Option<usize>,
    ) -> Result<Result<Query, SqlError>, TableError> {
        let session = self.connection.session_if_named().await?;
        if session.is_none() && (*listing == Listing::Keyspaces || self.names.is_empty()) {
            return Ok(Err(complaint(NOTHING_THERE)));
        }
        let keyspaces = session
            .as_deref()
            .map_or_else(Vec::new, catalogue::keyspaces);
        let rows = match listing {
            Listing::Keyspaces => keyspace_rows(keyspaces)?,
            Listing::Tables { keyspace, like } => {
                if let Some(name) = keyspace.as_ref().filter(|name| !keyspaces.contains(name)) {
                    let hint = super::names::hint(name, keyspaces.iter().map(String::as_str));
                    return Ok(Err(complaint(&format!(
                        "there is no keyspace `{name}`{hint}"
                    ))));
                }
                let relations = session.as_deref().map_or_else(Vec::new, |session| {
                    let in_keyspace = |keyspace: &String| catalogue::relations(session, keyspace);
                    keyspaces.iter().flat_map(in_keyspace).collect()
                });
                let mut rows = self.tables(relations, keyspace.as_deref());
                if let Some(pattern) = like {
                    retain_like(&mut rows, pattern)?;
                }
                table_rows(&rows)?
            }
        };
        let shown = most_rows.map_or(rows.num_rows(), |most| most.min(rows.num_rows()));
        let rows = self.session.read_batch(rows.slice(0, shown))?;
        let plan = rows.create_physical_plan().await?;
        Ok(Ok(Query {
            schema: plan.schema(),
            rows: execute_stream(plan.clone(), self.session.task_ctx())?,
            plan,
            explains: false,
            columnar: Vec::new(),
            sql: String::new(),
        }))
    }

    /// Returns each table once: those that were named, with their names, and all others outside of
    /// Cassandra's internal keyspaces.
    fn tables(&self, relations: Vec<Relation>, keyspace: Option<&str>) -> Vec<Row> {
        let is_wanted = |r: &Relation| match keyspace {
            Some(keyspace) => r.keyspace == keyspace,
            None => !is_system_keyspace(&r.keyspace) || self.name_of(r).is_some(),
        };
        let of_cluster = relations.into_iter().filter(is_wanted).map(|relation| {
            let own = || format!("{}.{}", quoted(&relation.keyspace), quoted(&relation.name));
            Row {
                called: self.name_of(&relation).map_or_else(own, quoted),
                keyspace: Some(relation.keyspace),
                table: relation.name,
                kind: relation.kind,
            }
        });
        let of_folders = self
            .names
            .iter()
            .filter_map(|(name, location)| match location {
                Location::Directory(_) if keyspace.is_none() => Some(Row {
                    keyspace: None,
                    table: location.table_name(),
                    kind: RelationKind::Columnar,
                    called: quoted(name),
                }),
                _ => None,
            });
        of_cluster.chain(of_folders).collect()
    }

    /// Returns the name that the command line gives a table of the cluster, if any.
    fn name_of(&self, relation: &Relation) -> Option<&str> {
        let is_it = |location: &Location| match location {
            Location::Cassandra { keyspace, table } => {
                *keyspace == relation.keyspace && *table == relation.name
            }
            Location::Directory(_) => false,
        };
        let named = self.names.iter().find(|(_, location)| is_it(location));
        named.map(|(name, _)| name.as_str())
    }
}

fn complaint(message: &str) -> SqlError {
    SqlError {
        position: None,
        message: message.to_owned(),
    }
}

fn retain_like(rows: &mut Vec<Row>, pattern: &str) -> Result<(), TableError> {
    let names: StringArray = rows.iter().map(|row| Some(row.table.as_str())).collect();
    let pattern = StringArray::new_scalar(pattern);
    let failed = |error: arrow::error::ArrowError| TableError::Failed(error.to_string());
    let is_like = arrow::compute::like(&names, &pattern).map_err(failed)?;
    let mut answers = is_like.iter();
    rows.retain(|_| answers.next().flatten() == Some(true));
    Ok(())
}

fn keyspace_rows(names: Vec<String>) -> Result<RecordBatch, TableError> {
    let own = names.into_iter().filter(|name| !is_system_keyspace(name));
    batch(&[("keyspace", own.map(Some).collect())])
}

fn table_rows(rows: &[Row]) -> Result<RecordBatch, TableError> {
    let column =
        |value: fn(&Row) -> Option<&str>| -> StringArray { rows.iter().map(value).collect() };
    batch(&[
        ("keyspace", column(|row| row.keyspace.as_deref())),
        ("table", column(|row| Some(row.table.as_str()))),
        ("kind", column(|row| Some(row.kind.in_words()))),
        ("called", column(|row| Some(row.called.as_str()))),
    ])
}

fn batch(columns: &[(&str, StringArray)]) -> Result<RecordBatch, TableError> {
    let field = |(name, _): &(&str, StringArray)| Field::new(*name, DataType::Utf8, true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns = columns
        .iter()
        .map(|(_, cells)| Arc::new(cells.clone()) as ArrayRef);
    RecordBatch::try_new(Arc::new(schema), columns.collect())
        .map_err(|error| TableError::Failed(error.to_string()))
}

//! Conversion of the driver's metadata of a table.

use scylla::client::session::Session;
use scylla::cluster::ClusterState;
use scylla::cluster::metadata::{Column, ColumnKind, ColumnType, Keyspace, NativeType, Table};

use super::readable::{CqlKind, ReadColumn, ReadTable};
use crate::cassandra::names::is_system_keyspace;
use bakeoff_workload::suggestion;

/// Looks up a table or a materialized view of any keyspace.
///
/// # Errors
/// Suggests a similar name if there is no such keyspace or table.
pub fn read_table(cluster: &ClusterState, keyspace: &str, name: &str) -> Result<ReadTable, String> {
    let Some(found) = cluster.get_keyspace(keyspace) else {
        let all = cluster.keyspaces_iter().map(|(name, _)| name);
        let hint = suggestion(keyspace, all.filter(|name| !is_system_keyspace(name)));
        return Err(format!("there is no keyspace `{keyspace}`{hint}"));
    };
    match table(found, name) {
        Some(table) => Ok(to_read_table(keyspace, name, table)),
        None => {
            let all = found.tables.keys().chain(found.views.keys());
            let hint = suggestion(name, all.map(String::as_str));
            Err(format!("keyspace {keyspace} has no table `{name}`{hint}"))
        }
    }
}

/// Reads whether the greatest clustering keys of a table come first. It is `None` if columns of the key
/// differ in it, or if it cannot be read: then large partitions are not split, and nothing else differs.
pub async fn is_descending(session: &Session, keyspace: &str, name: &str) -> Option<bool> {
    // Each node has its own tables of the system, whose partitions are not to be read from several.
    if is_system_keyspace(keyspace) {
        return None;
    }
    let cql = "SELECT clustering_order FROM system_schema.columns WHERE keyspace_name = ? AND \
               table_name = ?";
    let read = session.query_unpaged(cql, (keyspace, name)).await;
    let rows = read.ok()?.into_rows_result().ok()?;
    let orders: Result<Vec<(String,)>, _> = rows.rows::<(String,)>().ok()?.collect();
    descends(orders.ok()?.iter().map(|(order,)| order.as_str()))
}

/// Returns whether columns are in descending order, of which those outside of the clustering key have
/// none.
fn descends<'a>(orders: impl Iterator<Item = &'a str>) -> Option<bool> {
    let mut orders = orders.filter(|order| *order != "none");
    let first = orders.next()?;
    let descending = match first {
        "asc" => false,
        "desc" => true,
        _ => return None,
    };
    orders.all(|order| order == first).then_some(descending)
}

fn table<'a>(keyspace: &'a Keyspace, name: &str) -> Option<&'a Table> {
    let view = || keyspace.views.get(name).map(|view| &view.view_metadata);
    keyspace.tables.get(name).or_else(view)
}

/// Converts a table, with its columns in CQL's order: partition key, clustering key, static columns,
/// others.
fn to_read_table(keyspace: &str, name: &str, table: &Table) -> ReadTable {
    let statics = sorted_names(table, ColumnKind::Static);
    let others = sorted_names(table, ColumnKind::Regular);
    let keys = table.partition_key.iter().chain(&table.clustering_key);
    let all = keys.chain(statics.iter().copied()).chain(others);
    ReadTable {
        keyspace: keyspace.to_owned(),
        name: name.to_owned(),
        columns: all
            .filter_map(|name| Some(as_column(name, table.columns.get(name)?)))
            .collect(),
        partition_key: table.partition_key.clone(),
        clustering_key: table.clustering_key.clone(),
        // The driver does not know the clustering order (`is_descending`).
        descending: None,
        statics: statics.into_iter().cloned().collect(),
        with_ttl: table
            .columns
            .iter()
            .filter(|(_, column)| has_ttl(column))
            .map(|(name, _)| name.clone())
            .collect(),
        ..ReadTable::default()
    }
}

/// Returns whether CQL tells the time to live of a column's values, of which there is one for each row.
fn has_ttl(column: &Column) -> bool {
    let is_value = matches!(column.kind, ColumnKind::Regular | ColumnKind::Static);
    is_value
        && match &column.typ {
            ColumnType::Native(native) => *native != NativeType::Counter,
            _ => false,
        }
}

fn sorted_names(table: &Table, kind: ColumnKind) -> Vec<&String> {
    let columns = table.columns.iter();
    let mut names: Vec<&String> = columns
        .filter(|(_, column)| column.kind == kind)
        .map(|(name, _)| name)
        .collect();
    names.sort();
    names
}

fn as_column(name: &str, column: &Column) -> ReadColumn {
    ReadColumn {
        name: name.to_owned(),
        kind: kind(&column.typ),
    }
}

fn kind(column_type: &ColumnType) -> CqlKind {
    let ColumnType::Native(native) = column_type else {
        return CqlKind::Literal;
    };
    match native {
        NativeType::Ascii | NativeType::Text => CqlKind::Text,
        NativeType::Boolean => CqlKind::Boolean,
        NativeType::Blob => CqlKind::Blob,
        NativeType::Counter | NativeType::BigInt => CqlKind::Bigint,
        NativeType::Date => CqlKind::Date,
        NativeType::Decimal => CqlKind::Decimal,
        NativeType::Double => CqlKind::Double,
        NativeType::Float => CqlKind::Float,
        NativeType::Int => CqlKind::Int,
        NativeType::Timestamp => CqlKind::Timestamp,
        NativeType::Inet => CqlKind::Inet,
        NativeType::SmallInt => CqlKind::Smallint,
        NativeType::TinyInt => CqlKind::Tinyint,
        NativeType::Time => CqlKind::Time,
        NativeType::Timeuuid | NativeType::Uuid => CqlKind::Uuid,
        NativeType::Varint => CqlKind::Varint,
        // This covers durations and types of newer drivers.
        _ => CqlKind::Literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_table_is_that_of_all_its_clustering_columns() {
        let of = |orders: &[&str]| descends(orders.iter().copied());
        assert_eq!(of(&["none", "asc", "none"]), Some(false));
        assert_eq!(of(&["desc", "none", "desc"]), Some(true));
        assert_eq!(of(&["desc", "asc"]), None);
        assert_eq!(of(&["none"]), None);
        assert_eq!(of(&["other"]), None);
        assert_eq!(of(&[]), None);
    }
}

//! Conversion of the driver's metadata of a table.

use scylla::cluster::ClusterState;
use scylla::cluster::metadata::{Column, ColumnKind, ColumnType, Keyspace, NativeType, Table};

use super::readable::{CqlKind, ReadColumn, ReadTable};
use bakeoff_workload::suggestion;

/// Looks up a table or a materialized view of any keyspace.
///
/// # Errors
/// Suggests a similar name if there is no such keyspace or table.
pub fn read_table(cluster: &ClusterState, keyspace: &str, name: &str) -> Result<ReadTable, String> {
    let Some(found) = cluster.get_keyspace(keyspace) else {
        let all = cluster.keyspaces_iter().map(|(name, _)| name);
        let hint = suggestion(keyspace, all.filter(|name| !is_system(name)));
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

fn is_system(keyspace: &str) -> bool {
    keyspace == "system" || keyspace.starts_with("system_")
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
        // The driver does not know the clustering order.
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

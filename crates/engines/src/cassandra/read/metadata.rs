//! A table as the driver knows it from the cluster.

use scylla::cluster::ClusterState;
use scylla::cluster::metadata::{Column, ColumnKind, ColumnType, Keyspace, NativeType, Table};

use super::readable::{CqlKind, ReadColumn, ReadTable};
use bakeoff_workload::suggestion;

/// A table, or a materialized view, of any keyspace.
///
/// # Errors
/// Says what there is instead.
pub fn read_table(cluster: &ClusterState, keyspace: &str, name: &str) -> Result<ReadTable, String> {
    let Some(found) = cluster.get_keyspace(keyspace) else {
        let all = cluster.keyspaces_iter().map(|(name, _)| name);
        let hint = suggestion(keyspace, all.filter(|name| !is_system(name)));
        return Err(format!("there is no keyspace `{keyspace}`{hint}"));
    };
    match table(found, name) {
        Some(table) => Ok(as_read(keyspace, name, table)),
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

/// Columns in CQL's order: partition key, clustering key, static columns, others.
fn as_read(keyspace: &str, name: &str, table: &Table) -> ReadTable {
    let of_kind = |kind: ColumnKind| {
        let mut names: Vec<&String> = { table.columns.iter() }
            .filter(|(_, column)| column.kind == kind)
            .map(|(name, _)| name)
            .collect();
        names.sort();
        names
    };
    let (statics, others) = (of_kind(ColumnKind::Static), of_kind(ColumnKind::Regular));
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
        // The driver does not say in which order they are.
        descending: None,
        statics: statics.into_iter().cloned().collect(),
        ..ReadTable::default()
    }
}

fn as_column(name: &str, column: &Column) -> ReadColumn {
    ReadColumn {
        name: name.to_owned(),
        kind: kind(&column.typ),
    }
}

fn kind(of: &ColumnType) -> CqlKind {
    let ColumnType::Native(native) = of else {
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
        // Durations, and whatever a newer driver knows.
        _ => CqlKind::Literal,
    }
}

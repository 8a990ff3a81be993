//! The tables that tests of these layouts are about.

use bakeoff_workload::{Column, ColumnType, DesignId, Table};

use super::layout::{Shape, TableLayout};

/// Makes a table `t` from the names and the types of its columns, and the names of its key's columns.
pub fn table(columns: &[(&str, ColumnType)], partition_key: &[&str], order_key: &[&str]) -> Table {
    let owned = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let column = |(name, kind): &(&str, ColumnType)| Column {
        name: (*name).to_owned(),
        kind: *kind,
    };
    Table {
        name: "t".to_owned(),
        columns: columns.iter().map(column).collect(),
        partition_key: owned(partition_key),
        order_key: owned(order_key),
    }
}

/// Lays a table out as a design of rows asks for.
///
/// # Errors
/// Fails, with the message that a user reads, if the design cannot have the table.
pub fn layout(id: &str, table: &Table, keys_repeat: bool) -> Result<TableLayout, String> {
    let id: DesignId = id.parse()?;
    let shape = Shape::from_id(&id).unwrap();
    TableLayout::new(&id, shape, table, keys_repeat).map_err(|e| e.to_string())
}

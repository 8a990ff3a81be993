//! The columns of a CQL table that a workload's table can have.

use bakeoff_workload::{Column, ColumnType, Table};

use crate::EngineError;
use crate::cassandra::read::readable::{CqlKind, ReadColumn, ReadTable};

/// What is copied of a table.
pub struct Chosen {
    /// The table of the workload.
    pub table: Table,
    /// Numbers of its columns in the table that is read, in the same order: those of the key come first.
    pub projection: Vec<usize>,
    /// What differs from the table that is read, in words.
    pub notes: Vec<String>,
}

/// Chooses all columns that a design can store.
///
/// # Errors
/// Fails if a column of the key is none of them.
pub fn choose(read: &ReadTable) -> Result<Chosen, EngineError> {
    let (mut columns, mut projection) = (Vec::new(), Vec::new());
    let (mut left_out, mut changed) = (Vec::new(), Vec::new());
    for (number, column) in read.columns.iter().enumerate() {
        let name = &column.name;
        match kind_of(read, column) {
            Ok((kind, is_same)) => {
                if !is_same {
                    changed.push(format!("{name} as {}", kind.name()));
                }
                columns.push(Column {
                    name: name.clone(),
                    kind,
                });
                projection.push(number);
            }
            Err(why) if read.is_key(name) => {
                return Err(EngineError(format!(
                    "cannot copy {}.{}: the column {name} of its key {why}",
                    read.keyspace, read.name
                )));
            }
            Err(why) => left_out.push(format!("{name}, which {why}")),
        }
    }
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        notes.push(format!("left out: {}", left_out.join("; ")));
    }
    if !changed.is_empty() {
        notes.push(format!("stored with another type: {}", changed.join(", ")));
    }
    let table = Table {
        name: table_name(&read.name),
        columns,
        partition_key: read.partition_key.clone(),
        order_key: read.clustering_key.clone(),
    };
    Ok(Chosen {
        table,
        projection,
        notes,
    })
}

/// Returns a name that a workload allows: lower case, with a letter first.
fn table_name(name: &str) -> String {
    let name = name.to_lowercase();
    if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name
    } else {
        format!("t{name}")
    }
}

/// Returns the type with which a column is stored, and whether that is its own one.
///
/// # Errors
/// Says why it cannot be stored, as the end of a sentence about it.
fn kind_of(read: &ReadTable, column: &ReadColumn) -> Result<(ColumnType, bool), &'static str> {
    let name = column.name.as_str();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || !name.chars().all(is_plain) {
        return Err("has a name other than of lower-case letters, digits and underscores");
    }
    if read.statics.contains(&column.name) {
        return Err("is static");
    }
    // Of all values outside of the key only counters have no time to live.
    let is_counter = || !read.is_key(name) && !read.with_ttl.contains(&column.name);
    Ok(match column.kind {
        CqlKind::Boolean => (ColumnType::Boolean, true),
        CqlKind::Int => (ColumnType::Int, true),
        CqlKind::Tinyint | CqlKind::Smallint => (ColumnType::Int, false),
        CqlKind::Bigint => (ColumnType::Bigint, !is_counter()),
        CqlKind::Double => (ColumnType::Double, true),
        CqlKind::Float => (ColumnType::Double, false),
        CqlKind::Text => (ColumnType::Text, true),
        CqlKind::Uuid | CqlKind::Inet => (ColumnType::Text, false),
        CqlKind::Blob => (ColumnType::Blob, true),
        CqlKind::Timestamp => (ColumnType::Timestamp, true),
        CqlKind::Date => (ColumnType::Timestamp, false),
        CqlKind::Time
        | CqlKind::Varint
        | CqlKind::VarintText
        | CqlKind::Decimal
        | CqlKind::DecimalText => {
            return Err("is a time of day, a varint or a decimal");
        }
        CqlKind::Literal => return Err("is a collection or another type of several values"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kinds: &[(&str, CqlKind)]) -> ReadTable {
        let column = |(name, kind): &(&str, CqlKind)| ReadColumn {
            name: (*name).to_owned(),
            kind: *kind,
        };
        ReadTable {
            keyspace: "ks".to_owned(),
            name: "Readings".to_owned(),
            columns: kinds.iter().map(column).collect(),
            partition_key: vec!["p".to_owned()],
            clustering_key: vec!["c".to_owned()],
            statics: vec!["s".to_owned()],
            with_ttl: vec!["v".to_owned()],
            ..ReadTable::default()
        }
    }

    #[test]
    fn what_cannot_be_copied_is_named() {
        let chosen = choose(&read(&[
            ("p", CqlKind::Uuid),
            ("c", CqlKind::Timestamp),
            ("s", CqlKind::Int),
            ("Big", CqlKind::Int),
            ("n", CqlKind::Bigint),
            ("tags", CqlKind::Literal),
            ("v", CqlKind::Bigint),
        ]))
        .unwrap();
        let names: Vec<&str> = { chosen.table.columns.iter() }
            .map(|c| c.name.as_str())
            .collect();
        assert_eq!(names, ["p", "c", "n", "v"]);
        assert_eq!(chosen.projection, [0, 1, 4, 6]);
        assert_eq!(chosen.table.name, "readings");
        let [left_out, changed] = &chosen.notes[..] else {
            panic!("{:?}", chosen.notes);
        };
        for name in ["s, which is static", "Big, which has", "tags, which is a"] {
            assert!(left_out.contains(name), "{left_out}");
        }
        // A counter is no counter in the copy.
        let expected = "stored with another type: p as text, n as bigint";
        assert_eq!(changed, expected);
    }

    #[test]
    fn a_key_that_cannot_be_copied_is_an_error() {
        let table = read(&[("p", CqlKind::Decimal), ("c", CqlKind::Int)]);
        let Err(error) = choose(&table) else {
            panic!("copied");
        };
        assert!(
            error.to_string().contains("the column p of its key is a"),
            "{error}"
        );
        assert_eq!(table_name("1st"), "t1st");
        assert_eq!(table_name("_x"), "t_x");
    }
}

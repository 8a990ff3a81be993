//! Tables that a file of CQL makes, with the design that is like each, as far as statements tell it without a cluster.

pub mod parse;
mod reader;

use std::collections::HashMap;

use bakeoff_workload::ColumnType;
use bakeoff_workload::infer::{DeclaredForm, is_reserved};

use super::layout::CassandraLayout;
use super::live::kinds::fate;
use super::live::schema::{Schema, StoredIndex};
use super::live::table::{design, plain_name};
use super::names::ENGINE;
use super::read::readable::{CqlKind, ReadColumn, ReadTable};
use crate::live::{Described, Fate, Holding};
use crate::statements::{TableStatement, Written, held_as};
use parse::{Made, index, table};

/// Reads the tables that statements make, with their indexes.
///
/// # Errors
/// Says which statement that makes a table cannot be read, and why.
pub fn tables(statements: &[Written<'_>]) -> Result<Vec<TableStatement>, String> {
    let mut made = Vec::new();
    let mut indexes = Vec::new();
    for statement in statements {
        let read = table(statement.sql).map_err(|why| {
            format!(
                "line {}: cannot read this CREATE TABLE: {why}; write it as DESCRIBE TABLE of cqlsh prints it",
                statement.line
            )
        })?;
        if let Some(read) = read {
            made.push((statement.line, read));
        }
        indexes.extend(index(statement.sql));
    }
    let described = made.into_iter().map(|(line, made)| {
        let own = indexes.iter().filter(|(of, _)| made.is_called(of));
        let own: Vec<StoredIndex> = own.map(|(_, index)| index.clone()).collect();
        statement(line, made, own)
    });
    Ok(described.collect())
}

/// Describes a table that a statement makes.
fn statement(line: usize, made: Made, indexes: Vec<StoredIndex>) -> TableStatement {
    let columns: Vec<Described> = { made.columns.iter() }
        .map(|column| Described {
            name: column.name.clone(),
            stored_as: column.kind.clone(),
            is_key: made.partition_key.contains(&column.name)
                || made.order_key.contains(&column.name),
            fate: fate_of(column),
        })
        .collect();
    let forms = made.columns.iter().filter_map(|column| {
        let form = match kind(&column.kind) {
            CqlKind::Uuid => DeclaredForm::Uuid,
            CqlKind::Inet => DeclaredForm::Address,
            CqlKind::Time => DeclaredForm::Clock,
            CqlKind::Date => DeclaredForm::Day,
            _ => return None,
        };
        Some((column.name.clone(), form))
    });
    let descending = made.descending();
    let read = ReadTable {
        name: made.name.clone(),
        columns: { made.columns.iter() }
            .map(|column| ReadColumn {
                name: column.name.clone(),
                kind: kind(&column.kind),
            })
            .collect(),
        partition_key: made.partition_key.clone(),
        clustering_key: made.order_key.clone(),
        descending,
        ..ReadTable::default()
    };
    let schema = Schema {
        types: HashMap::new(),
        options: made.options.clone(),
        indexes,
    };
    let like = schema.as_settings(&read, |called| {
        let name = plain_name(called).filter(|name| !is_reserved(name))?;
        let column = columns.iter().find(|column| column.name == called)?;
        match column.fate {
            Fate::Held(holding, _) => Some((name, held_as(holding))),
            Fate::LeftOut(_) => None,
        }
    });
    let mut about = Vec::new();
    if made.has_options {
        about.push(format!("Its options: {}.", schema.options));
    }
    if !like.left_out.is_empty() {
        about.push(format!(
            "The design like it lacks: {}.",
            like.left_out.join(", ")
        ));
    }
    let id = design(ENGINE, !made.order_key.is_empty(), like.settings);
    let forms = forms.collect();
    TableStatement {
        place: made.place(),
        line,
        columns,
        forms,
        descending: made.descending_columns(),
        about,
        notes: Vec::new(),
        design: CassandraLayout::from_id(&id)
            .is_ok()
            .then(|| id.to_string()),
        name: made.name,
        partition_key: made.partition_key,
        order_key: made.order_key,
    }
}

/// Returns what becomes of the values of a column.
fn fate_of(column: &parse::MadeColumn) -> Fate {
    match fate(kind(&column.kind), &column.kind, column.is_static) {
        Fate::Held(Holding::As(ColumnType::Blob), _) => {
            Fate::LeftOut("no question can be asked of bytes")
        }
        // Their form says that they are days.
        Fate::Held(Holding::As(ColumnType::Date), remark) => {
            Fate::Held(Holding::As(ColumnType::Timestamp), remark)
        }
        other => other,
    }
}

/// Returns a type by its name in CQL, in lower case.
fn kind(written: &str) -> CqlKind {
    match written {
        "boolean" => CqlKind::Boolean,
        "tinyint" => CqlKind::Tinyint,
        "smallint" => CqlKind::Smallint,
        "int" => CqlKind::Int,
        "bigint" | "counter" => CqlKind::Bigint,
        "float" => CqlKind::Float,
        "double" => CqlKind::Double,
        "text" | "varchar" | "ascii" => CqlKind::Text,
        "blob" => CqlKind::Blob,
        "timestamp" => CqlKind::Timestamp,
        "date" => CqlKind::Date,
        "time" => CqlKind::Time,
        "uuid" | "timeuuid" => CqlKind::Uuid,
        "inet" => CqlKind::Inet,
        "varint" => CqlKind::Varint,
        "decimal" => CqlKind::Decimal,
        _ => CqlKind::Literal,
    }
}

#[cfg(test)]
mod tests;

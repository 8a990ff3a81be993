//! What becomes of the types of PostgreSQL in a workload.

use bakeoff_workload::ColumnType;

use super::catalog::Column;
use crate::live::{Described, Fate, Holding, LiveKey, Stored};
use crate::postgres::layout::quoted;

/// Types whose values are times.
const TIMES: [&str; 3] = ["timestamp", "timestamptz", "date"];
/// Types whose text comes over the wire as it is.
const TEXTS: [&str; 4] = ["text", "varchar", "bpchar", "name"];

/// Returns whether values of a type are times.
pub fn is_time(base_type: &str) -> bool {
    TIMES.contains(&base_type)
}

/// Describes the columns of a table, those of the key first.
pub fn described(columns: &[Column], key: Option<&LiveKey>) -> Vec<Described> {
    let is_key = |name: &String| {
        key.is_some_and(|key| key.partition.contains(name) || key.order.contains(name))
    };
    let mut described: Vec<Described> = { columns.iter() }
        .map(|column| Described {
            name: column.name.clone(),
            stored_as: column.written_type.clone(),
            is_key: is_key(&column.name),
            fate: fate(column),
        })
        .collect();
    // A sort that keeps the order of the others.
    described.sort_by_key(|column| !column.is_key);
    described
}

/// Returns what becomes of the values of a column.
fn fate(column: &Column) -> Fate {
    if !column.is_readable {
        return Fate::LeftOut("the user of the address has no right to read it");
    }
    let (kind, remark) = match column.base_type.as_str() {
        "bool" => (ColumnType::Boolean, ""),
        "int2" | "int4" => (ColumnType::Int, ""),
        "int8" | "oid" => (ColumnType::Bigint, ""),
        "float4" => (ColumnType::Float, ""),
        "float8" => (ColumnType::Double, ""),
        "numeric" if column.decimals == Some(0) => return Fate::Held(Holding::Whole, ""),
        "numeric" => return Fate::Held(Holding::Decimal, ""),
        "timestamp" => (ColumnType::Timestamp, ""),
        "timestamptz" => (ColumnType::Timestamp, "held in UTC"),
        "date" => (
            ColumnType::Timestamp,
            "held as the midnight (UTC) that it begins with",
        ),
        "time" => (ColumnType::Text, "held as text, in the same order"),
        "timetz" => (
            ColumnType::Text,
            "held as text, which is not ordered as times are",
        ),
        "uuid" => (ColumnType::Uuid, ""),
        "inet" | "cidr" => (
            ColumnType::Text,
            "held as text, which is not ordered as addresses are",
        ),
        "macaddr" | "macaddr8" => (ColumnType::Text, "held as text"),
        "citext" => (
            ColumnType::Text,
            "held as text, in which upper and lower case differ",
        ),
        name if TEXTS.contains(&name) => (ColumnType::Text, ""),
        _ if column.is_enum => (
            ColumnType::Text,
            "held as text, which is ordered by its letters and not as the enum is",
        ),
        _ => return Fate::LeftOut(why_not(column)),
    };
    Fate::Held(Holding::As(kind), remark)
}

/// Says why no column of a workload has the values of a column.
fn why_not(column: &Column) -> &'static str {
    match column.base_type.as_str() {
        "bytea" => "rows that come from a file have no bytes",
        "json" | "jsonb" | "xml" | "hstore" => {
            "a document has many values, and a column of a workload has one in each row"
        }
        "interval" => "workloads have no lengths of time",
        _ if column.is_array => {
            "an array has many values, and a column of a workload has one in each row"
        }
        _ => "no type of a workload has such values",
    }
}

/// Returns what to select, so that the columns that are held come in types that are decoded. Times that are infinite
/// come as nulls.
pub fn selection(columns: &[Column], held: &[Stored]) -> String {
    let of = |held: &Stored| {
        let column = columns.iter().find(|column| column.name == held.name);
        selected(
            &held.name,
            column.map_or("", |column| column.base_type.as_str()),
        )
    };
    let all: Vec<String> = held.iter().map(of).collect();
    all.join(", ")
}

fn selected(column: &str, base_type: &str) -> String {
    let name = quoted(column);
    match base_type {
        _ if is_time(base_type) => {
            format!("CASE WHEN isfinite({name}) THEN {name}::timestamp END AS {name}")
        }
        "bool" | "int2" | "int4" | "int8" | "float4" | "float8" => name,
        "oid" => format!("{name}::int8 AS {name}"),
        base if TEXTS.contains(&base) => name,
        _ => format!("{name}::text AS {name}"),
    }
}

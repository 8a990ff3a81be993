//! What becomes of the types of CQL in a workload.

use bakeoff_workload::ColumnType;

use crate::cassandra::read::readable::CqlKind;
use crate::live::{Fate, Holding};

/// Returns what becomes of the values of a column, whose type CQL writes like this.
pub fn fate(kind: CqlKind, written: &str, is_static: bool) -> Fate {
    if is_static {
        return Fate::LeftOut(
            "it is static, and has one value for a partition where a workload has one for each row",
        );
    }
    let (kind, remark) = match kind {
        CqlKind::Boolean => (ColumnType::Boolean, ""),
        CqlKind::Tinyint | CqlKind::Smallint | CqlKind::Int => (ColumnType::Int, ""),
        CqlKind::Bigint if written == "counter" => (
            ColumnType::Bigint,
            "held as the number that it had, which designs write and do not count up",
        ),
        CqlKind::Bigint => (ColumnType::Bigint, ""),
        CqlKind::Float => (ColumnType::Float, ""),
        CqlKind::Double => (ColumnType::Double, ""),
        CqlKind::Text => (ColumnType::Text, ""),
        CqlKind::Timestamp => (ColumnType::Timestamp, ""),
        CqlKind::Date => (
            ColumnType::Timestamp,
            "held as the midnight (UTC) that it begins with",
        ),
        CqlKind::Time => (ColumnType::Text, "held as text, in the same order"),
        CqlKind::Uuid if written == "timeuuid" => (
            ColumnType::Text,
            "held as text of 36 characters, which is not ordered by its time",
        ),
        CqlKind::Uuid => (ColumnType::Uuid, ""),
        CqlKind::Inet => (
            ColumnType::Text,
            "held as text, which is not ordered as addresses are",
        ),
        CqlKind::Varint | CqlKind::VarintText => return Fate::Held(Holding::Whole, ""),
        CqlKind::Decimal | CqlKind::DecimalText => return Fate::Held(Holding::Decimal, ""),
        CqlKind::Blob => (ColumnType::Blob, ""),
        CqlKind::Literal => return Fate::LeftOut(why_not(written)),
    };
    Fate::Held(Holding::As(kind), remark)
}

/// Says why no column of a workload has values of a type.
fn why_not(written: &str) -> &'static str {
    let inner = written.strip_prefix("frozen<").unwrap_or(written);
    let begins = |names: &[&str]| names.iter().any(|name| inner.starts_with(name));
    if begins(&["list<", "set<", "map<"]) {
        "a collection has many values, and a column of a workload has one in each row"
    } else if begins(&["vector<", "'org.apache.cassandra.db.marshal.VectorType"]) {
        "a vector has many values, and a column of a workload has one in each row"
    } else if begins(&["tuple<"]) {
        "a tuple has several values, and a column of a workload has one in each row"
    } else if inner == "duration" {
        "workloads have no lengths of time"
    } else {
        "it is a type of users, which may have several values, and a column of a workload has one in each row"
    }
}

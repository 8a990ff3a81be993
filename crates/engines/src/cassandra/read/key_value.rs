//! Values of key columns, converted from the literals of a query to the bytes of CQL.

use std::net::IpAddr;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use scylla::serialize::SerializationError;
use scylla::serialize::writers::{CellWriter, WrittenCellProof};
use uuid::Uuid;

use super::readable::{CqlKind, ReadTable};
use crate::drive::values::date_to_wire;

/// A value of a key column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyValue {
    Boolean(bool),
    Tinyint(i8),
    Smallint(i16),
    Int(i32),
    /// Holds a bigint, a timestamp in milliseconds or a time of day in nanoseconds.
    Bigint(i64),
    /// Holds days since 1970-01-01.
    Date(i32),
    Text(String),
    /// Holds a blob, a UUID or an address.
    Bytes(Vec<u8>),
}

impl KeyValue {
    /// Returns whether the value has no bytes.
    pub fn is_empty(&self) -> bool {
        match self {
            KeyValue::Text(text) => text.is_empty(),
            KeyValue::Bytes(bytes) => bytes.is_empty(),
            _ => false,
        }
    }

    /// Returns the number of bytes of the value in CQL's encoding.
    pub fn bytes(&self) -> usize {
        match self {
            KeyValue::Boolean(_) | KeyValue::Tinyint(_) => 1,
            KeyValue::Smallint(_) => 2,
            KeyValue::Int(_) | KeyValue::Date(_) => 4,
            KeyValue::Bigint(_) => 8,
            KeyValue::Text(text) => text.len(),
            KeyValue::Bytes(bytes) => bytes.len(),
        }
    }

    /// Writes the value in CQL's encoding.
    pub fn write<'buf>(
        &self,
        cell: CellWriter<'buf>,
    ) -> Result<WrittenCellProof<'buf>, SerializationError> {
        let written = match self {
            KeyValue::Boolean(v) => cell.set_value(&[u8::from(*v)]),
            KeyValue::Tinyint(v) => cell.set_value(&v.to_be_bytes()),
            KeyValue::Smallint(v) => cell.set_value(&v.to_be_bytes()),
            KeyValue::Int(v) => cell.set_value(&v.to_be_bytes()),
            KeyValue::Bigint(v) => cell.set_value(&v.to_be_bytes()),
            KeyValue::Date(v) => cell.set_value(&date_to_wire(*v)),
            KeyValue::Text(v) => cell.set_value(v.as_bytes()),
            KeyValue::Bytes(v) => cell.set_value(v),
        };
        written.map_err(SerializationError::new)
    }
}

/// Converts a literal to a value of a key column of the same type.
///
/// Returns `None` for floats, since Cassandra orders NaN and zeros differently from DataFusion, and
/// for numbers that are read as text.
pub fn key_value(table: &ReadTable, column: &str, literal: &Expr) -> Option<KeyValue> {
    let Expr::Literal(scalar, _) = literal else {
        return None;
    };
    let column = table
        .column(column)
        .filter(|c| table.can_restrict(&c.name))?;
    Some(match (column.kind, scalar) {
        (CqlKind::Boolean, ScalarValue::Boolean(Some(v))) => KeyValue::Boolean(*v),
        (CqlKind::Tinyint, ScalarValue::Int8(Some(v))) => KeyValue::Tinyint(*v),
        (CqlKind::Smallint, ScalarValue::Int16(Some(v))) => KeyValue::Smallint(*v),
        (CqlKind::Int, ScalarValue::Int32(Some(v))) => KeyValue::Int(*v),
        (CqlKind::Bigint, ScalarValue::Int64(Some(v))) => KeyValue::Bigint(*v),
        (CqlKind::Timestamp, ScalarValue::TimestampMillisecond(Some(v), _)) => KeyValue::Bigint(*v),
        (CqlKind::Time, ScalarValue::Time64Nanosecond(Some(v))) => KeyValue::Bigint(*v),
        (CqlKind::Date, ScalarValue::Date32(Some(v))) => KeyValue::Date(*v),
        (CqlKind::Blob, ScalarValue::Binary(Some(v))) => KeyValue::Bytes(v.clone()),
        (CqlKind::Text, ScalarValue::Utf8(Some(v))) => KeyValue::Text(v.clone()),
        (CqlKind::Uuid, ScalarValue::Utf8(Some(v))) => KeyValue::Bytes(uuid(v)?),
        (CqlKind::Inet, ScalarValue::Utf8(Some(v))) => KeyValue::Bytes(address(v)?),
        _ => return None,
    })
}

/// Parses a UUID, but only in the spelling in which UUIDs are read: another one equals no row's text.
fn uuid(text: &str) -> Option<Vec<u8>> {
    let uuid = Uuid::try_parse(text).ok()?;
    (uuid.hyphenated().to_string() == text).then(|| uuid.as_bytes().to_vec())
}

fn address(text: &str) -> Option<Vec<u8>> {
    let address: IpAddr = text.parse().ok()?;
    let bytes = match address {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    };
    (address.to_string() == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_as_it_is_read_back_names_a_uuid_or_an_address() {
        let text = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";
        assert_eq!(uuid(text).map(|bytes| bytes.len()), Some(16));
        assert_eq!(uuid(&text.to_uppercase()), None);
        assert_eq!(uuid(&text.replace('-', "")), None);
        assert_eq!(address("127.0.0.1"), Some(vec![127, 0, 0, 1]));
        assert_eq!(address("::1").map(|bytes| bytes.len()), Some(16));
        assert_eq!(address("0:0:0:0:0:0:0:1"), None);
    }
}

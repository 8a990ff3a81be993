//! Values in PostgreSQL's binary format: encoded for statements, and turned into those of CQL, with which replies are
//! compared. The two formats differ in timestamps alone.

use std::borrow::Cow;
use std::error::Error;

use bakeoff_workload::{ColumnType, Value};
use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type};

use crate::postgres::decode::EPOCH_MICROS;

const MICROS_OF_MILLISECOND: i64 = 1_000;
/// A time that PostgreSQL refuses as out of its range.
const OUT_OF_RANGE: i64 = i64::MAX - 1;

/// A value that is encoded for a statement; `None` is a null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell(Option<Vec<u8>>);

impl Cell {
    /// Returns the number of bytes of the value.
    pub fn bytes(&self) -> u64 {
        self.0.as_ref().map_or(0, |bytes| bytes.len() as u64)
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        Cell(match value {
            Value::Null => None,
            Value::Boolean(v) => Some(vec![u8::from(v)]),
            Value::Int(v) => Some(v.to_be_bytes().to_vec()),
            Value::Bigint(v) => Some(v.to_be_bytes().to_vec()),
            Value::Timestamp(v) => Some(micros_from_2000(v).to_be_bytes().to_vec()),
            Value::Float(v) => Some(v.to_be_bytes().to_vec()),
            Value::Double(v) => Some(v.to_be_bytes().to_vec()),
            Value::Text(v) => Some(v.into_bytes()),
            Value::Uuid(v) => Some(v.into_bytes().to_vec()),
            Value::Blob(v) => Some(v),
        })
    }
}

impl ToSql for Cell {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        Ok(match &self.0 {
            Some(bytes) => {
                out.extend_from_slice(bytes);
                IsNull::No
            }
            None => IsNull::Yes,
        })
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(kind, out)
    }
}

/// Turns a value that came from PostgreSQL into the one that CQL has on the wire. A time that is no whole millisecond,
/// which nothing here writes, becomes one that is equal to none.
pub fn in_cql(kind: ColumnType, bytes: &[u8]) -> Cow<'_, [u8]> {
    if kind != ColumnType::Timestamp {
        return Cow::Borrowed(bytes);
    }
    let millis = <[u8; 8]>::try_from(bytes).ok().and_then(millis_from_1970);
    Cow::Owned(millis.map_or_else(Vec::new, |millis| millis.to_be_bytes().to_vec()))
}

/// Returns microseconds since the beginning of 2000.
fn micros_from_2000(millis: i64) -> i64 {
    let micros = millis.checked_mul(MICROS_OF_MILLISECOND);
    let from_2000 = micros.and_then(|micros| micros.checked_sub(EPOCH_MICROS));
    from_2000.unwrap_or(OUT_OF_RANGE)
}

/// Returns milliseconds since the Unix epoch; `None` for a time between two of them, and for an infinite one.
fn millis_from_1970(bytes: [u8; 8]) -> Option<i64> {
    let micros = i64::from_be_bytes(bytes).checked_add(EPOCH_MICROS)?;
    (micros % MICROS_OF_MILLISECOND == 0).then_some(micros / MICROS_OF_MILLISECOND)
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::uuids;

    use super::*;
    use crate::drive::values::read;

    fn every_value() -> [(ColumnType, Value); 13] {
        [
            (ColumnType::Boolean, Value::Boolean(true)),
            (ColumnType::Int, Value::Int(-5)),
            (ColumnType::Bigint, Value::Bigint(i64::MIN)),
            (ColumnType::Timestamp, Value::Timestamp(0)),
            (ColumnType::Timestamp, Value::Timestamp(-1)),
            (ColumnType::Timestamp, Value::Timestamp(1_700_000_000_123)),
            (ColumnType::Float, Value::Float(-1.5e-30)),
            (ColumnType::Double, Value::Double(-1.5e-300)),
            (ColumnType::Text, Value::Text("日本 ü".to_owned())),
            (ColumnType::Text, Value::Text(String::new())),
            (ColumnType::Uuid, Value::Uuid(uuids::numbered(1))),
            (ColumnType::Blob, Value::Blob(vec![0, 255])),
            (ColumnType::Int, Value::Null),
        ]
    }

    #[test]
    fn every_value_that_is_written_is_read_back() {
        for (kind, value) in every_value() {
            let Cell(bytes) = Cell::from(value.clone());
            let came = bytes.as_deref().map(|bytes| in_cql(kind, bytes));
            assert_eq!(read(kind, came.as_deref()), Some(value));
        }
    }

    #[test]
    fn a_null_is_none_and_has_no_bytes() {
        let mut out = BytesMut::new();
        let null = Cell::from(Value::Null);
        let written = null.to_sql_checked(&Type::INT4, &mut out);
        assert!(matches!(written, Ok(IsNull::Yes)) && out.is_empty());
        assert_eq!(null.bytes(), 0);
        let text = Cell::from(Value::Text("ab".to_owned()));
        let written = text.to_sql_checked(&Type::TEXT, &mut out);
        assert!(matches!(written, Ok(IsNull::No)));
        assert_eq!((&out[..], text.bytes()), (&b"ab"[..], 2));
    }

    #[test]
    fn times_are_microseconds_from_2000_on() {
        let Cell(bytes) = Cell::from(Value::Timestamp(946_684_800_001));
        assert_eq!(bytes, Some(1_000_i64.to_be_bytes().to_vec()));
        let Cell(bytes) = Cell::from(Value::Timestamp(i64::MAX));
        assert_eq!(bytes, Some(OUT_OF_RANGE.to_be_bytes().to_vec()));
    }

    #[test]
    fn a_time_that_is_no_millisecond_equals_none() {
        for micros in [1, i64::MAX, -999] {
            let bytes = i64::to_be_bytes(micros);
            assert!(in_cql(ColumnType::Timestamp, &bytes).is_empty(), "{micros}");
        }
        assert!(in_cql(ColumnType::Timestamp, &[1, 2]).is_empty());
    }
}

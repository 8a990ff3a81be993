//! Single rows by value, which point operations write and compare replies with.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Float32Array, Float64Array, Int32Array,
    Int64Array, StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use uuid::Uuid;

use crate::{ColumnType, uuids};

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    Int(i32),
    Bigint(i64),
    Float(f32),
    Double(f64),
    Text(String),
    Uuid(Uuid),
    /// Milliseconds since the Unix epoch, UTC.
    Timestamp(i64),
    Blob(Vec<u8>),
}

/// Version of a cell: rows are inserted with the first one, updates write the second one. Both are
/// pure functions of seed, column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    First,
    Second,
}

/// Rows of a workload by number, without reading them in order.
///
/// [`crate::source::row_values`] makes them; columns are counted as in `Table::columns`.
pub trait RowValues: Send + Sync {
    /// Returns the value of one cell. Key columns have only one version.
    fn value(&self, column: usize, row: u64, version: Version) -> Value;

    /// Returns the number of rows; `None` if rows can be inserted without end.
    /// [`crate::source::row_values`] refuses to load more, since their values would not be the ones
    /// that are read.
    fn rows(&self) -> Option<u64>;

    /// Returns whether some of the first `rows` rows have the same key, so that it is unknown whose
    /// values are stored. If rows are loaded `in_order`, those of the last one may be known to be
    /// stored.
    fn keys_repeat(&self, rows: u64, in_order: bool) -> bool;

    /// Returns the number of the row with this key (partition key, then order key); `None` if the
    /// key does not determine it.
    fn row_of(&self, key: &[Value]) -> Option<u64>;

    /// Returns the next row of the same partition by order key, whether it is loaded or would be
    /// inserted later; `None` if that is unknown or the partition ends.
    fn next_in_partition(&self, row: u64) -> Option<u64>;

    /// Returns the previous row of the same partition by order key; `None` if that is unknown or
    /// the partition begins.
    fn previous_in_partition(&self, row: u64) -> Option<u64>;
}

impl Value {
    /// Returns a cell of an array of this type.
    pub fn of_cell(kind: ColumnType, column: &dyn Array, index: usize) -> Value {
        if column.is_null(index) {
            return Value::Null;
        }
        match kind {
            ColumnType::Boolean => Value::Boolean(column.as_boolean().value(index)),
            ColumnType::Int => Value::Int(column.as_primitive::<Int32Type>().value(index)),
            ColumnType::Bigint => Value::Bigint(column.as_primitive::<Int64Type>().value(index)),
            ColumnType::Float => Value::Float(column.as_primitive::<Float32Type>().value(index)),
            ColumnType::Double => Value::Double(column.as_primitive::<Float64Type>().value(index)),
            ColumnType::Text => Value::Text(column.as_string::<i32>().value(index).to_owned()),
            ColumnType::Uuid => {
                let uuid = uuids::parsed(column.as_string::<i32>().value(index));
                uuid.map_or(Value::Null, Value::Uuid)
            }
            ColumnType::Timestamp => Value::Timestamp(
                column
                    .as_primitive::<TimestampMillisecondType>()
                    .value(index),
            ),
            ColumnType::Blob => Value::Blob(column.as_binary::<i32>().value(index).to_owned()),
        }
    }

    /// Makes an array of this type; values of another type become null.
    pub fn array<'a>(kind: ColumnType, values: impl Iterator<Item = &'a Value>) -> ArrayRef {
        macro_rules! array {
            ($array:ty, $variant:ident, $convert:expr) => {
                Arc::new(<$array>::from_iter(values.map(|value| match value {
                    Value::$variant(value) => Some($convert(value)),
                    _ => None,
                })))
            };
        }
        match kind {
            ColumnType::Boolean => array!(BooleanArray, Boolean, |v: &bool| *v),
            ColumnType::Int => array!(Int32Array, Int, |v: &i32| *v),
            ColumnType::Bigint => array!(Int64Array, Bigint, |v: &i64| *v),
            ColumnType::Float => array!(Float32Array, Float, |v: &f32| *v),
            ColumnType::Double => array!(Float64Array, Double, |v: &f64| *v),
            ColumnType::Text => array!(StringArray, Text, String::as_str),
            ColumnType::Uuid => array!(StringArray, Uuid, Uuid::to_string),
            ColumnType::Timestamp => {
                array!(TimestampMillisecondArray, Timestamp, |v: &i64| *v)
            }
            ColumnType::Blob => array!(BinaryArray, Blob, Vec::as_slice),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_arrays_and_come_back() {
        let values = [
            (ColumnType::Boolean, Value::Boolean(true)),
            (ColumnType::Int, Value::Int(-1)),
            (ColumnType::Bigint, Value::Bigint(i64::MAX)),
            (ColumnType::Float, Value::Float(0.1)),
            (ColumnType::Double, Value::Double(-0.5)),
            (ColumnType::Text, Value::Text("ä".to_owned())),
            (ColumnType::Uuid, Value::Uuid(uuids::numbered(5))),
            (ColumnType::Timestamp, Value::Timestamp(5)),
            (ColumnType::Blob, Value::Blob(vec![0, 255])),
        ];
        for (kind, value) in values {
            let array = Value::array(kind, [&value, &Value::Null].into_iter());
            assert_eq!(array.data_type(), &kind.arrow());
            assert_eq!(Value::of_cell(kind, &*array, 0), value);
            assert_eq!(Value::of_cell(kind, &*array, 1), Value::Null);
        }
    }
}

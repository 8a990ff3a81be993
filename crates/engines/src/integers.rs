//! Integer and time columns as whole numbers.

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{DataType, Int32Type, Int64Type, TimeUnit, TimestampMillisecondType};

/// Returns the values of an `int`, `bigint` or `timestamp` column, the latter in milliseconds.
pub fn integers(array: &ArrayRef) -> Vec<i64> {
    match array.data_type() {
        DataType::Int32 => array
            .as_primitive::<Int32Type>()
            .values()
            .iter()
            .map(|v| i64::from(*v))
            .collect(),
        DataType::Timestamp(TimeUnit::Millisecond, _) => array
            .as_primitive::<TimestampMillisecondType>()
            .values()
            .to_vec(),
        _ => array.as_primitive::<Int64Type>().values().to_vec(),
    }
}

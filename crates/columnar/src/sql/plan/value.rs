//! Values of statistics as values of DataFusion, and back.

use datafusion::common::ScalarValue;

use crate::kind::Kind;
use crate::meta::Scalar;

/// Converts a value of statistics to the type of its column. Returns `None` if it is no value of
/// that type.
pub fn scalar_value(kind: Kind, value: &Scalar) -> Option<ScalarValue> {
    Some(match (kind, value) {
        (Kind::Boolean, Scalar::Int(v)) => ScalarValue::Boolean(Some(*v != 0)),
        (Kind::Int, Scalar::Int(v)) => ScalarValue::Int32(Some(i32::try_from(*v).ok()?)),
        (Kind::Bigint, Scalar::Int(v)) => ScalarValue::Int64(Some(*v)),
        // Statistics keep floats as doubles, which hold each of them.
        (Kind::Float, Scalar::Double(v)) => ScalarValue::Float32(Some(*v as f32)),
        (Kind::Double, Scalar::Double(v)) => ScalarValue::Float64(Some(*v)),
        (Kind::Date, Scalar::Int(v)) => ScalarValue::Date32(Some(i32::try_from(*v).ok()?)),
        (Kind::Timestamp, Scalar::Int(v)) => ScalarValue::TimestampMillisecond(Some(*v), None),
        (Kind::Nanotime, Scalar::Int(v)) => ScalarValue::TimestampNanosecond(Some(*v), None),
        (Kind::Text, Scalar::Bytes(v)) => {
            ScalarValue::Utf8(Some(std::str::from_utf8(v).ok()?.to_owned()))
        }
        (Kind::Blob, Scalar::Bytes(v)) => ScalarValue::Binary(Some(v.to_vec())),
        _ => return None,
    })
}

/// Converts a literal of exactly a column's type. Returns `None` for a null and for other types.
pub fn scalar(kind: Kind, value: &ScalarValue) -> Option<Scalar> {
    Some(match (kind, value) {
        (Kind::Boolean, ScalarValue::Boolean(Some(v))) => Scalar::Int(i64::from(*v)),
        (Kind::Int, ScalarValue::Int32(Some(v))) => Scalar::Int(i64::from(*v)),
        (Kind::Bigint, ScalarValue::Int64(Some(v))) => Scalar::Int(*v),
        (Kind::Float, ScalarValue::Float32(Some(v))) => Scalar::Double(f64::from(*v)),
        (Kind::Double, ScalarValue::Float64(Some(v))) => Scalar::Double(*v),
        (Kind::Date, ScalarValue::Date32(Some(v))) => Scalar::Int(i64::from(*v)),
        (Kind::Timestamp, ScalarValue::TimestampMillisecond(Some(v), None)) => Scalar::Int(*v),
        (Kind::Nanotime, ScalarValue::TimestampNanosecond(Some(v), None)) => Scalar::Int(*v),
        (Kind::Text, ScalarValue::Utf8(Some(v))) => Scalar::Bytes(v.clone().into()),
        (Kind::Blob, ScalarValue::Binary(Some(v))) => Scalar::Bytes(v.clone().into()),
        _ => return None,
    })
}

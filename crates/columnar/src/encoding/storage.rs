//! Converting between a kind's Arrow type and the type that blobs keep: dates and times are integers.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType, Date32Type, Int32Type, Int64Type, TimestampMillisecondType, TimestampNanosecondType,
};
use std::sync::Arc;
use vortex_array::dtype::{DType, Nullability, PType};

use crate::Kind;

/// Returns the Arrow type that blobs keep for a kind.
pub(super) fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Date => DataType::Int32,
        Kind::Timestamp | Kind::Nanotime => DataType::Int64,
        _ => kind.data_type(),
    }
}

/// Returns the same as a type of Vortex.
pub(super) fn dtype(kind: Kind, nullable: bool) -> DType {
    let nullability = Nullability::from(nullable);
    let primitive = |ptype| DType::Primitive(ptype, nullability);
    match kind {
        Kind::Boolean => DType::Bool(nullability),
        Kind::Int | Kind::Date => primitive(PType::I32),
        Kind::Bigint | Kind::Timestamp | Kind::Nanotime => primitive(PType::I64),
        Kind::Float => primitive(PType::F32),
        Kind::Double => primitive(PType::F64),
        Kind::Text => DType::Utf8(nullability),
        Kind::Blob => DType::Binary(nullability),
    }
}

/// Converts an array of this kind to the one that is kept, which shares its memory. Returns `None`
/// if it is of another kind.
pub(super) fn kept(kind: Kind, array: &ArrayRef) -> Option<ArrayRef> {
    if array.data_type() != &kind.data_type() {
        return None;
    }
    Some(match kind {
        Kind::Date => {
            let dates = array.as_primitive::<Date32Type>();
            Arc::new(dates.reinterpret_cast::<Int32Type>())
        }
        Kind::Timestamp => {
            let times = array.as_primitive::<TimestampMillisecondType>();
            Arc::new(times.reinterpret_cast::<Int64Type>())
        }
        Kind::Nanotime => {
            let times = array.as_primitive::<TimestampNanosecondType>();
            Arc::new(times.reinterpret_cast::<Int64Type>())
        }
        _ => array.clone(),
    })
}

/// Converts a kept array to this kind, sharing its memory. Returns `None` if it is no array of this
/// kind.
pub(super) fn restored(kind: Kind, kept: ArrayRef) -> Option<ArrayRef> {
    Some(match kind {
        Kind::Date => {
            let days = kept.as_primitive_opt::<Int32Type>()?;
            Arc::new(days.reinterpret_cast::<Date32Type>())
        }
        Kind::Timestamp => {
            let times = kept.as_primitive_opt::<Int64Type>()?;
            Arc::new(times.reinterpret_cast::<TimestampMillisecondType>())
        }
        Kind::Nanotime => {
            let times = kept.as_primitive_opt::<Int64Type>()?;
            Arc::new(times.reinterpret_cast::<TimestampNanosecondType>())
        }
        _ => (kept.data_type() == &kind.data_type()).then_some(kept)?,
    })
}

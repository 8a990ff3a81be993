//! The encoding of a row's columns outside the key as one blob.
//!
//! A blob begins with a bitmap that has a bit for each column, least significant bit first, set for
//! null. The values that are not null follow in column order: booleans as 1 byte, int and float as 4,
//! bigint, double and timestamp as 8 bytes, all little-endian; uuid as its 16 bytes; text and blob as their length in
//! LEB128 and their bytes.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use bakeoff_workload::{ColumnType, Value, uuids};

/// Appends the blob of one row, whose columns outside the key are given in table order.
pub fn encode(columns: &[(ColumnType, &ArrayRef)], row: usize, out: &mut Vec<u8>) {
    let bitmap = out.len();
    out.resize(bitmap + columns.len().div_ceil(8), 0);
    for (i, (kind, array)) in columns.iter().enumerate() {
        if array.is_null(row) {
            out[bitmap + i / 8] |= 1 << (i % 8);
            continue;
        }
        match kind {
            ColumnType::Boolean => out.push(u8::from(array.as_boolean().value(row))),
            ColumnType::Int => {
                out.extend(array.as_primitive::<Int32Type>().value(row).to_le_bytes());
            }
            ColumnType::Bigint => {
                out.extend(array.as_primitive::<Int64Type>().value(row).to_le_bytes());
            }
            ColumnType::Float => {
                out.extend(array.as_primitive::<Float32Type>().value(row).to_le_bytes());
            }
            ColumnType::Double => {
                out.extend(array.as_primitive::<Float64Type>().value(row).to_le_bytes());
            }
            ColumnType::Timestamp => {
                let millis = array.as_primitive::<TimestampMillisecondType>().value(row);
                out.extend(millis.to_le_bytes());
            }
            ColumnType::Uuid => {
                let uuid = uuids::parsed(array.as_string::<i32>().value(row));
                out.extend(uuid.unwrap_or_default().as_bytes());
            }
            ColumnType::Text => {
                push_bytes(array.as_string::<i32>().value(row).as_bytes(), out);
            }
            ColumnType::Blob => push_bytes(array.as_binary::<i32>().value(row), out),
        }
    }
}

/// Appends the blob of one row, whose values outside the key are given in table order.
pub fn encode_values(values: &[Value], out: &mut Vec<u8>) {
    let bitmap = out.len();
    out.resize(bitmap + values.len().div_ceil(8), 0);
    for (i, value) in values.iter().enumerate() {
        match value {
            Value::Null => out[bitmap + i / 8] |= 1 << (i % 8),
            Value::Boolean(v) => out.push(u8::from(*v)),
            Value::Int(v) => out.extend(v.to_le_bytes()),
            Value::Bigint(v) | Value::Timestamp(v) => out.extend(v.to_le_bytes()),
            Value::Float(v) => out.extend(v.to_le_bytes()),
            Value::Double(v) => out.extend(v.to_le_bytes()),
            Value::Uuid(v) => out.extend(v.as_bytes()),
            Value::Text(v) => push_bytes(v.as_bytes(), out),
            Value::Blob(v) => push_bytes(v, out),
        }
    }
}

fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    push_length(bytes.len(), out);
    out.extend(bytes);
}

fn push_length(mut length: usize, out: &mut Vec<u8>) {
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

/// Decodes the columns of a blob up to `last`, and calls `each` with the number and the bytes of
/// each, which are `None` for null.
///
/// Returns `None` if the blob is torn.
pub fn decode<'a>(
    kinds: &[ColumnType],
    last: usize,
    blob: &'a [u8],
    mut each: impl FnMut(usize, Option<&'a [u8]>) -> Option<()>,
) -> Option<()> {
    let (bitmap, mut rest) = blob.split_at_checked(kinds.len().div_ceil(8))?;
    for (i, kind) in kinds.iter().enumerate().take(last + 1) {
        if bitmap[i / 8] & (1 << (i % 8)) != 0 {
            each(i, None)?;
            continue;
        }
        let width = match kind {
            ColumnType::Boolean => 1,
            ColumnType::Int | ColumnType::Float => 4,
            ColumnType::Bigint | ColumnType::Double | ColumnType::Timestamp => 8,
            ColumnType::Uuid => 16,
            ColumnType::Text | ColumnType::Blob => take_length(&mut rest)?,
        };
        let (value, after) = rest.split_at_checked(width)?;
        rest = after;
        each(i, Some(value))?;
    }
    Some(())
}

fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    let mut length = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        length |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(length);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, StringArray,
    };

    use super::*;

    const KINDS: [ColumnType; 7] = [
        ColumnType::Int,
        ColumnType::Text,
        ColumnType::Double,
        ColumnType::Boolean,
        ColumnType::Bigint,
        ColumnType::Float,
        ColumnType::Uuid,
    ];

    const UUID: &str = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";

    fn blob(row: usize) -> Vec<u8> {
        let long = "x".repeat(300);
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![Some(-5), None])),
            Arc::new(StringArray::from(vec![Some(long.as_str()), Some("")])),
            Arc::new(Float64Array::from(vec![Some(f64::NAN), None])),
            Arc::new(BooleanArray::from(vec![Some(true), None])),
            Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(7)])),
            Arc::new(Float32Array::from(vec![Some(-0.1), None])),
            Arc::new(StringArray::from(vec![Some(UUID), None])),
        ];
        let columns: Vec<_> = KINDS.into_iter().zip(&arrays).collect();
        let mut out = Vec::new();
        encode(&columns, row, &mut out);
        out
    }

    fn values(blob: &[u8], last: usize) -> Option<Vec<Option<Vec<u8>>>> {
        let mut values = Vec::new();
        decode(&KINDS, last, blob, |_, value| {
            values.push(value.map(<[u8]>::to_vec));
            Some(())
        })?;
        Some(values)
    }

    #[test]
    fn every_type_comes_back_with_its_nulls() {
        let first = values(&blob(0), 6).unwrap();
        assert_eq!(first[0].as_deref(), Some(&(-5i32).to_le_bytes()[..]));
        assert_eq!(first[1].as_ref().unwrap().len(), 300);
        assert!(f64::from_le_bytes(first[2].clone().unwrap().try_into().unwrap()).is_nan());
        assert_eq!(first[3].as_deref(), Some(&[1u8][..]));
        assert_eq!(first[4].as_deref(), Some(&i64::MIN.to_le_bytes()[..]));
        assert_eq!(first[5].as_deref(), Some(&(-0.1f32).to_le_bytes()[..]));
        let uuid = uuids::parsed(UUID).unwrap();
        assert_eq!(first[6].as_deref(), Some(&uuid.as_bytes()[..]));
        let second = values(&blob(1), 6).unwrap();
        assert_eq!(
            second,
            [
                None,
                Some(vec![]),
                None,
                None,
                Some(7i64.to_le_bytes().to_vec()),
                None,
                None
            ]
        );
    }

    #[test]
    fn decoding_stops_after_the_last_column_wanted() {
        assert_eq!(values(&blob(0), 1).unwrap().len(), 2);
    }

    #[test]
    fn a_torn_blob_is_detected_wherever_it_is_torn() {
        let whole = blob(0);
        for length in 0..whole.len() {
            assert_eq!(values(&whole[..length], 6), None, "cut at {length}");
        }
    }
}

//! Decoding keys to columns.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Date32Array, Float32Array, Float64Array, Int32Array,
    Int64Array, StringBuilder, TimestampMillisecondArray, TimestampNanosecondArray,
};

use super::{COLUMN, fixed_width};
use crate::definition::Definition;
use crate::kind::Kind;
use crate::{Error, Result};

/// Returns the kinds of the partition key's columns.
pub fn partition_kinds(definition: &Definition) -> Vec<Kind> {
    let kind = |i: usize| definition.columns[i].kind;
    definition
        .partition_indexes()
        .into_iter()
        .map(kind)
        .collect()
}

/// Returns how many bytes of a key are its partition key, given the kinds of its columns, or `None`
/// if the key is torn.
pub fn partition_len(kinds: &[Kind], key: &[u8]) -> Option<usize> {
    let mut rest = key;
    for kind in kinds {
        take(*kind, &mut rest)?;
    }
    Some(key.len() - rest.len())
}

/// Decodes keys to their columns: the partition key, then the order key.
///
/// # Errors
/// Fails with the row and the column at which a key is torn or is not UTF-8.
pub fn decode<'a>(
    definition: &Definition,
    keys: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<ArrayRef>> {
    let columns: Vec<_> = definition
        .key_indexes()
        .into_iter()
        .map(|i| &definition.columns[i])
        .collect();
    let mut sinks: Vec<Sink> = columns.iter().map(|c| Sink::new(c.kind)).collect();
    for (row, key) in keys.into_iter().enumerate() {
        let mut rest = key;
        for (sink, column) in sinks.iter_mut().zip(&columns) {
            take(column.kind, &mut rest)
                .and_then(|value| sink.push(value))
                .ok_or_else(|| torn(row, &format!("in column `{}`", column.name)))?;
        }
        if !rest.is_empty() {
            return Err(torn(row, "behind its last column"));
        }
    }
    Ok(sinks.into_iter().map(Sink::finish).collect())
}

fn torn(row: usize, place: &str) -> Error {
    Error::Invalid(format!("the key of row {row} is torn {place}"))
}

/// Takes one column from the front and returns its encoded value, without the end mark of a text.
pub(super) fn take<'a>(kind: Kind, bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (&COLUMN, column) = bytes.split_first()? else {
        return None;
    };
    let (value, rest) = match fixed_width(kind) {
        Some(width) => column.split_at_checked(width)?,
        None => {
            let end = end_of_text(column)?;
            (&column[..end], &column[end + 2..])
        }
    };
    *bytes = rest;
    Some(value)
}

/// Returns the position of the bytes 0x00 0x01.
fn end_of_text(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let zero = from + bytes[from..].iter().position(|byte| *byte == 0)?;
        match bytes.get(zero + 1)? {
            0x01 => return Some(zero),
            0xFF => from = zero + 2,
            _ => return None,
        }
    }
}

pub(super) fn four(bytes: &[u8]) -> Option<i32> {
    Some((u32::from_be_bytes(bytes.try_into().ok()?) ^ 1 << 31) as i32)
}

pub(super) fn eight(bytes: &[u8]) -> Option<i64> {
    Some((u64::from_be_bytes(bytes.try_into().ok()?) ^ 1 << 63) as i64)
}

fn float(bytes: &[u8]) -> Option<f32> {
    let bits = u32::from_be_bytes(bytes.try_into().ok()?);
    let flipped = if bits >> 31 == 1 { 1 << 31 } else { u32::MAX };
    Some(f32::from_bits(bits ^ flipped))
}

fn double(bytes: &[u8]) -> Option<f64> {
    let bits = u64::from_be_bytes(bytes.try_into().ok()?);
    let flipped = if bits >> 63 == 1 { 1 << 63 } else { u64::MAX };
    Some(f64::from_bits(bits ^ flipped))
}

/// Returns a text without escapes, which is in `scratch` if it has zero bytes.
fn unescaped<'a>(bytes: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    if !bytes.contains(&0) {
        return bytes;
    }
    scratch.clear();
    let mut after_zero = false;
    for byte in bytes {
        // A zero is always followed by the 0xFF that marks it as a byte of the text.
        if !after_zero {
            scratch.push(*byte);
        }
        after_zero = !after_zero && *byte == 0;
    }
    scratch
}

/// A column that is being decoded.
enum Sink {
    Boolean(BooleanBuilder),
    Int(Vec<i32>),
    Date(Vec<i32>),
    Bigint(Vec<i64>),
    Timestamp(Vec<i64>),
    Nanotime(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Text(StringBuilder, Vec<u8>),
    Blob(BinaryBuilder, Vec<u8>),
}

impl Sink {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Boolean => Sink::Boolean(BooleanBuilder::new()),
            Kind::Int => Sink::Int(Vec::new()),
            Kind::Date => Sink::Date(Vec::new()),
            Kind::Bigint => Sink::Bigint(Vec::new()),
            Kind::Timestamp => Sink::Timestamp(Vec::new()),
            Kind::Nanotime => Sink::Nanotime(Vec::new()),
            Kind::Float => Sink::Float(Vec::new()),
            Kind::Double => Sink::Double(Vec::new()),
            Kind::Text => Sink::Text(StringBuilder::new(), Vec::new()),
            Kind::Blob => Sink::Blob(BinaryBuilder::new(), Vec::new()),
        }
    }

    /// Appends an encoded value. Returns `None` if the bytes are no value of the kind.
    fn push(&mut self, value: &[u8]) -> Option<()> {
        match self {
            Sink::Boolean(to) => match value {
                [0] => to.append_value(false),
                [1] => to.append_value(true),
                _ => return None,
            },
            Sink::Int(to) | Sink::Date(to) => to.push(four(value)?),
            Sink::Bigint(to) | Sink::Timestamp(to) | Sink::Nanotime(to) => to.push(eight(value)?),
            Sink::Float(to) => to.push(float(value)?),
            Sink::Double(to) => to.push(double(value)?),
            Sink::Text(to, scratch) => {
                to.append_value(std::str::from_utf8(unescaped(value, scratch)).ok()?);
            }
            Sink::Blob(to, scratch) => to.append_value(unescaped(value, scratch)),
        }
        Some(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Sink::Boolean(mut from) => Arc::new(from.finish()),
            Sink::Int(from) => Arc::new(Int32Array::from(from)),
            Sink::Date(from) => Arc::new(Date32Array::from(from)),
            Sink::Bigint(from) => Arc::new(Int64Array::from(from)),
            Sink::Timestamp(from) => Arc::new(TimestampMillisecondArray::from(from)),
            Sink::Nanotime(from) => Arc::new(TimestampNanosecondArray::from(from)),
            Sink::Float(from) => Arc::new(Float32Array::from(from)),
            Sink::Double(from) => Arc::new(Float64Array::from(from)),
            Sink::Text(mut from, _) => Arc::new(from.finish()),
            Sink::Blob(mut from, _) => Arc::new(from.finish()),
        }
    }
}

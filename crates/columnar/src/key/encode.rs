//! Encoding the keys of batches.

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray, RecordBatch, StringArray};
use arrow::datatypes::{
    Date32Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType,
    TimestampNanosecondType,
};

use super::{COLUMN, Keys, fixed_width};
use crate::definition::{Column, Definition};
use crate::kind::Kind;
use crate::{Error, Result};

/// Encodes the keys of a batch that has the table's columns in the table's order.
///
/// # Errors
/// Fails for a column that has another type, and for a null in a key.
pub fn encode(definition: &Definition, batch: &RecordBatch) -> Result<Keys> {
    let columns = definition.key_indexes().into_iter().map(|index| {
        let column = &definition.columns[index];
        Ok((column, column_of(batch, index, column)?))
    });
    encode_all(&columns.collect::<Result<Vec<_>>>()?, batch.num_rows())
}

/// Encodes the keys of rows from their key columns alone, which come in the order of the key.
///
/// # Errors
/// The errors of [`encode`].
pub fn encode_columns(definition: &Definition, arrays: &[ArrayRef]) -> Result<Keys> {
    let keys = definition.key_indexes();
    let rows = arrays.first().map_or(0, |array| array.len());
    if keys.len() != arrays.len() || arrays.iter().any(|array| array.len() != rows) {
        return Err(Error::Invalid(format!(
            "a key has {} columns of equal length, not {}",
            keys.len(),
            arrays.len()
        )));
    }
    let columns = keys.into_iter().zip(arrays).map(|(index, array)| {
        let column = &definition.columns[index];
        check_type(column, array)?;
        Ok((column, array.as_ref()))
    });
    encode_all(&columns.collect::<Result<Vec<_>>>()?, rows)
}

fn encode_all(columns: &[(&Column, &dyn Array)], rows: usize) -> Result<Keys> {
    let mut width = 0;
    let mut sources = Vec::with_capacity(columns.len());
    for (column, array) in columns {
        check_no_null(column, *array)?;
        width += 1 + widest(column.kind, *array);
        sources.push(Source::new(column.kind, *array));
    }
    let mut bytes = Vec::with_capacity(width.saturating_mul(rows));
    let mut ends = Vec::with_capacity(rows);
    for row in 0..rows {
        for source in &sources {
            bytes.push(COLUMN);
            source.append(row, &mut bytes);
        }
        ends.push(bytes.len());
    }
    Ok(Keys {
        bytes: bytes.into(),
        ends,
    })
}

/// Returns a column of a batch, if it has the type that the table's column has.
pub(crate) fn column_of<'a>(
    batch: &'a RecordBatch,
    index: usize,
    column: &Column,
) -> Result<&'a dyn Array> {
    let Some(array) = batch.columns().get(index) else {
        return Err(Error::Invalid(format!(
            "a batch has {} columns, and column `{}` is number {} of the table",
            batch.num_columns(),
            column.name,
            index + 1
        )));
    };
    check_type(column, array)?;
    Ok(array)
}

fn check_type(column: &Column, array: &dyn Array) -> Result<()> {
    if *array.data_type() == column.kind.data_type() {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "column `{}` is {} in a batch and {} in the table",
        column.name,
        array.data_type(),
        column.kind.data_type()
    )))
}

fn check_no_null(column: &Column, array: &dyn Array) -> Result<()> {
    if array.null_count() == 0 {
        return Ok(());
    }
    let row = (0..array.len()).find(|row| array.is_null(*row));
    Err(Error::Invalid(format!(
        "row {} has a null in key column `{}`; a key cannot be null",
        row.unwrap_or_default(),
        column.name
    )))
}

/// Returns the bytes that a value takes, which for texts and blobs is an average.
fn widest(kind: Kind, array: &dyn Array) -> usize {
    match fixed_width(kind) {
        Some(width) => width,
        None => {
            let offsets = match kind {
                Kind::Text => array.as_string::<i32>().value_offsets(),
                _ => array.as_binary::<i32>().value_offsets(),
            };
            let bytes = offsets
                .last()
                .zip(offsets.first())
                .map(|(end, begin)| end - begin);
            2 + bytes.unwrap_or_default() as usize / array.len().max(1)
        }
    }
}

/// The values of a column, whose type is found once for all rows.
enum Source<'a> {
    Boolean(&'a BooleanArray),
    Four(&'a [i32]),
    Eight(&'a [i64]),
    Float(&'a [f32]),
    Double(&'a [f64]),
    Text(&'a StringArray),
    Blob(&'a BinaryArray),
}

impl<'a> Source<'a> {
    /// Makes a source of an array, which has the kind's type.
    fn new(kind: Kind, array: &'a dyn Array) -> Self {
        match kind {
            Kind::Boolean => Source::Boolean(array.as_boolean()),
            Kind::Int => Source::Four(array.as_primitive::<Int32Type>().values()),
            Kind::Date => Source::Four(array.as_primitive::<Date32Type>().values()),
            Kind::Bigint => Source::Eight(array.as_primitive::<Int64Type>().values()),
            Kind::Timestamp => {
                Source::Eight(array.as_primitive::<TimestampMillisecondType>().values())
            }
            Kind::Nanotime => {
                Source::Eight(array.as_primitive::<TimestampNanosecondType>().values())
            }
            Kind::Float => Source::Float(array.as_primitive::<Float32Type>().values()),
            Kind::Double => Source::Double(array.as_primitive::<Float64Type>().values()),
            Kind::Text => Source::Text(array.as_string()),
            Kind::Blob => Source::Blob(array.as_binary()),
        }
    }

    fn append(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Source::Boolean(array) => out.push(u8::from(array.value(row))),
            Source::Four(values) => append_four(values[row], out),
            Source::Eight(values) => append_eight(values[row], out),
            Source::Float(values) => append_float(values[row], out),
            Source::Double(values) => append_double(values[row], out),
            Source::Text(array) => append_bytes(array.value(row).as_bytes(), out),
            Source::Blob(array) => append_bytes(array.value(row), out),
        }
    }
}

pub(super) fn append_four(value: i32, out: &mut Vec<u8>) {
    out.extend_from_slice(&(value as u32 ^ 1 << 31).to_be_bytes());
}

pub(super) fn append_eight(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&(value as u64 ^ 1 << 63).to_be_bytes());
}

pub(super) fn append_float(value: f32, out: &mut Vec<u8>) {
    let bits = value.to_bits();
    let flipped = if bits >> 31 == 0 { 1 << 31 } else { u32::MAX };
    out.extend_from_slice(&(bits ^ flipped).to_be_bytes());
}

pub(super) fn append_double(value: f64, out: &mut Vec<u8>) {
    let bits = value.to_bits();
    let flipped = if bits >> 63 == 0 { 1 << 63 } else { u64::MAX };
    out.extend_from_slice(&(bits ^ flipped).to_be_bytes());
}

pub(super) fn append_bytes(value: &[u8], out: &mut Vec<u8>) {
    for (i, part) in value.split(|byte| *byte == 0).enumerate() {
        if i > 0 {
            out.extend_from_slice(&[0x00, 0xFF]);
        }
        out.extend_from_slice(part);
    }
    out.extend_from_slice(&[0x00, 0x01]);
}

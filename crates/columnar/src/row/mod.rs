//! Encoding the columns of a row that are outside of the key.
//!
//! First comes a bitmap with a bit for each column, the least significant bit first, which is set for a
//! null. Then come the values that are not null, in the order of the table: booleans as 1 byte (0 or
//! 1), int, date and float as 4 bytes, bigint, timestamp, nanotime and double as 8 bytes, all
//! little-endian; text and blob as their length in LEB128 and their bytes.

mod decode;
#[cfg(test)]
mod tests;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{
    Date32Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType,
    TimestampNanosecondType,
};
use bytes::Bytes;

#[cfg(test)]
use self::decode::decode;
pub use self::decode::decode_columns;
use crate::Result;
use crate::definition::Definition;
use crate::key::column_of;
use crate::kind::Kind;
use crate::varint::push_varint;

/// Encodes the rows of a batch that has the table's columns in the table's order. They share one buffer,
/// which lives as long as any of them.
///
/// # Errors
/// Fails for a column that has another type.
pub fn encode(definition: &Definition, batch: &RecordBatch) -> Result<Vec<Bytes>> {
    let mut columns = Vec::new();
    for index in definition.value_indexes() {
        let column = &definition.columns[index];
        columns.push((column.kind, column_of(batch, index, column)?));
    }
    let mut bytes = Vec::new();
    let mut ends = Vec::with_capacity(batch.num_rows());
    for row in 0..batch.num_rows() {
        append(&columns, row, &mut bytes);
        ends.push(bytes.len());
    }
    let bytes = Bytes::from(bytes);
    let mut start = 0;
    let cut = |end| bytes.slice(std::mem::replace(&mut start, end)..end);
    Ok(ends.into_iter().map(cut).collect())
}

fn append(columns: &[(Kind, &dyn Array)], row: usize, out: &mut Vec<u8>) {
    let bitmap = out.len();
    out.resize(bitmap + columns.len().div_ceil(8), 0);
    for (i, (kind, array)) in columns.iter().enumerate() {
        if array.is_null(row) {
            out[bitmap + i / 8] |= 1 << (i % 8);
        } else {
            append_value(*kind, *array, row, out);
        }
    }
}

fn append_value(kind: Kind, array: &dyn Array, row: usize, out: &mut Vec<u8>) {
    macro_rules! fixed {
        ($kind:ty) => {
            out.extend_from_slice(&array.as_primitive::<$kind>().value(row).to_le_bytes())
        };
    }
    match kind {
        Kind::Boolean => out.push(u8::from(array.as_boolean().value(row))),
        Kind::Int => fixed!(Int32Type),
        Kind::Bigint => fixed!(Int64Type),
        Kind::Float => fixed!(Float32Type),
        Kind::Double => fixed!(Float64Type),
        Kind::Date => fixed!(Date32Type),
        Kind::Timestamp => fixed!(TimestampMillisecondType),
        Kind::Nanotime => fixed!(TimestampNanosecondType),
        Kind::Text => append_bytes(array.as_string::<i32>().value(row).as_bytes(), out),
        Kind::Blob => append_bytes(array.as_binary::<i32>().value(row), out),
    }
}

fn append_bytes(value: &[u8], out: &mut Vec<u8>) {
    push_varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

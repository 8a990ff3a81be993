//! Decoding rows to columns.

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Date32Builder, Float32Builder, Float64Builder,
    Int32Builder, Int64Builder, StringBuilder, TimestampMillisecondBuilder,
    TimestampNanosecondBuilder,
};
use std::sync::Arc;

use crate::definition::{Column, Definition};
use crate::kind::Kind;
use crate::varint::Reader;
use crate::{Error, Result};

/// Decodes the wanted columns, given by their numbers and all outside of the key, in the order of the
/// table. A row that is `None` has nulls only.
///
/// # Errors
/// Fails with the row and the column at which a row is torn or is not UTF-8.
pub fn decode_columns(
    definition: &Definition,
    wanted: &[usize],
    rows: &[Option<&[u8]>],
) -> Result<Vec<ArrayRef>> {
    let numbers = definition.value_indexes();
    let columns: Vec<&Column> = numbers.iter().map(|i| &definition.columns[*i]).collect();
    let mut sinks: Vec<Option<Sink>> = numbers
        .iter()
        .map(|i| {
            let kind = definition.columns[*i].kind;
            wanted.contains(i).then(|| Sink::new(kind, rows.len()))
        })
        .collect();
    for (number, row) in rows.iter().enumerate() {
        match row {
            Some(row) => push_row(&columns, &mut sinks, number, row)?,
            None => sinks.iter_mut().flatten().for_each(Sink::push_null),
        }
    }
    Ok(sinks.into_iter().flatten().map(Sink::finish).collect())
}

/// Decodes all columns outside of the key.
#[cfg(test)]
pub fn decode(definition: &Definition, rows: &[Option<&[u8]>]) -> Result<Vec<ArrayRef>> {
    decode_columns(definition, &definition.value_indexes(), rows)
}

fn push_row(
    columns: &[&Column],
    sinks: &mut [Option<Sink>],
    number: usize,
    row: &[u8],
) -> Result<()> {
    let torn = |place: &str| Error::Invalid(format!("row {number} is torn {place}"));
    let mut values = Reader::new(row);
    let bitmap = values
        .take(columns.len().div_ceil(8))
        .ok_or_else(|| torn("in its bitmap"))?;
    for (i, (sink, column)) in sinks.iter_mut().zip(columns).enumerate() {
        if bitmap[i / 8] & (1 << (i % 8)) != 0 {
            sink.iter_mut().for_each(Sink::push_null);
            continue;
        }
        take_value(column.kind, &mut values)
            .and_then(|value| sink.as_mut().map_or(Some(()), |sink| sink.push(value)))
            .ok_or_else(|| torn(&format!("in column `{}`", column.name)))?;
    }
    if !values.is_empty() {
        return Err(torn("behind its last column"));
    }
    Ok(())
}

fn take_value<'a>(kind: Kind, values: &mut Reader<'a>) -> Option<&'a [u8]> {
    let width = match kind {
        Kind::Boolean => 1,
        Kind::Int | Kind::Date | Kind::Float => 4,
        Kind::Bigint | Kind::Timestamp | Kind::Nanotime | Kind::Double => 8,
        Kind::Text | Kind::Blob => usize::try_from(values.varint()?).ok()?,
    };
    values.take(width)
}

/// A column that is being decoded.
enum Sink {
    Boolean(BooleanBuilder),
    Int(Int32Builder),
    Bigint(Int64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Date(Date32Builder),
    Timestamp(TimestampMillisecondBuilder),
    Nanotime(TimestampNanosecondBuilder),
    Text(StringBuilder),
    Blob(BinaryBuilder),
}

/// Does the same with the builder of any kind.
macro_rules! each {
    ($sink:expr, $builder:ident => $do:expr) => {
        match $sink {
            Sink::Boolean($builder) => $do,
            Sink::Int($builder) => $do,
            Sink::Bigint($builder) => $do,
            Sink::Float($builder) => $do,
            Sink::Double($builder) => $do,
            Sink::Date($builder) => $do,
            Sink::Timestamp($builder) => $do,
            Sink::Nanotime($builder) => $do,
            Sink::Text($builder) => $do,
            Sink::Blob($builder) => $do,
        }
    };
}

impl Sink {
    fn new(kind: Kind, rows: usize) -> Self {
        match kind {
            Kind::Boolean => Sink::Boolean(BooleanBuilder::with_capacity(rows)),
            Kind::Int => Sink::Int(Int32Builder::with_capacity(rows)),
            Kind::Bigint => Sink::Bigint(Int64Builder::with_capacity(rows)),
            Kind::Float => Sink::Float(Float32Builder::with_capacity(rows)),
            Kind::Double => Sink::Double(Float64Builder::with_capacity(rows)),
            Kind::Date => Sink::Date(Date32Builder::with_capacity(rows)),
            Kind::Timestamp => Sink::Timestamp(TimestampMillisecondBuilder::with_capacity(rows)),
            Kind::Nanotime => Sink::Nanotime(TimestampNanosecondBuilder::with_capacity(rows)),
            Kind::Text => Sink::Text(StringBuilder::with_capacity(rows, 0)),
            Kind::Blob => Sink::Blob(BinaryBuilder::with_capacity(rows, 0)),
        }
    }

    fn push_null(&mut self) {
        each!(self, builder => builder.append_null());
    }

    /// Appends an encoded value. Returns `None` if the bytes are no value of the kind.
    fn push(&mut self, value: &[u8]) -> Option<()> {
        match self {
            Sink::Boolean(to) => match value {
                [0] => to.append_value(false),
                [1] => to.append_value(true),
                _ => return None,
            },
            Sink::Int(to) => to.append_value(i32::from_le_bytes(value.try_into().ok()?)),
            Sink::Bigint(to) => to.append_value(i64::from_le_bytes(value.try_into().ok()?)),
            Sink::Float(to) => to.append_value(f32::from_le_bytes(value.try_into().ok()?)),
            Sink::Double(to) => to.append_value(f64::from_le_bytes(value.try_into().ok()?)),
            Sink::Date(to) => to.append_value(i32::from_le_bytes(value.try_into().ok()?)),
            Sink::Timestamp(to) => to.append_value(i64::from_le_bytes(value.try_into().ok()?)),
            Sink::Nanotime(to) => to.append_value(i64::from_le_bytes(value.try_into().ok()?)),
            Sink::Text(to) => to.append_value(std::str::from_utf8(value).ok()?),
            Sink::Blob(to) => to.append_value(value),
        }
        Some(())
    }

    fn finish(mut self) -> ArrayRef {
        each!(&mut self, builder => Arc::new(builder.finish()))
    }
}

//! Builders of Arrow arrays for all CQL types, value by value.

use std::net::IpAddr;

use arrow::array::{
    ArrayBuilder, ArrayRef, BinaryBuilder, BooleanBuilder, Date32Builder, Decimal256Builder,
    Float32Builder, Float64Builder, Int8Builder, Int16Builder, Int32Builder, Int64Builder,
    StringBuilder, Time64NanosecondBuilder, TimestampMillisecondBuilder,
};
use arrow::datatypes::i256;
use scylla::deserialize::row::RawColumn;
use scylla::deserialize::value::DeserializeValue;
use scylla::value::CqlValue;
use uuid::Uuid;

use super::numbers;
use crate::cassandra::read::key_value::date_from_wire;
use crate::cassandra::read::readable::CqlKind;

/// Bytes reserved for each text or blob, which is a guess.
const TEXT_BYTES: usize = 8;

/// A builder of the array of one column.
pub enum Builder {
    Boolean(BooleanBuilder),
    Tinyint(Int8Builder),
    Smallint(Int16Builder),
    Int(Int32Builder),
    Bigint(Int64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Text(StringBuilder),
    Blob(BinaryBuilder),
    Timestamp(TimestampMillisecondBuilder),
    Date(Date32Builder),
    Time(Time64NanosecondBuilder),
    /// Builds text from values of another type by a function.
    AsText(fn(&[u8]) -> Option<String>, StringBuilder),
    /// Builds decimals from numbers of any length by a function.
    Decimal(fn(&[u8]) -> Option<i256>, Decimal256Builder),
}

impl Builder {
    pub fn new(kind: CqlKind, rows: usize) -> Self {
        let text = || StringBuilder::with_capacity(rows, rows * TEXT_BYTES);
        match kind {
            CqlKind::Boolean => Builder::Boolean(BooleanBuilder::with_capacity(rows)),
            CqlKind::Tinyint => Builder::Tinyint(Int8Builder::with_capacity(rows)),
            CqlKind::Smallint => Builder::Smallint(Int16Builder::with_capacity(rows)),
            CqlKind::Int => Builder::Int(Int32Builder::with_capacity(rows)),
            CqlKind::Bigint => Builder::Bigint(Int64Builder::with_capacity(rows)),
            CqlKind::Float => Builder::Float(Float32Builder::with_capacity(rows)),
            CqlKind::Double => Builder::Double(Float64Builder::with_capacity(rows)),
            CqlKind::Text | CqlKind::Literal => Builder::Text(text()),
            CqlKind::Blob => Builder::Blob(BinaryBuilder::with_capacity(rows, rows * TEXT_BYTES)),
            CqlKind::Timestamp => {
                Builder::Timestamp(TimestampMillisecondBuilder::with_capacity(rows))
            }
            CqlKind::Date => Builder::Date(Date32Builder::with_capacity(rows)),
            CqlKind::Time => Builder::Time(Time64NanosecondBuilder::with_capacity(rows)),
            CqlKind::Uuid => Builder::AsText(uuid, text()),
            CqlKind::Inet => Builder::AsText(address, text()),
            CqlKind::VarintText => Builder::AsText(numbers::varint_text, text()),
            CqlKind::DecimalText => Builder::AsText(numbers::decimal_text, text()),
            CqlKind::Varint => Builder::Decimal(numbers::varint, decimals(kind, rows)),
            CqlKind::Decimal => Builder::Decimal(numbers::decimal, decimals(kind, rows)),
        }
    }

    /// Appends a value in CQL's encoding (big-endian); `None` if the bytes do not fit the type.
    pub fn push_wire(&mut self, bytes: Option<&[u8]>) -> Option<()> {
        match (self, bytes) {
            (Builder::Int(b), Some(v)) => b.append_value(i32::from_be_bytes(v.try_into().ok()?)),
            (Builder::Bigint(b), Some(v)) => b.append_value(i64::from_be_bytes(v.try_into().ok()?)),
            (Builder::Double(b), Some(v)) => b.append_value(f64::from_be_bytes(v.try_into().ok()?)),
            (Builder::Timestamp(b), Some(v)) => {
                b.append_value(i64::from_be_bytes(v.try_into().ok()?));
            }
            (Builder::Tinyint(b), Some(v)) => b.append_value(i8::from_be_bytes(v.try_into().ok()?)),
            (Builder::Smallint(b), Some(v)) => {
                b.append_value(i16::from_be_bytes(v.try_into().ok()?));
            }
            (Builder::Float(b), Some(v)) => b.append_value(f32::from_be_bytes(v.try_into().ok()?)),
            (Builder::Date(b), Some(v)) => b.append_value(date_from_wire(v.try_into().ok()?)),
            (Builder::Time(b), Some(v)) => b.append_value(i64::from_be_bytes(v.try_into().ok()?)),
            (Builder::AsText(show, b), Some(v)) => b.append_value(show(v)?),
            (Builder::Decimal(read, b), Some(v)) => b.append_value(read(v)?),
            (this, bytes) => return this.push_without_byte_order(bytes),
        }
        Some(())
    }

    /// Appends a value in the encoding of [`row_blob`](crate::row_blob)
    /// (little-endian); `None` if the bytes do not fit the type.
    pub fn push_blob(&mut self, bytes: Option<&[u8]>) -> Option<()> {
        match (self, bytes) {
            (Builder::Int(b), Some(v)) => b.append_value(i32::from_le_bytes(v.try_into().ok()?)),
            (Builder::Bigint(b), Some(v)) => b.append_value(i64::from_le_bytes(v.try_into().ok()?)),
            (Builder::Float(b), Some(v)) => b.append_value(f32::from_le_bytes(v.try_into().ok()?)),
            (Builder::Double(b), Some(v)) => b.append_value(f64::from_le_bytes(v.try_into().ok()?)),
            (Builder::Timestamp(b), Some(v)) => {
                b.append_value(i64::from_le_bytes(v.try_into().ok()?));
            }
            // Of UUIDs, whose bytes have no other order.
            (Builder::AsText(show, b), Some(v)) => b.append_value(show(v)?),
            (this, bytes) => return this.push_without_byte_order(bytes),
        }
        Some(())
    }

    /// Appends a value of any type as a CQL literal; `None` if the bytes do not fit the type.
    pub fn push_literal(&mut self, cell: RawColumn) -> Option<()> {
        let Builder::Text(b) = self else { return None };
        match cell.slice {
            Some(_) => {
                let value = CqlValue::deserialize(cell.spec.typ(), cell.slice).ok()?;
                b.append_value(value.to_string());
            }
            None => b.append_null(),
        }
        Some(())
    }

    /// Appends a value whose encoding has no byte order: text, bytes, a boolean or null.
    fn push_without_byte_order(&mut self, bytes: Option<&[u8]>) -> Option<()> {
        match (self, bytes) {
            (Builder::Text(b), Some(v)) => b.append_value(std::str::from_utf8(v).ok()?),
            (Builder::Blob(b), Some(v)) => b.append_value(v),
            (Builder::Boolean(b), Some([v])) => b.append_value(*v != 0),
            (this, None) => this.push_null(),
            _ => return None,
        }
        Some(())
    }

    fn push_null(&mut self) {
        match self {
            Builder::Boolean(b) => b.append_null(),
            Builder::Tinyint(b) => b.append_null(),
            Builder::Smallint(b) => b.append_null(),
            Builder::Int(b) => b.append_null(),
            Builder::Bigint(b) => b.append_null(),
            Builder::Float(b) => b.append_null(),
            Builder::Double(b) => b.append_null(),
            Builder::Text(b) | Builder::AsText(_, b) => b.append_null(),
            Builder::Blob(b) => b.append_null(),
            Builder::Timestamp(b) => b.append_null(),
            Builder::Date(b) => b.append_null(),
            Builder::Time(b) => b.append_null(),
            Builder::Decimal(_, b) => b.append_null(),
        }
    }

    pub fn finish(self) -> ArrayRef {
        match self {
            Builder::Boolean(b) => finish(b),
            Builder::Tinyint(b) => finish(b),
            Builder::Smallint(b) => finish(b),
            Builder::Int(b) => finish(b),
            Builder::Bigint(b) => finish(b),
            Builder::Float(b) => finish(b),
            Builder::Double(b) => finish(b),
            Builder::Text(b) | Builder::AsText(_, b) => finish(b),
            Builder::Blob(b) => finish(b),
            Builder::Timestamp(b) => finish(b),
            Builder::Date(b) => finish(b),
            Builder::Time(b) => finish(b),
            Builder::Decimal(_, b) => finish(b),
        }
    }
}

fn decimals(kind: CqlKind, rows: usize) -> Decimal256Builder {
    Decimal256Builder::with_capacity(rows).with_data_type(kind.data_type())
}

fn finish(mut builder: impl ArrayBuilder) -> ArrayRef {
    builder.finish()
}

fn uuid(bytes: &[u8]) -> Option<String> {
    let uuid = Uuid::from_slice(bytes).ok()?;
    Some(uuid.hyphenated().to_string())
}

fn address(bytes: &[u8]) -> Option<String> {
    let address = match bytes.len() {
        4 => IpAddr::from(<[u8; 4]>::try_from(bytes).ok()?),
        _ => IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?),
    };
    Some(address.to_string())
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array, AsArray};
    use arrow::datatypes::{Date32Type, Int8Type};
    use arrow::util::display::array_value_to_string;

    use super::*;

    fn built(kind: CqlKind, cells: &[Option<&[u8]>]) -> Option<ArrayRef> {
        let mut builder = Builder::new(kind, cells.len());
        cells.iter().try_for_each(|cell| builder.push_wire(*cell))?;
        Some(builder.finish())
    }

    #[test]
    fn every_kind_makes_its_own_type_and_takes_null() {
        for kind in [
            CqlKind::Boolean,
            CqlKind::Tinyint,
            CqlKind::Smallint,
            CqlKind::Int,
            CqlKind::Bigint,
            CqlKind::Float,
            CqlKind::Double,
            CqlKind::Text,
            CqlKind::Blob,
            CqlKind::Timestamp,
            CqlKind::Date,
            CqlKind::Time,
            CqlKind::Uuid,
            CqlKind::Inet,
            CqlKind::Varint,
            CqlKind::Decimal,
            CqlKind::VarintText,
            CqlKind::DecimalText,
            CqlKind::Literal,
        ] {
            let array = built(kind, &[None]).unwrap();
            assert_eq!(array.data_type(), &kind.data_type());
            assert!(array.is_null(0));
        }
    }

    #[test]
    fn bytes_become_values() {
        let tiny = built(CqlKind::Tinyint, &[Some(&[0xff])]).unwrap();
        assert_eq!(tiny.as_primitive::<Int8Type>().value(0), -1);
        let date = built(CqlKind::Date, &[Some(&[0x7f, 0xff, 0xff, 0xff])]).unwrap();
        assert_eq!(date.as_primitive::<Date32Type>().value(0), -1);
        let text = |kind, bytes: &[u8]| {
            let array = built(kind, &[Some(bytes)]).unwrap();
            array.as_string::<i32>().value(0).to_owned()
        };
        assert_eq!(text(CqlKind::Inet, &[10, 0, 0, 1]), "10.0.0.1");
        assert_eq!(text(CqlKind::VarintText, &[0xff, 0x7f]), "-129");
        assert_eq!(text(CqlKind::DecimalText, &[0, 0, 0, 2, 0x7b]), "1.23");
        let number = |kind, bytes: &[u8]| {
            let array = built(kind, &[Some(bytes)]).unwrap();
            array_value_to_string(&array, 0).unwrap()
        };
        assert_eq!(number(CqlKind::Varint, &[0xff, 0x7f]), "-129");
        let padded = format!("1.23{}", "0".repeat(36));
        assert_eq!(number(CqlKind::Decimal, &[0, 0, 0, 2, 0x7b]), padded);
    }

    #[test]
    fn bytes_of_another_type_are_refused() {
        for kind in [
            CqlKind::Tinyint,
            CqlKind::Smallint,
            CqlKind::Int,
            CqlKind::Float,
            CqlKind::Double,
            CqlKind::Date,
            CqlKind::Time,
            CqlKind::Uuid,
            CqlKind::Inet,
            CqlKind::Decimal,
            CqlKind::Boolean,
        ] {
            assert!(built(kind, &[Some(&[1, 2, 3])]).is_none(), "{kind:?}");
        }
        assert!(built(CqlKind::Text, &[Some(&[0xff])]).is_none());
    }
}

//! Decoding PostgreSQL's rows to Arrow columns.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal256Array, Float32Array, Float64Array,
    Int16Array, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray,
};
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::RecordBatch;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};
use uuid::Uuid;

use super::numeric::Numeric;

#[cfg(test)]
mod hostile;

/// The microseconds from the Unix epoch to PostgreSQL's epoch, the beginning of 2000.
pub const EPOCH_MICROS: i64 = 946_684_800_000_000;
/// The days from the Unix epoch to PostgreSQL's epoch.
const EPOCH_DAYS: i32 = 10_957;
/// The highest number of digits in an Arrow decimal of 256 bits.
const DECIMAL_DIGITS: u8 = 76;

/// A value of any type as it came over the wire.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(
        _: &Type,
        bytes: &'a [u8],
    ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(bytes))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Returns the bytes that the values of a row take.
pub fn bytes(row: &Row) -> usize {
    (0..row.len())
        .map(|column| raw(row, column).map_or(0, <[u8]>::len))
        .sum()
}

/// Converts the rows of an answer.
///
/// # Errors
/// Fails for a type that is not supported or a value that Arrow cannot hold, with the column's name.
pub fn batch(rows: &[Row]) -> Result<RecordBatch, String> {
    let Some(first) = rows.first() else {
        return Ok(RecordBatch::new_empty(Arc::new(Schema::empty())));
    };
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    for (number, column) in first.columns().iter().enumerate() {
        let values = Values(rows.iter().map(|row| raw(row, number)).collect());
        let array = values.decoded(column.type_()).map_err(|why| {
            format!(
                "column `{}` of the answer {why}: cast it in the SQL",
                column.name()
            )
        })?;
        fields.push(Field::new(column.name(), array.data_type().clone(), true));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(|e| e.to_string())
}

/// Returns a value of a row as it came over the wire; `None` for a null.
pub fn raw(row: &Row, column: usize) -> Option<&[u8]> {
    let value: Option<Raw<'_>> = row.try_get(column).ok().flatten();
    value.map(|raw| raw.0)
}

/// The values of one column of an answer as they came over the wire.
struct Values<'a>(Vec<Option<&'a [u8]>>);

impl<'a> Values<'a> {
    fn decoded(&self, kind: &Type) -> Result<ArrayRef, String> {
        Ok(match *kind {
            Type::BOOL => {
                let flags = self.fixed(|[byte]: [u8; 1]| Ok(byte != 0))?;
                Arc::new(BooleanArray::from(flags))
            }
            Type::INT2 => Arc::new(Int16Array::from(self.fixed(|b| Ok(i16::from_be_bytes(b)))?)),
            Type::INT4 => Arc::new(Int32Array::from(self.fixed(|b| Ok(i32::from_be_bytes(b)))?)),
            Type::INT8 => Arc::new(Int64Array::from(self.fixed(|b| Ok(i64::from_be_bytes(b)))?)),
            Type::FLOAT4 => Arc::new(Float32Array::from(
                self.fixed(|b| Ok(f32::from_be_bytes(b)))?,
            )),
            Type::FLOAT8 => Arc::new(Float64Array::from(
                self.fixed(|b| Ok(f64::from_be_bytes(b)))?,
            )),
            Type::TIMESTAMP | Type::TIMESTAMPTZ => {
                Arc::new(TimestampMicrosecondArray::from(self.fixed(unix_micros)?))
            }
            Type::DATE => Arc::new(Date32Array::from(self.fixed(unix_days)?)),
            Type::NUMERIC => Arc::new(self.decimals()?),
            Type::BYTEA => Arc::new(BinaryArray::from_iter(self.0.iter().copied())),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME => {
                let texts = self.map(|bytes| std::str::from_utf8(bytes).map_err(|e| e.to_string()));
                Arc::new(StringArray::from(texts?))
            }
            Type::UUID => {
                let texts = self.fixed(|bytes| Ok(Uuid::from_bytes(bytes).to_string()));
                Arc::new(StringArray::from(texts?))
            }
            _ => return Err(format!("has the type {kind}, which is not compared")),
        })
    }

    fn map<T>(
        &self,
        value: impl Fn(&'a [u8]) -> Result<T, String>,
    ) -> Result<Vec<Option<T>>, String> {
        let values = self.0.iter();
        values.map(|bytes| bytes.map(&value).transpose()).collect()
    }

    fn fixed<T, const N: usize>(
        &self,
        value: impl Fn([u8; N]) -> Result<T, String>,
    ) -> Result<Vec<Option<T>>, String> {
        self.map(|bytes| match bytes.try_into() {
            Ok(bytes) => value(bytes),
            Err(_) => Err(format!("has a value of {} bytes, not {N}", bytes.len())),
        })
    }

    /// Decodes a `numeric` column with as many decimals as the value that has the most.
    fn decimals(&self) -> Result<Decimal256Array, String> {
        let no_decimal = || "has a number that is infinite, NaN or too long".to_owned();
        let numbers = self.map(|bytes| Numeric::parse(bytes).ok_or_else(no_decimal))?;
        let scale = numbers.iter().flatten().map(|n| n.scale).max().unwrap_or(0);
        let unscaled = |n: &Option<Numeric>| {
            let number = n.as_ref().map(|n| n.unscaled(scale).ok_or_else(no_decimal));
            number.transpose()
        };
        let numbers: Vec<_> = numbers.iter().map(unscaled).collect::<Result<_, _>>()?;
        let scale = i8::try_from(scale).map_err(|_| no_decimal())?;
        let decimals = Decimal256Array::from(numbers)
            .with_precision_and_scale(DECIMAL_DIGITS, scale)
            .map_err(|_| no_decimal())?;
        // 256 bits hold some numbers of one digit more, with which Arrow does not compute.
        let checked = decimals.validate_decimal_precision(DECIMAL_DIGITS);
        checked.map(|()| decimals).map_err(|_| no_decimal())
    }
}

fn unix_micros(bytes: [u8; 8]) -> Result<i64, String> {
    let micros = i64::from_be_bytes(bytes);
    let infinite = matches!(micros, i64::MIN | i64::MAX);
    let unix = micros.checked_add(EPOCH_MICROS).filter(|_| !infinite);
    unix.ok_or_else(|| "has a time that is infinite or too late".to_owned())
}

fn unix_days(bytes: [u8; 4]) -> Result<i32, String> {
    let days = i32::from_be_bytes(bytes);
    let infinite = matches!(days, i32::MIN | i32::MAX);
    let unix = days.checked_add(EPOCH_DAYS).filter(|_| !infinite);
    unix.ok_or_else(|| "has a day that is infinite or too late".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_days_count_from_1970() {
        assert_eq!(unix_micros(0_i64.to_be_bytes()), Ok(EPOCH_MICROS));
        assert_eq!(unix_days((-10_957_i32).to_be_bytes()), Ok(0));
        assert_eq!(EPOCH_MICROS / 86_400_000_000, i64::from(EPOCH_DAYS));
    }

    #[test]
    fn infinite_times_are_refused() {
        for end in [i64::MIN, i64::MAX] {
            assert!(unix_micros(end.to_be_bytes()).is_err());
        }
        assert!(unix_micros((i64::MAX - 1).to_be_bytes()).is_err());
        assert!(unix_days(i32::MAX.to_be_bytes()).is_err());
    }
}

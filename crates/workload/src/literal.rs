//! Writes values as literals of SQL and CQL, and names in quotes.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use jiff::Timestamp;

use crate::ColumnType;

/// Most digits of a number without an exponent that DuckDB, for which it is a decimal, brings to a double without
/// rounding it twice.
pub const DIGITS_OF_DECIMAL: usize = 15;

/// Returns a text as a literal such as `'it''s'`.
pub fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// Quotes a name, which keeps its case and allows words that the language reserves.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the literal for one cell of a column of this type; `None` if it is null, or a time out
/// of range.
pub fn of_cell(kind: ColumnType, column: &dyn Array, index: usize) -> Option<String> {
    if column.is_null(index) {
        return None;
    }
    Some(match kind {
        ColumnType::Boolean => column.as_boolean().value(index).to_string(),
        ColumnType::Int => column.as_primitive::<Int32Type>().value(index).to_string(),
        ColumnType::Bigint => column.as_primitive::<Int64Type>().value(index).to_string(),
        ColumnType::Float => float(column.as_primitive::<Float32Type>().value(index)),
        ColumnType::Double => double(column.as_primitive::<Float64Type>().value(index)),
        ColumnType::Text | ColumnType::Uuid => text(column.as_string::<i32>().value(index)),
        ColumnType::Timestamp => timestamp(
            column
                .as_primitive::<TimestampMillisecondType>()
                .value(index),
        )?,
        ColumnType::Blob => blob(column.as_binary::<i32>().value(index)),
    })
}

/// Writes a float as the same number of 64 bits, since questions compare it as one. It has about 17 digits, so that all
/// have an exponent.
fn float(value: f32) -> String {
    if value.is_finite() {
        format!("{:e}", f64::from(value))
    } else {
        double(f64::from(value))
    }
}

/// Writes a double with all of its digits. Where they are many it has an exponent, without which DuckDB reads a decimal
/// and rounds it once more, to a double that may be another one.
pub fn double(value: f64) -> String {
    if !value.is_finite() {
        return format!("CAST('{value}' AS DOUBLE PRECISION)");
    }
    // Debug has a point that makes the literal a double.
    let plain = format!("{value:?}");
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    if digits > DIGITS_OF_DECIMAL {
        format!("{value:e}")
    } else {
        plain
    }
}

fn blob(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("X'{digits}'")
}

/// Returns the literal for a time; `None` if it is out of range.
pub fn timestamp(milliseconds: i64) -> Option<String> {
    let time = Timestamp::from_millisecond(milliseconds).ok()?;
    Some(format!(
        "TIMESTAMP '{}'",
        format!("{time:.3}").trim_end_matches('Z')
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        ArrayRef, BinaryArray, Float32Array, Float64Array, StringArray, TimestampMillisecondArray,
    };

    use super::*;

    #[test]
    fn a_quote_in_a_text_or_a_name_is_doubled() {
        assert_eq!(text("it's \"x\""), "'it''s \"x\"'");
        assert_eq!(quoted("it's \"x\""), "\"it's \"\"x\"\"\"");
    }

    #[test]
    fn literals_are_sql() {
        let cell = |kind, column: ArrayRef| of_cell(kind, &*column, 0);
        let words: ArrayRef = Arc::new(StringArray::from(vec!["it's"]));
        assert_eq!(cell(ColumnType::Text, words).as_deref(), Some("'it''s'"));
        let times: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1_392_388_200_000]));
        assert_eq!(
            cell(ColumnType::Timestamp, times).as_deref(),
            Some("TIMESTAMP '2014-02-14T14:30:00.000'")
        );
        let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![&[0x0a, 0xff]]));
        assert_eq!(cell(ColumnType::Blob, bytes).as_deref(), Some("X'0aff'"));
        let nan: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN]));
        assert_eq!(
            cell(ColumnType::Double, nan).as_deref(),
            Some("CAST('NaN' AS DOUBLE PRECISION)")
        );
        let numbers = [0.5, -20.0, 0.1 + 0.2, 123_456_789.012_345, 1e-7, 1e300];
        let doubles: ArrayRef = Arc::new(Float64Array::from(numbers.to_vec()));
        let written = [
            "0.5",
            "-20.0",
            "3.0000000000000004e-1",
            "123456789.012345",
            "1e-7",
            "1e300",
        ];
        for (index, expected) in written.into_iter().enumerate() {
            let literal = of_cell(ColumnType::Double, &*doubles, index).unwrap();
            assert_eq!(literal, expected);
            assert_eq!(literal.parse::<f64>().unwrap(), numbers[index]);
        }
        let tenths: ArrayRef = Arc::new(Float32Array::from(vec![0.1, 2.0, f32::NAN]));
        let tenth = |index| of_cell(ColumnType::Float, &*tenths, index);
        assert_eq!(tenth(0).as_deref(), Some("1.0000000149011612e-1"));
        assert_eq!(tenth(1).as_deref(), Some("2e0"));
        assert_eq!(tenth(2).as_deref(), Some("CAST('NaN' AS DOUBLE PRECISION)"));
        let null: ArrayRef = Arc::new(Float64Array::from(vec![None]));
        assert_eq!(cell(ColumnType::Double, null), None);
    }
}

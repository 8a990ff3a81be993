//! Converts cells of a text file to values. An empty cell is null.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray,
    TimestampMillisecondArray,
};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::BadCell;
use crate::{Column, ColumnType};

/// Converts the cells of one column to its type.
pub fn parse(column: &Column, text: &StringArray) -> Result<ArrayRef, BadCell> {
    Ok(match column.kind {
        ColumnType::Boolean => Arc::new(BooleanArray::from(cells(column, text, boolean)?)),
        ColumnType::Int => Arc::new(Int32Array::from(cells(column, text, |v| v.parse().ok())?)),
        ColumnType::Bigint => Arc::new(Int64Array::from(cells(column, text, |v| v.parse().ok())?)),
        // Knows NaN, inf and infinity too.
        ColumnType::Double => {
            Arc::new(Float64Array::from(cells(column, text, |v| v.parse().ok())?))
        }
        ColumnType::Text => Arc::new(text.clone()),
        ColumnType::Timestamp => Arc::new(TimestampMillisecondArray::from(cells(
            column,
            text,
            milliseconds,
        )?)),
        ColumnType::Blob => {
            let blobs = cells(column, text, bytes)?;
            Arc::new(BinaryArray::from_iter(blobs))
        }
    })
}

fn cells<T>(
    column: &Column,
    text: &StringArray,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<Option<T>>, BadCell> {
    text.iter()
        .enumerate()
        .map(|(row, cell)| {
            let Some(cell) = cell else { return Ok(None) };
            parse(cell.trim())
                .map(Some)
                .ok_or_else(|| not_a(column, row, cell))
        })
        .collect()
}

fn not_a(column: &Column, row: usize, cell: &str) -> BadCell {
    const SHOWN_CHARACTERS: usize = 60;
    let shown: String = cell.chars().take(SHOWN_CHARACTERS).collect();
    let dots = if shown.len() < cell.len() { "..." } else { "" };
    let expected = match column.kind {
        ColumnType::Boolean => "a boolean (true, false, t, f, 1, 0)",
        ColumnType::Int => "an int (a whole number of 32 bits)",
        ColumnType::Bigint => "a bigint (a whole number of 64 bits)",
        ColumnType::Double => "a double",
        ColumnType::Text => "text",
        ColumnType::Timestamp => {
            "a timestamp (2014-02-14T14:30:00, UTC if it has no zone, or milliseconds since 1970; \
             nothing below a millisecond)"
        }
        ColumnType::Blob => {
            "a blob (two hexadecimal digits for each byte, after 0x or \\x if at all)"
        }
    };
    let advice = advice(column.kind, cell);
    BadCell::new(
        row,
        &column.name,
        format!("`{shown}{dots}` is not {expected}{advice}"),
    )
}

/// Texts with which others mark a missing value.
const NO_VALUE: [&str; 12] = [
    "-",
    "--",
    ".",
    "?",
    "\\n",
    "missing",
    "n/a",
    "na",
    "nil",
    "none",
    "null",
    "undefined",
];

/// Returns advice about a cell that is not of its column's type; for times the expected form is
/// advice enough.
fn advice(kind: ColumnType, cell: &str) -> &'static str {
    let cell = cell.trim().to_lowercase();
    match kind {
        _ if NO_VALUE.contains(&cell.as_str()) => {
            "; leave a cell empty where there is no value, or make the column `text`"
        }
        ColumnType::Int | ColumnType::Bigint if cell.parse::<f64>().is_ok() => {
            "; make the column `double`, or correct the cell"
        }
        ColumnType::Timestamp => "",
        _ => "; correct the cell, or make the column `text`",
    }
}

fn boolean(cell: &str) -> Option<bool> {
    match cell.to_ascii_lowercase().as_str() {
        "true" | "t" | "1" => Some(true),
        "false" | "f" | "0" => Some(false),
        _ => None,
    }
}

/// Reads bytes in the form of CQL (0x), PostgreSQL (\x) and others (no prefix).
fn bytes(cell: &str) -> Option<Vec<u8>> {
    let digits = cell
        .strip_prefix("0x")
        .or_else(|| cell.strip_prefix("\\x"))
        .unwrap_or(cell);
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |digit: u8| char::from(digit).to_digit(16);
    pairs
        .iter()
        .map(|[high, low]| Some((digit(*high)? << 4 | digit(*low)?) as u8))
        .collect()
}

/// Returns the milliseconds since the epoch, if nothing is lost.
pub fn milliseconds(cell: &str) -> Option<i64> {
    const DATE_CHARACTERS: usize = "2014-02-14".len();
    if let Ok(milliseconds) = cell.parse() {
        return Some(milliseconds);
    }
    // A civil time would silently drop an offset, so the two forms are distinguished first.
    let has_offset = cell.get(DATE_CHARACTERS..)?.contains(['Z', 'z', '+', '-']);
    let time: Timestamp = if has_offset {
        cell.parse().ok()?
    } else {
        Offset::UTC
            .to_timestamp(cell.parse::<DateTime>().ok()?)
            .ok()?
    };
    (time.subsec_nanosecond() % 1_000_000 == 0).then(|| time.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_in_all_forms() {
        let expected = Some(1_392_388_200_000);
        for form in [
            "2014-02-14T14:30:00",
            "2014-02-14 14:30:00",
            "2014-02-14T14:30:00.000",
            "2014-02-14T14:30:00Z",
            "2014-02-14T15:30:00+01:00",
            "2014-02-14 12:30:00-02:00",
            "1392388200000",
        ] {
            assert_eq!(milliseconds(form), expected, "{form}");
        }
        assert_eq!(milliseconds("2014-02-14"), Some(1_392_336_000_000));
        assert_eq!(milliseconds("-1"), Some(-1));
        assert_eq!(milliseconds("1969-12-31T23:59:59.999"), Some(-1));
    }

    #[test]
    fn times_that_would_lose_something_are_refused() {
        for form in [
            "2014-02-14T14:30:00.0001",
            "2014-02-30T00:00:00",
            "yesterday",
            "14:30",
            "é",
        ] {
            assert_eq!(milliseconds(form), None, "{form}");
        }
    }

    #[test]
    fn a_cell_that_does_not_fit_comes_with_what_to_do() {
        for (kind, cell, advice) in [
            (ColumnType::Double, "NA", "leave a cell empty"),
            (ColumnType::Timestamp, " null ", "leave a cell empty"),
            (ColumnType::Int, "1.5", "make the column `double`"),
            (ColumnType::Bigint, "12 m", "make the column `text`"),
        ] {
            let name = "v".to_owned();
            let error = parse(&Column { name, kind }, &StringArray::from(vec![cell]));
            let message = error.unwrap_err().message;
            assert!(message.contains(advice), "{message}");
        }
    }

    #[test]
    fn blobs_are_hexadecimal() {
        for form in ["0x00aF", "\\x00aF", "00aF"] {
            assert_eq!(bytes(form), Some(vec![0, 0xaf]), "{form}");
        }
        assert_eq!(bytes("0x"), Some(vec![]));
        for form in ["0x0", "xx", "é"] {
            assert_eq!(bytes(form), None, "{form}");
        }
    }

    #[test]
    fn doubles_have_nan_infinity_and_null() {
        let column = Column {
            name: "v".into(),
            kind: ColumnType::Double,
        };
        let text = StringArray::from(vec![Some("NaN"), Some("-inf"), Some(" 1e3 "), None]);
        let parsed = parse(&column, &text).unwrap();
        let parsed: Vec<_> = parsed
            .as_any()
            .downcast_ref::<Float64Array>()
            .unwrap()
            .iter()
            .collect();
        assert!(parsed[0].unwrap().is_nan());
        assert_eq!(parsed[1..], [Some(f64::NEG_INFINITY), Some(1000.0), None]);
    }
}

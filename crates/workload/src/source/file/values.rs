//! Converts cells of a text file to values. An empty cell is null.

use std::str::FromStr;
use std::sync::Arc;

use super::BadCell;
use crate::number_form::{grouped, has_decimal_comma};
use crate::time_format::{has_offset, iso_time};
use crate::{Column, ColumnType, NULL_WORDS, NumberForm, TextForm, TimeFormat, Zone, uuids};
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array,
    StringArray, TimestampMillisecondArray,
};

/// Converts the cells of one column to its type.
pub fn parse(column: &Column, text: &StringArray, form: &TextForm) -> Result<ArrayRef, BadCell> {
    let text = &without_null_words(text, form);
    let cells = Cells { column, text, form };
    Ok(match column.kind {
        ColumnType::Boolean => Arc::new(BooleanArray::from(cells.read(boolean)?)),
        ColumnType::Int => Arc::new(Int32Array::from(cells.read_numbers()?)),
        ColumnType::Bigint => Arc::new(Int64Array::from(cells.read_numbers()?)),
        // These know NaN, inf and infinity too.
        ColumnType::Float => {
            let numbers = form.number_form(&column.name);
            let floats = cells.read(|cell| float(cell, numbers))?;
            Arc::new(Float32Array::from(floats))
        }
        ColumnType::Double => Arc::new(Float64Array::from(cells.read_numbers()?)),
        ColumnType::Text => Arc::new(text.clone()),
        ColumnType::Uuid => {
            let uuids = cells.read(|cell| uuids::parsed(cell).map(|uuid| uuid.to_string()))?;
            Arc::new(StringArray::from(uuids))
        }
        ColumnType::Timestamp => {
            let times = cells.read(|cell| time(column, cell, form))?;
            Arc::new(TimestampMillisecondArray::from(times))
        }
        ColumnType::Blob => {
            let blobs = cells.read(bytes)?;
            Arc::new(BinaryArray::from_iter(blobs))
        }
    })
}

/// Returns why a cell cannot be read, if it cannot. One that is empty, or a word for no value, can.
pub fn misfit(column: &Column, cell: &str, form: &TextForm) -> Option<String> {
    if cell.is_empty() || form.is_null(cell) {
        return None;
    }
    let trimmed = cell.trim();
    let numbers = form.number_form(&column.name);
    let fits = match column.kind {
        ColumnType::Boolean => boolean(trimmed).is_some(),
        ColumnType::Int => number::<i32>(trimmed, numbers).is_some(),
        ColumnType::Bigint => number::<i64>(trimmed, numbers).is_some(),
        ColumnType::Float => float(trimmed, numbers).is_some(),
        ColumnType::Double => number::<f64>(trimmed, numbers).is_some(),
        ColumnType::Text => true,
        ColumnType::Uuid => uuids::parsed(trimmed).is_some(),
        ColumnType::Timestamp => time(column, trimmed, form).is_some(),
        ColumnType::Blob => bytes(trimmed).is_some(),
    };
    (!fits).then(|| format!("column `{}`: {}", column.name, not_a(column, cell, form)))
}

/// Replaces the words for no value by nulls.
fn without_null_words(text: &StringArray, form: &TextForm) -> StringArray {
    if form.null.is_empty() {
        return text.clone();
    }
    let cells = text.iter();
    cells
        .map(|cell| cell.filter(|cell| !form.is_null(cell)))
        .collect()
}

/// Returns the milliseconds since 1970 that a cell of a column says.
fn time(column: &Column, cell: &str, form: &TextForm) -> Option<i64> {
    let format = form.formats.get(&column.name);
    milliseconds_in(cell, format, form.zone.as_ref())
}

/// Returns the milliseconds since 1970 that a cell says in a form, or in the usual one, and in a zone where it says no
/// offset.
pub fn milliseconds_in(
    cell: &str,
    format: Option<&TimeFormat>,
    zone: Option<&Zone>,
) -> Option<i64> {
    let time = match format {
        Some(format) => format.milliseconds(cell),
        None => milliseconds(cell),
    }?;
    match zone.filter(|_| !says_offset(cell, format)) {
        Some(zone) => zone.local_time(time).milliseconds(),
        None => Some(time),
    }
}

/// Returns whether a cell says its offset from UTC, as numbers since 1970 do.
fn says_offset(cell: &str, format: Option<&TimeFormat>) -> bool {
    match format {
        Some(format) => format.says_offset(cell),
        None => cell.parse::<i64>().is_ok() || has_offset(cell),
    }
}

/// Returns the number of a cell, which is plain unless it has a form.
fn number<T: FromStr>(cell: &str, form: Option<&NumberForm>) -> Option<T> {
    match form {
        Some(form) => form.plain(cell)?.parse().ok(),
        None => cell.parse().ok(),
    }
}

/// Returns the nearest float to the number of a cell, unless that number is too large for any.
fn float(cell: &str, form: Option<&NumberForm>) -> Option<f32> {
    let float = number::<f32>(cell, form)?;
    let is_infinite = || number::<f64>(cell, form).is_some_and(f64::is_infinite);
    (!float.is_infinite() || is_infinite()).then_some(float)
}

/// The cells of one column.
struct Cells<'a> {
    column: &'a Column,
    text: &'a StringArray,
    form: &'a TextForm,
}

impl Cells<'_> {
    fn read_numbers<T: FromStr>(&self) -> Result<Vec<Option<T>>, BadCell> {
        let form = self.form.number_form(&self.column.name);
        self.read(|cell| number(cell, form))
    }

    fn read<T>(&self, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<Option<T>>, BadCell> {
        let cells = self.text.iter().enumerate();
        let read = cells.map(|(row, cell)| {
            let Some(cell) = cell else { return Ok(None) };
            let misfit = || not_a(self.column, cell, self.form);
            parse(cell.trim())
                .map(Some)
                .ok_or_else(|| BadCell::new(row, &self.column.name, misfit()))
        });
        read.collect()
    }
}

/// Describes a cell that is not of its column's type.
fn not_a(column: &Column, cell: &str, form: &TextForm) -> String {
    const SHOWN_CHARACTERS: usize = 60;
    let shown: String = cell.chars().take(SHOWN_CHARACTERS).collect();
    let dots = if shown.len() < cell.len() { "..." } else { "" };
    let numbers = form.number_form(&column.name);
    let advice = advice(column.kind, cell, numbers);
    let format = form.formats.get(&column.name);
    if let Some(zone) = &form.zone
        && column.kind == ColumnType::Timestamp
        && milliseconds_in(cell.trim(), format, None).is_some()
    {
        return format!(
            "`{shown}{dots}` is a time that the clocks of {} skip: correct it, or name a zone whose clocks are never \
             changed, such as `Etc/GMT-1` for an hour ahead of UTC",
            zone.name()
        );
    }
    if let Some(format) = format {
        let short = format.with_short_year(cell.trim());
        let short = short.map_or(String::new(), |short| {
            format!(": its year has two digits, as in `{}`", short.written())
        });
        let format = format.written();
        return format!("`{shown}{dots}` is not a time of the form `{format}`{short}{advice}");
    }
    let expected = match column.kind {
        ColumnType::Boolean => "a boolean (true, false, t, f, 1, 0)",
        ColumnType::Int => "an int (a whole number of 32 bits)",
        ColumnType::Bigint => "a bigint (a whole number of 64 bits)",
        ColumnType::Float => "a float (a number of up to 3.4e38)",
        ColumnType::Double => "a double",
        ColumnType::Text => "text",
        ColumnType::Uuid => {
            "a uuid (32 hexadecimal digits with hyphens, as 6a1f0b0c-8a7e-11ee-b962-0242ac120002)"
        }
        ColumnType::Timestamp => {
            "a timestamp (2014-02-14T14:30:00, UTC if it has no zone, or milliseconds since 1970; \
             nothing below a millisecond; [data.format] says other forms)"
        }
        ColumnType::Blob => {
            "a blob (two hexadecimal digits for each byte, after 0x or \\x if at all)"
        }
    };
    let signs = numbers.filter(|_| column.kind.is_number());
    let signs = signs.map_or(String::new(), |form| format!(" with {}", form.described()));
    format!("`{shown}{dots}` is not {expected}{signs}{advice}")
}

/// Texts with which others mark a missing value, besides [`NULL_WORDS`], in small letters.
const RARE_NULL_WORDS: [&str; 3] = [".", "missing", "undefined"];

/// Returns advice about a cell that is not of its column's type, whose numbers may have a form; for times the expected
/// form is advice enough.
fn advice(kind: ColumnType, cell: &str, numbers: Option<&NumberForm>) -> String {
    let word = cell.trim();
    let cell = word.to_lowercase();
    let mut null_words = NULL_WORDS.iter().chain(&RARE_NULL_WORDS);
    let is_null_word = null_words.any(|null| null.eq_ignore_ascii_case(&cell));
    match kind {
        _ if is_null_word => {
            let written = word.replace('\\', "\\\\");
            format!(
                "; if it stands for no value, say `null = [\"{written}\"]` in [data] (--null {word} of ingest), \
                 or make the column `text`"
            )
        }
        ColumnType::Int | ColumnType::Bigint | ColumnType::Float
            if number::<f64>(word, numbers).is_some() =>
        {
            "; make the column `double`, or correct the cell".to_owned()
        }
        kind if kind.is_number() && numbers.is_none() => {
            of_marks(word).unwrap_or_else(|| AS_IT_IS.to_owned())
        }
        ColumnType::Timestamp => String::new(),
        _ => AS_IT_IS.to_owned(),
    }
}

/// Advice about a cell that nothing else makes one of its column's type.
const AS_IT_IS: &str = "; correct the cell, or make the column `text`";

/// Returns advice about a cell that is a number if the marks in it are those of its file.
fn of_marks(cell: &str) -> Option<String> {
    let decimal = has_decimal_comma(cell).then(|| {
        "; if its comma is a decimal one, say `decimal = \",\"` in [data] (--decimal , of ingest)"
            .to_owned()
    });
    let thousands = grouped(cell).map(|(mark, _)| {
        format!(
            "; if its {} are before each three digits, say `thousands = \"{}\"` in [data] (--thousands of ingest)",
            mark.described(),
            mark.written()
        )
    });
    match (decimal, thousands) {
        (Some(decimal), Some(thousands)) => Some(decimal + &thousands),
        (decimal, thousands) => decimal.or(thousands),
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
    if let Ok(milliseconds) = cell.parse() {
        return Some(milliseconds);
    }
    let time = iso_time(cell)?;
    (time.subsec_nanosecond() % 1_000_000 == 0).then(|| time.as_millisecond())
}

#[cfg(test)]
mod tests;

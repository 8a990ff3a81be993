//! Writes rows as CSV (RFC 4180, lines end with LF), in the form in which files of rows are read.
//!
//! Null is an empty cell, so an empty text is read back as null. Times are written in UTC as
//! `2016-01-01T00:00:00Z`; doubles with as few digits as distinguish them (`NaN`, `inf` and `-inf`
//! for infinities and NaN); bytes as hexadecimal digits after `0x`.

use std::sync::LazyLock;

use arrow::array::{
    Array, AsArray, BinaryArray, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array,
    StringArray, TimestampMillisecondArray,
};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use arrow::record_batch::RecordBatch;
use jiff::Timestamp;

use crate::{ColumnType, Table};

/// Largest number up to which whole numbers are doubles without loss.
const EXACT_WHOLE: f64 = 9_007_199_254_740_992.0;
/// Above this, floats of 32 bits do not have all whole numbers.
const EXACT_WHOLE_FLOAT: f32 = 16_777_216.0;

/// Writes the rows of one table.
///
/// ```
/// use bakeoff_workload::csv::Encoder;
/// use bakeoff_workload::{Workload, source};
///
/// let text = "title = \"t\"\n[data]\ngenerator = \"devops\"\nhosts = 2\n\
///     [[queries]]\nname = \"q\"\nsql = \"SELECT 1 AS one\"";
/// let workload = Workload::parse(text, "t.toml".as_ref())?;
/// let mut encoder = Encoder::new(&workload.table);
/// let mut lines = encoder.header();
/// for batch in source::open(&workload, None)?.read(0, 100)?.take(1) {
///     encoder.rows(&batch?.rows, &mut lines);
/// }
/// let text = String::from_utf8(lines)?;
/// assert!(text.starts_with("time,hostname,region,"));
/// assert!(text.contains("\n2016-01-01T00:00:10Z,host_1,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Encoder {
    names: Vec<String>,
    kinds: Vec<ColumnType>,
    time: WrittenTime,
}

impl Encoder {
    pub fn new(table: &Table) -> Encoder {
        Encoder {
            names: table.columns.iter().map(|c| c.name.clone()).collect(),
            kinds: table.columns.iter().map(|c| c.kind).collect(),
            time: WrittenTime::default(),
        }
    }

    /// Returns the line with the names of the columns.
    pub fn header(&self) -> Vec<u8> {
        let mut line = Vec::new();
        for name in &self.names {
            text(name, &mut line);
            line.push(b',');
        }
        end_line(&mut line);
        line
    }

    /// Appends a line for each row of a batch of the table.
    pub fn rows(&mut self, batch: &RecordBatch, lines: &mut Vec<u8>) {
        let columns: Vec<Cells<'_>> = self
            .kinds
            .iter()
            .zip(batch.columns())
            .map(|(kind, column)| Cells::new(*kind, column.as_ref()))
            .collect();
        for row in 0..batch.num_rows() {
            for column in &columns {
                column.write(row, &mut self.time, lines);
                lines.push(b',');
            }
            end_line(lines);
        }
    }
}

/// Replaces the comma after the last cell by the end of the line.
fn end_line(line: &mut [u8]) {
    if let Some(last) = line.last_mut() {
        *last = b'\n';
    }
}

/// The cells of one column of a batch.
struct Cells<'a> {
    nulls: Option<&'a NullBuffer>,
    values: Values<'a>,
}

enum Values<'a> {
    Boolean(&'a BooleanArray),
    Int(&'a Int32Array),
    Bigint(&'a Int64Array),
    Float(&'a Float32Array),
    Double(&'a Float64Array),
    /// Texts of which none has to be quoted.
    Plain(&'a StringArray),
    Text(&'a StringArray),
    Timestamp(&'a TimestampMillisecondArray),
    Blob(&'a BinaryArray),
}

impl<'a> Cells<'a> {
    fn new(kind: ColumnType, column: &'a dyn Array) -> Cells<'a> {
        let values = match kind {
            ColumnType::Boolean => Values::Boolean(column.as_boolean()),
            ColumnType::Int => Values::Int(column.as_primitive::<Int32Type>()),
            ColumnType::Bigint => Values::Bigint(column.as_primitive::<Int64Type>()),
            ColumnType::Float => Values::Float(column.as_primitive::<Float32Type>()),
            ColumnType::Double => Values::Double(column.as_primitive::<Float64Type>()),
            ColumnType::Timestamp => {
                Values::Timestamp(column.as_primitive::<TimestampMillisecondType>())
            }
            ColumnType::Blob => Values::Blob(column.as_binary::<i32>()),
            ColumnType::Uuid => Values::Plain(column.as_string::<i32>()),
            ColumnType::Text => {
                let texts = column.as_string::<i32>();
                let bytes = texts.value_data().iter();
                if bytes.fold(false, |any, b| any | special(*b)) {
                    Values::Text(texts)
                } else {
                    Values::Plain(texts)
                }
            }
        };
        Cells {
            nulls: column.nulls(),
            values,
        }
    }

    fn write(&self, row: usize, time: &mut WrittenTime, out: &mut Vec<u8>) {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return;
        }
        match &self.values {
            Values::Boolean(array) => {
                let word: &[u8] = if array.value(row) { b"true" } else { b"false" };
                out.extend_from_slice(word);
            }
            Values::Int(array) => whole(i64::from(array.value(row)), out),
            Values::Bigint(array) => whole(array.value(row), out),
            Values::Float(array) => float(array.value(row), out),
            Values::Double(array) => double(array.value(row), out),
            Values::Plain(array) => plain(array, row, out),
            Values::Text(array) => text(array.value(row), out),
            Values::Timestamp(array) => out.extend_from_slice(time.text(array.value(row))),
            Values::Blob(array) => hexadecimal(array.value(row), out),
        }
    }
}

/// Number of bytes that are copied at once, which takes a fraction of the time of copying any
/// number of them.
const BLOCK: usize = 16;

/// Appends the first bytes of a block.
fn first_of(block: &[u8; BLOCK], length: usize, out: &mut Vec<u8>) {
    let before = out.len();
    out.extend_from_slice(block);
    out.truncate(before + length);
}

/// Appends a text without quotes. Copies a whole block if there are enough bytes behind the text in
/// the column.
fn plain(texts: &StringArray, row: usize, out: &mut Vec<u8>) {
    let value = texts.value(row).as_bytes();
    let begin = usize::try_from(texts.value_offsets()[row]).unwrap_or(usize::MAX);
    match texts
        .value_data()
        .get(begin..)
        .and_then(<[u8]>::first_chunk)
    {
        Some(block) if value.len() <= BLOCK => first_of(block, value.len(), out),
        _ => out.extend_from_slice(value),
    }
}

/// The time that was written last, since neighbouring rows often have the same.
#[derive(Default)]
struct WrittenTime {
    milliseconds: i64,
    text: String,
}

impl WrittenTime {
    fn text(&mut self, milliseconds: i64) -> &[u8] {
        if self.text.is_empty() || self.milliseconds != milliseconds {
            self.milliseconds = milliseconds;
            self.text = match Timestamp::from_millisecond(milliseconds) {
                Ok(time) => time.to_string(),
                // Beyond the year 9999 there is no other form.
                Err(_) => milliseconds.to_string(),
            };
        }
        self.text.as_bytes()
    }
}

/// Returns whether a text with this byte has to be quoted.
fn special(byte: u8) -> bool {
    matches!(byte, b',' | b'"' | b'\n' | b'\r')
}

/// Appends a cell of text, in quotes if it needs them.
pub(crate) fn text(value: &str, out: &mut Vec<u8>) {
    if !value.bytes().any(special) {
        out.extend_from_slice(value.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in value.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

fn whole(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a float with the fewest digits that tell it from others, which a double of the same number has more of.
fn float(value: f32, out: &mut Vec<u8>) {
    if value.fract() == 0.0 && value.abs() <= EXACT_WHOLE_FLOAT {
        double(f64::from(value), out);
    } else {
        out.extend_from_slice(zmij::Buffer::new().format(value).as_bytes());
    }
}

fn double(value: f64, out: &mut Vec<u8>) {
    // Most metrics are whole, which takes a fraction of the time to find out and to write.
    let as_whole = value as i64;
    let is_whole = as_whole as f64 == value && value.abs() <= EXACT_WHOLE;
    if is_whole && (as_whole != 0 || value.is_sign_positive()) {
        match usize::try_from(as_whole)
            .ok()
            .and_then(|at| PERCENTS.get(at))
        {
            Some((block, length)) => first_of(block, *length, out),
            None => {
                whole(as_whole, out);
                out.extend_from_slice(b".0");
            }
        }
    } else {
        out.extend_from_slice(zmij::Buffer::new().format(value).as_bytes());
    }
}

/// Doubles from 0 to 100 as text, with their lengths, since many metrics are percentages.
static PERCENTS: LazyLock<[([u8; BLOCK], usize); 101]> = LazyLock::new(|| {
    std::array::from_fn(|value| {
        let text = format!("{value}.0");
        let mut block = [0; BLOCK];
        block[..text.len()].copy_from_slice(text.as_bytes());
        (block, text.len())
    })
});

fn hexadecimal(value: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"0x");
    for byte in value {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn doubles_keep_their_value_and_stay_doubles() {
        for (value, expected) in [
            (58.0, "58.0"),
            (100.0, "100.0"),
            (101.0, "101.0"),
            (-1.0, "-1.0"),
            (-7.0, "-7.0"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(written(|out| double(value, out)), expected);
        }
        for value in [
            f64::MIN_POSITIVE,
            f64::MAX,
            1e300,
            EXACT_WHOLE,
            -EXACT_WHOLE - 2.0,
            1.0 / 3.0,
        ] {
            assert_eq!(written(|out| double(value, out)).parse(), Ok(value));
        }
    }

    #[test]
    fn floats_are_written_with_the_fewest_digits() {
        for (value, expected) in [
            (58.0, "58.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (f32::INFINITY, "inf"),
            (f32::NAN, "NaN"),
        ] {
            assert_eq!(written(|out| float(value, out)), expected);
        }
        for value in [
            f32::MIN_POSITIVE,
            f32::MAX,
            1e30,
            EXACT_WHOLE_FLOAT,
            -1.0 / 3.0,
        ] {
            let text = written(|out| float(value, out));
            assert!(text.len() <= 16, "{text}");
            assert_eq!(text.parse(), Ok(value));
        }
    }

    #[test]
    fn texts_are_quoted_where_they_have_to_be() {
        assert_eq!(written(|out| text("plain ü", out)), "plain ü");
        assert_eq!(written(|out| text("a,b", out)), "\"a,b\"");
        assert_eq!(
            written(|out| text("say \"a\"\n", out)),
            "\"say \"\"a\"\"\n\""
        );
    }

    #[test]
    fn texts_of_any_length_are_copied_whole() {
        let lengths = [0, 1, 15, 16, 17, 40, 3];
        let texts: Vec<String> = lengths.map(|n| "abcdefgh".repeat(5)[..n].to_owned()).into();
        let array = StringArray::from_iter_values(&texts);
        for begin in 0..texts.len() {
            let rows = array.slice(begin, texts.len() - begin);
            let copied = |row| written(|out| plain(&rows, row, out));
            let copied: Vec<String> = (0..rows.len()).map(copied).collect();
            assert_eq!(copied, texts[begin..]);
        }
    }

    #[test]
    fn times_are_in_utc_and_beyond_the_calendar_numbers() {
        let mut time = WrittenTime::default();
        assert_eq!(time.text(0), b"1970-01-01T00:00:00Z");
        assert_eq!(time.text(-1), b"1969-12-31T23:59:59.999Z");
        assert_eq!(time.text(i64::MAX), i64::MAX.to_string().as_bytes());
    }

    #[test]
    fn bytes_are_hexadecimal() {
        assert_eq!(written(|out| hexadecimal(&[0, 0xAB], out)), "0x00ab");
    }
}

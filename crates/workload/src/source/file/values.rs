//! Converts cells of a text file to values. An empty cell is null.

use std::str::FromStr;
use std::sync::Arc;

use super::BadCell;
use crate::number_form::has_decimal_comma;
use crate::time_format::iso_time;
use crate::{Column, ColumnType, NULL_WORDS, NumberForm, TextForm};
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray,
    TimestampMillisecondArray,
};

/// Converts the cells of one column to its type.
pub fn parse(column: &Column, text: &StringArray, form: &TextForm) -> Result<ArrayRef, BadCell> {
    let text = &without_null_words(text, form);
    let cells = Cells { column, text, form };
    Ok(match column.kind {
        ColumnType::Boolean => Arc::new(BooleanArray::from(cells.read(boolean)?)),
        ColumnType::Int => Arc::new(Int32Array::from(cells.read_numbers()?)),
        ColumnType::Bigint => Arc::new(Int64Array::from(cells.read_numbers()?)),
        // Knows NaN, inf and infinity too.
        ColumnType::Double => Arc::new(Float64Array::from(cells.read_numbers()?)),
        ColumnType::Text => Arc::new(text.clone()),
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
        ColumnType::Double => number::<f64>(trimmed, numbers).is_some(),
        ColumnType::Text => true,
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
    match form.formats.get(&column.name) {
        Some(format) => format.milliseconds(cell),
        None => milliseconds(cell),
    }
}

/// Returns the number of a cell, which is plain unless it has a form.
fn number<T: FromStr>(cell: &str, form: Option<&NumberForm>) -> Option<T> {
    match form {
        Some(form) => form.plain(cell)?.parse().ok(),
        None => cell.parse().ok(),
    }
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
    if let Some(format) = form.formats.get(&column.name) {
        let format = format.written();
        return format!("`{shown}{dots}` is not a time of the form `{format}`{advice}");
    }
    let expected = match column.kind {
        ColumnType::Boolean => "a boolean (true, false, t, f, 1, 0)",
        ColumnType::Int => "an int (a whole number of 32 bits)",
        ColumnType::Bigint => "a bigint (a whole number of 64 bits)",
        ColumnType::Double => "a double",
        ColumnType::Text => "text",
        ColumnType::Timestamp => {
            "a timestamp (2014-02-14T14:30:00, UTC if it has no zone, or milliseconds since 1970; \
             nothing below a millisecond; [data.format] says other forms)"
        }
        ColumnType::Blob => {
            "a blob (two hexadecimal digits for each byte, after 0x or \\x if at all)"
        }
    };
    let is_number = matches!(
        column.kind,
        ColumnType::Int | ColumnType::Bigint | ColumnType::Double
    );
    let signs = numbers.filter(|_| is_number);
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
        ColumnType::Int | ColumnType::Bigint if number::<f64>(word, numbers).is_some() => {
            "; make the column `double`, or correct the cell".to_owned()
        }
        ColumnType::Int | ColumnType::Bigint | ColumnType::Double
            if numbers.is_none() && has_decimal_comma(word) =>
        {
            "; if its comma is a decimal one, say `decimal = \",\"` in [data] (--decimal , of ingest)"
                .to_owned()
        }
        ColumnType::Timestamp => String::new(),
        _ => "; correct the cell, or make the column `text`".to_owned(),
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
mod tests {
    use super::*;
    use crate::DecimalMark;
    use arrow::array::Array;

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
            (ColumnType::Double, "NA", "`null = [\"NA\"]` in [data]"),
            (ColumnType::Double, "\\N", "`null = [\"\\\\N\"]` in [data]"),
            (
                ColumnType::Timestamp,
                " null ",
                "`null = [\"null\"]` in [data]",
            ),
            (ColumnType::Int, "#N/A", "`null = [\"#N/A\"]` in [data]"),
            (
                ColumnType::Int,
                "Missing",
                "`null = [\"Missing\"]` in [data]",
            ),
            (ColumnType::Int, "1.5", "make the column `double`"),
            (ColumnType::Bigint, "12 m", "make the column `text`"),
            (ColumnType::Double, "1,5", "say `decimal = \",\"` in [data]"),
        ] {
            let name = "v".to_owned();
            let (column, form) = (Column { name, kind }, TextForm::default());
            let error = parse(&column, &StringArray::from(vec![cell]), &form);
            let message = error.unwrap_err().message;
            assert!(message.contains(advice), "{message}");
            assert_eq!(misfit(&column, cell, &form), Some(message));
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
        let parsed = parse(&column, &text, &TextForm::default()).unwrap();
        let parsed: Vec<_> = parsed
            .as_any()
            .downcast_ref::<Float64Array>()
            .unwrap()
            .iter()
            .collect();
        assert!(parsed[0].unwrap().is_nan());
        assert_eq!(parsed[1..], [Some(f64::NEG_INFINITY), Some(1000.0), None]);
    }

    #[test]
    fn signs_are_left_out_of_numbers_and_cells_without_their_unit_do_not_fit() {
        let column = |kind: ColumnType| Column {
            name: "v".into(),
            kind,
        };
        let form = |signs: &str| TextForm {
            signs: [("v".to_owned(), NumberForm::parse(signs).unwrap())].into(),
            ..TextForm::default()
        };
        let text = StringArray::from(vec![Some(" $1,234.50"), Some("-$7"), None]);
        let prices = parse(&column(ColumnType::Double), &text, &form("$,")).unwrap();
        let expected = Float64Array::from(vec![Some(1234.5), Some(-7.0), None]);
        assert_eq!(prices.as_ref(), &expected as &dyn arrow::array::Array);
        for (kind, signs, cell, fits) in [
            (ColumnType::Int, "%", "95%", true),
            (ColumnType::Int, "%", "", true),
            (ColumnType::Int, "%", "1.5%", false),
            (ColumnType::Int, "%", "95", false),
            (ColumnType::Int, ",", "3,000,000,000", false),
            (ColumnType::Bigint, ",", "3,000,000,000", true),
            (ColumnType::Double, "$", "5 \u{20ac}", false),
        ] {
            let misfit = misfit(&column(kind), cell, &form(signs));
            assert_eq!(misfit.is_none(), fits, "{signs} {cell}");
        }
        let message = misfit(&column(ColumnType::Double), "5", &form("%")).unwrap();
        assert!(
            message.contains("`5` is not a double with `%`"),
            "{message}"
        );
    }

    #[test]
    fn numbers_with_a_decimal_comma_are_read_where_that_is_said() {
        let column = |kind: ColumnType| Column {
            name: "v".into(),
            kind,
        };
        let form = TextForm {
            decimal: DecimalMark::Comma,
            ..TextForm::default()
        };
        let cells = vec![Some("1,5"), Some(" 1.234,5"), Some("-3"), Some("NaN"), None];
        let read = parse(
            &column(ColumnType::Double),
            &StringArray::from(cells),
            &form,
        )
        .unwrap();
        let read = read.as_any().downcast_ref::<Float64Array>().unwrap();
        let known: Vec<Option<f64>> = read.iter().map(|v| v.filter(|v| !v.is_nan())).collect();
        assert_eq!(known, [Some(1.5), Some(1_234.5), Some(-3.0), None, None]);
        assert!(read.value(3).is_nan() && read.is_null(4));
        for (kind, cell, fits) in [
            (ColumnType::Double, "1.5", false),
            (ColumnType::Double, "1,234.5", false),
            (ColumnType::Int, "1.234", true),
            (ColumnType::Int, "1,5", false),
            (ColumnType::Int, "3.000.000.000", false),
            (ColumnType::Bigint, "3.000.000.000", true),
            (ColumnType::Text, "1.5", true),
        ] {
            let misfit = misfit(&column(kind), cell, &form);
            assert_eq!(misfit.is_none(), fits, "{kind:?} {cell}: {misfit:?}");
        }
        let message = misfit(&column(ColumnType::Int), "1,5", &form).unwrap();
        assert!(
            message.contains(
                "an int (a whole number of 32 bits) with a decimal comma; make the column `double`"
            ),
            "{message}"
        );
    }

    #[test]
    fn words_for_no_value_are_null_and_times_have_the_form_that_is_said() {
        let time = Column {
            name: "time".into(),
            kind: ColumnType::Timestamp,
        };
        let mut form = TextForm {
            null: vec!["NA".to_owned(), "\\N".to_owned()],
            ..TextForm::default()
        };
        let format = crate::TimeFormat::parse("%Y%m%d").unwrap();
        form.formats.insert("time".to_owned(), format);
        let text = StringArray::from(vec!["19700102", "NA", " \\N ", ""]);
        let parsed = parse(&time, &text.slice(0, 3), &form).unwrap();
        let expected = TimestampMillisecondArray::from(vec![Some(86_400_000), None, None]);
        assert_eq!(parsed.as_ref(), &expected as &dyn arrow::array::Array);
        for (cell, fits) in [
            ("19700102", true),
            ("NA", true),
            ("", true),
            ("1970-01-02", false),
        ] {
            assert_eq!(misfit(&time, cell, &form).is_none(), fits, "{cell}");
        }
        let message = misfit(&time, "1970-01-02", &form).unwrap();
        assert!(message.contains("a time of the form `%Y%m%d`"), "{message}");
    }
}

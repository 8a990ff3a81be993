use super::*;
use crate::{DecimalMark, ThousandsMark};
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
        (ColumnType::Int, "1,000", "say `decimal = \",\"` in [data]"),
        (
            ColumnType::Int,
            "1,000",
            "say `thousands = \",\"` in [data]",
        ),
        (
            ColumnType::Double,
            "1 000.5",
            "say `thousands = \" \"` in [data]",
        ),
        (
            ColumnType::Bigint,
            "1'000",
            "say `thousands = \"'\"` in [data]",
        ),
    ] {
        let name = "v".to_owned();
        let (column, form) = (Column { name, kind }, TextForm::default());
        let error = parse(&column, &StringArray::from(vec![cell]), &form);
        let message = error.unwrap_err().message;
        assert!(message.contains(advice), "{message}");
        assert_eq!(misfit(&column, cell, &form), Some(message));
    }
}

/// 2024-07-15T10:00:00Z, in milliseconds since 1970.
const NOON: i64 = 1_721_037_600_000;

#[test]
fn times_without_an_offset_are_those_of_the_zone_that_is_said() {
    let column = Column {
        name: "time".into(),
        kind: ColumnType::Timestamp,
    };
    let zone = Zone::parse("Europe/Berlin").unwrap();
    let mut form = TextForm {
        zone: Some(zone),
        ..TextForm::default()
    };
    for cell in [
        "2024-07-15 12:00",
        "2024-07-15T12:00:00+02:00",
        "2024-07-15T10:00:00Z",
        "1721037600000",
    ] {
        assert_eq!(time(&column, cell, &form), Some(NOON), "{cell}");
    }
    let skipped = misfit(&column, "2024-03-31T02:30:00", &form).unwrap();
    assert!(
        skipped.contains("is a time that the clocks of Europe/Berlin skip"),
        "{skipped}"
    );
    let none = misfit(&column, "soon", &form).unwrap();
    assert!(none.contains("is not a timestamp"), "{none}");
    let german = TimeFormat::parse("%d.%m.%Y %H:%M").unwrap();
    form.formats.insert("time".to_owned(), german);
    assert_eq!(time(&column, "15.07.2024 12:00", &form), Some(NOON));
    let skipped = misfit(&column, "31.03.2024 02:30", &form).unwrap();
    assert!(
        skipped.contains("clocks of Europe/Berlin skip"),
        "{skipped}"
    );
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
fn numbers_with_marks_before_each_three_digits_are_read_where_these_are_said() {
    let column = |kind: ColumnType| Column {
        name: "v".into(),
        kind,
    };
    let form = |decimal: DecimalMark, thousands: ThousandsMark| TextForm {
        decimal,
        thousands: Some(thousands),
        null: vec!["-".to_owned()],
        ..TextForm::default()
    };
    let commas = form(DecimalMark::Point, ThousandsMark::Comma);
    let cells = vec![
        Some("1,000"),
        Some(" -1,234,567 "),
        Some("7"),
        Some("-"),
        None,
    ];
    let read = parse(&column(ColumnType::Int), &StringArray::from(cells), &commas).unwrap();
    let expected = Int32Array::from(vec![Some(1_000), Some(-1_234_567), Some(7), None, None]);
    assert_eq!(read.as_ref(), &expected as &dyn Array);
    for (decimal, thousands, kind, cell, fits) in [
        (".", ",", ColumnType::Double, "1,234.5", true),
        (".", ",", ColumnType::Double, "1,00", false),
        (".", ",", ColumnType::Double, "12,34,567", false),
        (".", ",", ColumnType::Int, "3,000,000,000", false),
        (".", ",", ColumnType::Bigint, "3,000,000,000", true),
        (".", ",", ColumnType::Text, "1,00", true),
        (",", ".", ColumnType::Double, "1.000,5", true),
        (",", ".", ColumnType::Double, "1 000,5", false),
        (".", " ", ColumnType::Int, "1\u{202f}000", true),
        (".", "'", ColumnType::Int, "1'000", true),
    ] {
        let decimal = DecimalMark::parse(decimal).unwrap();
        let form = form(decimal, ThousandsMark::parse(thousands).unwrap());
        let misfit = misfit(&column(kind), cell, &form);
        assert_eq!(misfit.is_none(), fits, "{thousands} {cell}: {misfit:?}");
    }
    let message = misfit(&column(ColumnType::Int), "1,00", &commas).unwrap();
    let why = "`1,00` is not an int (a whole number of 32 bits) with commas; correct the cell";
    assert!(message.contains(why), "{message}");
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

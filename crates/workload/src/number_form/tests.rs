use super::*;

fn plain(signs: &str, cell: &str) -> Option<String> {
    let form = NumberForm::parse(signs).unwrap();
    form.plain(cell).map(Cow::into_owned)
}

#[test]
fn signs_are_left_out_of_numbers() {
    for (signs, cell, number) in [
        ("%", "95%", "95"),
        ("%", "-1.5 %", "-1.5"),
        ("$", "$5.50", "5.50"),
        ("$", "-$5", "-5"),
        ("$", "$ -5", "-5"),
        ("$,", "+$1,234.00", "1234.00"),
        ("\u{20ac}", "5 \u{20ac}", "5"),
        ("kg", "7kg", "7"),
        (",", "1,021,025", "1021025"),
        (",", "-1,234.5", "-1234.5"),
        (",", "810", "810"),
        (",", ".5", ".5"),
    ] {
        assert_eq!(
            plain(signs, cell).as_deref(),
            Some(number),
            "{signs} {cell}"
        );
    }
}

#[test]
fn other_cells_are_no_numbers_with_these_signs() {
    for (signs, cell) in [
        ("%", "95"),
        ("%", "1,200%"),
        ("%", "%"),
        ("%", "five%"),
        ("$", "5 \u{20ac}"),
        ("$", "--$5"),
        ("$", "-$-5"),
        (",", "1,5"),
        (",", "0,500"),
        (",", "1234,567"),
        (",", "1,234.5,6"),
        (",", "NaN"),
        (",", ""),
    ] {
        assert_eq!(plain(signs, cell), None, "{signs} {cell}");
    }
}

/// The number of a cell with a decimal comma, and perhaps a unit.
fn with_comma(unit: &str, cell: &str) -> Option<String> {
    let form = NumberForm::with_comma(unit.to_owned(), None);
    let plain = form.plain(cell).map(Cow::into_owned);
    plain.filter(|plain| plain.parse::<f64>().is_ok())
}

#[test]
fn decimal_commas_are_read_with_what_is_before_three_digits() {
    for (unit, cell, number) in [
        ("", "1,5", "1.5"),
        ("", " -0,25 ", "-0.25"),
        ("", "+12", "12"),
        ("", ",5", ".5"),
        ("", "1,234", "1.234"),
        ("", "1.234", "1234"),
        ("", "1.234.567,89", "1234567.89"),
        ("", "1 234,5", "1234.5"),
        ("", "1\u{a0}234\u{a0}567", "1234567"),
        ("", "-1\u{202f}234,5", "-1234.5"),
        ("", "1'234,5", "1234.5"),
        ("", "1,5e3", "1.5e3"),
        ("", "2E-05", "2E-05"),
        ("", "NaN", "NaN"),
        ("", "-inf", "-inf"),
        ("\u{20ac}", "1.234,50 \u{20ac}", "1234.50"),
        ("\u{20ac}", "-\u{20ac} 5,00", "-5.00"),
        ("%", "7,5%", "7.5"),
    ] {
        let found = with_comma(unit, cell);
        assert_eq!(found.as_deref(), Some(number), "{unit} {cell}");
        let is_decimal = unit.is_empty() && cell.contains(',');
        assert_eq!(has_decimal_comma(cell), is_decimal, "{unit} {cell}");
    }
}

#[test]
fn other_cells_are_no_numbers_with_a_decimal_comma() {
    for (unit, cell) in [
        ("", "1.5"),
        ("", "1.23,4"),
        ("", "0.123,4"),
        ("", "1234.567,8"),
        ("", "1.234 567,8"),
        ("", "1,2,3"),
        ("", "1,234.5"),
        ("", "1,234,567"),
        ("", "5,"),
        ("", ","),
        ("", "a,5"),
        ("", "1,5 kg"),
        ("", "--1,5"),
        ("", "\u{661},5"),
        ("", ""),
        ("\u{20ac}", "1,5"),
        ("\u{20ac}", "NaN"),
    ] {
        assert_eq!(with_comma(unit, cell), None, "{unit} {cell}");
        assert!(!unit.is_empty() || !has_decimal_comma(cell), "{cell}");
    }
}

#[test]
fn a_comma_is_before_decimals_or_before_three_digits() {
    assert_eq!(DecimalMark::parse("."), Ok(DecimalMark::Point));
    assert_eq!(DecimalMark::parse(","), Ok(DecimalMark::Comma));
    let error = DecimalMark::parse(";").unwrap_err();
    assert!(error.contains("`;` is before no decimals"), "{error}");
    let both = NumberForm::parse("$,").unwrap();
    let error = both.in_file(DecimalMark::Comma, None).unwrap_err();
    assert!(error.contains("`$,` leaves commas out"), "{error}");
    let prices = NumberForm::parse("$").unwrap();
    let prices = prices.in_file(DecimalMark::Comma, None).unwrap();
    assert_eq!(prices.described(), "`$` and a decimal comma");
    assert_eq!(prices.written(), "$");
    let alone = NumberForm::of_file(DecimalMark::Comma, None).unwrap();
    assert_eq!(alone.described(), "a decimal comma");
    assert_eq!(NumberForm::of_file(DecimalMark::Point, None), None);
}

/// The number of a cell in a file with these marks, as it is written without them.
fn in_file(decimal: &str, thousands: &str, cell: &str) -> Option<String> {
    let decimal = DecimalMark::parse(decimal).unwrap();
    let thousands = ThousandsMark::parse(thousands).unwrap();
    let form = NumberForm::of_file(decimal, Some(thousands)).unwrap();
    let plain = form.plain(cell).map(Cow::into_owned);
    plain.filter(|plain| plain.parse::<f64>().is_ok())
}

#[test]
fn marks_before_each_three_digits_are_left_out() {
    for (decimal, thousands, cell, number) in [
        (".", ",", "1,000", "1000"),
        (".", ",", "-1,234,567.89", "-1234567.89"),
        (".", ",", "+12,345", "12345"),
        (".", ",", "999", "999"),
        (".", ",", "1000", "1000"),
        (".", ",", ".5", ".5"),
        (".", ",", "1e3", "1e3"),
        (".", ",", "NaN", "NaN"),
        (".", ",", "-inf", "-inf"),
        (",", ".", "1.000,5", "1000.5"),
        (",", ".", "1.000", "1000"),
        (",", ".", "0,125", "0.125"),
        (".", " ", "1 000", "1000"),
        (".", " ", "1\u{a0}000\u{a0}000", "1000000"),
        (".", " ", "1\u{202f}000.5", "1000.5"),
        (",", " ", " 12 345,75 ", "12345.75"),
        (".", "'", "1'000", "1000"),
        (".", "'", "1\u{2019}000.25", "1000.25"),
    ] {
        let found = in_file(decimal, thousands, cell);
        assert_eq!(found.as_deref(), Some(number), "{thousands} {cell}");
    }
}

#[test]
fn other_cells_are_no_numbers_with_marks_before_each_three_digits() {
    for (decimal, thousands, cell) in [
        (".", ",", "1,00"),
        (".", ",", "12,34,567"),
        (".", ",", "1,0000"),
        (".", ",", "1,000,00"),
        (".", ",", "1234,567"),
        (".", ",", "0,500"),
        (".", ",", ",500"),
        (".", ",", "1,000,"),
        (".", ",", "1,000.5,6"),
        (".", ",", "1.000,5"),
        (".", ",", "1 000"),
        (".", ",", "1'000"),
        (".", ",", "1,000 kg"),
        (".", ",", "1,\u{661}00"),
        (".", ",", "--1,000"),
        (".", ",", ""),
        (",", ".", "1.00"),
        (",", ".", "1.5"),
        (",", ".", "1,000.5"),
        (",", ".", "1 000,5"),
        (",", "'", "1.000,5"),
        (".", " ", "1 000\u{a0}000"),
        (".", " ", "1  000"),
        (".", " ", "1 000 0"),
        (".", "'", "1'00"),
    ] {
        let found = in_file(decimal, thousands, cell);
        assert_eq!(found, None, "{thousands} {cell}");
    }
}

#[test]
fn a_number_tells_what_is_before_its_three_digits() {
    use ThousandsMark::{Apostrophe, Comma, Space};
    for (cell, mark, number) in [
        ("1,234", Comma, "1234"),
        (" -1,234,567.5 ", Comma, "-1234567.5"),
        ("12 345", Space, "12345"),
        ("12\u{202f}345", Space, "12345"),
        ("+1'000", Apostrophe, "1000"),
    ] {
        let found = grouped(cell);
        assert_eq!(found, Some((mark, Cow::Borrowed(number))), "{cell}");
    }
    for cell in [
        "1234",
        "1.234",
        "1.234.567",
        "1,5",
        ",500",
        "1,000 kg",
        "NaN",
        "",
        "a,000",
    ] {
        assert_eq!(grouped(cell), None, "{cell}");
    }
}

#[test]
fn cells_without_a_mark_are_taken_as_they_are() {
    for mark in ThousandsMark::ALL {
        for decimal in [DecimalMark::Point, DecimalMark::Comma] {
            let form = NumberForm::of_file(decimal, Some(mark)).unwrap();
            for cell in ["0", "7", "-12", "1234567"] {
                let plain = form.plain(cell);
                assert!(matches!(plain, Some(Cow::Borrowed(plain)) if plain == cell));
            }
        }
        let points = NumberForm::of_file(DecimalMark::Point, Some(mark)).unwrap();
        assert!(matches!(points.plain("-1.5"), Some(Cow::Borrowed("-1.5"))));
    }
}

#[test]
fn marks_of_thousands_are_said_as_they_are_written_and_differ_from_that_of_decimals() {
    for mark in ThousandsMark::ALL {
        assert_eq!(ThousandsMark::parse(mark.written()), Ok(mark));
        for c in mark.characters() {
            assert_eq!(ThousandsMark::parse(&c.to_string()), Ok(mark));
        }
    }
    for written in ["", ",,", "_", "a", "1", "  "] {
        let error = ThousandsMark::parse(written).unwrap_err();
        assert!(error.contains("is before no three digits"), "{error}");
    }
    for mark in ThousandsMark::ALL {
        let with_point = mark.check(DecimalMark::Point);
        assert_eq!(with_point.is_err(), mark == ThousandsMark::Point);
        let with_comma = mark.check(DecimalMark::Comma);
        assert_eq!(with_comma.is_err(), mark == ThousandsMark::Comma);
    }
    let commas = NumberForm::parse("$,").unwrap();
    let error = commas
        .clone()
        .in_file(DecimalMark::Point, Some(ThousandsMark::Space));
    let error = error.unwrap_err();
    assert!(
        error.contains("these have spaces before each three"),
        "{error}"
    );
    let same = commas
        .clone()
        .in_file(DecimalMark::Point, Some(ThousandsMark::Comma));
    assert_eq!(same, Ok(commas));
    let francs = NumberForm::parse("CHF").unwrap();
    let francs = francs.in_file(DecimalMark::Point, Some(ThousandsMark::Apostrophe));
    let francs = francs.unwrap();
    assert_eq!(francs.plain("CHF 1'234.50").as_deref(), Some("1234.50"));
    assert_eq!(francs.described(), "`CHF` and apostrophes");
}

#[test]
fn signs_are_written_as_they_were_read() {
    for (written, described) in [("%", "`%`"), ("$,", "`$` and commas"), (",", "commas")] {
        let form = NumberForm::parse(written).unwrap();
        assert_eq!(
            (form.written().as_str(), form.described().as_str()),
            (written, described)
        );
    }
    for written in ["", " ", "1", "%.", "-", "$,,", "a-b"] {
        let error = NumberForm::parse(written).unwrap_err();
        assert!(error.contains("cannot be left out"), "{error}");
    }
}

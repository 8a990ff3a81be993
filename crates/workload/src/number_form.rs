//! How numbers are written in CSV, TSV and JSON files, where signs are around or between their digits.

use std::borrow::Cow;

/// Marks that may be before each three digits of a number with a decimal comma.
const THOUSANDS: [char; 5] = ['.', ' ', '\u{a0}', '\u{202f}', '\''];

/// Numbers with a decimal comma and without a unit.
static COMMA_ALONE: NumberForm = NumberForm {
    unit: String::new(),
    has_commas: false,
    decimal: DecimalMark::Comma,
};

/// What is before the decimals of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DecimalMark {
    #[default]
    Point,
    /// A comma, with which points, spaces and apostrophes may be before each three digits.
    Comma,
}

/// Signs in the numbers of a column, which are left out where these are read, and what is before their decimals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberForm {
    /// What is before or after each number, such as `%`; empty if nothing is.
    unit: String,
    /// Whether commas may be before each three digits.
    has_commas: bool,
    decimal: DecimalMark,
}

impl DecimalMark {
    /// Reads a mark as it is written in a workload.
    ///
    /// # Errors
    /// It is neither a point nor a comma.
    pub fn parse(written: &str) -> Result<DecimalMark, String> {
        match written {
            "." => Ok(DecimalMark::Point),
            "," => Ok(DecimalMark::Comma),
            _ => Err(format!(
                "`{written}` is before no decimals: they follow a point (`.`) or a comma (`,`)"
            )),
        }
    }
}

impl NumberForm {
    /// Takes a unit, which may be empty, and whether there may be commas before each three digits.
    pub fn new(unit: String, has_commas: bool) -> NumberForm {
        NumberForm {
            unit,
            has_commas,
            decimal: DecimalMark::Point,
        }
    }

    /// Takes a unit, which may be empty, of numbers with a decimal comma.
    pub fn with_comma(unit: String) -> NumberForm {
        NumberForm {
            unit,
            has_commas: false,
            decimal: DecimalMark::Comma,
        }
    }

    /// Returns how numbers without signs are written; `None` if they are plain ones.
    pub fn of_decimal(mark: DecimalMark) -> Option<&'static NumberForm> {
        match mark {
            DecimalMark::Point => None,
            DecimalMark::Comma => Some(&COMMA_ALONE),
        }
    }

    /// Returns the same signs for numbers with this before their decimals.
    ///
    /// # Errors
    /// Commas cannot be decimal ones and before three digits.
    pub fn with_decimal(self, mark: DecimalMark) -> Result<NumberForm, String> {
        if self.has_commas && mark == DecimalMark::Comma {
            return Err(format!(
                "`{}` leaves commas out of numbers, but with `decimal = \",\"` they are before decimals: leave the comma \
                 out here; points and spaces before three digits need no word",
                self.written()
            ));
        }
        Ok(NumberForm {
            decimal: mark,
            ..self
        })
    }

    /// Reads signs as they are written in a workload: a unit, and a comma if numbers have some.
    ///
    /// # Errors
    /// There are none, or they would be taken for a part of a number.
    pub fn parse(written: &str) -> Result<NumberForm, String> {
        let written = written.trim();
        let (unit, has_commas) = match written.strip_suffix(',') {
            Some(unit) => (unit.trim_end(), true),
            None => (written, false),
        };
        let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '+' | '-');
        if written.is_empty() || unit.contains(is_of_number) {
            return Err(format!(
                "`{written}` cannot be left out of numbers: it is a unit without digits, points and signs, such as `%` \
                 or `$`, and a comma behind it, or alone, if commas are before each three digits"
            ));
        }
        Ok(NumberForm::new(unit.to_owned(), has_commas))
    }

    /// Returns the signs as they are written in a workload.
    pub fn written(&self) -> String {
        let commas = if self.has_commas { "," } else { "" };
        format!("{}{commas}", self.unit)
    }

    /// Describes the signs in a few words.
    pub fn described(&self) -> String {
        match (self.unit.as_str(), self.has_commas, self.decimal) {
            ("", _, DecimalMark::Comma) => "a decimal comma".to_owned(),
            (unit, _, DecimalMark::Comma) => format!("`{unit}` and a decimal comma"),
            ("", _, DecimalMark::Point) => "commas".to_owned(),
            (unit, false, DecimalMark::Point) => format!("`{unit}`"),
            (unit, true, DecimalMark::Point) => format!("`{unit}` and commas"),
        }
    }

    /// Returns the number of a cell without its signs; `None` if it has no unit or others than these.
    pub fn plain<'c>(&self, cell: &'c str) -> Option<Cow<'c, str>> {
        let cell = cell.trim();
        let has_decimal_comma = self.decimal == DecimalMark::Comma;
        if has_decimal_comma && self.unit.is_empty() && is_word(cell) {
            return Some(Cow::Borrowed(cell));
        }
        let (is_negative, text) = without_sign(cell);
        let before = text.strip_prefix(&self.unit);
        let text = before.or_else(|| text.strip_suffix(&self.unit))?.trim();
        let (is_negative, text) = match is_negative {
            Some(_) => (is_negative, text),
            None => without_sign(text),
        };
        let mark = if has_decimal_comma { ',' } else { '.' };
        if !text.starts_with(|c: char| c.is_ascii_digit() || c == mark) {
            return None;
        }
        let digits = if has_decimal_comma {
            with_point(text)?
        } else {
            self.without_commas(text)?
        };
        Some(if is_negative == Some(true) {
            Cow::Owned(format!("-{digits}"))
        } else {
            digits
        })
    }

    /// Returns a number without the commas before each three of its digits, if it may have some.
    fn without_commas<'c>(&self, text: &'c str) -> Option<Cow<'c, str>> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let is_grouped = self.has_commas && are_threes(whole, ',');
        if part.contains(',') || whole.contains(',') && !is_grouped {
            return None;
        }
        Some(if is_grouped {
            Cow::Owned(text.replace(',', ""))
        } else {
            Cow::Borrowed(text)
        })
    }
}

/// Returns whether this is a number with a decimal comma: `1,5`, `-1.234,50`. It may be one with a comma before three
/// digits instead, as `1,234` may.
pub fn has_decimal_comma(cell: &str) -> bool {
    let (_, digits) = without_sign(cell.trim());
    let begins = digits.starts_with(|c: char| c.is_ascii_digit() || c == ',');
    let plain = with_point(digits).filter(|_| begins && digits.contains(','));
    plain.is_some_and(|plain| plain.parse::<f64>().is_ok())
}

/// Returns a number with a decimal comma as one with a point, without what is before each three digits: `1.234,5` is
/// 1234.5.
fn with_point(text: &str) -> Option<Cow<'_, str>> {
    let Some((whole, decimals)) = text.split_once(',') else {
        return without_thousands(text);
    };
    let are_decimals = decimals.starts_with(|c: char| c.is_ascii_digit())
        && !decimals.contains(|c: char| c == ',' || THOUSANDS.contains(&c));
    let whole = without_thousands(whole).filter(|_| are_decimals)?;
    Some(Cow::Owned(format!("{whole}.{decimals}")))
}

/// Returns a whole number without the marks before each three of its digits, which are all the same.
fn without_thousands(whole: &str) -> Option<Cow<'_, str>> {
    let Some(mark) = whole.chars().find(|c| THOUSANDS.contains(c)) else {
        return Some(Cow::Borrowed(whole));
    };
    are_threes(whole, mark).then(|| Cow::Owned(whole.replace(mark, "")))
}

/// Returns whether this is a number without digits.
fn is_word(cell: &str) -> bool {
    let (_, word) = without_sign(cell);
    let mut words = ["nan", "inf", "infinity"].iter();
    words.any(|known| known.eq_ignore_ascii_case(word))
}

/// Returns whether a number begins with a minus, if it begins with a sign, and the number without it.
fn without_sign(text: &str) -> (Option<bool>, &str) {
    if let Some(text) = text.strip_prefix('-') {
        (Some(true), text)
    } else if let Some(text) = text.strip_prefix('+') {
        (Some(false), text)
    } else {
        (None, text)
    }
}

/// Returns whether these are digits with this mark before each three of the last ones.
fn are_threes(digits: &str, mark: char) -> bool {
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let Some((first, others)) = digits.split_once(mark) else {
        return false;
    };
    let is_three = |part: &str| part.len() == 3 && is_digits(part);
    // A zero before the first mark is the whole part of a number with decimals behind it.
    let is_first = (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0');
    is_first && others.split(mark).all(is_three)
}

#[cfg(test)]
mod tests {
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
        let form = NumberForm::with_comma(unit.to_owned());
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
        let error = both.with_decimal(DecimalMark::Comma).unwrap_err();
        assert!(error.contains("`$,` leaves commas out"), "{error}");
        let prices = NumberForm::parse("$").unwrap();
        let prices = prices.with_decimal(DecimalMark::Comma).unwrap();
        assert_eq!(prices.described(), "`$` and a decimal comma");
        assert_eq!(prices.written(), "$");
        let alone = NumberForm::of_decimal(DecimalMark::Comma).unwrap();
        assert_eq!(alone.described(), "a decimal comma");
        assert_eq!(NumberForm::of_decimal(DecimalMark::Point), None);
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
}

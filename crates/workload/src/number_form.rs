//! How numbers are written in CSV, TSV and JSON files, where signs are around or between their digits.

use std::borrow::Cow;

/// Signs in the numbers of a column, which are left out where these are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberForm {
    /// What is before or after each number, such as `%`; empty if nothing is.
    unit: String,
    /// Whether commas may be before each three digits.
    has_commas: bool,
}

impl NumberForm {
    /// Takes a unit, which may be empty, and whether there may be commas.
    pub fn new(unit: String, has_commas: bool) -> NumberForm {
        NumberForm { unit, has_commas }
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
        match (self.unit.as_str(), self.has_commas) {
            ("", _) => "commas".to_owned(),
            (unit, false) => format!("`{unit}`"),
            (unit, true) => format!("`{unit}` and commas"),
        }
    }

    /// Returns the number of a cell without its signs; `None` if it has no unit or others than these.
    pub fn plain<'c>(&self, cell: &'c str) -> Option<Cow<'c, str>> {
        let (is_negative, text) = without_sign(cell.trim());
        let before = text.strip_prefix(&self.unit);
        let text = before.or_else(|| text.strip_suffix(&self.unit))?.trim();
        let (is_negative, text) = match is_negative {
            Some(_) => (is_negative, text),
            None => without_sign(text),
        };
        if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let is_grouped = self.has_commas && are_threes(whole);
        if part.contains(',') || whole.contains(',') && !is_grouped {
            return None;
        }
        let digits = if is_grouped {
            Cow::Owned(text.replace(',', ""))
        } else {
            Cow::Borrowed(text)
        };
        Some(if is_negative == Some(true) {
            Cow::Owned(format!("-{digits}"))
        } else {
            digits
        })
    }
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

/// Returns whether these are digits with a comma before each three of the last ones.
fn are_threes(digits: &str) -> bool {
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let Some((first, others)) = digits.split_once(',') else {
        return false;
    };
    let is_three = |part: &str| part.len() == 3 && is_digits(part);
    // A zero before a comma is the whole part of a number with a decimal comma.
    let is_first = (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0');
    is_first && others.split(',').all(is_three)
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

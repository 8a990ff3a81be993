//! How numbers are written in CSV, TSV and JSON files, where signs are around or between their digits.

mod marks;

use std::borrow::Cow;
use std::sync::LazyLock;

pub use marks::{DecimalMark, ThousandsMark};
use marks::{are_threes, is_mark};

/// Forms of the numbers of files, by what is before their decimals and by what is before each three digits.
static OF_FILES: LazyLock<[[NumberForm; 1 + ThousandsMark::ALL.len()]; 2]> = LazyLock::new(|| {
    [DecimalMark::Point, DecimalMark::Comma].map(|decimal| {
        let of_mark = |mark| NumberForm {
            unit: String::new(),
            groups: Groups::of_file(decimal, mark),
            decimal,
            takes_words: true,
        };
        let [comma, point, space, apostrophe] = ThousandsMark::ALL.map(|mark| of_mark(Some(mark)));
        [of_mark(None), comma, point, space, apostrophe]
    })
});

/// Signs in the numbers of a column, which are left out where these are read, and what is before their decimals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberForm {
    /// What is before or after each number, such as `%`; empty if nothing is.
    unit: String,
    /// What may be before each three digits.
    groups: Groups,
    decimal: DecimalMark,
    /// Whether numbers without digits, such as NaN, are some.
    takes_words: bool,
}

/// What may be before each three digits of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Groups {
    Nothing,
    /// Every mark but that of the decimals.
    Any,
    Of(ThousandsMark),
}

impl Groups {
    /// Returns what may be before each three digits of the numbers of a file that says this mark, or none.
    fn of_file(decimal: DecimalMark, mark: Option<ThousandsMark>) -> Groups {
        match (mark, decimal) {
            (Some(mark), _) => Groups::Of(mark),
            (None, DecimalMark::Comma) => Groups::Any,
            (None, DecimalMark::Point) => Groups::Nothing,
        }
    }

    /// Returns a whole number without the marks before each three of its digits, which are all the same; `None` if it
    /// has others, or has them elsewhere.
    fn left_out(self, whole: &str) -> Option<Cow<'_, str>> {
        let Some(mark) = whole.chars().find(|c| is_mark(*c)) else {
            return Some(Cow::Borrowed(whole));
        };
        let may_be = match self {
            Groups::Nothing => false,
            Groups::Any => true,
            Groups::Of(own) => own.characters().contains(&mark),
        };
        (may_be && are_threes(whole, mark)).then(|| Cow::Owned(whole.replace(mark, "")))
    }
}

impl NumberForm {
    /// Takes a unit, which may be empty, and whether there may be commas before each three digits.
    pub fn new(unit: String, has_commas: bool) -> NumberForm {
        NumberForm {
            unit,
            groups: if has_commas {
                Groups::Of(ThousandsMark::Comma)
            } else {
                Groups::Nothing
            },
            decimal: DecimalMark::Point,
            takes_words: false,
        }
    }

    /// Takes a unit, which may be empty, of numbers with a decimal comma, and what is before each three digits: if it
    /// is not known, any other mark may be.
    pub fn with_comma(unit: String, thousands: Option<ThousandsMark>) -> NumberForm {
        NumberForm {
            takes_words: unit.is_empty(),
            unit,
            groups: Groups::of_file(DecimalMark::Comma, thousands),
            decimal: DecimalMark::Comma,
        }
    }

    /// Returns how numbers without units are written in a file with these marks; `None` if they are plain ones.
    pub fn of_file(
        decimal: DecimalMark,
        thousands: Option<ThousandsMark>,
    ) -> Option<&'static NumberForm> {
        if decimal == DecimalMark::Point && thousands.is_none() {
            return None;
        }
        let place = thousands.map_or(0, |mark| 1 + mark as usize);
        OF_FILES[decimal as usize].get(place)
    }

    /// Returns the same signs for numbers of a file with these marks.
    ///
    /// # Errors
    /// The signs have a comma, and the file decimal ones, or another mark before three digits.
    pub fn in_file(
        self,
        decimal: DecimalMark,
        thousands: Option<ThousandsMark>,
    ) -> Result<NumberForm, String> {
        if !self.has_commas() {
            return Ok(NumberForm {
                groups: Groups::of_file(decimal, thousands),
                decimal,
                ..self
            });
        }
        if decimal == DecimalMark::Comma {
            return Err(format!(
                "`{}` leaves commas out of numbers, but with `decimal = \",\"` they are before decimals: leave the comma \
                 out here; points and spaces before three digits need no word",
                self.written()
            ));
        }
        match thousands.filter(|mark| *mark != ThousandsMark::Comma) {
            Some(mark) => Err(format!(
                "`{}` leaves commas out of numbers, but with `thousands = \"{}\"` these have {} before each three \
                 digits: leave the comma out here",
                self.written(),
                mark.written(),
                mark.described()
            )),
            None => Ok(self),
        }
    }

    /// Returns whether commas may be before each three digits.
    pub fn has_commas(&self) -> bool {
        self.groups == Groups::Of(ThousandsMark::Comma)
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
        let commas = if self.has_commas() { "," } else { "" };
        format!("{}{commas}", self.unit)
    }

    /// Describes the signs in a few words.
    pub fn described(&self) -> String {
        let mut signs = Vec::new();
        if !self.unit.is_empty() {
            signs.push(format!("`{}`", self.unit));
        }
        if let Groups::Of(mark) = self.groups {
            signs.push(mark.described().to_owned());
        }
        if self.decimal == DecimalMark::Comma {
            signs.push("a decimal comma".to_owned());
        }
        signs.join(" and ")
    }

    /// Returns the number of a cell without its signs; `None` if it has no unit or others than these.
    pub fn plain<'c>(&self, cell: &'c str) -> Option<Cow<'c, str>> {
        let cell = cell.trim();
        // Most cells have nothing to leave out.
        if self.unit.is_empty() && self.is_plain(cell) {
            return Some(Cow::Borrowed(cell));
        }
        if self.takes_words && is_word(cell) {
            return Some(Cow::Borrowed(cell));
        }
        let (is_negative, text) = without_sign(cell);
        let before = text.strip_prefix(&self.unit);
        let text = before.or_else(|| text.strip_suffix(&self.unit))?.trim();
        let (is_negative, text) = match is_negative {
            Some(_) => (is_negative, text),
            None => without_sign(text),
        };
        let (mark, has_comma) = match self.decimal {
            DecimalMark::Point => ('.', false),
            DecimalMark::Comma => (',', true),
        };
        if !text.starts_with(|c: char| c.is_ascii_digit() || c == mark) {
            return None;
        }
        let digits = if has_comma {
            with_point(text, self.groups)?
        } else {
            without_marks(text, self.groups)?
        };
        Some(if is_negative == Some(true) {
            Cow::Owned(format!("-{digits}"))
        } else {
            digits
        })
    }

    /// Returns whether a cell is digits, with a minus before them and a decimal point between them if anything.
    fn is_plain(&self, cell: &str) -> bool {
        let digits = cell.strip_prefix('-').unwrap_or(cell).as_bytes();
        let has_point = self.decimal == DecimalMark::Point;
        let is_of_number = |byte: &u8| byte.is_ascii_digit() || has_point && *byte == b'.';
        digits.first().is_some_and(u8::is_ascii_digit) && digits.iter().all(is_of_number)
    }
}

/// Returns whether this is a number with a decimal comma: `1,5`, `-1.234,50`. It may be one with a comma before three
/// digits instead, as `1,234` may.
pub fn has_decimal_comma(cell: &str) -> bool {
    let (_, digits) = without_sign(cell.trim());
    let begins = digits.starts_with(|c: char| c.is_ascii_digit() || c == ',');
    let plain = with_point(digits, Groups::Any).filter(|_| begins && digits.contains(','));
    plain.is_some_and(|plain| plain.parse::<f64>().is_ok())
}

/// Returns what is before each three digits of a number with a decimal point, and the number as it is written without
/// that: `1,234.5`, `12 345`. It may be one with a decimal comma instead, as `1,234` may.
pub fn grouped(cell: &str) -> Option<(ThousandsMark, Cow<'_, str>)> {
    let cell = cell.trim();
    let (_, digits) = without_sign(cell);
    let first = digits.chars().find(|c| !c.is_ascii_digit())?;
    let mark = ThousandsMark::of(first).filter(|mark| *mark != ThousandsMark::Point)?;
    let plain = NumberForm::of_file(DecimalMark::Point, Some(mark))?.plain(cell)?;
    plain.parse::<f64>().ok().map(|_| (mark, plain))
}

/// Returns a number with a decimal comma as one with a point, without what is before each three digits: `1.234,5` is
/// 1234.5.
fn with_point(text: &str, groups: Groups) -> Option<Cow<'_, str>> {
    let Some((whole, decimals)) = text.split_once(',') else {
        return groups.left_out(text);
    };
    let are_decimals =
        decimals.starts_with(|c: char| c.is_ascii_digit()) && !decimals.contains(is_mark);
    let whole = groups.left_out(whole).filter(|_| are_decimals)?;
    Some(Cow::Owned(format!("{whole}.{decimals}")))
}

/// Returns a number with a decimal point without what is before each three digits: `1,234.5` is 1234.5.
fn without_marks(text: &str, groups: Groups) -> Option<Cow<'_, str>> {
    let Some((whole, decimals)) = text.split_once('.') else {
        return groups.left_out(text);
    };
    match groups.left_out(whole)? {
        _ if decimals.contains(is_mark) => None,
        Cow::Borrowed(_) => Some(Cow::Borrowed(text)),
        Cow::Owned(whole) => Some(Cow::Owned(format!("{whole}.{decimals}"))),
    }
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

#[cfg(test)]
mod tests;

//! Finds out which signs are around or between the digits of the numbers of a column.

use std::sync::LazyLock;

use crate::{ColumnType, NumberForm};

/// Units that are tried: the first one is of no currency, where the second one is used commas are often decimal ones,
/// and the last one is none, for commas alone.
pub const UNITS: [&str; 6] = ["%", "\u{20ac}", "$", "\u{a3}", "\u{a5}", ""];
const PERCENT: usize = 0;
const EURO: usize = 1;
const COMMAS_ALONE: usize = UNITS.len() - 1;

/// Forms of numbers with these units and with commas.
static FORMS: LazyLock<[NumberForm; UNITS.len()]> =
    LazyLock::new(|| UNITS.map(|unit| NumberForm::new(unit.to_owned(), true)));

/// How many values of a column each form of numbers with signs fits.
#[derive(Debug, Clone)]
pub struct SignEvidence {
    tried: [Tried; UNITS.len()],
}

/// Values that a form fits.
#[derive(Debug, Clone, Copy)]
struct Tried {
    fits: u64,
    /// Those with commas, and whether some value shows that these are not decimal ones.
    with_commas: u64,
    is_clear: bool,
    /// Whether some value shows that its point is a decimal one, and not before thousands.
    has_decimals: bool,
    /// Those with a point that may be before thousands, as in `1.234`.
    with_points: u64,
    numbers: Numbers,
}

/// Some numbers.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    pub all: u64,
    /// Whole ones, the least and the largest of these.
    pub whole: u64,
    pub least: i64,
    pub most: i64,
    /// Whether some of them have a decimal point, or no digits, as NaN.
    pub has_point: bool,
    pub has_words: bool,
    /// The most significant digits of one of them, if these are more than those of any double as it is written.
    pub digits: usize,
}

/// Signs that all numbers of a column have.
pub struct FoundSigns {
    pub form: NumberForm,
    pub numbers: Numbers,
}

/// The most digits with which a double is written so that it is read back as the same one.
const DIGITS_OF_DOUBLE: usize = 17;

/// Counts the digits of a number without the zeros before and, behind a point, after them.
fn significant_digits(written: &str) -> usize {
    let mantissa = written.split(['e', 'E']).next().unwrap_or_default();
    let begun = mantissa.trim_start_matches(|c: char| !('1'..='9').contains(&c));
    let digits = if mantissa.contains('.') {
        begun.trim_end_matches(['0', '.'])
    } else {
        begun
    };
    digits.chars().filter(char::is_ascii_digit).count()
}

impl Numbers {
    /// Begins with none.
    pub const NONE: Numbers = Numbers {
        all: 0,
        whole: 0,
        least: i64::MAX,
        most: i64::MIN,
        has_point: false,
        has_words: false,
        digits: 0,
    };

    /// Adds a number as it is written, and returns whether it is a whole one of 64 bits.
    pub fn add(&mut self, written: &str) -> bool {
        self.all += 1;
        self.has_point |= written.contains('.');
        self.has_words |= !written.contains(|c: char| c.is_ascii_digit());
        if written.len() > DIGITS_OF_DOUBLE {
            let digits = significant_digits(written);
            if digits > DIGITS_OF_DOUBLE {
                self.digits = self.digits.max(digits);
            }
        }
        let Ok(number) = written.parse::<i64>() else {
            return false;
        };
        self.whole += 1;
        self.least = self.least.min(number);
        self.most = self.most.max(number);
        true
    }

    /// Returns the type of whole numbers, and says what they are.
    pub fn whole_type(self) -> (ColumnType, String) {
        let Numbers { least, most, .. } = self;
        let fits_int = i32::try_from(least).is_ok() && i32::try_from(most).is_ok();
        let (kind, bits) = if fits_int {
            (ColumnType::Int, 32)
        } else {
            (ColumnType::Bigint, 64)
        };
        let why = format!("whole numbers of {bits} bits, from {least} to {most}");
        (kind, why)
    }

    /// Returns the type of all these numbers, and says what they are: `numbers` if not all of them are whole.
    pub fn kind(self, numbers: &str) -> (ColumnType, String) {
        if self.whole == self.all {
            self.whole_type()
        } else {
            (ColumnType::Double, numbers.to_owned())
        }
    }

    /// Returns these and others together.
    pub fn with(self, others: Numbers) -> Numbers {
        Numbers {
            all: self.all + others.all,
            whole: self.whole + others.whole,
            least: self.least.min(others.least),
            most: self.most.max(others.most),
            has_point: self.has_point || others.has_point,
            has_words: self.has_words || others.has_words,
            digits: self.digits.max(others.digits),
        }
    }
}

impl SignEvidence {
    /// Begins with no values.
    pub fn new() -> SignEvidence {
        let none = Tried {
            fits: 0,
            with_commas: 0,
            is_clear: false,
            has_decimals: false,
            with_points: 0,
            numbers: Numbers::NONE,
        };
        SignEvidence {
            tried: [none; UNITS.len()],
        }
    }

    /// Looks at a value that is no plain number; returns the number that it is without its signs. One that would lose
    /// digits as a number, such as zeros before it, is none.
    pub fn see(&mut self, value: &str) -> Option<f64> {
        for (form, tried) in FORMS.iter().zip(&mut self.tried) {
            let Some(plain) = form.plain(value) else {
                continue;
            };
            let number = plain.parse::<f64>().ok().filter(|n| n.is_finite())?;
            if loses_digits(&plain) {
                return None;
            }
            let commas = value.matches(',').count();
            let decimals = plain.split_once('.').map(|(_, decimals)| decimals.len());
            tried.fits += 1;
            tried.with_commas += u64::from(commas > 0);
            // Three digits behind a point may be whole ones where commas are before decimals.
            let has_decimals = decimals.is_some_and(|decimals| decimals != 3 || commas > 0);
            tried.is_clear |= commas > 1 || has_decimals;
            tried.has_decimals |= has_decimals;
            tried.with_points += u64::from(decimals == Some(3));
            tried.numbers.add(&plain);
            return Some(number);
        }
        None
    }

    /// Returns the signs that all of so many values have. `plain` are those that are plain numbers, among which others
    /// may have commas; `has_decimals` says that some of them have a point that is not before three digits.
    pub fn found(&self, values: u64, plain: Numbers, has_decimals: bool) -> Option<FoundSigns> {
        let mut tried = self.tried.iter().enumerate();
        let (place, tried) = tried.find(|(_, tried)| tried.fits > 0)?;
        let is_alone = place == COMMAS_ALONE;
        let numbers = if is_alone {
            tried.numbers.with(plain)
        } else {
            tried.numbers
        };
        // Three digits after a comma may be decimals, unless a point is there, too; of most money they hardly are.
        let is_of_money = !is_alone && place != PERCENT && place != EURO;
        let are_thousands = tried.is_clear || is_of_money || is_alone && has_decimals;
        let has_commas = tried.with_commas > 0;
        let is_point_clear = place != EURO || tried.has_decimals || tried.with_points == 0;
        let is_clear = is_point_clear && !numbers.has_words && (are_thousands || !has_commas);
        (numbers.all == values && is_clear).then(|| FoundSigns {
            form: NumberForm::new(UNITS[place].to_owned(), has_commas),
            numbers,
        })
    }

    /// Returns whether one form fits so many values, so that only their commas or points are not clear where no signs
    /// are found.
    pub fn fits_all(&self, values: u64) -> bool {
        self.tried.iter().any(|tried| tried.fits == values)
    }

    /// Returns the values with `%`, those with the sign of a currency, and those with commas alone.
    pub fn counts(&self) -> (u64, u64, u64) {
        let fits = |tried: &[Tried]| tried.iter().map(|tried| tried.fits).sum::<u64>();
        (
            self.tried[PERCENT].fits,
            fits(&self.tried[PERCENT + 1..COMMAS_ALONE]),
            self.tried[COMMAS_ALONE].fits,
        )
    }
}

/// Returns whether a whole number without signs begins with a zero before other digits, or has more than 64 bits.
pub fn loses_digits(plain: &str) -> bool {
    let digits = plain.strip_prefix('-').unwrap_or(plain);
    let is_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    let begins_with_zero = digits.len() > 1 && digits.starts_with('0');
    is_digits && (begins_with_zero || plain.parse::<i64>().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signs of these values, of which so many others are plain numbers, and whether all are whole.
    fn found(values: &[&str], plain: u64) -> Option<(String, bool)> {
        let mut evidence = SignEvidence::new();
        values.iter().for_each(|value| {
            evidence.see(value);
        });
        let plain = Numbers {
            all: plain,
            whole: plain,
            ..Numbers::NONE
        };
        let found = evidence.found(values.len() as u64 + plain.all, plain, false)?;
        let is_whole = found.numbers.whole == found.numbers.all;
        Some((found.form.written(), is_whole))
    }

    #[test]
    fn signs_that_all_values_have_are_found() {
        for (values, plain, expected) in [
            (&["95%", "7 %"][..], 0, Some(("%", true))),
            (&["95%", "1.5%", "1,200%"][..], 0, Some(("%,", false))),
            (&["$5.50", "-$1,234.00"][..], 0, Some(("$,", false))),
            (&["$1,234"][..], 0, Some(("$,", true))),
            (&["1,021,025", "23,288"][..], 3, Some((",", true))),
            (&["1,234.5"][..], 0, Some((",", false))),
            (&["95%", "$5"][..], 0, None),
            (&["95%"][..], 1, None),
            (&["95%", "many"][..], 0, None),
            (&["23,288"][..], 1, None),
            (&["95,125%"][..], 0, None),
            (&["95,125%", "7.500%"][..], 0, None),
            (&["95,125%", "7.5%"][..], 0, Some(("%,", false))),
            (&["1,5"][..], 0, None),
            // Decimal commas and points before thousands are usual beside this sign.
            (&["1,459 \u{20ac}"][..], 0, None),
            (&["1.459 \u{20ac}"][..], 0, None),
            (
                &["1.459 \u{20ac}", "5.50 \u{20ac}"][..],
                0,
                Some(("\u{20ac}", false)),
            ),
            (
                &["\u{20ac}1,459", "\u{20ac}5.50"][..],
                0,
                Some(("\u{20ac},", false)),
            ),
            (&["$007"][..], 0, None),
            (&["$9,223,372,036,854,775,808"][..], 0, None),
            (&[][..], 2, None),
        ] {
            let found = found(values, plain);
            let found = found
                .as_ref()
                .map(|(signs, is_whole)| (signs.as_str(), *is_whole));
            assert_eq!(found, expected, "{values:?}");
        }
    }
}

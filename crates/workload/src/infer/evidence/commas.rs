//! Numbers of a column with a decimal comma.

use std::borrow::Cow;
use std::net::Ipv4Addr;
use std::sync::LazyLock;

use super::kept::Kept;
use super::{Decision, Evidence, ONE_MISFIT_IN, text};
use crate::infer::signs::{Numbers, UNITS, loses_digits};
use crate::{ColumnType, NumberForm, ThousandsMark};

/// Forms of numbers with these units and a decimal comma, and with any mark before each three digits.
static FORMS: LazyLock<[NumberForm; UNITS.len()]> = LazyLock::new(|| forms(None));

fn forms(thousands: Option<ThousandsMark>) -> [NumberForm; UNITS.len()] {
    UNITS.map(|unit| NumberForm::with_comma(unit.to_owned(), thousands))
}

/// The last form, which has no unit.
const ALONE: usize = UNITS.len() - 1;

/// How many values of a column are numbers with a decimal comma, or would be.
pub struct CommaEvidence {
    forms: Cow<'static, [NumberForm]>,
    tried: [Tried; UNITS.len()],
    /// Values that would lose digits as numbers, such as zeros before them.
    codes: u64,
    /// Plain numbers with a point, and those of them whose point is not before three digits.
    pointed: u64,
    points: u64,
    /// Values whose comma is before decimals beyond doubt, and the first one of them, or of those with several points,
    /// with its line.
    clear: u64,
    first: Option<(u64, String)>,
    /// Whether one of them has a point before three digits as well, as `1.234,50` has.
    has_both: bool,
    kept: Kept,
}

/// Values with a unit.
#[derive(Clone, Copy)]
struct Tried {
    fits: u64,
    numbers: Numbers,
}

/// Numbers with a decimal comma that almost all values of a column are.
struct Found {
    place: usize,
    numbers: Numbers,
    misfits: u64,
}

/// What a column says of the decimals of a file.
pub enum Decimals {
    /// Its numbers have a decimal comma, as this one in this line shows.
    Comma(u64, String),
    /// Its numbers cannot have one.
    Point,
    /// All its numbers have a point and three digits behind it, which are decimals unless other columns show that
    /// points are before three digits.
    RatherPoint,
    /// Its numbers may have one, or it has none.
    Either,
}

impl CommaEvidence {
    /// Begins with no values, in which this mark is before each three digits; `None` if any may be.
    pub fn new(thousands: Option<ThousandsMark>) -> CommaEvidence {
        let none = Tried {
            fits: 0,
            numbers: Numbers::NONE,
        };
        CommaEvidence {
            forms: match thousands {
                None => Cow::Borrowed(FORMS.as_slice()),
                Some(_) => Cow::Owned(forms(thousands).to_vec()),
            },
            tried: [none; UNITS.len()],
            codes: 0,
            pointed: 0,
            points: 0,
            clear: 0,
            first: None,
            has_both: false,
            kept: Kept::new(),
        }
    }

    /// Looks at a value that is this number with a decimal point, or without one. It has no unit.
    pub fn see_plain(&mut self, value: &str, number: f64) {
        if !value.contains('.') {
            self.add(ALONE, value, number);
            return;
        }
        self.pointed += 1;
        match number_in(&self.forms[ALONE], value) {
            Some((plain, number)) => self.add(ALONE, &plain, number),
            None => self.points += 1,
        }
    }

    /// Looks at a value that is no plain number. `is_no_other` says that it is no number if its commas are before each
    /// three digits.
    pub fn see(&mut self, line: u64, value: &str, is_no_other: bool) {
        // An address may have three digits behind each of its points.
        let is_address = value.parse::<Ipv4Addr>().is_ok();
        if is_address || !value.contains(|c: char| c.is_ascii_digit()) {
            return;
        }
        let mut forms = self.forms.iter().enumerate();
        let found = forms.find_map(|(place, form)| Some((place, number_in(form, value)?)));
        let Some((place, (plain, number))) = found else {
            return;
        };
        self.add(place, &plain, number);
        if !is_no_other {
            return;
        }
        // Several points are before thousands, so that none is before decimals.
        let has_comma = value.contains(',');
        self.clear += u64::from(has_comma);
        self.has_both |= has_comma && value.contains('.');
        if has_comma || value.matches('.').count() > 1 {
            self.first.get_or_insert_with(|| (line, value.to_owned()));
        }
    }

    /// Adds a number with the unit at this place, as it is written without that and with a point.
    fn add(&mut self, place: usize, plain: &str, number: f64) {
        let tried = &mut self.tried[place];
        tried.fits += 1;
        tried.numbers.add(plain);
        self.codes += u64::from(loses_digits(plain));
        self.kept.add(number);
    }

    /// Returns the number of values that are numbers only if their comma is before decimals.
    pub fn only_with_comma(&self) -> u64 {
        self.clear
    }

    /// Returns whether some plain numbers have a point that is not before three digits.
    pub fn has_decimal_points(&self) -> bool {
        self.points > 0
    }

    /// Returns the numbers that almost all of so many values are; those with a unit have to be all of them.
    fn found(&self, values: u64) -> Option<Found> {
        let tried = self.tried.iter().enumerate();
        let (place, most) = tried.max_by_key(|(_, tried)| tried.fits)?;
        let misfits = values.saturating_sub(most.fits);
        let is_enough = if UNITS[place].is_empty() {
            misfits * ONE_MISFIT_IN <= values
        } else {
            misfits == 0
        };
        let are_numbers = self.codes == 0 && most.fits > 0 && is_enough;
        are_numbers.then_some(Found {
            place,
            numbers: most.numbers,
            misfits,
        })
    }
}

impl Evidence {
    /// Returns what this column says of the decimals of its file. `is_named_as_time` says that numbers may be times.
    pub fn decimals(&self, is_named_as_time: bool) -> Decimals {
        let decision = self.decide(is_named_as_time);
        let is_some = self.commas.found(self.values).is_some();
        let signs = decision.signs.as_ref();
        let have_commas = signs.is_some_and(NumberForm::has_commas);
        if decision.kind.is_number() && (self.commas.points > 0 || have_commas || !is_some) {
            return Decimals::Point;
        }
        // Where all numbers have a point, three digits behind each are rather decimals.
        if decision.kind.is_number() && self.has_three_digits_behind_points() {
            return Decimals::RatherPoint;
        }
        let is_text = decision.kind == ColumnType::Text && !decision.lacks_year;
        match &self.commas.first {
            Some((line, value)) if is_text && is_some => Decimals::Comma(*line, value.clone()),
            _ => Decimals::Either,
        }
    }

    /// Returns whether all values are numbers with a point and three digits behind it, so that it may be a decimal one
    /// or before thousands.
    pub fn has_three_digits_behind_points(&self) -> bool {
        let commas = &self.commas;
        commas.pointed > 0 && commas.pointed == self.values && commas.points == 0
    }

    /// Returns whether some numbers have both a decimal comma and a point before three digits.
    pub fn has_points_and_commas(&self) -> bool {
        self.commas.has_both
    }

    /// Decides the type in a file whose numbers have a decimal comma. `is_named_as_time` says that numbers may be
    /// times.
    pub fn decide_with_comma(&self, is_named_as_time: bool) -> Decision {
        let decision = self.decide(is_named_as_time);
        let is_number = decision.kind.is_number();
        let is_text = decision.kind == ColumnType::Text && !decision.lacks_year;
        if !is_number && !is_text {
            return decision;
        }
        match self.commas.found(self.values) {
            Some(found) if is_number && self.is_plain_alike(&found) => decision,
            Some(found) => with_comma(found),
            None if is_number => text(
                "numbers that are written in another way than with the decimal comma of this file"
                    .to_owned(),
            ),
            None => decision,
        }
    }

    /// Returns whether numbers with a decimal comma are all plain ones without a point.
    fn is_plain_alike(&self, found: &Found) -> bool {
        let is_alone = UNITS[found.place].is_empty();
        is_alone && !self.plain.has_point && found.numbers.all == self.plain.all
    }

    /// Returns what [`Evidence::high_value`] does, of numbers with a decimal comma.
    pub fn high_value_with_comma(&self) -> Option<f64> {
        self.commas.kept.high_value()
    }
}

/// Returns a value of this form as it is written with a point and without signs, and its number.
fn number_in<'v>(form: &NumberForm, value: &'v str) -> Option<(Cow<'v, str>, f64)> {
    let plain = form.plain(value)?;
    let number = plain.parse::<f64>().ok()?;
    number.is_finite().then_some((plain, number))
}

/// Decides for numbers with a decimal comma.
fn with_comma(found: Found) -> Decision {
    let (kind, mut why) = found.numbers.kind("numbers with a decimal comma");
    let unit = UNITS[found.place];
    if !unit.is_empty() {
        why.push_str(&format!(", without `{unit}`, as [data.signs] says"));
    }
    if found.misfits > 0 {
        why.push_str(&format!("; {} other values", found.misfits));
    }
    Decision {
        kind,
        signs: (!unit.is_empty()).then(|| NumberForm::with_comma(unit.to_owned(), None)),
        misfits: found.misfits,
        ..text(why)
    }
}

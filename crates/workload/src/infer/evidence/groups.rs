//! Numbers of a column with a mark before each three of their digits.

use super::{Decision, Evidence, ONE_MISFIT_IN, text};
use crate::infer::signs::{Numbers, loses_digits};
use crate::number_form::grouped;
use crate::{ColumnType, NumberForm, ThousandsMark};

/// Digits before the point of a number from which on it has a mark, where numbers have some.
const LONG: usize = 4;

/// How many values of a column are numbers with a mark before each three digits.
pub struct GroupEvidence {
    /// Those of each of [`ThousandsMark::ALL`].
    tried: [Tried; ThousandsMark::ALL.len()],
    /// The least and the highest positive whole number without a mark that has three digits at most. A zero says
    /// nothing, since it is written so beside decimals, too, and neither do codes for no value, such as -9 and -99.
    least_short: u16,
    most_short: u16,
    /// Numbers without a mark that have more digits before their point.
    long: u64,
}

/// Numbers with the same mark.
struct Tried {
    numbers: Numbers,
    /// The least and the highest number of their digits before the point.
    least_digits: usize,
    most_digits: usize,
    /// The first of them, with its line.
    first: Option<(u64, String)>,
    /// The first that has the mark twice, or a point behind it, so that the mark is not before decimals.
    clear: Option<(u64, String)>,
}

/// What a file tells of the numbers with a mark in it, besides the column that they are in.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    /// Whether commas are between its fields, so that those in numbers are in quotes.
    pub is_divided_by_commas: bool,
    /// Whether the user says that decimals have a point.
    pub has_decimal_point: bool,
}

impl GroupEvidence {
    /// Begins with no values.
    pub fn new() -> GroupEvidence {
        GroupEvidence {
            tried: std::array::from_fn(|_| Tried {
                numbers: Numbers::NONE,
                least_digits: usize::MAX,
                most_digits: 0,
                first: None,
                clear: None,
            }),
            least_short: u16::MAX,
            most_short: 0,
            long: 0,
        }
    }

    /// Looks at a value that is a plain number.
    pub fn see_plain(&mut self, value: &str) {
        let digits = value.trim_start_matches(['-', '+']).bytes();
        let digits = digits.take_while(u8::is_ascii_digit).count();
        if digits >= LONG {
            self.long += 1;
        } else if let Ok(short @ 1..) = value.parse::<u16>() {
            self.least_short = self.least_short.min(short);
            self.most_short = self.most_short.max(short);
        }
    }

    /// Looks at a value that is no plain number; returns the number that it is without its marks.
    pub fn see(&mut self, line: u64, value: &str) -> Option<f64> {
        let (mark, plain) = grouped(value)?;
        let number = plain.parse::<f64>().ok().filter(|n| n.is_finite())?;
        if loses_digits(&plain) {
            return None;
        }
        let whole = plain.trim_start_matches('-').split('.').next();
        let digits = whole.map_or(0, str::len);
        let tried = &mut self.tried[mark as usize];
        tried.numbers.add(&plain);
        tried.least_digits = tried.least_digits.min(digits);
        tried.most_digits = tried.most_digits.max(digits);
        let is_clear = value.matches(mark.characters()).count() > 1 || plain.contains('.');
        if is_clear && tried.clear.is_none() {
            tried.clear = Some((line, value.to_owned()));
        }
        tried.first.get_or_insert_with(|| (line, value.to_owned()));
        Some(number)
    }

    /// Returns the numbers with this mark and the plain ones, if there are some with it and almost all of so many
    /// values are numbers.
    fn found(&self, mark: ThousandsMark, values: u64, plain: Numbers) -> Option<Numbers> {
        let tried = &self.tried[mark as usize];
        let numbers = tried.numbers.with(plain);
        let misfits = values.saturating_sub(numbers.all);
        let is_enough = misfits * ONE_MISFIT_IN <= values;
        (tried.numbers.all > 0 && is_enough).then_some(numbers)
    }

    /// Returns the mark with which almost all of so many values are numbers, if there is one. Of several, which may be
    /// beside very many plain numbers, it is the one that most values have.
    pub fn almost_all(&self, values: u64, plain: Numbers) -> Option<ThousandsMark> {
        let marks = ThousandsMark::ALL.into_iter().rev();
        let found = marks.filter(|mark| self.found(*mark, values, plain).is_some());
        found.max_by_key(|mark| self.tried[*mark as usize].numbers.all)
    }

    /// Returns whether all numbers that are long enough have this mark, and nothing else can be meant by it.
    /// `has_decimals` says that others have a decimal point.
    fn is_unmistakable(&self, mark: ThousandsMark, has_decimals: bool, around: Around) -> bool {
        let tried = &self.tried[mark as usize];
        let is_clear = tried.clear.is_some() || has_decimals;
        let are_alike = tried.least_digits == tried.most_digits;
        // One alone may be a code for no value, as 999 is.
        let has_short = self.least_short < self.most_short;
        self.long == 0
            && match mark {
                // A comma may be before decimals, also in quotes where commas divide lines. But then hardly several
                // numbers have none, while all others have three.
                ThousandsMark::Comma => {
                    let are_beside_short = around.is_divided_by_commas && has_short;
                    is_clear || around.has_decimal_point || are_beside_short
                }
                // Numbers of telephones have as many digits each.
                ThousandsMark::Space => {
                    let has_points = has_decimals || tried.numbers.has_point;
                    has_points || has_short || !are_alike
                }
                ThousandsMark::Apostrophe => true,
                // Points are read with a decimal comma.
                ThousandsMark::Point => false,
            }
    }
}

impl Evidence {
    /// Returns what is unmistakably before each three digits of the numbers of this column, with the number that
    /// shows it best and its line. `is_named_as_time` says that numbers may be times.
    pub fn thousands(
        &self,
        is_named_as_time: bool,
        around: Around,
    ) -> Option<(ThousandsMark, u64, &str)> {
        let mark = self.groups.almost_all(self.values, self.plain)?;
        let has_decimals = self.commas.has_decimal_points();
        let is_it = self.groups.is_unmistakable(mark, has_decimals, around);
        let decision = self.decide_with_thousands(is_named_as_time, mark);
        let tried = &self.groups.tried[mark as usize];
        let (line, value) = tried.clear.as_ref().or(tried.first.as_ref())?;
        (is_it && decision.kind.is_number()).then_some((mark, *line, value.as_str()))
    }

    /// Returns whether some numbers of this column lack the mark that others have, so that it may be before decimals.
    pub fn lacks_marks(&self, mark: ThousandsMark) -> bool {
        let tried = &self.groups.tried[mark as usize];
        let is_clear = tried.clear.is_some() || self.commas.has_decimal_points();
        let are_numbers = self.groups.found(mark, self.values, self.plain).is_some();
        self.groups.long > 0 && are_numbers && !is_clear
    }

    /// Decides the type in a file whose numbers have this mark before each three digits. `is_named_as_time` says that
    /// numbers may be times.
    pub fn decide_with_thousands(&self, is_named_as_time: bool, mark: ThousandsMark) -> Decision {
        let decision = self.decide(is_named_as_time);
        let is_text = decision.kind == ColumnType::Text && !decision.lacks_year;
        if !is_text && !decision.kind.is_number() {
            return decision;
        }
        let are_numbers = self.leading_zeros == 0 && self.huge == 0;
        let found = self.groups.found(mark, self.values, self.plain);
        if let Some(numbers) = found.filter(|_| are_numbers) {
            return self.with_marks(numbers, mark);
        }
        let has_commas = decision.signs.as_ref().is_some_and(NumberForm::has_commas);
        if has_commas && mark != ThousandsMark::Comma {
            let why = format!(
                "numbers with commas before each three digits, and not {} as in the others of this file",
                mark.described()
            );
            return text(why);
        }
        decision
    }

    /// Decides for plain numbers and those with this mark.
    fn with_marks(&self, numbers: Numbers, mark: ThousandsMark) -> Decision {
        let (kind, mut why) = numbers.kind("numbers");
        let misfits = self.values.saturating_sub(numbers.all);
        why.push_str(&format!(
            ", with {} before each three digits",
            mark.described()
        ));
        if misfits > 0 {
            why.push_str(&format!("; {misfits} other values"));
        }
        Decision {
            kind,
            misfits,
            ..text(why)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NULL_WORDS;

    /// The evidence of some values.
    fn of(cells: &[&str]) -> Evidence {
        let null = NULL_WORDS.map(str::to_owned);
        let mut evidence = Evidence::new(100, None);
        for (line, cell) in (2..).zip(cells) {
            evidence.see(line, cell, &null);
        }
        evidence
    }

    /// What values show of a mark before each three digits, and the type that they get with the one that they have.
    fn with_marks(cells: &[&str], mark: ThousandsMark, around: Around) -> (bool, ColumnType, u64) {
        let evidence = of(cells);
        let found = evidence.thousands(false, around);
        let is_found = found.is_some_and(|(found, ..)| found == mark);
        let decision = evidence.decide_with_thousands(false, mark);
        (is_found, decision.kind, decision.misfits)
    }

    #[test]
    fn marks_before_each_three_digits_are_known_where_they_are_unmistakable() {
        use ColumnType::{Bigint, Double, Int, Text, Timestamp};
        use ThousandsMark::{Apostrophe, Comma, Point, Space};
        let lines_with_commas = Around {
            is_divided_by_commas: true,
            has_decimal_point: false,
        };
        let others = Around {
            is_divided_by_commas: false,
            ..lines_with_commas
        };
        let with_point = Around {
            has_decimal_point: true,
            ..others
        };
        for (cells, mark, around, is_found, kind) in [
            (
                &["1,000", "7", "NA", "12"][..],
                Comma,
                lines_with_commas,
                true,
                Int,
            ),
            // All of these may be decimals, although they are in quotes.
            (&["12,500"], Comma, lines_with_commas, false, Int),
            (&["1,000", "2,500"], Comma, lines_with_commas, false, Int),
            (
                &["12,500", "-1,125", "0"],
                Comma,
                lines_with_commas,
                false,
                Int,
            ),
            (
                &["12,500", "13,125", "999", "-99", "-9"],
                Comma,
                lines_with_commas,
                false,
                Int,
            ),
            (
                &["12,500", "13,125", "7.500"],
                Comma,
                lines_with_commas,
                false,
                Double,
            ),
            (
                &["12,500", "13,125", "7.5"],
                Comma,
                lines_with_commas,
                true,
                Double,
            ),
            (
                &["12,500", "13,125.0"],
                Comma,
                lines_with_commas,
                true,
                Double,
            ),
            (
                &["12,500", "1,013,125"],
                Comma,
                lines_with_commas,
                true,
                Int,
            ),
            (&["1,000", "2,500"], Comma, others, false, Int),
            (&["1,000", "2,500"], Comma, with_point, true, Int),
            (&["1,000", "7", "12"], Comma, others, false, Int),
            (&["1,000", "1,000,000"], Comma, others, true, Int),
            (&["1,000,000,000,000"], Comma, others, true, Bigint),
            (&["1,000.5", "2,000"], Comma, others, true, Double),
            (&["1,000", "2.5"], Comma, others, true, Double),
            (&["1,000", "inf", "2,000,000"], Comma, others, true, Double),
            // One that is long enough has no mark.
            (
                &["1,000", "7", "12", "3000"],
                Comma,
                lines_with_commas,
                false,
                Int,
            ),
            (&["1,000", "1,00"], Comma, lines_with_commas, false, Text),
            (
                &["1,000", "12,34,567"],
                Comma,
                lines_with_commas,
                false,
                Text,
            ),
            (&["0,500", "1,500"], Comma, lines_with_commas, false, Text),
            (&["1,000", "007"], Comma, lines_with_commas, false, Text),
            (&["1,000", "north"], Comma, lines_with_commas, false, Text),
            (&["north", "south"], Comma, lines_with_commas, false, Text),
            (&["1 000", "12 500"], Space, others, true, Int),
            (&["1\u{202f}000.5", "7"], Space, others, true, Double),
            (&["1 000", "2 500"], Space, others, false, Int),
            // As numbers of telephones are.
            (&["601 234 567", "602 345 678"], Space, others, false, Int),
            (&["1'000", "2'500"], Apostrophe, others, true, Int),
            (&["1\u{2019}000"], Apostrophe, others, true, Int),
            (&["1'000", "2,500"], Apostrophe, others, false, Text),
            (&["1.000", "2.500"], Point, others, false, Double),
            (
                &["2024-01-02", "2024-01-03"],
                Comma,
                lines_with_commas,
                false,
                Timestamp,
            ),
        ] {
            let (found, of_kind, _) = with_marks(cells, mark, around);
            assert_eq!((found, of_kind), (is_found, kind), "{cells:?}");
        }
        let mut many = vec!["12"; 400];
        many[6] = "13";
        many[7] = "1,200";
        many[9] = "none";
        let found = with_marks(&many, Comma, lines_with_commas);
        assert_eq!(found, (true, Int, 1), "rare ones are numbers, too");
        for (cells, lacks) in [
            (&["12,500", "3500"][..], true),
            (&["12,500", "350"], false),
            (&["12,500", "3500", "7.5"], false),
            (&["1,012,500", "3500"], false),
            (&["12,500", "3500", "north"], false),
            (&["3500"], false),
        ] {
            assert_eq!(of(cells).lacks_marks(Comma), lacks, "{cells:?}");
        }
        let commas = of(&["1,000,000", "5"]).decide_with_thousands(false, Space);
        assert_eq!(commas.kind, Text);
        assert!(commas.why.contains("and not spaces"), "{}", commas.why);
        let text = of(&["1 000", "2 500"]).decide(false);
        assert_eq!(text.kind, Text);
        let option = "--thousands \" \" makes these numbers";
        assert!(text.why.contains(option), "{}", text.why);
        assert_eq!(of(&["1'000", "500", "7"]).high_value(), Some(500.0));
    }

    #[test]
    fn of_several_marks_that_of_most_values_is_found() {
        let mut many = vec!["12"; 10_000];
        many[0] = "7";
        many[1..41].fill("1 000");
        many[41] = "1,000";
        let around = Around {
            is_divided_by_commas: true,
            has_decimal_point: false,
        };
        let found = with_marks(&many, ThousandsMark::Space, around);
        assert_eq!(found, (true, ColumnType::Int, 1));
    }
}

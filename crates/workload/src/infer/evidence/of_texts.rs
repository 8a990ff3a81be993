//! Columns of texts, and what would make them something else.

use super::{Decision, Evidence, text};
use crate::ThousandsMark;

impl Evidence {
    /// Says why values that are no times, numbers or booleans are text.
    pub(super) fn of_texts(&self) -> Decision {
        let values = self.values;
        let whole = self.plain.whole;
        let all = self.plain.all;
        let (percents, amounts, thousands) = self.signs.counts();
        let mark = self.groups.almost_all(values, self.plain);
        let mark = mark.filter(|_| self.leading_zeros == 0 && self.huge == 0);
        let are_whole = thousands > 0 && self.is_enough(thousands + whole);
        if are_whole || mark == Some(ThousandsMark::Comma) || self.signs.fits_all(values) {
            let why = "numbers with a comma or point before each three digits, or a decimal one: if commas are before \
                       three digits, --thousands , says so, or [data.signs] with a unit; if they are before decimals, \
                       --decimal , does; else write the numbers with a decimal point and nothing before three digits";
            return text(why.to_owned());
        }
        if let Some(mark) = mark {
            let why = format!(
                "numbers with {} before each three digits, or texts that look so: --thousands \"{}\" makes these \
                 numbers",
                mark.described(),
                mark.written()
            );
            return text(why);
        }
        let with_signs = whole + percents + amounts + thousands;
        let with_comma = self.commas.only_with_comma();
        if with_comma > 0 && self.is_enough(with_comma + with_signs) {
            let why = "numbers with a decimal comma, beside others with a point or with other signs: write all alike \
                       to make this a double, or say --decimal ,";
            return text(why.to_owned());
        }
        if percents > 0 && self.is_enough(percents + all) {
            let why = "numbers, some with `%`: write all or none with it to make this a double";
            return text(why.to_owned());
        }
        if amounts > 0 && self.is_enough(amounts + all) {
            let why = "numbers, some with the sign of a currency: write all with the same one or none to make this a \
                       double";
            return text(why.to_owned());
        }
        if let Some(decision) = self.of_untried_times() {
            return decision;
        }
        if let Some((line, value)) = self.no_uuid.as_ref().filter(|_| self.uuids * 2 > values) {
            return text(format!(
                "{} of {values} values are UUIDs, and others, as `{value}` in line {line}, are not: with UUIDs alone \
                 this is a uuid",
                self.uuids
            ));
        }
        match self.no_number.as_ref().filter(|_| all * 2 > values) {
            Some((line, value)) => text(format!(
                "{all} of {values} values are numbers, and others, as `{value}` in line {line}, are not"
            )),
            None => text("text".to_owned()),
        }
    }
}

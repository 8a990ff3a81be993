//! What the values of a column say about its type.

mod commas;
mod kept;

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::distinct::Distinct;
use super::sequence::Sequence;
use super::signs::{FoundSigns, Numbers, SignEvidence};
use super::times::{FoundTime, OF_A_YEAR, TimeEvidence};
use crate::{ColumnType, NumberForm, TimeFormat, Zone};
use commas::CommaEvidence;
pub use commas::Decimals;
use kept::Kept;

/// Words that stand for no value even among texts.
const NEVER_TEXT: [&str; 4] = ["\\N", "NULL", "null", "#N/A"];

/// One value in so many may be another than its column's type, and is then set aside as a bad row.
const ONE_MISFIT_IN: u64 = 200;

/// Evidence of one column.
pub struct Evidence {
    /// Cells with nothing in them.
    pub empty: u64,
    /// Cells with a word that stands for no value, which is empty for cells of spaces alone.
    pub words: BTreeMap<String, u64>,
    /// All other cells.
    pub values: u64,
    /// Values in quotes with spaces before them, which in CSV are a part of the value, and so are the quotes then.
    pub quoted_after_spaces: u64,
    /// Hashes of these.
    pub distinct: Distinct,
    /// Their order.
    pub sequence: Sequence,
    /// Numbers without signs, and whole ones of more than 64 bits and with zeros before them.
    plain: Numbers,
    huge: u64,
    leading_zeros: u64,
    /// Numbers with signs.
    signs: SignEvidence,
    /// The same values as numbers with a decimal comma.
    commas: CommaEvidence,
    booleans: u64,
    times: TimeEvidence,
    /// Some numbers.
    kept: Kept,
    /// First value that is no number, with its line.
    no_number: Option<(u64, String)>,
}

/// Type of a column, and why.
pub struct Decision {
    pub kind: ColumnType,
    /// Form of its times, if they are not of the usual one.
    pub format: Option<TimeFormat>,
    /// Times of a timestamp.
    pub time: Option<FoundTime>,
    /// Whether it is text since its times lack a year.
    pub lacks_year: bool,
    /// Signs that its numbers have.
    pub signs: Option<NumberForm>,
    /// Values that are not of the type.
    pub misfits: u64,
    pub why: String,
}

impl Evidence {
    /// Begins with none. So many different values are counted exactly. `said` is how its times are written, one way or
    /// another, if it is known to have some.
    pub fn new(exactly: usize, said: impl IntoIterator<Item = TimeFormat>) -> Evidence {
        Evidence {
            empty: 0,
            words: BTreeMap::new(),
            values: 0,
            quoted_after_spaces: 0,
            distinct: Distinct::new(exactly),
            sequence: Sequence::new(),
            plain: Numbers::NONE,
            huge: 0,
            leading_zeros: 0,
            signs: SignEvidence::new(),
            commas: CommaEvidence::new(),
            booleans: 0,
            times: TimeEvidence::new(said),
            kept: Kept::new(),
            no_number: None,
        }
    }

    /// Takes the zone in which times are meant that say no offset from UTC.
    pub fn in_zone(mut self, zone: Option<&Zone>) -> Evidence {
        self.times.zone = zone.cloned();
        self
    }

    /// Looks at a cell. `null` are the words that stand for no value.
    pub fn see(&mut self, line: u64, cell: &str, null: &[String]) {
        let value = cell.trim();
        if cell.is_empty() {
            self.empty += 1;
            return;
        }
        // A cell of spaces alone is no value of any type, but has to be said to be none, as a word.
        if value.is_empty() || null.iter().any(|word| word == value) {
            match self.words.get_mut(value) {
                Some(times) => *times += 1,
                None => {
                    self.words.insert(value.to_owned(), 1);
                }
            }
            return;
        }
        self.values += 1;
        let is_quoted = value.len() > 1 && value.starts_with('"') && value.ends_with('"');
        self.quoted_after_spaces += u64::from(is_quoted && cell.starts_with(' '));
        let hash = xxh3_64(value.as_bytes());
        self.distinct.add(hash);
        self.sequence.see(value, hash);
        self.times.see(value);
        let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
        let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        self.leading_zeros += u64::from(is_digits && digits.len() > 1 && digits.starts_with('0'));
        match value.parse::<f64>() {
            Ok(number) => {
                let is_whole = self.plain.add(value);
                self.huge += u64::from(is_digits && !is_whole);
                self.kept.add(number);
                self.commas.see_plain(value, number);
            }
            Err(_) => {
                if self.no_number.is_none() {
                    self.no_number = Some((line, value.chars().take(40).collect()));
                }
                let with_signs = self.signs.see(value);
                if let Some(number) = with_signs {
                    self.kept.add(number);
                }
                self.commas.see(line, value, with_signs.is_none());
                let word = value.to_ascii_lowercase();
                let is_boolean = ["true", "false", "t", "f"].contains(&word.as_str());
                self.booleans += u64::from(is_boolean);
            }
        }
    }

    /// Returns the number of values that the likeliest form of a time fits.
    pub fn times_fitting(&self) -> u64 {
        self.times.found(true).map_or(0, |found| found.fits)
    }

    /// Returns the number of different values; an estimate if there are many.
    pub fn different(&self) -> u64 {
        self.distinct.distinct().min(self.values)
    }

    /// Returns a number that about a tenth of the values exceed or, if the highest one is more frequent than that, the
    /// next lower one; `None` if all are the same.
    pub fn high_value(&self) -> Option<f64> {
        self.kept.high_value()
    }

    /// Returns whether a word stands for no value here, so that it has to be said.
    pub fn needs_null_words(&self, decision: &Decision) -> bool {
        decision.kind != ColumnType::Text || self.values == 0
    }

    /// Returns the words that stand for no value even if the column is text.
    pub fn certain_null_words(&self) -> impl Iterator<Item = &String> {
        let words = self.words.keys();
        words.filter(|word| NEVER_TEXT.contains(&word.as_str()))
    }

    /// Returns the unit of numbers that may be times since 1970.
    pub fn since_1970(&self) -> Option<TimeFormat> {
        let found = self.times.found(true)?;
        let is_enough = (self.values - found.fits) * ONE_MISFIT_IN <= self.values;
        let is_epoch = matches!(found.format, TimeFormat::Epoch(_));
        (is_enough && is_epoch).then_some(found.format)
    }

    /// Decides the type. `is_named_as_time` says that numbers may be times.
    pub fn decide(&self, is_named_as_time: bool) -> Decision {
        let values = self.values;
        let enough = |fitting: u64| (values - fitting) * ONE_MISFIT_IN <= values;
        if values == 0 {
            return text("no values, so that nothing tells its type".to_owned());
        }
        let is_named_as_time = is_named_as_time || self.times.is_said;
        let found = self.times.found(is_named_as_time);
        let may_be_times =
            is_named_as_time || self.distinct.distinct() > 1 || self.plain.whole == 0;
        if let Some(found) = found.filter(|found| may_be_times && enough(found.fits)) {
            return self.timestamp(found);
        }
        // The last four digits may be a year in place of hour and minute.
        let has_year = self
            .times
            .found(true)
            .is_some_and(|found| enough(found.fits));
        let may_lack_year = (is_named_as_time || self.leading_zeros > 0) && !has_year;
        if may_lack_year && enough(self.times.without_year) {
            let why = format!(
                "month, day, hour and minute without a year, and so no times: as text they keep their zeros and their \
                 order; --time-format 'COLUMN={OF_A_YEAR}' would say their year"
            );
            return Decision {
                lacks_year: true,
                ..text(why)
            };
        }
        let of_year = self.times.yearless.found(is_named_as_time);
        if let Some((form, _)) = of_year.filter(|(_, fits)| !has_year && enough(*fits)) {
            let why = format!(
                "times without a year, and so text: --time-format 'COLUMN={}' would say their year",
                form.written()
            );
            return Decision {
                lacks_year: true,
                ..text(why)
            };
        }
        let Numbers { all, whole, .. } = self.plain;
        if self.leading_zeros > 0 && enough(whole + self.huge) {
            let why = format!(
                "numbers, of which {} begin with a zero that a number would lose",
                self.leading_zeros
            );
            return text(why);
        }
        if self.leading_zeros == 0
            && self.huge == 0
            && let Some(found) = self.signs.found(values, self.plain)
        {
            return signed(found);
        }
        if enough(whole) && all == whole {
            let (kind, mut why) = self.plain.whole_type();
            if self.since_1970().is_some() {
                why.push_str("; they may be times since 1970, which --time COLUMN would say");
            }
            return self.numeric(kind, whole, why);
        }
        if self.huge > 0 && enough(whole + self.huge) {
            return text("whole numbers, some of more than 64 bits".to_owned());
        }
        if enough(all) {
            return self.numeric(ColumnType::Double, all, "numbers".to_owned());
        }
        if self.booleans == values {
            return Decision {
                kind: ColumnType::Boolean,
                ..text("true and false".to_owned())
            };
        }
        let (percents, amounts, thousands) = self.signs.counts();
        if thousands > 0 && enough(thousands + whole) || self.signs.fits_all(values) {
            let why = "numbers with a comma or point before each three digits, or a decimal one: if commas are before \
                       three digits, say the signs in [data.signs] and make this a number; if they are before decimals, \
                       --decimal , says so; else write the numbers with a decimal point and nothing before three digits";
            return text(why.to_owned());
        }
        let with_signs = whole + percents + amounts + thousands;
        let with_comma = self.commas.only_with_comma();
        if with_comma > 0 && enough(with_comma + with_signs) {
            let why = "numbers with a decimal comma, beside others with a point or with other signs: write all alike to \
                       make this a double, or say --decimal ,";
            return text(why.to_owned());
        }
        if percents > 0 && enough(percents + all) {
            let why = "numbers, some with `%`: write all or none with it to make this a double";
            return text(why.to_owned());
        }
        if amounts > 0 && enough(amounts + all) {
            let why = "numbers, some with the sign of a currency: write all with the same one or none to make this a \
                       double";
            return text(why.to_owned());
        }
        let shown = self.no_number.as_ref();
        match shown.filter(|_| all * 2 > values) {
            Some((line, value)) => text(format!(
                "{all} of {values} values are numbers, and others, as `{value}` in line {line}, are not"
            )),
            None => text("text".to_owned()),
        }
    }

    fn timestamp(&self, found: FoundTime) -> Decision {
        let written = found.format.written();
        let mut why = match &found.format {
            TimeFormat::Iso => "times as ISO 8601 has them".to_owned(),
            TimeFormat::Epoch(_) => format!("{written} since 1970"),
            TimeFormat::Pattern(_) | TimeFormat::OfYear { .. } => {
                format!("times written as {written}")
            }
        };
        if let Some(or) = &found.or {
            why.push_str(&format!(
                ", which may also be {}: check days and months",
                or.written()
            ));
        }
        why.push_str(&self.times.about_zone(&found));
        let is_cut = found.finer > 0 || matches!(written, "us" | "ns");
        if is_cut {
            why.push_str("; what is below a millisecond is cut");
        }
        let is_usual = match found.format {
            TimeFormat::Iso => found.finer == 0,
            // A column without a form reads whole milliseconds only.
            _ => written == "ms" && self.plain.whole >= found.fits,
        };
        Decision {
            kind: ColumnType::Timestamp,
            format: (!is_usual).then(|| found.format.clone()),
            misfits: self.values - found.fits,
            time: Some(found),
            ..text(why)
        }
    }

    fn numeric(&self, kind: ColumnType, fitting: u64, mut why: String) -> Decision {
        let misfits = self.values - fitting;
        if let Some((line, value)) = self.no_number.as_ref().filter(|_| misfits > 0) {
            why.push_str(&format!(
                "; {misfits} other values, the first `{value}` in line {line}"
            ));
        }
        Decision {
            kind,
            misfits,
            ..text(why)
        }
    }
}

/// Decides for numbers that all have the same signs.
fn signed(found: FoundSigns) -> Decision {
    let Numbers { all, whole, .. } = found.numbers;
    let (kind, why) = if whole == all {
        found.numbers.whole_type()
    } else {
        (ColumnType::Double, "numbers".to_owned())
    };
    let signs = found.form.described();
    Decision {
        kind,
        signs: Some(found.form),
        ..text(format!("{why}, without {signs}, as [data.signs] says"))
    }
}

/// Returns whether a word that stands for no value is a number, too, as NaN is.
pub fn is_not_a_number(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_nan)
}

/// Writes a word that stands for no value, for a reader.
pub fn shown_word(word: &str) -> String {
    if word.is_empty() {
        "spaces alone".to_owned()
    } else {
        format!("`{word}`")
    }
}

fn text(why: String) -> Decision {
    Decision {
        kind: ColumnType::Text,
        format: None,
        time: None,
        lacks_year: false,
        signs: None,
        misfits: 0,
        why,
    }
}

#[cfg(test)]
mod tests;

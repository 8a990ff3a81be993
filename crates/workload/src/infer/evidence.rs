//! What the values of a column say about its type.

mod commas;
mod groups;
mod kept;
mod of_texts;
mod of_times;

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::distinct::Distinct;
use super::sequence::Sequence;
use super::signs::{FoundSigns, Numbers, SignEvidence};
use super::times::{FoundTime, TimeEvidence};
use crate::{ColumnType, NumberForm, ThousandsMark, TimeFormat, Zone, uuids};
use commas::CommaEvidence;
pub use commas::Decimals;
pub use groups::Around;
use groups::GroupEvidence;
use kept::Kept;

/// Words that stand for no value even among texts.
const NEVER_TEXT: [&str; 4] = ["\\N", "NULL", "null", "#N/A"];

/// One value in so many may be another than its column's type, and is then set aside as a bad row.
const ONE_MISFIT_IN: u64 = 200;

/// First values of a column that are no numbers, by which forms of times are guessed, and characters of each that is
/// shown.
const FIRST_TEXTS: usize = 16;
const SHOWN_CHARACTERS: usize = 40;

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
    /// The same values as numbers with a mark before each three digits.
    groups: GroupEvidence,
    booleans: u64,
    uuids: u64,
    times: TimeEvidence,
    /// Some numbers.
    kept: Kept,
    /// First value that is no number, with its line, and the first few.
    no_number: Option<(u64, String)>,
    first_texts: Vec<String>,
    /// First value that is no UUID, with its line.
    no_uuid: Option<(u64, String)>,
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
    /// Whether it is text although its values look like times, for which `why` says an option.
    pub may_be_times: bool,
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
            commas: CommaEvidence::new(None),
            groups: GroupEvidence::new(),
            booleans: 0,
            uuids: 0,
            times: TimeEvidence::new(said),
            kept: Kept::new(),
            no_number: None,
            first_texts: Vec::new(),
            no_uuid: None,
        }
    }

    /// Takes the zone in which times are meant that say no offset from UTC.
    pub fn in_zone(mut self, zone: Option<&Zone>) -> Evidence {
        self.times.zone = zone.cloned();
        self
    }

    /// Takes what is before each three digits of numbers with a decimal comma, if it is known.
    pub fn grouped_by(mut self, thousands: Option<ThousandsMark>) -> Evidence {
        self.commas = CommaEvidence::new(thousands);
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
        // One UUID may be spelled in upper and in lower case.
        let uuid = uuids::parsed(value);
        let hash = match uuid {
            Some(uuid) => xxh3_64(uuid.as_bytes()),
            None => xxh3_64(value.as_bytes()),
        };
        self.uuids += u64::from(uuid.is_some());
        if uuid.is_none() && self.no_uuid.is_none() {
            self.no_uuid = Some((line, beginning(value)));
        }
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
                self.groups.see_plain(value);
            }
            Err(_) => {
                if self.first_texts.len() < FIRST_TEXTS {
                    let shown = beginning(value);
                    self.first_texts.push(shown.clone());
                    self.no_number.get_or_insert((line, shown));
                }
                let with_signs = self.signs.see(value);
                let grouped = self.groups.see(line, value);
                if let Some(number) = with_signs.or(grouped) {
                    self.kept.add(number);
                }
                self.commas.see(line, value, with_signs.is_none());
                let word = value.to_ascii_lowercase();
                let is_boolean = ["true", "false", "t", "f"].contains(&word.as_str());
                self.booleans += u64::from(is_boolean);
            }
        }
    }

    /// Returns the first value that is no number, with its line.
    pub fn first_text(&self) -> Option<(u64, &str)> {
        let (line, value) = self.no_number.as_ref()?;
        Some((*line, value.as_str()))
    }

    /// Returns whether some values are numbers only with a decimal comma.
    pub fn has_decimal_commas(&self) -> bool {
        self.commas.only_with_comma() > 0
    }

    /// Returns whether so many values are almost all.
    fn is_enough(&self, fitting: u64) -> bool {
        (self.values - fitting) * ONE_MISFIT_IN <= self.values
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
        let is_epoch = matches!(found.format, TimeFormat::Epoch(_));
        (self.is_enough(found.fits) && is_epoch).then_some(found.format)
    }

    /// Decides the type. `is_named_as_time` says that numbers may be times.
    pub fn decide(&self, is_named_as_time: bool) -> Decision {
        let values = self.values;
        if values == 0 {
            return text("no values, so that nothing tells its type".to_owned());
        }
        if let Some(decision) = self.of_times(is_named_as_time) {
            return decision;
        }
        let Numbers { all, whole, .. } = self.plain;
        if self.leading_zeros > 0 && self.is_enough(whole + self.huge) {
            let why = format!(
                "numbers, of which {} begin with a zero that a number would lose",
                self.leading_zeros
            );
            return text(why);
        }
        let has_decimals = self.commas.has_decimal_points();
        if self.leading_zeros == 0
            && self.huge == 0
            && let Some(found) = self.signs.found(values, self.plain, has_decimals)
        {
            return signed(found);
        }
        if self.is_enough(whole) && all == whole {
            let (kind, mut why) = self.plain.whole_type();
            if self.since_1970().is_some() {
                why.push_str("; they may be times since 1970, which --time COLUMN would say");
            }
            return self.numeric(kind, whole, why);
        }
        if self.huge > 0 && self.is_enough(whole + self.huge) {
            return text("whole numbers, some of more than 64 bits".to_owned());
        }
        if self.is_enough(all) {
            let why = match self.plain.digits {
                0 => "numbers".to_owned(),
                digits => format!("numbers, some of {digits} digits, of which a double keeps 15"),
            };
            return self.numeric(ColumnType::Double, all, why);
        }
        if self.booleans == values {
            return Decision {
                kind: ColumnType::Boolean,
                ..text("true and false".to_owned())
            };
        }
        if self.uuids == values {
            return Decision {
                kind: ColumnType::Uuid,
                ..text("UUIDs".to_owned())
            };
        }
        self.of_texts()
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
    let (kind, why) = found.numbers.kind("numbers");
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

/// Returns as much of a value as is shown.
fn beginning(value: &str) -> String {
    value.chars().take(SHOWN_CHARACTERS).collect()
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
        may_be_times: false,
        signs: None,
        misfits: 0,
        why,
    }
}

#[cfg(test)]
mod tests;

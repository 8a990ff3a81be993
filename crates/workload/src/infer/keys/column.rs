//! A column that may be in a key.

use xxhash_rust::xxh3::xxh3_64;

use crate::infer::names::is_like_key;
use crate::{ColumnType, TimeFormat, Zone, source, uuids};

/// A column that may be in the key.
pub struct KeyColumn<'a> {
    /// Number in the file.
    pub index: usize,
    pub name: &'a str,
    pub kind: ColumnType,
    pub format: Option<&'a TimeFormat>,
    /// Zone of times that say no offset from UTC.
    pub zone: Option<&'a Zone>,
    /// Different values.
    pub distinct: u64,
    /// Cells without a value.
    pub nulls: u64,
    /// Runs of equal values in the order of the rows.
    pub runs: u64,
    /// Whether its values are parts of a time, such as times of day, which order rows and name none.
    pub is_part: bool,
    /// Number of questions that find rows by its values, and of all questions.
    pub questions: usize,
    pub all_questions: usize,
}

impl KeyColumn<'_> {
    /// Returns a hash of this column's value in a row; `None` if it has none.
    pub fn hash(&self, cells: &[&str], null: &[String]) -> Option<u64> {
        let cell = cells.get(self.index).copied().unwrap_or_default().trim();
        if cell.is_empty() || null.iter().any(|word| word == cell) {
            return None;
        }
        // One time, and one UUID, may be written in several ways.
        let converted = match self.kind {
            ColumnType::Timestamp => {
                let time = source::milliseconds_in(cell, self.format, self.zone);
                time.map(|time| xxh3_64(&time.to_le_bytes()))
            }
            ColumnType::Uuid => uuids::parsed(cell).map(|uuid| xxh3_64(uuid.as_bytes())),
            _ => None,
        };
        Some(converted.unwrap_or_else(|| xxh3_64(cell.as_bytes())))
    }

    /// Returns whether the column names series although each row has a time of its own: by its name, or since the rows
    /// of each series follow each other. Another text may as well change within one series, as the weather does.
    pub fn names_series(&self) -> bool {
        let is_text = matches!(self.kind, ColumnType::Text | ColumnType::Uuid);
        let follow_each_other = is_text && self.runs < self.distinct.saturating_mul(2);
        !self.is_part && self.nulls == 0 && (is_like_key(self.name) || follow_each_other)
    }

    /// Returns whether half of the questions or more find rows by the column, so that it may say which rows belong
    /// together although each row has a time of its own. A number may as well have been measured.
    pub fn is_asked(&self) -> bool {
        let is_text = matches!(self.kind, ColumnType::Text | ColumnType::Uuid);
        let is_usual = self.questions > 0 && self.questions * 2 >= self.all_questions;
        is_usual && is_text && !self.is_part && self.nulls == 0 && self.distinct > 1
    }
}

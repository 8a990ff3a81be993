//! How the lines of a CSV, TSV or JSON file are read.

use std::collections::BTreeMap;

use crate::{DecimalMark, NumberForm, ThousandsMark, TimeFormat, Zone};

/// Words that usually stand for no value. Of these, `NaN` and the like are numbers, too, which most programs write
/// where a value is missing.
pub const NULL_WORDS: [&str; 18] = [
    "NA", "N/A", "n/a", "na", "#N/A", "\\N", "NULL", "null", "Null", "None", "nil", "-", "--", "?",
    "NaN", "nan", "NAN", "-nan",
];

/// What becomes of rows whose key an earlier row has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RepeatedKeys {
    #[default]
    Keep,
    /// They count as bad rows.
    SetAside,
}

impl RepeatedKeys {
    /// Reads what a workload says; `None` if it is neither.
    pub fn parse(written: &str) -> Option<RepeatedKeys> {
        match written {
            "keep" => Some(RepeatedKeys::Keep),
            "set aside" => Some(RepeatedKeys::SetAside),
            _ => None,
        }
    }
}

/// What a file of text itself does not say: by its name, or in its first line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextForm {
    /// Whether the first line is a row, so that no line names the columns.
    pub no_header: bool,
    /// Names of the fields of each line of a file without a header, in order. Those that are no columns
    /// of the table are skipped. Empty if the fields are the columns of the table, in its order.
    pub fields: Vec<String>,
    /// Byte between the fields, or [`TextForm::SPACES`]; absent if the name of the file says it.
    pub delimiter: Option<u8>,
    /// Lines before the one that names the columns, or before the first row, which are skipped.
    pub skip_lines: u64,
    /// Lines after the one that names the columns that are no rows, such as one of units.
    pub lines_after_names: u64,
    /// Cells that are null besides empty ones, in columns of every type.
    pub null: Vec<String>,
    /// Name in the file of each column of the table that has another one there. Parquet files have names, too.
    pub from: BTreeMap<String, String>,
    /// Names in the file of the parts of each timestamp column that stands in several columns there.
    pub joined: BTreeMap<String, Vec<String>>,
    /// Values of text columns that the files do not have, the same in all rows. Parquet files may lack some, too.
    pub constants: BTreeMap<String, String>,
    /// Form of the times of timestamp columns that are not written as all others are.
    pub formats: BTreeMap<String, TimeFormat>,
    /// Zone of times that do not say their offset from UTC; they are in UTC without it.
    pub zone: Option<Zone>,
    /// What is before the decimals of all numbers.
    pub decimal: DecimalMark,
    /// What is before each three digits of all numbers; if it is not said, any other mark may be with a decimal comma,
    /// and none with a decimal point.
    pub thousands: Option<ThousandsMark>,
    /// Signs in the numbers of columns that are left out.
    pub signs: BTreeMap<String, NumberForm>,
    /// Largest share of the rows that are set aside because they cannot be read or lack their key, in
    /// millionths; absent if every row has to be readable.
    pub bad_rows: Option<u32>,
    /// Whether rows whose key an earlier row has are set aside, too, which needs a share in `bad_rows`.
    pub repeated_keys: RepeatedKeys,
}

impl TextForm {
    /// Stands for runs of spaces and tabs as a delimiter. No text in UTF-8 has this byte.
    pub const SPACES: u8 = 0xf8;

    /// Most lines that may be skipped.
    pub const MOST_SKIPPED: u64 = 1_000;

    /// Writes a delimiter as [`TextForm::parse_delimiter`] reads it.
    pub fn delimiter_name(delimiter: u8) -> String {
        match delimiter {
            b'\t' => "tab".to_owned(),
            TextForm::SPACES => "spaces".to_owned(),
            other => char::from(other).to_string(),
        }
    }

    /// Returns the name that a column of the table has in the file, in lower case.
    pub fn name_in_file(&self, column: &str) -> String {
        let from = self.from.get(column);
        from.map_or_else(|| column.to_owned(), |name| name.trim().to_lowercase())
    }

    /// Returns how the numbers of a column are written; `None` if they are plain ones.
    pub fn number_form(&self, column: &str) -> Option<&NumberForm> {
        let signs = self.signs.get(column);
        signs.or_else(|| NumberForm::of_file(self.decimal, self.thousands))
    }

    /// Returns the names that a column of the table has in the file, in lower case: one, or those of its parts.
    pub fn names_in_file(&self, column: &str) -> Vec<String> {
        match self.joined.get(column) {
            Some(parts) => {
                let parts = parts.iter();
                parts.map(|name| name.trim().to_lowercase()).collect()
            }
            None => vec![self.name_in_file(column)],
        }
    }

    /// Returns whether a cell stands for no value; empty ones are known to.
    pub fn is_null(&self, cell: &str) -> bool {
        !self.null.is_empty() && self.null.iter().any(|word| word == cell.trim())
    }

    /// Reads a delimiter as it is written: one character, or `spaces`, or `tab`, or `\t` where no quotes turn that
    /// into one.
    ///
    /// # Errors
    /// It is longer, or would be taken for a part of a field.
    pub fn parse_delimiter(written: &str) -> Result<u8, String> {
        let byte = match written.as_bytes() {
            b"tab" | b"\\t" => Some(b'\t'),
            b"spaces" => Some(TextForm::SPACES),
            [byte] => Some(*byte),
            _ => None,
        };
        let may_separate =
            |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\r' | b'\n');
        byte.filter(may_separate).ok_or_else(|| {
            format!(
                "`{}` cannot separate fields: a delimiter is `tab`, `spaces`, or one character of ASCII that is no \
                 letter, digit, quote or line end",
                written.escape_default()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::TextForm;

    #[test]
    fn a_delimiter_is_one_character_or_a_tab() {
        for (written, byte) in [
            ("tab", b'\t'),
            ("\t", b'\t'),
            ("\\t", b'\t'),
            (";", b';'),
            ("|", b'|'),
            (" ", b' '),
            ("spaces", TextForm::SPACES),
        ] {
            assert_eq!(TextForm::parse_delimiter(written), Ok(byte), "{written}");
            let name = TextForm::delimiter_name(byte);
            assert_eq!(TextForm::parse_delimiter(&name), Ok(byte), "{name}");
        }
        for written in ["", "ab", "||", "é", "x", "7", "\"", "\n", "\r"] {
            let error = TextForm::parse_delimiter(written).unwrap_err();
            assert!(error.contains("cannot separate fields"), "{error}");
        }
    }
}

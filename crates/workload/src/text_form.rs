//! How the lines of a CSV or TSV file are read.

use std::collections::BTreeMap;

use crate::TimeFormat;

/// Words that usually stand for no value.
pub const NULL_WORDS: [&str; 14] = [
    "NA", "N/A", "n/a", "na", "#N/A", "\\N", "NULL", "null", "Null", "None", "nil", "-", "--", "?",
];

/// What a CSV or TSV file itself does not say: by its name, or in its first line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextForm {
    /// Whether the first line is a row, so that no line names the columns.
    pub no_header: bool,
    /// Names of the fields of each line of a file without a header, in order. Those that are no columns
    /// of the table are skipped. Empty if the fields are the columns of the table, in its order.
    pub fields: Vec<String>,
    /// Byte between the fields; absent if the name of the file says it.
    pub delimiter: Option<u8>,
    /// Cells that are null besides empty ones, in columns of every type.
    pub null: Vec<String>,
    /// Name in the file of each column of the table that has another one there. Parquet files have names, too.
    pub from: BTreeMap<String, String>,
    /// Form of the times of timestamp columns that are not written as all others are.
    pub formats: BTreeMap<String, TimeFormat>,
    /// Largest share of the rows that are set aside because they cannot be read or lack their key, in
    /// millionths; absent if every row has to be readable.
    pub bad_rows: Option<u32>,
}

impl TextForm {
    /// Returns the name that a column of the table has in the file, in lower case.
    pub fn name_in_file(&self, column: &str) -> String {
        let from = self.from.get(column);
        from.map_or_else(|| column.to_owned(), |name| name.trim().to_lowercase())
    }

    /// Returns whether a cell stands for no value; empty ones are known to.
    pub fn is_null(&self, cell: &str) -> bool {
        !self.null.is_empty() && self.null.iter().any(|word| word == cell.trim())
    }

    /// Reads a delimiter as it is written: one character, or `tab`, or `\t` where no quotes turn that into
    /// one.
    ///
    /// # Errors
    /// It is longer, or would be taken for a part of a field.
    pub fn parse_delimiter(written: &str) -> Result<u8, String> {
        let byte = match written.as_bytes() {
            b"tab" | b"\\t" => Some(b'\t'),
            [byte] => Some(*byte),
            _ => None,
        };
        let may_separate =
            |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\r' | b'\n');
        byte.filter(may_separate).ok_or_else(|| {
            format!(
                "`{}` cannot separate fields: a delimiter is `tab`, or one character of ASCII that is no \
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
        ] {
            assert_eq!(TextForm::parse_delimiter(written), Ok(byte), "{written}");
        }
        for written in ["", "ab", "||", "é", "x", "7", "\"", "\n", "\r"] {
            let error = TextForm::parse_delimiter(written).unwrap_err();
            assert!(error.contains("cannot separate fields"), "{error}");
        }
    }
}

//! Finds out what separates the fields of a text file, and whether its first line names them.

use super::evidence::NULL_WORDS;
use super::times::meant;
use crate::TimeFormat;
use crate::source::file::fields::{FieldReader, FieldsError};
use crate::source::file::input::TextInput;

/// Bytes that separate fields, in the order in which they are tried.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Records that are looked at.
const RECORDS: usize = 200;

/// Returns the byte that separates the fields of most records alike; the one that the name of the file says if
/// it does, and `None` if no byte does.
pub fn delimiter(input: &TextInput) -> Result<Option<u8>, FieldsError> {
    let named = [input.delimiter];
    let mut best: Option<(usize, u8)> = None;
    for delimiter in named.into_iter().chain(DELIMITERS) {
        let (fields, share) = match records(input, delimiter) {
            Ok(found) => found,
            // A quote of a text that has none may never be closed.
            Err(FieldsError::Endless { .. }) => continue,
            Err(error) => return Err(error),
        };
        if fields < 2 || share < 0.8 {
            continue;
        }
        if delimiter == input.delimiter {
            return Ok(Some(delimiter));
        }
        if best.is_none_or(|(most, _)| fields > most) {
            best = Some((fields, delimiter));
        }
    }
    Ok(best.map(|(_, delimiter)| delimiter))
}

/// Returns the number of fields of the first record, and the share of the first records that have as many.
fn records(input: &TextInput, delimiter: u8) -> Result<(usize, f64), FieldsError> {
    let mut reader = FieldReader::new(input.open(), delimiter);
    let (mut first, mut same, mut all) = (0, 0, 0);
    while all < RECORDS
        && let Some(fields) = reader.read()?
    {
        if all == 0 {
            first = fields.len();
        }
        all += 1;
        same += usize::from(fields.len() == first);
    }
    Ok((first, same as f64 / all.max(1) as f64))
}

/// Returns whether a line names columns: none of its fields is a number, a time or a word for no value.
pub fn names_columns(fields: &[String]) -> bool {
    let is_value = |field: &String| {
        let field = field.trim();
        field.parse::<f64>().is_ok()
            || NULL_WORDS.contains(&field)
            || meant(&TimeFormat::Iso, field).is_some()
            || ["true", "false"].contains(&field.to_lowercase().as_str())
    };
    let is_empty = |field: &String| field.trim().is_empty();
    !fields.iter().any(is_value) && !fields.iter().all(is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextForm;

    fn sniffed(name: &str, text: &str) -> Option<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let form = TextForm {
            no_header: true,
            delimiter: (!name.ends_with("sv")).then_some(b','),
            ..TextForm::default()
        };
        delimiter(&TextInput::new(&[path], &form).unwrap()).unwrap()
    }

    #[test]
    fn delimiters_are_found_whatever_the_name_says() {
        assert_eq!(sniffed("a.csv", "a,b\n1,2\n"), Some(b','));
        assert_eq!(sniffed("a.csv", "a;b;c\n1,5;2;3\n1;2;3\n"), Some(b';'));
        assert_eq!(sniffed("a.csv", "a\tb\n1,5\t2\n"), Some(b'\t'));
        assert_eq!(sniffed("a.tsv", "a\tb\n\"1,5\t2\n"), Some(b'\t'));
        assert_eq!(sniffed("a.txt", "a|b|c\n1|2|3\n"), Some(b'|'));
        assert_eq!(sniffed("a.csv", "a\n1\n2\n"), None);
        assert_eq!(sniffed("a.csv", ""), None);
    }

    #[test]
    fn a_first_line_with_values_is_a_row() {
        let names = |fields: &[&str]| {
            names_columns(&fields.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>())
        };
        assert!(names(&["time", "Flight Date", ""]));
        for row in [&["a", "1"], &["2024-01-02", "x"], &["NA", "x"], &["", ""]] {
            assert!(!names(row), "{row:?}");
        }
    }
}

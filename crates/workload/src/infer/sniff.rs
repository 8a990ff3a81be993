//! Finds out what separates the fields of a text file, and whether its first line names them.

use super::times::{are_of_one_form, meant};
use crate::number_form::{grouped, has_decimal_comma};
use crate::source::file::fields::{FieldReader, FieldsError};
use crate::source::file::input::TextInput;
use crate::{NULL_WORDS, TimeFormat};

/// Bytes that separate fields, in the order in which they are tried.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Records that are looked at.
const RECORDS: usize = 200;

/// Returns the byte that separates the fields of most records alike; the one that the name of the file says if
/// it does, and `None` if no byte does. One that is not in the first record is none if another one divides all alike,
/// and a comma is none where all commas are before decimals.
pub fn delimiter(input: &TextInput) -> Result<Option<u8>, FieldsError> {
    if let Some(delimiter) = beside_decimal_commas(input)? {
        return Ok(Some(delimiter));
    }
    let named = [input.delimiter];
    let mut dividing: Vec<(u8, Division)> = Vec::new();
    for delimiter in named.into_iter().chain(DELIMITERS) {
        let division = match records(input, delimiter) {
            Ok(division) => division,
            // A quote of a text that has none may never be closed.
            Err(FieldsError::Endless { .. }) => continue,
            Err(error) => return Err(error),
        };
        if division.fields < 2 || division.share < 0.8 {
            continue;
        }
        if delimiter == input.delimiter && division.of_first > 1 {
            return Ok(Some(delimiter));
        }
        dividing.push((delimiter, division));
    }
    if dividing.iter().any(|(_, division)| division.share >= 1.0) {
        dividing.retain(|(_, division)| division.of_first > 1);
    }
    if dividing
        .iter()
        .any(|(delimiter, _)| *delimiter == input.delimiter)
    {
        return Ok(Some(input.delimiter));
    }
    // Of those with equally many fields the first, which `max_by_key` would find last.
    let best = { dividing.iter().rev() }.max_by_key(|(_, division)| division.fields);
    Ok(best.map(|(delimiter, _)| *delimiter))
}

/// Returns the byte that divides all records alike where each of their commas is before the decimals of a number, so
/// that commas divide nothing. Commas in the first record may be those of names.
fn beside_decimal_commas(input: &TextInput) -> Result<Option<u8>, FieldsError> {
    for delimiter in DELIMITERS.into_iter().filter(|byte| *byte != b',') {
        let divided = input.divided_at(delimiter);
        let mut reader = FieldReader::new(divided.open(), delimiter);
        let (mut records, mut fields, mut commas) = (0, 0, 0);
        let is_it = loop {
            let read = match reader.read() {
                Ok(Some(read)) if records < RECORDS => read,
                Ok(_) => break records > 1 && commas > 0,
                // A quote of a text that has none may never be closed.
                Err(FieldsError::Endless { .. }) => break false,
                Err(error) => return Err(error),
            };
            let of_commas = (0..read.len()).filter_map(|place| read.get(place));
            let of_commas: Vec<&str> = of_commas.filter(|field| field.contains(',')).collect();
            let are_decimal = of_commas.iter().all(|field| has_decimal_comma(field));
            let is_alike = read.len() > 1 && (records == 0 || read.len() == fields);
            if !is_alike || records > 0 && !are_decimal {
                break false;
            }
            commas += if are_decimal { of_commas.len() } else { 0 };
            fields = read.len();
            records += 1;
        };
        if is_it {
            return Ok(Some(delimiter));
        }
    }
    Ok(None)
}

/// How a byte divides the first records of a text.
struct Division {
    /// Fields that most of them have.
    fields: usize,
    /// Share of the records that have as many, from 0 to 1.
    share: f64,
    /// Fields of the first record.
    of_first: usize,
}

/// Divides the first records at a byte.
fn records(input: &TextInput, delimiter: u8) -> Result<Division, FieldsError> {
    let input = input.divided_at(delimiter);
    let mut reader = FieldReader::new(input.open(), delimiter);
    let mut lengths = Vec::new();
    while lengths.len() < RECORDS
        && let Some(fields) = reader.read()?
    {
        lengths.push(fields.len());
    }
    let (fields, share) = usual(&lengths);
    Ok(Division {
        fields,
        share,
        of_first: lengths.first().copied().unwrap_or_default(),
    })
}

/// Returns the most frequent of these numbers, of equally frequent ones the first, and its share.
fn usual(numbers: &[usize]) -> (usize, f64) {
    let mut times: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match times.iter_mut().find(|(known, _)| known == number) {
            Some((_, times)) => *times += 1,
            None => times.push((*number, 1)),
        }
    }
    let most = times.iter().rev().max_by_key(|(_, times)| *times);
    let (number, times) = most.copied().unwrap_or_default();
    (number, times as f64 / numbers.len().max(1) as f64)
}

/// Returns the number of words that most lines have, if spaces may separate their fields: at least three, or two in all
/// lines, of which the second is a number.
pub fn words(input: &TextInput) -> Result<Option<usize>, FieldsError> {
    // A byte that no text has, so that each line is one field.
    const NONE: u8 = 0x1f;
    let mut reader = FieldReader::new(input.open(), NONE);
    let mut words = Vec::new();
    // Second words after the first line, which may name the columns.
    let (mut numbers, mut texts) = (0, 0);
    while words.len() < RECORDS {
        match reader.read() {
            Ok(Some(fields)) => {
                let line = fields.get(0).unwrap_or_default();
                if let Some(second) = line.split_whitespace().nth(1)
                    && !words.is_empty()
                    && !NULL_WORDS.contains(&second)
                {
                    let is_number = second.parse::<f64>().is_ok() || has_decimal_comma(second);
                    numbers += u64::from(is_number);
                    texts += u64::from(!is_number);
                }
                words.push(line.split_whitespace().count());
            }
            Ok(None) => break,
            // A quote of a text that has none may never be closed.
            Err(FieldsError::Endless { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let (most, share) = usual(&words);
    let are_pairs = most == 2 && share >= 1.0 && numbers > 0 && texts == 0;
    let are_fields = are_pairs || most >= 3 && share >= 0.8;
    Ok((words.len() > 1 && are_fields).then_some(most))
}

/// Returns whether a line names columns: none of its fields is a number, a time or a word for no value. Times in other
/// forms than ISO 8601 are some if the next line has one in the same field and form, since names may look like them.
pub fn names_columns(fields: &[String], next: &[String]) -> bool {
    let is_value = |field: &String| {
        let field = field.trim();
        field.parse::<f64>().is_ok()
            || has_decimal_comma(field)
            || grouped(field).is_some()
            || NULL_WORDS.contains(&field)
            || meant(&TimeFormat::Iso, field).is_some()
            || ["true", "false"].contains(&field.to_lowercase().as_str())
    };
    let is_empty = |field: &String| field.trim().is_empty();
    let mut both = fields.iter().zip(next);
    let has_times = both.any(|(field, next)| are_of_one_form(field.trim(), next.trim()));
    !has_times && !fields.iter().any(is_value) && !fields.iter().all(is_empty)
}

/// Returns the number of fields without a name, if they are most of the first line, which may be a title.
pub fn unnamed_of_title(fields: &[String]) -> Option<usize> {
    let unnamed = fields.iter().filter(|field| field.trim().is_empty());
    let unnamed = unnamed.count();
    (unnamed > 1 && unnamed * 2 > fields.len()).then_some(unnamed)
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
        assert_eq!(sniffed("a.csv", "1,5;2,75\n1,25;3,5\n"), Some(b';'));
        assert_eq!(sniffed("a.csv", "T, C;v, m/s\n1,5;3\n1;2,5\n"), Some(b';'));
        assert_eq!(sniffed("a.csv", "a;1,b\nc;2,d\n"), Some(b','));
        assert_eq!(sniffed("a.csv", "1,2;3,4,5\n6,7;8,9,0\n"), Some(b','));
        assert_eq!(sniffed("a.csv", "a\n1\n2\n"), None);
        assert_eq!(sniffed("a.csv", ""), None);
    }

    #[test]
    fn a_byte_that_the_first_line_lacks_is_no_delimiter_where_another_divides_all_lines() {
        let rows: String = (0..9).map(|row| format!("a;{row};{row},5\n")).collect();
        let text = format!("place;time;value\n{rows}");
        assert_eq!(sniffed("a.csv", &text), Some(b';'));
        assert_eq!(sniffed("a.txt", &text), Some(b';'));
        let titled = format!("title\nplace,value\n{}", "a;b,1\n".repeat(9));
        assert_eq!(sniffed("a.csv", &titled), Some(b','));
    }

    fn owned(fields: &[&str]) -> Vec<String> {
        fields.iter().map(|field| (*field).to_owned()).collect()
    }

    #[test]
    fn a_first_line_with_values_is_a_row() {
        let names = |fields: &[&str]| names_columns(&owned(fields), &[]);
        assert!(names(&["time", "Flight Date", ""]));
        for row in [
            &["a", "1"],
            &["a", "1,5"],
            &["a", "1 000"],
            &["a", "1'000'000"],
            &["2024-01-02", "x"],
            &["NA", "x"],
            &["", ""],
        ] {
            assert!(!names(row), "{row:?}");
        }
        let first = owned(&["place", "1/22/20", "1/23/20"]);
        assert!(names_columns(&first, &owned(&["chad", "5", "7"])));
        let first = owned(&["29.03.1958 10:00", "x"]);
        assert!(!names_columns(&first, &owned(&["30.03.1958 10:00", "x"])));
    }

    #[test]
    fn spaces_that_divide_all_lines_alike_and_titles_are_noticed() {
        let words_of = |text: &str| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.csv");
            std::fs::write(&path, text).unwrap();
            let form = TextForm {
                no_header: true,
                ..TextForm::default()
            };
            words(&TextInput::new(&[path], &form).unwrap()).unwrap()
        };
        assert_eq!(words_of("year mon  value\n1950   1  2.5\n"), Some(3));
        assert_eq!(words_of("note\nno rain, no sun\nthe end of it\n"), None);
        assert_eq!(words_of("first last\nada lovelace\n"), None);
        let pairs = "2026-03-01T00:00:00 11.819\n2026-03-01T00:01:00  NA\n2026-03-01T00:02:00 12\n";
        assert_eq!(words_of(pairs), Some(2));
        assert_eq!(words_of(&format!("time value\n{pairs}")), Some(2));
        assert_eq!(words_of(&pairs.replace("11.819", "11,819")), Some(2));
        assert_eq!(words_of(&format!("time\n{pairs}")), None);
        let times = "2026-03-01 00:00:00\n2026-03-01 00:01:00\n";
        assert_eq!(words_of(times), None, "one time with a space");
        assert_eq!(unnamed_of_title(&owned(&["Spectra", "", "", " "])), Some(3));
        assert_eq!(unnamed_of_title(&owned(&["", "a", "b"])), None);
        assert_eq!(unnamed_of_title(&owned(&["a", ""])), None);
    }
}

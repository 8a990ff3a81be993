//! Finds lines at the beginning of a text that are no rows: titles before the names of columns, and units and other
//! names after them.

use super::sniff::names_columns;
use super::times::{are_of_one_form, meant};
use crate::number_form::{grouped, has_decimal_comma};
use crate::source::file::fields::{FieldReader, FieldsError};
use crate::source::file::input::TextInput;
use crate::{NULL_WORDS, TextForm, TimeFormat};

/// Records that are looked at, and the most of them that may come before the names.
const RECORDS: usize = 200;
const MOST_BEFORE: usize = 20;

/// Fields of all these records, and their bytes, that are kept; a record more may be.
const MOST_FIELDS: usize = 1 << 18;
const MOST_BYTES: u64 = 16 << 20;

/// Rows after the names by which units are told from values, and the most lines of these and of other names.
const ROWS: usize = 5;
const MOST_AFTER: usize = 2;

/// Lines that are no rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Head {
    /// Lines before the one that names the columns.
    pub skipped: u64,
    /// Lines after that with units or other names.
    pub after_names: u64,
}

/// Finds such lines where they are unmistakable.
pub fn head(input: &TextInput) -> Result<Head, FieldsError> {
    let mut reader = FieldReader::new(input.open(), input.delimiter);
    let mut records: Vec<(u64, Vec<String>)> = Vec::new();
    let (mut kept, mut bytes) = (0, 0);
    while records.len() < RECORDS && kept < MOST_FIELDS && bytes < MOST_BYTES {
        match reader.read() {
            Ok(Some(fields)) => {
                kept += fields.len();
                bytes = fields.bytes.end;
                records.push((fields.line, fields.all()));
            }
            Ok(None) => break,
            // A title may have a quote that is never closed.
            Err(FieldsError::Endless { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    let fields: Vec<&[String]> = records.iter().map(|(_, fields)| &fields[..]).collect();
    let Some(names) = names_at(&fields) else {
        return Ok(Head::default());
    };
    let skipped = if names == 0 { 0 } else { records[names].0 - 1 };
    if skipped > TextForm::MOST_SKIPPED {
        return Ok(Head::default());
    }
    let last = names + lines_without_values(&fields[names + 1..]);
    // With blank ones between them, which are no records.
    let after_names = records[last].0 - records[names].0;
    // Lines are skipped without a look at their quotes.
    let has_line_breaks = fields[names..=last]
        .iter()
        .flat_map(|record| record.iter())
        .any(|field| field.contains('\n'));
    let is_usable = after_names <= TextForm::MOST_SKIPPED && !has_line_breaks;
    Ok(Head {
        skipped,
        after_names: if is_usable { after_names } else { 0 },
    })
}

/// Returns the place of the record that names the columns: the first that is followed by records with as many fields,
/// where all before have others or are mostly empty.
fn names_at(records: &[&[String]]) -> Option<usize> {
    let filled = |record: &[String]| record.iter().filter(|f| !f.trim().is_empty()).count();
    let place = (0..records.len().min(MOST_BEFORE + 1)).find(|place| {
        let (record, after) = (records[*place], &records[place + 1..]);
        let alike = after.iter().filter(|other| other.len() == record.len());
        let is_title = filled(record) * 2 < record.len();
        after.len() >= 2 && alike.count() * 5 >= after.len() * 4 && !is_title
    })?;
    let record = records[place];
    if place == 0 {
        return names_columns(record, records[1]).then_some(0);
    }
    let before = &records[..place];
    let are_short =
        { before.iter() }.all(|b| b.len() != record.len() || filled(b) * 2 < record.len());
    // Where all rows are words, a line of words may be a row.
    let mut rows = records[place + 1..].iter().take(ROWS);
    let have_values = rows.any(|row| !names_columns(row, &[]));
    let mut names: Vec<&str> = record.iter().map(|name| name.trim()).collect();
    names.sort_unstable();
    let are_distinct = names.windows(2).all(|pair| pair[0] != pair[1]);
    let is_header = record.len() > 1
        && filled(record) == record.len()
        && are_distinct
        && names_columns(record, records[place + 1]);
    (are_short && is_header && have_values).then_some(place)
}

/// Returns how many of the first rows, as many as there may be, have no number where all later ones do, in at least
/// half of the columns.
fn lines_without_values(rows: &[&[String]]) -> usize {
    let are_some = |lines: &usize| {
        let Some((first, others)) = rows.split_at_checked(*lines) else {
            return false;
        };
        first.iter().all(|line| has_no_values(line, others))
    };
    (1..=MOST_AFTER).rev().find(are_some).unwrap_or(0)
}

/// Returns whether a line has no number where all these rows do, in at least half of the columns, and no time.
fn has_no_values(line: &[String], rows: &[&[String]]) -> bool {
    let rows = rows.iter().filter(|row| row.len() == line.len());
    let rows: Vec<&&[String]> = rows.take(ROWS).collect();
    if rows.len() < 3 || has_times(line, rows[0]) {
        return false;
    }
    let is_number = |field: &str| {
        field.parse::<f64>().is_ok() || has_decimal_comma(field) || grouped(field).is_some()
    };
    let of_numbers =
        (0..line.len()).filter(|column| rows.iter().all(|row| is_number(row[*column].trim())));
    let units: Vec<&str> = of_numbers.map(|column| line[column].trim()).collect();
    let is_none = |word: &&str| NULL_WORDS.contains(word) || [".", "*"].contains(word);
    let is_unit = |unit: &&str| !is_number(unit) && !is_none(unit);
    units.len() * 2 >= line.len()
        && units.iter().all(is_unit)
        && units.iter().any(|unit| !unit.is_empty())
}

/// Returns whether a line has a time, of the form of ISO 8601 or of that in the same column of a row.
fn has_times(line: &[String], row: &[String]) -> bool {
    let mut both = line.iter().zip(row);
    both.any(|(field, other)| {
        let (field, other) = (field.trim(), other.trim());
        meant(&TimeFormat::Iso, field).is_some() || are_of_one_form(field, other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (u64, u64) {
        found_by(b',', text)
    }

    fn found_by(delimiter: u8, text: &str) -> (u64, u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        std::fs::write(&path, text).unwrap();
        let form = TextForm {
            no_header: true,
            delimiter: Some(delimiter),
            ..TextForm::default()
        };
        let head = head(&TextInput::new(&[path], &form).unwrap()).unwrap();
        (head.skipped, head.after_names)
    }

    #[test]
    fn titles_and_stations_come_before_the_names() {
        let rows = "1/1,1,2.5\n1/1,2,2.5\n1/1,3,2.5\n";
        for before in [
            "703165,\"SAND POINT\",AK,-9.0,55.317,-160.517,7\n",
            "Spectra of 2003,,\n",
            "a title\n\nby someone\n",
        ] {
            let lines = before.lines().count() as u64;
            let text = format!("{before}Date (MM/DD),Hour,Sun (W/m^2)\n{rows}");
            assert_eq!(found(&text), (lines, 0), "{before}");
        }
    }

    #[test]
    fn rows_and_names_are_not_skipped() {
        for text in [
            "day,hour,sun\n1,1,2\n1,2,3\n",
            "1,2,3\n4,5,6\n7,8,9\n",
            "a,,\nx,1,2\ny,1,2\n",
            "a,,\nx,y,z\nu,v,w\nr,s,t\n",
            "a,b\n1,2,3\n",
            "a\n1\n2\n",
            "",
        ] {
            assert_eq!(found(text), (0, 0), "{text}");
        }
    }

    #[test]
    fn units_are_told_from_values() {
        let rows = "a,1,2.5\na,2,2.5\nb,3,2.5\n";
        let text = |second: &str| format!("room,time,heat\n{second}{rows}");
        assert_eq!(found(&text(",s,degC\n")), (0, 1));
        assert_eq!(found(&format!("title\n{}", text("-,[s],[K]\n"))), (1, 1));
        let commas = text(",s,degC\n").replace(',', ";").replace("2.5", "2,5");
        assert_eq!(found_by(b';', &commas), (0, 1));
        let commas = text("").replace(',', ";").replace("2.5", "2,5");
        assert_eq!(found_by(b';', &commas), (0, 0));
        for second in ["", "a,NA,NA\n", "a,,\n", "a,0,x\n", "a,.,.\n"] {
            assert_eq!(found(&text(second)), (0, 0), "{second}");
        }
        let two = "Units,s,degC\n[0],lib_time,lib_heat\n";
        assert_eq!(found(&text(two)), (0, 2));
        for (lines, after) in [
            (",s,degC\na,7,2.5\n", 1),
            ("\n,s,degC\n[0],x,y\n", 3),
            ("a,0,x\n,s,degC\n", 0),
            (",s,degC\n,,\n", 0),
        ] {
            assert_eq!(found(&text(lines)), (0, after), "{lines}");
        }
        // A line with a time is a row, and lines in quotes are not skipped one by one.
        let rows = "2024-01-03,1\n2024-01-04,2\n2024-01-05,3\n";
        for lines in ["2024-01-01,none\n2024-01-02,none\n", "\"the\nday\",mm\n"] {
            assert_eq!(
                found(&format!("day,rain\n{lines}{rows}")),
                (0, 0),
                "{lines}"
            );
        }
        assert_eq!(found(&format!("day,rain\nUTC,mm\n{rows}")), (0, 1));
    }
}

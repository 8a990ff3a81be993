//! Finds what is wrong with a text file, and at which line. The file is read again from its start
//! for this, so that reading a good file costs nothing extra.
//!
//! Records are counted from 0. The first one is the header, if there is one.

use super::decode::{
    DecodeError, FirstRecord, MAX_HEADER_BYTES, MAX_RECORD_BYTES, Records, decoder, first_record,
};
use super::input::TextInput;
use super::joined::place;
use super::part::Part;
use super::{BadCell, data_error, read_error};
use crate::{Error, Result};

/// What to do about text in another encoding.
pub const WRITE_UTF8: &str = "write the file in UTF-8";

/// Makes the error for records from number `first` on.
pub fn decode_error(file: &TextInput, first: u64, error: DecodeError) -> Error {
    let located = match error {
        DecodeError::Io(error) => Err(read_error(file.path(), error)),
        DecodeError::Malformed => malformed(file, first),
        DecodeError::Endless { complete_records } => endless(file, first + complete_records as u64),
        DecodeError::TooLongTogether => Err(data_error(
            file.path(),
            format!("the rows after row {first} are too long to be read together"),
        )),
    };
    located.unwrap_or_else(|error| error)
}

/// Makes the error for a cell in a batch that begins with row `first_row`.
pub fn bad_cell(file: &TextInput, first_row: u64, bad: BadCell) -> Error {
    match records_at(file, file.record_of(first_row + bad.row as u64)) {
        Ok(records) => row_error(file, records.line, bad.message),
        Err(error) => error,
    }
}

fn malformed(file: &TextInput, first: u64) -> Result<Error> {
    let mut records = records_at(file, first)?;
    let mut decoder = decoder(&file.format, file.fields, &[0], 1);
    let mut bad = first;
    while let Ok(Some(_)) = records.read(&mut decoder) {
        bad += 1;
    }
    let records = records_at(file, bad)?;
    let message = match first_record(&file.format, records.input) {
        FirstRecord::Fields(fields) => {
            let first = fields.first().map_or("", String::as_str);
            wrong_record(first, fields.len(), file)
        }
        FirstRecord::NotUtf8 => format!("not UTF-8 text; {WRITE_UTF8}"),
        FirstRecord::TooLong => format!(
            "more than {} MiB, but not {}",
            MAX_HEADER_BYTES >> 20,
            expected_fields(file)
        ),
    };
    Ok(row_error(file, records.line, message))
}

/// Describes a record with a wrong number of fields, of which this is the first one. Where lines are JSON it says
/// what is wrong with its line.
pub fn wrong_record(first: &str, fields: usize, file: &TextInput) -> String {
    if file.is_json {
        first.to_owned()
    } else {
        wrong_number(fields, file)
    }
}

/// Describes a record with a wrong number of fields.
pub fn wrong_number(fields: usize, file: &TextInput) -> String {
    let plural = if fields == 1 { "" } else { "s" };
    format!(
        "{fields} field{plural} instead of {}",
        expected_fields(file)
    )
}

/// Returns how many fields a record has to have, and who says so.
fn expected_fields(file: &TextInput) -> String {
    format!("the {} {}", file.fields, file.counted_by)
}

fn endless(file: &TextInput, record: u64) -> Result<Error> {
    let line = records_at(file, record)?.line;
    let message = format!(
        "the row that begins here takes more than {} MiB; is a quote opened and never closed?",
        MAX_RECORD_BYTES >> 20
    );
    Ok(row_error(file, line, message))
}

/// Returns the records of the file from this one on.
fn records_at(file: &TextInput, record: u64) -> Result<Records> {
    let mut records = Records::new(file.open(), file.record_end());
    records
        .skip(&file.format, file.fields, record)
        .map_err(|error| match error {
            DecodeError::Io(error) => read_error(file.path(), error),
            _ => data_error(file.path(), "the file has changed while it was read"),
        })?;
    records
        .skip_line_ends()
        .map_err(|error| read_error(file.path(), error))?;
    Ok(records)
}

/// Makes an error about a line of the whole text, which names the file and the line in it.
fn row_error(file: &TextInput, line: u64, message: String) -> Error {
    match place(&file.parts, file.header, line) {
        Ok(Some((part, line))) => error_in(file, part, line, message),
        Ok(None) => data_error(file.path(), message),
        Err(error) => read_error(file.path(), error),
    }
}

/// Makes an error about a line of a part.
pub fn error_in(file: &TextInput, part: &Part, line: u64, message: String) -> Error {
    let in_zip = match part.name_in_zip() {
        Some(name) if has_other_parts(file, part) => format!("of `{name}` in it: "),
        _ => String::new(),
    };
    Error::Row {
        path: part.path.clone(),
        line,
        message: format!("{in_zip}{message}"),
    }
}

/// Returns whether the file of a part has other parts, too.
fn has_other_parts(file: &TextInput, part: &Part) -> bool {
    let parts = file.parts.iter();
    parts.filter(|other| other.path == part.path).count() > 1
}

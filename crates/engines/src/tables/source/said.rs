//! What is said of a file of text, which it does not say itself.

use std::path::Path;

use arrow::datatypes::{DataType, Field, TimeUnit};
use bakeoff_columnar::{Column, Kind};
use bakeoff_workload::{DecimalMark, ThousandsMark, TimeFormat, Zone, suggestion};

use super::TableError;

/// What a text file does not say itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SaidOfText {
    /// Words that stand for no value.
    pub null: Vec<String>,
    /// What is before the decimals of numbers.
    pub decimal: DecimalMark,
    /// What is before each three digits of numbers; if it is not said, any other mark may be with a decimal comma, and
    /// none with a decimal point.
    pub thousands: Option<ThousandsMark>,
    /// Zone of times that say no offset from UTC; they are in UTC without it.
    pub zone: Option<Zone>,
    /// A time that is put together from columns.
    pub join: Option<JoinedTime>,
}

/// A timestamp that is put together from several columns of a text file.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedTime {
    /// Its name, in lower case.
    pub name: String,
    /// Names of the columns, in lower case and in the order of the form.
    pub parts: Vec<String>,
    /// How it is written, with a space between each two parts; `None` for ISO 8601.
    pub format: Option<TimeFormat>,
}

impl SaidOfText {
    /// Checks that the marks of numbers are two.
    ///
    /// # Errors
    /// The same one is before decimals and before three digits.
    pub(super) fn check(&self) -> Result<(), TableError> {
        let Some(mark) = self.thousands else {
            return Ok(());
        };
        let checked = mark.check(self.decimal);
        checked.map_err(|why| TableError::Asked(format!("--thousands {}: {why}", mark.written())))
    }

    /// Checks that the times of these columns can be those of a zone, if one is said.
    ///
    /// # Errors
    /// Some are finer than a millisecond, which are read in UTC.
    pub(super) fn check_kinds(&self, columns: &[Column]) -> Result<(), TableError> {
        let finer = columns.iter().find(|column| column.kind == Kind::Nanotime);
        match (&self.zone, finer) {
            (Some(zone), Some(Column { name, .. })) => Err(TableError::Asked(format!(
                "--zone {}: `{name}` is a nanotime, and these are in UTC where the file says no offset: leave --zone \
                 out, or make it a timestamp with --types {name}=timestamp, whose times have no more than milliseconds",
                zone.name()
            ))),
            _ => Ok(()),
        }
    }
}

impl JoinedTime {
    /// Returns whether a column, whose name is in lower case, is a part of it.
    pub fn has(&self, column: &str) -> bool {
        self.parts.iter().any(|part| part == column)
    }

    /// Returns the field that it is among those of a file.
    ///
    /// # Errors
    /// A part is not among them.
    pub(super) fn field(&self, fields: &[Field]) -> Result<Field, TableError> {
        let lower = fields
            .iter()
            .map(|field| field.name().trim().to_lowercase());
        let names: Vec<String> = lower.collect();
        match self.parts.iter().find(|part| !names.contains(part)) {
            Some(missing) => {
                let hint = suggestion(missing, names.iter().map(String::as_str));
                Err(TableError::Asked(format!(
                    "--join: the file has no column `{missing}`{hint}"
                )))
            }
            None => {
                let kind = DataType::Timestamp(TimeUnit::Millisecond, None);
                Ok(Field::new(&self.name, kind, true))
            }
        }
    }
}

/// Checks that nothing is said of a file with types that only one of text can have.
///
/// # Errors
/// There are words for null, marks of numbers, a zone, or a time that is put together.
pub fn check_typed(path: &Path, said: &SaidOfText) -> Result<(), TableError> {
    let path = path.display();
    let message = if !said.null.is_empty() {
        format!("--null: the format of {path} has nulls; leave the option out")
    } else if said.decimal != DecimalMark::Point {
        format!("--decimal: {path} has numbers, and no text of them; leave the option out")
    } else if said.thousands.is_some() {
        format!("--thousands: {path} has numbers, and no text of them; leave the option out")
    } else if said.zone.is_some() {
        format!("--zone: {path} has times, and no text of them; leave the option out")
    } else if said.join.is_some() {
        format!(
            "--join: it puts times together from columns of text, and {path} has types: write the time to it as one \
             timestamp, and leave the option out"
        )
    } else {
        return Ok(());
    };
    Err(TableError::Asked(message))
}

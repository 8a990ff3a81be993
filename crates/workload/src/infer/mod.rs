//! Finds out what a file of rows is: its columns with their types, its key, and what stands for no value.
//!
//! [`infer`] reads the whole file once for its columns, once more where a time stands in several of them, and at least
//! once more for its key, in bounded memory;
//! [`Inferred::workload`] writes what was found as a commented workload. A table that a statement declares has no rows
//! to look at: [`Inferred::declared`] guesses at them.

mod columns;
mod declared;
mod distinct;
mod evidence;
mod found;
mod from_declared;
mod guessed_form;
mod guesses;
mod head;
mod key;
mod keys;
mod mix;
mod names;
mod origin;
mod questions;
mod repeats;
mod rows;
mod sequence;
mod signs;
mod sniff;
mod split_times;
mod text;
mod times;
mod typed;
mod write;
mod yearless;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use crate::{ColumnType, DecimalMark, Result, ThousandsMark, TimeFormat, Zone};
pub use declared::{Declared, DeclaredColumn, DeclaredForm};
pub use mix::{AskedMix, AskedOperation};
pub use names::{is_reserved, name as plain_name};
pub use origin::Origin;
use rows::FileRows;

/// What is known of a file before it is read.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Column by which rows are ordered in time.
    pub time: Option<String>,
    /// Columns by which rows belong together; none if they are to be found.
    pub key: Vec<String>,
    /// Columns by which rows are ordered among those of `key`, if both are the whole key of a table; `None` if only
    /// a time orders them.
    pub order: Option<Vec<String>>,
    /// Words that stand for no value; `None` for those that usually do.
    pub null: Option<Vec<String>>,
    /// Whether the first line names the columns; `None` if that is to be found.
    pub header: Option<bool>,
    /// Byte between the fields, or [`crate::TextForm::SPACES`].
    pub delimiter: Option<u8>,
    /// Lines before the one that names the columns, or before the first row; `None` if they are to be found.
    pub skip_lines: Option<u64>,
    /// Columns with the form of their times.
    pub formats: Vec<(String, TimeFormat)>,
    /// What is before the decimals of numbers; `None` if that is to be found.
    pub decimal: Option<DecimalMark>,
    /// What is before each three digits of numbers; `None` if that is to be found.
    pub thousands: Option<ThousandsMark>,
    /// Zone of times that say no offset from UTC.
    pub zone: Option<Zone>,
    /// Names in questions, in lower case. Columns that are called so remain although they are only parts of a time, and
    /// the only one of several times that is called so orders rows unless `time` says otherwise.
    pub named: BTreeSet<String>,
    /// Number of questions.
    pub questions: usize,
    /// Names of columns by whose values questions find rows, in lower case, each with the number of questions that do.
    /// Where each row has a time of its own, a text that half of them or more find rows by says which rows belong
    /// together unless `key` does: the most frequent one.
    pub found_by: BTreeMap<String, usize>,
}

impl Asked {
    /// Returns whether questions name a column, by its name in the table or the one that is written in the file.
    fn names(&self, name: &str, written: &str) -> bool {
        self.named.contains(name) || self.named.contains(&written.trim().to_lowercase())
    }

    /// Returns how many questions find rows by the values of a column, which has these two names.
    fn finds_by(&self, name: &str, written: &str) -> usize {
        let number = self.found_by.get(name);
        let number = number.or_else(|| self.found_by.get(&written.trim().to_lowercase()));
        number.copied().unwrap_or(0)
    }
}

/// A question that the user asks, in SQL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedQuestion {
    /// Its name; `None` for one that tells its place among all.
    pub name: Option<String>,
    pub sql: String,
    /// Its parameters as the workload writes them, such as `room = { column = "room" }`; most have none.
    pub parameters: Vec<String>,
    /// What is said above it, line by line.
    pub about: Vec<String>,
}

/// What a file of rows is, or a folder of such files.
#[derive(Debug, Clone)]
pub struct Inferred {
    /// Name for the table, of the file's name.
    pub table: String,
    pub columns: Vec<InferredColumn>,
    /// Columns of the file that the table does not have, with the reasons.
    pub left_out: Vec<String>,
    /// Rows in all, and the most of them that cannot be read or lack their key; those with a key that an earlier row
    /// has are not among these.
    pub rows: u64,
    pub bad_rows: u64,
    /// Words that stand for no value, with how often they do.
    pub null: Vec<(String, u64)>,
    /// What says that numbers have a decimal comma, if they do.
    pub decimal_comma: Option<String>,
    /// What is before each three digits of numbers, and what says so, unless it may be anything beside a decimal comma.
    pub thousands: Option<(ThousandsMark, String)>,
    /// Zone of times that say no offset from UTC.
    pub zone: Option<Zone>,
    /// Byte between the fields, where the name of the file does not say it.
    pub delimiter: Option<u8>,
    /// Whether spaces around the quotes of fields are no part of them.
    pub spaced_quotes: bool,
    pub no_header: bool,
    /// Lines that are skipped before the one that names the columns, or before the first row.
    pub skip_lines: u64,
    /// Lines after the one that names the columns that are no rows, such as one of units.
    pub lines_after_names: u64,
    /// Number of files that the rows are in.
    pub files: usize,
    /// Names for all fields of the file, in their order.
    pub fields: Vec<String>,
    /// Whether the file has types of its own.
    pub is_typed: bool,
    /// Names of columns.
    pub partition_key: Vec<String>,
    pub order_key: Vec<String>,
    /// Column with the times of the rows, if there is one that is a timestamp.
    pub time: Option<String>,
    /// First and last time and the end after it, in milliseconds since 1970.
    pub span: Option<Range<i64>>,
    /// Different values of the partition key's first column; 1 if that is the time.
    pub series: u64,
    /// Share of the rows whose key a row before had, from 0 to 1.
    pub repeated: f64,
    /// Number of keys of which one was counted: 1 if all were.
    pub counted_one_in: u64,
    /// What the user should know before anything else.
    pub notes: Vec<String>,
    /// Table of which the file is a sample, if it is one.
    pub origin: Option<Origin>,
    /// Generators of the columns, in their order, as the workload writes them; `None` if the rows are those of a file.
    pub made: Option<Vec<String>>,
    /// How the rows of the file go on beyond it, if they do.
    pub grown: Option<Grown>,
    /// The operations that are performed on the table, if they are known.
    pub mix: Option<AskedMix>,
}

/// How the rows of a file go on beyond it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grown {
    /// How far, as `grow` of a workload's `[data]` has it.
    pub words: String,
    /// Number of rows that there are then; 0 while it is not known.
    pub rows: u64,
}

/// A column that the table has.
#[derive(Debug, Clone)]
pub struct InferredColumn {
    pub name: String,
    /// Its name in the file, if that is another one.
    pub from: Option<String>,
    /// Names of the columns of the file of which it is put together, if it is a time that stands in several.
    pub joined: Vec<String>,
    /// Its value in all rows, if the file does not have it.
    pub constant: Option<String>,
    pub kind: ColumnType,
    /// Form of its times, if it has one that has to be said.
    pub format: Option<TimeFormat>,
    /// Signs that are left out of its numbers, if they have some.
    pub signs: Option<String>,
    /// What its values say of its type.
    pub evidence: String,
    /// Whose days and months questions ask for, if its times have others, or that all of its times are days.
    pub days: Option<String>,
    /// Different values; an estimate if there are many.
    pub distinct: u64,
    /// A number that about a tenth of its values exceed, or more if the highest one is frequent.
    pub high_value: Option<f64>,
}

/// Reads a file, or all files in a folder, and finds out what it is.
///
/// # Errors
/// It cannot be read; files in a folder differ; two of its columns have the same name; or a key cannot be found, or is
/// not there, which the error says together with the option that names it.
pub fn infer(path: &Path, asked: &Asked) -> Result<Inferred> {
    let mut rows = FileRows::open(path, asked)?;
    let seen = columns::see(path, &rows, asked)?;
    let seen = split_times::join(path, &mut rows, seen, asked)?;
    let key = key::find(path, &rows, &seen, asked)?;
    Ok(found::inferred(path, &rows, seen, key))
}

#[cfg(test)]
mod tests;

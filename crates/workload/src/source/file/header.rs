//! Finds the table's columns among those of a file.

use std::path::Path;

use super::data_error;
use crate::check::{nearest, quoted, usable_name};
use crate::{Column, Result, Table, TextForm};

/// Characters that separate the fields of most files, as they are written as a delimiter.
const DELIMITERS: [(char, &str); 4] = [('\t', "tab"), (',', ","), (';', ";"), ('|', "|")];

/// Returns the index in the file of each column of the table, regardless of case. Times are in one column each.
pub fn locate_columns(
    path: &Path,
    names: &[String],
    table: &Table,
    form: &TextForm,
) -> Result<Vec<usize>> {
    Ok(locate_parts(path, names, table, form)?.concat())
}

/// Returns the indexes in the file of each column of the table, regardless of case: one, or those of the parts of a
/// time that stands in several columns.
pub fn locate_parts(
    path: &Path,
    names: &[String],
    table: &Table,
    form: &TextForm,
) -> Result<Vec<Vec<usize>>> {
    let lower = names.iter().map(|name| name.trim().to_lowercase());
    let names = Names {
        path,
        written: names,
        lower: lower.collect(),
        table,
    };
    let columns = table.columns.iter();
    columns
        .map(|column| {
            let wanted = form.names_in_file(&column.name);
            let parts = wanted.iter().map(|wanted| names.locate(column, wanted));
            parts.collect::<Result<Vec<usize>>>()
        })
        .collect()
}

/// Names of the columns of a file in which those of a table are looked for.
struct Names<'a> {
    path: &'a Path,
    written: &'a [String],
    lower: Vec<String>,
    table: &'a Table,
}

impl Names<'_> {
    /// Returns the index of the name that a column of the table, or a part of it, has in the file.
    fn locate(&self, column: &Column, wanted: &str) -> Result<usize> {
        let names = &self.lower;
        let mut found = (0..names.len()).filter(|index| names[*index] == wanted);
        match (found.next(), found.next()) {
            (Some(index), None) => Ok(index),
            (Some(first), Some(second)) => Err(data_error(
                self.path,
                format!(
                    "column `{wanted}` appears twice, as number {} and {}",
                    first + 1,
                    second + 1
                ),
            )),
            (None, _) => {
                let unused = names
                    .iter()
                    .map(String::as_str)
                    .filter(|name| self.table.column(name).is_none());
                let hint = match spelled_otherwise(&column.name, self.written) {
                    Some(name) if wanted == column.name => format!(
                        "; it has `{name}`: say `{} = {name:?}` in [data.from]",
                        column.name
                    ),
                    _ => match nearest(wanted, unused) {
                        Some(name) => format!("; did you mean `{name}`?"),
                        None => all_of(names),
                    },
                };
                Err(data_error(
                    self.path,
                    format!("the file has no column `{wanted}`{hint}"),
                ))
            }
        }
    }
}

/// Lists the columns of a file at the end of a message, if they are few.
fn all_of(names: &[String]) -> String {
    const LISTED: usize = 12;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if names.is_empty() || names.len() > LISTED {
        String::new()
    } else {
        format!("; it has {}", quoted(&names))
    }
}

/// Checks that the first line of a file names any column of the table, if only nearly. Otherwise it probably is
/// no header, or something else separates its fields.
pub fn check_names(path: &Path, names: &[String], table: &Table, form: &TextForm) -> Result<()> {
    let lower: Vec<String> = names
        .iter()
        .map(|name| name.trim().to_lowercase())
        .collect();
    let is_named = |column: &Column| {
        let wanted = form.names_in_file(&column.name);
        wanted.iter().any(|name| lower.contains(name))
    };
    let is_meant = |column: &Column| {
        nearest(&column.name, lower.iter().map(String::as_str)).is_some()
            || spelled_otherwise(&column.name, names).is_some()
    };
    if table.columns.iter().any(is_named) || table.columns.iter().any(is_meant) {
        return Ok(());
    }
    let is_column = |field: &&str| table.column(&field.trim().to_lowercase()).is_some();
    let fits = |fields: &[&str]| fields.iter().any(is_column);
    let advice = other_delimiter(names, fits).unwrap_or_else(|| {
        "if it is a row, say `header = false` in [data], or --no-header".to_owned()
    });
    let message = format!("the first line names no column of the table: {advice}");
    Err(data_error(path, message))
}

/// Returns what to do about a first line that is a single field, if another character divides it into fields
/// that fit.
pub fn other_delimiter(first: &[String], fits: impl Fn(&[&str]) -> bool) -> Option<String> {
    let [line] = first else {
        return None;
    };
    let divides = |(delimiter, _): &&(char, &str)| {
        let fields: Vec<&str> = line.split(*delimiter).collect();
        fields.len() > 1 && fits(&fields)
    };
    let (_, name) = DELIMITERS.iter().find(divides)?;
    Some(format!(
        "its fields seem to be separated by `{name}`, so say `delimiter = \"{name}\"` in [data], or \
         --delimiter '{name}'"
    ))
}

/// Returns the name that differs only in characters that a column's name cannot have, as `Flight Date` from
/// `flight_date`.
fn spelled_otherwise<'n>(column: &str, names: &'n [String]) -> Option<&'n str> {
    let mut names = names.iter().map(String::as_str);
    names.find(|name| usable_name(name).as_deref() == Some(column))
}

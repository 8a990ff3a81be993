//! Finds the table's columns among those of a file.

use std::path::Path;

use super::data_error;
use crate::check::{suggestion, usable_name};
use crate::{Result, Table};

/// Returns the index in the file of each column of the table, regardless of case.
pub fn locate_columns(path: &Path, names: &[String], table: &Table) -> Result<Vec<usize>> {
    let written = names;
    let names: Vec<String> = names
        .iter()
        .map(|name| name.trim().to_lowercase())
        .collect();
    table
        .columns
        .iter()
        .map(|column| {
            let mut found = (0..names.len()).filter(|index| names[*index] == column.name);
            match (found.next(), found.next()) {
                (Some(index), None) => Ok(index),
                (Some(first), Some(second)) => Err(data_error(
                    path,
                    format!(
                        "column `{}` appears twice, as number {} and {}",
                        column.name,
                        first + 1,
                        second + 1
                    ),
                )),
                (None, _) => {
                    let unused = names
                        .iter()
                        .map(String::as_str)
                        .filter(|name| table.column(name).is_none());
                    let hint = match spelled_otherwise(&column.name, written) {
                        Some(name) => format!(
                            "; it has `{name}`: write `{}` in its first line instead",
                            column.name
                        ),
                        None => suggestion(&column.name, unused),
                    };
                    Err(data_error(
                        path,
                        format!("the file has no column `{}`{hint}", column.name),
                    ))
                }
            }
        })
        .collect()
}

/// Returns the name that differs only in characters that a column's name cannot have, as `Flight Date` from
/// `flight_date`.
fn spelled_otherwise<'n>(column: &str, names: &'n [String]) -> Option<&'n str> {
    let mut names = names.iter().map(String::as_str);
    names.find(|name| usable_name(name).as_deref() == Some(column))
}

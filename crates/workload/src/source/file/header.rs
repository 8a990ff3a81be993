//! Finding the table's columns among those of a file.

use std::path::Path;

use super::data_error;
use crate::check::suggestion;
use crate::{Result, Table};

/// For each column of the table, its index in the file. Case does not count.
pub fn locate_columns(path: &Path, names: &[String], table: &Table) -> Result<Vec<usize>> {
    let names: Vec<String> = names
        .iter()
        .map(|name| name.trim().to_lowercase())
        .collect();
    table
        .columns
        .iter()
        .map(|column| {
            let mut places = (0..names.len()).filter(|index| names[*index] == column.name);
            match (places.next(), places.next()) {
                (Some(index), None) => Ok(index),
                (Some(first), Some(second)) => Err(data_error(
                    path,
                    format!(
                        "column `{}` is there twice, as number {} and {}",
                        column.name,
                        first + 1,
                        second + 1
                    ),
                )),
                (None, _) => {
                    let unused = names.iter().map(String::as_str);
                    let hint =
                        suggestion(&column.name, unused.filter(|n| table.column(n).is_none()));
                    Err(data_error(
                        path,
                        format!("the file has no column `{}`{hint}", column.name),
                    ))
                }
            }
        })
        .collect()
}

//! Files that are refused, or columns that are left out, since rows or names do not fit.

use std::collections::HashMap;
use std::path::Path;

use super::ReadRows;
use crate::Result;
use crate::infer::rows::FileRows;
use crate::source::file::data_error;

/// Says that most rows have another number of fields than the first line, and which.
pub(super) fn mostly_broken(fields: usize, read: &ReadRows) -> String {
    let (broken, all) = (read.broken, read.rows);
    let rows = if broken == all {
        format!("no row has the {fields} fields of the first line")
    } else {
        format!("{broken} of {all} rows do not have the {fields} fields of the first line")
    };
    let usual = read.lengths.iter().max_by_key(|(_, rows)| **rows);
    let usual = usual.map_or(fields, |(usual, _)| *usual);
    if usual == fields {
        return format!(
            "{broken} of {all} rows cannot be read, most of them since they are not UTF-8 text: write the file in UTF-8"
        );
    }
    format!(
        "{rows}; most have {usual}: skip the lines before the one that names the columns with --skip-lines N, or say \
         what separates fields with --delimiter"
    )
}

/// Returns why a column is left out, if another one has the same name and both have none.
///
/// # Errors
/// Another one has the same name.
pub(super) fn twice(
    path: &Path,
    rows: &FileRows,
    names: &[String],
    places: &HashMap<&str, Vec<usize>>,
    index: usize,
) -> Result<Option<String>> {
    let own = names[index].as_str();
    match places.get(own).map(Vec::as_slice) {
        Some([_, _, ..]) if own.is_empty() => {
            Ok(Some(format!("column {}, which has no name", index + 1)))
        }
        Some([first, second, ..]) => {
            let numbered = if rows.has_delimiter() {
                let lines = rows.skip_lines + 1 + rows.lines_after_names;
                format!(
                    ", or number all columns as `c_1`, `c_2` and so on with --no-header --skip-lines {lines}"
                )
            } else {
                String::new()
            };
            let message = format!(
                "columns {} and {} are both called `{own}`: give them different names in the first line{numbered}",
                first + 1,
                second + 1
            );
            Err(data_error(path, message))
        }
        _ => Ok(None),
    }
}

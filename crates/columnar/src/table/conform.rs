//! Rows as they come, in the shape of a table.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, new_null_array};
use arrow::compute::{CastOptions, cast_with_options};

use crate::definition::{Column, Definition};
use crate::{Error, Result};

/// The same rows with the table's columns in its order and types: columns are found by name, ones
/// that are not there are null.
///
/// # Errors
/// A column that the table does not have, a value that does not fit the column's type, a null in a
/// key or no column for it.
pub fn conform(definition: &Definition, rows: &RecordBatch) -> Result<RecordBatch> {
    let schema = rows.schema();
    for field in schema.fields() {
        if definition.index_of(field.name()).is_none() {
            let names: Vec<_> = definition.columns.iter().map(|c| c.name.as_str()).collect();
            return Err(Error::Invalid(format!(
                "the table has no column `{}`; it has {}",
                field.name(),
                names.join(", ")
            )));
        }
    }
    let keys = definition.key_indexes();
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(definition.columns.len());
    for (i, column) in definition.columns.iter().enumerate() {
        let array = match rows.column_by_name(&column.name) {
            Some(array) => of_type(column, array)?,
            None => new_null_array(&column.kind.data_type(), rows.num_rows()),
        };
        if keys.contains(&i) && array.null_count() > 0 {
            return Err(Error::Invalid(match rows.column_by_name(&column.name) {
                Some(_) => format!(
                    "key column `{}` has nulls: every row needs a key",
                    column.name
                ),
                None => format!("key column `{}` is missing", column.name),
            }));
        }
        columns.push(array);
    }
    RecordBatch::try_new(definition.schema(), columns).map_err(|source| Error::Arrow {
        doing: "taking rows",
        source,
    })
}

fn of_type(column: &Column, array: &ArrayRef) -> Result<ArrayRef> {
    let wanted = column.kind.data_type();
    if *array.data_type() == wanted {
        return Ok(Arc::clone(array));
    }
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    cast_with_options(array, &wanted, &options).map_err(|e| {
        Error::Invalid(format!(
            "column `{}` takes {wanted}, and {} does not fit: {e}",
            column.name,
            array.data_type()
        ))
    })
}

//! Columns of files with types, cast to those of a table without loss.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::kernels::cmp::not_distinct;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

use super::{BadCell, data_error, header, table_batch};
use crate::{Column, ColumnType, Error, Result, Table, TextForm, uuids};

/// Returns the index in the file of each column of the table, by the names that `form` gives.
///
/// # Errors
/// A column is not there, or its type cannot be cast to that of the table.
pub fn locate(path: &Path, file: &Schema, table: &Table, form: &TextForm) -> Result<Vec<usize>> {
    let fields = file.fields();
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let columns = header::locate_columns(path, &names, table, form)?;
    for (column, index) in table.columns.iter().zip(&columns) {
        let stored = fields[*index].data_type();
        if !is_castable(stored, column.kind) {
            let message = format!(
                "column `{}` is stored as {stored}, which is not a {}",
                column.name,
                column.kind.name()
            );
            return Err(data_error(path, message));
        }
    }
    Ok(columns)
}

/// Returns the rows of a batch as those of the table, whose columns are at these indexes in the file. The batch has
/// these columns alone, in the order of the file.
pub fn rows_of(
    batch: &RecordBatch,
    table: &Table,
    columns: &[usize],
) -> Result<RecordBatch, BadCell> {
    let mut in_file_order = columns.to_vec();
    in_file_order.sort_unstable();
    let cells = table.columns.iter().zip(columns).map(|(column, index)| {
        let position = in_file_order.partition_point(|other| other < index);
        cast(column, batch.column(position))
    });
    table_batch(table, cells.collect::<Result<_, _>>()?)
}

/// Makes an error about a row of a batch that begins with row `first_row`; rows in messages count from 1.
pub fn row_error(path: &Path, first_row: u64, bad: BadCell) -> Error {
    let row = first_row + bad.row as u64 + 1;
    data_error(path, format!("row {row}: {}", bad.message))
}

/// Checks that a file has the columns of the first one that it is read together with.
///
/// # Errors
/// It has others; the error names both files.
pub fn check_same(first: (&Path, &Schema), path: &Path, file: &Schema) -> Result<()> {
    let (first_path, first) = first;
    let columns = |schema: &Schema| -> Vec<(String, DataType)> {
        let fields = schema.fields().iter();
        fields
            .map(|field| (field.name().clone(), field.data_type().clone()))
            .collect()
    };
    let (expected, found) = (columns(first), columns(file));
    if expected == found {
        return Ok(());
    }
    let differing = (0..expected.len().max(found.len()))
        .find(|index| expected.get(*index) != found.get(*index))
        .unwrap_or(0);
    let shown = |column: Option<&(String, DataType)>| {
        column.map_or("no column".to_owned(), |(name, kind)| {
            format!("`{name}` ({kind})")
        })
    };
    let message = format!(
        "it has other columns than {}: column {} is {}, and {} there; files that are read together have the same \
         columns in the same order",
        first_path.display(),
        differing + 1,
        shown(found.get(differing)),
        shown(expected.get(differing))
    );
    Err(data_error(path, message))
}

/// Returns whether all values of a stored type that fit can be cast without loss.
fn is_castable(stored: &DataType, kind: ColumnType) -> bool {
    use DataType::{
        Binary, BinaryView, Boolean, Date32, Date64, Dictionary, FixedSizeBinary, LargeBinary,
        LargeUtf8, Timestamp, Utf8, Utf8View,
    };
    if let Dictionary(_, values) = stored {
        return is_castable(values, kind);
    }
    match kind {
        ColumnType::Boolean => matches!(stored, Boolean),
        ColumnType::Int | ColumnType::Bigint | ColumnType::Float | ColumnType::Double => {
            stored.is_numeric()
        }
        ColumnType::Text => {
            matches!(stored, Utf8 | LargeUtf8 | Utf8View) || has_more_digits(stored)
        }
        ColumnType::Uuid => uuids::may_be(stored),
        ColumnType::Timestamp => matches!(stored, Timestamp(..) | Date32 | Date64),
        ColumnType::Blob => {
            matches!(
                stored,
                Binary | LargeBinary | BinaryView | FixedSizeBinary(_)
            )
        }
    }
}

/// Returns whether numbers of a stored type may have more digits than a bigint or a double, so that a column of texts
/// may have them as well.
pub fn has_more_digits(stored: &DataType) -> bool {
    use DataType::{Decimal64, Decimal128, Decimal256, Dictionary, UInt64};
    /// Digits of any decimal number that its nearest double keeps.
    const OF_DOUBLE: u8 = 15;
    match stored {
        Dictionary(_, values) => has_more_digits(values),
        UInt64 => true,
        Decimal64(digits, scale) | Decimal128(digits, scale) | Decimal256(digits, scale) => {
            *digits > OF_DOUBLE && *scale >= 0
        }
        _ => false,
    }
}

/// Returns the canonical texts of UUIDs.
fn canonical_uuids(column: &Column, stored: &ArrayRef) -> Result<ArrayRef, BadCell> {
    let unexpected =
        |error: ArrowError| BadCell::new(0, &column.name, format!("cannot be cast: {error}"));
    match uuids::canonical(stored).map_err(unexpected)? {
        Ok(uuids) => Ok(Arc::new(uuids)),
        Err(row) => {
            let why = describe_loss(column.kind, stored, row);
            Err(BadCell::new(row, &column.name, why))
        }
    }
}

/// Returns whether all values of a column of a file are exactly of this type.
pub fn fits(kind: ColumnType, stored: &ArrayRef) -> bool {
    let column = Column {
        name: String::new(),
        kind,
    };
    cast(&column, stored).is_ok()
}

fn cast(column: &Column, stored: &ArrayRef) -> Result<ArrayRef, BadCell> {
    if column.kind == ColumnType::Uuid {
        return canonical_uuids(column, stored);
    }
    let kind = column.kind.arrow();
    if *stored.data_type() == kind {
        return Ok(stored.clone());
    }
    let unexpected =
        |error: ArrowError| BadCell::new(0, &column.name, format!("cannot be cast: {error}"));
    // With `safe`, values that do not fit become null. Casting back finds these and the rounded ones.
    let options = CastOptions {
        safe: true,
        ..Default::default()
    };
    let stored = without_zone(stored, &options).map_err(unexpected)?;
    let values = cast_with_options(&stored, &kind, &options).map_err(unexpected)?;
    let back = cast_with_options(&values, stored.data_type(), &options).map_err(unexpected)?;
    let kept = not_distinct(&back, &stored).map_err(unexpected)?;
    match kept.values().iter().position(|kept| !kept) {
        None => Ok(values),
        Some(row) => Err(BadCell::new(
            row,
            &column.name,
            describe_loss(column.kind, &stored, row),
        )),
    }
}

/// Removes the zone of timestamps: they are stored as UTC whatever zone they are shown in, so
/// casting needs no zone.
fn without_zone(stored: &ArrayRef, options: &CastOptions) -> Result<ArrayRef, ArrowError> {
    let DataType::Timestamp(unit, Some(_)) = stored.data_type() else {
        return Ok(stored.clone());
    };
    let since_epoch = cast_with_options(stored, &DataType::Int64, options)?;
    cast_with_options(&since_epoch, &DataType::Timestamp(*unit, None), options)
}

fn describe_loss(kind: ColumnType, stored: &ArrayRef, row: usize) -> String {
    let value = arrow::util::display::array_value_to_string(stored, row).unwrap_or_default();
    format!(
        "`{value}` ({}) is not exactly a {}",
        stored.data_type(),
        kind.name()
    )
}

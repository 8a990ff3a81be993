//! Converting rows to the columns and types of a table.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, new_null_array};
use arrow::compute::cast;
use arrow::compute::kernels::cmp::not_distinct;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::util::display::array_value_to_string;

use crate::definition::{Column, Definition};
use crate::kind::Kind;
use crate::{Error, Result};

/// The number of characters of a value that an error shows.
const SHOWN_CHARACTERS: usize = 100;

/// Returns the same rows with the table's columns in its order and types. Columns are found by name;
/// missing ones become null.
///
/// # Errors
/// Fails if there is a column that the table does not have, a value that does not fit its column's
/// type, or a key column that is missing or has nulls.
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
            Some(array) => to_column_type(column, array)?,
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

/// Converts a column to the table's type, if that changes no value.
fn to_column_type(column: &Column, array: &ArrayRef) -> Result<ArrayRef> {
    let wanted = column.kind.data_type();
    if *array.data_type() == wanted {
        return Ok(Arc::clone(array));
    }
    let refused = |reason: String| {
        Error::Invalid(format!(
            "column `{}` takes {wanted}, and {} does not fit: {reason}",
            column.name,
            array.data_type()
        ))
    };
    let no_cast = |error: ArrowError| refused(error.to_string());
    let given = plain(array).map_err(no_cast)?;
    if *given.data_type() == DataType::Null {
        return Ok(new_null_array(&wanted, given.len()));
    }
    // The cast makes values that cannot be converted null, and they are found below.
    let converted = cast(&given, &wanted).map_err(no_cast)?;
    let lost = if Kind::from_data_type(given.data_type()) == Some(column.kind) {
        first_new_null(&given, &converted)
    } else {
        first_changed(&given, &converted).map_err(no_cast)?
    };
    match lost {
        None => Ok(converted),
        Some(row) => Err(refused(format!(
            "row {row} has {}, which would not be the same",
            shown(&given, row)
        ))),
    }
}

/// Returns the values without a dictionary, and without the name of a time zone: times are UTC with
/// and without it.
fn plain(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::Dictionary(_, values) => plain(&cast(array, values)?),
        DataType::Timestamp(unit, Some(_)) => cast(array, &DataType::Timestamp(*unit, None)),
        _ => Ok(Arc::clone(array)),
    }
}

/// Returns the first row that has become null.
fn first_new_null(given: &ArrayRef, converted: &ArrayRef) -> Option<usize> {
    if given.null_count() == converted.null_count() {
        return None;
    }
    (0..given.len()).find(|row| given.is_null(*row) != converted.is_null(*row))
}

/// Returns the first row that differs when it is converted back.
fn first_changed(given: &ArrayRef, converted: &ArrayRef) -> Result<Option<usize>, ArrowError> {
    let back = cast(converted, given.data_type())?;
    let same = not_distinct(given, &back)?;
    Ok(same.values().iter().position(|same| !same))
}

/// Formats a value for an error and shortens it if it is long.
fn shown(array: &ArrayRef, row: usize) -> String {
    let value = array_value_to_string(array, row).unwrap_or_default();
    match value.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        BinaryArray, Date32Array, DictionaryArray, Float32Array, Float64Array, Int32Array,
        Int64Array, NullArray, StringArray, StringViewArray, TimestampMillisecondArray,
        TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
    };
    use arrow::datatypes::Int8Type;

    use super::*;

    fn converted(kind: Kind, array: impl Array + 'static) -> Result<ArrayRef> {
        let name = "c".to_owned();
        to_column_type(&Column { name, kind }, &(Arc::new(array) as ArrayRef))
    }

    #[track_caller]
    fn fits(kind: Kind, array: impl Array + 'static, expected: impl Array + 'static) {
        let expected: ArrayRef = Arc::new(expected);
        assert_eq!(&converted(kind, array).unwrap(), &expected);
    }

    #[track_caller]
    fn is_refused(kind: Kind, array: impl Array + 'static, said: &str) {
        let error = converted(kind, array).unwrap_err().to_string();
        assert!(error.starts_with("column `c` takes "), "{error}");
        assert!(error.contains(said), "{error}");
    }

    #[test]
    fn what_stays_the_same_is_converted() {
        fits(
            Kind::Timestamp,
            TimestampNanosecondArray::from(vec![Some(5_000_000), None]).with_timezone("+02:00"),
            TimestampMillisecondArray::from(vec![Some(5), None]),
        );
        fits(
            Kind::Float,
            Float64Array::from(vec![0.5, f64::NAN, -0.0, f64::INFINITY]),
            Float32Array::from(vec![0.5, f32::NAN, -0.0, f32::INFINITY]),
        );
        fits(
            Kind::Double,
            Int64Array::from(vec![1 << 53, -7]),
            Float64Array::from(vec![9_007_199_254_740_992.0, -7.0]),
        );
        fits(
            Kind::Int,
            Float64Array::from(vec![Some(3.0), None]),
            Int32Array::from(vec![Some(3), None]),
        );
        fits(
            Kind::Bigint,
            UInt64Array::from(vec![u64::from(u32::MAX)]),
            Int64Array::from(vec![i64::from(u32::MAX)]),
        );
        fits(
            Kind::Timestamp,
            TimestampSecondArray::from(vec![7]),
            TimestampMillisecondArray::from(vec![7_000]),
        );
        fits(
            Kind::Date,
            TimestampMillisecondArray::from(vec![86_400_000]),
            Date32Array::from(vec![1]),
        );
        fits(
            Kind::Text,
            ["a", "b", "a"]
                .into_iter()
                .collect::<DictionaryArray<Int8Type>>(),
            StringArray::from(vec!["a", "b", "a"]),
        );
        fits(
            Kind::Text,
            StringViewArray::from(vec![Some("long enough to be no inline view"), None]),
            StringArray::from(vec![Some("long enough to be no inline view"), None]),
        );
        fits(
            Kind::Blob,
            NullArray::new(2),
            BinaryArray::from(vec![None, None]),
        );
    }

    #[test]
    fn what_would_change_is_refused_with_its_row_and_value() {
        is_refused(
            Kind::Timestamp,
            TimestampNanosecondArray::from(vec![1_000_000, 1_000_001]),
            "row 1 has 1970-01-01T00:00:00.001000001",
        );
        is_refused(
            Kind::Float,
            Float64Array::from(vec![Some(0.5), None, Some(0.1)]),
            "row 2 has 0.1",
        );
        is_refused(Kind::Float, Float64Array::from(vec![1e300]), "row 0 has");
        is_refused(
            Kind::Double,
            Int64Array::from(vec![0, (1 << 53) + 1]),
            "row 1 has 9007199254740993",
        );
        is_refused(Kind::Double, Int64Array::from(vec![i64::MAX]), "row 0 has");
        is_refused(Kind::Int, Float64Array::from(vec![3.5]), "row 0 has 3.5");
        is_refused(Kind::Int, Float64Array::from(vec![f64::NAN]), "row 0 has");
        is_refused(Kind::Int, Int64Array::from(vec![1 << 31]), "row 0 has");
        is_refused(
            Kind::Nanotime,
            TimestampSecondArray::from(vec![0, i64::MAX / 2]),
            "row 1 has",
        );
        is_refused(
            Kind::Timestamp,
            TimestampSecondArray::from(vec![i64::MAX]),
            "row 0 has",
        );
        is_refused(Kind::Int, StringArray::from(vec!["1", "x"]), "row 1 has x");
        is_refused(
            Kind::Text,
            BinaryArray::from(vec![b"\xff".as_slice()]),
            "row 0 has ff",
        );
    }
}

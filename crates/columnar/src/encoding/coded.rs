//! Columns as dictionary arrays, for callers that look at each different value once. Codes are never
//! null: a null is one of the values.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, DictionaryArray, UInt32Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, UInt32Type};
use arrow::error::ArrowError;

use super::failure::Failure;

/// Returns the field of a column that comes as a dictionary array, with codes of 32 bits and values of
/// the column's type.
pub fn coded_field(field: &Field) -> Field {
    let coded = coded_type(field.data_type().clone());
    field.clone().with_data_type(coded)
}

/// Returns the schema of columns of which one, if any, comes as a dictionary array.
pub fn coded_schema(schema: &SchemaRef, coded: Option<usize>) -> SchemaRef {
    let Some(coded) = coded else {
        return Arc::clone(schema);
    };
    let field = |(number, field): (usize, &FieldRef)| {
        if number == coded {
            Arc::new(coded_field(field))
        } else {
            Arc::clone(field)
        }
    };
    let fields = schema.fields().iter().enumerate().map(field);
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Returns the type of a dictionary array with values of this type.
pub(super) fn coded_type(values: DataType) -> DataType {
    DataType::Dictionary(Box::new(DataType::UInt32), Box::new(values))
}

/// Converts an array to a dictionary array with one value for each row, unless it is one already.
///
/// # Errors
/// Fails if it has more than `u32::MAX` rows.
pub fn coded(array: ArrayRef) -> Result<ArrayRef, ArrowError> {
    if array.as_dictionary_opt::<UInt32Type>().is_some() {
        return Ok(array);
    }
    let rows = u32::try_from(array.len()).map_err(|e| ArrowError::ExternalError(Box::new(e)))?;
    let codes = UInt32Array::from_iter_values(0..rows);
    Ok(Arc::new(DictionaryArray::try_new(codes, array)?))
}

/// Makes a dictionary array of the codes in a blob and these values, after checking the codes.
pub(super) fn dictionary(codes: &ArrayRef, values: ArrayRef) -> Result<ArrayRef, Failure> {
    let codes = cast(codes, &DataType::UInt32)?;
    if codes.null_count() > 0 {
        return Err(Failure("codes of a dictionary are missing".to_owned()));
    }
    let codes = codes.as_primitive::<UInt32Type>().clone();
    Ok(Arc::new(DictionaryArray::try_new(codes, values)?))
}

/// Makes a dictionary array with one value in all rows.
pub(super) fn constant(rows: usize, value: ArrayRef) -> Result<ArrayRef, Failure> {
    let codes = UInt32Array::from_value(0, rows);
    Ok(Arc::new(DictionaryArray::try_new(codes, value)?))
}

#[cfg(test)]
mod tests {
    use arrow::array::{StringArray, UInt8Array};

    use super::*;

    #[test]
    fn codes_without_a_value_are_an_error() {
        let values: ArrayRef = Arc::new(StringArray::from(vec![None, Some("a")]));
        let with = |codes: UInt8Array| {
            let codes: ArrayRef = Arc::new(codes);
            dictionary(&codes, Arc::clone(&values))
        };
        let array = with(UInt8Array::from(vec![1, 0, 1])).unwrap();
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("a")]));
        assert_eq!(&cast(&array, &DataType::Utf8).unwrap(), &texts);
        assert!(with(UInt8Array::from(vec![0, 2])).is_err());
        assert!(with(UInt8Array::from(vec![Some(0), None])).is_err());
    }
}

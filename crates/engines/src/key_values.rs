//! Columns of which each row needs a value, since a design has them in its key and the workload does not.

use arrow::array::{Array, AsArray};
use arrow::record_batch::RecordBatch;

/// Columns of which each row needs a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValues {
    pub columns: Vec<String>,
    /// Whether an empty text is no value either.
    pub without_empty: bool,
}

impl KeyValues {
    /// Checks that these rows have all values.
    ///
    /// # Errors
    /// Says which column lacks some.
    pub fn check(&self, rows: &RecordBatch) -> Result<(), String> {
        for name in &self.columns {
            let Some(values) = rows.column_by_name(name) else {
                continue;
            };
            let is_missing = match values.as_string_opt::<i32>() {
                Some(texts) if self.without_empty => {
                    texts.iter().any(|text| text.is_none_or(str::is_empty))
                }
                _ => values.null_count() > 0,
            };
            if is_missing {
                return Err(format!(
                    "rows have no value of `{name}`, which has to be there in a key: leave key= out, or those rows"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int32Array, StringArray};

    use super::*;

    #[test]
    fn nulls_and_empty_texts_are_no_values_of_a_key() {
        let check = |texts: Vec<Option<&str>>, without_empty| {
            let columns: [(&str, ArrayRef); 2] = [
                ("number", Arc::new(Int32Array::from(vec![1; texts.len()]))),
                ("text", Arc::new(StringArray::from(texts))),
            ];
            let needed = KeyValues {
                columns: vec!["number".to_owned(), "text".to_owned()],
                without_empty,
            };
            needed.check(&RecordBatch::try_from_iter(columns).unwrap())
        };
        assert_eq!(check(vec![Some("a"), Some("b")], true), Ok(()));
        assert_eq!(check(vec![Some("a"), Some("")], false), Ok(()));
        for (texts, without_empty) in [
            (vec![Some("a"), Some("")], true),
            (vec![Some("a"), None], false),
        ] {
            let error = check(texts, without_empty).unwrap_err();
            assert!(error.contains("no value of `text`"), "{error}");
        }
    }
}

//! Folders of a table that each hold the rows with one value of a column, named as in Hive.

use std::collections::BTreeSet;

use arrow::array::Array;
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// The highest number of folders. Every query plans with the statistics of all files.
pub const MOST_FOLDERS: usize = 1_000;
/// The longest name that the file systems of Linux allow.
const LONGEST_NAME_BYTES: usize = 255;
/// Hive's name for the value of rows that have none.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The folders that some rows need, one for each value of a column.
#[derive(Debug, Clone)]
pub struct ValueFolders {
    column: String,
    names: BTreeSet<String>,
}

impl ValueFolders {
    /// Makes the folders of no rows yet.
    pub fn new(column: &str) -> Self {
        ValueFolders {
            column: column.to_owned(),
            names: BTreeSet::new(),
        }
    }

    /// Adds the folders that further rows need.
    ///
    /// # Errors
    /// Fails if there are more folders than there may be, or if a value is too long for a name.
    pub fn extend(&mut self, rows: &RecordBatch) -> Result<(), String> {
        let Some(values) = rows.column_by_name(&self.column) else {
            return Ok(());
        };
        let options = FormatOptions::new();
        let texts =
            ArrayFormatter::try_new(values.as_ref(), &options).map_err(|e| e.to_string())?;
        let mut last: Option<String> = None;
        for row in 0..values.len() {
            let name = self.name(values.as_ref(), &texts, row)?;
            // Most tables have runs of equal values, which need no look-up.
            if last.as_ref() != Some(&name) {
                self.add(&name)?;
                last = Some(name);
            }
        }
        Ok(())
    }

    /// Adds the folder of one row's value, and returns its name.
    ///
    /// # Errors
    /// The errors of [`ValueFolders::extend`].
    pub fn of_row(&mut self, values: &dyn Array, row: usize) -> Result<String, String> {
        let options = FormatOptions::new();
        let texts = ArrayFormatter::try_new(values, &options).map_err(|e| e.to_string())?;
        let name = self.name(values, &texts, row)?;
        self.add(&name)?;
        Ok(name)
    }

    fn add(&mut self, name: &str) -> Result<(), String> {
        if self.names.contains(name) {
            return Ok(());
        }
        if self.names.len() == MOST_FOLDERS {
            return Err(format!(
                "the rows have more than {MOST_FOLDERS} different values of `{}`, each of which \
                 would be a folder: choose another column for partition=, or use sort= instead",
                self.column
            ));
        }
        self.names.insert(name.to_owned());
        Ok(())
    }

    fn name(
        &self,
        values: &dyn Array,
        texts: &ArrayFormatter<'_>,
        row: usize,
    ) -> Result<String, String> {
        let text = if values.is_null(row) {
            None
        } else {
            let text = texts.value(row).try_to_string();
            Some(text.map_err(|e| format!("a value of `{}` has no text: {e}", self.column))?)
        };
        let name = folder_name(&self.column, text.as_deref());
        if name.len() > LONGEST_NAME_BYTES {
            return Err(format!(
                "a value of `{}` has {} bytes, too many for the name of a folder: choose another \
                 column for partition=, or use sort= instead",
                self.column,
                text.map_or(0, |text| text.len())
            ));
        }
        Ok(name)
    }
}

/// Returns `column=value`, in which no two values have the same name.
fn folder_name(column: &str, value: Option<&str>) -> String {
    let mut name = format!("{column}=");
    match value {
        None => name.push_str(NULL),
        // A text that looks like no value at all.
        Some(NULL) => name.push_str(&NULL.replacen('_', "%5F", 1)),
        Some(value) => {
            for c in value.chars() {
                if is_plain(c) {
                    name.push(c);
                } else {
                    // Only ASCII characters are not plain.
                    name.push_str(&format!("%{:02X}", u32::from(c)));
                }
            }
        }
    }
    name
}

/// Returns whether Hive leaves a character of a value as it is, and so does every tool that reads its folders.
fn is_plain(c: char) -> bool {
    !c.is_ascii_control() && !"\"#%'*/:=?\\{}[]^<>|`~".contains(c)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        ArrayRef, BooleanArray, Int64Array, StringArray, TimestampMillisecondArray,
    };

    use super::*;

    fn rows(values: ArrayRef) -> RecordBatch {
        RecordBatch::try_from_iter([("c", values)]).unwrap()
    }

    fn names(values: ArrayRef) -> Result<Vec<String>, String> {
        let mut folders = ValueFolders::new("c");
        folders.extend(&rows(values))?;
        Ok(folders.names.into_iter().collect())
    }

    #[test]
    fn odd_texts_nulls_and_empty_texts_have_different_names() {
        let values = [
            None,
            Some(""),
            Some("__HIVE_DEFAULT_PARTITION__"),
            Some("%5F_HIVE_DEFAULT_PARTITION__"),
            Some("null"),
            Some(".."),
            Some("a/b"),
            Some("a%2Fb"),
            Some("ü 😀"),
            Some("a\n\0"),
            Some("a"),
            Some("A"),
            Some(" a"),
        ];
        let names = names(Arc::new(StringArray::from(values.to_vec()))).unwrap();
        assert_eq!(names.len(), values.len(), "{names:?}");
        assert!(names.iter().all(|name| !name.contains(['/', '\0', '\n'])));
        for name in [
            "c=",
            "c=__HIVE_DEFAULT_PARTITION__",
            "c=%5F_HIVE_DEFAULT_PARTITION__",
            "c=a%2Fb",
            "c=a%252Fb",
            "c=ü 😀",
        ] {
            assert!(names.iter().any(|n| n == name), "{name} of {names:?}");
        }
    }

    #[test]
    fn values_of_other_types_are_written_as_text() {
        let numbers = Int64Array::from(vec![Some(-1), None, Some(i64::MAX)]);
        assert_eq!(
            names(Arc::new(numbers)).unwrap(),
            [
                "c=-1",
                "c=9223372036854775807",
                "c=__HIVE_DEFAULT_PARTITION__"
            ]
        );
        let flags = BooleanArray::from(vec![true, false]);
        assert_eq!(names(Arc::new(flags)).unwrap(), ["c=false", "c=true"]);
        let times = TimestampMillisecondArray::from(vec![-1, 0, 1]);
        let times = names(Arc::new(times)).unwrap();
        assert_eq!(times.len(), 3, "{times:?}");
        assert!(times[0].starts_with("c=1969-12-31T23%3A59"), "{times:?}");
    }

    #[test]
    fn a_thousand_values_are_taken_and_one_more_is_refused() {
        let most = MOST_FOLDERS as i64;
        let mut folders = ValueFolders::new("c");
        let all = rows(Arc::new(Int64Array::from_iter_values(0..most)));
        folders.extend(&all).unwrap();
        folders.extend(&all).unwrap();
        let one_more = Int64Array::from(vec![most]);
        let error = folders.extend(&rows(Arc::new(one_more))).unwrap_err();
        assert!(
            error.contains("more than 1000 different values of `c`"),
            "{error}"
        );
        assert_eq!(folders.names.len(), MOST_FOLDERS);
    }

    #[test]
    fn a_value_that_is_too_long_for_a_name_is_refused() {
        let longest = "x".repeat(LONGEST_NAME_BYTES - "c=".len());
        let values = StringArray::from(vec![longest.as_str()]);
        assert_eq!(names(Arc::new(values)).unwrap().len(), 1);
        let longer = format!("{longest}x");
        let values = StringArray::from(vec![longer.as_str()]);
        let error = names(Arc::new(values)).unwrap_err();
        assert!(error.contains("has 254 bytes"), "{error}");
    }

    #[test]
    fn a_time_that_has_no_date_is_refused_rather_than_mixed_with_others() {
        let times = TimestampMillisecondArray::from(vec![i64::MAX]);
        let error = names(Arc::new(times)).unwrap_err();
        assert!(error.contains("`c` has no text"), "{error}");
    }
}

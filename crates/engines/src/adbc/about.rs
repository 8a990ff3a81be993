//! What a driver says about itself: its name and version, and those of the database behind it.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use adbc_core::Connection;
use adbc_core::options::InfoCode;
use arrow::array::{Array, AsArray, StringArray, UInt32Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, UInt32Type};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

/// What is asked for.
const CODES: [InfoCode; 4] = [
    InfoCode::DriverName,
    InfoCode::DriverVersion,
    InfoCode::VendorName,
    InfoCode::VendorVersion,
];

/// A driver and its database. What a driver does not tell is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    pub driver: String,
    pub driver_version: String,
    pub vendor: String,
    pub vendor_version: String,
}

impl About {
    /// Reads what [`ask`] has returned.
    pub fn read(batches: &[RecordBatch]) -> About {
        let mut about = About::default();
        for batch in batches.iter().filter(|batch| batch.num_columns() == 2) {
            let codes = batch.column(0).as_primitive_opt::<UInt32Type>();
            let texts = batch.column(1).as_string_opt::<i32>();
            let (Some(codes), Some(texts)) = (codes, texts) else {
                continue;
            };
            for (code, text) in codes.iter().flatten().zip(texts.iter().flatten()) {
                let place = match InfoCode::from(code) {
                    InfoCode::DriverName => &mut about.driver,
                    InfoCode::DriverVersion => &mut about.driver_version,
                    InfoCode::VendorName => &mut about.vendor,
                    InfoCode::VendorVersion => &mut about.vendor_version,
                    _ => continue,
                };
                *place = one_line(text);
            }
        }
        about
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |name: &str, version: &str| format!("{name} {version}").trim().to_owned();
        let driver = match self.driver.as_str() {
            "" => "a driver without a name",
            driver => driver,
        };
        write!(f, "{}", named(driver, &self.driver_version))?;
        match named(&self.vendor, &self.vendor_version) {
            vendor if vendor.is_empty() => Ok(()),
            vendor => write!(f, " ({vendor})"),
        }
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Asks a driver about itself: a row for each code with a text. There are none if it tells nothing.
///
/// # Errors
/// What it tells cannot be put together.
pub fn ask(connection: &impl Connection) -> Result<RecordBatch, String> {
    let (mut codes, mut texts) = (Vec::new(), Vec::new());
    if let Ok(told) = connection.get_info(Some(HashSet::from(CODES))) {
        for batch in told {
            let batch = batch.map_err(|e| e.to_string())?;
            let read = read_infos(&batch, &mut codes, &mut texts);
            read.map_err(|e| e.to_string())?;
        }
    }
    let fields = vec![
        Field::new("code", DataType::UInt32, false),
        Field::new("text", DataType::Utf8, false),
    ];
    let columns: Vec<Arc<dyn Array>> = vec![
        Arc::new(UInt32Array::from(codes)),
        Arc::new(StringArray::from(texts)),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(|e| e.to_string())
}

/// Reads the texts among the values of a batch, whose second column is a union of several types.
fn read_infos(
    batch: &RecordBatch,
    codes: &mut Vec<u32>,
    texts: &mut Vec<String>,
) -> Result<(), ArrowError> {
    let [names, values] = batch.columns() else {
        return Ok(());
    };
    let names = names.as_primitive_opt::<UInt32Type>();
    let (Some(names), Some(values)) = (names, values.as_union_opt()) else {
        return Ok(());
    };
    for row in 0..batch.num_rows() {
        let value = values.value(row);
        let is_text = matches!(
            value.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        );
        if !is_text || value.is_empty() || value.is_null(0) || names.is_null(row) {
            continue;
        }
        let text = cast(&value, &DataType::Utf8)?;
        codes.push(names.value(row));
        texts.push(text.as_string::<i32>().value(0).to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_named_and_what_is_not_is_left_out() {
        let fields = vec![
            Field::new("code", DataType::UInt32, false),
            Field::new("text", DataType::Utf8, false),
        ];
        let schema = Arc::new(Schema::new(fields));
        let told = |codes: Vec<u32>, texts: Vec<&str>| {
            let columns: Vec<Arc<dyn Array>> = vec![
                Arc::new(UInt32Array::from(codes)),
                Arc::new(StringArray::from(texts)),
            ];
            About::read(&[RecordBatch::try_new(schema.clone(), columns).unwrap()]).to_string()
        };
        let codes = CODES.iter().map(u32::from).collect();
        let texts = vec!["ADBC SQLite\nDriver", "1.2.0", "SQLite", "3.50.4"];
        assert_eq!(
            told(codes, texts),
            "ADBC SQLite Driver 1.2.0 (SQLite 3.50.4)"
        );
        let driver = vec![u32::from(&InfoCode::DriverName), 12_345];
        assert_eq!(told(driver, vec!["A driver", "x"]), "A driver");
        assert_eq!(About::read(&[]).to_string(), "a driver without a name");
    }
}

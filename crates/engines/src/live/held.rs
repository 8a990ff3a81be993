//! Values of other types than those of workloads, and how they are held.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{Field, Schema, TimestampMicrosecondType};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{ColumnType, uuids};

use super::LiveKey;

/// The digits of a decimal that a double always gives back.
const DIGITS_OF_DOUBLE: usize = 15;
/// The powers of ten, up and down, of which that holds for certain.
const POWERS_OF_DOUBLE: f64 = 290.0;

/// How the values of a column are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// As this type, which keeps all of them.
    As(ColumnType),
    /// Whole numbers of any length, read as text: as bigint if all of the sample fit, or else as text.
    Whole,
    /// Decimals, read as text: as double if it gives all of the sample back, or else as text.
    Decimal,
}

/// A column of a sample.
#[derive(Debug, Clone)]
pub struct Stored {
    pub name: String,
    /// Its type, as its server calls it.
    pub stored_as: String,
    pub holding: Holding,
    /// What the reader should know of that, or an empty text.
    pub remark: &'static str,
}

/// Returns rows in the types of workloads, and what is said of each column, by its name in lower case.
pub fn held(
    columns: &[Stored],
    rows: &[RecordBatch],
) -> Result<(Vec<RecordBatch>, BTreeMap<String, String>), ArrowError> {
    let mut fields = Vec::with_capacity(columns.len());
    let mut words = BTreeMap::new();
    for (place, column) in columns.iter().enumerate() {
        let arrays: Vec<&ArrayRef> = rows.iter().map(|rows| rows.column(place)).collect();
        let (kind, remark) = column.decided(&arrays);
        let mut field = Field::new(&column.name, kind.arrow(), true);
        if kind == ColumnType::Uuid {
            field = field.with_metadata(uuids::mark());
        }
        fields.push(field);
        let mut said = format!("{} in the table", column.stored_as);
        for remark in [remark, column.remark, cut(&arrays)] {
            if !remark.is_empty() {
                said.push_str(", ");
                said.push_str(remark);
            }
        }
        words.insert(column.name.to_lowercase(), said);
    }
    let schema = Arc::new(Schema::new(fields));
    // Nothing becomes null in silence.
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    let cast = |rows: &RecordBatch| -> Result<RecordBatch, ArrowError> {
        let columns = rows.columns().iter().zip(schema.fields());
        let columns =
            columns.map(|(array, field)| cast_with_options(array, field.data_type(), &options));
        RecordBatch::try_new(Arc::clone(&schema), columns.collect::<Result<_, _>>()?)
    };
    let rows = rows.iter().map(cast).collect::<Result<_, _>>()?;
    Ok((rows, words))
}

/// Returns the name of the column by whose times rows are ordered, if one is first in the order key.
pub fn time_of<'a>(columns: &'a [Stored], key: &LiveKey) -> Option<&'a str> {
    let first = key.order.first().or(key.partition.first())?;
    let is_it = |column: &&Stored| {
        column.name == *first && column.holding == Holding::As(ColumnType::Timestamp)
    };
    columns
        .iter()
        .find(is_it)
        .map(|column| column.name.as_str())
}

impl Stored {
    /// Returns the type in which a column with these values is held, and why.
    fn decided(&self, arrays: &[&ArrayRef]) -> (ColumnType, &'static str) {
        match self.holding {
            Holding::As(kind) => (kind, ""),
            Holding::Whole if all_texts(arrays, |text| text.parse::<i64>().is_ok()) => (
                ColumnType::Bigint,
                "held as bigint, into which all values of the sample fit",
            ),
            Holding::Whole => (
                ColumnType::Text,
                "held as text, since values of the sample need more than 64 bits; it is not ordered as numbers",
            ),
            Holding::Decimal if all_texts(arrays, fits_double) => (
                ColumnType::Double,
                "held as double, which keeps the digits of all values of the sample, but not of their sums",
            ),
            Holding::Decimal => (
                ColumnType::Text,
                "held as text, since a double loses digits of values of the sample; it is neither ordered nor added \
                 as numbers",
            ),
        }
    }
}

/// Says that times are cut, if any is finer than a millisecond.
fn cut(arrays: &[&ArrayRef]) -> &'static str {
    let is_finer = |array: &&ArrayRef| {
        let times = array.as_primitive_opt::<TimestampMicrosecondType>();
        times.is_some_and(|times| times.iter().flatten().any(|time| time % 1_000 != 0))
    };
    if arrays.iter().any(is_finer) {
        "cut to milliseconds, which are the finest times of a workload"
    } else {
        ""
    }
}

/// Returns whether a condition holds for all texts of a column.
fn all_texts(arrays: &[&ArrayRef], condition: impl Fn(&str) -> bool) -> bool {
    let holds = |array: &&ArrayRef| {
        let texts = array.as_string_opt::<i32>();
        texts.is_some_and(|texts| texts.iter().flatten().all(&condition))
    };
    arrays.iter().all(holds)
}

/// Returns whether a double gives a decimal back: it has few digits, and is neither very large nor very small.
pub fn fits_double(text: &str) -> bool {
    let Ok(number) = text.parse::<f64>() else {
        return false;
    };
    if !number.is_finite() {
        // What is no number is one to a double, too, but a number that is too large is not infinite.
        return !text.contains(|c: char| c.is_ascii_digit());
    }
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits = mantissa.replace(['-', '+', '.'], "");
    let digits = digits.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() {
        return true;
    }
    number != 0.0
        && digits.len() <= DIGITS_OF_DOUBLE
        && number.abs().log10().abs() <= POWERS_OF_DOUBLE
}

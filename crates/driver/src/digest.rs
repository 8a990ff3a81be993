//! Digests of answers, by which those that are too large to be held are compared.
//!
//! A digest knows exact values only. Engines return the same value in several types, as a text in a dictionary
//! or a time in microseconds, so a cell is hashed by what it stands for.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimeUnit};
use arrow::record_batch::RecordBatch;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Kinds of cells, which are different even if their bytes are the same.
const BOOLEAN: u64 = 1;
const WHOLE_NUMBER: u64 = 2;
const FLOAT: u64 = 3;
const TEXT: u64 = 4;
const TIME: u64 = 5;
const BLOB: u64 = 6;
const NO_VALUE: u64 = 7;

/// Above this, floats do not have all whole numbers.
const LARGEST_WHOLE_FLOAT: f64 = 9_007_199_254_740_992.0;

/// What is kept of the rows of an answer: enough to tell whether another one has the same.
#[derive(Debug, Clone, Default)]
pub struct Digest {
    rows: u64,
    /// Sum of the hashes of all rows, which is the same in any order.
    sum: u128,
    columns: Vec<ColumnDigest>,
}

#[derive(Debug, Clone, Default)]
struct ColumnDigest {
    name: String,
    /// Sum of the hashes of all cells, which is the same in any order.
    sum: u128,
    /// Hash of all cells in their order.
    in_order: u64,
}

impl Digest {
    /// Returns the digest of an answer that is held.
    ///
    /// # Errors
    /// A column is of a type that tables do not have.
    pub fn of(batches: &[RecordBatch]) -> Result<Digest, String> {
        let mut digest = Digest::default();
        batches.iter().try_for_each(|batch| digest.add(batch))?;
        Ok(digest)
    }

    /// Adds the next rows of the answer.
    ///
    /// # Errors
    /// A column is of a type that tables do not have.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<(), String> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        if self.columns.is_empty() {
            let schema = batch.schema();
            let fields = schema.fields().iter();
            let columns = fields.map(|field| ColumnDigest {
                name: field.name().clone(),
                ..ColumnDigest::default()
            });
            self.columns = columns.collect();
        }
        if self.columns.len() != batch.num_columns() {
            let (before, now) = (self.columns.len(), batch.num_columns());
            return Err(format!(
                "the answer has {now} columns after rows with {before}"
            ));
        }
        let mut rows = vec![0; batch.num_rows()];
        let mut cells = Vec::with_capacity(batch.num_rows());
        for (column, array) in self.columns.iter_mut().zip(batch.columns()) {
            cells.clear();
            hash_cells(array, &mut cells)
                .map_err(|why| format!("column `{}` of the answer {why}", column.name))?;
            for (row, cell) in rows.iter_mut().zip(&cells) {
                *row = mixed(*row, *cell);
                column.sum = column.sum.wrapping_add(u128::from(*cell));
                column.in_order = mixed(column.in_order, *cell);
            }
        }
        for row in rows {
            self.sum = self.sum.wrapping_add(u128::from(row));
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    /// Returns the bytes that the digest itself takes.
    pub fn bytes(&self) -> usize {
        let columns = self.columns.iter();
        let columns = columns.map(|column| size_of::<ColumnDigest>() + column.name.len());
        size_of::<Digest>() + columns.sum::<usize>()
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Says how another answer differs from this right one, of which these columns are in order; `None` if it is
    /// the same. Rows that are the same in these columns may be in any order.
    pub fn difference(&self, other: &Digest, order_by: &[usize]) -> Option<String> {
        let rows = self.rows;
        if other.rows != rows {
            return Some(format!("{} rows instead of {rows}", other.rows));
        }
        let columns = self.columns.len();
        if other.columns.len() != columns {
            return Some(format!(
                "{} columns instead of {columns}",
                other.columns.len()
            ));
        }
        let mut pairs = self.columns.iter().zip(&other.columns);
        if let Some((column, _)) = pairs.find(|(right, ours)| right.sum != ours.sum) {
            let name = &column.name;
            return Some(format!(
                "among {rows} rows, those of column `{name}` have other values"
            ));
        }
        if other.sum != self.sum {
            return Some(format!("among {rows} rows, values are in other rows"));
        }
        let is_out_of_order = |column: &&usize| {
            let in_order = |digest: &Digest| digest.columns.get(**column).map(|c| c.in_order);
            in_order(self) != in_order(other)
        };
        let column = self.columns.get(*order_by.iter().find(is_out_of_order)?)?;
        Some(format!(
            "{rows} rows are not in the order of column `{}`",
            column.name
        ))
    }
}

/// Adds the hash of each cell.
fn hash_cells(array: &ArrayRef, hashes: &mut Vec<u64>) -> Result<(), String> {
    let cast_to = |kind: &DataType| cast(array, kind).map_err(|error| error.to_string());
    match array.data_type() {
        DataType::Boolean => extend(hashes, array.as_boolean().iter(), |value| {
            hash(BOOLEAN, &[u8::from(value)])
        }),
        kind if kind.is_integer() && *kind != DataType::UInt64 => {
            let numbers = cast_to(&DataType::Int64)?;
            let numbers = numbers.as_primitive::<Int64Type>();
            extend(hashes, numbers.iter(), whole_number);
        }
        kind if kind.is_floating() => {
            let floats = cast_to(&DataType::Float64)?;
            extend(hashes, floats.as_primitive::<Float64Type>().iter(), float);
        }
        DataType::Utf8 => extend(hashes, array.as_string::<i32>().iter(), text),
        DataType::LargeUtf8 => extend(hashes, array.as_string::<i64>().iter(), text),
        DataType::Utf8View => extend(hashes, array.as_string_view().iter(), text),
        DataType::Binary => extend(hashes, array.as_binary::<i32>().iter(), blob),
        DataType::LargeBinary => extend(hashes, array.as_binary::<i64>().iter(), blob),
        DataType::BinaryView => extend(hashes, array.as_binary_view().iter(), blob),
        DataType::Timestamp(unit, _) => {
            let nanoseconds: i128 = match unit {
                TimeUnit::Second => 1_000_000_000,
                TimeUnit::Millisecond => 1_000_000,
                TimeUnit::Microsecond => 1_000,
                TimeUnit::Nanosecond => 1,
            };
            let times = cast_to(&DataType::Int64)?;
            extend(hashes, times.as_primitive::<Int64Type>().iter(), |time| {
                hash(TIME, &(i128::from(time) * nanoseconds).to_le_bytes())
            });
        }
        // Engines without dates return their texts.
        DataType::Date32 => {
            let days = cast_to(&DataType::Utf8)?;
            extend(hashes, days.as_string::<i32>().iter(), text);
        }
        DataType::Dictionary(_, values) => return hash_cells(&cast_to(values)?, hashes),
        other => {
            return Err(format!(
                "is of the type {other}, which is compared only in small answers"
            ));
        }
    }
    Ok(())
}

fn extend<T>(
    hashes: &mut Vec<u64>,
    cells: impl Iterator<Item = Option<T>>,
    hash: impl Fn(T) -> u64,
) {
    let no_value = self::hash(NO_VALUE, &[]);
    hashes.extend(cells.map(|cell| cell.map_or(no_value, &hash)));
}

fn hash(kind: u64, bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, kind)
}

fn whole_number(value: i64) -> u64 {
    hash(WHOLE_NUMBER, &value.to_le_bytes())
}

/// Hashes a whole float as the number that it is, and all that are not a number alike.
fn float(value: f64) -> u64 {
    if value.fract() == 0.0 && value.abs() <= LARGEST_WHOLE_FLOAT {
        whole_number(value as i64)
    } else if value.is_nan() {
        hash(FLOAT, &f64::NAN.to_le_bytes())
    } else {
        hash(FLOAT, &value.to_le_bytes())
    }
}

fn text(value: &str) -> u64 {
    hash(TEXT, value.as_bytes())
}

fn blob(value: &[u8]) -> u64 {
    hash(BLOB, value)
}

/// Adds a hash to those before it, whose order counts. Each bit of the result depends on all bits of both (the
/// last steps of MurmurHash3), so that sums of such hashes are as different as sums of random numbers.
fn mixed(before: u64, next: u64) -> u64 {
    let mut hash = before
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(next);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests;

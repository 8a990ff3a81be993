//! Finding values that a conversion would change.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::kernels::cmp::not_distinct;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{
    DataType, Float64Type, TimeUnit, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow::error::ArrowError;

const MICROSECONDS_OF_DAY: i64 = 24 * 60 * 60 * 1_000_000;
/// The number of digits that a nanotime has after the decimal point of a second.
const DIGITS_OF_NANOSECONDS: usize = 9;

/// Casts an array. Values that cannot be cast become null.
pub fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    cast_with_options(array, to, &CastOptions::default())
}

/// Returns the first row whose value would not come back as it was. A text may be written in several
/// ways, so it need not come back; and a float of 32 bits may be rounded, but not become infinite.
pub fn first_loss(array: &ArrayRef, converted: &ArrayRef) -> Result<Option<usize>, ArrowError> {
    let stored = match array.data_type() {
        DataType::Dictionary(_, values) => values.as_ref(),
        stored => stored,
    };
    if *converted.data_type() == DataType::Float32 && (stored.is_floating() || stored.is_string()) {
        return first_overflow(array, converted);
    }
    if stored.is_string() {
        return first_loss_of_text(array, converted.data_type());
    }
    let compared = compared(stored, converted.data_type());
    let back = cast(converted, &compared)?;
    let before = cast(array, &compared)?;
    let same = not_distinct(&before, &back)?;
    Ok((0..same.len()).find(|row| !same.value(*row)))
}

/// Returns the type in which the values before and after a conversion are compared. A time with a zone is the
/// same moment without it; a cast back to the zone would take it for a local time.
fn compared(stored: &DataType, converted: &DataType) -> DataType {
    match (stored, converted) {
        (DataType::Timestamp(unit, Some(_)), DataType::Timestamp(..)) => {
            DataType::Timestamp(*unit, None)
        }
        _ => stored.clone(),
    }
}

/// Returns the first row in which a finite value became infinite.
fn first_overflow(array: &ArrayRef, converted: &ArrayRef) -> Result<Option<usize>, ArrowError> {
    let before = cast(array, &DataType::Float64)?;
    let after = cast(converted, &DataType::Float64)?;
    let before = before.as_primitive::<Float64Type>();
    let after = after.as_primitive::<Float64Type>();
    let overflows = |row: &usize| {
        let both = before.is_valid(*row) && after.is_valid(*row);
        both && before.value(*row).is_finite() && after.value(*row).is_infinite()
    };
    Ok((0..before.len()).find(overflows))
}

/// Returns the first row whose time has more digits than the type keeps.
fn first_loss_of_text(array: &ArrayRef, to: &DataType) -> Result<Option<usize>, ArrowError> {
    match to {
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            let finer = Finer::new(array)?;
            Ok((0..array.len()).find(|row| {
                let nanoseconds = finer.nanoseconds(*row).map(|n| n % 1_000_000);
                let rest = nanoseconds.or_else(|| finer.microseconds(*row).map(|n| n % 1_000));
                rest.is_some_and(|rest| rest != 0)
            }))
        }
        DataType::Date32 => {
            let finer = Finer::new(array)?;
            let has_time = |row: &usize| {
                let microseconds = finer.microseconds(*row);
                microseconds.is_some_and(|n| n % MICROSECONDS_OF_DAY != 0)
            };
            Ok((0..array.len()).find(has_time))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            let text = cast(array, &DataType::Utf8)?;
            let text = text.as_string::<i32>();
            let is_finer = |row: &usize| text.is_valid(*row) && has_more_digits(text.value(*row));
            Ok((0..text.len()).find(is_finer))
        }
        _ => Ok(None),
    }
}

/// Times in finer units. A time that does not fit a unit is null in it.
struct Finer {
    microseconds: ArrayRef,
    nanoseconds: ArrayRef,
}

impl Finer {
    fn new(text: &ArrayRef) -> Result<Finer, ArrowError> {
        let unit = |unit| cast(text, &DataType::Timestamp(unit, None));
        Ok(Finer {
            microseconds: unit(TimeUnit::Microsecond)?,
            nanoseconds: unit(TimeUnit::Nanosecond)?,
        })
    }

    fn microseconds(&self, row: usize) -> Option<i64> {
        let times = self.microseconds.as_primitive::<TimestampMicrosecondType>();
        times.is_valid(row).then(|| times.value(row))
    }

    fn nanoseconds(&self, row: usize) -> Option<i64> {
        let times = self.nanoseconds.as_primitive::<TimestampNanosecondType>();
        times.is_valid(row).then(|| times.value(row))
    }
}

/// Returns whether a time has digits other than 0 below a nanosecond.
fn has_more_digits(time: &str) -> bool {
    let fraction = time.split_once('.').map_or("", |(_, fraction)| fraction);
    let digits = fraction.chars().take_while(char::is_ascii_digit);
    digits.skip(DIGITS_OF_NANOSECONDS).any(|digit| digit != '0')
}

//! Statistics of a column in one chunk, as they are kept in its [`ColumnStats`].

use arrow::array::{
    Array, ArrayRef, ArrowNumericType, ArrowPrimitiveType, AsArray, BooleanArray, GenericByteArray,
    PrimitiveArray,
};
use arrow::compute;
use arrow::datatypes::{
    ByteArrayType, Date32Type, Float32Type, Float64Type, Int32Type, Int64Type,
    TimestampMillisecondType, TimestampNanosecondType,
};
use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64;

use crate::meta::{ColumnStats, LONGEST_BOUND, Scalar};
use crate::{Error, Kind, Result};

impl ColumnStats {
    /// Statistics of the rows that are `live`: not deleted. All are if it is not given.
    ///
    /// # Errors
    /// If the array is not of this kind, or there are not as many flags as rows.
    pub fn of(kind: Kind, array: &ArrayRef, live: Option<&BooleanArray>) -> Result<ColumnStats> {
        if array.data_type() != &kind.data_type() {
            return Err(Error::Invalid(format!(
                "a column of kind {kind:?} holds {}, not {}",
                kind.data_type(),
                array.data_type()
            )));
        }
        let array = match live {
            Some(live) if live.len() != array.len() => {
                return Err(Error::Invalid(format!(
                    "{} flags for the {} rows of a column",
                    live.len(),
                    array.len()
                )));
            }
            Some(live) if live.true_count() < live.len() => {
                let doing = "leave deleted rows out";
                &compute::filter(array, live).map_err(|source| Error::Arrow { doing, source })?
            }
            _ => array,
        };
        let mut stats = of_values(kind, array);
        stats.nulls = u32::try_from(array.null_count()).unwrap_or(u32::MAX);
        Ok(stats)
    }
}

fn of_values(kind: Kind, array: &ArrayRef) -> ColumnStats {
    match kind {
        Kind::Boolean => of_booleans(array.as_boolean()),
        Kind::Int => of_integers(array.as_primitive::<Int32Type>()),
        Kind::Bigint => of_integers(array.as_primitive::<Int64Type>()),
        Kind::Float => of_floats(array.as_primitive::<Float32Type>()),
        Kind::Double => of_floats(array.as_primitive::<Float64Type>()),
        Kind::Date => of_times(array.as_primitive::<Date32Type>()),
        Kind::Timestamp => of_times(array.as_primitive::<TimestampMillisecondType>()),
        Kind::Nanotime => of_times(array.as_primitive::<TimestampNanosecondType>()),
        Kind::Text => of_bytes(array.as_string::<i32>()),
        Kind::Blob => of_bytes(array.as_binary::<i32>()),
    }
}

fn of_booleans(values: &BooleanArray) -> ColumnStats {
    let least = compute::min_boolean(values);
    let greatest = compute::max_boolean(values);
    ColumnStats {
        bounds: least.zip(greatest).map(|(least, greatest)| {
            (
                Scalar::Int(i64::from(least)),
                Scalar::Int(i64::from(greatest)),
            )
        }),
        distinct: match (least, greatest) {
            (Some(least), Some(greatest)) => 1 + u32::from(least != greatest),
            _ => 0,
        },
        ..ColumnStats::default()
    }
}

fn of_integers<T>(values: &PrimitiveArray<T>) -> ColumnStats
where
    T: ArrowNumericType,
    T::Native: Into<i64> + Ord,
{
    let mut sum = 0_i128;
    for_each_valid(values, |value| sum += i128::from(value.into()));
    ColumnStats {
        sum: i64::try_from(sum).ok().map(Scalar::Int),
        ..of_times(values)
    }
}

/// Integers whose sum means nothing.
fn of_times<T>(values: &PrimitiveArray<T>) -> ColumnStats
where
    T: ArrowNumericType,
    T::Native: Into<i64> + Ord,
{
    let mut distinct = Distinct::new(values.len());
    for_each_valid(values, |value| distinct.insert(mixed(value.into() as u64)));
    let bounds = compute::min(values).zip(compute::max(values));
    ColumnStats {
        bounds: bounds
            .map(|(least, greatest)| (Scalar::Int(least.into()), Scalar::Int(greatest.into()))),
        distinct: distinct.estimate(),
        ..ColumnStats::default()
    }
}

fn of_floats<T>(values: &PrimitiveArray<T>) -> ColumnStats
where
    T: ArrowNumericType,
    T::Native: Into<f64>,
{
    let mut sum = 0_f64;
    let mut distinct = Distinct::new(values.len());
    for_each_valid(values, |value| {
        let value: f64 = value.into();
        sum += value;
        distinct.insert(mixed(value.to_bits()));
    });
    // Arrow's order is total: a NaN is beyond all else, on the side of its sign.
    let bounds = compute::min(values).zip(compute::max(values));
    let bounds = bounds.map(|(least, greatest)| (least.into(), greatest.into()));
    ColumnStats {
        bounds: bounds
            .filter(|(least, greatest): &(f64, f64)| !least.is_nan() && !greatest.is_nan())
            .map(|(least, greatest)| (Scalar::Double(least), Scalar::Double(greatest))),
        sum: sum.is_finite().then_some(Scalar::Double(sum)),
        distinct: distinct.estimate(),
        ..ColumnStats::default()
    }
}

fn of_bytes<T: ByteArrayType>(values: &GenericByteArray<T>) -> ColumnStats
where
    T::Native: AsRef<[u8]>,
{
    let mut distinct = Distinct::new(values.len());
    let mut bounds: Option<(&[u8], &[u8])> = None;
    let mut previous: Option<&[u8]> = None;
    for_each_valid_row(values, |row| {
        let value: &[u8] = values.value(row).as_ref();
        if previous.replace(value) == Some(value) {
            return;
        }
        distinct.insert(xxh3_64(value));
        bounds = Some(match bounds {
            Some((least, greatest)) => (least.min(value), greatest.max(value)),
            None => (value, value),
        });
    });
    let bound = |value: &[u8]| Scalar::Bytes(Bytes::copy_from_slice(value));
    ColumnStats {
        bounds: bounds
            .filter(|(least, greatest)| least.len().max(greatest.len()) <= LONGEST_BOUND)
            .map(|(least, greatest)| (bound(least), bound(greatest))),
        distinct: distinct.estimate(),
        ..ColumnStats::default()
    }
}

fn for_each_valid<T: ArrowPrimitiveType>(
    values: &PrimitiveArray<T>,
    mut visit: impl FnMut(T::Native),
) {
    match values.null_count() {
        0 => values.values().iter().for_each(|value| visit(*value)),
        _ => for_each_valid_row(values, |row| visit(values.value(row))),
    }
}

fn for_each_valid_row(values: &dyn Array, visit: impl FnMut(usize)) {
    match values.nulls() {
        Some(nulls) => nulls.valid_indices().for_each(visit),
        None => (0..values.len()).for_each(visit),
    }
}

/// The finalizer of MurmurHash3: every bit of the value changes every bit of the hash.
pub(crate) fn mixed(mut value: u64) -> u64 {
    value ^= value >> 33;
    value = value.wrapping_mul(0xff51_afd7_ed55_8ccd);
    value ^= value >> 33;
    value = value.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    value ^ (value >> 33)
}

/// Linear counting: a bit per hash, in at least twice as many bits as there are values. Its
/// standard error is 0.3 % of 32,768 different values, and less of fewer.
struct Distinct {
    bits: Vec<u64>,
    mask: u64,
    ones: u32,
}

impl Distinct {
    /// Bits at least, so that few values are hardly ever miscounted: 8 KiB.
    const BITS_AT_LEAST: usize = 1 << 16;

    fn new(values: usize) -> Self {
        let bits = (2 * values).next_power_of_two().max(Self::BITS_AT_LEAST);
        Distinct {
            bits: vec![0; bits / 64],
            mask: bits as u64 - 1,
            ones: 0,
        }
    }

    fn insert(&mut self, hash: u64) {
        let bit = hash & self.mask;
        let Some(word) = self.bits.get_mut((bit / 64) as usize) else {
            return;
        };
        let before = *word;
        *word |= 1 << (bit % 64);
        self.ones += u32::from(*word != before);
    }

    fn estimate(&self) -> u32 {
        let bits = self.mask as f64 + 1.0;
        let zeros = bits - f64::from(self.ones);
        (bits * (bits / zeros.max(1.0)).ln()).round() as u32
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        BinaryArray, Date32Array, Float32Array, Float64Array, Int32Array, Int64Array, StringArray,
        TimestampNanosecondArray,
    };

    use super::*;

    fn of(kind: Kind, array: impl Array + 'static) -> ColumnStats {
        ColumnStats::of(kind, &(Arc::new(array) as ArrayRef), None).unwrap()
    }

    fn ints(least: i64, greatest: i64) -> Option<(Scalar, Scalar)> {
        Some((Scalar::Int(least), Scalar::Int(greatest)))
    }

    #[test]
    fn integers() {
        let stats = of(
            Kind::Int,
            Int32Array::from(vec![Some(3), None, Some(-5), Some(3)]),
        );
        let expected = ColumnStats {
            nulls: 1,
            bounds: ints(-5, 3),
            sum: Some(Scalar::Int(1)),
            distinct: 2,
        };
        assert_eq!(stats, expected);
    }

    #[test]
    fn a_sum_that_passes_the_limit_and_comes_back_is_exact() {
        let stats = of(Kind::Bigint, Int64Array::from(vec![i64::MAX, 1, -2]));
        assert_eq!(stats.sum, Some(Scalar::Int(i64::MAX - 1)));
        let stats = of(Kind::Bigint, Int64Array::from(vec![i64::MAX, 1]));
        assert_eq!(stats.sum, None);
        assert_eq!(stats.bounds, ints(1, i64::MAX));
        let stats = of(Kind::Bigint, Int64Array::from(vec![i64::MIN, -1]));
        assert_eq!(stats.sum, None);
    }

    #[test]
    fn nothing_but_nulls_sums_to_nothing() {
        let stats = of(Kind::Bigint, Int64Array::from(vec![None, None]));
        assert_eq!((stats.nulls, stats.distinct), (2, 0));
        assert_eq!(stats.bounds, None);
        assert_eq!(stats.sum, Some(Scalar::Int(0)));
    }

    #[test]
    fn a_nan_of_either_sign_leaves_no_bounds_and_no_sum() {
        for nan in [f64::NAN, -f64::NAN] {
            let stats = of(Kind::Double, Float64Array::from(vec![1.0, nan, 2.0]));
            assert_eq!((stats.bounds, stats.sum), (None, None));
            let values = vec![Some(1.0), Some(nan as f32), None];
            let stats = of(Kind::Float, Float32Array::from(values));
            assert_eq!((stats.bounds, stats.sum), (None, None));
        }
    }

    #[test]
    fn infinities_are_bounds_but_no_sum() {
        let stats = of(Kind::Double, Float64Array::from(vec![f64::INFINITY, 1.0]));
        let bounds = Some((Scalar::Double(1.0), Scalar::Double(f64::INFINITY)));
        assert_eq!((stats.bounds, stats.sum), (bounds, None));
    }

    #[test]
    fn zeros_are_told_apart() {
        let stats = of(Kind::Double, Float64Array::from(vec![0.0, -0.0]));
        let Some((Scalar::Double(least), Scalar::Double(greatest))) = stats.bounds else {
            panic!("{:?}", stats.bounds);
        };
        assert!(least.is_sign_negative() && greatest.is_sign_positive());
        assert_eq!(stats.distinct, 2);
    }

    #[test]
    fn times_have_bounds_but_no_sum() {
        let stats = of(Kind::Date, Date32Array::from(vec![i32::MIN, 7]));
        assert_eq!(
            (stats.bounds, stats.sum),
            (ints(i64::from(i32::MIN), 7), None)
        );
        let stats = of(
            Kind::Nanotime,
            TimestampNanosecondArray::from(vec![i64::MAX, 0]),
        );
        assert_eq!((stats.bounds, stats.sum), (ints(0, i64::MAX), None));
    }

    #[test]
    fn booleans() {
        let stats = of(Kind::Boolean, BooleanArray::from(vec![Some(true), None]));
        assert_eq!((stats.nulls, stats.distinct), (1, 1));
        assert_eq!((stats.bounds, stats.sum), (ints(1, 1), None));
        let stats = of(Kind::Boolean, BooleanArray::from(vec![true, false]));
        assert_eq!((stats.bounds, stats.distinct), (ints(0, 1), 2));
    }

    #[test]
    fn texts_and_blobs_are_compared_by_bytes() {
        let bounds = |least: &[u8], greatest: &[u8]| {
            let bound = |b: &[u8]| Scalar::Bytes(Bytes::copy_from_slice(b));
            Some((bound(least), bound(greatest)))
        };
        let stats = of(
            Kind::Text,
            StringArray::from(vec![Some("é"), Some(""), None, Some("z")]),
        );
        assert_eq!(stats.bounds, bounds(b"", "é".as_bytes()));
        assert_eq!((stats.nulls, stats.distinct), (1, 3));
        let stats = of(
            Kind::Blob,
            BinaryArray::from(vec![b"\xff".as_slice(), b"a"]),
        );
        assert_eq!(stats.bounds, bounds(b"a", b"\xff"));
    }

    #[test]
    fn a_bound_that_is_too_long_leaves_none() {
        let at_most = "x".repeat(LONGEST_BOUND);
        let stats = of(Kind::Text, StringArray::from(vec![at_most.as_str()]));
        assert!(stats.bounds.is_some());
        let longer = "x".repeat(LONGEST_BOUND + 1);
        let stats = of(Kind::Text, StringArray::from(vec!["a", longer.as_str()]));
        assert_eq!(stats.bounds, None);
        let stats = of(Kind::Text, StringArray::from(vec!["a", &longer, "y"]));
        assert!(stats.bounds.is_some(), "what lies between may be long");
    }

    #[test]
    fn deleted_rows_do_not_count() {
        let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(9), None]));
        let live = BooleanArray::from(vec![true, true, false, false]);
        let stats = ColumnStats::of(Kind::Int, &array, Some(&live)).unwrap();
        let expected = ColumnStats {
            nulls: 1,
            bounds: ints(1, 1),
            sum: Some(Scalar::Int(1)),
            distinct: 1,
        };
        assert_eq!(stats, expected);
    }

    #[test]
    fn another_type_or_number_of_flags_is_refused() {
        let array: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        assert!(ColumnStats::of(Kind::Int, &array, None).is_err());
        let live = BooleanArray::from(vec![true, false]);
        assert!(ColumnStats::of(Kind::Bigint, &array, Some(&live)).is_err());
    }

    #[test]
    fn many_different_values_are_estimated_within_two_percent() {
        for count in [1_000_i64, 32_768, 300_000] {
            let numbers = Int64Array::from_iter_values((0..count).map(|i| i * 1_000));
            let texts = StringArray::from_iter_values((0..count).map(|i| format!("name {i}")));
            let estimates = [of(Kind::Bigint, numbers), of(Kind::Text, texts)];
            for estimate in estimates.map(|stats| stats.distinct) {
                let error = (f64::from(estimate) / count as f64 - 1.0).abs();
                assert!(error < 0.02, "{estimate} of {count}");
            }
        }
    }
}

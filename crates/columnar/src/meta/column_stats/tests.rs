use std::sync::Arc;

use arrow::array::{
    BinaryArray, Date32Array, Float32Array, Float64Array, Int32Array, Int64Array, StringArray,
    TimestampNanosecondArray,
};

use super::*;

fn stats_of(kind: Kind, array: impl Array + 'static) -> ColumnStats {
    ColumnStats::new(kind, &(Arc::new(array) as ArrayRef), None).unwrap()
}

fn ints(least: i64, greatest: i64) -> Option<(Scalar, Scalar)> {
    Some((Scalar::Int(least), Scalar::Int(greatest)))
}

#[test]
fn integers() {
    let stats = stats_of(
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
    let stats = stats_of(Kind::Bigint, Int64Array::from(vec![i64::MAX, 1, -2]));
    assert_eq!(stats.sum, Some(Scalar::Int(i64::MAX - 1)));
    let stats = stats_of(Kind::Bigint, Int64Array::from(vec![i64::MAX, 1]));
    assert_eq!(stats.sum, None);
    assert_eq!(stats.bounds, ints(1, i64::MAX));
    let stats = stats_of(Kind::Bigint, Int64Array::from(vec![i64::MIN, -1]));
    assert_eq!(stats.sum, None);
}

#[test]
fn nothing_but_nulls_sums_to_nothing() {
    let stats = stats_of(Kind::Bigint, Int64Array::from(vec![None, None]));
    assert_eq!((stats.nulls, stats.distinct), (2, 0));
    assert_eq!(stats.bounds, None);
    assert_eq!(stats.sum, Some(Scalar::Int(0)));
}

#[test]
fn a_nan_of_either_sign_leaves_no_bounds_and_no_sum() {
    for nan in [f64::NAN, -f64::NAN] {
        let stats = stats_of(Kind::Double, Float64Array::from(vec![1.0, nan, 2.0]));
        assert_eq!((stats.bounds, stats.sum), (None, None));
        let values = vec![Some(1.0), Some(nan as f32), None];
        let stats = stats_of(Kind::Float, Float32Array::from(values));
        assert_eq!((stats.bounds, stats.sum), (None, None));
    }
}

#[test]
fn infinities_are_bounds_but_no_sum() {
    let stats = stats_of(Kind::Double, Float64Array::from(vec![f64::INFINITY, 1.0]));
    let bounds = Some((Scalar::Double(1.0), Scalar::Double(f64::INFINITY)));
    assert_eq!((stats.bounds, stats.sum), (bounds, None));
}

#[test]
fn zeros_are_told_apart() {
    let stats = stats_of(Kind::Double, Float64Array::from(vec![0.0, -0.0]));
    let Some((Scalar::Double(least), Scalar::Double(greatest))) = stats.bounds else {
        panic!("{:?}", stats.bounds);
    };
    assert!(least.is_sign_negative() && greatest.is_sign_positive());
    assert_eq!(stats.distinct, 2);
}

#[test]
fn times_have_bounds_but_no_sum() {
    let stats = stats_of(Kind::Date, Date32Array::from(vec![i32::MIN, 7]));
    assert_eq!(
        (stats.bounds, stats.sum),
        (ints(i64::from(i32::MIN), 7), None)
    );
    let stats = stats_of(
        Kind::Nanotime,
        TimestampNanosecondArray::from(vec![i64::MAX, 0]),
    );
    assert_eq!((stats.bounds, stats.sum), (ints(0, i64::MAX), None));
}

#[test]
fn booleans() {
    let stats = stats_of(Kind::Boolean, BooleanArray::from(vec![Some(true), None]));
    assert_eq!((stats.nulls, stats.distinct), (1, 1));
    assert_eq!((stats.bounds, stats.sum), (ints(1, 1), None));
    let stats = stats_of(Kind::Boolean, BooleanArray::from(vec![true, false]));
    assert_eq!((stats.bounds, stats.distinct), (ints(0, 1), 2));
}

#[test]
fn texts_and_blobs_are_compared_by_bytes() {
    let bounds = |least: &[u8], greatest: &[u8]| {
        let bound = |b: &[u8]| Scalar::Bytes(Bytes::copy_from_slice(b));
        Some((bound(least), bound(greatest)))
    };
    let stats = stats_of(
        Kind::Text,
        StringArray::from(vec![Some("é"), Some(""), None, Some("z")]),
    );
    assert_eq!(stats.bounds, bounds(b"", "é".as_bytes()));
    assert_eq!((stats.nulls, stats.distinct), (1, 3));
    let stats = stats_of(
        Kind::Blob,
        BinaryArray::from(vec![b"\xff".as_slice(), b"a"]),
    );
    assert_eq!(stats.bounds, bounds(b"a", b"\xff"));
}

#[test]
fn a_bound_that_is_too_long_leaves_none() {
    let at_most = "x".repeat(LONGEST_BOUND);
    let stats = stats_of(Kind::Text, StringArray::from(vec![at_most.as_str()]));
    assert!(stats.bounds.is_some());
    let longer = "x".repeat(LONGEST_BOUND + 1);
    let stats = stats_of(Kind::Text, StringArray::from(vec!["a", longer.as_str()]));
    assert_eq!(stats.bounds, None);
    let stats = stats_of(Kind::Text, StringArray::from(vec!["a", &longer, "y"]));
    assert!(stats.bounds.is_some(), "what lies between may be long");
}

#[test]
fn deleted_rows_do_not_count() {
    let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(9), None]));
    let live = BooleanArray::from(vec![true, true, false, false]);
    let stats = ColumnStats::new(Kind::Int, &array, Some(&live)).unwrap();
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
    assert!(ColumnStats::new(Kind::Int, &array, None).is_err());
    let live = BooleanArray::from(vec![true, false]);
    assert!(ColumnStats::new(Kind::Bigint, &array, Some(&live)).is_err());
}

#[test]
fn many_different_values_are_estimated_within_two_percent() {
    for count in [1_000_i64, 32_768, 300_000] {
        let numbers = Int64Array::from_iter_values((0..count).map(|i| i * 1_000));
        let texts = StringArray::from_iter_values((0..count).map(|i| format!("name {i}")));
        let estimates = [stats_of(Kind::Bigint, numbers), stats_of(Kind::Text, texts)];
        for estimate in estimates.map(|stats| stats.distinct) {
            let error = (f64::from(estimate) / count as f64 - 1.0).abs();
            assert!(error < 0.02, "{estimate} of {count}");
        }
    }
}

//! Statistics agree with what a look at each row finds.

use arrow::array::{Array, ArrayRef, BooleanArray};
use bakeoff_columnar::internals::LONGEST_BOUND;
use bakeoff_columnar::{ColumnStats, Kind, Scalar};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::columns::{any_column, cases, compare, values};

#[test]
fn statistics_are_what_a_look_at_each_row_finds() {
    for kind in Kind::ALL {
        let mut runner = TestRunner::new(cases(64));
        let live = prop_oneof![Just(vec![true]), vec(any::<bool>(), 1..50)];
        let result = runner.run(&(any_column(kind), live), |(array, live)| {
            let live: Vec<bool> = live.iter().copied().cycle().take(array.len()).collect();
            let stats =
                ColumnStats::new(kind, &array, Some(&BooleanArray::from(live.clone()))).unwrap();
            let expected = expected(kind, &array, &live);
            prop_assert_eq!(stats.nulls, expected.nulls);
            let miscounted = stats.distinct.abs_diff(expected.distinct);
            prop_assert!(
                miscounted <= 2 + expected.distinct / 100,
                "{}",
                stats.distinct
            );
            prop_assert_eq!(debug(&stats.bounds), debug(&expected.bounds));
            prop_assert!(
                is_near(&stats.sum, &expected.sum),
                "{:?}, {expected:?}",
                stats.sum
            );
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
    }
}

/// Formats bounds so that 0 and -0 differ.
fn debug(bounds: &Option<(Scalar, Scalar)>) -> String {
    format!("{bounds:?}")
}

fn is_near(one: &Option<Scalar>, other: &Option<Scalar>) -> bool {
    match (one, other) {
        (Some(Scalar::Double(one)), Some(Scalar::Double(other))) => {
            (one - other).abs() <= one.abs().max(1.0) * 1e-9
        }
        _ => one == other,
    }
}

fn expected(kind: Kind, array: &ArrayRef, live: &[bool]) -> ColumnStats {
    let all = values(kind, array);
    let rows = || (0..array.len()).filter(|row| live[*row]);
    let mut present: Vec<&Scalar> = rows()
        .filter(|row| array.is_valid(*row))
        .map(|row| &all[row])
        .collect();
    present.sort_by(|one, other| compare(one, other));
    let is_nan = |value: &Scalar| matches!(value, Scalar::Double(value) if value.is_nan());
    let is_long = |value: &Scalar| matches!(value, Scalar::Bytes(b) if b.len() > LONGEST_BOUND);
    let bounds = present
        .first()
        .zip(present.last())
        .filter(|(least, greatest)| !is_long(least) && !is_long(greatest));
    let has_nan = present.iter().any(|value| is_nan(value));
    let pairs = present.windows(2);
    let changes = pairs
        .filter(|pair| compare(pair[0], pair[1]).is_ne())
        .count();
    ColumnStats {
        nulls: rows().filter(|row| array.is_null(*row)).count() as u32,
        bounds: bounds
            .filter(|_| !has_nan)
            .map(|(least, greatest)| ((*least).clone(), (*greatest).clone())),
        sum: sum(kind, &present),
        distinct: (changes + usize::from(!present.is_empty())) as u32,
    }
}

fn sum(kind: Kind, present: &[&Scalar]) -> Option<Scalar> {
    match kind {
        Kind::Int | Kind::Bigint => {
            let integer = |value: &&Scalar| match value {
                Scalar::Int(value) => i128::from(*value),
                _ => panic!("{value:?}"),
            };
            let sum: i128 = present.iter().map(integer).sum();
            i64::try_from(sum).ok().map(Scalar::Int)
        }
        Kind::Float | Kind::Double => {
            let float = |value: &&Scalar| match value {
                Scalar::Double(value) => *value,
                _ => panic!("{value:?}"),
            };
            let sum: f64 = present.iter().map(float).sum();
            sum.is_finite().then_some(Scalar::Double(sum))
        }
        _ => None,
    }
}

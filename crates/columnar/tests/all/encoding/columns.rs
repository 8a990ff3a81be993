//! Columns to encode: any values of a kind, in the shapes that choose between encodings.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Date32Array, Float32Array, Float64Array,
    Int32Array, Int64Array, StringArray, TimestampMillisecondArray, TimestampNanosecondArray,
};
use arrow::datatypes::{
    Date32Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMillisecondType,
    TimestampNanosecondType,
};
use bakeoff_columnar::{Kind, Scalar};
use bakeoff_testing::times;
use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;

/// Makes a column of a kind in which each seed is a value, the same for the same seed.
pub fn column(kind: Kind, seeds: &[Option<u64>]) -> ArrayRef {
    let seeds = seeds.iter().copied();
    match kind {
        Kind::Boolean => Arc::new(BooleanArray::from_iter(
            seeds.map(|seed| seed.map(|seed| seed % 2 == 1)),
        )),
        Kind::Int => Arc::new(Int32Array::from_iter(seeds.map(|seed| seed.map(int)))),
        Kind::Bigint => Arc::new(Int64Array::from_iter(seeds.map(|seed| seed.map(long)))),
        Kind::Float => Arc::new(Float32Array::from_iter(seeds.map(|seed| seed.map(float)))),
        Kind::Double => Arc::new(Float64Array::from_iter(seeds.map(|seed| seed.map(double)))),
        Kind::Date => Arc::new(Date32Array::from_iter(seeds.map(|seed| seed.map(int)))),
        Kind::Timestamp => Arc::new(TimestampMillisecondArray::from_iter(
            seeds.map(|seed| seed.map(long)),
        )),
        Kind::Nanotime => Arc::new(TimestampNanosecondArray::from_iter(
            seeds.map(|seed| seed.map(long)),
        )),
        Kind::Text => Arc::new(StringArray::from_iter(seeds.map(|seed| seed.map(text)))),
        Kind::Blob => Arc::new(BinaryArray::from_iter(seeds.map(|seed| seed.map(blob)))),
    }
}

/// Maps small seeds to numbers around 0, and large ones to the extremes.
fn long(seed: u64) -> i64 {
    match seed {
        u64::MAX => i64::MAX,
        0xffff_ffff_ffff_fffe => i64::MIN,
        _ => (seed >> 1) as i64 ^ -((seed & 1) as i64),
    }
}

fn int(seed: u64) -> i32 {
    match seed {
        u64::MAX => i32::MAX,
        0xffff_ffff_ffff_fffe => i32::MIN,
        _ => long(seed) as i32,
    }
}

fn double(seed: u64) -> f64 {
    match seed {
        0 => 0.0,
        1 => -0.0,
        u64::MAX => f64::NAN,
        0xffff_ffff_ffff_fffe => -f64::NAN,
        0xffff_ffff_ffff_fffd => f64::INFINITY,
        // All bit patterns: further NaN, subnormal numbers.
        _ if seed >> 60 == 7 => f64::from_bits(seed.rotate_left(4)),
        // From 1 to 2, with all the digits that there are.
        _ if seed >> 60 == 6 => f64::from_bits(0x3ff0_0000_0000_0000 | seed << 4 >> 12),
        _ => long(seed) as f64 / 100.0,
    }
}

fn float(seed: u64) -> f32 {
    match seed >> 60 {
        7 => f32::from_bits(seed as u32),
        6 => f32::from_bits(0x3f80_0000 | (seed as u32) >> 9),
        _ => double(seed) as f32,
    }
}

const WORDS: [&str; 13] = [
    "pressure", "valve", "of", "pump", "station", "north", "is", "too", "high", "closed", "again",
    "since", "noon",
];

fn text(seed: u64) -> String {
    match seed % 8 {
        0 => String::new(),
        1 => "é".repeat((seed % 5) as usize),
        2 => format!("a longer text that begins like many others, number {seed}"),
        3 => "x".repeat((seed % 700) as usize),
        4 => (0..6)
            .map(|i| WORDS[(seed >> (8 + 5 * i)) as usize % WORDS.len()])
            .collect(),
        _ => format!("v{}", seed / 8),
    }
}

fn blob(seed: u64) -> Vec<u8> {
    match seed % 8 {
        0 => Vec::new(),
        1 => vec![0xff; (seed % 300) as usize],
        _ => seed.to_be_bytes()[..(seed % 9) as usize].to_vec(),
    }
}

/// Generates columns of a kind: with all values equal, few, many, all different, rising, or in
/// runs; without nulls, with some, or with hardly anything else.
pub fn any_column(kind: Kind) -> impl Strategy<Value = ArrayRef> {
    (any_seeds(), nulls()).prop_map(move |(seeds, nulls)| {
        let seeds: Vec<Option<u64>> = seeds
            .iter()
            .zip(nulls.iter().cycle())
            .map(|(seed, null)| (!null).then_some(*seed))
            .collect();
        column(kind, &seeds)
    })
}

pub fn any_seeds() -> impl Strategy<Value = Vec<u64>> {
    let seed = prop_oneof![
        4 => 0..3_u64,
        4 => 0..2_000_u64,
        2 => any::<u64>(),
        1 => (u64::MAX - 2)..=u64::MAX,
    ];
    let length = prop_oneof![2 => 0..4_usize, 3 => 4..200_usize, 2 => 200..2_500_usize];
    let raw = length.prop_flat_map(move |length| vec(seed.clone(), length));
    (raw, 0..6_u8, 1..50_usize).prop_map(|(mut seeds, shape, run)| {
        match shape {
            0 => seeds.sort_unstable(),
            1 => {
                let first = seeds.first().copied().unwrap_or(0);
                seeds.fill(first);
            }
            2 => (0..seeds.len()).for_each(|row| seeds[row] = seeds[row / run * run]),
            3 => {
                // Rises in steps of which most are equal; even seeds are positive numbers.
                let mut value = seeds.first().map_or(0, |seed| seed % 1_000_000);
                for seed in &mut seeds {
                    value += if *seed % 16 == 0 {
                        *seed % 1_000
                    } else {
                        1_000
                    };
                    *seed = 2 * value;
                }
            }
            _ => {}
        }
        seeds
    })
}

fn nulls() -> impl Strategy<Value = Vec<bool>> {
    prop_oneof![
        3 => Just(vec![false]),
        2 => vec(any::<bool>(), 1..100),
        2 => vec(proptest::bool::weighted(0.03), 50..400),
        2 => vec(proptest::bool::weighted(0.98), 50..400),
        1 => Just(vec![true]),
    ]
}

/// Returns the value of each row; that of a null is arbitrary.
pub fn values(kind: Kind, array: &ArrayRef) -> Vec<Scalar> {
    let value = |row: usize| match kind {
        Kind::Boolean => Scalar::Int(i64::from(array.as_boolean().value(row))),
        Kind::Int => Scalar::Int(array.as_primitive::<Int32Type>().value(row).into()),
        Kind::Bigint => Scalar::Int(array.as_primitive::<Int64Type>().value(row)),
        Kind::Float => Scalar::Double(array.as_primitive::<Float32Type>().value(row).into()),
        Kind::Double => Scalar::Double(array.as_primitive::<Float64Type>().value(row)),
        Kind::Date => Scalar::Int(array.as_primitive::<Date32Type>().value(row).into()),
        Kind::Timestamp => Scalar::Int(array.as_primitive::<TimestampMillisecondType>().value(row)),
        Kind::Nanotime => Scalar::Int(array.as_primitive::<TimestampNanosecondType>().value(row)),
        Kind::Text => bytes(array.as_string::<i32>().value(row).as_bytes()),
        Kind::Blob => bytes(array.as_binary::<i32>().value(row)),
    };
    (0..array.len()).map(value).collect()
}

fn bytes(value: &[u8]) -> Scalar {
    Scalar::Bytes(Bytes::copy_from_slice(value))
}

pub fn compare(one: &Scalar, other: &Scalar) -> Ordering {
    match (one, other) {
        (Scalar::Int(one), Scalar::Int(other)) => one.cmp(other),
        (Scalar::Double(one), Scalar::Double(other)) => one.total_cmp(other),
        (Scalar::Bytes(one), Scalar::Bytes(other)) => one.cmp(other),
        _ => panic!("{one:?} and {other:?} have no order"),
    }
}

/// Configures the number of cases: a quarter of it by default, all of them every night, or
/// `PROPTEST_CASES`.
pub fn cases(cases: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|asked| asked.parse().ok());
    Config {
        failure_persistence: None,
        ..Config::with_cases(asked.unwrap_or(times(cases / 4, cases)))
    }
}

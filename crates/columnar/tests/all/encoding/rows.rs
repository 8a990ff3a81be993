//! Any column comes back bit by bit, whole and in part, with every profile.

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, UInt32Type};
use bakeoff_columnar::internals::{Codec, ENCODINGS, coded_field};
use bakeoff_columnar::{Kind, Profile};
use bytes::Bytes;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{TestCaseResult, TestRunner};

use super::columns::{any_column, cases, column};

pub const PROFILES: [Profile; 2] = [Profile::Fast, Profile::Compact];

#[test]
fn any_column_of_any_kind_comes_back_whole_and_in_part() {
    for kind in Kind::ALL {
        let mut runner = TestRunner::new(cases(48));
        let input = (any_column(kind), any::<[Index; 2]>());
        let result = runner.run(&input, |(array, ends)| {
            for profile in PROFILES {
                comes_back(profile, kind, &array, &ends)?;
            }
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
    }
    assert_eq!(Codec::shared().setbacks(), 0, "a way of encoding failed");
}

fn comes_back(profile: Profile, kind: Kind, array: &ArrayRef, ends: &[Index; 2]) -> TestCaseResult {
    let codec = Codec::shared();
    let rows = array.len();
    let blob = codec.encode(profile, kind, array).unwrap();
    let decoded = codec.decode(&blob, kind, rows).unwrap();
    prop_assert_eq!(decoded.data_type(), &kind.data_type());
    prop_assert_eq!(&decoded, array);

    // The position in memory does not matter.
    let shifted = Bytes::from([&[0], blob.as_ref()].concat()).slice(1..);
    prop_assert_eq!(&codec.decode(&shifted, kind, rows).unwrap(), array);

    let [from, to] = ends.each_ref().map(|end| end.index(rows + 1));
    let range = from.min(to)..from.max(to);
    let part = codec
        .decode_range(&blob, kind, rows, range.clone())
        .unwrap();
    prop_assert_eq!(&part, &array.slice(range.start, range.len()));

    let views = codec
        .decode_views(&blob, kind, rows, range.clone())
        .unwrap();
    prop_assert_eq!(views.data_type(), &view_type(kind));
    prop_assert_eq!(&cast(&views, &kind.data_type()).unwrap(), &part);

    let coded = codec
        .decode_coded(&blob, kind, rows, range.clone())
        .unwrap();
    let field = coded_field(&Field::new("", kind.data_type(), true));
    prop_assert_eq!(coded.data_type(), field.data_type());
    prop_assert_eq!(coded.null_count(), 0);
    prop_assert_eq!(&cast(&coded, &kind.data_type()).unwrap(), &part);

    prop_assert!(codec.decode(&blob, kind, rows + 1).is_err());
    prop_assert!(codec.decode_coded(&blob, kind, rows, 0..rows + 1).is_err());
    prop_assert!(codec.decode_range(&blob, kind, rows, 0..rows + 1).is_err());
    for other in Kind::ALL.into_iter().filter(|other| *other != kind) {
        prop_assert!(codec.decode(&blob, other, rows).is_err());
    }
    Ok(())
}

fn view_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8View,
        Kind::Blob => DataType::BinaryView,
        _ => kind.data_type(),
    }
}

/// The seed of each row.
type Seeds = fn(u64) -> Option<u64>;

#[test]
fn texts_of_few_values_come_with_the_codes_that_are_kept() {
    let shapes: [(Seeds, usize); 4] = [
        (|i| (i % 5 > 0).then_some(i * 7 % 50), 51),
        (|_| Some(12), 1),
        (|_| None, 1),
        (|i| Some(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)), 3_000),
    ];
    for kind in [Kind::Text, Kind::Blob] {
        for (seed, most) in shapes {
            let seeds: Vec<Option<u64>> = (0..3_000).map(seed).collect();
            let array = column(kind, &seeds);
            // The compact profile may have something smaller.
            let blob = Codec::shared().encode(Profile::Fast, kind, &array).unwrap();
            for range in [0..3_000, 1_001..2_900] {
                let coded = Codec::shared()
                    .decode_coded(&blob, kind, 3_000, range)
                    .unwrap();
                let values = coded.as_dictionary::<UInt32Type>().values().len();
                assert!(values <= most, "{kind:?}: {values} values");
            }
        }
    }
}

#[test]
fn a_slice_is_encoded_as_what_it_shows() {
    for kind in Kind::ALL {
        let seeds: Vec<Option<u64>> = (0..3_000).map(|i| (i % 7 != 0).then_some(i * 31)).collect();
        let slice = column(kind, &seeds).slice(1_001, 1_500);
        for profile in PROFILES {
            let blob = Codec::shared().encode(profile, kind, &slice).unwrap();
            let decoded = Codec::shared().decode(&blob, kind, 1_500).unwrap();
            assert_eq!(&decoded, &slice, "{kind:?} {profile:?}");
        }
    }
}

#[test]
fn a_whole_chunk_of_many_different_values_comes_back() {
    for kind in Kind::ALL {
        let seeds: Vec<Option<u64>> = (0..40_000_u64)
            .map(|i| (i % 11 != 0).then_some(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect();
        let array = column(kind, &seeds);
        for profile in PROFILES {
            let blob = Codec::shared().encode(profile, kind, &array).unwrap();
            let decoded = Codec::shared().decode(&blob, kind, array.len()).unwrap();
            assert_eq!(&decoded, &array, "{kind:?} {profile:?}");
        }
    }
}

#[test]
fn what_hardly_says_anything_takes_hardly_any_bytes() {
    let size = |kind: Kind, seed: &dyn Fn(u64) -> Option<u64>| {
        let seeds: Vec<Option<u64>> = (0..32_768).map(seed).collect();
        let array = column(kind, &seeds);
        let blob = Codec::shared().encode(Profile::Fast, kind, &array).unwrap();
        blob.len()
    };
    for kind in Kind::ALL {
        let constant = size(kind, &|_| Some(12));
        assert!(constant < 200, "{kind:?} constant: {constant} bytes");
        let null = size(kind, &|_| None);
        assert!(null < 200, "{kind:?} null: {null} bytes");
        let seldom = size(kind, &|i| (i % 3_000 == 0).then_some(12));
        assert!(seldom < 1_000, "{kind:?} seldom: {seldom} bytes");
    }
    let flags = size(Kind::Boolean, &|i| Some(u64::from(i % 3_000 == 0)));
    assert!(flags < 500, "flags: {flags} bytes");
    for kind in [Kind::Int, Kind::Bigint, Kind::Timestamp] {
        let regular = size(kind, &|i| Some(20_000 * i));
        assert!(regular < 300, "{kind:?} regular: {regular} bytes");
        let series = size(kind, &|i| Some(20_000 * (i % 1_000)));
        assert!(series < 3_000, "{kind:?} series: {series} bytes");
    }
}

#[test]
fn an_array_of_another_kind_is_refused() {
    let array: ArrayRef = std::sync::Arc::new(Int64Array::from(vec![1]));
    assert!(
        Codec::shared()
            .encode(Profile::Fast, Kind::Timestamp, &array)
            .is_err()
    );
}

#[test]
fn the_list_of_encodings_only_grows() {
    let frozen = [
        "vortex.bool",
        "vortex.primitive",
        "vortex.varbin",
        "vortex.varbinview",
        "vortex.constant",
        "vortex.masked",
        "vortex.dict",
        "vortex.runend",
        "vortex.sparse",
        "vortex.sequence",
        "vortex.zigzag",
        "fastlanes.bitpacked",
        "fastlanes.for",
        "vortex.alp",
        "vortex.alprd",
        "vortex.fsst",
        "vortex.pco",
        "vortex.zstd",
    ];
    assert_eq!(&ENCODINGS[..frozen.len()], &frozen);
}

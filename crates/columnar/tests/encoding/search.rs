//! Bounds in sorted columns are where a search from the front finds them.

use arrow::array::{Array, ArrayRef};
use arrow::compute::sort;
use bakeoff_columnar::Kind;
use bakeoff_columnar::encoding::Codec;
use bakeoff_columnar::meta::Scalar;
use bytes::Bytes;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

use crate::columns::{KINDS, any_seeds, cases, column, compare, values};
use crate::rows::PROFILES;

#[test]
fn bounds_are_where_a_search_from_the_front_finds_them() {
    for kind in KINDS {
        let mut runner = TestRunner::new(cases(24));
        let input = (any_seeds(), any_seeds(), any::<[Index; 2]>());
        let result = runner.run(&input, |(seeds, sought, ends)| {
            let array = sort(&of_seeds(kind, &seeds), None).unwrap();
            let sought = values(kind, &of_seeds(kind, &sought[..sought.len().min(12)]));
            let all = values(kind, &array);
            let [from, to] = ends.each_ref().map(|end| end.index(array.len() + 1));
            let range = from.min(to)..from.max(to);
            for profile in PROFILES {
                let codec = Codec::shared();
                let blob = codec.encode(profile, kind, &array).unwrap();
                for value in sought.iter().chain(all.iter().step_by(97)) {
                    let place = |is_before: &dyn Fn(&Scalar) -> bool| {
                        let rows = &all[range.clone()];
                        range.start + rows.iter().take_while(|row| is_before(row)).count()
                    };
                    let found = |bound: Bound| {
                        bound(codec, &blob, kind, all.len(), range.clone(), value).unwrap()
                    };
                    prop_assert_eq!(
                        found(Codec::lower_bound),
                        place(&|row| compare(row, value).is_lt())
                    );
                    prop_assert_eq!(
                        found(Codec::upper_bound),
                        place(&|row| compare(row, value).is_le())
                    );
                }
            }
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
    }
}

type Bound = fn(
    &Codec,
    &Bytes,
    Kind,
    usize,
    std::ops::Range<usize>,
    &Scalar,
) -> Result<usize, bakeoff_columnar::encoding::DecodeError>;

fn of_seeds(kind: Kind, seeds: &[u64]) -> ArrayRef {
    column(kind, &seeds.iter().copied().map(Some).collect::<Vec<_>>())
}

#[test]
fn a_null_or_a_value_of_another_kind_is_an_error() {
    let codec = Codec::shared();
    let array = column(Kind::Int, &[None, Some(1), Some(2)]);
    let blob = codec.encode(PROFILES[0], Kind::Int, &array).unwrap();
    let bound = |range, value| codec.lower_bound(&blob, Kind::Int, 3, range, &value);
    assert!(bound(0..3, Scalar::Int(0)).is_err());
    assert!(bound(1..3, Scalar::Double(0.0)).is_err());
    assert!(bound(1..4, Scalar::Int(0)).is_err());
    assert_eq!(bound(1..3, Scalar::Int(-7)), Ok(1));
    assert_eq!(bound(3..3, Scalar::Int(-7)), Ok(3));
}

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray,
    TimestampMillisecondArray,
};

use super::*;

fn answer(keys: &[Option<&str>], values: &[Option<f64>]) -> Vec<RecordBatch> {
    let columns: [(&str, ArrayRef); 2] = [
        ("key", Arc::new(StringArray::from(keys.to_vec()))),
        ("value", Arc::new(Float64Array::from(values.to_vec()))),
    ];
    vec![
        RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        )
        .unwrap(),
    ]
}

fn expected(batches: Vec<RecordBatch>, order_by: Vec<usize>) -> Expected {
    Expected {
        batches,
        order_by,
        beyond: None,
        ..Expected::default()
    }
}

/// The right answer that has a row more, which the LIMIT cuts off.
fn limited(rows: Vec<RecordBatch>, order_by: Vec<usize>) -> Expected {
    let most = rows[0].num_rows() - 1;
    Expected {
        batches: vec![rows[0].slice(0, most)],
        order_by,
        beyond: Some(rows[0].slice(most, 1)),
        ..Expected::default()
    }
}

fn is_same(comparison: Comparison) -> bool {
    matches!(comparison, Comparison::Same { .. })
}

#[test]
fn rows_may_come_in_any_order_unless_the_query_orders_them() {
    let right = answer(&[Some("a"), Some("b")], &[Some(1.0), Some(2.0)]);
    let turned = answer(&[Some("b"), Some("a")], &[Some(2.0), Some(1.0)]);
    assert!(is_same(compare(&expected(right.clone(), vec![]), &turned)));
    let Comparison::Different(why) = compare(&expected(right, vec![1]), &turned) else {
        panic!("a wrong order went unnoticed");
    };
    assert_eq!(why, "row 1 in order is (b, 2) instead of (a, 1)");
}

#[test]
fn floats_have_a_tolerance_and_nothing_else_has() {
    let right = expected(answer(&[Some("a")], &[Some(1.0)]), vec![]);
    assert!(is_same(compare(
        &right,
        &answer(&[Some("a")], &[Some(1.0 + 1e-10)])
    )));
    assert!(!is_same(compare(
        &right,
        &answer(&[Some("a")], &[Some(1.0 + 1e-8)])
    )));
    assert!(!is_same(compare(
        &right,
        &answer(&[Some("A")], &[Some(1.0)])
    )));
    assert!(!is_same(compare(&right, &answer(&[Some("a")], &[None]))));
    assert!(!is_same(compare(&right, &answer(&[None], &[Some(1.0)]))));
}

#[test]
fn nan_equals_nan_and_nothing_else() {
    let right = expected(answer(&[Some("a")], &[Some(f64::NAN)]), vec![]);
    assert!(is_same(compare(
        &right,
        &answer(&[Some("a")], &[Some(f64::NAN)])
    )));
    assert!(!is_same(compare(
        &right,
        &answer(&[Some("a")], &[Some(0.0)])
    )));
    assert!(!is_same(compare(
        &right,
        &answer(&[Some("a")], &[Some(f64::INFINITY)])
    )));
    let infinite = expected(answer(&[Some("a")], &[Some(f64::INFINITY)]), vec![]);
    assert!(!is_same(compare(
        &infinite,
        &answer(&[Some("a")], &[Some(1.0)])
    )));
}

#[test]
fn missing_added_and_repeated_rows_are_noticed() {
    let right = expected(
        answer(&[Some("a"), Some("b")], &[Some(1.0), Some(1.0)]),
        vec![],
    );
    assert_eq!(
        compare(&right, &answer(&[Some("a")], &[Some(1.0)])),
        Comparison::Different("1 rows instead of 2".to_owned())
    );
    let twice = answer(&[Some("a"), Some("a")], &[Some(1.0), Some(1.0)]);
    assert!(!is_same(compare(&right, &twice)));
}

#[test]
fn ties_may_come_in_any_order_and_a_limit_may_cut_them_anywhere() {
    let right = answer(
        &[Some("a"), Some("b"), Some("c")],
        &[Some(1.0), Some(2.0), Some(2.0)],
    );
    let turned = answer(
        &[Some("a"), Some("c"), Some("b")],
        &[Some(1.0), Some(2.0), Some(2.0)],
    );
    let other = answer(
        &[Some("a"), Some("c"), Some("d")],
        &[Some(1.0), Some(2.0), Some(2.0)],
    );
    assert!(is_same(compare(&expected(right.clone(), vec![1]), &turned)));
    assert!(!is_same(compare(&expected(right.clone(), vec![1]), &other)));
    let with_d = answer(
        &[Some("a"), Some("b"), Some("c"), Some("d")],
        &[Some(1.0), Some(2.0), Some(2.0), Some(2.0)],
    );
    assert!(is_same(compare(&limited(with_d, vec![1]), &other)));
}

#[test]
fn almost_equal_floats_find_their_partners() {
    let rows = |a: f64, b: f64| {
        let values: ArrayRef = Arc::new(Float64Array::from(vec![a, a + 1e-13]));
        let others: ArrayRef = Arc::new(Float64Array::from(vec![b, 9.0]));
        vec![RecordBatch::try_from_iter([("a", values), ("b", others)]).unwrap()]
    };
    // The first column sorts the rows differently, but within tolerance they are the same set.
    let right = expected(rows(1.0, 5.0), vec![]);
    let swapped: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 1.0 + 1e-13]));
    let others: ArrayRef = Arc::new(Float64Array::from(vec![9.0, 5.0]));
    let ours = vec![RecordBatch::try_from_iter([("a", swapped), ("b", others)]).unwrap()];
    assert!(is_same(compare(&right, &ours)));
}

#[test]
fn integers_of_any_width_and_whole_floats_agree() {
    let ints: ArrayRef = Arc::new(Int64Array::from(vec![3]));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![3.0]));
    let right = expected(
        vec![RecordBatch::try_from_iter([("n", ints)]).unwrap()],
        vec![],
    );
    assert!(is_same(compare(
        &right,
        &[RecordBatch::try_from_iter([("n", floats)]).unwrap()]
    )));
}

#[test]
fn an_empty_answer_equals_an_empty_answer_only() {
    let none = expected(vec![], vec![]);
    assert!(is_same(compare(&none, &[])));
    assert!(!is_same(compare(
        &none,
        &answer(&[Some("a")], &[Some(1.0)])
    )));
}

/// Keys with averages, ordered by average and key.
fn by_average(rows: &[(&str, f64)]) -> Vec<RecordBatch> {
    let keys: Vec<_> = rows.iter().map(|(key, _)| Some(*key)).collect();
    let values: Vec<_> = rows.iter().map(|(_, value)| Some(*value)).collect();
    answer(&keys, &values)
}

/// The next larger float, and so on, as another order of summing may give it.
const NEARLY_TWO: f64 = 2.0 + 4.0 * f64::EPSILON;

#[test]
fn two_averages_that_differ_by_rounding_tie_at_the_limit() {
    let right = limited(
        by_average(&[("a", 1.0), ("b", 2.0), ("c", NEARLY_TWO)]),
        vec![1],
    );
    for last in ["b", "c"] {
        for value in [2.0, NEARLY_TWO] {
            let ours = by_average(&[("a", 1.0), (last, value)]);
            assert!(is_same(compare(&right, &ours)), "{last} {value}");
        }
    }
}

#[test]
fn rows_that_nearly_tie_may_be_in_any_order_of_further_columns() {
    let all = by_average(&[("a", 1.0), ("b", NEARLY_TWO), ("c", 2.0), ("d", 2.0)]);
    let ours = by_average(&[("a", 1.0), ("b", 2.0), ("c", 2.0)]);
    assert!(is_same(compare(&limited(all, vec![1, 0]), &ours)));
    let right = expected(by_average(&[("c", 2.0), ("b", NEARLY_TWO)]), vec![1, 0]);
    let ours = by_average(&[("b", 2.0), ("c", 2.0)]);
    assert!(is_same(compare(&right, &ours)));
}

#[test]
fn rows_that_tie_exactly_are_in_the_order_of_further_columns() {
    let right = expected(by_average(&[("b", 2.0), ("c", 2.0)]), vec![1, 0]);
    let turned = by_average(&[("c", 2.0), ("b", 2.0)]);
    assert!(!is_same(compare(&right, &turned)));
    let cut = by_average(&[("a", 1.0), ("b", 2.0), ("c", 2.0)]);
    let other = by_average(&[("a", 1.0), ("c", 2.0)]);
    assert!(!is_same(compare(&limited(cut, vec![1, 0]), &other)));
}

#[test]
fn errors_next_to_the_cut_are_found() {
    let right = limited(
        by_average(&[("a", 1.0), ("b", 2.0), ("c", NEARLY_TWO)]),
        vec![1],
    );
    let wrong = [
        by_average(&[("x", 1.0), ("b", 2.0)]),
        by_average(&[("a", 1.0), ("b", 2.0 + 1e-6)]),
        by_average(&[("a", 1.0 + 1e-6), ("b", 2.0)]),
        by_average(&[("b", 2.0), ("a", 1.0)]),
        by_average(&[("a", 1.0)]),
    ];
    for ours in wrong {
        assert!(!is_same(compare(&right, &ours)), "{ours:?}");
    }
    let apart = limited(
        by_average(&[("a", 1.0), ("b", 2.0), ("c", 2.0 + 1e-6)]),
        vec![1],
    );
    let ours = by_average(&[("a", 1.0), ("c", 2.0)]);
    assert!(!is_same(compare(&apart, &ours)), "nothing ties here");
}

#[test]
fn the_tolerance_of_a_query_is_its_leeway() {
    let text = r#"
        queries = [{ name = "q", sql = "SELECT approx_median(v) FROM t", tolerance = "2%" }]
        table = { name = "t", partition_key = ["s"], columns = { s = "text", v = "double" } }
        data = { file = "t.csv" }
    "#;
    let workload = bakeoff_workload::Workload::parse(text, std::path::Path::new("t.toml"));
    let workload = workload.unwrap();
    let query = &workload.queries[0];
    let leeway = Leeway::of(query);
    assert_eq!((leeway.relative, leeway.absolute.len()), (0.02, 0));
    assert_eq!(Leeway::between_two(query).relative, 0.04);
    // Each is within the tolerance of 100.
    let (low, high) = (by_average(&[("a", 98.1)]), by_average(&[("a", 101.9)]));
    let first = expected(low, vec![]);
    assert!(!is_same(compare_with(&first, &high, &leeway)));
    let leeway = Leeway::between_two(query);
    assert!(is_same(compare_with(&first, &high, &leeway)));
}

#[test]
fn the_larger_leeway_of_each_column_counts() {
    let of = |relative, absolute: &[f64]| Leeway {
        relative,
        absolute: absolute.to_vec(),
    };
    let joined = of(0.0, &[1.0, 0.0]).joined(of(0.02, &[0.5, 2.0, 3.0]));
    assert_eq!(joined, of(0.02, &[1.0, 2.0, 3.0]));
}

#[test]
fn leeway_is_for_floats_alone() {
    let right = expected(by_average(&[("a", 100.0), ("b", 1e-7)]), vec![]);
    let near = by_average(&[("a", 100.9), ("b", 1.009e-7)]);
    let relative = |relative| Leeway {
        relative,
        absolute: Vec::new(),
    };
    assert!(is_same(compare_with(&right, &near, &relative(0.01))));
    assert!(!is_same(compare_with(&right, &near, &relative(0.005))));
    let cancelled = by_average(&[("a", 100.0), ("b", -1e-7)]);
    let absolute = Leeway {
        relative: 0.0,
        absolute: vec![0.0, 1e-6],
    };
    assert!(!is_same(compare(&right, &cancelled)));
    assert!(is_same(compare_with(&right, &cancelled, &absolute)));
    let other = by_average(&[("x", 100.0), ("b", 1e-7)]);
    assert!(!is_same(compare_with(&right, &other, &relative(0.5))));
}

#[test]
fn answers_that_are_too_large_are_compared_by_digests() {
    let rows = answer(&[Some("a"), None], &[Some(1.5), Some(2.0)]);
    let held = |batches: &[RecordBatch]| Answer {
        batches: batches.to_vec(),
        ..Answer::default()
    };
    let digested = |batches: &[RecordBatch]| Answer {
        digest: Some(Digest::of(batches).unwrap()),
        ..Answer::default()
    };
    let right = |answer: Answer| Expected {
        batches: answer.batches,
        digest: answer.digest,
        only_reads: true,
        order_by: vec![1],
        beyond: None,
    };
    let near = answer(&[Some("a"), None], &[Some(1.5 + 1e-12), Some(2.0)]);
    let exact = |right: &Expected, ours: &Answer| compare_answer(right, ours, &Leeway::default());
    for right in [right(held(&rows)), right(digested(&rows))] {
        let same = Ok(Comparison::Same { rows: 2 });
        assert_eq!(exact(&right, &held(&rows)), same);
        assert_eq!(exact(&right, &digested(&rows)), same);
        let other = exact(&right, &digested(&near)).unwrap();
        assert!(!is_same(other), "a digest knows exact values only");
        let less = exact(&right, &digested(&[rows[0].slice(0, 1)]));
        let difference = "1 rows instead of 2".to_owned();
        assert_eq!(less, Ok(Comparison::Different(difference)));
    }
    let computed = expected(rows.clone(), vec![]);
    assert!(exact(&computed, &held(&near)).is_ok_and(is_same));
    let refused = exact(&computed, &digested(&rows)).unwrap_err();
    assert!(refused.contains("too large to be compared"), "{refused}");
}

#[test]
fn moments_are_the_same_in_whatever_zone_they_are_shown() {
    let times = |times: ArrayRef| {
        let columns = [("time", times, true)];
        vec![RecordBatch::try_from_iter_with_nullable(columns).unwrap()]
    };
    let moment = 1_777_622_400_000;
    let berlin = TimestampMillisecondArray::from(vec![Some(moment), None]);
    let berlin = times(Arc::new(berlin.with_timezone("Europe/Berlin")));
    let utc = |moment: i64| {
        let moments = TimestampMicrosecondArray::from(vec![Some(moment * 1_000), None]);
        times(Arc::new(moments))
    };
    assert!(is_same(compare(
        &expected(berlin.clone(), vec![]),
        &utc(moment)
    )));
    assert!(is_same(compare(&expected(utc(moment), vec![]), &berlin)));
    let later = compare(&expected(berlin, vec![]), &utc(moment + 3_600_000));
    assert!(matches!(later, Comparison::Different(_)));
}

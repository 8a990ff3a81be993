use std::sync::Arc;

use arrow::array::{Float64Array, Int64Array, StringArray};

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

fn expected(batches: Vec<RecordBatch>, order_by: Vec<usize>, limited: bool) -> Expected {
    Expected {
        batches,
        order_by,
        limited,
    }
}

fn is_same(comparison: Comparison) -> bool {
    matches!(comparison, Comparison::Same { .. })
}

#[test]
fn rows_may_come_in_any_order_unless_the_query_orders_them() {
    let right = answer(&[Some("a"), Some("b")], &[Some(1.0), Some(2.0)]);
    let turned = answer(&[Some("b"), Some("a")], &[Some(2.0), Some(1.0)]);
    assert!(is_same(compare(
        &expected(right.clone(), vec![], false),
        &turned
    )));
    let Comparison::Different(why) = compare(&expected(right, vec![1], false), &turned) else {
        panic!("a wrong order went unnoticed");
    };
    assert_eq!(why, "row 1 in order is (b, 2) instead of (a, 1)");
}

#[test]
fn floats_have_a_tolerance_and_nothing_else_has() {
    let right = expected(answer(&[Some("a")], &[Some(1.0)]), vec![], false);
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
    let right = expected(answer(&[Some("a")], &[Some(f64::NAN)]), vec![], false);
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
    let infinite = expected(answer(&[Some("a")], &[Some(f64::INFINITY)]), vec![], false);
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
        false,
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
    assert!(is_same(compare(
        &expected(right.clone(), vec![1], false),
        &turned
    )));
    assert!(!is_same(compare(
        &expected(right.clone(), vec![1], false),
        &other
    )));
    assert!(is_same(compare(&expected(right, vec![1], true), &other)));
}

#[test]
fn almost_equal_floats_find_their_partners() {
    let rows = |a: f64, b: f64| {
        let values: ArrayRef = Arc::new(Float64Array::from(vec![a, a + 1e-13]));
        let others: ArrayRef = Arc::new(Float64Array::from(vec![b, 9.0]));
        vec![RecordBatch::try_from_iter([("a", values), ("b", others)]).unwrap()]
    };
    // The first column sorts the rows differently, but within tolerance they are the same set.
    let right = expected(rows(1.0, 5.0), vec![], false);
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
        false,
    );
    assert!(is_same(compare(
        &right,
        &[RecordBatch::try_from_iter([("n", floats)]).unwrap()]
    )));
}

#[test]
fn an_empty_answer_equals_an_empty_answer_only() {
    let none = expected(vec![], vec![], false);
    assert!(is_same(compare(&none, &[])));
    assert!(!is_same(compare(
        &none,
        &answer(&[Some("a")], &[Some(1.0)])
    )));
}

use std::sync::Arc;

use arrow::array::{
    BinaryArray, BooleanArray, Date32Array, DictionaryArray, Float32Array, Float64Array,
    Int16Array, Int32Array, Int64Array, LargeStringArray, StringArray, StringViewArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, UInt64Array,
};
use arrow::datatypes::Int32Type;

use super::*;

fn batch(columns: Vec<ArrayRef>) -> RecordBatch {
    let named = columns.into_iter().enumerate();
    let named = named.map(|(number, column)| (format!("c{number}"), column, true));
    RecordBatch::try_from_iter_with_nullable(named).unwrap()
}

fn of(columns: Vec<ArrayRef>) -> Digest {
    Digest::of(&[batch(columns)]).unwrap()
}

fn numbers(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn the_same_rows_in_any_order_and_batches_have_no_difference() {
    let right = of(vec![
        numbers(&[1, 2, 2]),
        texts(&[Some("a"), None, Some("")]),
    ]);
    let head = batch(vec![numbers(&[2]), texts(&[Some("")])]);
    let tail = batch(vec![numbers(&[1, 2]), texts(&[Some("a"), None])]);
    let ours = Digest::of(&[head.slice(0, 0), head, tail]).unwrap();
    assert_eq!(right.difference(&ours, &[]), None);
    assert_eq!(ours.rows(), 3);
}

#[test]
fn a_value_is_the_same_in_each_type_that_holds_it() {
    let forms: [Vec<ArrayRef>; 5] = [
        vec![
            Arc::new(Int16Array::from(vec![Some(3), None])),
            Arc::new(Int32Array::from(vec![Some(3), None])),
            Arc::new(Int64Array::from(vec![Some(3), None])),
            Arc::new(Float32Array::from(vec![Some(3.0), None])),
            Arc::new(Float64Array::from(vec![Some(3.0), None])),
        ],
        vec![
            Arc::new(StringArray::from(vec![Some("x"), None])),
            Arc::new(LargeStringArray::from(vec![Some("x"), None])),
            Arc::new(StringViewArray::from(vec![Some("x"), None])),
            Arc::new(
                [Some("x"), None]
                    .into_iter()
                    .collect::<DictionaryArray<Int32Type>>(),
            ),
        ],
        vec![
            Arc::new(TimestampMillisecondArray::from(vec![-5, i64::MAX / 1_000])),
            Arc::new(TimestampMicrosecondArray::from(vec![
                -5_000,
                i64::MAX / 1_000 * 1_000,
            ])),
            Arc::new(
                TimestampMicrosecondArray::from(vec![-5_000, i64::MAX / 1_000 * 1_000])
                    .with_timezone("UTC"),
            ),
        ],
        vec![
            Arc::new(Date32Array::from(vec![Some(-1), None])),
            texts(&[Some("1969-12-31"), None]),
        ],
        vec![
            Arc::new(Float64Array::from(vec![0.0, f64::NAN])),
            Arc::new(Float64Array::from(vec![-0.0, -f64::NAN])),
        ],
    ];
    for form in forms {
        let right = of(vec![form[0].clone()]);
        for other in form {
            let ours = of(vec![other.clone()]);
            assert_eq!(right.difference(&ours, &[0]), None, "{other:?}");
        }
    }
}

#[test]
fn values_that_look_alike_differ() {
    let all: Vec<ArrayRef> = vec![
        numbers(&[1]),
        Arc::new(BooleanArray::from(vec![true])),
        texts(&[Some("1")]),
        texts(&[Some("")]),
        texts(&[None]),
        Arc::new(BinaryArray::from(vec![&b"1"[..]])),
        Arc::new(TimestampMillisecondArray::from(vec![1])),
        Arc::new(Float64Array::from(vec![1.0 + f64::EPSILON])),
        Arc::new(Float64Array::from(vec![f64::NAN])),
        Arc::new(Float64Array::from(vec![f64::INFINITY])),
        Arc::new(Float64Array::from(vec![f64::NEG_INFINITY])),
    ];
    for (number, one) in all.iter().enumerate() {
        for other in &all[number + 1..] {
            let (one, other) = (of(vec![one.clone()]), of(vec![other.clone()]));
            assert!(one.difference(&other, &[]).is_some(), "{one:?} {other:?}");
        }
    }
}

#[test]
fn a_difference_is_described() {
    let right = of(vec![numbers(&[1, 2]), numbers(&[7, 8])]);
    let other = |columns: Vec<ArrayRef>, order_by: &[usize]| {
        right.difference(&of(columns), order_by).unwrap_or_default()
    };
    assert_eq!(
        other(vec![numbers(&[1]), numbers(&[7])], &[]),
        "1 rows instead of 2"
    );
    assert_eq!(other(vec![numbers(&[1, 2])], &[]), "1 columns instead of 2");
    let changed = other(vec![numbers(&[1, 2]), numbers(&[7, 9])], &[]);
    assert_eq!(
        changed,
        "among 2 rows, those of column `c1` have other values"
    );
    let crossed = other(vec![numbers(&[1, 2]), numbers(&[8, 7])], &[]);
    assert_eq!(crossed, "among 2 rows, values are in other rows");
    let turned = vec![numbers(&[2, 1]), numbers(&[8, 7])];
    assert_eq!(other(turned.clone(), &[]), "");
    assert_eq!(
        other(turned, &[0]),
        "2 rows are not in the order of column `c0`"
    );
}

#[test]
fn rows_that_tie_may_be_in_any_order() {
    let right = of(vec![numbers(&[1, 2, 2]), numbers(&[7, 8, 9])]);
    let turned = of(vec![numbers(&[1, 2, 2]), numbers(&[7, 9, 8])]);
    assert_eq!(right.difference(&turned, &[0]), None);
    assert!(right.difference(&turned, &[0, 1]).is_some());
}

#[test]
fn a_type_that_tables_do_not_have_is_an_error() {
    let large: ArrayRef = Arc::new(UInt64Array::from(vec![1]));
    let error = Digest::of(&[batch(vec![large])]).unwrap_err();
    assert!(
        error.contains("column `c0` of the answer is of the type UInt64"),
        "{error}"
    );
}

//! Properties of comparing answers.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow::record_batch::RecordBatch;
use bakeoff_driver::{Comparison, Expected, compare};
use proptest::prelude::*;
use proptest::sample::Index;

/// Two floats a row, so that rows that differ in last digits may sort differently.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    number: Option<i64>,
    text: Option<String>,
    floats: [Option<f64>; 2],
}

fn row() -> impl Strategy<Value = Row> {
    // Few values, so that rows repeat and tie; floats are far apart.
    let float = || prop::option::of((-20..20i32).prop_map(|half| f64::from(half) / 2.0));
    let parts = (
        prop::option::of(-12..12i64),
        prop::option::of("[a-c]{0,2}"),
        float(),
        float(),
    );
    parts.prop_map(|(number, text, a, b)| Row {
        number,
        text,
        floats: [a, b],
    })
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(row(), 1..40)
}

/// Rows, and the same ones in another order.
fn shuffled() -> impl Strategy<Value = (Vec<Row>, Vec<Row>)> {
    rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle()))
}

fn batch(rows: &[Row], numbers: ArrayRef) -> RecordBatch {
    let float = |i: usize| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| row.floats[i])
                .collect::<Float64Array>(),
        )
    };
    let text: ArrayRef = Arc::new(
        rows.iter()
            .map(|row| row.text.clone())
            .collect::<StringArray>(),
    );
    let columns = [
        ("number", numbers),
        ("a", float(0)),
        ("text", text),
        ("b", float(1)),
    ];
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn with_integers(rows: &[Row]) -> RecordBatch {
    batch(
        rows,
        Arc::new(rows.iter().map(|row| row.number).collect::<Int64Array>()),
    )
}

fn with_whole_floats(rows: &[Row]) -> RecordBatch {
    let numbers = rows.iter().map(|row| row.number.map(|n| n as f64));
    batch(rows, Arc::new(numbers.collect::<Float64Array>()))
}

fn same(right: RecordBatch, ours: &[RecordBatch]) -> Result<u64, String> {
    let right = Expected {
        batches: vec![right],
        order_by: Vec::new(),
        beyond: None,
        ..Expected::default()
    };
    match compare(&right, ours) {
        Comparison::Same { rows } => Ok(rows),
        Comparison::Different(why) => Err(why),
    }
}

proptest! {
    #[test]
    fn rows_in_any_order_and_batches_are_the_same(
        (right, ours) in shuffled(),
        cut in any::<Index>(),
    ) {
        let (head, tail) = ours.split_at(cut.index(ours.len()));
        let ours = [with_integers(head), with_integers(tail)];
        prop_assert_eq!(same(with_integers(&right), &ours), Ok(right.len() as u64));
    }

    #[test]
    fn whole_numbers_may_come_as_floats((right, ours) in shuffled()) {
        prop_assert!(same(with_integers(&right), &[with_whole_floats(&ours)]).is_ok());
        prop_assert!(same(with_whole_floats(&right), &[with_integers(&ours)]).is_ok());
    }

    #[test]
    fn floats_may_differ_in_their_last_digits(
        (right, mut ours) in shuffled(),
        noise in prop::collection::vec(-1e-12..1e-12, 80),
    ) {
        let floats = ours.iter_mut().flat_map(|row| &mut row.floats).flatten();
        for (float, noise) in floats.zip(noise) {
            *float *= 1.0 + noise;
        }
        let same = same(with_integers(&right), &[with_integers(&ours)]);
        prop_assert!(same.is_ok(), "{:?}", same);
    }

    #[test]
    fn any_changed_cell_makes_another_answer(
        (right, mut ours) in shuffled(),
        row in any::<Index>(),
        column in 0..4usize,
    ) {
        let at = row.index(ours.len());
        let row = &mut ours[at];
        match column {
            0 => row.number = row.number.map_or(Some(0), |n| Some(n + 1)),
            1 => row.text = row.text.take().map_or(Some(String::new()), |text| Some(text + "x")),
            i => row.floats[i - 2] = row.floats[i - 2].map_or(Some(0.0), |f| Some(f + 1e-6)),
        }
        prop_assert!(same(with_integers(&right), &[with_integers(&ours)]).is_err());
    }

    #[test]
    fn a_cell_that_becomes_null_makes_another_answer(
        (right, mut ours) in shuffled(),
        row in any::<Index>(),
    ) {
        let at = row.index(ours.len());
        prop_assume!(ours[at].text.is_some());
        ours[at].text = None;
        prop_assert!(same(with_integers(&right), &[with_integers(&ours)]).is_err());
    }

    #[test]
    fn a_row_less_or_twice_makes_another_answer(
        (right, mut ours) in shuffled(),
        row in any::<Index>(),
    ) {
        let other = ours.remove(row.index(ours.len()));
        prop_assert!(same(with_integers(&right), &[with_integers(&ours)]).is_err());
        let replaced = ours.iter().find(|row| **row != other).cloned();
        if let Some(row) = replaced {
            ours.push(row);
            prop_assert!(same(with_integers(&right), &[with_integers(&ours)]).is_err());
        }
    }
}

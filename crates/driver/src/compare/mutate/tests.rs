use arrow::array::{Int32Array, TimestampMillisecondArray};
use arrow::compute::{SortColumn, lexsort_to_indices};

use super::*;
use crate::{Digest, compare};

/// Random answers, and wrong ones of each kind made of each.
const ANSWERS: u64 = 200;
const PER_KIND: u64 = 5;

/// Columns that a random query orders by, of [`answer`], the last of which alone has no ties.
const ORDERS: [&[usize]; 8] = [&[], &[], &[1], &[4], &[2, 1], &[3, 1], &[0, 4], &[3]];

fn some<T>(random: &mut Stream, value: T) -> Option<T> {
    (!random.chance(0.1)).then_some(value)
}

/// Rows of all types, in no order: an int of few values, a bigint that is a key, a double, a text, a
/// time, a boolean and another double. All but the key may be null.
fn answer(random: &mut Stream) -> RecordBatch {
    let count = 1 + random.below(60) as i64;
    let first = random.below(1_000_000) as i64;
    let mut column = |cell: &mut dyn FnMut(&mut Stream, i64)| {
        (0..count).for_each(|row| cell(random, row));
    };
    let (mut ints, mut doubles, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut times, mut flags, mut others) = (Vec::new(), Vec::new(), Vec::new());
    column(&mut |random, row| {
        let (int, text, flag) = (random.below(9), random.below(200), random.chance(0.5));
        let (double, other) = (random.unit() * 1e3, random.unit() - 0.5);
        ints.push(some(random, int as i32));
        doubles.push(some(random, double));
        texts.push(some(random, format!("host_{text}")));
        times.push(some(
            random,
            1_700_000_000_000 + (row * 37 % count) * 10_000,
        ));
        flags.push(some(random, flag));
        others.push(some(random, other));
    });
    let columns: [(&str, ArrayRef); 7] = [
        ("int", Arc::new(Int32Array::from(ints))),
        (
            "key",
            Arc::new(Int64Array::from_iter_values(first..first + count)),
        ),
        ("mean", Arc::new(Float64Array::from(doubles))),
        ("host", Arc::new(StringArray::from(texts))),
        ("time", Arc::new(TimestampMillisecondArray::from(times))),
        ("is_up", Arc::new(BooleanArray::from(flags))),
        ("other", Arc::new(Float64Array::from(others))),
    ];
    let columns = columns.map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn sorted(rows: &RecordBatch, order_by: &[usize]) -> RecordBatch {
    if order_by.is_empty() {
        return rows.clone();
    }
    let columns: Vec<SortColumn> = { order_by.iter() }
        .map(|column| SortColumn {
            values: rows.column(*column).clone(),
            options: None,
        })
        .collect();
    let order = lexsort_to_indices(&columns, None).unwrap();
    take_record_batch(rows, &order).unwrap()
}

/// A random right answer, half of those that are ordered with a LIMIT.
fn right(seed: u64) -> Expected {
    let mut random = Stream::new(&[seed]);
    let order_by = ORDERS[random.below(ORDERS.len() as u64) as usize];
    let rows = sorted(&answer(&mut random), order_by);
    let most = rows.num_rows() - 1;
    let is_cut = most > 0 && !order_by.is_empty() && random.chance(0.5);
    Expected {
        batches: vec![if is_cut {
            rows.slice(0, most)
        } else {
            rows.clone()
        }],
        order_by: order_by.to_vec(),
        beyond: is_cut.then(|| rows.slice(most, 1)),
        ..Expected::default()
    }
}

#[test]
fn at_least_995_of_1000_wrong_answers_are_caught() {
    let mut scores = MutationKind::ALL.map(MutationScore::new);
    for seed in 0..ANSWERS {
        let right = right(seed);
        let rows = right.batches[0].num_rows() as u64;
        let itself = compare(&right, &right.batches);
        assert_eq!(itself, Comparison::Same { rows });
        for of_kind in &mut scores {
            let seeds = seed * PER_KIND..(seed + 1) * PER_KIND;
            score(&right, &Leeway::default(), of_kind, seeds).unwrap();
        }
    }
    let (tried, caught) = scores.iter().fold((0, 0), |(tried, caught), score| {
        (tried + score.tried, caught + score.caught)
    });
    assert!(tried > 6_000, "{tried} tried");
    assert!(
        caught * 1000 >= tried * 995,
        "{caught} of {tried}: {scores:#?}"
    );
    for score in scores {
        let MutationScore {
            kind,
            tried,
            caught,
        } = score;
        assert!(tried > 300, "{}: {tried} tried", kind.name());
        assert!(caught * 100 >= tried * 98, "{score:?}");
    }
}

/// Answers that are too large to be held are compared by digests, but for those with a LIMIT.
#[test]
fn digests_of_wrong_answers_differ() {
    let mut tried = 0;
    for seed in 0..ANSWERS {
        let right = right(seed);
        if right.beyond.is_some() {
            continue;
        }
        let digest = Digest::of(&right.batches).unwrap();
        assert_eq!(digest.difference(&digest, &right.order_by), None);
        for kind in MutationKind::ALL {
            for seed in seed * PER_KIND..(seed + 1) * PER_KIND {
                if let Some(wrong) = mutate(&right, kind, seed).unwrap() {
                    let wrong = Digest::of(&wrong).unwrap();
                    let difference = digest.difference(&wrong, &right.order_by);
                    assert!(difference.is_some(), "{}, {seed}", kind.name());
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 2_500, "{tried} tried");
}

fn one_column(column: ArrayRef) -> Expected {
    Expected {
        batches: vec![RecordBatch::try_from_iter([("a", column)]).unwrap()],
        order_by: vec![0],
        beyond: None,
        ..Expected::default()
    }
}

#[test]
fn what_would_change_nothing_is_no_error() {
    let equal = one_column(Arc::new(Int64Array::from(vec![5, 5, 5])));
    let changes_nothing = [
        MutationKind::SwappedRows,
        MutationKind::StaleValue,
        MutationKind::ValueForNull,
        MutationKind::RelativeError,
        MutationKind::ExchangedColumns,
    ];
    for kind in changes_nothing {
        for seed in 0..10 {
            assert_eq!(mutate(&equal, kind, seed).unwrap(), None, "{kind:?}");
        }
    }
    let near = one_column(Arc::new(Float64Array::from(vec![1.0, 1.0 + 1e-15])));
    assert_eq!(mutate(&near, MutationKind::SwappedRows, 1).unwrap(), None);
}

#[test]
fn an_answer_without_a_row_cannot_be_made_wrong() {
    let empty = one_column(Arc::new(Int64Array::from(Vec::<i64>::new())));
    for kind in MutationKind::ALL {
        assert_eq!(mutate(&empty, kind, 1).unwrap(), None, "{kind:?}");
    }
}

#[test]
fn the_same_seed_makes_the_same_error() {
    let right = right(7);
    for kind in MutationKind::ALL {
        let make = || mutate(&right, kind, 3).unwrap();
        assert_eq!(make(), make(), "{kind:?}");
    }
}

#[test]
fn types_and_batches_stay_what_they_were() {
    let right = right(4);
    let rows = &right.batches[0];
    let halves = [
        rows.slice(0, rows.num_rows() / 2),
        rows.slice(rows.num_rows() / 2, 1),
    ];
    let right = Expected {
        batches: halves.to_vec(),
        ..right
    };
    let wrong = mutate(&right, MutationKind::OffByOne, 1).unwrap().unwrap();
    let types = |rows: &RecordBatch| -> Vec<DataType> {
        let columns = rows.columns().iter();
        columns.map(|column| column.data_type().clone()).collect()
    };
    assert_eq!(types(&wrong[0]), types(rows));
    assert_eq!(wrong[0].num_rows(), rows.num_rows() / 2 + 1);
}

//! A table against a plain map: any sequence of loads, inserts, deletions and seals.

use std::sync::Arc;

use bakeoff_columnar::{Scalar, Selection, Store, Table};
use bakeoff_testing::times;
use proptest::prelude::*;
use proptest::sample::select;

use super::support::*;

#[derive(Debug, Clone)]
enum Step {
    Ingest(Vec<Row>),
    /// Loads rows of all hosts this number of times, each time later than all before.
    Follow(i64),
    Insert(Vec<Row>),
    Delete(Vec<(u8, i64)>),
    Seal,
    SealBefore(i64),
    DropBefore(i64),
}

async fn apply(table: &Arc<Table>, plain: &mut Plain, step: &Step) {
    let put = |plain: &mut Plain, rows: &[Row]| {
        for (h, t, value, note) in rows {
            plain.insert((host(*h), *t), (value.map(f64::to_bits), note.clone()));
        }
    };
    match step {
        Step::Ingest(rows) => {
            let mut ingest = table.ingest();
            for rows in rows.chunks(7) {
                ingest.write(&batch(rows)).await.unwrap();
            }
            let done = ingest.finish().await.unwrap();
            assert_eq!(done.rows, rows.len() as u64);
            put(plain, rows);
        }
        Step::Follow(loads) => {
            for _ in 0..*loads {
                let last = plain.keys().map(|(_, time)| *time).max().unwrap_or(0);
                let rows = grid(0..4, last + 1..last + 4);
                ingest(table, &rows).await;
                put(plain, &rows);
            }
        }
        Step::Insert(rows) => {
            table.insert(&batch(rows)).await.unwrap();
            put(plain, rows);
        }
        Step::Delete(gone) => {
            table.delete(&keys(gone)).await.unwrap();
            for (h, t) in gone {
                plain.remove(&(host(*h), *t));
            }
        }
        Step::Seal => {
            table.seal(None).await.unwrap();
        }
        Step::SealBefore(time) => {
            table.seal(Some(*time)).await.unwrap();
        }
        // Without buckets nothing can be dropped.
        Step::DropBefore(_) if table.definition().bucket.is_none() => {}
        Step::DropBefore(time) => {
            table.drop_before(*time).await.unwrap();
            plain.retain(|(_, t), _| (t.div_euclid(100) + 1) * 100 > *time);
        }
    }
}

/// Values that equal no value, or values with other bits.
const ODD: [f64; 5] = [f64::INFINITY, f64::NAN, -f64::NAN, 0.0, -0.0];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let value = prop::option::of(prop_oneof![select(ODD.to_vec()), -1e9..1e9]);
    let note = prop::option::of("[a-c\u{0}é]{0,3}");
    prop::collection::vec((0u8..4, -150i64..250, value, note), 0..40)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => rows().prop_map(Step::Ingest),
        3 => (1i64..10).prop_map(Step::Follow),
        3 => rows().prop_map(Step::Insert),
        3 => prop::collection::vec((0u8..4, -150i64..250), 0..20).prop_map(Step::Delete),
        2 => Just(Step::Seal),
        1 => (-200i64..300).prop_map(Step::SealBefore),
        1 => (-200i64..300).prop_map(Step::DropBefore),
    ]
}

async fn check(store: Arc<dyn Store>, steps: &[Step]) {
    let table = Table::new(store, 1 << 20);
    let mut plain = Plain::new();
    for step in steps {
        apply(&table, &mut plain, step).await;
        assert_eq!(
            shown(&table, &Selection::default()).await,
            plain,
            "after {step:?}"
        );
    }
    let partition = |h| vec![Scalar::Bytes(host(h).into())];
    let selection = Selection {
        partitions: Some(vec![partition(3), partition(1), partition(3)]),
        low: Some(-50),
        high: Some(120),
    };
    plain.retain(|(h, t), _| (*h == host(1) || *h == host(3)) && (-50..=120).contains(t));
    assert_eq!(shown(&table, &selection).await, plain);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: times(16, 1_000), ..ProptestConfig::default() })]

    #[test]
    fn in_any_store_it_answers_like_a_map(
        steps in prop::collection::vec(step(), 0..times(12_usize, 40)),
        chunk_rows in 1u32..20,
        shards in 1u32..4,
        has_buckets: bool,
    ) {
        let mut definition = definition(chunk_rows, shards);
        definition.bucket = definition.bucket.filter(|_| has_buckets);
        for (store, _folder) in stores(&definition) {
            runtime().block_on(check(store, &steps));
        }
    }
}

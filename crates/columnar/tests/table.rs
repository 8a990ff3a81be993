//! A table against a plain map: any sequence of loads, inserts, deletions and seals.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow::datatypes::{Float64Type, TimestampMillisecondType};
use bakeoff_columnar::meta::Scalar;
use bakeoff_columnar::store::Store;
use bakeoff_columnar::store::memory::MemoryStore;
use bakeoff_columnar::table::Selection;
use bakeoff_columnar::{Column, Definition, Kind, Profile, Table};
use proptest::prelude::*;

/// A row of the test's table: host, time, value, note.
type Row = (u8, i64, Option<f64>, Option<String>);
/// What is valid for each host and time.
type Plain = BTreeMap<(String, i64), (Option<f64>, Option<String>)>;

#[derive(Debug, Clone)]
enum Step {
    Ingest(Vec<Row>),
    Insert(Vec<Row>),
    Delete(Vec<(u8, i64)>),
    Seal,
    SealBefore(i64),
    DropBefore(i64),
}

fn definition(chunk_rows: u32, shards: u32) -> Definition {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Definition {
        columns: vec![
            column("value", Kind::Double),
            column("time", Kind::Timestamp),
            column("host", Kind::Text),
            column("note", Kind::Text),
        ],
        partition_key: vec!["host".to_owned()],
        order_key: vec!["time".to_owned()],
        bucket: NonZeroI64::new(100),
        shards,
        profile: Profile::Fast,
        chunk_rows,
    }
}

fn host(number: u8) -> String {
    format!("host-{number}")
}

fn batch(rows: &[Row]) -> RecordBatch {
    let hosts: StringArray = rows.iter().map(|r| Some(host(r.0))).collect();
    let times = TimestampMillisecondArray::from_iter_values(rows.iter().map(|r| r.1));
    let values: Float64Array = rows.iter().map(|r| r.2).collect();
    let notes: StringArray = rows.iter().map(|r| r.3.clone()).collect();
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("host", Arc::new(hosts), false),
        ("time", Arc::new(times), false),
        ("value", Arc::new(values), true),
        ("note", Arc::new(notes), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn keys(keys: &[(u8, i64)]) -> RecordBatch {
    let rows: Vec<Row> = keys.iter().map(|(h, t)| (*h, *t, None, None)).collect();
    batch(&rows).project(&[0, 1]).unwrap()
}

async fn apply(table: &Arc<Table>, plain: &mut Plain, step: &Step) {
    let put = |plain: &mut Plain, rows: &[Row]| {
        for (h, t, value, note) in rows {
            plain.insert((host(*h), *t), (*value, note.clone()));
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
        Step::DropBefore(time) => {
            table.drop_before(*time).await.unwrap();
            plain.retain(|(_, t), _| (t.div_euclid(100) + 1) * 100 > *time);
        }
    }
}

/// The rows of a selection, and that each part has them in order and none is there twice.
async fn shown(table: &Table, selection: &Selection) -> Plain {
    let mut all = Plain::new();
    for rows in table.rows(selection, &[2, 1, 0, 3]).await.unwrap() {
        let hosts = rows.column(0).as_string::<i32>();
        let times = rows.column(1).as_primitive::<TimestampMillisecondType>();
        let values = rows.column(2).as_primitive::<Float64Type>();
        let notes = rows.column(3).as_string::<i32>();
        let keys: Vec<_> = (0..rows.num_rows())
            .map(|i| (hosts.value(i), times.value(i)))
            .collect();
        assert!(keys.is_sorted(), "{keys:?}");
        for (i, (host, time)) in keys.into_iter().enumerate() {
            let value = values.iter().nth(i).flatten();
            let note = notes.iter().nth(i).flatten().map(str::to_owned);
            let before = all.insert((host.to_owned(), time), (value, note));
            assert_eq!(before, None, "{host} at {time} is there twice");
        }
    }
    all
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let value = prop::option::of(prop_oneof![Just(f64::INFINITY), -1e9..1e9]);
    let note = prop::option::of("[a-c\u{0}é]{0,3}");
    prop::collection::vec((0u8..4, -150i64..250, value, note), 0..40)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => rows().prop_map(Step::Ingest),
        3 => rows().prop_map(Step::Insert),
        3 => prop::collection::vec((0u8..4, -150i64..250), 0..20).prop_map(Step::Delete),
        2 => Just(Step::Seal),
        1 => (-200i64..300).prop_map(Step::SealBefore),
        1 => (-200i64..300).prop_map(Step::DropBefore),
    ]
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
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
        partitions: Some(vec![partition(3), partition(1)]),
        low: Some(-50),
        high: Some(120),
    };
    plain.retain(|(h, t), _| (*h == host(1) || *h == host(3)) && (-50..=120).contains(t));
    assert_eq!(shown(&table, &selection).await, plain);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn in_memory_it_answers_like_a_map(
        steps in prop::collection::vec(step(), 0..12),
        chunk_rows in 1u32..20,
        shards in 1u32..4,
    ) {
        let store = MemoryStore::new(definition(chunk_rows, shards)).unwrap();
        runtime().block_on(check(Arc::new(store), &steps));
    }
}

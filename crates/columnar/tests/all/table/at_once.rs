//! Inserts, seals, sweeps and readers at the same time, each with a table of its own over one store: no
//! acknowledged row is missing, and none is there twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bakeoff_columnar::{GRACE, Selection, Store, Table};
use bakeoff_testing::times;

use super::support::*;

const WRITERS: u8 = 3;
const TIMES: i64 = 40;

/// The greatest acknowledged value of each host and time.
type Acknowledged = Arc<Mutex<BTreeMap<(String, i64), f64>>>;

/// Inserts rows of one host over and over, each time with greater values.
async fn write(
    table: Arc<Table>,
    writer: u8,
    acknowledged: Acknowledged,
    is_over: Arc<AtomicBool>,
) {
    let mut number = 0;
    while !is_over.load(Ordering::Relaxed) {
        number += 1;
        let (time, value) = (number * 7 % TIMES, number as f64);
        let rows = batch(&[(writer, time, Some(value), None)]);
        table.insert(&rows).await.unwrap();
        { acknowledged.lock().unwrap() }.insert((host(writer), time), value);
        // A store in memory never waits, so that the seals would not get a thread.
        tokio::task::yield_now().await;
    }
}

/// Reads everything and checks that no acknowledged row is missing or older than it may be.
async fn look(table: &Table, acknowledged: &Acknowledged) {
    let before = acknowledged.lock().unwrap().clone();
    let found = shown(table, &Selection::default()).await;
    for (key, value) in &before {
        let seen = found
            .get(key)
            .and_then(|(bits, _)| bits.map(f64::from_bits));
        assert!(
            seen >= Some(*value),
            "{key:?}: {value} was acknowledged, {seen:?} seen"
        );
    }
}

#[test]
fn seals_lose_no_row_that_comes_meanwhile() {
    for (store, folder) in stores(&definition(16, 2)) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(4)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(check(store));
        drop(folder);
    }
}

async fn check(store: Arc<dyn Store>) {
    let table = || Table::new(Arc::clone(&store), 0);
    let (acknowledged, is_over) = (Acknowledged::default(), Arc::new(AtomicBool::new(false)));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (acknowledged, is_over) = (Arc::clone(&acknowledged), Arc::clone(&is_over));
            tokio::spawn(write(table(), writer, acknowledged, is_over))
        })
        .collect();
    let seals = Arc::new(AtomicU64::new(0));
    let sealer = tokio::spawn({
        let (table, is_over, seals) = (table(), Arc::clone(&is_over), Arc::clone(&seals));
        async move {
            while !is_over.load(Ordering::Relaxed) {
                table.seal(None).await.unwrap();
                table.sweep(GRACE).await.unwrap();
                seals.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let reader = table();
    let mut looks = 0;
    while looks < times(30, 300) || seals.load(Ordering::Relaxed) < times(30, 300) {
        look(&reader, &acknowledged).await;
        looks += 1;
    }
    is_over.store(true, Ordering::Relaxed);
    for task in writers.into_iter().chain([sealer]) {
        task.await.unwrap();
    }
    look(&reader, &acknowledged).await;
    let before = shown(&reader, &Selection::default()).await;
    table().seal(None).await.unwrap();
    assert_eq!(shown(&reader, &Selection::default()).await, before);
}

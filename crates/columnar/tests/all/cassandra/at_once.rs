//! Several stores that read, write, seal and drop at the same time, as if each were a separate
//! process.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bakeoff_columnar::Store;
use bakeoff_columnar::cassandra::CassandraStore;

use bakeoff_testing::times;

use super::child::Versions;
use super::kills::{check_place, seal};
use super::support::{Cassandra, PLACE, fresh_rows, row, write_time};

const KEYS: usize = 40;

pub async fn readers_miss_nothing_while_others_write_and_seal(cassandra: &Cassandra) {
    cassandra.table("at_once").await;
    let acknowledged: Mutex<Versions> = Mutex::default();
    let progress = Progress::default();
    let (first, second) = (
        cassandra.another("at_once").await,
        cassandra.another("at_once").await,
    );
    let sealer = cassandra.another("at_once").await;
    let (one, other) = (
        cassandra.another("at_once").await,
        cassandra.another("at_once").await,
    );
    let (writes, more, seals, reads, others) = tokio::join!(
        write_until(&first, "a", &progress, &acknowledged),
        write_until(&second, "b", &progress, &acknowledged),
        seal_until(&sealer, &progress),
        read_until(&one, &progress, &acknowledged),
        read_until(&other, &progress, &acknowledged),
    );
    println!(
        "{} rows were written during {seals} seals, and seen by all of {} reads",
        writes + more,
        reads + others
    );
    let acknowledged = acknowledged.into_inner().unwrap();
    check_place(&one, PLACE, &acknowledged).await;
}

/// The work that all tasks have done together, and go on until it is enough.
#[derive(Default)]
struct Progress {
    seals: AtomicUsize,
    reads: AtomicUsize,
}

impl Progress {
    fn is_enough(&self) -> bool {
        let (seals, reads) = times((8, 40), (30, 150));
        self.seals.load(Ordering::Relaxed) >= seals && self.reads.load(Ordering::Relaxed) >= reads
    }
}

async fn write_until(
    store: &CassandraStore,
    writer: &str,
    progress: &Progress,
    acknowledged: &Mutex<Versions>,
) -> usize {
    let mut written = 0;
    while !progress.is_enough() {
        let key = format!("{writer}{:03}", written % KEYS);
        let time = write_time();
        let value = (written % 7 != 0).then(|| time.to_string());
        store
            .insert(PLACE, &[row(&key, time, value.as_deref())])
            .await
            .unwrap();
        acknowledged.lock().unwrap().insert(key, time);
        written += 1;
    }
    written
}

async fn seal_until(store: &CassandraStore, progress: &Progress) -> usize {
    let mut seals = 0;
    while !progress.is_enough() {
        seal(store, PLACE).await;
        seals += 1;
        progress.seals.fetch_add(1, Ordering::Relaxed);
    }
    seals
}

async fn read_until(
    store: &CassandraStore,
    progress: &Progress,
    acknowledged: &Mutex<Versions>,
) -> usize {
    let mut reads = 0;
    while !progress.is_enough() {
        let before = acknowledged.lock().unwrap().clone();
        check_place(store, PLACE, &before).await;
        reads += 1;
        progress.reads.fetch_add(1, Ordering::Relaxed);
    }
    reads
}

/// Drops a place while a writer that knows it from before adds to it all the time.
pub async fn a_drop_by_another_process_loses_nothing_that_came_later(cassandra: &Cassandra) {
    let (writer, dropper) = (
        cassandra.table("drops").await,
        cassandra.another("drops").await,
    );
    let began: Mutex<BTreeMap<String, Instant>> = Mutex::default();
    let is_over = AtomicBool::new(false);
    let write = async {
        for i in 0.. {
            let (key, time) = (format!("{i:06}"), write_time());
            let start = Instant::now();
            writer
                .insert(PLACE, &[row(&key, time, Some("1"))])
                .await
                .unwrap();
            began.lock().unwrap().insert(key, start);
            if is_over.load(Ordering::Relaxed) {
                return;
            }
        }
    };
    let drop = async {
        let mut dropped = None;
        for _ in 0..6 {
            // Each drop has rows to remove, however slow the server is.
            let written = began.lock().unwrap().len();
            while began.lock().unwrap().len() == written {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
            dropper.drop_places(&[PLACE]).await.unwrap();
            dropped = Some(Instant::now());
        }
        let dropped = dropped.unwrap();
        // The writer is waited for, however slow the server is.
        while !began.lock().unwrap().values().any(|at| *at > dropped) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        is_over.store(true, Ordering::Relaxed);
        dropped
    };
    let ((), dropped) = tokio::join!(write, drop);
    let left = fresh_rows(&dropper, PLACE).await;
    let began = began.into_inner().unwrap();
    let later: Vec<&String> = began
        .iter()
        .filter(|(_, at)| **at > dropped)
        .map(|(k, _)| k)
        .collect();
    let lost = later
        .iter()
        .filter(|key| !left.iter().any(|row| row.key == key.as_bytes()));
    assert_eq!(lost.count(), 0, "of {} rows", later.len());
    assert!(
        !later.is_empty() && left.len() < began.len(),
        "{} {}",
        later.len(),
        left.len()
    );
    assert_eq!(dropper.places().await.unwrap(), [PLACE]);
}

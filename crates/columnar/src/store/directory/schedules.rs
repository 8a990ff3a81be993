//! Threads of a writer in any order. `shuttle` lets one of them go on at a time, up to its next lock or atomic,
//! and chooses at random which one is next.
//!
//! For that `log.rs`, `sweep.rs` and `writer.rs` are compiled a second time, with its locks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bakeoff_testing::{Random, times};
use bytes::Bytes;
use shuttle::scheduler::RandomScheduler;
use shuttle::{Config, Runner, thread};
use tempfile::TempDir;
use tokio::sync::oneshot::error::TryRecvError;

use self::sync::{locked, reading};
use self::writer::Writer;
use super::layout::Folder;
use super::sample::meta;
use super::{aside, chunks, disk, files, layout, manifest, record, segment, state, table};
use crate::definition::Definition;
use crate::encoding::crc;
use crate::id::{ChunkId, Place};
use crate::key::tests::definition;
use crate::kind::Kind;
use crate::meta::{BlobMeta, ChunkMeta, ColumnStats};
use crate::store::{Change, Chunk, FreshRow, Frozen, KeyRange};

#[allow(clippy::duplicate_mod, dead_code, reason = "what async callers need")]
#[path = "log.rs"]
mod log;
#[allow(clippy::duplicate_mod)]
#[path = "sweep.rs"]
mod sweep;
#[allow(clippy::duplicate_mod, dead_code, reason = "what other threads need")]
#[path = "writer.rs"]
mod writer;

/// What `sync.rs` has, from `shuttle`.
mod sync {
    use shuttle::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

    pub use shuttle::sync::atomic::{AtomicU64, Ordering};
    pub use shuttle::sync::{Mutex, RwLock};

    pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    pub fn reading<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
        lock.read().unwrap()
    }

    pub fn writing<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
        lock.write().unwrap()
    }
}

const PLACE: Place = Place {
    bucket: 0,
    shard: 0,
};

/// The stack of a thread: the default of `shuttle` is too small for a manifest.
const STACK_BYTES: usize = 1 << 20;

/// What the threads know of each other's rows.
#[derive(Default)]
struct Told {
    points: AtomicUsize,
    /// The keys of rows, and the points at which their inserts began and were acknowledged.
    acknowledged: Mutex<BTreeMap<Bytes, (usize, usize)>>,
    /// The points at which drops began and were over.
    drops: Mutex<Vec<(usize, Option<usize>)>>,
    /// The keys of the rows of each chunk.
    chunks: Mutex<HashMap<ChunkId, Vec<Bytes>>>,
}

impl Told {
    /// Returns a point in the order of what the threads do.
    fn point(&self) -> usize {
        self.points.fetch_add(1, Ordering::Relaxed)
    }
}

type Freeze = fn(&Writer) -> Frozen;

/// What a thread does. It returns what is wrong.
type Work = Box<dyn Fn(&Writer, &Told) -> Option<String> + Send>;

#[test]
fn in_whichever_order_threads_come_no_row_is_lost_or_doubled() {
    assert_eq!(search(freeze, false, times(60, 3_000)), None);
}

#[test]
fn in_whichever_order_threads_come_a_drop_takes_what_was_there_and_nothing_that_comes_later() {
    assert_eq!(search(freeze, true, times(40, 3_000)), None);
}

/// An insert began a segment between the look of a drop at the last one and its commit, so that a seal which was frozen
/// behind both was taken for one of later rows, and brought back what was dropped.
#[test]
fn a_seal_that_was_frozen_while_a_drop_went_on_brings_nothing_back() {
    let seed = Random(12_174_046_236_870_615_379).number();
    assert_eq!(search_from(seed, freeze, true, 40), None);
}

/// A freeze let other threads begin a segment before it had looked which one was the last.
#[test]
fn a_freeze_that_lets_go_of_the_segment_too_early_is_found() {
    let found = search(freeze_in_two_steps, false, 3_000).expect("a row is lost");
    assert!(found.ends_with("is missing"), "{found}");
}

/// Lets threads work on a number of tables, in orders that differ in each call, and returns the first fault.
fn search(freeze: Freeze, drops: bool, tables: usize) -> Option<String> {
    let seed = Random::printed("orders of threads").number();
    search_from(seed, freeze, drops, tables)
}

/// Does so in the orders that a seed leads to.
fn search_from(seed: u64, freeze: Freeze, drops: bool, tables: usize) -> Option<String> {
    let folder = TempDir::new().unwrap();
    let root = folder.path().to_owned();
    let found = Arc::new(Mutex::new(None));
    let (finds, number) = (Arc::clone(&found), AtomicUsize::new(0));
    let scheduler = RandomScheduler::new_from_seed(seed, tables);
    let mut config = Config::new();
    config.stack_size = STACK_BYTES;
    // It takes all atomics for sequentially consistent, and would say so each time.
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(move || {
        let is_found = finds.lock().unwrap().is_some();
        if !is_found {
            let number = number.fetch_add(1, Ordering::Relaxed);
            let wrong = at_once(&root.join(number.to_string()), freeze, drops);
            *finds.lock().unwrap() = wrong;
        }
    });
    found.lock().unwrap().take()
}

/// Inserts, seals and reads at the same time, and drops the place if that is wanted. Returns what is wrong.
fn at_once(folder: &Path, freeze: Freeze, drops: bool) -> Option<String> {
    let folder = Folder::new(folder);
    let lock = table::create(&folder, &table()).unwrap();
    let writer = Arc::new(Writer::open(folder, Arc::new(table()), lock).unwrap());
    let told = Arc::new(Told::default());
    insert(&writer, &told, "first");
    let mut threads: Vec<Work> = vec![
        Box::new(|writer: &Writer, told: &Told| insert_all(writer, told, ["a", "b"])),
        Box::new(|writer: &Writer, told: &Told| insert_all(writer, told, ["c", "d"])),
        Box::new(move |writer: &Writer, told: &Told| {
            (0..2).for_each(|_| seal(writer, told, freeze(writer)));
            None
        }),
        Box::new(|writer: &Writer, told: &Told| (0..3).find_map(|_| look(writer, told))),
    ];
    if drops {
        threads.push(Box::new(drop_place));
    }
    let threads = threads.into_iter().map(|work| {
        let (writer, told) = (Arc::clone(&writer), Arc::clone(&told));
        thread::spawn(move || work(&writer, &told))
    });
    // All of them begin before the first one is waited for.
    let threads: Vec<_> = threads.collect();
    let ended = threads.into_iter().map(|thread| thread.join().unwrap());
    let ended: Vec<Option<String>> = ended.collect();
    let wrong = ended.into_iter().flatten().next();
    wrong.or_else(|| look(&writer, &told))
}

fn insert_all(writer: &Writer, told: &Told, keys: [&'static str; 2]) -> Option<String> {
    for key in keys {
        insert(writer, told, key);
    }
    None
}

/// Inserts a row as [`log::Log::insert`] does, but on this thread.
fn insert(writer: &Writer, told: &Told, key: &'static str) {
    let began = told.point();
    let key = Bytes::from_static(key.as_bytes());
    let row = FreshRow {
        key: key.clone(),
        write_time: 1,
        row: None,
    };
    let log = writer.log(PLACE);
    let mut is_done = log.enqueue(&[row]).unwrap();
    log.write_waiting();
    // Another thread may be writing it.
    let written = loop {
        match is_done.try_recv() {
            Err(TryRecvError::Empty) => thread::yield_now(),
            done => break done.unwrap(),
        }
    };
    written.unwrap();
    let times = (began, told.point());
    told.acknowledged.lock().unwrap().insert(key, times);
}

/// Drops the place, from which readers may see nothing afterwards that was acknowledged before.
fn drop_place(writer: &Writer, told: &Told) -> Option<String> {
    let began = (told.point(), None);
    told.drops.lock().unwrap().push(began);
    writer.drop_places(&[PLACE]).unwrap();
    let over = (began.0, Some(told.point()));
    *told.drops.lock().unwrap() = vec![over];
    None
}

fn freeze(writer: &Writer) -> Frozen {
    writer.freeze(PLACE)
}

/// Freezes like [`Writer::freeze`], but lets go of the lock between closing a segment and looking for the last
/// one.
fn freeze_in_two_steps(writer: &Writer) -> Frozen {
    let log = writer.log(PLACE);
    *locked(&log.active) = None;
    let closed = log.last();
    let sealed = reading(&writer.state).sealed(PLACE);
    let up_to = closed.unwrap_or(sealed).max(sealed);
    Frozen {
        rows: log.rows_between(sealed, up_to),
        from: sealed,
        up_to,
    }
}

fn seal(writer: &Writer, told: &Told, frozen: Frozen) {
    if frozen.rows.is_empty() {
        return;
    }
    let chunk = chunk();
    chunks::put(&writer.folder, slice::from_ref(&chunk)).unwrap();
    let keys = frozen.rows.iter().map(|row| row.key.clone()).collect();
    told.chunks.lock().unwrap().insert(chunk.meta.id, keys);
    let change = Change {
        place: PLACE,
        add: vec![chunk.meta],
        retire: Vec::new(),
        sealed: Some(frozen),
    };
    if let Err(error) = writer.commit(vec![change]) {
        let is_dropped = !told.drops.lock().unwrap().is_empty();
        assert!(is_dropped, "{error}");
        return;
    }
    writer.sweep(Duration::ZERO).unwrap();
}

/// Returns what is wrong with what a reader sees, if anything is.
fn look(writer: &Writer, told: &Told) -> Option<String> {
    let asked = told.point();
    let acknowledged = told.acknowledged.lock().unwrap().clone();
    let snapshot = writer.snapshot(PLACE, KeyRange::default());
    let chunks = told.chunks.lock().unwrap();
    let fresh = snapshot.fresh.iter().map(|row| &row.key);
    let of_chunks = snapshot.chunks.iter().flat_map(|chunk| &chunks[&chunk.id]);
    let mut shown = BTreeSet::new();
    for key in fresh.chain(of_chunks) {
        if !shown.insert(key.clone()) {
            return Some(format!("{key:?} is there twice"));
        }
    }
    let drops = told.drops.lock().unwrap();
    for (key, (began, ended)) in &acknowledged {
        let is_before = |(_, over): &(usize, Option<usize>)| over.is_some_and(|over| over < *began);
        let is_of_it = |(from, over): &(usize, Option<usize>)| {
            from > ended && over.is_some_and(|over| over < asked)
        };
        let is_shown = shown.contains(key);
        if !is_shown && drops.iter().all(is_before) {
            return Some(format!("{key:?} is missing"));
        }
        if is_shown && drops.iter().any(is_of_it) {
            return Some(format!("{key:?} was dropped and is there"));
        }
    }
    None
}

fn table() -> Definition {
    definition(&[Kind::Text, Kind::Timestamp, Kind::Double], 1, 1)
}

/// Makes a chunk. Its blobs mean nothing.
fn chunk() -> Chunk {
    let blob = Bytes::from_static(b"blob");
    let of_blob = BlobMeta {
        bytes: blob.len() as u32,
        crc: crc(&blob),
    };
    let meta = ChunkMeta {
        id: ChunkId::new(),
        stats: vec![ColumnStats::default(); 3],
        blobs: vec![of_blob; 3],
        ..(*meta(0)).clone()
    };
    Chunk {
        meta: Arc::new(meta),
        blobs: vec![blob; 3],
    }
}

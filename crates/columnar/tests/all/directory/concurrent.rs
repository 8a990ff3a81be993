//! Many tasks and processes at the same time.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bakeoff_columnar::{DirectoryStore, Error, Result, Store};
use bakeoff_testing::times;
use tempfile::TempDir;

use super::steps::Random;
use super::support::*;

const WRITERS: u64 = 4;
const KEYS: u64 = 10;
const PLACES: i64 = 3;
const ALL_KEYS: usize = WRITERS as usize * KEYS as usize * PLACES as usize;
/// The time after which something has failed and is not merely slow.
const PATIENCE: Duration = Duration::from_secs(300);

/// The newest acknowledged write time of each key.
type Acknowledged = Arc<Mutex<BTreeMap<String, i64>>>;

/// Makes a row whose value follows from key and time, so that a reader knows whether it was
/// written.
fn written(key: &str, time: i64) -> Row {
    let value = (time % 7 > 0).then(|| format!("{key} at {time}"));
    Row(key.to_owned(), time, value)
}

/// Inserts rows of separate keys, one after another, and reports which are durable.
async fn write(store: Arc<DirectoryStore>, writer: u64, time: Arc<AtomicI64>) {
    let mut random = Random(writer);
    loop {
        let bucket = random.below(PLACES as u64) as i64;
        let time = time.fetch_add(1, Ordering::Relaxed);
        let key = |_| format!("{bucket}-{writer}-{}", random.below(KEYS));
        let keys: Vec<String> = (0..3).map(key).collect();
        let rows: Vec<Row> = keys.iter().map(|key| written(key, time)).collect();
        store.insert(place(bucket), &fresh(&rows)).await.unwrap();
        say(&format!("{time} {}", keys.join(" ")));
    }
}

/// Runs as the child with several writers and one task that seals and sweeps all the time.
pub fn child() {
    let folder = folder_of_child();
    let first_time: i64 = environment(SEED).parse().unwrap();
    runtime().block_on(async {
        let store = Arc::new(open_or_create(&folder).unwrap());
        let time = Arc::new(AtomicI64::new(first_time));
        for writer in 0..WRITERS {
            tokio::spawn(write(Arc::clone(&store), writer, Arc::clone(&time)));
        }
        loop {
            for bucket in 0..PLACES {
                seal(&store, place(bucket)).await.unwrap();
                store.sweep(Duration::from_millis(200)).await.unwrap();
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
}

fn started(folder: &Path, first_time: i64) -> Child {
    let first_time = first_time.to_string();
    command("concurrent", folder)
        .env(SEED, first_time)
        .spawn()
        .unwrap()
}

/// Reads the reports of a child until it ends.
fn follow(child: &mut Child, acknowledged: Acknowledged) -> std::thread::JoinHandle<()> {
    let lines = lines(child);
    std::thread::spawn(move || {
        for line in lines {
            let mut words = line.split(' ');
            let time: i64 = words.next().unwrap().parse().unwrap();
            let mut acknowledged = acknowledged.lock().unwrap();
            for key in words {
                let newest = acknowledged.entry(key.to_owned()).or_default();
                *newest = time.max(*newest);
            }
        }
    })
}

/// Checks that rows that were acknowledged before are seen once, and no others.
async fn check(store: &DirectoryStore, acknowledged: &Acknowledged) -> Result<usize> {
    let before = acknowledged.lock().unwrap().clone();
    let found: Newest = all_rows(store).await?.into_values().flatten().collect();
    for (key, time) in &before {
        let seen = found.get(key).map(|(time, _)| *time);
        assert!(
            seen >= Some(*time),
            "{key} at {time} was acknowledged, at {seen:?} seen"
        );
    }
    for (key, (time, value)) in &found {
        assert_eq!(written(key, *time).2, *value);
    }
    Ok(before.len())
}

#[test]
fn readers_see_every_acknowledged_row_while_another_process_writes_and_seals() {
    let folder = TempDir::new().unwrap();
    drop(DirectoryStore::create(folder.path(), definition()).unwrap());
    let acknowledged = Acknowledged::default();
    let mut child = started(folder.path(), 1);
    let follower = follow(&mut child, Arc::clone(&acknowledged));
    let reader = || {
        let acknowledged = Arc::clone(&acknowledged);
        let store = DirectoryStore::open_to_read(folder.path()).unwrap();
        std::thread::spawn(move || look_on(&store, &acknowledged))
    };
    for reader in [reader(), reader()] {
        reader.join().unwrap();
    }
    child.kill().unwrap();
    follower.join().unwrap();
    child.wait().unwrap();
    let store = DirectoryStore::open(folder.path()).unwrap();
    let keys = runtime().block_on(check(&store, &acknowledged)).unwrap();
    assert_eq!(keys, ALL_KEYS);
}

/// Reads until rows of all keys have been written. A read that takes longer than the grace does not
/// count.
fn look_on(store: &DirectoryStore, acknowledged: &Acknowledged) {
    let began = Instant::now();
    let (mut looks, mut keys) = (0, 0);
    while looks < times(50, 500) || keys < ALL_KEYS {
        match runtime().block_on(check(store, acknowledged)) {
            Ok(found) => (looks, keys) = (looks + 1, found),
            Err(Error::Gone { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(began.elapsed() < PATIENCE, "{looks} looks, {keys} keys");
    }
}

#[test]
fn kills_while_many_write_lose_nothing() {
    let folder = TempDir::new().unwrap();
    let acknowledged = Acknowledged::default();
    let mut random = Random::printed("kills while many write");
    for round in 0..times(10, 100) {
        let mut child = started(folder.path(), 1 + round * 1_000_000);
        let follower = follow(&mut child, Arc::clone(&acknowledged));
        let before = acknowledged.lock().unwrap().clone();
        while *acknowledged.lock().unwrap() == before {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(random.below(100_000)));
        child.kill().unwrap();
        follower.join().unwrap();
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!said.contains("panicked"), "{said}");
        if folder.path().join("table.json").exists() {
            let store = DirectoryStore::open(folder.path()).unwrap();
            runtime().block_on(check(&store, &acknowledged)).unwrap();
        }
    }
    assert!(acknowledged.lock().unwrap().len() > 10);
}

/// Checks a sweep that ignores what is being committed: either it comes first, and the commit fails, or
/// it comes later, and leaves the chunk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_committed_during_a_sweep_stays() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(DirectoryStore::create(folder.path(), definition()).unwrap());
    let is_over = Arc::new(AtomicBool::new(false));
    let sweeper = tokio::spawn({
        let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
        async move {
            while !is_over.load(Ordering::Relaxed) {
                store.sweep(Duration::ZERO).await.unwrap();
            }
        }
    });
    let began = Instant::now();
    let (mut committed, mut refused) = (0, 0);
    while committed < 50 || committed + refused < 200 {
        let i = committed + refused;
        match ingest(&store, place(0), &[row(&format!("k{i}"), i, "x")]).await {
            Ok(_) => committed += 1,
            Err(Error::Invalid(_)) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(began.elapsed() < PATIENCE, "{committed}, {refused} refused");
    }
    is_over.store(true, Ordering::Relaxed);
    sweeper.await.unwrap();
    println!("{committed} were committed, {refused} refused");
    let kept = rows(&store, place(0)).await.unwrap().len();
    assert_eq!(kept as i64, committed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_swept_before_it_is_committed_is_refused() {
    let (_folder, store) = table();
    let chunk = put(&store, place(0), &[row("a", 1, "x")]).await.unwrap();
    assert_eq!(store.sweep(Duration::ZERO).await.unwrap().chunks, 1);
    let error = commit(&store, place(0), &chunk).await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    assert!(all_rows(&store).await.unwrap().is_empty());
    ingest(&store, place(0), &[row("a", 2, "y")]).await.unwrap();
    assert_eq!(store.sweep(Duration::ZERO).await.unwrap().chunks, 0);
    assert_eq!(
        rows(&store, place(0)).await.unwrap(),
        newest(&[row("a", 2, "y")])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_inserts_at_the_same_time_none_is_lost() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(DirectoryStore::create(folder.path(), definition()).unwrap());
    let inserts = (0..500).map(|i| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let rows = fresh(&[row(&format!("k{i}"), i, "x")]);
            store.insert(place(i % 2), &rows).await.unwrap();
        })
    });
    for insert in inserts.collect::<Vec<_>>() {
        insert.await.unwrap();
    }
    let before = all_rows(&store).await.unwrap();
    assert_eq!(before.values().map(Newest::len).sum::<usize>(), 500);
    drop(store);
    let store = DirectoryStore::open(folder.path()).unwrap();
    assert_eq!(all_rows(&store).await.unwrap(), before);
}

/// Checks that a caller may stop waiting for an insert: it is done nevertheless, or not at all, and does
/// not disturb others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_insert_that_nobody_waits_for_any_more_is_whole() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(DirectoryStore::create(folder.path(), definition()).unwrap());
    for i in 0..50 {
        let rows = fresh(&[row("a", i, "x"), row("b", i, "x")]);
        let insert = store.insert(place(0), &rows);
        let _ = tokio::time::timeout(Duration::from_micros(i as u64 * 100), insert).await;
    }
    store
        .insert(place(0), &fresh(&[row("c", 1, "x")]))
        .await
        .unwrap();
    let kept = rows(&store, place(0)).await.unwrap();
    assert_eq!(kept["a"], kept["b"]);
    drop(store);
    let store = DirectoryStore::open(folder.path()).unwrap();
    assert_eq!(rows(&store, place(0)).await.unwrap(), kept);
}

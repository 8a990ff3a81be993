//! Threads that meet at a bad moment: one is held at a point while others go on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_columnar::internals::Pause;
use bakeoff_columnar::{DirectoryStore, Store};
use tokio::task::{block_in_place, spawn};

use super::support::*;

/// The time that an insert gets to come in between. It has to wait for the freeze, so that only a store
/// with a fault uses less.
const TIME_TO_COME_BETWEEN: Duration = Duration::from_millis(300);

/// The time after which a read waits for a write, or an insert does not end, and is not merely slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs as the child in which an insert comes while a freeze is closing the segment.
pub fn child() {
    runtime().block_on(async {
        let store = Arc::new(DirectoryStore::open(&folder_of_child()).unwrap());
        let insert = async |key: &str, time| {
            let rows = fresh(&[row(key, time, "x")]);
            store.insert(place(0), &rows).await.unwrap();
        };
        insert("before", 1).await;
        let pause = Pause::at("freeze.closed");
        let freeze = spawn({
            let store = Arc::clone(&store);
            async move { store.freeze(place(0)).await.unwrap() }
        });
        block_in_place(|| pause.wait());
        let mut during = spawn({
            let store = Arc::clone(&store);
            async move {
                store
                    .insert(place(0), &fresh(&[row("during", 2, "x")]))
                    .await
            }
        });
        let ended = tokio::time::timeout(TIME_TO_COME_BETWEEN, &mut during).await;
        drop(pause);
        let ended = match ended {
            Ok(ended) => ended,
            Err(_) => during.await,
        };
        ended.unwrap().unwrap();
        let frozen = freeze.await.unwrap();
        insert("after", 3).await;
        seal_frozen(&store, place(0), frozen).await.unwrap();
        insert("later", 4).await;
        let found = rows(&store, place(0)).await.unwrap();
        say(&found.into_keys().collect::<Vec<_>>().join(" "));
    });
}

/// Runs as the child in which a store is closed while a thread still writes an insert whose caller has given
/// up.
pub fn given_up() {
    runtime().block_on(async {
        let folder = folder_of_child();
        let store = Arc::new(DirectoryStore::open(&folder).unwrap());
        let pause = Pause::at("insert.written");
        let insert = spawn({
            let store = Arc::clone(&store);
            async move { store.insert(place(0), &fresh(&[row("a", 1, "x")])).await }
        });
        block_in_place(|| pause.wait());
        insert.abort();
        assert!(insert.await.unwrap_err().is_cancelled());
        drop(store);
        match DirectoryStore::open(&folder) {
            Ok(_) => say("opened while it was written"),
            Err(error) => say(&error.to_string()),
        }
        drop(pause);
        let began = Instant::now();
        let store = loop {
            // It waits for the lock a little by itself.
            match DirectoryStore::open(&folder) {
                Ok(store) => break store,
                Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
            }
        };
        let found = rows(&store, place(0)).await.unwrap();
        say(&found.into_keys().collect::<Vec<_>>().join(" "));
    });
}

/// Runs as the child that reads while an insert and a commit are not synced yet.
pub fn unsynced() {
    runtime().block_on(async {
        let store = Arc::new(DirectoryStore::open(&folder_of_child()).unwrap());
        for point in ["insert.written", "manifest.appended"] {
            let pause = Pause::at(point);
            let write = spawn({
                let store = Arc::clone(&store);
                async move {
                    let rows = [row(point, 1, "x")];
                    match point {
                        "insert.written" => store.insert(place(0), &fresh(&rows)).await,
                        _ => ingest(&store, place(1), &rows).await.map(drop),
                    }
                }
            });
            block_in_place(|| pause.wait());
            // The write is held until this has ended.
            let read = spawn({
                let store = Arc::clone(&store);
                async move { all_rows(&store).await.unwrap() }
            });
            let during = tokio::time::timeout(PATIENCE, read).await;
            drop(pause);
            let during = during.expect("it waits for the write").unwrap();
            write.await.unwrap().unwrap();
            let after = all_rows(&store).await.unwrap();
            say(&format!("{} then {}", during.len(), after.len()));
        }
    });
}

#[test]
fn an_insert_that_is_still_written_keeps_other_writers_out() {
    let (folder, store) = table();
    drop(store);
    let said = said_by_child("given up", folder.path());
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].contains("being written or checked by another"),
        "{said:?}"
    );
    assert_eq!(said[1], "a", "the insert is whole");
}

/// Checks that reading in the process that writes waits for no sync, and shows nothing before it.
#[test]
fn reads_wait_for_no_sync_of_a_write() {
    let (folder, store) = table();
    drop(store);
    let said = said_by_child("reads", folder.path());
    assert_eq!(said, ["0 then 1", "1 then 2"]);
}

#[test]
fn an_insert_during_a_freeze_belongs_to_the_next_one() {
    let (folder, store) = table();
    drop(store);
    let said = said_by_child("pauses", folder.path());
    assert_eq!(said, ["after before during later"]);
    let store = DirectoryStore::open(folder.path()).unwrap();
    let found = runtime().block_on(rows(&store, place(0))).unwrap();
    assert_eq!(
        found.into_keys().collect::<Vec<_>>(),
        ["after", "before", "during", "later"]
    );
}

//! Threads that meet at a bad moment: one is held at a point while others go on.

use std::sync::Arc;
use std::time::Duration;

use bakeoff_columnar::internals::Pause;
use bakeoff_columnar::{DirectoryStore, Store};
use tokio::task::{block_in_place, spawn};

use super::support::*;

/// The time that an insert gets to come in between. It has to wait for the freeze, so that only a store
/// with a fault uses less.
const TIME_TO_COME_BETWEEN: Duration = Duration::from_millis(300);

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

#[test]
fn an_insert_during_a_freeze_belongs_to_the_next_one() {
    let (folder, store) = table();
    drop(store);
    let mut child = command("pauses", folder.path()).spawn().unwrap();
    let said: Vec<String> = lines(&mut child).collect();
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{errors}");
    assert_eq!(said, ["after before during later"]);
    let store = DirectoryStore::open(folder.path()).unwrap();
    let found = runtime().block_on(rows(&store, place(0))).unwrap();
    assert_eq!(
        found.into_keys().collect::<Vec<_>>(),
        ["after", "before", "during", "later"]
    );
}

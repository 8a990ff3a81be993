//! Sweeps: what they remove and when, and how the manifest is kept short.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_columnar::{Change, DirectoryStore, Error, KeyRange, Place, Store, Swept};

use super::support::*;

#[tokio::test]
async fn a_dropped_place_is_empty_for_all_and_its_files_go_after_the_grace() {
    let (folder, store) = table();
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    let chunk = ingest(&store, place(0), &[row("a", 1, "x")]).await.unwrap();
    store
        .insert(place(0), &fresh(&[row("b", 1, "y")]))
        .await
        .unwrap();
    store
        .insert(place(1), &fresh(&[row("c", 1, "z")]))
        .await
        .unwrap();
    store.drop_places(&[place(0), place(3)]).await.unwrap();
    let store = reopened(&folder, store);
    let expected = BTreeMap::from([(1, newest(&[row("c", 1, "z")]))]);
    for store in [&store, &reader] {
        assert_eq!(all_rows(store).await.unwrap(), expected);
        // A query that began before the drop ends as it began.
        assert_eq!(
            store.blobs(place(0), &chunk.meta, &[1]).await.unwrap(),
            ["second"]
        );
    }
    assert_eq!(
        store.sweep(Duration::from_secs(60)).await.unwrap(),
        Swept { chunks: 0 }
    );
    assert_eq!(
        store.sweep(Duration::ZERO).await.unwrap(),
        Swept { chunks: 1 }
    );
    assert!(!folder.path().join("fresh/0_1").exists());
    for store in [&store, &reader] {
        let error = store.blobs(place(0), &chunk.meta, &[1]).await.unwrap_err();
        assert!(matches!(error, Error::Gone { .. }), "{error}");
        assert_eq!(all_rows(store).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn sweeping_leaves_what_is_valid_or_young() {
    let (folder, store) = table();
    let never_committed = chunk(&[row("z", 1, "z")]);
    store
        .put(place(0), std::slice::from_ref(&never_committed))
        .await
        .unwrap();
    ingest(&store, place(0), &[row("a", 1, "x")]).await.unwrap();
    store
        .insert(place(0), &fresh(&[row("b", 1, "y")]))
        .await
        .unwrap();
    seal(&store, place(0)).await.unwrap();
    std::fs::write(folder.path().join("chunks/notes.txt"), "not ours").unwrap();
    let before = all_rows(&store).await.unwrap();
    let hour = Duration::from_secs(3600);
    assert_eq!(store.sweep(hour).await.unwrap(), Swept { chunks: 0 });
    let store = reopened(&folder, store);
    assert_eq!(store.sweep(hour).await.unwrap(), Swept { chunks: 0 });
    assert_eq!(
        store.sweep(Duration::ZERO).await.unwrap(),
        Swept { chunks: 2 }
    );
    assert_eq!(
        store.sweep(Duration::ZERO).await.unwrap(),
        Swept { chunks: 0 }
    );
    assert_eq!(all_rows(&store).await.unwrap(), before);
    assert!(folder.path().join("chunks/notes.txt").exists());
    let late = Change {
        add: vec![never_committed.meta],
        ..change(place(0))
    };
    let error = store.commit(vec![late]).await.unwrap_err().to_string();
    assert!(error.contains("put it again"), "{error}");
}

/// Checks a chunk that was written long ago and retired just now: the grace counts from the
/// retirement, which another process has to know, too.
#[tokio::test]
async fn the_grace_counts_from_the_retirement() {
    let (folder, store) = table();
    let old = ingest(&store, place(0), &[row("a", 1, "x")]).await.unwrap();
    let path = folder.path().join(format!("chunks/{}.chunk", old.meta.id));
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    seal(&store, place(0)).await.unwrap();
    let store = reopened(&folder, store);
    let minute = Duration::from_secs(60);
    assert_eq!(store.sweep(minute).await.unwrap(), Swept { chunks: 0 });
    assert_eq!(
        store.sweep(Duration::ZERO).await.unwrap(),
        Swept { chunks: 1 }
    );
}

/// Replaces the chunks of a place by one whose statistics have 100 KB.
async fn replace_by_large_chunk(store: &DirectoryStore, place: Place, rows: &[Row]) {
    let mut large = chunk(rows);
    Arc::make_mut(&mut large.meta).last = vec![b'x'; 100_000].into();
    store
        .put(place, std::slice::from_ref(&large))
        .await
        .unwrap();
    let chunks = store
        .snapshot(place, KeyRange::default())
        .await
        .unwrap()
        .chunks;
    let change = Change {
        add: vec![Arc::clone(&large.meta)],
        retire: chunks.iter().map(|chunk| chunk.id).collect(),
        ..change(place)
    };
    store.commit(vec![change]).await.unwrap();
}

/// Commits so often that the manifest is rewritten several times, while a reader follows.
#[tokio::test]
async fn a_manifest_that_grows_is_written_anew() {
    let (folder, store) = table();
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    let mut expected = BTreeMap::new();
    let mut lengths = Vec::new();
    for i in 0..60 {
        let rows = [row("a", i, &i.to_string())];
        replace_by_large_chunk(&store, place(i % 3), &rows).await;
        store.insert(place(100 + i), &fresh(&rows)).await.unwrap();
        store.drop_places(&[place(100 + i)]).await.unwrap();
        store.sweep(Duration::ZERO).await.unwrap();
        expected.insert(i % 3, newest(&rows));
        assert_eq!(all_rows(&reader).await.unwrap(), expected, "after {i}");
        lengths.push(folder.path().join("manifest").metadata().unwrap().len());
    }
    let shorter = lengths.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(shorter >= 2, "{lengths:?}");
}

/// Checks that numbers of segments are not used again, even if the manifest has no such place any
/// more: another process may still remember the first segment with that number.
#[tokio::test]
async fn no_number_of_a_segment_is_used_again() {
    let (folder, store) = table();
    store
        .insert(place(1), &fresh(&[row("a", 1, "x")]))
        .await
        .unwrap();
    store.drop_places(&[place(1)]).await.unwrap();
    store.sweep(Duration::ZERO).await.unwrap();
    let manifest = folder.path().join("manifest");
    let length = || manifest.metadata().unwrap().len();
    let mut longest = 0;
    while length() >= longest {
        longest = length();
        replace_by_large_chunk(&store, place(0), &[row("b", 1, "y")]).await;
    }
    let store = reopened(&folder, store);
    store
        .insert(place(1), &fresh(&[row("c", 1, "z")]))
        .await
        .unwrap();
    let segments = std::fs::read_dir(folder.path().join("fresh/1_1")).unwrap();
    let names: Vec<_> = segments.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["2.log"]);
}

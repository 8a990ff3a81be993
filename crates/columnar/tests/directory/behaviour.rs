//! What the store does when nothing goes wrong, and what it refuses.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_columnar::Error;
use bakeoff_columnar::definition::Place;
use bakeoff_columnar::store::directory::DirectoryStore;
use bakeoff_columnar::store::{Change, Frozen, KeyRange, Store, Swept};
use tempfile::TempDir;

use crate::support::*;

fn table() -> (TempDir, DirectoryStore) {
    let folder = TempDir::new().unwrap();
    let store = DirectoryStore::create(folder.path(), definition()).unwrap();
    (folder, store)
}

fn reopened(folder: &TempDir, store: DirectoryStore) -> DirectoryStore {
    drop(store);
    DirectoryStore::open(folder.path()).unwrap()
}

fn newest(rows: &[Row]) -> Newest {
    let mut newest = Newest::new();
    rows.iter().for_each(|row| keep_newest(&mut newest, row));
    newest
}

#[tokio::test]
async fn fresh_rows_are_there_by_key_and_after_reopening() {
    let (folder, mut store) = table();
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    store
        .insert(place(0), &fresh(&[row("b", 1, "old"), row("a", 1, "x")]))
        .await
        .unwrap();
    store
        .insert(place(0), &fresh(&[row("b", 2, "new"), row("c", 2, "y")]))
        .await
        .unwrap();
    store
        .insert(
            place(0),
            &fresh(&[row("b", 1, "late"), Row("c".to_owned(), 2, None)]),
        )
        .await
        .unwrap();
    store.insert(place(7), &[]).await.unwrap();
    let expected = [
        row("a", 1, "x"),
        row("b", 2, "new"),
        Row("c".to_owned(), 2, None),
    ];
    for _ in 0..3 {
        for store in [&store, &reader] {
            let all = store.snapshot(place(0), KeyRange::default()).await.unwrap();
            assert_eq!(all.fresh, fresh(&expected));
            assert_eq!(all.chunks, []);
            let keys = KeyRange {
                first: Some(b"b"),
                last: Some(b"b"),
            };
            let some = store.snapshot(place(0), keys).await.unwrap();
            assert_eq!(some.fresh, fresh(&expected[1..2]));
            assert_eq!(store.places().await.unwrap(), [place(0)]);
            let nothing = store.snapshot(place(9), KeyRange::default()).await.unwrap();
            assert_eq!(nothing.fresh, []);
        }
        store = reopened(&folder, store);
    }
}

#[tokio::test]
async fn blobs_come_by_number_in_the_order_asked_for() {
    let (folder, store) = table();
    let first = ingest(&store, place(0), &[row("a", 1, "x")]).await.unwrap();
    let second = ingest(&store, place(0), &[row("b", 1, "y")]).await.unwrap();
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    for store in [&store, &reader] {
        let blobs = store
            .blobs(place(0), &first.meta, &[1, 0, 1])
            .await
            .unwrap();
        assert_eq!(blobs, [&first.blobs[1], &first.blobs[0], &first.blobs[1]]);
        let chunks = [Arc::clone(&second.meta), Arc::clone(&first.meta)];
        let column = store.column(place(0), &chunks, 0).await.unwrap();
        assert_eq!(column, [&second.blobs[0], &first.blobs[0]]);
        let error = store.blobs(place(0), &first.meta, &[2]).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("chunk {} has no blob 2", first.meta.id)
        );
        let snapshot = store.snapshot(place(0), KeyRange::default()).await.unwrap();
        assert_eq!(
            snapshot.chunks,
            [Arc::clone(&first.meta), Arc::clone(&second.meta)]
        );
    }
}

#[tokio::test]
async fn rows_that_come_during_a_seal_stay_fresh() {
    let (folder, store) = table();
    store
        .insert(place(0), &fresh(&[row("a", 1, "x"), row("b", 1, "old")]))
        .await
        .unwrap();
    let frozen = store.freeze(place(0)).await.unwrap();
    assert_eq!(frozen.rows.len(), 2);
    store
        .insert(place(0), &fresh(&[row("b", 2, "new"), row("c", 2, "y")]))
        .await
        .unwrap();
    let sealed = chunk(&[row("a", 1, "x"), row("b", 1, "old")]);
    store
        .put(place(0), std::slice::from_ref(&sealed))
        .await
        .unwrap();
    let change = Change {
        add: vec![Arc::clone(&sealed.meta)],
        sealed: Some(frozen),
        ..change(place(0))
    };
    store.commit(vec![change]).await.unwrap();
    let store = reopened(&folder, store);
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    for store in [&store, &reader] {
        let snapshot = store.snapshot(place(0), KeyRange::default()).await.unwrap();
        assert_eq!(
            snapshot.fresh,
            fresh(&[row("b", 2, "new"), row("c", 2, "y")])
        );
        assert_eq!(snapshot.chunks.len(), 1);
    }
}

#[tokio::test]
async fn a_seal_that_never_ended_is_done_again_with_all_rows() {
    let (folder, store) = table();
    store
        .insert(place(0), &fresh(&[row("a", 1, "x")]))
        .await
        .unwrap();
    store.freeze(place(0)).await.unwrap();
    store
        .insert(place(0), &fresh(&[row("b", 2, "y")]))
        .await
        .unwrap();
    store.freeze(place(0)).await.unwrap();
    let store = reopened(&folder, store);
    store
        .insert(place(0), &fresh(&[row("a", 3, "z")]))
        .await
        .unwrap();
    let frozen = store.freeze(place(0)).await.unwrap();
    assert_eq!(frozen.rows, fresh(&[row("a", 3, "z"), row("b", 2, "y")]));
    let empty = store.freeze(place(5)).await.unwrap();
    assert_eq!(empty.rows, []);
}

#[tokio::test]
async fn a_commit_that_cannot_be_changes_nothing() {
    let (_folder, store) = table();
    let valid = ingest(&store, place(0), &[row("a", 1, "x")]).await.unwrap();
    store
        .insert(place(0), &fresh(&[row("b", 1, "y")]))
        .await
        .unwrap();
    let before = all_rows(&store).await.unwrap();
    let never_put = chunk(&[]);
    let put = chunk(&[row("c", 1, "z")]);
    store
        .put(place(0), std::slice::from_ref(&put))
        .await
        .unwrap();
    let never_put = Change {
        add: vec![never_put.meta],
        ..change(place(0))
    };
    let twice = Change {
        add: vec![Arc::clone(&valid.meta)],
        ..change(place(0))
    };
    let elsewhere = Change {
        retire: vec![valid.meta.id],
        ..change(place(1))
    };
    for (bad, said) in [
        (never_put, "was not put"),
        (twice, "is valid already"),
        (elsewhere, "is not valid any more"),
    ] {
        let good = Change {
            add: vec![Arc::clone(&put.meta)],
            ..change(place(2))
        };
        let error = store.commit(vec![good, bad]).await.unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert_eq!(all_rows(&store).await.unwrap(), before);
    }
}

#[tokio::test]
async fn what_was_dropped_during_a_seal_does_not_come_back() {
    let (folder, store) = table();
    store
        .insert(place(0), &fresh(&[row("a", 1, "x")]))
        .await
        .unwrap();
    let frozen = store.freeze(place(0)).await.unwrap();
    let sealed = chunk(&[row("a", 1, "x")]);
    store
        .put(place(0), std::slice::from_ref(&sealed))
        .await
        .unwrap();
    store.drop_places(&[place(0)]).await.unwrap();
    let late = Change {
        add: vec![Arc::clone(&sealed.meta)],
        sealed: Some(Frozen {
            rows: frozen.rows.clone(),
            up_to: frozen.up_to,
        }),
        ..change(place(0))
    };
    let error = store.commit(vec![late]).await.unwrap_err().to_string();
    assert!(
        error.contains("were sealed or dropped meanwhile"),
        "{error}"
    );
    store
        .insert(place(0), &fresh(&[row("b", 2, "y")]))
        .await
        .unwrap();
    let store = reopened(&folder, store);
    assert_eq!(
        rows(&store, place(0)).await.unwrap(),
        newest(&[row("b", 2, "y")])
    );
}

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
        .put(place(0), &[never_committed.clone()])
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

/// Retired just now, but written long ago: the grace counts from the retirement, which another
/// process has to know of, too.
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

#[tokio::test]
async fn blobs_of_other_sizes_than_known_are_not_put() {
    let (_folder, store) = table();
    let mut wrong = chunk(&[row("a", 1, "x")]);
    wrong.blobs.pop();
    let error = store.put(place(0), &[wrong]).await.unwrap_err().to_string();
    assert!(error.contains("are not of the sizes"), "{error}");
}

/// Replaces the chunks of a place by one whose statistics have 100 KB.
async fn replace_by_large_chunk(store: &DirectoryStore, place: Place, rows: &[Row]) {
    let mut large = chunk(rows);
    Arc::make_mut(&mut large.meta).first = vec![b'x'; 100_000].into();
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

/// So long that the manifest is written anew several times, while a reader follows.
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

/// Also if the manifest says nothing of the place any more: another process may still have what it
/// read of the segment that had the number first.
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

#[tokio::test]
async fn a_table_needs_a_folder_of_its_own() {
    let folder = TempDir::new().unwrap();
    let create = |name: &str| DirectoryStore::create(&folder.path().join(name), definition());
    create("deep/table").unwrap();
    let error = create("deep/table").unwrap_err().to_string();
    assert!(
        error.ends_with("deep/table is a table already; open it, or choose another folder"),
        "{error}"
    );
    let error = create("deep").unwrap_err().to_string();
    assert!(
        error.contains("deep is not empty (it has `table`)"),
        "{error}"
    );
    let error = DirectoryStore::open(folder.path()).unwrap_err().to_string();
    assert!(
        error.ends_with("is no columnar table: it has no `table.json`"),
        "{error}"
    );
    let error = DirectoryStore::open_to_read(&folder.path().join("none"))
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("none is no columnar table: it has no `table.json`"),
        "{error}"
    );
    let mut cannot_be = definition();
    cannot_be.shards = 0;
    DirectoryStore::create(&folder.path().join("x"), cannot_be).unwrap_err();
    assert!(!folder.path().join("x").exists());
    let store = DirectoryStore::open(&folder.path().join("deep/table")).unwrap();
    assert_eq!(**store.definition(), definition());
}

#[tokio::test]
async fn a_reader_does_not_write() {
    let (folder, store) = table();
    let sealed = ingest(&store, place(0), &[row("a", 1, "x")]).await.unwrap();
    drop(store);
    let reader = DirectoryStore::open_to_read(folder.path()).unwrap();
    let retire = vec![sealed.meta.id];
    let errors = [
        reader
            .insert(place(0), &fresh(&[row("b", 1, "y")]))
            .await
            .unwrap_err(),
        reader.put(place(0), &[sealed]).await.unwrap_err(),
        reader
            .commit(vec![Change {
                retire,
                ..change(place(0))
            }])
            .await
            .unwrap_err(),
        reader.freeze(place(0)).await.unwrap_err(),
        reader.drop_places(&[place(0)]).await.unwrap_err(),
        reader.sweep(Duration::ZERO).await.unwrap_err(),
    ];
    for error in errors {
        assert!(
            error.to_string().ends_with("was opened only to be read"),
            "{error}"
        );
    }
}

/// Holds a table until it is killed.
pub fn hold() {
    let store = DirectoryStore::open(&folder_of_child());
    say(&format!("{}", store.is_ok()));
    loop {
        std::thread::park();
    }
}

#[test]
fn one_process_writes_at_a_time() {
    let (folder, store) = table();
    let error = DirectoryStore::open(folder.path()).unwrap_err().to_string();
    let expected = format!(
        "the table in {} is being written by another process; end that first, or open the table \
         only to read it",
        folder.path().display()
    );
    assert_eq!(error, expected);
    drop(store);
    let mut child = command("hold", folder.path()).spawn().unwrap();
    assert_eq!(lines(&mut child).next().unwrap(), "true");
    assert_eq!(
        DirectoryStore::open(folder.path()).unwrap_err().to_string(),
        expected
    );
    DirectoryStore::open_to_read(folder.path()).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    DirectoryStore::open(folder.path()).unwrap();
}

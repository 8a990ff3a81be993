//! The rows and chunks after inserts, seals, commits and drops.

use std::sync::Arc;

use bakeoff_columnar::{Change, DirectoryStore, FreshRow, Frozen, KeyRange, Store};
use bytes::Bytes;

use super::support::*;

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

/// Checks that very many fresh rows are said when a table is opened, since all are in memory until a seal.
#[tokio::test]
async fn fresh_rows_that_nobody_seals_are_said() {
    let (folder, mut store) = table();
    let deleted = |number: u32| FreshRow {
        key: Bytes::from(format!("{number:06}")),
        write_time: 1,
        row: None,
    };
    let rows: Vec<FreshRow> = (0..125_000).map(deleted).collect();
    for bucket in 0..2 {
        store.insert(place(bucket), &rows).await.unwrap();
    }
    store = reopened(&folder, store);
    assert!(store.notes().is_empty(), "{:?}", store.notes());
    store.insert(place(2), &rows[..1]).await.unwrap();
    store = reopened(&folder, store);
    let notes = store.notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains(" has 250001 fresh rows, "), "{notes:?}");
    store.drop_places(&[place(0)]).await.unwrap();
    store = reopened(&folder, store);
    assert!(store.notes().is_empty(), "{:?}", store.notes());
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
        let blobs = store.blobs(place(0), &second.meta, &[0]).await.unwrap();
        assert_eq!(blobs, [&second.blobs[0]]);
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
            from: frozen.from,
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
async fn blobs_of_other_sizes_than_known_are_not_put() {
    let (_folder, store) = table();
    let mut wrong = chunk(&[row("a", 1, "x")]);
    wrong.blobs.pop();
    let error = store.put(place(0), &[wrong]).await.unwrap_err().to_string();
    assert!(error.contains("are not of the sizes"), "{error}");
}

#[tokio::test]
async fn what_no_chunk_of_the_table_can_be_is_not_committed() {
    let (_folder, store) = table();
    let mut wrong = chunk(&[row("a", 1, "x")]);
    Arc::make_mut(&mut wrong.meta).rows = u32::MAX;
    store
        .put(place(0), std::slice::from_ref(&wrong))
        .await
        .unwrap();
    let change = Change {
        add: vec![wrong.meta],
        ..change(place(0))
    };
    let error = store.commit(vec![change]).await.unwrap_err().to_string();
    assert!(error.ends_with("the change was not made"), "{error}");
    assert!(all_rows(&store).await.unwrap().is_empty());
}

//! Sweeps, and places that are dropped.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bakeoff_columnar::internals::{self, Machine};
use bakeoff_columnar::{Error, GRACE, KeyRange, Store, Swept};
use uuid::Uuid;

use super::support::{
    Cassandra, ELSEWHERE, PLACE, add, chunk, chunk_of_size, definition, everything, fresh_rows,
    ids, noise, replace, row, valid, write_time,
};

const NOW: Duration = Duration::ZERO;

pub async fn what_is_replaced_is_swept(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("swept").await;
    let old = [
        chunk_of_size(&definition, 10),
        chunk_of_size(&definition, 40_000),
    ];
    let new = [chunk_of_size(&definition, 20)];
    store.put(PLACE, &old).await.unwrap();
    store.commit(vec![add(PLACE, &old)]).await.unwrap();
    store.put(PLACE, &new).await.unwrap();
    store
        .commit(vec![replace(PLACE, &new, &old)])
        .await
        .unwrap();
    assert_eq!(store.sweep(GRACE).await.unwrap(), Swept { chunks: 0 });
    assert_eq!(
        store.blobs(PLACE, &old[1].meta, &[0]).await.unwrap().len(),
        1
    );
    assert_eq!(store.sweep(NOW).await.unwrap(), Swept { chunks: 2 });
    assert_eq!(store.sweep(NOW).await.unwrap(), Swept { chunks: 0 });
    assert_eq!(valid(&store, PLACE).await, ids(&new));
    // The row of the version is there, too.
    assert_eq!(cassandra.count("swept_index").await, 1 + 1);
    assert_eq!(cassandra.count("swept_chunks").await, 1);

    // A commit that comes again after all that brings nothing back.
    let error = store
        .commit(vec![add(PLACE, &old)])
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("swept away"), "{error}");
    store.put(PLACE, &old).await.unwrap();
    assert!(
        store
            .commit(vec![replace(PLACE, &old, &new)])
            .await
            .is_err()
    );
    assert_eq!(valid(&store, PLACE).await, ids(&new));
    assert_eq!(cassandra.count("swept_chunks").await, 1);
}

pub async fn what_is_never_committed_is_swept(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("pending").await;
    let chunks = [
        chunk_of_size(&definition, 10),
        chunk_of_size(&definition, 40_000),
    ];
    store.put(PLACE, &chunks).await.unwrap();
    assert_eq!(store.sweep(GRACE).await.unwrap(), Swept { chunks: 0 });
    assert_eq!(store.sweep(NOW).await.unwrap(), Swept { chunks: 2 });
    assert_eq!(cassandra.count("pending_index").await, 0);
    assert_eq!(cassandra.count("pending_chunks").await, 0);
    let error = store
        .commit(vec![add(PLACE, &chunks)])
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("write its rows again"), "{error}");
    assert_eq!(valid(&store, PLACE).await, []);

    // The columns of the chunk are unknown, so all columns that it may have are deleted.
    let lost = [chunk(&definition, "a", "b", vec![noise(30_000); 3])];
    store.put(PLACE, &lost).await.unwrap();
    let name = lost[0].meta.id.0.simple();
    let damaged = "UPDATE columnar_tests.pending_index SET meta = 0x00 \
                   WHERE shard = 1 AND bucket = 19000 AND chunk = 0x";
    cassandra.cql(&format!("{damaged}{name}")).await;
    assert_eq!(store.sweep(NOW).await.unwrap(), Swept { chunks: 1 });
    assert_eq!(cassandra.count("pending_chunks").await, 0);
}

/// Either the chunk is valid with all its blobs, or the commit was refused.
pub async fn a_commit_and_a_sweep_at_once(cassandra: &Cassandra) {
    const TIMES: u64 = 40;
    let definition = definition();
    let (store, sweeper) = (
        cassandra.table("both").await,
        cassandra.another("both").await,
    );
    let mut committed = 0;
    // The commit comes later each time, until both have been first.
    for i in 0.. {
        if i >= TIMES && committed > 0 && committed < i {
            println!("{committed} of {i} commits came before the sweep");
            return;
        }
        assert!(i < 20 * TIMES, "{committed} commits came before the sweep");
        let chunks = [chunk_of_size(&definition, 30_000)];
        store.put(PLACE, &chunks).await.unwrap();
        let before = valid(&store, PLACE).await;
        let commit = async {
            tokio::time::sleep(Duration::from_micros(20 * (i % TIMES) * i)).await;
            store.commit(vec![add(PLACE, &chunks)]).await
        };
        let (commit, sweep) = tokio::join!(commit, sweeper.sweep(NOW));
        sweep.unwrap();
        let now = valid(&store, PLACE).await;
        if commit.is_ok() {
            committed += 1;
            assert!(now.contains(&chunks[0].meta.id));
            assert_eq!(
                store
                    .blobs(PLACE, &chunks[0].meta, &[0, 1, 2])
                    .await
                    .unwrap()
                    .len(),
                3
            );
        } else {
            assert_eq!(now, before);
        }
    }
}

pub async fn dropped_places_leave_nothing_behind(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("dropped").await;
    let reader = cassandra.another("dropped").await;
    for place in [PLACE, ELSEWHERE] {
        let chunks = [
            chunk_of_size(&definition, 10),
            chunk_of_size(&definition, 40_000),
        ];
        store.put(place, &chunks).await.unwrap();
        store.commit(vec![add(place, &chunks)]).await.unwrap();
        store
            .insert(place, &[row("a", write_time(), Some("1"))])
            .await
            .unwrap();
        store.freeze(place).await.unwrap();
        store
            .insert(place, &[row("b", 1, Some("1"))])
            .await
            .unwrap();
    }
    let pending = [chunk_of_size(&definition, 10)];
    store.put(PLACE, &pending).await.unwrap();
    let before = everything(&reader, PLACE).await;
    assert_eq!((before.chunks.len(), before.fresh.len()), (2, 2));

    store.drop_places(&[]).await.unwrap();
    store.drop_places(&[PLACE]).await.unwrap();
    for store in [&store, &reader] {
        assert_eq!(store.places().await.unwrap(), [ELSEWHERE]);
        let now = everything(store, PLACE).await;
        assert_eq!((now.chunks.len(), now.fresh.len()), (0, 0));
    }
    let error = store
        .commit(vec![add(PLACE, &pending)])
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("was dropped"), "{error}");
    let error = reader
        .blobs(PLACE, &before.chunks[0], &[0])
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Gone { .. }), "{error}");
    let nothing = store.snapshot(PLACE, KeyRange::default()).await.unwrap();
    assert!(nothing.chunks.is_empty());

    reader.drop_places(&[PLACE, ELSEWHERE]).await.unwrap();
    assert_eq!(store.places().await.unwrap(), []);
    for table in ["index", "chunks", "fresh"] {
        assert_eq!(
            cassandra.count(&format!("dropped_{table}")).await,
            0,
            "{table}"
        );
    }
}

pub async fn a_dropped_place_can_be_used_again(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("again").await;
    for _ in 0..3 {
        store.drop_places(&[PLACE]).await.unwrap();
        assert_eq!(store.places().await.unwrap(), []);
        let chunks = [chunk_of_size(&definition, 10)];
        store.put(PLACE, &chunks).await.unwrap();
        store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
        assert_eq!(store.places().await.unwrap(), [PLACE]);
        assert_eq!(valid(&store, PLACE).await, ids(&chunks));

        store.drop_places(&[PLACE]).await.unwrap();
        // The same holds for a write time from before the drop.
        for write_time in [1, write_time(), i64::MAX] {
            store
                .insert(PLACE, &[row("a", write_time, Some("1"))])
                .await
                .unwrap();
            assert_eq!(store.places().await.unwrap(), [PLACE]);
            assert_eq!(
                fresh_rows(&store, PLACE).await,
                [row("a", write_time, Some("1"))]
            );
        }
    }
    let chunks = [chunk_of_size(&definition, 10)];
    store.put(PLACE, &chunks).await.unwrap();
    store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
    assert_eq!(valid(&store, PLACE).await, ids(&chunks));
    assert_eq!(fresh_rows(&store, PLACE).await.len(), 1);
    // Of all that was dropped no row is left, whatever its write time.
    store.drop_places(&[PLACE]).await.unwrap();
    assert_eq!(cassandra.count("again_fresh").await, 0);
}

/// A machine whose wall clock was set back by an hour after chunks were named.
struct SetBack;

impl Machine for SetBack {
    fn wall(&self) -> SystemTime {
        SystemTime::now() - Duration::from_secs(3600)
    }

    fn name(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// The chunks were named by a later time than the clock will say for an hour. The drop does not wait for
/// that, and leaves the place as it was.
pub async fn a_drop_after_the_clock_was_set_back_changes_nothing(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("set_back").await;
    let chunks = [chunk_of_size(&definition, 10)];
    store.put(PLACE, &chunks).await.unwrap();
    store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
    let dropped = internals::on(Arc::new(SetBack), store.drop_places(&[PLACE])).await;
    let said = dropped.unwrap_err().to_string();
    assert!(said.contains("was set back"), "{said}");
    assert_eq!(store.places().await.unwrap(), [PLACE]);
    assert_eq!(valid(&store, PLACE).await, ids(&chunks));
    store.drop_places(&[PLACE]).await.unwrap();
    assert_eq!(store.places().await.unwrap(), []);
}

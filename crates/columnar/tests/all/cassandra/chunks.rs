//! Chunks and their blobs.

use std::time::{Duration, Instant};

use bakeoff_columnar::cassandra::BLOB_BYTES_AT_MOST;
use bakeoff_columnar::{Chunk, Error, KeyRange, Store};
use bytes::Bytes;

use super::support::{
    Cassandra, ELSEWHERE, PLACE, add, chunk, chunk_of_size, definition, everything, ids, noise,
    replace, valid, wide_definition,
};

pub async fn what_is_committed_is_read(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("chunks").await;
    let small = chunk_of_size(&definition, 100);
    let large = chunk(
        &definition,
        "b",
        "c",
        vec![noise(70_000), Bytes::new(), noise(5)],
    );
    let chunks = [small, large];
    store.put(PLACE, &chunks).await.unwrap();
    assert_eq!(valid(&store, PLACE).await, []);
    let elsewhere = [chunk_of_size(&definition, 1)];
    store.put(ELSEWHERE, &elsewhere).await.unwrap();
    let changes = || vec![add(PLACE, &chunks), add(ELSEWHERE, &elsewhere)];
    store.commit(changes()).await.unwrap();
    // The commit is repeated, as after an answer that never came.
    store.commit(changes()).await.unwrap();

    let another = cassandra.another("chunks").await;
    assert_eq!(another.places().await.unwrap(), [ELSEWHERE, PLACE]);
    assert_eq!(valid(&another, ELSEWHERE).await, ids(&elsewhere));
    let found = everything(&another, PLACE).await.chunks;
    for (found, chunk) in found.iter().zip(&chunks) {
        assert_eq!(**found, *chunk.meta);
        let blobs = another.blobs(PLACE, found, &[2, 0, 1, 0]).await.unwrap();
        let expected: Vec<Bytes> = [2, 0, 1, 0].map(|i: usize| chunk.blobs[i].clone()).to_vec();
        assert_eq!(blobs, expected);
        assert!(another.blobs(PLACE, found, &[]).await.unwrap().is_empty());
        let error = another
            .blobs(PLACE, found, &[3])
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains("has no blob 3"), "{error}");
    }
    assert_eq!(found.len(), 2);
    // The small chunk has one row, the large one three.
    assert_eq!(cassandra.count("chunks_chunks").await, 1 + 3 + 1);

    let merged = [chunk_of_size(&definition, 50)];
    store.put(PLACE, &merged).await.unwrap();
    store
        .commit(vec![replace(PLACE, &merged, &chunks)])
        .await
        .unwrap();
    assert_eq!(valid(&another, PLACE).await, ids(&merged));
    // Readers that began before may go on.
    assert_eq!(
        another.blobs(PLACE, &found[1], &[0]).await.unwrap(),
        [chunks[1].blobs[0].clone()]
    );
}

pub async fn blobs_of_many_chunks(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("many_chunks").await;
    let size = |i: usize| if i.is_multiple_of(5) { 1_000 } else { 60_000 };
    let chunks: Vec<Chunk> = (0..127)
        .map(|i| chunk_of_size(&definition, size(i)))
        .collect();
    store.put(PLACE, &chunks).await.unwrap();
    store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
    for chunk in &chunks {
        let blobs = store.blobs(PLACE, &chunk.meta, &[2]).await.unwrap();
        assert_eq!(blobs, [chunk.blobs[2].clone()]);
    }
    let error = store
        .blobs(PLACE, &chunks[0].meta, &[3])
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("has no blob 3"), "{error}");
}

pub async fn a_big_chunk(cassandra: &Cassandra) {
    // 57 columns of 32 k rows of 8 bytes, and one near the limit.
    let definition = wide_definition();
    let store = cassandra.table_of("big", definition.clone()).await;
    let mut blobs: Vec<Bytes> = (0..57).map(|_| noise(8 * 32 * 1024)).collect();
    blobs[3] = noise(BLOB_BYTES_AT_MOST);
    let big = [chunk(&definition, "a", "b", blobs)];
    let began = Instant::now();
    store.put(PLACE, &big).await.unwrap();
    store.commit(vec![add(PLACE, &big)]).await.unwrap();
    let put = began.elapsed();
    let all: Vec<u16> = (0..57).collect();
    let began = Instant::now();
    let found = store.blobs(PLACE, &big[0].meta, &all).await.unwrap();
    println!(
        "{} bytes are put in {put:?} and read in {:?}",
        big[0].meta.bytes(),
        began.elapsed()
    );
    assert!(found == big[0].blobs);
}

pub async fn what_does_not_fit_is_refused(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("fit").await;
    let large = chunk(
        &definition,
        "a",
        "b",
        vec![noise(1), noise(BLOB_BYTES_AT_MOST + 1), noise(1)],
    );
    let error = store
        .put(PLACE, std::slice::from_ref(&large))
        .await
        .unwrap_err()
        .to_string();
    let name = format!(
        "blob 1 of chunk {} of bucket 19000 shard 1 takes 8388609 bytes",
        large.meta.id
    );
    assert!(error.contains(&name), "{error}");
    let mut wrong = chunk_of_size(&definition, 10);
    wrong.blobs.pop();
    let error = store.put(PLACE, &[wrong]).await.unwrap_err().to_string();
    assert!(error.contains("not of the sizes"), "{error}");
    assert_eq!(store.places().await.unwrap(), []);
}

pub async fn a_blob_that_is_missing(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("missing").await;
    let chunks = [
        chunk_of_size(&definition, 90_000),
        chunk_of_size(&definition, 10),
    ];
    let [large, small] = &chunks;
    store.put(PLACE, &chunks).await.unwrap();
    store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
    cassandra.cql("DELETE FROM columnar_tests.missing_chunks WHERE shard = 1 AND bucket = 19000 AND col IN (-1, 2)").await;
    assert_eq!(
        store
            .blobs(PLACE, &large.meta, &[1, 0])
            .await
            .unwrap()
            .len(),
        2
    );
    for (error, what) in [
        (
            store.blobs(PLACE, &large.meta, &[1, 2]).await.unwrap_err(),
            "blob 2: missing in",
        ),
        (
            store.blobs(PLACE, &small.meta, &[0]).await.unwrap_err(),
            "its blobs: missing in",
        ),
    ] {
        assert!(matches!(error, Error::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
    let torn = "UPDATE columnar_tests.missing_chunks SET data = 0x00 WHERE shard = 1 AND bucket = 19000 AND col = -1 AND chunk = 0x";
    cassandra
        .cql(&format!("{torn}{}", small.meta.id.0.simple()))
        .await;
    let error = store.blobs(PLACE, &small.meta, &[0]).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("its blobs: 1 bytes instead of 30"),
        "{error}"
    );

    let merged = [chunk_of_size(&definition, 50)];
    store.put(PLACE, &merged).await.unwrap();
    store
        .commit(vec![replace(PLACE, &merged, &chunks)])
        .await
        .unwrap();
    assert_eq!(
        store.blobs(PLACE, &large.meta, &[0]).await.unwrap().len(),
        1
    );
    assert_eq!(store.sweep(Duration::ZERO).await.unwrap().chunks, 2);
    let error = store.blobs(PLACE, &large.meta, &[0]).await.unwrap_err();
    assert!(matches!(error, Error::Gone { .. }), "{error}");

    let damaged = "UPDATE columnar_tests.missing_index SET meta = 0x010203 \
                   WHERE shard = 1 AND bucket = 19000 AND chunk = 0x";
    cassandra
        .cql(&format!("{damaged}{}", merged[0].meta.id.0.simple()))
        .await;
    let error = store
        .snapshot(PLACE, KeyRange::default())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    assert!(
        error.to_string().contains("its row of the index"),
        "{error}"
    );
}

pub async fn a_chunk_that_was_never_put_is_not_committed(cassandra: &Cassandra) {
    let definition = definition();
    let store = cassandra.table("never_put").await;
    let old = [chunk_of_size(&definition, 10)];
    store.put(PLACE, &old).await.unwrap();
    store.commit(vec![add(PLACE, &old)]).await.unwrap();
    let new = [chunk_of_size(&definition, 10)];
    let error = store
        .commit(vec![replace(PLACE, &new, &old)])
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("it was never put"), "{error}");
    store.sweep(Duration::ZERO).await.unwrap();
    assert_eq!(valid(&store, PLACE).await, ids(&old));
}

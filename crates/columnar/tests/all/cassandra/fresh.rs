//! Rows that are in no chunk yet.

use std::time::Instant;

use bakeoff_columnar::{Change, Frozen, KeyRange, Store};

use super::support::{
    Cassandra, ELSEWHERE, PLACE, add, chunk_of_size, definition, everything, fresh_rows, ids, row,
    valid, write_time,
};

pub async fn the_last_write_wins(cassandra: &Cassandra) {
    let store = cassandra.table("last").await;
    let rows = [
        row("a", 5, Some("old")),
        row("b", 5, Some("new")),
        row("c", 5, Some("value")),
        row("d", 5, None),
        row("e", -7, Some("early")),
        row("f", 1, Some("")),
    ];
    store.insert(PLACE, &rows).await.unwrap();
    let later = [
        row("a", 6, Some("new")),
        row("b", 4, Some("old")),
        row("c", 5, None),
        row("d", 5, Some("value")),
        row("e", i64::MAX, None),
    ];
    store.insert(PLACE, &later).await.unwrap();
    store
        .insert(ELSEWHERE, &[row("a", 1, Some("elsewhere"))])
        .await
        .unwrap();
    store.insert(PLACE, &[]).await.unwrap();
    let expected = [
        row("a", 6, Some("new")),
        row("b", 5, Some("new")),
        row("c", 5, None),
        row("d", 5, None),
        row("e", i64::MAX, None),
        row("f", 1, Some("")),
    ];
    assert_eq!(fresh_rows(&store, PLACE).await, expected);
    assert_eq!(
        fresh_rows(&store, ELSEWHERE).await,
        [row("a", 1, Some("elsewhere"))]
    );
    assert_eq!(store.places().await.unwrap(), [ELSEWHERE, PLACE]);
    let another = cassandra.another("last").await;
    assert_eq!(fresh_rows(&another, PLACE).await, expected);

    let long = "k".repeat(65_536);
    let error = store
        .insert(PLACE, &[row(&long, 1, None)])
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("65536 bytes, and at most 65535"), "{error}");
    store
        .insert(ELSEWHERE, &[row(&long[1..], 1, None)])
        .await
        .unwrap();
}

pub async fn a_range_of_keys(cassandra: &Cassandra) {
    let store = cassandra.table("range").await;
    let key = |i: usize| format!("{i:05}");
    let rows: Vec<_> = (0..5000).map(|i| row(&key(i), 1, Some("x"))).collect();
    store.insert(PLACE, &rows).await.unwrap();
    for (first, last) in [
        (None, None),
        (Some(10), None),
        (None, Some(4000)),
        (Some(7), Some(7)),
        (Some(9), Some(8)),
    ] {
        let (low, high) = (first.map(key), last.map(key));
        let range = KeyRange {
            first: low.as_ref().map(String::as_bytes),
            last: high.as_ref().map(String::as_bytes),
        };
        let expected: Vec<_> = rows
            .iter()
            .filter(|row| range.contains(&row.key))
            .cloned()
            .collect();
        assert_eq!(
            store.snapshot(PLACE, range).await.unwrap().fresh,
            expected,
            "{first:?} {last:?}"
        );
    }
}

/// Commits a chunk in place of the rows that were frozen.
async fn seal(cassandra: &Cassandra, name: &str, sealed: Frozen) -> Vec<bakeoff_columnar::ChunkId> {
    let store = cassandra.another(name).await;
    let chunks = [chunk_of_size(&definition(), 10)];
    store.put(PLACE, &chunks).await.unwrap();
    let change = Change {
        sealed: Some(sealed),
        ..add(PLACE, &chunks)
    };
    store.commit(vec![change]).await.unwrap();
    ids(&chunks)
}

pub async fn rows_that_are_sealed_are_gone_and_later_ones_stay(cassandra: &Cassandra) {
    let store = cassandra.table("sealed").await;
    assert_eq!(store.freeze(PLACE).await.unwrap().rows, []);
    let first = [
        row("a", 5, Some("1")),
        row("b", 5, Some("1")),
        row("c", 5, Some("1")),
    ];
    store.insert(PLACE, &first).await.unwrap();
    let frozen = store.freeze(PLACE).await.unwrap();
    assert_eq!(frozen.rows, first);
    // The same holds for the same write time, and for an earlier one.
    let later = [
        row("a", 5, None),
        row("b", 4, Some("0")),
        row("d", 1, Some("2")),
    ];
    store.insert(PLACE, &later).await.unwrap();
    let both = [
        row("a", 5, None),
        row("b", 5, Some("1")),
        row("c", 5, Some("1")),
        row("d", 1, Some("2")),
    ];
    assert_eq!(fresh_rows(&store, PLACE).await, both);

    let mut chunks = seal(cassandra, "sealed", frozen).await;
    let now = everything(&store, PLACE).await;
    assert_eq!(now.fresh, later);
    assert_eq!(now.chunks.iter().map(|c| c.id).collect::<Vec<_>>(), chunks);

    // A generation that was frozen by a process that ended then is frozen again.
    let lost = store.freeze(PLACE).await.unwrap();
    assert_eq!(lost.rows, later);
    store
        .insert(PLACE, &[row("a", 9, Some("9"))])
        .await
        .unwrap();
    let frozen = cassandra
        .another("sealed")
        .await
        .freeze(PLACE)
        .await
        .unwrap();
    assert_eq!(
        frozen.rows,
        [row("a", 9, Some("9")), later[1].clone(), later[2].clone()]
    );
    chunks.extend(seal(cassandra, "sealed", frozen).await);
    assert_eq!(fresh_rows(&store, PLACE).await, []);
    // A process that is late changes nothing.
    chunks.extend(seal(cassandra, "sealed", lost).await);
    assert_eq!(valid(&store, PLACE).await, chunks);
    store
        .insert(PLACE, &[row("z", 1, Some("1"))])
        .await
        .unwrap();
    assert_eq!(fresh_rows(&store, PLACE).await, [row("z", 1, Some("1"))]);
    assert_eq!(cassandra.count("sealed_fresh").await, 1);
}

pub async fn sealing_many_rows_leaves_nothing_to_read_past(cassandra: &Cassandra) {
    // Cassandra refuses to read past 100,000 deleted rows.
    const ROWS: usize = 120_000;
    let store = cassandra.table("many").await;
    let time = write_time();
    let rows: Vec<_> = (0..ROWS)
        .map(|i| row(&format!("{i:06}"), time, Some("x")))
        .collect();
    store.insert(PLACE, &rows).await.unwrap();
    let frozen = store.freeze(PLACE).await.unwrap();
    assert_eq!(frozen.rows.len(), ROWS);
    seal(cassandra, "many", frozen).await;
    let began = Instant::now();
    assert_eq!(fresh_rows(&store, PLACE).await, []);
    println!("{ROWS} sealed rows are passed in {:?}", began.elapsed());
    assert_eq!(cassandra.count("many_fresh").await, 0);
}

pub async fn what_was_never_frozen_is_not_sealed(cassandra: &Cassandra) {
    let store = cassandra.table("never").await;
    store
        .insert(PLACE, &[row("a", 1, Some("1"))])
        .await
        .unwrap();
    let change = Change {
        place: PLACE,
        add: Vec::new(),
        retire: Vec::new(),
        sealed: Some(Frozen {
            rows: Vec::new(),
            from: 0,
            up_to: 1,
        }),
    };
    let error = store.commit(vec![change]).await.unwrap_err().to_string();
    assert!(error.contains("never frozen"), "{error}");
    assert_eq!(fresh_rows(&store, PLACE).await.len(), 1);
}

/// Checks an insert that relies on what was read just before, as one does after the machine has slept:
/// another process has closed the generation, and rows count only if they are in a later one.
pub async fn rows_of_a_generation_that_was_closed_meanwhile_are_written_again(
    cassandra: &Cassandra,
) {
    let store = cassandra.table("closed").await;
    store
        .insert(PLACE, &[row("a", 1, Some("1"))])
        .await
        .unwrap();
    let closed = "UPDATE columnar_tests.closed_places USING TIMESTAMP 1 SET closed = 1 \
                  WHERE shard = 1 AND bucket = 19000";
    cassandra.cql(closed).await;
    store
        .insert(PLACE, &[row("b", 1, Some("1"))])
        .await
        .unwrap();
    // As the seal does that has read the first generation already.
    let sealed = "DELETE FROM columnar_tests.closed_fresh \
                  WHERE shard = 1 AND bucket = 19000 AND generation = 1";
    cassandra.cql(sealed).await;
    assert_eq!(fresh_rows(&store, PLACE).await, [row("b", 1, Some("1"))]);
}

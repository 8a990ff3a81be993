//! The index that a reader remembers, from a minute after the last commit on.

use std::time::{Duration, Instant};

use bakeoff_columnar::{Chunk, Store};

use super::support::{
    Cassandra, KEYSPACE, PLACE, add, chunk_of_size, definition, ids, replace, valid,
};

const TABLE: &str = "remembered";
const COUNTS_AFTER: Duration = Duration::from_secs(61);

/// A table whose last commit gets old while other things are tested.
pub struct Committed {
    at: Instant,
    chunks: Vec<Chunk>,
}

pub async fn commit(cassandra: &Cassandra) -> Committed {
    let store = cassandra.table(TABLE).await;
    let chunks = [10, 100_000].map(|bytes| chunk_of_size(&definition(), bytes));
    store.put(PLACE, &chunks).await.unwrap();
    store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
    Committed {
        at: Instant::now(),
        chunks: chunks.to_vec(),
    }
}

pub async fn the_index_is_read_again_after_each_commit(
    cassandra: &Cassandra,
    committed: &Committed,
) {
    tokio::time::sleep(COUNTS_AFTER.saturating_sub(committed.at.elapsed())).await;
    let (store, other) = (cassandra.table(TABLE).await, cassandra.another(TABLE).await);
    let chunks = &committed.chunks;
    assert_eq!(valid(&store, PLACE).await, ids(chunks));
    // An index that no commit has changed is not read again.
    let entries = format!("UPDATE {KEYSPACE}.{TABLE}_index SET committed = null");
    let of = |chunk: &Chunk| {
        let name = chunk.meta.id.0.simple();
        let (shard, bucket) = (PLACE.shard, PLACE.bucket);
        format!("WHERE shard = {shard} AND bucket = {bucket} AND chunk = 0x{name}")
    };
    cassandra
        .cql(&format!("{entries} {}", of(&chunks[0])))
        .await;
    assert_eq!(valid(&store, PLACE).await, ids(chunks));
    assert_eq!(valid(&other, PLACE).await, ids(&chunks[1..]));

    let new = [chunk_of_size(&definition(), 20)];
    other.put(PLACE, &new).await.unwrap();
    let change = replace(PLACE, &new, &chunks[1..]);
    other.commit(vec![change]).await.unwrap();
    assert_eq!(valid(&store, PLACE).await, ids(&new));
    // An index that is read right after a commit is not remembered.
    let retire = format!("UPDATE {KEYSPACE}.{TABLE}_index SET retired = 1");
    cassandra.cql(&format!("{retire} {}", of(&new[0]))).await;
    assert_eq!(valid(&store, PLACE).await, []);
}

//! What a reader remembers of the index, from a minute after the last commit on.

use std::time::Duration;

use bakeoff_columnar::store::{Chunk, Store};

use super::support::{
    Cassandra, KEYSPACE, PLACE, add, chunk_of_size, definition, ids, replace, valid, write_time,
};

const TABLE: &str = "remembered";
const COUNTS_AFTER: Duration = Duration::from_secs(61);

/// Chunks that a commit of long ago made valid: the index of a new commit, with earlier timestamps.
async fn committed_long_ago(cassandra: &Cassandra) -> Vec<Chunk> {
    const NEW: &str = "committed";
    let store = cassandra.table(NEW).await;
    let chunks = [10, 100_000].map(|bytes| chunk_of_size(&definition(), bytes));
    store.put(PLACE, &chunks).await.unwrap();
    store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
    cassandra.table(TABLE).await;
    let timestamp = write_time() - COUNTS_AFTER.as_micros() as i64;
    let all = format!("SELECT JSON * FROM {KEYSPACE}.{NEW}_index");
    let all = cassandra.session.query_unpaged(all, ()).await.unwrap();
    for row in all.into_rows_result().unwrap().rows::<(String,)>().unwrap() {
        let copy =
            format!("INSERT INTO {KEYSPACE}.{TABLE}_index JSON ? USING TIMESTAMP {timestamp}");
        cassandra
            .session
            .query_unpaged(copy, row.unwrap())
            .await
            .unwrap();
    }
    chunks.to_vec()
}

pub async fn the_index_is_read_again_after_each_commit(cassandra: &Cassandra) {
    let chunks = &committed_long_ago(cassandra).await;
    let (store, other) = (
        cassandra.another(TABLE).await,
        cassandra.another(TABLE).await,
    );
    assert_eq!(valid(&store, PLACE).await, ids(chunks));
    // What no commit has changed is not looked at.
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
    // One that is as old as the last commit is not remembered.
    let retire = format!("UPDATE {KEYSPACE}.{TABLE}_index SET retired = 1");
    cassandra.cql(&format!("{retire} {}", of(&new[0]))).await;
    assert_eq!(valid(&store, PLACE).await, []);
}

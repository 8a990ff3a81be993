//! The number of blobs that are read at the same time, and the memory that they take.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arrow::array::{ArrayRef, RecordBatch, StringArray, TimestampMillisecondArray};
use async_trait::async_trait;
use bakeoff_columnar::{
    Change, Chunk, ChunkMeta, Definition, FreshRow, Frozen, KeyRange, Kind, MemoryStore, Place,
    Profile, Result, Snapshot, Store, Swept, sql,
};
use bytes::Bytes;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;

use super::rows::column;
use super::support::{ask, config, explain, loaded, session_of, values};

fn definition(chunk_rows: u32) -> Definition {
    Definition {
        columns: vec![
            column("series", Kind::Text),
            column("time", Kind::Timestamp),
            column("word", Kind::Text),
        ],
        partition_key: vec!["series".to_owned()],
        order_key: vec!["time".to_owned()],
        bucket: None,
        shards: 1,
        profile: Profile::Fast,
        chunk_rows,
    }
}

fn batch(rows: i64) -> RecordBatch {
    // No two values are alike, so that they are as large when they are decoded.
    let word = |i: i64| format!("{:0>200}", i.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64));
    let columns: Vec<ArrayRef> = vec![
        Arc::new((0..rows).map(|_| Some("s")).collect::<StringArray>()),
        Arc::new((0..rows).map(Some).collect::<TimestampMillisecondArray>()),
        Arc::new((0..rows).map(|i| Some(word(i))).collect::<StringArray>()),
    ];
    RecordBatch::try_new(definition(1).schema(), columns).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_larger_than_the_memory_comes_in_reverse_order() {
    const ROWS: i64 = 60_000;
    const MEMORY_BYTES: usize = 10 << 20;
    let store = Arc::new(Watched::new(definition(500), Duration::ZERO));
    let table = loaded(store.clone(), &[batch(ROWS)]).await;
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_limit(MEMORY_BYTES, 1.0)
        .build_arc()
        .unwrap();
    let session = SessionContext::new_with_config_rt(config(2), runtime);
    let session = sql::session(&session);
    sql::register(&session, "t", table).unwrap();
    let sql = "SELECT series, time, word FROM t ORDER BY series DESC, time DESC";
    let plan = explain(&session, sql).await;
    assert!(!plan.contains("SortExec"), "{plan}");
    let query = session.sql(sql).await.unwrap();
    let plan = query.create_physical_plan().await.unwrap();
    let mut rows = execute_stream(plan, session.task_ctx()).unwrap();
    let first = rows.try_next().await.unwrap().unwrap();
    // A scan that reads ahead without limit has the time to read everything.
    while store.take().1 > 0 {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let mut count = first.num_rows();
    while let Some(batch) = rows.try_next().await.unwrap() {
        count += batch.num_rows();
    }
    assert_eq!(count as i64, ROWS);
}

/// A store that counts how many reads of blobs are under way at the same time.
#[derive(Debug)]
struct Watched {
    inner: MemoryStore,
    /// The time by which each read is delayed.
    delay: Duration,
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

impl Watched {
    fn new(definition: Definition, delay: Duration) -> Watched {
        Watched {
            inner: MemoryStore::new(definition).unwrap(),
            delay,
            now: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            all: AtomicUsize::new(0),
        }
    }

    async fn read<T>(&self, read: impl Future<Output = T>) -> T {
        self.all.fetch_add(1, Ordering::SeqCst);
        let now = 1 + self.now.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(self.delay).await;
        let read = read.await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        read
    }

    /// Returns the highest number of simultaneous reads and the number of all reads since the last
    /// call.
    fn take(&self) -> (usize, usize) {
        let take = |counter: &AtomicUsize| counter.swap(0, Ordering::SeqCst);
        (take(&self.most), take(&self.all))
    }
}

#[async_trait]
impl Store for Watched {
    fn definition(&self) -> &Arc<Definition> {
        self.inner.definition()
    }

    async fn places(&self) -> Result<Vec<Place>> {
        self.inner.places().await
    }

    async fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        self.inner.snapshot(place, keys).await
    }

    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>> {
        self.read(self.inner.blobs(place, chunk, numbers)).await
    }

    async fn put(&self, place: Place, chunks: &[Chunk]) -> Result<()> {
        self.inner.put(place, chunks).await
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<()> {
        self.inner.commit(changes).await
    }

    async fn insert(&self, place: Place, rows: &[FreshRow]) -> Result<()> {
        self.inner.insert(place, rows).await
    }

    async fn freeze(&self, place: Place) -> Result<Frozen> {
        self.inner.freeze(place).await
    }

    async fn drop_places(&self, places: &[Place]) -> Result<()> {
        self.inner.drop_places(places).await
    }

    async fn sweep(&self, grace: Duration) -> Result<Swept> {
        self.inner.sweep(grace).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_that_is_not_surely_reached_reads_ahead() {
    let store = Arc::new(Watched::new(definition(100), Duration::from_millis(20)));
    let table = loaded(store.clone(), &[batch(2_000)]).await;
    let session = session_of(table, 1);
    // These blobs are not in the cache yet.
    let rare = "SELECT time FROM t WHERE word LIKE '%no such word' LIMIT 10";
    assert!(values(&ask(&session, rare).await, true).is_empty());
    let (most, all) = store.take();
    assert!(most >= 2, "{most} at once of {all}");
    // The first chunk has enough rows: no other is read.
    assert_eq!(
        values(&ask(&session, "SELECT series FROM t LIMIT 10").await, true).len(),
        10
    );
    assert_eq!(store.take(), (1, 1));
}

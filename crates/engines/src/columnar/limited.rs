//! A store to which rows are written within a limit.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_columnar::{
    Change, Chunk, ChunkMeta, Definition, FreshRow, Frozen, KeyRange, Place, Result, Snapshot,
    Store, Swept,
};
use bytes::Bytes;

use crate::rate_limit::{Pace, RateLimit};

/// A store whose rows are written within a limit: those of chunks, whoever makes them, and fresh ones.
#[derive(Debug)]
struct LimitedStore {
    store: Arc<dyn Store>,
    limit: Arc<RateLimit>,
}

/// Returns a store to which rows are written within the limit, if there is one.
pub fn limited(store: Arc<dyn Store>, limit: Option<&Arc<RateLimit>>) -> Arc<dyn Store> {
    match limit {
        None => store,
        Some(limit) => Arc::new(LimitedStore {
            store,
            limit: Arc::clone(limit),
        }),
    }
}

impl LimitedStore {
    async fn wait(&self, rows: usize) {
        Pace::within(Some(&self.limit)).wait(rows).await;
    }
}

#[async_trait]
impl Store for LimitedStore {
    fn definition(&self) -> &Arc<Definition> {
        self.store.definition()
    }

    fn write_time(&self) -> i64 {
        self.store.write_time()
    }

    async fn catch_up(&self, places: &[Place]) -> Result<()> {
        self.store.catch_up(places).await
    }

    fn notes(&self) -> Vec<String> {
        self.store.notes()
    }

    fn missed(&self) -> Option<&str> {
        self.store.missed()
    }

    async fn places(&self) -> Result<Vec<Place>> {
        self.store.places().await
    }

    async fn snapshot(&self, place: Place, keys: KeyRange<'_>) -> Result<Snapshot> {
        self.store.snapshot(place, keys).await
    }

    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>> {
        self.store.blobs(place, chunk, numbers).await
    }

    async fn put(&self, place: Place, chunks: &[Chunk]) -> Result<()> {
        for chunk in chunks {
            self.wait(chunk.meta.rows as usize).await;
            self.store.put(place, std::slice::from_ref(chunk)).await?;
        }
        Ok(())
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<()> {
        self.store.commit(changes).await
    }

    async fn insert(&self, place: Place, rows: &[FreshRow]) -> Result<()> {
        self.wait(rows.len()).await;
        self.store.insert(place, rows).await
    }

    async fn freeze(&self, place: Place) -> Result<Frozen> {
        self.store.freeze(place).await
    }

    async fn drop_places(&self, places: &[Place]) -> Result<()> {
        self.store.drop_places(places).await
    }

    async fn sweep(&self, grace: Duration) -> Result<Swept> {
        self.store.sweep(grace).await
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use arrow::array::{ArrayRef, Int64Array, RecordBatch};
    use bakeoff_columnar::{Column, Kind, MemoryStore, Selection, Table};
    use tokio::time::Instant;

    use super::*;

    fn rows(keys: std::ops::Range<i64>) -> RecordBatch {
        let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(keys));
        RecordBatch::try_from_iter([("k", keys.clone()), ("v", keys)]).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn chunks_and_fresh_rows_are_written_within_the_limit_and_read_at_once() {
        let columns = ["k", "v"].map(|name| Column::new(name, Kind::Bigint));
        let definition = Definition {
            chunk_rows: 1_000,
            ..Definition::new(columns.to_vec(), &["k"], &[])
        };
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(definition).unwrap());
        let limit = RateLimit::new(NonZeroU32::new(100).unwrap());
        let table = Table::new(limited(store, Some(&limit)), 0);
        let began = Instant::now();
        let mut ingest = table.ingest();
        ingest.write(&rows(0..5_000)).await.unwrap();
        ingest.finish().await.unwrap();
        // The last chunk may be written when those before it are paid for.
        assert!(
            began.elapsed() >= Duration::from_secs(40),
            "{:?}",
            began.elapsed()
        );
        table.insert(&rows(0..1)).await.unwrap();
        let written = began.elapsed();
        assert!(written >= Duration::from_secs(50), "{written:?}");
        let read = table.rows(&Selection::default(), &[0]).await.unwrap();
        assert_eq!(read.iter().map(RecordBatch::num_rows).sum::<usize>(), 5_000);
        assert_eq!(began.elapsed(), written);
    }
}

//! A table: loading, single rows, sealing and reading over any store.

mod blobs;
mod buffer;
mod cache;
mod chunker;
mod clock;
mod clustering;
mod compaction;
mod conform;
mod division;
mod fresh;
mod ingest;
mod merge;
mod overlap;
mod ranges;
mod read;
mod rewrite;
mod seal;
mod selection;
mod view;
mod work;

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::stream::{self, StreamExt, TryStreamExt};

pub use cache::CacheStatistics;
pub use chunker::COLUMN_BYTES;
pub use ingest::{Ingest, Ingested};
pub use ranges::{Ranges, Span};
pub use seal::Sealed;
pub use selection::{Part, Selection};
pub use view::View;

use crate::Result;
use crate::definition::Definition;
use crate::store::Store;
use cache::BlobCache;

/// Places that rows of one insert are written to at once.
const PLACES_WRITTEN_AT_ONCE: usize = 16;

/// Rows in chunks and fresh rows, as one table.
pub struct Table {
    definition: Arc<Definition>,
    schema: SchemaRef,
    store: Arc<dyn Store>,
    cache: BlobCache,
}

impl Table {
    /// A table over a store that is open. Up to `cache_bytes` of encoded blobs are kept in memory.
    pub fn new(store: Arc<dyn Store>, cache_bytes: u64) -> Arc<Table> {
        let definition = Arc::clone(store.definition());
        let schema = definition.schema();
        let cache = BlobCache::new(cache_bytes);
        Arc::new(Table {
            definition,
            schema,
            store,
            cache,
        })
    }

    pub fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub fn cache_statistics(&self) -> CacheStatistics {
        self.cache.statistics()
    }

    /// Begins to load many rows.
    pub fn ingest(self: &Arc<Self>) -> Ingest {
        Ingest::new(Arc::clone(self))
    }

    /// Inserts single rows, or replaces those with the same keys. They are durable, and seen by all
    /// readers, when it returns. Columns are found by name; ones that are missing become null.
    pub async fn insert(&self, rows: &RecordBatch) -> Result<()> {
        self.insert_at(rows, clock::write_time()).await
    }

    /// As [`Table::insert`], with a write time of the caller's in microseconds since 1970-01-01 UTC:
    /// rows with a later one stay.
    pub async fn insert_at(&self, rows: &RecordBatch, write_time: i64) -> Result<()> {
        let rows = conform::conform(&self.definition, rows)?;
        self.write_fresh(&rows, write_time, false).await
    }

    /// Deletes rows by key: `keys` has the columns of the whole key.
    pub async fn delete(&self, keys: &RecordBatch) -> Result<()> {
        self.delete_at(keys, clock::write_time()).await
    }

    /// As [`Table::delete`], of versions up to a write time.
    pub async fn delete_at(&self, keys: &RecordBatch, write_time: i64) -> Result<()> {
        let rows = fresh::keys_as_rows(&self.definition, keys)?;
        self.write_fresh(&rows, write_time, true).await
    }

    async fn write_fresh(&self, rows: &RecordBatch, write_time: i64, deleted: bool) -> Result<()> {
        let by_place = fresh::by_place(&self.definition, rows, write_time, deleted)?;
        stream::iter(by_place)
            .map(|(place, rows)| async move { self.store.insert(place, &rows).await })
            .buffer_unordered(PLACES_WRITTEN_AT_ONCE)
            .try_collect()
            .await
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table over {:?}", self.store)
    }
}

//! Tables over any store: loading, single rows, sealing and reading.

mod blobs;
mod buffer;
mod cache;
mod chunker;
mod clustering;
mod compaction;
mod conform;
mod division;
mod fresh;
mod group;
mod ingest;
mod merge;
mod overlap;
pub mod ranges;
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
pub use seal::Sealed;
pub use selection::{Part, Selection};
pub use view::View;

use crate::Result;
use crate::definition::Definition;
use crate::id::Place;
use crate::store::{FreshRow, Store};
use cache::BlobCache;

/// The number of places that the rows of one insert are written to at the same time.
const PLACES_WRITTEN_AT_ONCE: usize = 16;

/// A table: chunks and fresh rows of a store, read and written as one.
///
/// All methods may be called at the same time, also from several tables over the same data.
pub struct Table {
    definition: Arc<Definition>,
    schema: SchemaRef,
    store: Arc<dyn Store>,
    cache: BlobCache,
}

impl Table {
    /// Makes a table over a store that is open. Up to `cache_bytes` of encoded blobs are kept in
    /// memory.
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

    /// Returns the definition of the table.
    pub fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    /// Returns the Arrow schema of the table.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns how the cache was used so far.
    pub fn cache_statistics(&self) -> CacheStatistics {
        self.cache.statistics()
    }

    /// Returns what was noticed when the table was opened, or since, and does not prevent its use: write times
    /// ahead of the clock, or the remains of an interrupted write.
    pub fn notes(&self) -> Vec<String> {
        self.store.notes()
    }

    /// Returns what reads may miss of what others have written at `QUORUM`, since the consistency level of this process
    /// is too low for the copies that there were when the table was opened. `None` if each read meets each such write:
    /// writes at lower levels may be missed all the same, and so may any if there are more copies now.
    pub fn missed(&self) -> Option<&str> {
        self.store.missed()
    }

    /// Begins to load many rows, which go straight into chunks.
    pub fn ingest(self: &Arc<Self>) -> Ingest {
        Ingest::new(Arc::clone(self))
    }

    /// Inserts single rows, or replaces those with the same keys. When it returns, the rows are
    /// durable and visible to all readers. Columns are found by name; missing ones become null.
    ///
    /// # Errors
    /// Fails if the rows do not fit the table, or the store fails: then some of them may be inserted.
    pub async fn insert(&self, rows: &RecordBatch) -> Result<()> {
        let rows = conform::conform(&self.definition, rows)?;
        self.write_now(&rows, false).await
    }

    /// Inserts rows like [`Table::insert`], with a given write time in microseconds since
    /// 1970-01-01 UTC. Rows that were written later stay valid.
    ///
    /// # Errors
    /// The errors of [`Table::insert`].
    pub async fn insert_at(&self, rows: &RecordBatch, write_time: i64) -> Result<()> {
        let rows = conform::conform(&self.definition, rows)?;
        let by_place = fresh::by_place(&self.definition, &rows, write_time, false)?;
        self.write_fresh(by_place).await
    }

    /// Deletes rows by key: `keys` has the columns of the whole key.
    ///
    /// # Errors
    /// Fails if `keys` has other columns, or the store fails: then some of the rows may be deleted.
    pub async fn delete(&self, keys: &RecordBatch) -> Result<()> {
        let rows = fresh::keys_as_rows(&self.definition, keys)?;
        self.write_now(&rows, true).await
    }

    /// Deletes rows like [`Table::delete`], with a given write time in microseconds since
    /// 1970-01-01 UTC. Rows that were written later stay valid.
    ///
    /// # Errors
    /// The errors of [`Table::delete`].
    pub async fn delete_at(&self, keys: &RecordBatch, write_time: i64) -> Result<()> {
        let rows = fresh::keys_as_rows(&self.definition, keys)?;
        let by_place = fresh::by_place(&self.definition, &rows, write_time, true)?;
        self.write_fresh(by_place).await
    }

    /// Writes rows or deletions with a write time that is later than those of all rows in their places.
    async fn write_now(&self, rows: &RecordBatch, deleted: bool) -> Result<()> {
        let mut by_place = fresh::by_place(&self.definition, rows, 0, deleted)?;
        let places: Vec<Place> = by_place.iter().map(|(place, _)| *place).collect();
        self.store.catch_up(&places).await?;
        let write_time = self.store.write_time();
        for row in by_place.iter_mut().flat_map(|(_, rows)| rows) {
            row.write_time = write_time;
        }
        self.write_fresh(by_place).await
    }

    async fn write_fresh(&self, by_place: Vec<(Place, Vec<FreshRow>)>) -> Result<()> {
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

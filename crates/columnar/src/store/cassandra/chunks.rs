//! Writing the blobs of chunks.
//!
//! Each blob is a row. Rows are ordered by column and then by chunk, so that one column of many chunks is
//! in one stretch on disk. A chunk that is small altogether is one row of column [`PACKED`] with all
//! blobs one after another.

use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::CassandraStore;
use super::index::name;
use super::names::Part;
use super::options::{BLOB_BYTES_AT_MOST, PACKED_BYTES_AT_MOST, PUT_BYTES_IN_FLIGHT_AT_MOST};
use super::places::key;
use super::time::chunk_timestamp;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::store::Chunk;
use crate::{Error, Result, failpoint};

/// The column of a row that has all blobs of a chunk.
pub(super) const PACKED: i16 = -1;

/// Returns whether a chunk is one row.
pub(super) fn is_packed(meta: &ChunkMeta) -> bool {
    meta.bytes() <= PACKED_BYTES_AT_MOST
}

impl CassandraStore {
    /// Writes chunks, which stay invisible until they are committed.
    pub(super) async fn put_chunks(&self, place: Place, chunks: &[Chunk]) -> Result<()> {
        chunks.iter().try_for_each(|chunk| check(place, chunk))?;
        self.place_rows().list(place).await?;
        self.put_pending(place, chunks).await?;
        failpoint::hit("cassandra.put.pending");
        let rows = chunks.iter().flat_map(rows_of);
        let put = rows.map(|(id, column, data)| self.put_blob(place, id, column, data));
        let limit = self.client.options.requests_at_once;
        stream::iter(put)
            .buffer_unordered(limit)
            .try_collect::<()>()
            .await?;
        failpoint::hit("cassandra.put.blobs");
        Ok(())
    }

    async fn put_blob(&self, place: Place, id: ChunkId, column: i16, data: Bytes) -> Result<()> {
        let task = self.client.task("putting a chunk", place, Part::Chunks);
        let permits = data.len().min(PUT_BYTES_IN_FLIGHT_AT_MOST) as u32;
        let _in_flight = self.put_bytes.acquire_many(permits).await;
        let (shard, bucket) = key(place);
        let values = (shard, bucket, column, name(id), data, chunk_timestamp(id));
        self.client
            .execute(&task, &self.statements.chunks.put, values)
            .await?;
        failpoint::hit("cassandra.put.blob");
        Ok(())
    }
}

/// Checks that the blobs of a chunk have the sizes that they should have, and fit Cassandra.
fn check(place: Place, chunk: &Chunk) -> Result<()> {
    let id = chunk.meta.id;
    let sizes = chunk.meta.blobs.iter().map(|blob| blob.bytes as usize);
    if !sizes.eq(chunk.blobs.iter().map(Bytes::len)) {
        return Err(Error::Invalid(format!(
            "the blobs of chunk {id} of {place} are not of the sizes that it says"
        )));
    }
    let too_large = |blob: &Bytes| blob.len() > BLOB_BYTES_AT_MOST;
    match chunk.blobs.iter().position(too_large) {
        None => Ok(()),
        Some(number) => Err(Error::Invalid(format!(
            "blob {number} of chunk {id} of {place} takes {} bytes, and at most \
             {BLOB_BYTES_AT_MOST} are possible in Cassandra; make chunks of fewer rows",
            chunk.blobs[number].len()
        ))),
    }
}

/// Returns the rows of a chunk's blobs.
fn rows_of(chunk: &Chunk) -> Vec<(ChunkId, i16, Bytes)> {
    let id = chunk.meta.id;
    if is_packed(&chunk.meta) {
        return vec![(id, PACKED, chunk.blobs.concat().into())];
    }
    let row = |(number, blob): (usize, &Bytes)| (id, number as i16, blob.clone());
    chunk.blobs.iter().enumerate().map(row).collect()
}

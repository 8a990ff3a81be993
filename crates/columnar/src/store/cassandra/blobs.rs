//! Reading the blobs of chunks. Their layout is described in `chunks.rs`.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::statement::prepared::PreparedStatement;

use super::CassandraStore;
use super::chunks::{PACKED, is_packed};
use super::client::{as_rows, each_row};
use super::index::{NAMES_AT_ONCE, name};
use super::names::Part;
use super::options::READ_BYTES_AT_ONCE;
use super::places::cql_shard;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::store::GRACE;
use crate::{Error, Result};

/// The name of a row of blobs: a chunk and a column.
type Wanted = (ChunkId, i16);

impl CassandraStore {
    /// Reads blobs of a chunk, given by their numbers, in this order.
    pub(super) async fn read_blobs(
        &self,
        place: Place,
        meta: &ChunkMeta,
        numbers: &[u16],
    ) -> Result<Vec<Bytes>> {
        if is_packed(meta) {
            let row = self.row(place, meta, PACKED).await?;
            let blob = |number: &u16| unpacked(place, meta, &row, *number);
            return numbers.iter().map(blob).collect();
        }
        let mut wanted: Vec<u16> = numbers.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let sizes: Vec<u64> = wanted
            .iter()
            .map(|number| bytes_of(place, meta, *number))
            .collect::<Result<_>>()?;
        let reads = groups(&sizes).into_iter().map(|group| {
            let columns: Vec<i16> = wanted[group].iter().map(|number| *number as i16).collect();
            self.columns_of_chunk(place, meta.id, columns)
        });
        let found = self.all_reads(reads).await?;
        let blob = |number: &u16| self.found(&found, place, meta, *number as i16);
        stream::iter(numbers).then(blob).try_collect().await
    }

    async fn all_reads(
        &self,
        reads: impl IntoIterator<Item = impl Future<Output = Result<Vec<(Wanted, Bytes)>>>>,
    ) -> Result<HashMap<Wanted, Bytes>> {
        let limit = self.client.options.requests_at_once;
        let reads = stream::iter(reads).buffer_unordered(limit);
        let rows: Vec<Vec<(Wanted, Bytes)>> = reads.try_collect().await?;
        Ok(rows.into_iter().flatten().collect())
    }

    async fn columns_of_chunk(
        &self,
        place: Place,
        id: ChunkId,
        columns: Vec<i16>,
    ) -> Result<Vec<(Wanted, Bytes)>> {
        self.columns_by(&self.statements.chunks.read_of_chunk, place, id, columns)
            .await
    }

    async fn columns_by(
        &self,
        statement: &PreparedStatement,
        place: Place,
        id: ChunkId,
        columns: Vec<i16>,
    ) -> Result<Vec<(Wanted, Bytes)>> {
        let task = self.client.task("reading a chunk", place, Part::Chunks);
        let values = (cql_shard(place.shard), place.bucket, columns, name(id));
        let answer = self.client.execute(&task, statement, values).await?;
        each_row(
            &task,
            &as_rows(&task, answer)?,
            |(column, data): (i16, &[u8])| Ok(((id, column), Bytes::copy_from_slice(data))),
        )
    }

    /// Reads one row, from whichever replica has it.
    async fn row(&self, place: Place, meta: &ChunkMeta, column: i16) -> Result<Bytes> {
        let found = self
            .columns_of_chunk(place, meta.id, vec![column])
            .await?
            .into_iter()
            .collect();
        self.found(&found, place, meta, column).await
    }

    /// Returns one of the rows that were read. A missing one may not have arrived at the replica that was
    /// asked, so that more replicas are asked for it.
    async fn found(
        &self,
        found: &HashMap<Wanted, Bytes>,
        place: Place,
        meta: &ChunkMeta,
        column: i16,
    ) -> Result<Bytes> {
        if let Some(data) = found.get(&(meta.id, column)) {
            return Ok(data.clone());
        }
        let statement = &self.statements.chunks.read_of_chunk_again;
        let again = self
            .columns_by(statement, place, meta.id, vec![column])
            .await?;
        match again.into_iter().next() {
            Some((_, data)) => Ok(data),
            None => Err(self.why_missing(place, meta, column).await?),
        }
    }

    /// Finds out why a row is missing: the chunk may be gone, or damaged.
    async fn why_missing(&self, place: Place, meta: &ChunkMeta, column: i16) -> Result<Error> {
        let chunk = meta.id;
        let states = self.states(place, Some(&[chunk])).await?;
        if !states.first().is_some_and(|states| states.is_valid()) {
            self.remembered.forget(place);
            return Ok(Error::Gone {
                chunk,
                place,
                grace_seconds: GRACE.as_secs(),
            });
        }
        let what = match column {
            PACKED => "its blobs".to_owned(),
            number => format!("blob {number}"),
        };
        Ok(Error::Corrupt {
            chunk,
            place,
            what,
            reason: format!("missing in {}", self.client.names.shown(Part::Chunks)),
        })
    }
}

/// Returns the bytes of a blob.
fn bytes_of(place: Place, meta: &ChunkMeta, number: u16) -> Result<u64> {
    let blob = meta.blobs.get(usize::from(number));
    blob.map(|blob| u64::from(blob.bytes))
        .ok_or_else(|| Error::Invalid(format!("chunk {} of {place} has no blob {number}", meta.id)))
}

/// Cuts a blob out of the row that has all blobs of a chunk.
fn unpacked(place: Place, meta: &ChunkMeta, row: &Bytes, number: u16) -> Result<Bytes> {
    let bytes = bytes_of(place, meta, number)?;
    let before = &meta.blobs[..usize::from(number)];
    let start: u64 = before.iter().map(|blob| u64::from(blob.bytes)).sum();
    let (start, end) = (start as usize, (start + bytes) as usize);
    if row.len() as u64 != meta.bytes() || end > row.len() {
        return Err(Error::Corrupt {
            chunk: meta.id,
            place,
            what: "its blobs".to_owned(),
            reason: format!("{} bytes instead of {}", row.len(), meta.bytes()),
        });
    }
    Ok(row.slice(start..end))
}

/// Divides columns into neighbours that are read together.
fn groups(sizes: &[u64]) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let (mut start, mut bytes) = (0, 0_u64);
    for (i, size) in sizes.iter().enumerate() {
        let is_full =
            bytes.saturating_add(*size) > READ_BYTES_AT_ONCE || i - start >= NAMES_AT_ONCE;
        if i > start && is_full {
            groups.push(start..i);
            (start, bytes) = (i, 0);
        }
        bytes = bytes.saturating_add(*size);
    }
    if start < sizes.len() {
        groups.push(start..sizes.len());
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_read_together_up_to_a_limit() {
        let half = READ_BYTES_AT_ONCE / 2;
        assert!(groups(&[]).is_empty());
        assert_eq!(groups(&[1]).len(), 1);
        assert_eq!(groups(&[half, half, 1]), [0..2, 2..3]);
        assert_eq!(groups(&[10 * half, 1, 10 * half]), [0..1, 1..2, 2..3]);
        let small = vec![1; NAMES_AT_ONCE + 1];
        assert_eq!(
            groups(&small),
            [0..NAMES_AT_ONCE, NAMES_AT_ONCE..NAMES_AT_ONCE + 1]
        );
    }
}

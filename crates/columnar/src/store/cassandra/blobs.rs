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
use crate::encoding::crc;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::store::GRACE;
use crate::{Error, Result};

/// The name of a row of blobs: a chunk and a column.
type Wanted = (ChunkId, i16);

/// The number of times that a row is read again whose bytes are not what was written. Each time any replica
/// may answer, so that one wrong copy of three is given up on once in some 6,000 times.
const COPIES_READ_AT_MOST: u32 = 8;

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
    /// asked, so that more replicas are asked for it, and so they are if that replica has a wrong one. If all
    /// have, the wrong one is returned: who decodes a blob compares its checksum.
    async fn found(
        &self,
        found: &HashMap<Wanted, Bytes>,
        place: Place,
        meta: &ChunkMeta,
        column: i16,
    ) -> Result<Bytes> {
        let row = match found.get(&(meta.id, column)) {
            Some(row) => row.clone(),
            None => self.missing(place, meta, column).await?,
        };
        if is_as_written(meta, column, &row) {
            return Ok(row);
        }
        let right = self.right_copy(place, meta, column).await?;
        Ok(right.unwrap_or(row))
    }

    /// Reads a row that one replica did not have.
    async fn missing(&self, place: Place, meta: &ChunkMeta, column: i16) -> Result<Bytes> {
        let statement = &self.statements.chunks.read_of_chunk_again;
        let again = self
            .columns_by(statement, place, meta.id, vec![column])
            .await?;
        match again.into_iter().next() {
            Some((_, row)) => Ok(row),
            None => Err(self.why_missing(place, meta, column).await?),
        }
    }

    /// Reads a row of which a replica has a wrong copy, until another one answers.
    ///
    /// A read of several replicas together would not do: of two copies with the same timestamp, Cassandra takes
    /// the one whose bytes are greater, and writes it over the other one (`read_repair`), right or wrong.
    async fn right_copy(
        &self,
        place: Place,
        meta: &ChunkMeta,
        column: i16,
    ) -> Result<Option<Bytes>> {
        for _ in 0..COPIES_READ_AT_MOST {
            let again = self.columns_of_chunk(place, meta.id, vec![column]).await?;
            let right = again.into_iter().map(|(_, row)| row).next();
            if let Some(row) = right.filter(|row| is_as_written(meta, column, row)) {
                return Ok(Some(row));
            }
        }
        Ok(None)
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

/// Returns whether a row has the bytes that were written.
fn is_as_written(meta: &ChunkMeta, column: i16, row: &[u8]) -> bool {
    let blobs = match column {
        PACKED => &meta.blobs[..],
        number => {
            let number = number as usize;
            meta.blobs.get(number..=number).unwrap_or_default()
        }
    };
    let mut rest = row;
    for blob in blobs {
        match rest.split_at_checked(blob.bytes as usize) {
            Some((bytes, after)) if crc(bytes) == blob.crc => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
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
    use crate::meta::BlobMeta;

    #[test]
    fn a_wrong_row_is_told_from_a_right_one() {
        let blobs = [Bytes::from_static(b"one"), Bytes::from_static(b"other")];
        let of_blob = |blob: &Bytes| BlobMeta {
            bytes: blob.len() as u32,
            crc: crc(blob),
        };
        let meta = ChunkMeta {
            id: ChunkId::new(),
            rows: 1,
            deleted: 0,
            first: Bytes::new(),
            last: Bytes::new(),
            min_write_time: 0,
            max_write_time: 0,
            order_range: None,
            widest: 0,
            stats: Vec::new(),
            blobs: blobs.iter().map(of_blob).collect(),
        };
        for (column, right) in [
            (PACKED, &b"oneother"[..]),
            (0, &b"one"[..]),
            (1, &b"other"[..]),
        ] {
            assert!(is_as_written(&meta, column, right), "{column}");
            let mut wrong = right.to_vec();
            wrong[0] ^= 1;
            assert!(!is_as_written(&meta, column, &wrong), "{column}");
            wrong.clone_from_slice(right);
            wrong.pop();
            assert!(!is_as_written(&meta, column, &wrong), "{column}");
            let longer = [right, b"x"].concat();
            assert!(!is_as_written(&meta, column, &longer), "{column}");
        }
        assert!(!is_as_written(&meta, 0, b"other"));
    }

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

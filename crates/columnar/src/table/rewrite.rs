//! Rewriting chunks and fresh rows as new chunks.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array};
use arrow::compute::interleave;
use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::chunker::{COLUMN_BYTES, ChunkBuilder, Lengths, cut_by_bytes, pieces};
use super::merge::{Versions, newest};
use super::read::CHUNKS_READ_AT_ONCE;
use super::selection::Part;
use super::work::blocking;
use super::{Table, fresh};
use crate::clock::write_time;
use crate::kind::Kind;
use crate::store::Chunk;
use crate::{Error, Result};

/// The time for which deletions are kept, for older versions of the same keys that come late.
const DELETIONS_KEPT: Duration = Duration::from_secs(10 * 24 * 3600);

/// The highest number of bytes of blobs that are fetched together, unless a single column has more.
const FETCHED_BYTES: u64 = 64 << 20;

/// The newest versions of a group.
struct Merged {
    table: Arc<Table>,
    group: Part,
    /// The versions in each chunk, and then those of the fresh rows.
    sources: Vec<Versions>,
    /// All columns of the fresh rows.
    fresh: Vec<ArrayRef>,
    /// The source and the number of each row that is kept, in order of their keys.
    rows: Vec<(usize, usize)>,
}

/// The blobs of each chunk of a group.
type Blobs = Vec<HashMap<u16, Bytes>>;

impl Table {
    /// Returns the newest versions of a group as new chunks. Only one column of the group is
    /// decoded at a time.
    pub(super) async fn rewritten(self: &Arc<Self>, group: Part) -> Result<Vec<Chunk>> {
        let chunks: Vec<_> = group.chunks.iter().collect();
        let versions = self.versions_of(group.place, &chunks, &[]).await?;
        let sources = versions.into_iter().map(|(versions, _)| versions).collect();
        let table = Arc::clone(self);
        let merged = blocking(move || Merged::new(table, group, sources)).await?;
        let merged = Arc::new(merged);
        let pieces = merged.pieces().await?;
        merged.chunks(pieces).await
    }
}

impl Merged {
    fn new(table: Arc<Table>, group: Part, mut sources: Vec<Versions>) -> Result<Merged> {
        sources.push(fresh::versions(&group.fresh));
        let all: Vec<usize> = (0..table.definition.columns.len()).collect();
        let fresh = fresh::columns(&table.definition, &group.fresh, &all)?;
        let expired = write_time().saturating_sub(DELETIONS_KEPT.as_micros() as i64);
        let is_kept = |(source, row): &(usize, usize)| {
            let versions: &Versions = &sources[*source];
            !versions.is_deleted(*row) || versions.write_times.get(*row) >= expired
        };
        let rows = newest(&sources).into_iter().filter(is_kept).collect();
        Ok(Merged {
            table,
            group,
            sources,
            fresh,
            rows,
        })
    }

    /// Returns the ranges of rows that become a chunk each.
    async fn pieces(self: &Arc<Self>) -> Result<Vec<Range<usize>>> {
        let definition = &self.table.definition;
        let mut cut = pieces(definition, self.rows.len());
        if self.group.widest() <= COLUMN_BYTES as u64 {
            return Ok(cut);
        }
        let of_varying_width = |number: &usize| {
            let kind = definition.columns[*number].kind;
            matches!(kind, Kind::Text | Kind::Blob)
        };
        let numbers: Vec<usize> = (0..definition.columns.len())
            .filter(of_varying_width)
            .collect();
        for batch in self.batches(numbers) {
            let blobs = self.fetched(&batch).await?;
            let merged = Arc::clone(self);
            let cut_again = move || {
                for number in batch {
                    cut = merged.cut(cut, number, &blobs)?;
                }
                Ok(cut)
            };
            cut = blocking(cut_again).await?;
        }
        Ok(cut)
    }

    /// Cuts pieces so that the texts or blobs of a column are not too many bytes in any.
    fn cut(
        &self,
        pieces: Vec<Range<usize>>,
        number: usize,
        blobs: &Blobs,
    ) -> Result<Vec<Range<usize>>> {
        let kind = self.table.definition.columns[number].kind;
        let arrays = self.column(number, blobs)?;
        let lengths: Vec<Option<Lengths<'_>>> = arrays
            .iter()
            .map(|array| Lengths::new(kind, array))
            .collect();
        let bytes = |row: usize| {
            let (source, row) = self.rows[row];
            let lengths = lengths[source].as_ref();
            lengths.map_or(0, |lengths| lengths.bytes(row))
        };
        Ok(cut_by_bytes(pieces, bytes))
    }

    /// Encodes all pieces as chunks, column by column.
    async fn chunks(self: &Arc<Self>, pieces: Vec<Range<usize>>) -> Result<Vec<Chunk>> {
        let begun = pieces.iter().map(|piece| self.begun(piece.clone()));
        let mut chunks: Vec<ChunkBuilder> = begun.collect::<Result<_>>()?;
        let pieces = Arc::new(pieces);
        for batch in self.batches((0..self.fresh.len()).collect()) {
            let blobs = self.fetched(&batch).await?;
            let (merged, pieces) = (Arc::clone(self), Arc::clone(&pieces));
            let encode = move || {
                for number in batch {
                    merged.add_column(number, &blobs, &pieces, &mut chunks)?;
                }
                Ok(chunks)
            };
            chunks = blocking(encode).await?;
        }
        blocking(move || chunks.into_iter().map(ChunkBuilder::finish).collect()).await
    }

    /// Begins the chunk of a piece.
    fn begun(&self, piece: Range<usize>) -> Result<ChunkBuilder> {
        let rows = &self.rows[piece];
        let key = |at: Option<&(usize, usize)>| {
            at.map(|(source, row)| self.sources[*source].keys.key(*row))
                .unwrap_or_default()
        };
        let time = |(source, row): &(usize, usize)| self.sources[*source].write_times.get(*row);
        let deleted = |(source, row): &(usize, usize)| Some(self.sources[*source].is_deleted(*row));
        let times: Int64Array = rows.iter().map(time).collect();
        let deleted: BooleanArray = rows.iter().map(deleted).collect();
        let (first, last) = (key(rows.first()), key(rows.last()));
        ChunkBuilder::new(&self.table.definition, first, last, times, Some(deleted))
    }

    /// Adds a column to each chunk.
    fn add_column(
        &self,
        number: usize,
        blobs: &Blobs,
        pieces: &[Range<usize>],
        chunks: &mut [ChunkBuilder],
    ) -> Result<()> {
        let arrays = self.column(number, blobs)?;
        let arrays: Vec<&dyn Array> = arrays.iter().map(|a| a.as_ref()).collect();
        let kind = self.table.definition.columns[number].kind;
        for (piece, chunk) in pieces.iter().zip(chunks) {
            let rows = &self.rows[piece.clone()];
            let merged = interleave(&arrays, rows).map_err(|source| Error::Arrow {
                doing: "merging chunks",
                source,
            })?;
            chunk.add_column(kind, &merged)?;
        }
        Ok(())
    }

    /// Decodes a column of each source.
    fn column(&self, number: usize, blobs: &Blobs) -> Result<Vec<ArrayRef>> {
        let mut arrays = Vec::with_capacity(self.sources.len());
        for (chunk, blobs) in self.group.chunks.iter().zip(blobs) {
            let all = 0..chunk.rows as usize;
            let place = self.group.place;
            let decoded = self
                .table
                .decoded(place, chunk, blobs, &[number as u16], all, None)?;
            arrays.extend(decoded);
        }
        arrays.push(Arc::clone(&self.fresh[number]));
        Ok(arrays)
    }

    /// Divides columns into those that are fetched together.
    fn batches(&self, numbers: Vec<usize>) -> Vec<Vec<usize>> {
        let mut batches: Vec<Vec<usize>> = Vec::new();
        let mut sum = 0;
        for number in numbers {
            let bytes = self.group.bytes(&[number]);
            match batches.last_mut() {
                Some(batch) if sum + bytes <= FETCHED_BYTES => {
                    batch.push(number);
                    sum += bytes;
                }
                _ => {
                    batches.push(vec![number]);
                    sum = bytes;
                }
            }
        }
        batches
    }

    /// Fetches the blobs of columns.
    async fn fetched(&self, numbers: &[usize]) -> Result<Blobs> {
        let numbers: Vec<u16> = numbers.iter().map(|number| *number as u16).collect();
        let fetch = |chunk| self.table.blobs(self.group.place, chunk, &numbers);
        let fetches: Vec<_> = self
            .group
            .chunks
            .iter()
            .map(|chunk| fetch(&**chunk))
            .collect();
        let mut fetches = stream::iter(fetches).buffered(CHUNKS_READ_AT_ONCE);
        let mut blobs = Vec::with_capacity(self.group.chunks.len());
        while let Some(of_chunk) = fetches.try_next().await? {
            blobs.push(of_chunk);
        }
        Ok(blobs)
    }
}

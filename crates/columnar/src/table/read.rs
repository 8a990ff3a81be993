//! Reading the rows of parts.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::compute::{filter_record_batch, interleave, not};
use arrow::datatypes::{Int64Type, SchemaRef};
use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::merge::{Versions, WriteTimes, newest};
use super::ranges::{Ranges, Span};
use super::selection::{Part, Selection};
use super::{Table, fresh};
use crate::encoding::coded_schema;
use crate::id::Place;
use crate::meta::ChunkMeta;
use crate::store::{FreshRow, KeyRange};
use crate::{Error, Result, key};

/// The number of chunks that are fetched at the same time when they are merged.
pub(super) const CHUNKS_READ_AT_ONCE: usize = 8;

impl Table {
    /// Reads columns, given by their numbers, of the rows of some partition keys within a range of the
    /// first order key. The rows of each place come in order of their keys. If the selection has no
    /// partition keys, all rows of each place that the range touches come.
    ///
    /// # Errors
    /// The errors of [`Table::read`], or if a partition key does not fit the table.
    pub async fn rows(&self, selection: &Selection, columns: &[usize]) -> Result<Vec<RecordBatch>> {
        let ranges = Ranges::new(selection, &self.definition)?;
        let mut rows = Vec::new();
        for part in self.view(selection).await? {
            let Some(ranges) = &ranges else {
                rows.push(self.read(&part, columns, KeyRange::default()).await?);
                continue;
            };
            let spans = ranges.overlapping(&part);
            rows.extend(self.read_spans(&part, columns, spans).await?);
        }
        Ok(rows)
    }

    /// Reads the rows of a part whose keys are in one of some spans.
    async fn read_spans(
        &self,
        part: &Part,
        columns: &[usize],
        spans: &[Span],
    ) -> Result<Vec<RecordBatch>> {
        if let Some(chunk) = part.exact() {
            let each = spans.chunks(1).map(Span::around);
            let keys: Vec<KeyRange<'_>> = each.collect();
            return self
                .read_chunk(part.place, chunk, columns, &keys, None)
                .await;
        }
        let is_wanted = |key: &[u8]| Span::any_has(spans, key);
        let merged = self.read_merged(part, columns, Span::around(spans), is_wanted);
        Ok(vec![merged.await?])
    }

    /// Reads columns, given by their numbers, of the rows of a part, in order of their keys. Rows
    /// outside of `keys` are left out where that saves work.
    ///
    /// # Errors
    /// Fails if a chunk is not what was written or is gone, or if the store does not answer.
    pub async fn read(
        &self,
        part: &Part,
        columns: &[usize],
        keys: KeyRange<'_>,
    ) -> Result<RecordBatch> {
        self.read_coded(part, columns, keys, None).await
    }

    /// Reads rows like [`Table::read`], with the column `coded` as a dictionary array of 32-bit
    /// codes if the part is a single chunk. Where versions are merged, it comes as usual.
    ///
    /// # Errors
    /// The errors of [`Table::read`].
    pub async fn read_coded(
        &self,
        part: &Part,
        columns: &[usize],
        keys: KeyRange<'_>,
        coded: Option<usize>,
    ) -> Result<RecordBatch> {
        match part.exact() {
            Some(chunk) => {
                let keys = [keys];
                let rows = self.read_chunk(part.place, chunk, columns, &keys, coded);
                let nothing = || RecordBatch::new_empty(self.projected(columns, coded));
                Ok(rows.await?.pop().unwrap_or_else(nothing))
            }
            None => {
                let is_wanted = |key: &[u8]| keys.contains(key);
                self.read_merged(part, columns, keys, is_wanted).await
            }
        }
    }

    /// Reads the rows of each range of keys.
    async fn read_chunk(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        columns: &[usize],
        keys: &[KeyRange<'_>],
        coded: Option<usize>,
    ) -> Result<Vec<RecordBatch>> {
        let wanted = wanted(chunk, columns);
        let all_rows = 0..chunk.rows as usize;
        let has_all =
            |keys: &KeyRange<'_>| keys.contains(&chunk.first) && keys.contains(&chunk.last);
        let (blobs, ranges) = if keys.iter().all(has_all) {
            let blobs = self.blobs(place, chunk, &wanted).await?;
            (blobs, vec![all_rows; keys.len()])
        } else {
            // Only some of the rows are wanted: the blobs of the key show which.
            let key = self.key_numbers();
            let both = [&wanted[..], &key].concat();
            let blobs = self.blobs(place, chunk, &both).await?;
            let key = self.decoded(place, chunk, &blobs, &key, all_rows.clone(), None)?;
            let within = |keys: &KeyRange<'_>| self.rows_within(&key, all_rows.clone(), *keys);
            (blobs, keys.iter().map(within).collect::<Result<_>>()?)
        };
        let read = |rows| self.read_range(place, chunk, columns, &blobs, rows, coded);
        ranges.into_iter().map(read).collect()
    }

    /// Reads rows by their numbers, without the deleted ones.
    fn read_range(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        columns: &[usize],
        blobs: &HashMap<u16, Bytes>,
        rows: Range<usize>,
        coded: Option<usize>,
    ) -> Result<RecordBatch> {
        let wanted = wanted(chunk, columns);
        let code = coded.map(|n| n as u16);
        let mut arrays = self.decoded(place, chunk, blobs, &wanted, rows.clone(), code)?;
        let deleted = chunk.deleted_blob().and_then(|_| arrays.pop());
        let batch = batch(self.projected(columns, coded), arrays, rows.len())?;
        match deleted {
            None => Ok(batch),
            Some(deleted) => live_rows(&batch, deleted.as_boolean()),
        }
    }

    /// Returns the numbers of the blobs that hold the key.
    fn key_numbers(&self) -> Vec<u16> {
        let numbers = self.definition.key_indexes();
        numbers.into_iter().map(|n| n as u16).collect()
    }

    /// Returns the numbers of the rows whose keys, which are in order, are in the range.
    fn rows_within(
        &self,
        key: &[ArrayRef],
        rows: Range<usize>,
        range: KeyRange<'_>,
    ) -> Result<Range<usize>> {
        let begin = match range.first {
            Some(first) => self.rows_before(key, &rows, |key| key < first)?,
            None => rows.start,
        };
        let end = match range.last {
            Some(last) => self.rows_before(key, &rows, |key| key <= last)?,
            None => rows.end,
        };
        Ok(begin..end.max(begin))
    }

    /// Returns the number of the first row, in order of their keys, for which a condition does not
    /// hold. A binary search: only the keys of the few rows that it looks at are encoded.
    fn rows_before(
        &self,
        keys: &[ArrayRef],
        rows: &Range<usize>,
        condition: impl Fn(&[u8]) -> bool,
    ) -> Result<usize> {
        let (mut low, mut high) = (rows.start, rows.end);
        while low < high {
            let middle = low + (high - low) / 2;
            let row: Vec<ArrayRef> = keys.iter().map(|column| column.slice(middle, 1)).collect();
            let key = key::encode_columns(&self.definition, &row)?;
            if condition(key.get(0)) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        Ok(low)
    }

    /// Reads the newest versions of several chunks and fresh rows.
    async fn read_merged(
        &self,
        part: &Part,
        columns: &[usize],
        around: KeyRange<'_>,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<RecordBatch> {
        // A chunk whose keys are all outside of the range can neither yield a row nor hide one.
        let touched = |chunk: &&Arc<ChunkMeta>| around.overlaps(&chunk.first, &chunk.last);
        let chunks: Vec<&Arc<ChunkMeta>> = part.chunks.iter().filter(touched).collect();
        let in_chunks = self.versions_of(part.place, &chunks, columns).await?;
        let (mut versions, mut arrays): (Vec<_>, Vec<_>) = in_chunks.into_iter().unzip();
        let fresh: Vec<FreshRow> = part
            .fresh
            .iter()
            .filter(|row| around.contains(&row.key))
            .cloned()
            .collect();
        versions.push(fresh::versions(&fresh));
        arrays.push(fresh::columns(&self.definition, &fresh, columns)?);
        let wanted = |(source, row): &(usize, usize)| {
            let versions = &versions[*source];
            !versions.is_deleted(*row) && is_wanted(versions.keys.get(*row))
        };
        let rows: Vec<_> = newest(&versions).into_iter().filter(wanted).collect();
        let column = |i: usize| {
            let of_sources: Vec<&dyn Array> = arrays.iter().map(|a| a[i].as_ref()).collect();
            interleave(&of_sources, &rows).map_err(|source| Error::Arrow {
                doing: "merging",
                source,
            })
        };
        let merged = (0..columns.len()).map(column).collect::<Result<_>>()?;
        batch(self.projected(columns, None), merged, rows.len())
    }

    /// Reads the versions in each of some chunks, and columns of them.
    pub(super) async fn versions_of(
        &self,
        place: Place,
        chunks: &[&Arc<ChunkMeta>],
        columns: &[usize],
    ) -> Result<Vec<(Versions, Vec<ArrayRef>)>> {
        let read = |chunk: &&Arc<ChunkMeta>| self.versions(place, Arc::clone(chunk), columns);
        let reads: Vec<_> = chunks.iter().map(read).collect();
        let mut reads = stream::iter(reads).buffered(CHUNKS_READ_AT_ONCE);
        let mut versions = Vec::with_capacity(chunks.len());
        while let Some(of_chunk) = reads.try_next().await? {
            versions.push(of_chunk);
        }
        Ok(versions)
    }

    async fn versions(
        &self,
        place: Place,
        chunk: Arc<ChunkMeta>,
        columns: &[usize],
    ) -> Result<(Versions, Vec<ArrayRef>)> {
        let chunk = &*chunk;
        let key = self.key_numbers();
        let mut numbers = key.clone();
        numbers.extend(columns.iter().map(|n| *n as u16));
        numbers.extend(chunk.write_times_blob());
        numbers.extend(chunk.deleted_blob());
        let blobs = self.blobs(place, chunk, &numbers).await?;
        let all = 0..chunk.rows as usize;
        let mut arrays = self.decoded(place, chunk, &blobs, &numbers, all, None)?;
        let deleted = chunk.deleted_blob().and_then(|_| arrays.pop());
        let times = chunk.write_times_blob().and_then(|_| arrays.pop());
        let columns = arrays.split_off(key.len());
        let versions = Versions {
            keys: key::encode_columns(&self.definition, &arrays)?,
            write_times: match times {
                Some(times) => WriteTimes::Each(times.as_primitive::<Int64Type>().clone()),
                None => WriteTimes::All(chunk.min_write_time),
            },
            deleted: deleted.map(|flags| flags.as_boolean().clone()),
        };
        Ok((versions, columns))
    }

    /// Returns the schema of some columns, one of which may be coded.
    fn projected(&self, columns: &[usize], coded: Option<usize>) -> SchemaRef {
        let fields = columns.iter().map(|n| self.schema.fields()[*n].clone());
        let schema = Arc::new(arrow::datatypes::Schema::new(fields.collect::<Vec<_>>()));
        coded_schema(&schema, columns.iter().position(|n| Some(*n) == coded))
    }
}

/// Returns the numbers of the blobs that hold columns, and at the end the one with the flags of
/// deleted rows, if there is one.
fn wanted(chunk: &ChunkMeta, columns: &[usize]) -> Vec<u16> {
    let columns = columns.iter().map(|n| *n as u16);
    columns.chain(chunk.deleted_blob()).collect()
}

fn batch(schema: SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options).map_err(|source| Error::Arrow {
        doing: "reading rows",
        source,
    })
}

fn live_rows(batch: &RecordBatch, deleted: &BooleanArray) -> Result<RecordBatch> {
    not(deleted)
        .and_then(|live| filter_record_batch(batch, &live))
        .map_err(|source| Error::Arrow {
            doing: "leaving deleted rows out",
            source,
        })
}

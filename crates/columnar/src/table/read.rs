//! The rows of a part.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::compute::{filter_record_batch, interleave, not};
use arrow::datatypes::{Int64Type, SchemaRef};
use bytes::Bytes;

use super::Table;
use super::fresh;
use super::merge::{Versions, WriteTimes, newest};
use super::selection::Part;
use crate::definition::{Kind, Place};
use crate::encoding::{Codec, crc};
use crate::key;
use crate::meta::ChunkMeta;
use crate::store::KeyRange;
use crate::{Error, Result};

impl Table {
    /// The rows of a part in order of their keys: these columns, by number. Rows outside of `keys`
    /// may be left out, and are where that saves work.
    ///
    /// # Errors
    /// A chunk that is not what was written, or a store that does not answer.
    pub async fn read(
        &self,
        part: &Part,
        columns: &[usize],
        keys: KeyRange<'_>,
    ) -> Result<RecordBatch> {
        match part.exact() {
            Some(chunk) => self.read_chunk(part.place, chunk, columns, keys).await,
            None => self.read_merged(part, columns, keys).await,
        }
    }

    async fn read_chunk(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        columns: &[usize],
        keys: KeyRange<'_>,
    ) -> Result<RecordBatch> {
        let rows = match keys.contains(&chunk.first) && keys.contains(&chunk.last) {
            true => 0..chunk.rows as usize,
            false => self.rows_within(place, chunk, keys).await?,
        };
        let mut numbers: Vec<u16> = columns.iter().map(|n| *n as u16).collect();
        numbers.extend(chunk.deleted_blob());
        let mut arrays = self.arrays(place, chunk, &numbers, rows.clone()).await?;
        let deleted = chunk.deleted_blob().and_then(|_| arrays.pop());
        let batch = batch(self.projected(columns), arrays, rows.len())?;
        match deleted {
            None => Ok(batch),
            Some(deleted) => live_rows(&batch, deleted.as_boolean()),
        }
    }

    /// Rows of a chunk whose keys are in the range.
    async fn rows_within(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        range: KeyRange<'_>,
    ) -> Result<Range<usize>> {
        let numbers = self.definition.key_indexes();
        let numbers: Vec<u16> = numbers.into_iter().map(|n| n as u16).collect();
        let rows = 0..chunk.rows as usize;
        let columns = self.arrays(place, chunk, &numbers, rows.clone()).await?;
        let begin = match range.first {
            Some(first) => self.rows_before(&columns, &rows, |key| key < first)?,
            None => rows.start,
        };
        let end = match range.last {
            Some(last) => self.rows_before(&columns, &rows, |key| key <= last)?,
            None => rows.end,
        };
        Ok(begin..end.max(begin))
    }

    /// How many rows at the front, in order of their keys, a condition holds for. Only the keys of
    /// the few rows that are looked at are put together.
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
            match condition(key.get(0)) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    async fn read_merged(
        &self,
        part: &Part,
        columns: &[usize],
        keys: KeyRange<'_>,
    ) -> Result<RecordBatch> {
        let mut versions = Vec::with_capacity(part.chunks.len() + 1);
        let mut arrays = Vec::with_capacity(part.chunks.len() + 1);
        for chunk in &part.chunks {
            let (of_chunk, columns) = self.versions(part.place, chunk, columns).await?;
            versions.push(of_chunk);
            arrays.push(columns);
        }
        versions.push(fresh::versions(&self.definition, &part.fresh)?);
        let fresh = fresh::rows(&self.definition, &part.fresh)?;
        arrays.push(
            columns
                .iter()
                .map(|n| Arc::clone(fresh.column(*n)))
                .collect(),
        );
        let wanted = |(source, row): &(usize, usize)| {
            let versions = &versions[*source];
            !versions.is_deleted(*row) && keys.contains(versions.keys.get(*row))
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
        batch(self.projected(columns), merged, rows.len())
    }

    /// The versions in a chunk, and these columns of them.
    pub(super) async fn versions(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        columns: &[usize],
    ) -> Result<(Versions, Vec<ArrayRef>)> {
        let key = self.definition.key_indexes();
        let mut numbers: Vec<u16> = key.iter().chain(columns).map(|n| *n as u16).collect();
        numbers.extend(chunk.write_times_blob());
        numbers.extend(chunk.deleted_blob());
        let all = 0..chunk.rows as usize;
        let mut arrays = self.arrays(place, chunk, &numbers, all).await?;
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

    /// Decodes some rows of some blobs of a chunk.
    pub(super) async fn arrays(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        numbers: &[u16],
        rows: Range<usize>,
    ) -> Result<Vec<ArrayRef>> {
        let mut wanted = numbers.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let blobs = self.blobs(place, chunk, &wanted).await?;
        let all = chunk.rows as usize;
        let decode = |(number, blob): (&u16, &Bytes)| {
            let kind = self.kind(chunk, *number);
            let array = match rows.len() == all {
                true => Codec::shared().decode(blob, kind, all),
                false => Codec::shared().decode_range(blob, kind, all, rows.clone()),
            };
            array.map_err(|e| self.corrupt(place, chunk, *number, e.to_string()))
        };
        let decoded: HashMap<u16, ArrayRef> = wanted
            .iter()
            .zip(&blobs)
            .map(|entry| Ok((*entry.0, decode(entry)?)))
            .collect::<Result<_>>()?;
        Ok(numbers
            .iter()
            .filter_map(|number| decoded.get(number).cloned())
            .collect())
    }

    /// Blobs from memory or the store, as they were written.
    async fn blobs(&self, place: Place, chunk: &ChunkMeta, numbers: &[u16]) -> Result<Vec<Bytes>> {
        let cached = numbers.iter().map(|n| self.cache.get(chunk.id, *n));
        let mut blobs: Vec<Option<Bytes>> = cached.collect();
        let absent = |(number, blob): (&u16, &Option<Bytes>)| blob.is_none().then_some(*number);
        let missing: Vec<u16> = numbers.iter().zip(&blobs).filter_map(absent).collect();
        if missing.is_empty() {
            return Ok(blobs.into_iter().flatten().collect());
        }
        let read = self.store.blobs(place, chunk, &missing).await?;
        let mut read = missing.into_iter().zip(read);
        for blob in blobs.iter_mut().filter(|blob| blob.is_none()) {
            if let Some((number, bytes)) = read.next() {
                self.check(place, chunk, number, &bytes)?;
                self.cache.insert(chunk.id, number, &bytes);
                *blob = Some(bytes);
            }
        }
        Ok(blobs.into_iter().flatten().collect())
    }

    fn check(&self, place: Place, chunk: &ChunkMeta, number: u16, blob: &Bytes) -> Result<()> {
        let Some(written) = chunk.blobs.get(number as usize) else {
            return Err(self.corrupt(place, chunk, number, "it has no such column".to_owned()));
        };
        if blob.len() != written.bytes as usize {
            let (found, expected) = (blob.len(), written.bytes);
            let reason = format!("{found} bytes are there, {expected} were written");
            return Err(self.corrupt(place, chunk, number, reason));
        }
        match crc(blob) == written.crc {
            true => Ok(()),
            false => Err(self.corrupt(place, chunk, number, "its checksum is wrong".to_owned())),
        }
    }

    fn corrupt(&self, place: Place, chunk: &ChunkMeta, number: u16, reason: String) -> Error {
        let what = match self.definition.columns.get(number as usize) {
            Some(column) => format!("column `{}`", column.name),
            None => "its versions".to_owned(),
        };
        Error::Corrupt {
            chunk: chunk.id,
            place,
            what,
            reason,
        }
    }

    fn kind(&self, chunk: &ChunkMeta, number: u16) -> Kind {
        match self.definition.columns.get(number as usize) {
            Some(column) => column.kind,
            None if chunk.write_times_blob() == Some(number) => Kind::Bigint,
            None => Kind::Boolean,
        }
    }

    fn projected(&self, columns: &[usize]) -> SchemaRef {
        let fields = columns.iter().map(|n| self.schema.fields()[*n].clone());
        Arc::new(arrow::datatypes::Schema::new(fields.collect::<Vec<_>>()))
    }
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

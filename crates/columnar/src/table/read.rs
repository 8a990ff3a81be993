//! The rows of a part.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::compute::{filter_record_batch, interleave, not};
use arrow::datatypes::{Int64Type, SchemaRef};
use bytes::Bytes;

use super::Table;
use super::fresh;
use super::merge::{Versions, WriteTimes, newest};
use super::ranges::{Ranges, Span};
use super::selection::{Part, Selection};
use crate::definition::{Kind, Place};
use crate::encoding::{Codec, crc};
use crate::key;
use crate::meta::ChunkMeta;
use crate::store::KeyRange;
use crate::{Error, Result};

impl Table {
    /// The rows of some partition keys within a range of the first order key, in order of their
    /// keys: these columns, by number. Without partition keys in the selection all rows come of each
    /// place that the range touches.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub async fn rows(&self, selection: &Selection, columns: &[usize]) -> Result<Vec<RecordBatch>> {
        let ranges = Ranges::of(selection, &self.definition)?;
        let mut rows = Vec::new();
        for part in self.view(selection).await? {
            let Some(ranges) = &ranges else {
                rows.push(self.read(&part, columns, KeyRange::default()).await?);
                continue;
            };
            for span in ranges.overlapping(&part) {
                let keys = Span::around(std::slice::from_ref(span));
                rows.push(self.read(&part, columns, keys).await?);
            }
        }
        Ok(rows)
    }

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
        let mut wanted: Vec<u16> = columns.iter().map(|n| *n as u16).collect();
        wanted.extend(chunk.deleted_blob());
        let all_rows = 0..chunk.rows as usize;
        let (blobs, rows) = match keys.contains(&chunk.first) && keys.contains(&chunk.last) {
            true => (self.blobs(place, chunk, &wanted).await?, all_rows),
            false => {
                let key = self.key_numbers();
                let both = [&wanted[..], &key].concat();
                let blobs = self.blobs(place, chunk, &both).await?;
                let key = self.decoded(place, chunk, &blobs, &key, all_rows.clone())?;
                (blobs, self.rows_within(&key, all_rows, keys)?)
            }
        };
        let mut arrays = self.decoded(place, chunk, &blobs, &wanted, rows.clone())?;
        let deleted = chunk.deleted_blob().and_then(|_| arrays.pop());
        let batch = batch(self.projected(columns), arrays, rows.len())?;
        match deleted {
            None => Ok(batch),
            Some(deleted) => live_rows(&batch, deleted.as_boolean()),
        }
    }

    fn key_numbers(&self) -> Vec<u16> {
        let numbers = self.definition.key_indexes();
        numbers.into_iter().map(|n| n as u16).collect()
    }

    /// Rows whose keys, which are in order, are in the range.
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
        let key = self.key_numbers();
        let mut numbers = key.clone();
        numbers.extend(columns.iter().map(|n| *n as u16));
        numbers.extend(chunk.write_times_blob());
        numbers.extend(chunk.deleted_blob());
        let blobs = self.blobs(place, chunk, &numbers).await?;
        let all = 0..chunk.rows as usize;
        let mut arrays = self.decoded(place, chunk, &blobs, &numbers, all)?;
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

    /// A whole column of a chunk.
    pub(super) async fn column(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        number: u16,
    ) -> Result<Vec<ArrayRef>> {
        let blobs = self.blobs(place, chunk, &[number]).await?;
        let all = 0..chunk.rows as usize;
        self.decoded(place, chunk, &blobs, &[number], all)
    }

    /// Decodes some rows of blobs of a chunk.
    fn decoded(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        blobs: &HashMap<u16, Bytes>,
        numbers: &[u16],
        rows: Range<usize>,
    ) -> Result<Vec<ArrayRef>> {
        let all = chunk.rows as usize;
        let decode = |(number, blob): (u16, &Bytes)| {
            let kind = self.kind(chunk, number);
            let array = match rows.len() == all {
                true => Codec::shared().decode(blob, kind, all),
                false => Codec::shared().decode_range(blob, kind, all, rows.clone()),
            };
            array.map_err(|e| self.corrupt(place, chunk, number, e.to_string()))
        };
        let blobs = numbers.iter().filter_map(|n| Some((*n, blobs.get(n)?)));
        blobs.map(decode).collect()
    }

    /// Blobs by number, from memory or the store, as they were written.
    async fn blobs(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        numbers: &[u16],
    ) -> Result<HashMap<u16, Bytes>> {
        let mut blobs = HashMap::with_capacity(numbers.len());
        let mut missing = Vec::new();
        let distinct: BTreeSet<u16> = numbers.iter().copied().collect();
        for number in distinct {
            match self.cache.get(chunk.id, number) {
                Some(blob) => drop(blobs.insert(number, blob)),
                None => missing.push(number),
            }
        }
        if missing.is_empty() {
            return Ok(blobs);
        }
        let read = self.store.blobs(place, chunk, &missing).await?;
        for (number, blob) in missing.into_iter().zip(read) {
            self.check(place, chunk, number, &blob)?;
            self.cache.insert(chunk.id, number, &blob);
            blobs.insert(number, blob);
        }
        Ok(blobs)
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

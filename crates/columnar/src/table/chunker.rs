//! Sorted rows become chunks.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, UInt64Array};
use arrow::compute::{not, take_record_batch};
use bytes::Bytes;

use crate::definition::{Definition, Kind, Profile};
use crate::encoding::{Codec, crc};
use crate::key::{self, Keys};
use crate::meta::{BlobMeta, ChunkId, ChunkMeta, ColumnStats, Key};
use crate::store::Chunk;
use crate::{Error, Result};

/// Rows with the table's columns, in order of their keys, one version per key.
#[derive(Debug)]
pub struct Sorted {
    rows: RecordBatch,
    keys: Keys,
}

impl Sorted {
    /// Rows in the order in which they came; of several with one key the last one is kept.
    pub fn new(definition: &Definition, rows: RecordBatch) -> Result<Sorted> {
        let keys = key::encode(definition, &rows)?;
        if keys.is_strictly_sorted() {
            return Ok(Sorted { rows, keys });
        }
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|a, b| keys.get(*a).cmp(keys.get(*b)));
        let is_last = |i: usize, row: usize| match order.get(i + 1) {
            Some(next) => keys.get(row) != keys.get(*next),
            None => true,
        };
        let kept = order
            .iter()
            .enumerate()
            .filter(|(i, row)| is_last(*i, **row));
        let kept: UInt64Array = kept.map(|(_, row)| *row as u64).collect();
        let rows = take_record_batch(&rows, &kept).map_err(|source| Error::Arrow {
            doing: "sorting rows",
            source,
        })?;
        let keys = key::encode(definition, &rows)?;
        Ok(Sorted { rows, keys })
    }

    /// Its chunks, all of whose rows were written at one time.
    pub fn chunks(&self, definition: &Definition, write_time: i64) -> Result<Vec<Chunk>> {
        let build = |piece: Range<usize>| {
            let (first, last) = (self.keys.key(piece.start), self.keys.key(piece.end - 1));
            let times = Int64Array::from_value(write_time, piece.len());
            let mut chunk = ChunkBuilder::new(definition.profile, first, last, times, None)?;
            for (column, array) in definition.columns.iter().zip(self.rows.columns()) {
                chunk.add_column(column.kind, &array.slice(piece.start, piece.len()))?;
            }
            chunk.finish()
        };
        pieces(definition, self.rows.num_rows())
            .into_iter()
            .map(build)
            .collect()
    }
}

/// Ranges of about equal length, none longer than a chunk may be.
pub fn pieces(definition: &Definition, rows: usize) -> Vec<Range<usize>> {
    let count = rows.div_ceil(definition.chunk_rows as usize);
    (0..count)
        .map(|i| rows * i / count..rows * (i + 1) / count)
        .collect()
}

/// A chunk that is made column by column.
pub struct ChunkBuilder {
    profile: Profile,
    first: Key,
    last: Key,
    write_times: Int64Array,
    deleted: Option<BooleanArray>,
    live: Option<BooleanArray>,
    stats: Vec<ColumnStats>,
    blobs: Vec<Bytes>,
}

impl ChunkBuilder {
    /// `deleted` are the rows that say that their key is deleted.
    pub fn new(
        profile: Profile,
        first: Key,
        last: Key,
        write_times: Int64Array,
        deleted: Option<BooleanArray>,
    ) -> Result<Self> {
        let deleted = deleted.filter(|deleted| deleted.true_count() > 0);
        let live = deleted.as_ref().map(not).transpose();
        let live = live.map_err(|source| Error::Arrow {
            doing: "counting rows",
            source,
        })?;
        let (stats, blobs) = (Vec::new(), Vec::new());
        Ok(ChunkBuilder {
            profile,
            first,
            last,
            write_times,
            deleted,
            live,
            stats,
            blobs,
        })
    }

    /// The next column of the table.
    pub fn add_column(&mut self, kind: Kind, array: &ArrayRef) -> Result<()> {
        self.stats
            .push(ColumnStats::of(kind, array, self.live.as_ref())?);
        self.add_blob(kind, array)
    }

    fn add_blob(&mut self, kind: Kind, array: &ArrayRef) -> Result<()> {
        self.blobs
            .push(Codec::shared().encode(self.profile, kind, array)?);
        Ok(())
    }

    pub fn finish(mut self) -> Result<Chunk> {
        let times = self.write_times.values().iter().copied();
        let min_write_time = times.clone().min().unwrap_or(0);
        let max_write_time = times.max().unwrap_or(0);
        if min_write_time != max_write_time {
            let times: ArrayRef = Arc::new(self.write_times.clone());
            self.add_blob(Kind::Bigint, &times)?;
        }
        let deleted = self.deleted.as_ref().map_or(0, BooleanArray::true_count);
        if let Some(flags) = self.deleted.take() {
            let flags: ArrayRef = Arc::new(flags);
            self.add_blob(Kind::Boolean, &flags)?;
        }
        let blob = |blob: &Bytes| BlobMeta {
            bytes: blob.len() as u32,
            crc: crc(blob),
        };
        let meta = ChunkMeta {
            id: ChunkId::new(),
            rows: self.write_times.len() as u32,
            deleted: deleted as u32,
            first: self.first,
            last: self.last,
            min_write_time,
            max_write_time,
            stats: self.stats,
            blobs: self.blobs.iter().map(blob).collect(),
        };
        Ok(Chunk {
            meta: Arc::new(meta),
            blobs: self.blobs,
        })
    }
}

//! Sorted rows become chunks.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, RecordBatch, UInt64Array};
use arrow::compute::{not, take_record_batch};
use bytes::Bytes;

use crate::definition::{Definition, Kind, Profile};
use crate::encoding::{Codec, crc};
use crate::key::{self, Keys};
use crate::meta::{BlobMeta, ChunkId, ChunkMeta, ColumnStats, Key, Scalar};
use crate::store::Chunk;
use crate::{Error, Result};

/// Bytes that the values of a column of a chunk have at most before it is encoded, unless it is one
/// value: a store takes blobs of 8 MiB, whatever they hold.
pub const COLUMN_BYTES: usize = 4 << 20;

/// Of a value of fixed width, at most; and of a text or blob beside its own. As many of the former
/// as a chunk has rows are no more than a column may have.
const VALUE_BYTES: usize = 8;
pub const VIEW_BYTES: usize = 16;

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
            let mut chunk = ChunkBuilder::new(definition, first, last, times, None)?;
            for (column, array) in definition.columns.iter().zip(self.rows.columns()) {
                chunk.add_column(column.kind, &array.slice(piece.start, piece.len()))?;
            }
            chunk.finish()
        };
        self.pieces(definition).into_iter().map(build).collect()
    }

    fn pieces(&self, definition: &Definition) -> Vec<Range<usize>> {
        let mut pieces = pieces(definition, self.rows.num_rows());
        for (column, array) in definition.columns.iter().zip(self.rows.columns()) {
            if let Some(lengths) = Lengths::of(column.kind, array) {
                pieces = cut_by_bytes(pieces, |row| lengths.bytes(row));
            }
        }
        pieces
    }
}

/// Ranges of about equal length, none longer than a chunk may be.
pub fn pieces(definition: &Definition, rows: usize) -> Vec<Range<usize>> {
    let count = rows.div_ceil(definition.chunk_rows as usize);
    (0..count)
        .map(|i| rows * i / count..rows * (i + 1) / count)
        .collect()
}

/// Cuts ranges of rows where the values of a column, which have so many bytes, would be more than
/// [`COLUMN_BYTES`].
pub fn cut_by_bytes(
    pieces: Vec<Range<usize>>,
    bytes: impl Fn(usize) -> usize,
) -> Vec<Range<usize>> {
    let mut cut = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (mut start, mut sum) = (piece.start, 0);
        for row in piece.clone() {
            let of_row = bytes(row);
            if row > start && sum + of_row > COLUMN_BYTES {
                cut.push(start..row);
                (start, sum) = (row, 0);
            }
            sum += of_row;
        }
        cut.push(start..piece.end);
    }
    cut
}

/// How long the values of a column of texts or blobs are.
pub struct Lengths<'a>(&'a [i32]);

impl<'a> Lengths<'a> {
    /// None for other kinds.
    pub fn of(kind: Kind, array: &'a dyn Array) -> Option<Self> {
        match kind {
            Kind::Text => array
                .as_string_opt::<i32>()
                .map(|a| Lengths(a.value_offsets())),
            Kind::Blob => array
                .as_binary_opt::<i32>()
                .map(|a| Lengths(a.value_offsets())),
            _ => None,
        }
    }

    /// Bytes of a value, and of where it is.
    pub fn bytes(&self, row: usize) -> usize {
        let length = match self.0.get(row..row + 2) {
            Some([begin, end]) => (end - begin) as usize,
            _ => 0,
        };
        length + VIEW_BYTES
    }
}

/// Bytes of a column's values before it is encoded.
fn bytes_of(kind: Kind, array: &ArrayRef) -> usize {
    match Lengths::of(kind, array) {
        Some(lengths) => (0..array.len()).map(|row| lengths.bytes(row)).sum(),
        None => array.len() * VALUE_BYTES,
    }
}

/// A chunk that is made column by column.
pub struct ChunkBuilder {
    profile: Profile,
    first: Key,
    last: Key,
    write_times: Int64Array,
    deleted: Option<BooleanArray>,
    live: Option<BooleanArray>,
    /// Number of the first order key, if it has a range.
    order: Option<usize>,
    order_range: Option<(i64, i64)>,
    widest: usize,
    stats: Vec<ColumnStats>,
    blobs: Vec<Bytes>,
}

impl ChunkBuilder {
    /// `deleted` are the rows that say that their key is deleted.
    pub fn new(
        definition: &Definition,
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
            profile: definition.profile,
            order: definition.first_order_index(),
            order_range: None,
            widest: 0,
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
        let stats = ColumnStats::of(kind, array, self.live.as_ref())?;
        if self.order == Some(self.stats.len()) {
            let of_all = match self.live {
                None => stats.bounds.clone(),
                Some(_) => ColumnStats::of(kind, array, None)?.bounds,
            };
            if let Some((Scalar::Int(low), Scalar::Int(high))) = of_all {
                self.order_range = Some((low, high));
            }
        }
        self.widest = self.widest.max(bytes_of(kind, array));
        self.stats.push(stats);
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
            order_range: self.order_range,
            widest: u32::try_from(self.widest).unwrap_or(u32::MAX),
            stats: self.stats,
            blobs: self.blobs.iter().map(blob).collect(),
        };
        Ok(Chunk {
            meta: Arc::new(meta),
            blobs: self.blobs,
        })
    }
}

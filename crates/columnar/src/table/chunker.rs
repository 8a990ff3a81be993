//! Turning sorted rows into chunks.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, RecordBatch};
use arrow::compute::{interleave, not};
use bytes::Bytes;

use crate::definition::{Definition, Profile};
use crate::encoding::{Codec, crc};
use crate::id::ChunkId;
use crate::key::{self, Keys};
use crate::kind::Kind;
use crate::meta::{BlobMeta, ChunkMeta, ColumnStats, Key, Scalar};
use crate::store::Chunk;
use crate::{Error, Result};

/// The highest number of bytes that the values of a chunk's column may have before they are encoded,
/// unless it is a single value. A store takes blobs of 8 MiB, however well or badly they are encoded.
pub const COLUMN_BYTES: usize = 4 << 20;

/// The highest number of bytes of a value of fixed width. As many of them as a chunk can have rows are
/// no more than a column may have.
const VALUE_BYTES: usize = 8;

/// The bytes that a text or blob takes in addition to its own.
pub const VIEW_BYTES: usize = 16;

/// Rows with the table's columns, in order of their keys, one version per key.
#[derive(Debug)]
pub struct Sorted {
    definition: Arc<Definition>,
    batches: Vec<RecordBatch>,
    /// The keys of each batch.
    keys: Vec<Keys>,
    /// The batch and the number of each row that is kept.
    rows: Vec<(usize, usize)>,
}

impl Sorted {
    /// Sorts rows, given in the order in which they came. Of several rows with the same key the
    /// last one is kept.
    pub fn new(definition: Arc<Definition>, batches: Vec<RecordBatch>) -> Result<Sorted> {
        let keys: Vec<Keys> = batches
            .iter()
            .map(|rows| key::encode(&definition, rows))
            .collect::<Result<_>>()?;
        let key = |(batch, row): (usize, usize)| keys[batch].get(row);
        let of_batch = |(batch, keys): (usize, &Keys)| (0..keys.len()).map(move |row| (batch, row));
        let mut rows: Vec<(usize, usize)> = keys.iter().enumerate().flat_map(of_batch).collect();
        rows.sort_by(|a, b| key(*a).cmp(key(*b)));
        rows.dedup_by(|later, kept| {
            let is_same = key(*later) == key(*kept);
            if is_same {
                *kept = *later;
            }
            is_same
        });
        Ok(Sorted {
            definition,
            batches,
            keys,
            rows,
        })
    }

    /// Returns the ranges of rows that become a chunk each.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces = pieces(&self.definition, self.rows.len());
        for (number, column) in self.definition.columns.iter().enumerate() {
            let lengths = |rows| Lengths::new(column.kind, RecordBatch::column(rows, number));
            let lengths: Option<Vec<Lengths<'_>>> = self.batches.iter().map(lengths).collect();
            if let Some(lengths) = lengths {
                pieces = cut_by_bytes(pieces, |row| {
                    let (batch, row) = self.rows[row];
                    lengths[batch].bytes(row)
                });
            }
        }
        pieces
    }

    /// Encodes a piece as a chunk whose rows all have the same write time.
    pub fn chunk(&self, piece: Range<usize>, write_time: i64) -> Result<Chunk> {
        let rows = &self.rows[piece];
        let times = Int64Array::from_value(write_time, rows.len());
        let (first, last) = (self.key(rows.first()), self.key(rows.last()));
        let mut chunk = ChunkBuilder::new(&self.definition, first, last, times, None)?;
        for (number, column) in self.definition.columns.iter().enumerate() {
            let arrays: Vec<&dyn Array> = self
                .batches
                .iter()
                .map(|rows| rows.column(number).as_ref())
                .collect();
            let sorted = interleave(&arrays, rows).map_err(|source| Error::Arrow {
                doing: "sorting rows",
                source,
            })?;
            chunk.add_column(column.kind, &sorted)?;
        }
        chunk.finish()
    }

    fn key(&self, row: Option<&(usize, usize)>) -> Key {
        row.map(|(batch, row)| self.keys[*batch].key(*row))
            .unwrap_or_default()
    }
}

/// Divides rows into ranges of about equal length, none longer than a chunk may be.
pub fn pieces(definition: &Definition, rows: usize) -> Vec<Range<usize>> {
    let count = rows.div_ceil(definition.chunk_rows as usize);
    (0..count)
        .map(|i| rows * i / count..rows * (i + 1) / count)
        .collect()
}

/// Cuts ranges of rows so that the values of a column take at most [`COLUMN_BYTES`] in each of them,
/// and about the same in all. `bytes` returns the bytes of a row's value.
pub fn cut_by_bytes(
    pieces: Vec<Range<usize>>,
    bytes: impl Fn(usize) -> usize,
) -> Vec<Range<usize>> {
    let mut cut = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let all: usize = piece.clone().map(&bytes).sum();
        let target = all / all.div_ceil(COLUMN_BYTES).max(1);
        // The target is the average of as few pieces as are needed, so that no small rest remains.
        let (mut start, mut sum) = (piece.start, 0);
        for row in piece.clone() {
            let of_row = bytes(row);
            if row > start && (sum >= target || sum + of_row > COLUMN_BYTES) {
                cut.push(start..row);
                (start, sum) = (row, 0);
            }
            sum += of_row;
        }
        cut.push(start..piece.end);
    }
    cut
}

/// The lengths of the values in a column of texts or blobs.
pub struct Lengths<'a>(&'a [i32]);

impl<'a> Lengths<'a> {
    /// Returns the lengths of a column, or `None` if it is of another kind.
    pub fn new(kind: Kind, array: &'a dyn Array) -> Option<Self> {
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

    /// Returns the bytes that a value takes, including those of its position.
    pub fn bytes(&self, row: usize) -> usize {
        let length = match self.0.get(row..row + 2) {
            Some([begin, end]) => (end - begin) as usize,
            _ => 0,
        };
        length + VIEW_BYTES
    }
}

/// Returns the bytes of a column's values before they are encoded.
fn bytes_of(kind: Kind, array: &ArrayRef) -> usize {
    match Lengths::new(kind, array) {
        Some(lengths) => (0..array.len()).map(|row| lengths.bytes(row)).sum(),
        None => array.len() * VALUE_BYTES,
    }
}

/// A chunk that is being made, column by column.
pub struct ChunkBuilder {
    profile: Profile,
    first: Key,
    last: Key,
    write_times: Int64Array,
    deleted: Option<BooleanArray>,
    /// Flags of the rows that are not deleted, if some are.
    live: Option<BooleanArray>,
    /// The number of the first order key, if it has a range.
    order: Option<usize>,
    order_range: Option<(i64, i64)>,
    widest: usize,
    stats: Vec<ColumnStats>,
    blobs: Vec<Bytes>,
}

impl ChunkBuilder {
    /// Begins a chunk. `deleted` flags the rows whose keys are deleted.
    pub fn new(
        definition: &Definition,
        first: Key,
        last: Key,
        write_times: Int64Array,
        deleted: Option<BooleanArray>,
    ) -> Result<Self> {
        let deleted = deleted.filter(|deleted| deleted.true_count() > 0);
        let live = deleted
            .as_ref()
            .map(not)
            .transpose()
            .map_err(|source| Error::Arrow {
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

    /// Adds the next column of the table.
    pub fn add_column(&mut self, kind: Kind, array: &ArrayRef) -> Result<()> {
        let stats = ColumnStats::new(kind, array, self.live.as_ref())?;
        if self.order == Some(self.stats.len()) {
            // Deleted rows hide older versions in other chunks, so that their order keys count for
            // what a chunk overlaps, but not for its statistics.
            let of_all = match self.live {
                None => stats.bounds.clone(),
                Some(_) => ColumnStats::new(kind, array, None)?.bounds,
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

    /// Completes the chunk with write times and flags of deleted rows where they are needed.
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

//! Loading many rows: they go straight into chunks.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{RecordBatch, UInt64Array};
use arrow::compute::take_record_batch;
use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::task::JoinSet;

use super::Table;
use super::buffer::Buffer;
use super::chunker::Sorted;
use super::clock::write_time;
use super::conform::conform;
use super::work::{blocking, panicked, threads};
use crate::definition::Place;
use crate::failpoint;
use crate::meta::ChunkMeta;
use crate::store::Change;
use crate::{Error, Result, key};

/// Chunks' worth of rows that are sorted together at most. The more of them, the fewer partition
/// keys a chunk has rows of, and the fewer chunks a query of one of them reads.
const CHUNKS_SORTED_TOGETHER: usize = 32;

/// Memory that rows of all places may take before the largest is written, unless said.
const BUFFERED_BYTES: usize = 256 << 20;

/// Chunks that are written before they are committed together.
const CHUNKS_OF_COMMIT: usize = 64;

/// What an ingest wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ingested {
    /// Rows that came.
    pub rows: u64,
    pub chunks: u64,
    /// Of the blobs.
    pub bytes: u64,
}

/// A load that is under way. Rows are durable, and seen, once [`Ingest::finish`] returned; of those
/// of an ingest that ended before, some may be. Rows with one key: the one that came last is kept.
pub struct Ingest {
    table: Arc<Table>,
    buffers: HashMap<Place, Buffer>,
    buffered_bytes: usize,
    /// How many of them there may be.
    memory: usize,
    writing: JoinSet<Result<Written>>,
    writing_bytes: usize,
    written: HashMap<Place, Vec<Arc<ChunkMeta>>>,
    so_far: Ingested,
    /// Whether rows are being moved on, so that what fails or is dropped now loses some.
    is_moving: bool,
}

impl Ingest {
    pub(super) fn new(table: Arc<Table>) -> Self {
        Ingest {
            table,
            buffers: HashMap::new(),
            buffered_bytes: 0,
            memory: BUFFERED_BYTES,
            writing: JoinSet::new(),
            writing_bytes: 0,
            written: HashMap::new(),
            so_far: Ingested::default(),
            is_moving: false,
        }
    }

    /// Rows may take so many bytes of memory before those of the largest place are sorted and written,
    /// and twice as many while they are written. 256 MiB unless said.
    pub fn with_memory(self, bytes: usize) -> Self {
        Ingest {
            memory: bytes,
            ..self
        }
    }

    /// Takes rows whose columns are found by name.
    ///
    /// # Errors
    /// Rows that do not fit the table (then none of them is taken, and others can follow), or a store
    /// that fails. After that, or if it was stopped before it ended, the ingest is over: it refuses
    /// everything.
    pub async fn write(&mut self, rows: &RecordBatch) -> Result<()> {
        self.check()?;
        let rows = conform(&self.table.definition, rows)?;
        let by_place = self.by_place(&rows)?;
        self.is_moving = true;
        self.so_far.rows += rows.num_rows() as u64;
        self.take(by_place).await?;
        self.is_moving = false;
        Ok(())
    }

    fn check(&self) -> Result<()> {
        if self.is_moving {
            Err(Error::Invalid(
                "an earlier write of this ingest failed or was stopped, so that rows are missing; \
                 ingest them all again"
                    .to_owned(),
            ))
        } else {
            Ok(())
        }
    }

    async fn take(&mut self, by_place: Vec<(Place, RecordBatch)>) -> Result<()> {
        for (place, rows) in by_place {
            if self.is_full(place) {
                self.flush_before(place, Some(&rows)).await?;
            }
            self.buffer(place, rows);
        }
        while self.buffered_bytes > self.memory {
            let largest = self.buffers.iter().max_by_key(|(_, buffer)| buffer.bytes);
            let Some(place) = largest.map(|(place, _)| *place) else {
                break;
            };
            self.flush_before(place, None).await?;
        }
        Ok(())
    }

    fn is_full(&self, place: Place) -> bool {
        let enough = self.table.definition.chunk_rows as usize * CHUNKS_SORTED_TOGETHER;
        let buffer = self.buffers.get(&place);
        buffer.is_some_and(|buffer| buffer.rows >= enough)
    }

    fn buffer(&mut self, place: Place, rows: RecordBatch) {
        self.buffered_bytes += self.buffers.entry(place).or_default().push(rows);
    }

    /// Begins to write what there is of a place, but for its last moment if the next rows have the
    /// same, or may have.
    async fn flush_before(&mut self, place: Place, next: Option<&RecordBatch>) -> Result<()> {
        let order = self.table.definition.first_order_index();
        let (Some(order), Some(buffer)) = (order, self.buffers.get_mut(&place)) else {
            return self.flush(place).await;
        };
        let before = buffer.bytes;
        let last = match next {
            Some(next) => buffer.take_back(order, next)?,
            None => buffer.take_last_back(order)?,
        };
        self.buffered_bytes -= before - buffer.bytes;
        self.flush(place).await?;
        for rows in last {
            self.buffer(place, rows);
        }
        Ok(())
    }

    /// What was written so far.
    pub fn so_far(&self) -> Ingested {
        self.so_far
    }

    /// Writes what is left. Then all rows are durable.
    ///
    /// # Errors
    /// A store that fails, or has failed before: rows may be missing.
    pub async fn finish(mut self) -> Result<Ingested> {
        self.check()?;
        let mut places: Vec<Place> = self.buffers.keys().copied().collect();
        places.sort_unstable();
        for place in places {
            self.flush(place).await?;
        }
        while !self.writing.is_empty() {
            self.wait_for_one().await?;
        }
        self.commit().await?;
        Ok(self.so_far)
    }

    fn by_place(&self, rows: &RecordBatch) -> Result<Vec<(Place, RecordBatch)>> {
        let definition = &self.table.definition;
        let keys = key::encode(definition, rows)?;
        let places = key::place(definition, &keys)?;
        let Some(first) = places.first() else {
            return Ok(Vec::new());
        };
        if places.iter().all(|place| place == first) {
            return Ok(vec![(*first, rows.clone())]);
        }
        let mut by_place: HashMap<Place, Vec<u64>> = HashMap::new();
        for (row, place) in places.iter().enumerate() {
            by_place.entry(*place).or_default().push(row as u64);
        }
        let taken = |(place, indexes)| {
            let rows = take_record_batch(rows, &UInt64Array::from(indexes)).map_err(|source| {
                Error::Arrow {
                    doing: "dividing rows by place",
                    source,
                }
            })?;
            Ok((place, rows))
        };
        by_place.into_iter().map(taken).collect()
    }

    /// Begins to write what there is of a place, as soon as there is room among those that are written.
    async fn flush(&mut self, place: Place) -> Result<()> {
        let Some(buffer) = self.buffers.remove(&place) else {
            return Ok(());
        };
        self.buffered_bytes -= buffer.bytes;
        while self.is_busy(buffer.bytes) {
            self.wait_for_one().await?;
        }
        // The time is taken here, so that what comes later is later, whichever is written first.
        let write = Write {
            table: Arc::clone(&self.table),
            place,
            write_time: write_time(),
        };
        self.writing_bytes += buffer.bytes;
        self.writing.spawn(write.all(buffer));
        Ok(())
    }

    /// Whether something has to be written before so many bytes more are.
    fn is_busy(&self, bytes: usize) -> bool {
        let is_full = self.writing_bytes.saturating_add(bytes) > self.memory.saturating_mul(2);
        self.writing.len() >= threads().max(2) || is_full && !self.writing.is_empty()
    }

    async fn wait_for_one(&mut self) -> Result<()> {
        let Some(ended) = self.writing.join_next().await else {
            return Ok(());
        };
        let Written {
            place,
            chunks,
            bytes,
        } = ended.map_err(panicked)??;
        self.writing_bytes -= bytes;
        self.so_far.chunks += chunks.len() as u64;
        self.so_far.bytes += chunks.iter().map(|c| c.bytes()).sum::<u64>();
        self.written.entry(place).or_default().extend(chunks);
        if self.written.values().map(Vec::len).sum::<usize>() >= CHUNKS_OF_COMMIT {
            self.commit().await
        } else {
            Ok(())
        }
    }

    async fn commit(&mut self) -> Result<()> {
        let change = |(place, add)| Change {
            place,
            add,
            retire: Vec::new(),
            sealed: None,
        };
        let changes: Vec<Change> = self.written.drain().map(change).collect();
        failpoint::hit("ingest.commit");
        if changes.is_empty() {
            Ok(())
        } else {
            self.table.store.commit(changes).await
        }
    }
}

/// What became of a buffer.
struct Written {
    place: Place,
    chunks: Vec<Arc<ChunkMeta>>,
    /// Memory that its rows took.
    bytes: usize,
}

/// Writes rows of a place.
struct Write {
    table: Arc<Table>,
    place: Place,
    write_time: i64,
}

impl Write {
    async fn all(self, buffer: Buffer) -> Result<Written> {
        let bytes = buffer.bytes;
        let definition = Arc::clone(&self.table.definition);
        let sort = move || {
            let sorted = Sorted::new(definition, buffer.batches)?;
            Ok((sorted.pieces(), Arc::new(sorted)))
        };
        let (pieces, sorted) = blocking(sort).await?;
        let chunks = pieces.into_iter().map(|piece| self.chunk(&sorted, piece));
        let chunks: Vec<_> = chunks.collect();
        let written = stream::iter(chunks).buffered(threads());
        Ok(Written {
            place: self.place,
            chunks: written.try_collect().await?,
            bytes,
        })
    }

    async fn chunk(&self, sorted: &Arc<Sorted>, piece: Range<usize>) -> Result<Arc<ChunkMeta>> {
        let (sorted, write_time) = (Arc::clone(sorted), self.write_time);
        let chunk = blocking(move || sorted.chunk(piece, write_time)).await?;
        failpoint::hit("ingest.encoded");
        let meta = Arc::clone(&chunk.meta);
        self.table.store.put(self.place, &[chunk]).await?;
        failpoint::hit("ingest.put");
        Ok(meta)
    }
}

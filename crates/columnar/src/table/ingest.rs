//! Loading many rows straight into chunks.

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
use super::conform::conform;
use super::work::{blocking, panicked, threads};
use crate::id::Place;
use crate::meta::ChunkMeta;
use crate::store::Change;
use crate::{Error, Result, failpoint, key};

/// The highest number of chunks whose rows are sorted together. The more there are, the fewer
/// partition keys each chunk has, and the fewer chunks a query of one partition key reads.
const CHUNKS_SORTED_TOGETHER: usize = 32;

/// The default memory that the rows of all places may take before those of the largest place are
/// written.
const BUFFERED_BYTES: usize = 256 << 20;

/// The number of chunks that are written before they are committed together.
const CHUNKS_OF_COMMIT: usize = 64;

/// The number of places whose write times are asked for together before their last rows are written.
const PLACES_CAUGHT_UP_TOGETHER: usize = 256;

/// The result of an ingest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ingested {
    /// The number of rows that came, including those that others have replaced.
    pub rows: u64,
    /// The number of chunks that were written.
    pub chunks: u64,
    /// The bytes of all blobs that were written.
    pub bytes: u64,
}

/// A load that is under way.
///
/// All rows are durable and visible once [`Ingest::finish`] has returned. If an ingest ends before
/// that, some of them may be. Of several rows with the same key, the last one is kept.
pub struct Ingest {
    table: Arc<Table>,
    buffers: HashMap<Place, Buffer>,
    /// The memory that all buffers take.
    buffered_bytes: usize,
    /// The memory that all buffers may take.
    memory: usize,
    writing: JoinSet<Result<Written>>,
    /// The memory of the rows that are being written.
    writing_bytes: usize,
    /// Chunks that are written but not committed.
    written: HashMap<Place, Vec<Arc<ChunkMeta>>>,
    so_far: Ingested,
    /// Whether rows are being moved from one buffer to another, so that a failure now drops some.
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

    /// Sets how many bytes of memory rows may take before those of the largest place are sorted and
    /// written; rows that are being written may take twice as many. The default is 256 MiB.
    pub fn with_memory(self, bytes: usize) -> Self {
        Ingest {
            memory: bytes,
            ..self
        }
    }

    /// Takes rows, whose columns are found by name.
    ///
    /// # Errors
    /// Fails if the rows do not fit the table: then none of them is taken, and others may follow.
    /// Fails, too, if the store does: after that, or after a cancelled write, the ingest refuses
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
        let limit = self.table.definition.chunk_rows as usize * CHUNKS_SORTED_TOGETHER;
        let buffer = self.buffers.get(&place);
        buffer.is_some_and(|buffer| buffer.rows >= limit)
    }

    fn buffer(&mut self, place: Place, rows: RecordBatch) {
        self.buffered_bytes += self.buffers.entry(place).or_default().push(rows);
    }

    /// Begins to write the rows of a place, except those of its last moment if the next rows have
    /// or may have the same one.
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

    /// Returns what was written so far.
    pub fn so_far(&self) -> Ingested {
        self.so_far
    }

    /// Writes what is left. When it returns, all rows are durable and visible.
    ///
    /// # Errors
    /// Fails if the store fails, or an earlier write has failed: then rows may be missing.
    pub async fn finish(mut self) -> Result<Ingested> {
        self.check()?;
        let mut places: Vec<Place> = self.buffers.keys().copied().collect();
        places.sort_unstable();
        for some in places.chunks(PLACES_CAUGHT_UP_TOGETHER) {
            // One after another would take a time for each that writing them does not.
            self.table.store.catch_up(some).await?;
            for place in some {
                self.flush(*place).await?;
            }
        }
        while !self.writing.is_empty() {
            self.wait_for_one().await?;
        }
        self.commit().await?;
        Ok(self.so_far)
    }

    /// Divides rows among their places.
    fn by_place(&self, rows: &RecordBatch) -> Result<Vec<(Place, RecordBatch)>> {
        let definition = &self.table.definition;
        if rows.num_rows() == 0 {
            return Ok(Vec::new());
        }
        // Keys are encoded again when the rows are sorted. A table of one place is spared the first
        // time.
        if let Some(place) = definition.only_place() {
            return Ok(vec![(place, rows.clone())]);
        }
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

    /// Begins to write the rows of a place as soon as there is room for them among those that are
    /// being written.
    async fn flush(&mut self, place: Place) -> Result<()> {
        let Some(buffer) = self.buffers.remove(&place) else {
            return Ok(());
        };
        self.buffered_bytes -= buffer.bytes;
        while self.is_busy(buffer.bytes) {
            self.wait_for_one().await?;
        }
        self.table.store.catch_up(&[place]).await?;
        // The write time is chosen here and not when the chunk is made, so that rows that come
        // later win over these, whichever of them are encoded first.
        let write = Write {
            table: Arc::clone(&self.table),
            place,
            write_time: self.table.store.write_time(),
        };
        self.writing_bytes += buffer.bytes;
        self.writing.spawn(write.all(buffer));
        Ok(())
    }

    /// Returns whether something that is being written has to end before this many bytes more may be.
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

/// The result of writing a buffer.
struct Written {
    place: Place,
    chunks: Vec<Arc<ChunkMeta>>,
    /// The memory that its rows took.
    bytes: usize,
}

/// The task that writes the rows of a place.
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
        let chunks: Vec<_> = pieces
            .into_iter()
            .map(|piece| self.chunk(&sorted, piece))
            .collect();
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

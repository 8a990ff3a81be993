//! The rows of a simulated table, and its chunks, which are lists of them.

use std::collections::BTreeMap;
use std::num::NonZeroI64;
use std::sync::Arc;

use bakeoff_columnar::cassandra::CassandraStore;
use bakeoff_columnar::internals::crc;
use bakeoff_columnar::{
    BlobMeta, Chunk, ChunkId, ChunkMeta, Column, ColumnStats, Definition, FreshRow, KeyRange, Kind,
    Place, Result, Store,
};
use bytes::Bytes;

/// The places in which rows are.
pub const PLACES: [Place; 2] = [
    Place {
        bucket: 19_000,
        shard: 1,
    },
    Place {
        bucket: -3,
        shard: 0,
    },
];

/// The bytes that make a chunk too large for a single row.
const PADDING: usize = 40_000;

/// What a reader sees of a place.
pub struct Shown {
    pub chunks: Vec<ChunkId>,
    pub fresh: usize,
    /// All versions of all keys: the fresh ones, and those of each chunk.
    pub rows: Vec<FreshRow>,
}

pub fn definition() -> Definition {
    let columns = vec![
        Column::new("host", Kind::Text),
        Column::new("time", Kind::Timestamp),
    ];
    Definition {
        bucket: NonZeroI64::new(86_400_000),
        shards: 2,
        ..Definition::new(columns, &["host"], &["time"])
    }
}

/// Makes a row whose value is its write time, or the deletion of a key.
pub fn row(key: &str, write_time: i64, is_deleted: bool) -> FreshRow {
    FreshRow {
        key: Bytes::copy_from_slice(key.as_bytes()),
        write_time,
        row: (!is_deleted).then(|| Bytes::from(write_time.to_string())),
    }
}

/// Returns the valid version of each key.
pub fn newest(rows: &[FreshRow]) -> BTreeMap<Bytes, FreshRow> {
    let mut newest: BTreeMap<Bytes, FreshRow> = BTreeMap::new();
    for row in rows {
        let there = newest.entry(row.key.clone());
        let there = there.or_insert_with(|| row.clone());
        if row.replaces(there) {
            *there = row.clone();
        }
    }
    newest
}

/// Reads a place.
pub async fn read(store: &CassandraStore, place: Place, keys: KeyRange<'_>) -> Result<Shown> {
    let snapshot = store.snapshot(place, keys).await?;
    let fresh = snapshot.fresh.len();
    let mut rows = snapshot.fresh;
    for chunk in &snapshot.chunks {
        let blobs = store.blobs(place, chunk, &[0]).await?;
        assert_eq!(
            crc(&blobs[0]),
            chunk.blobs[0].crc,
            "a blob of another chunk"
        );
        rows.extend(decoded(&blobs[0]));
    }
    let chunks = snapshot.chunks.iter().map(|chunk| chunk.id).collect();
    Ok(Shown {
        chunks,
        fresh,
        rows,
    })
}

/// Makes a chunk of these rows, on the machine of this task.
pub fn chunk<'a>(rows: impl IntoIterator<Item = &'a FreshRow>, is_large: bool) -> Chunk {
    let padding = if is_large { PADDING } else { 0 };
    let rows: Vec<&FreshRow> = rows.into_iter().collect();
    let newest = rows.iter().map(|row| row.write_time).max().unwrap_or(0);
    let blobs = vec![encoded(&rows), Bytes::from(vec![0; 2 * padding])];
    let of_blob = |blob: &Bytes| BlobMeta {
        bytes: blob.len() as u32,
        crc: crc(blob),
    };
    let meta = ChunkMeta {
        id: ChunkId::new(),
        rows: 1000,
        deleted: 0,
        first: Bytes::from_static(b"a"),
        last: Bytes::from_static(b"z"),
        // There is no blob of write times, as if they were all the same.
        min_write_time: newest,
        max_write_time: newest,
        order_range: None,
        widest: 0,
        stats: vec![ColumnStats::default(); blobs.len()],
        blobs: blobs.iter().map(of_blob).collect(),
    };
    Chunk {
        meta: Arc::new(meta),
        blobs,
    }
}

fn encoded(rows: &[&FreshRow]) -> Bytes {
    let line = |row: &&FreshRow| {
        let key = std::str::from_utf8(&row.key).unwrap();
        format!("{key} {} {}\n", row.write_time, row.row.is_none())
    };
    let lines: String = rows.iter().map(line).collect();
    lines.into()
}

fn decoded(blob: &[u8]) -> Vec<FreshRow> {
    let of_line = |line: &str| {
        let parts: Vec<&str> = line.split(' ').collect();
        row(parts[0], parts[1].parse().unwrap(), parts[2] == "true")
    };
    let lines = std::str::from_utf8(blob).unwrap().lines();
    lines.map(of_line).collect()
}

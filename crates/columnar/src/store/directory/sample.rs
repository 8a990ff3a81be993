//! Metadata for tests.

use std::sync::Arc;

use bytes::Bytes;
use uuid::Uuid;

use crate::id::ChunkId;
use crate::meta::ChunkMeta;

/// Makes the metadata of a chunk with this name.
pub fn meta(id: u128) -> Arc<ChunkMeta> {
    Arc::new(ChunkMeta {
        id: ChunkId(Uuid::from_u128(id)),
        rows: 1,
        deleted: 0,
        first: Bytes::from_static(b"a"),
        last: Bytes::from_static(b"b"),
        min_write_time: 1,
        max_write_time: 1,
        order_range: None,
        widest: 1,
        stats: Vec::new(),
        blobs: Vec::new(),
    })
}

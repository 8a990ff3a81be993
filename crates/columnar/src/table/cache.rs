//! A cache of encoded blobs. Blobs never change, so none is ever stale.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::id::ChunkId;

/// The name of a blob: its chunk and number.
type Name = (ChunkId, u16);

/// The memory that an entry takes in addition to its bytes.
const ENTRY_BYTES: u64 = 96;

/// Weighs blobs by the memory that they take.
#[derive(Clone)]
struct ByBytes;

impl Weighter<Name, Bytes> for ByBytes {
    fn weight(&self, _: &Name, blob: &Bytes) -> u64 {
        blob.len() as u64 + ENTRY_BYTES
    }
}

/// The use of a table's cache so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// The number of blobs that were found in memory.
    pub hits: u64,
    /// The number of blobs that had to be read from the store.
    pub misses: u64,
    /// The bytes that the blobs in memory take.
    pub bytes: u64,
    /// The highest number of bytes that they may take.
    pub limit_bytes: u64,
}

/// The most recently used blobs of a table.
pub struct BlobCache {
    blobs: Option<Cache<Name, Bytes, ByBytes>>,
    limit_bytes: u64,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl BlobCache {
    /// Makes a cache of this many bytes, which holds nothing if the limit is 0.
    pub fn new(limit_bytes: u64) -> Self {
        let expected = usize::try_from(limit_bytes / (32 << 10))
            .unwrap_or(usize::MAX)
            .max(16);
        let blobs = (limit_bytes > 0).then(|| Cache::with_weighter(expected, limit_bytes, ByBytes));
        BlobCache {
            blobs,
            limit_bytes,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    pub fn get(&self, chunk: ChunkId, number: u16) -> Option<Bytes> {
        let found = self.blobs.as_ref()?.get(&(chunk, number));
        let counter = if found.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    pub fn insert(&self, chunk: ChunkId, number: u16, blob: &Bytes) {
        if let Some(blobs) = &self.blobs {
            // The blob may be a slice of a much larger page, which would stay in memory with it.
            blobs.insert((chunk, number), Bytes::copy_from_slice(blob));
        }
    }

    pub fn statistics(&self) -> CacheStatistics {
        CacheStatistics {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            bytes: self.blobs.as_ref().map_or(0, Cache::weight),
            limit_bytes: self.limit_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept_and_counted() {
        let cache = BlobCache::new(1 << 20);
        let chunk = ChunkId::new();
        assert_eq!(cache.get(chunk, 0), None);
        cache.insert(chunk, 0, &Bytes::from_static(b"blob"));
        assert_eq!(cache.get(chunk, 0), Some(Bytes::from_static(b"blob")));
        let statistics = cache.statistics();
        assert_eq!((statistics.hits, statistics.misses), (1, 1));
        assert_eq!(statistics.bytes, 4 + ENTRY_BYTES);
    }

    #[test]
    fn the_limit_holds() {
        let cache = BlobCache::new(100_000);
        let blob = Bytes::from(vec![0; 1000]);
        for number in 0..1000 {
            cache.insert(ChunkId::new(), number, &blob);
        }
        assert!(cache.statistics().bytes <= 100_000);
    }

    #[test]
    fn without_memory_nothing_is_kept() {
        let cache = BlobCache::new(0);
        let chunk = ChunkId::new();
        cache.insert(chunk, 0, &Bytes::from_static(b"blob"));
        assert_eq!(cache.get(chunk, 0), None);
    }
}

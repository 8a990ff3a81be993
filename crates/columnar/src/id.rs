//! The names of places and chunks.

use std::fmt;

use uuid::Uuid;

use crate::failpoint;

/// The part of a table that is written and sealed as one: a time bucket and a shard.
///
/// A place in Cassandra is one partition of each of the table's CQL tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The time bucket: the first order key divided by the bucket's width, rounded down, or 0 in a
    /// table without buckets.
    pub bucket: i64,
    /// The hash of the partition key modulo the number of shards.
    pub shard: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bucket {} shard {}", self.bucket, self.shard)
    }
}

/// The name of a chunk. Names that a process makes later are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub Uuid);

impl ChunkId {
    /// Makes a new name: a UUID of version 7, which is the time followed by random bits.
    pub fn new() -> Self {
        ChunkId(failpoint::timed_name(Uuid::now_v7()))
    }
}

impl Default for ChunkId {
    fn default() -> Self {
        ChunkId::new()
    }
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

//! What nodetool prints of a node, as figures every one of which may be missing.

use serde::Serialize;

/// Figures of a node that only nodetool has.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Printed {
    /// The tables of the node's figures, in the same order; empty if none was asked for.
    pub tables: Vec<PrintedTable>,
    /// From `gcstats`; `None` as well if it was not asked for.
    pub gc: Option<GcStatistics>,
    pub info: Option<NodeInfo>,
    /// From `netstats`.
    pub read_repairs: Option<ReadRepairs>,
}

/// What `tablestats` and `tablehistograms` print of a node's share of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PrintedTable {
    /// From `tablestats`.
    pub statistics: Option<PrintedStatistics>,
    /// From `tablehistograms`.
    pub histograms: Option<Histograms>,
}

/// What `tablestats` prints of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PrintedStatistics {
    /// Bytes of SSTables that are in use.
    pub live_bytes: Option<u64>,
    pub sstables: Option<u64>,
    /// Compressed bytes by uncompressed ones; `None` if nothing is compressed.
    pub compression_ratio: Option<f64>,
    /// Bytes of memory off heap for the places of compressed chunks.
    pub compression_metadata_bytes: Option<u64>,
    /// Looks into SSTables that lack the key, which their Bloom filters did not prevent, of the SSTables that are
    /// in use.
    pub bloom_false_positives: Option<u64>,
    /// Share of false positives in the looks at Bloom filters since anybody last asked for it, by nodetool or JMX.
    pub bloom_false_ratio: Option<f64>,
    /// Partitions as Cassandra estimates them.
    pub partitions: Option<u64>,
    /// Bytes of the largest partition that was compacted, before compression.
    pub max_partition_bytes: Option<u64>,
}

/// What `tablehistograms` prints of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Histograms {
    pub read_micros: Percentiles,
    pub write_micros: Percentiles,
    pub sstables_per_read: Percentiles,
    /// Bytes of a partition before compression.
    pub partition_bytes: Percentiles,
    pub cells_per_partition: Percentiles,
}

/// Percentiles of a distribution; all of them are `None` if nothing was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Percentiles {
    pub p50: Option<f64>,
    pub p95: Option<f64>,
    pub p99: Option<f64>,
    pub max: Option<f64>,
}

/// What `gcstats` prints: garbage collections since its last call by anybody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct GcStatistics {
    /// Time since the last call in milliseconds.
    pub interval_ms: f64,
    /// Longest collection in milliseconds.
    pub max_ms: f64,
    /// All collections together in milliseconds.
    pub total_ms: f64,
    pub collections: u64,
}

/// What `info` prints of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct NodeInfo {
    pub uptime_seconds: Option<u64>,
    /// Java's heap in use and at most, in MiB.
    pub heap_used_mib: Option<f64>,
    pub heap_max_mib: Option<f64>,
    /// Memory off heap of memtables, filters, indexes and compression, in MiB.
    pub off_heap_mib: Option<f64>,
}

/// What `netstats` prints of read repairs since the node started: reads that this node coordinated, and of which copies
/// did not agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ReadRepairs {
    /// Reads that were chosen by chance to be compared with all copies, which Cassandra 4.0 and later never do.
    pub attempted: u64,
    /// Reads whose copies were made equal before they were answered.
    pub blocking: u64,
    /// Reads whose copies were made equal after they were answered, which Cassandra 4.0 and later never do.
    pub background: u64,
}

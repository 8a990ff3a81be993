//! What was read of a cluster, as plain figures every one of which may be missing.

use serde::Serialize;

/// Everything that rules look at.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Evidence {
    /// Address that was named, as `HOST:PORT`.
    pub named: String,
    /// IP addresses that the named host has; empty if they are not known.
    pub named_ips: Vec<String>,
    pub nodes: Vec<Node>,
    /// Addresses of nodes that joined the ring while the others were read, and of which nothing is known.
    pub joined: Vec<String>,
    /// Tables to look at; those of nodes are in the same order.
    pub tables: Vec<Table>,
    pub asked: Asked,
}

/// What was asked for besides system views.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    pub nodetool: bool,
    /// Whether nodetool told garbage collections.
    pub gc: bool,
    pub metrics: bool,
    /// Whether nodetool sampled the keys of reads.
    pub keys: bool,
}

/// Figures of a node. Counters begin when it starts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Node {
    /// IP address and port.
    pub address: String,
    /// IP address.
    pub host: String,
    pub datacenter: Option<String>,
    /// `None` if the node does not answer.
    pub version: Option<String>,
    pub pools: Option<Vec<Pool>>,
    pub caches: Option<Vec<Cache>>,
    pub heap_used_bytes: Option<f64>,
    pub heap_max_bytes: Option<f64>,
    /// Longest garbage collection since somebody last asked, in milliseconds.
    pub longest_gc_ms: Option<f64>,
    /// Compactions that wait or run, as the node estimates them.
    pub pending_compactions: Option<u64>,
    /// Bytes that the disk of its data reads ahead.
    pub read_ahead_bytes: Option<u64>,
    /// Messages that it has given up since it started, because they had waited for too long.
    pub dropped: Option<Vec<Dropped>>,
    /// Messages that it has sent to other nodes.
    pub sent_messages: Option<u64>,
    /// IP addresses of the other nodes that it knows.
    pub peers: Option<Vec<String>>,
    /// Its shares of the tables.
    pub tables: Vec<Share>,
    pub missing: Vec<Missing>,
}

/// A figure that is not available.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Name of the view or source, such as `disk_usage` or `nodetool info`.
    pub figure: String,
    pub reason: String,
}

/// Messages of one kind that a node has given up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// Name such as `READ_REQ` or `MUTATION_REQ`.
    pub name: String,
    pub count: u64,
}

/// A pool of threads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Pool {
    pub name: String,
    pub pending: Option<u64>,
    /// Tasks that are blocked at this moment.
    pub blocked: Option<u64>,
}

/// A cache of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Cache {
    /// `chunks`, `keys`, `rows` or `counters`.
    pub name: String,
    pub capacity_bytes: Option<u64>,
    pub hits: Option<u64>,
    pub requests: Option<u64>,
}

/// A node's share of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Share {
    /// Bytes of the largest partition before compression.
    pub max_partition_bytes: Option<u64>,
    /// Mean bytes of a partition before compression.
    pub mean_partition_bytes: Option<f64>,
    /// Bytes before compression that 99% of the partitions do not exceed.
    pub p99_partition_bytes: Option<f64>,
    /// Most cells of a partition.
    pub max_partition_cells: Option<f64>,
    pub coordinator_reads: Latency,
    pub local_reads: Latency,
    pub tombstones_per_read: Spread,
    pub rows_per_read: Spread,
    pub sstables: Option<u64>,
    pub sstables_per_read_p95: Option<f64>,
    /// Compressed bytes by uncompressed ones.
    pub compression_ratio: Option<f64>,
    /// Looks into SSTables that do not have the key, which their Bloom filters did not prevent, of the SSTables that
    /// are in use.
    pub bloom_false_positives: Option<u64>,
    /// Keys that were read most while they were sampled, most first.
    pub keys: Option<Vec<Key>>,
}

/// A partition key, and how often it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Key {
    pub key: String,
    pub reads: u64,
}

/// Requests since the node started, and their recent latencies in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Latency {
    pub count: Option<u64>,
    pub p50: Option<f64>,
    pub p99: Option<f64>,
}

/// A recent distribution of a number per read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spread {
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    pub max: Option<f64>,
}

/// A table as the schema has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Table {
    /// `KEYSPACE.TABLE`.
    pub name: String,
    /// Class of its compaction without the package, such as `SizeTieredCompactionStrategy`.
    pub compaction: Option<String>,
    pub compaction_is_off: bool,
    /// Length of a compression chunk in KiB; `None` if nothing is compressed.
    pub chunk_kib: Option<u64>,
    /// The share of looks at Bloom filters that may be false positives.
    pub bloom_fp_chance: Option<f64>,
    /// Whether a row has an order key.
    pub has_order_key: bool,
    /// Whether partitions may stay in a row cache.
    pub caches_rows: bool,
    /// Columns of its secondary indexes, and how their values are distributed.
    pub indexes: Vec<Index>,
    /// Why its schema is not known.
    pub unknown: Option<String>,
}

/// A secondary index of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Index {
    pub column: String,
    /// Values of a sample, or why there is none.
    pub sample: Result<Sample, String>,
}

/// Values of a column in one row each of some partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sample {
    pub rows: u64,
    /// Rows that have the most frequent value.
    pub most_frequent: u64,
}

impl Node {
    /// Returns why a figure is not available.
    pub fn why(&self, figure: &str) -> Option<&str> {
        let missing = self.missing.iter().find(|m| m.figure == figure)?;
        Some(&missing.reason)
    }
}

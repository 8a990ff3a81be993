//! Limits and settings of the servers that are started for a workload.

/// Limits and settings of each Cassandra that is started for a workload. What is absent is as Bakeoff
/// chooses it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerSettings {
    pub heap_mib: Option<u64>,
    /// Limit of heap, memory outside the heap and page cache together.
    pub memory_mib: Option<u64>,
    /// Most bytes that it reads from the disk in a second.
    pub disk_read_bytes: Option<u64>,
    pub time_outs: TimeOuts,
    /// Part of the heap in which objects are made.
    pub young_mib: Option<u64>,
    pub collector: Option<Collector>,
    /// Processors that the JVM believes there are; its threads may still run on all.
    pub processors: Option<u32>,
    /// Keys of `cassandra.yaml` that a workload may set, with values of their form, in the order of the
    /// keys.
    pub cassandra: Vec<(String, String)>,
}

/// Time after which Cassandra gives requests up, unless a workload sets one of these keys itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeOuts {
    /// Long enough for aggregates over whole tables.
    #[default]
    Long,
    /// The defaults of Cassandra as it is shipped.
    Shipped,
}

/// Garbage collector of the JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collector {
    G1,
    Zgc,
    Parallel,
    Serial,
}

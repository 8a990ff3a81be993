//! What exporters of metrics expose of a node, as figures every one of which may be missing.

use serde::Serialize;

/// Figures of a node from a JVM exporter and a node exporter. Counters begin when the process or the machine starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Exposed {
    /// CPU time of Cassandra in seconds.
    pub cpu_seconds: Option<f64>,
    /// Memory of Cassandra that is resident, in bytes.
    pub resident_bytes: Option<f64>,
    pub heap_used_bytes: Option<f64>,
    pub heap_max_bytes: Option<f64>,
    /// Bytes that were allocated in the heap.
    pub allocated_bytes: Option<f64>,
    /// Garbage collections of all collectors.
    pub gc_count: Option<f64>,
    /// Time of garbage collections in seconds.
    pub gc_seconds: Option<f64>,
    /// CPU time of the whole machine in seconds; idle time, waiting for disks, and what other machines of the same host
    /// took are left out.
    pub machine_cpu_seconds: Option<f64>,
    pub machine_cpus: Option<f64>,
    /// Load average of the last minute.
    pub load_average: Option<f64>,
    pub memory_bytes: Option<f64>,
    pub memory_available_bytes: Option<f64>,
    /// Bytes read from all disks; devices made of others, such as RAID and LVM, do not count.
    pub disk_read_bytes: Option<f64>,
    pub disk_written_bytes: Option<f64>,
    /// Requests to read from all disks.
    pub disk_reads: Option<f64>,
    pub disk_writes: Option<f64>,
}

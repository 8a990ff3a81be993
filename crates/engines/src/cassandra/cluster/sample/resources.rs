//! Samples of what nodes use: by the operating system of those that Bakeoff started, by exporters of metrics of others.

use bakeoff_servers::cassandra::Nodes;
use bakeoff_stats::ServerSample;

use crate::cassandra::nodes::Told;

/// Samples the resources of a server that Bakeoff started.
pub(super) fn used(server: Option<&Nodes>) -> ServerSample {
    let usage = server.map(Nodes::usage).unwrap_or_default();
    let requests = server.and_then(Nodes::device_requests);
    ServerSample {
        cpu_seconds: usage.cpu_seconds,
        resident_bytes: usage.resident_bytes,
        memory_limit_bytes: server.and_then(Nodes::memory_limit_bytes),
        limited_bytes: usage.limited_bytes,
        page_cache_bytes: usage.page_cache_bytes,
        disk_read_bytes: usage.disk_read_bytes,
        disk_written_bytes: usage.disk_written_bytes,
        compaction_read_bytes: usage.compaction_read_bytes,
        compaction_written_bytes: usage.compaction_written_bytes,
        gc_count: usage.gc_count,
        gc_seconds: usage.gc_seconds,
        allocated_bytes: usage.allocated_bytes,
        device_reads: requests.map(|requests| requests.reads),
        device_writes: requests.map(|requests| requests.writes),
        device_queue_seconds: requests.map(|requests| requests.seconds),
        load_average: server.and_then(Nodes::load_average),
        ..ServerSample::default()
    }
}

/// Samples the resources of an existing cluster, by what its exporters tell. Bytes and requests of disks, the load and
/// the network are those of whole machines. So is the CPU time of machines, which is never taken for that of Cassandra.
pub(super) fn exported(told: Told) -> ServerSample {
    let whole = |figure: Option<f64>| figure.map(|figure| figure as u64);
    let of = told.exposed;
    ServerSample {
        cpu_seconds: of.cpu_seconds,
        machine_cpu_seconds: of.machine_cpu_seconds,
        resident_bytes: whole(of.resident_bytes),
        heap_used_bytes: whole(of.heap_used_bytes),
        disk_read_bytes: whole(of.disk_read_bytes),
        disk_written_bytes: whole(of.disk_written_bytes),
        gc_count: whole(of.gc_count),
        gc_seconds: of.gc_seconds,
        allocated_bytes: whole(of.allocated_bytes),
        device_reads: whole(of.disk_reads),
        device_writes: whole(of.disk_writes),
        device_queue_seconds: of.disk_queue_seconds,
        load_average: of.load_average,
        network_received_bytes: whole(of.network_received_bytes),
        network_sent_bytes: whole(of.network_sent_bytes),
        notes: told.notes,
        ..ServerSample::default()
    }
}

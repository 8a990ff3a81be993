//! Lines of what exporters of metrics expose of servers and their machines.

use bakeoff_engines::nodes::Exposed;
use bakeoff_report::units;

use super::laid_out::Row;

/// Returns a line for each figure, with a cell for each server.
pub fn exposed_rows(servers: &[Option<&Exposed>]) -> Vec<Row> {
    let figure = |label: &str, get: fn(&Exposed) -> Option<f64>, show: fn(f64) -> String| {
        let cell = |server: &Option<&Exposed>| server.and_then(get).map(show);
        Row {
            label: label.to_owned(),
            cells: servers.iter().map(cell).collect(),
        }
    };
    let number = |value: f64| format!("{value:.1}");
    let whole = |value: f64| units::count(value as u64);
    vec![
        figure("CPU time of Cassandra", |m| m.cpu_seconds, units::duration),
        figure("memory of Cassandra", |m| m.resident_bytes, units::bytes),
        figure("heap in use", |m| m.heap_used_bytes, units::bytes),
        figure("heap at most", |m| m.heap_max_bytes, units::bytes),
        figure("allocated", |m| m.allocated_bytes, units::bytes),
        figure("collections", |m| m.gc_count, whole),
        figure("time of collections", |m| m.gc_seconds, units::duration),
        figure(
            "CPU time of machine",
            |m| m.machine_cpu_seconds,
            units::duration,
        ),
        figure("CPUs", |m| m.machine_cpus, whole),
        figure("load average", |m| m.load_average, number),
        figure("memory of machine", |m| m.memory_bytes, units::bytes),
        figure(
            "memory available",
            |m| m.memory_available_bytes,
            units::bytes,
        ),
        figure("read from disks", |m| m.disk_read_bytes, units::bytes),
        figure("written to disks", |m| m.disk_written_bytes, units::bytes),
        figure("requests to read", |m| m.disk_reads, whole),
        figure("requests to write", |m| m.disk_writes, whole),
    ]
}

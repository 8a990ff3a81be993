//! Lines of what exporters of metrics expose of servers and their machines.

use bakeoff_engines::nodes::{Exposed, Rates};
use bakeoff_report::units;

use super::laid_out::Row;

/// A figure that may not be known.
type Figure = fn(&Exposed) -> Option<f64>;
/// Its growth a second.
type Rate = fn(&Rates) -> Option<f64>;

/// Returns a line for each figure, with a cell for each server. Counters have their growth a second, where two looks
/// show it, before what they have counted so far, since the server or its machine started.
pub fn exposed_rows(servers: &[Option<&Exposed>]) -> Vec<Row> {
    let row = |label: &str, cell: &dyn Fn(&Exposed) -> Option<String>| Row {
        label: label.to_owned(),
        cells: { servers.iter() }
            .map(|server| server.and_then(cell))
            .collect(),
    };
    let figure = |label: &str, get: Figure, show: fn(f64) -> String| {
        row(label, &|exposed| get(exposed).map(show))
    };
    let counter = |label: &str,
                   rate: Rate,
                   in_rate: fn(f64) -> String,
                   get: Figure,
                   show: fn(f64) -> String| {
        row(label, &|exposed| {
            let rate = exposed.rates.as_ref().and_then(rate).map(in_rate);
            let so_far = get(exposed).map(|counted| so_far(&show(counted)));
            match (rate, so_far) {
                (Some(rate), Some(so_far)) => Some(format!("{rate}, {so_far}")),
                (rate, so_far) => rate.or(so_far),
            }
        })
    };
    let busy = |cpus: f64| format!("{cpus:.2} CPUs busy");
    let number = |value: f64| format!("{value:.1}");
    let whole = |value: f64| units::count(value as u64);
    let bytes_a_second = |bytes: f64| format!("{}/s", units::bytes(bytes));
    let a_second = |requests: f64| format!("{requests:.1}/s");
    // Collections are too rare for a rate of one second.
    let unrated: Rate = |_| None;
    vec![
        counter(
            "CPU time of Cassandra",
            |r| r.cpus,
            busy,
            |e| e.cpu_seconds,
            units::duration,
        ),
        figure("memory of Cassandra", |e| e.resident_bytes, units::bytes),
        figure("heap in use", |e| e.heap_used_bytes, units::bytes),
        figure("heap at most", |e| e.heap_max_bytes, units::bytes),
        counter(
            "allocated",
            |r| r.allocated_bytes,
            bytes_a_second,
            |e| e.allocated_bytes,
            units::bytes,
        ),
        counter("collections", unrated, number, |e| e.gc_count, whole),
        counter(
            "time of collections",
            unrated,
            number,
            |e| e.gc_seconds,
            units::duration,
        ),
        counter(
            "CPU time of machine",
            |r| r.machine_cpus,
            busy,
            |e| e.machine_cpu_seconds,
            units::duration,
        ),
        figure("CPUs", |e| e.machine_cpus, whole),
        figure("load average", |e| e.load_average, number),
        figure("memory of machine", |e| e.memory_bytes, units::bytes),
        figure(
            "memory available",
            |e| e.memory_available_bytes,
            units::bytes,
        ),
        figure("page cache", |e| e.page_cache_bytes, units::bytes),
        counter(
            "read from disks",
            |r| r.disk_read_bytes,
            bytes_a_second,
            |e| e.disk_read_bytes,
            units::bytes,
        ),
        counter(
            "written to disks",
            |r| r.disk_written_bytes,
            bytes_a_second,
            |e| e.disk_written_bytes,
            units::bytes,
        ),
        counter(
            "requests to read",
            |r| r.disk_reads,
            a_second,
            |e| e.disk_reads,
            whole,
        ),
        counter(
            "requests to write",
            |r| r.disk_writes,
            a_second,
            |e| e.disk_writes,
            whole,
        ),
        row("queue of disks", &|exposed| {
            let mean = exposed.rates.and_then(|rates| rates.disk_queue);
            let mean = mean.map(|mean| format!("{mean:.2} in the mean"));
            let now = exposed.disk_requests_now.map(|now| format!("{now:.0} now"));
            match (mean, now) {
                (Some(mean), Some(now)) => Some(format!("{mean}, {now}")),
                (mean, now) => mean.or(now),
            }
        }),
        counter(
            "received by network",
            |r| r.network_received_bytes,
            bytes_a_second,
            |e| e.network_received_bytes,
            units::bytes,
        ),
        counter(
            "sent by network",
            |r| r.network_sent_bytes,
            bytes_a_second,
            |e| e.network_sent_bytes,
            units::bytes,
        ),
    ]
}

/// Marks what was counted since the start of a server or a machine.
pub fn so_far(counted: &str) -> String {
    format!("{counted} so far")
}

/// Names what exporters that were asked do not tell of any server, and which one would.
pub fn exposed_hints(servers: &[Option<&Exposed>], is_cassandra: bool) -> Vec<&'static str> {
    let has = |figure: Figure| servers.iter().flatten().any(|e| figure(e).is_some());
    let (has_machine, has_jvm) = (has(|e| e.machine_cpu_seconds), has(|e| e.heap_used_bytes));
    let mut hints = Vec::new();
    if has_jvm && !has_machine {
        hints.push(
            "--metrics of a node exporter, usually at port 9100: load, page cache, disks with their queue, and network",
        );
    }
    if is_cassandra && has_machine && !has_jvm {
        hints.push(
            "--metrics of a JVM exporter, often at port 7070: heap, collections and allocation",
        );
    }
    hints
}

/// Says what no option brings, of servers whose machines are shown.
pub fn not_available(servers: &[Option<&Exposed>]) -> Vec<&'static str> {
    let mut known = servers.iter().flatten();
    if known.all(|exposed| exposed.machine_cpu_seconds.is_none()) {
        return Vec::new();
    }
    vec![
        "network, page cache and queue of disks of the server alone: they are those of its whole machine",
    ]
}

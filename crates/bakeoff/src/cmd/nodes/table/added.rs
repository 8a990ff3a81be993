//! The lines of what options add to the views: nodetool and exporters of metrics.

use std::fmt::Write;

use bakeoff_engines::nodes::{Exposed, NodeFigures, ReadRepairs};
use bakeoff_report::units;

use super::{Row, row};

/// Makes the lines of a node that nodetool prints.
pub(super) fn by_nodetool(nodes: &[NodeFigures]) -> Vec<Row> {
    let info = |node: &NodeFigures| node.nodetool.as_ref()?.info;
    let gc = |node: &NodeFigures| node.nodetool.as_ref()?.gc;
    vec![
        row(nodes, "up", |node| {
            let seconds = info(node)?.uptime_seconds?;
            Some(units::duration(seconds as f64))
        }),
        row(nodes, "heap", |node| {
            let (used, most) = (info(node)?.heap_used_mib?, info(node)?.heap_max_mib?);
            Some(format!("{used:.0} of {most:.0} MiB"))
        }),
        row(nodes, "memory off heap", |node| {
            info(node)?.off_heap_mib.map(|mib| format!("{mib:.1} MiB"))
        }),
        row(nodes, "GC since last gcstats", |node| {
            let gc = gc(node)?;
            let (all, longest) = (gc.total_ms / 1e3, gc.max_ms / 1e3);
            let (all, longest) = (units::duration(all), units::duration(longest));
            let count = units::count(gc.collections);
            Some(format!("{count} in {all}, longest {longest}"))
        }),
        row(nodes, "read repairs", |node| {
            Some(repairs_in_words(node.nodetool.as_ref()?.read_repairs?))
        }),
    ]
}

/// Names what Cassandra 4.0 and later never do only where it has been done.
fn repairs_in_words(repairs: ReadRepairs) -> String {
    let mut words = format!("{} before the answer", units::count(repairs.blocking));
    if repairs.background > 0 {
        // Writing to a String cannot fail.
        let _ = write!(words, ", {} after it", units::count(repairs.background));
    }
    if repairs.attempted > 0 {
        let _ = write!(words, ", {} by chance", units::count(repairs.attempted));
    }
    words
}

/// Makes the lines of what exporters expose.
pub(super) fn by_metrics(nodes: &[NodeFigures]) -> Vec<Row> {
    let figure = |label: &str, get: fn(&Exposed) -> Option<f64>, show: fn(f64) -> String| {
        row(nodes, label, |node| get(node.metrics.as_ref()?).map(show))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_repairs_of_old_versions_are_told_apart() {
        let repairs = ReadRepairs {
            attempted: 30,
            blocking: 2,
            background: 5,
        };
        let words = "2 before the answer, 5 after it, 30 by chance";
        assert_eq!(repairs_in_words(repairs), words);
    }
}

//! The figures of nodes as a table for a terminal: a line for each figure, a column for each node.

mod added;

use std::collections::BTreeSet;
use std::fmt::Write;

use bakeoff_engines::nodes::{
    Cache, Exposed, Latency, Missing, NodeFigures, Percentiles, PrintedTable, Spread, TableFigures,
    ThreadPool, all_bytes,
};
use bakeoff_report::units;

use super::exposed::{exposed_hints, exposed_rows, so_far};
use super::laid_out::Row;
use super::shown::{self, METRICS, Server, counted, exposed, row};

#[cfg(test)]
mod tests;

/// Pools that are always shown; others only if something waits for them or was blocked.
const POOLS: [&str; 4] = [
    "CompactionExecutor",
    "MutationStage",
    "Native-Transport-Requests",
    "ReadStage",
];

/// What was asked for besides the views.
pub struct Asked {
    pub nodetool: bool,
    /// Garbage collections by nodetool.
    pub gc: bool,
    pub metrics: bool,
}

impl Server for NodeFigures {
    fn address(&self) -> &str {
        &self.address
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn metrics(&self) -> Option<&Exposed> {
        self.metrics.as_ref()
    }

    fn missing(&self) -> &[Missing] {
        &self.missing
    }
}

/// Renders figures of nodes, what is missing, and which options would bring more.
pub fn render(nodes: &[NodeFigures], asked: &Asked) -> String {
    let mut lines = of_nodes(nodes);
    let tables = nodes.first().map(|node| &node.tables[..]);
    for (place, table) in tables.unwrap_or_default().iter().enumerate() {
        lines.push(Row {
            label: table.name.to_string(),
            cells: Vec::new(),
        });
        lines.extend(of_table(nodes, place));
    }
    let mut hints = hints(nodes, asked);
    hints.extend(exposed_hints(&exposed(nodes), true));
    shown::render(nodes, &headline(nodes), lines, &hints)
}

fn headline(nodes: &[NodeFigures]) -> String {
    let mut line = counted(nodes, ("node", "nodes"), "Cassandra");
    if nodes.first().is_some_and(|node| !node.tables.is_empty())
        && let Ok(bytes) = all_bytes(nodes)
    {
        let bytes = units::bytes(bytes as f64);
        // Writing to a String cannot fail.
        let _ = write!(
            line,
            ": the tables asked for have {bytes} together, with every copy"
        );
    }
    line
}

fn of_nodes(nodes: &[NodeFigures]) -> Vec<Row> {
    let mut rows = vec![
        row(nodes, "version", |node| node.version.clone()),
        row(nodes, "datacenter, rack", |node| {
            let (datacenter, rack) = (node.datacenter.as_ref()?, node.rack.as_ref()?);
            Some(format!("{datacenter}, {rack}"))
        }),
        row(nodes, "bytes of all tables", |node| {
            node.all_tables_bytes
                .map(|bytes| units::bytes(bytes as f64))
        }),
        row(nodes, "tasks on SSTables", |node| {
            let tasks = node.sstable_tasks.as_ref()?;
            Some(units::count(tasks.len() as u64))
        }),
        row(nodes, "sent to other nodes", |node| {
            node.sent_to_nodes_bytes
                .map(|bytes| so_far(&units::bytes(bytes as f64)))
        }),
        row(nodes, "received from them", |node| {
            node.received_from_nodes_bytes
                .map(|bytes| so_far(&units::bytes(bytes as f64)))
        }),
    ];
    for name in ["keys", "rows", "chunks", "counters"] {
        let cache = |node: &NodeFigures| {
            let caches = node.caches.as_ref()?;
            cache_in_words(caches.iter().find(|cache| cache.name == name)?)
        };
        rows.push(row(nodes, &format!("cache of {name}"), cache));
    }
    for name in shown_pools(nodes) {
        let pool = |node: &NodeFigures| {
            let pools = node.thread_pools.as_ref()?;
            pool_in_words(pools.iter().find(|pool| pool.name == name)?)
        };
        rows.push(row(nodes, &name, pool));
    }
    rows.extend(added::by_nodetool(nodes));
    rows.extend(exposed_rows(&exposed(nodes)));
    rows
}

fn cache_in_words(cache: &Cache) -> Option<String> {
    let size = units::bytes(cache.size_bytes? as f64);
    Some(match cache.hit_ratio() {
        Some(ratio) => format!("{size}, {:.1}% hits", ratio * 100.0),
        None => format!("{size}, not used"),
    })
}

/// Returns the pools that are worth a line, in the order of their names.
fn shown_pools(nodes: &[NodeFigures]) -> BTreeSet<String> {
    let waits = |pool: &&ThreadPool| {
        POOLS.contains(&pool.name.as_str())
            || pool.pending.is_some_and(|tasks| tasks > 0)
            || pool.blocked_all_time.is_some_and(|tasks| tasks > 0)
    };
    let all = nodes
        .iter()
        .flat_map(|node| node.thread_pools.iter().flatten());
    all.filter(waits).map(|pool| pool.name.clone()).collect()
}

fn pool_in_words(pool: &ThreadPool) -> Option<String> {
    let mut words = format!("{} pending", units::count(pool.pending?));
    if let Some(blocked) = pool.blocked_all_time.filter(|blocked| *blocked > 0) {
        let _ = write!(words, ", {} blocked so far", units::count(blocked));
    }
    Some(words)
}

fn of_table(nodes: &[NodeFigures], place: usize) -> Vec<Row> {
    let figure = |label: &str, show: &dyn Fn(&TableFigures) -> Option<String>| {
        row(nodes, label, |node| show(node.tables.get(place)?))
    };
    let printed = |label: &str, show: &dyn Fn(&PrintedTable) -> Option<String>| {
        row(nodes, label, |node| {
            show(node.nodetool.as_ref()?.tables.get(place)?)
        })
    };
    let size = |bytes: u64| units::bytes(bytes as f64);
    vec![
        figure("  bytes", &|t| t.disk_usage_bytes.map(size)),
        figure("  largest partition", &|t| t.max_partition_bytes.map(size)),
        figure("  coordinator: reads", &|t| latency(t.coordinator_reads?)),
        figure("  coordinator: writes", &|t| latency(t.coordinator_writes?)),
        figure("  coordinator: scans", &|t| latency(t.coordinator_scans?)),
        figure("  local: reads", &|t| latency(t.local_reads?)),
        figure("  local: writes", &|t| latency(t.local_writes?)),
        figure("  local: scans", &|t| latency(t.local_scans?)),
        figure("  rows per read", &|t| spread(t.rows_per_read?)),
        figure("  tombstones per read", &|t| spread(t.tombstones_per_read?)),
        figure("  SSTables per read", &|t| spread(t.sstables_per_read?)),
        printed("  live bytes", &|t| t.statistics?.live_bytes.map(size)),
        printed("  SSTables", &|t| t.statistics?.sstables.map(units::count)),
        printed("  compressed to", &|t| {
            let ratio = t.statistics?.compression_ratio?;
            Some(format!("{:.1}%", ratio * 100.0))
        }),
        printed("  compression metadata", &|t| {
            t.statistics?.compression_metadata_bytes.map(size)
        }),
        printed("  Bloom false positives", &|t| {
            let statistics = t.statistics?;
            let count = units::count(statistics.bloom_false_positives?);
            Some(format!(
                "{count}, lately {:.2}%",
                statistics.bloom_false_ratio? * 100.0
            ))
        }),
        printed("  partitions, estimated", &|t| {
            t.statistics?.partitions.map(units::count)
        }),
        printed("  read p50, p99", &|t| times(&t.histograms?.read_micros)),
        printed("  write p50, p99", &|t| times(&t.histograms?.write_micros)),
        printed("  SSTables read p50, p99", &|t| {
            let sstables = t.histograms?.sstables_per_read;
            Some(format!("{:.0}, {:.0}", sstables.p50?, sstables.p99?))
        }),
        printed("  partition p50, p99", &|t| {
            let bytes = t.histograms?.partition_bytes;
            Some(format!(
                "{}, {}",
                units::bytes(bytes.p50?),
                units::bytes(bytes.p99?)
            ))
        }),
        printed("  cells p50, p99", &|t| {
            let cells = t.histograms?.cells_per_partition;
            Some(format!("{}, {}", whole(cells.p50?), whole(cells.p99?)))
        }),
        printed("  most SSTables, cells", &|t| {
            let histograms = t.histograms?;
            let (sstables, cells) = (histograms.sstables_per_read, histograms.cells_per_partition);
            Some(format!("{}, {}", whole(sstables.max?), whole(cells.max?)))
        }),
    ]
}

fn latency(latency: Latency) -> Option<String> {
    let count = units::count(latency.count?);
    Some(match latency.p99_micros {
        Some(micros) => format!("{count}, p99 {}", units::duration(micros / 1e6)),
        None => count,
    })
}

fn spread(spread: Spread) -> Option<String> {
    let (p50, p99, max) = (spread.p50?, spread.p99?, spread.max?);
    Some(format!("p50 {p50:.0}, p99 {p99:.0}, max {max:.0}"))
}

/// Writes a percentile of counts.
fn whole(count: f64) -> String {
    units::count(count.round() as u64)
}

fn times(micros: &Percentiles) -> Option<String> {
    let (p50, p99) = (micros.p50? / 1e6, micros.p99? / 1e6);
    Some(format!(
        "{}, {}",
        units::duration(p50),
        units::duration(p99)
    ))
}

/// Lists the options that would bring more.
fn hints(nodes: &[NodeFigures], asked: &Asked) -> Vec<&'static str> {
    let mut hints = Vec::new();
    if nodes.first().is_some_and(|node| node.tables.is_empty()) {
        hints.push("--table KEYSPACE.TABLE: bytes, partitions, latencies and reads of a table");
    }
    if !asked.nodetool {
        hints.push("--nodetool 'ssh {host} nodetool': exact bytes, compression, percentiles, heap, read repairs");
    } else if !asked.gc {
        hints.push(
            "--gc: garbage collections by nodetool gcstats, which resets its counts for whoever else reads them",
        );
    }
    if !asked.metrics {
        hints.push(METRICS);
    }
    hints
}

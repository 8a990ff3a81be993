//! Figures of nodes as evidence.

use bakeoff_stats::diagnose::evidence::{Cache, Latency, Missing, Node, Pool, Share, Spread};

use crate::cassandra::nodes::{self, NodeFigures, PrintedTable, TableFigures, micros};

/// The shortest latency that views can show, in their unit.
const SHORTEST: f64 = 0.001;
const MIB: f64 = (1 << 20) as f64;

/// Converts the figures of a node.
pub fn node(figures: NodeFigures) -> Node {
    let version = figures.version.as_deref().unwrap_or_default();
    let printed = figures.nodetool.as_ref();
    let shares = figures.tables.iter().enumerate().map(|(place, table)| {
        let printed = printed.and_then(|printed| printed.tables.get(place));
        share(table, printed, version)
    });
    let tables = shares.collect();
    let info = printed.and_then(|printed| printed.info);
    let metrics = figures.metrics;
    let by_tool = |mib: Option<f64>| mib.map(|mib| mib * MIB);
    let pool = |pool: &nodes::ThreadPool| Pool {
        name: pool.name.clone(),
        pending: pool.pending,
        blocked: pool.blocked,
    };
    let cache = |cache: &nodes::Cache| Cache {
        name: cache.name.clone(),
        capacity_bytes: cache.capacity_bytes,
        hits: cache.hits,
        requests: cache.requests,
    };
    let missing = |missing: &nodes::Missing| Missing {
        figure: missing.figure.clone(),
        reason: missing.reason.clone(),
    };
    let pools = figures.thread_pools.as_ref();
    let caches = figures.caches.as_ref();
    Node {
        pools: pools.map(|pools| pools.iter().map(pool).collect()),
        caches: caches.map(|caches| caches.iter().map(cache).collect()),
        heap_used_bytes: by_tool(info.and_then(|info| info.heap_used_mib))
            .or(metrics.and_then(|metrics| metrics.heap_used_bytes)),
        heap_max_bytes: by_tool(info.and_then(|info| info.heap_max_mib))
            .or(metrics.and_then(|metrics| metrics.heap_max_bytes)),
        sent_messages: figures.sent_to_nodes_messages,
        longest_gc_ms: printed.and_then(|printed| Some(printed.gc?.max_ms)),
        tables,
        missing: figures.missing.iter().map(missing).collect(),
        address: figures.address,
        host: figures.host,
        datacenter: figures.datacenter,
        version: figures.version,
        ..Node::default()
    }
}

fn share(table: &TableFigures, printed: Option<&PrintedTable>, version: &str) -> Share {
    let statistics = printed.and_then(|printed| printed.statistics);
    let histograms = printed.and_then(|printed| printed.histograms);
    let mut local_reads = latency(table.local_reads, version);
    if let Some(read) = histograms.map(|histograms| histograms.read_micros) {
        // Nodetool has microseconds where views have milliseconds.
        local_reads.p50 = read.p50.or(local_reads.p50);
        local_reads.p99 = read.p99.or(local_reads.p99);
    }
    let largest = statistics.and_then(|statistics| statistics.max_partition_bytes);
    Share {
        max_partition_bytes: table.max_partition_bytes.or(largest),
        mean_partition_bytes: histograms.and_then(|h| h.partition_bytes.p50),
        p99_partition_bytes: histograms.and_then(|h| h.partition_bytes.p99),
        max_partition_cells: histograms.and_then(|h| h.cells_per_partition.max),
        coordinator_reads: latency(table.coordinator_reads, version),
        local_reads,
        tombstones_per_read: spread(table.tombstones_per_read),
        rows_per_read: spread(table.rows_per_read),
        sstables: statistics.and_then(|statistics| statistics.sstables),
        sstables_per_read_p95: histograms.and_then(|h| h.sstables_per_read.p95),
        compression_ratio: statistics.and_then(|statistics| statistics.compression_ratio),
        bloom_false_positives: statistics.and_then(|s| s.bloom_false_positives),
        keys: None,
    }
}

/// Converts a latency; one that is too short to be shown counts as the shortest that is.
fn latency(latency: Option<nodes::Latency>, version: &str) -> Latency {
    let shortest = || micros(version, SHORTEST);
    let Some(latency) = latency else {
        return Latency::default();
    };
    Latency {
        count: latency.count,
        p50: latency.p50_micros.or_else(shortest),
        p99: latency.p99_micros.or_else(shortest),
    }
}

fn spread(spread: Option<nodes::Spread>) -> Spread {
    let spread = spread.unwrap_or_default();
    Spread {
        p50: spread.p50,
        p99: spread.p99,
        max: spread.max,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(version: &str, p99_micros: Option<f64>) -> NodeFigures {
        let table = TableFigures {
            local_reads: Some(nodes::Latency {
                count: Some(7),
                p99_micros,
                ..nodes::Latency::default()
            }),
            ..TableFigures::new("ks.t".parse().unwrap())
        };
        NodeFigures {
            version: Some(version.to_owned()),
            tables: vec![table],
            ..NodeFigures::default()
        }
    }

    #[test]
    fn a_latency_too_short_to_be_shown_is_known_where_its_unit_is() {
        let known = node(read("5.0.9", None)).tables[0].local_reads;
        assert_eq!((known.count, known.p99), (Some(7), Some(1000.0)));
        let longer = node(read("4.1.10", Some(9000.0))).tables[0].local_reads;
        assert_eq!((longer.p50, longer.p99), (Some(1000.0), Some(9000.0)));
        let unknown = node(read("4.0.17", None)).tables[0].local_reads;
        assert_eq!((unknown.count, unknown.p99), (Some(7), None));
    }

    #[test]
    fn reasons_and_places_are_kept() {
        let mut figures = read("5.0.9", None);
        figures.address = "10.0.0.1:9042".to_owned();
        figures.missing.push(nodes::Missing {
            figure: "disk_usage".to_owned(),
            reason: "refused".to_owned(),
        });
        let node = node(figures);
        assert_eq!(node.address, "10.0.0.1:9042");
        assert_eq!(node.why("disk_usage"), Some("refused"));
        assert_eq!(node.pools, None);
    }
}

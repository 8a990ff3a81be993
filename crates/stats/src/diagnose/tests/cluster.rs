//! A cluster without a fault.

use crate::diagnose::evidence::*;

/// Three nodes without a fault, of which everything is known.
pub fn healthy() -> Evidence {
    let latency = |count, p50, p99| Latency {
        count: Some(count),
        p50: Some(p50),
        p99: Some(p99),
    };
    let spread = |p50, p99, max| Spread {
        p50: Some(p50),
        p99: Some(p99),
        max: Some(max),
    };
    let share = Share {
        max_partition_bytes: Some(4 << 20),
        mean_partition_bytes: Some(40e3),
        p99_partition_bytes: Some(900e3),
        max_partition_cells: Some(5e3),
        coordinator_reads: latency(5000, 1e3, 6e3),
        local_reads: latency(5000, 1e3, 4e3),
        tombstones_per_read: spread(0.0, 3.0, 20.0),
        rows_per_read: spread(1.0, 60.0, 100.0),
        sstables: Some(7),
        sstables_per_read_p95: Some(2.0),
        compression_ratio: Some(0.4),
        // Of at most 35,000 looks, of which 350 may be false.
        bloom_false_positives: Some(200),
        keys: Some(
            (0..10)
                .map(|key| Key {
                    key: key.to_string(),
                    reads: 120,
                })
                .collect(),
        ),
    };
    let node = |last: u8| Node {
        address: format!("10.0.0.{last}:9042"),
        host: format!("10.0.0.{last}"),
        datacenter: Some("dc1".to_owned()),
        version: Some("5.0.9".to_owned()),
        pools: Some(vec![pool("ReadStage"), pool("CompactionExecutor")]),
        caches: Some(vec![cache("keys", 90_000), cache("rows", 90_000)]),
        heap_used_bytes: Some(6e9),
        heap_max_bytes: Some(8e9),
        longest_gc_ms: Some(40.0),
        pending_compactions: Some(2),
        read_ahead_bytes: Some(4096),
        dropped: Some(vec![dropped("READ_REQ", 0), dropped("_TRACE", 70)]),
        sent_messages: Some(900),
        peers: Some(
            (1..=3)
                .filter(|n| *n != last)
                .map(|n| format!("10.0.0.{n}"))
                .collect(),
        ),
        tables: vec![share.clone()],
        missing: Vec::new(),
    };
    Evidence {
        named: "10.0.0.1:9042".to_owned(),
        named_ips: vec!["10.0.0.1".to_owned()],
        nodes: (1..=3).map(node).collect(),
        joined: Vec::new(),
        tables: vec![Table {
            name: "shop.orders".to_owned(),
            compaction: Some("SizeTieredCompactionStrategy".to_owned()),
            chunk_kib: Some(64),
            bloom_fp_chance: Some(0.01),
            has_order_key: true,
            caches_rows: true,
            indexes: vec![Index {
                column: "customer".to_owned(),
                sample: Ok(Sample {
                    rows: 1000,
                    most_frequent: 4,
                }),
            }],
            ..Table::default()
        }],
        asked: Asked {
            nodetool: true,
            gc: true,
            metrics: true,
            keys: true,
        },
    }
}

pub fn pool(name: &str) -> Pool {
    Pool {
        name: name.to_owned(),
        pending: Some(1),
        blocked: Some(0),
    }
}

pub fn dropped(name: &str, count: u64) -> Dropped {
    Dropped {
        name: name.to_owned(),
        count,
    }
}

pub fn cache(name: &str, hits: u64) -> Cache {
    Cache {
        name: name.to_owned(),
        capacity_bytes: Some(100 << 20),
        hits: Some(hits),
        requests: Some(100_000),
    }
}

pub fn share(evidence: &mut Evidence) -> &mut Share {
    &mut evidence.nodes[1].tables[0]
}

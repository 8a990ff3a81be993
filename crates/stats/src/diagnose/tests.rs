//! Each rule on a healthy cluster, on one with its fault, and where nothing is known.

mod bloom;
mod cluster;
mod coordination;
mod unknown;

use super::evidence::*;
use super::*;
use cluster::{cache, dropped, healthy, share};

type Change = fn(&mut Evidence);

/// A rule, when what it finds is to be done, and a change of a healthy cluster that it finds.
const FAULTS: [(&str, Urgency, Change); 34] = [
    ("silent-node", Urgency::Now, |e| e.nodes[1].version = None),
    ("ring-address", Urgency::Soon, |e| {
        e.named_ips = vec!["192.168.0.9".to_owned()];
    }),
    ("ring-address", Urgency::Now, |e| {
        let peers = e.nodes[1].peers.as_mut().unwrap();
        peers.push("10.0.0.77".to_owned());
    }),
    ("compaction-behind", Urgency::Soon, |e| {
        e.nodes[1].pending_compactions = Some(60);
    }),
    ("compaction-behind", Urgency::Now, |e| {
        e.nodes[1].pending_compactions = Some(2000);
    }),
    ("compaction-behind", Urgency::Soon, |e| {
        for node in &mut e.nodes {
            node.pending_compactions = None;
        }
        e.nodes[1].pools.as_mut().unwrap()[1].pending = Some(21);
    }),
    ("thread-pools", Urgency::Soon, |e| {
        e.nodes[1].pools.as_mut().unwrap()[0].pending = Some(400);
    }),
    ("thread-pools", Urgency::Now, |e| {
        e.nodes[1].pools.as_mut().unwrap()[0].blocked = Some(1);
    }),
    ("dropped-messages", Urgency::Soon, |e| {
        e.nodes[1].dropped = Some(vec![dropped("MUTATION_REQ", 1)]);
    }),
    ("dropped-messages", Urgency::Soon, |e| {
        e.nodes[1].dropped = Some(vec![dropped("READ_RSP", 9), dropped("_TRACE", 1)]);
    }),
    ("heap", Urgency::Now, |e| {
        e.nodes[1].heap_used_bytes = Some(7.6e9)
    }),
    ("garbage-collection", Urgency::Sometime, |e| {
        e.nodes[1].longest_gc_ms = Some(300.0);
    }),
    ("garbage-collection", Urgency::Soon, |e| {
        e.nodes[1].longest_gc_ms = Some(900.0);
    }),
    ("key-cache", Urgency::Sometime, |e| {
        e.nodes[1].caches = Some(vec![cache("keys", 5), cache("rows", 90_000)]);
    }),
    ("read-ahead", Urgency::Sometime, |e| {
        e.nodes[1].read_ahead_bytes = Some(128 << 10);
    }),
    ("coordinator-latency", Urgency::Now, |e| {
        share(e).coordinator_reads.p99 = Some(80e3);
    }),
    ("tail-latency", Urgency::Soon, |e| {
        // On all nodes, so that none is slower than the others.
        for node in &mut e.nodes {
            node.tables[0].local_reads.p99 = Some(40e3);
        }
    }),
    ("slow-replica", Urgency::Now, |e| {
        share(e).local_reads.p50 = Some(30e3);
        share(e).local_reads.p99 = Some(60e3);
    }),
    ("token-awareness", Urgency::Soon, |e| {
        for (node, count) in e.nodes.iter_mut().zip([14_800, 100, 100]) {
            node.tables[0].coordinator_reads.count = Some(count);
        }
    }),
    ("token-awareness", Urgency::Soon, |e| {
        for (node, count) in e.nodes.iter_mut().zip([9_000, 3_000, 3_000]) {
            node.tables[0].coordinator_reads.count = Some(count);
        }
    }),
    ("partition-size", Urgency::Now, |e| {
        share(e).max_partition_bytes = Some(300 << 20);
    }),
    ("partition-size", Urgency::Sometime, |e| {
        share(e).max_partition_bytes = Some(30 << 20);
    }),
    ("hot-key", Urgency::Soon, |e| {
        share(e).keys.as_mut().unwrap()[0].reads = 5000;
    }),
    ("sstables-per-read", Urgency::Now, |e| {
        share(e).sstables_per_read_p95 = Some(12.0);
    }),
    ("sstables-per-read", Urgency::Soon, |e| {
        share(e).sstables_per_read_p95 = Some(6.0);
    }),
    ("sstable-count", Urgency::Soon, |e| {
        share(e).sstables = Some(21)
    }),
    ("bloom-filter", Urgency::Sometime, |e| {
        share(e).bloom_false_positives = Some(450);
    }),
    ("tombstones", Urgency::Now, |e| {
        share(e).tombstones_per_read.p99 = Some(1500.0);
        share(e).tombstones_per_read.max = Some(9000.0);
    }),
    ("tombstones", Urgency::Soon, |e| {
        share(e).tombstones_per_read.max = Some(9000.0);
    }),
    ("rows-per-read", Urgency::Sometime, |e| {
        share(e).rows_per_read.p99 = Some(50e3);
    }),
    ("index-selectivity", Urgency::Soon, |e| {
        let sample = e.tables[0].indexes[0].sample.as_mut().unwrap();
        sample.most_frequent = 480;
    }),
    ("compression-ratio", Urgency::Sometime, |e| {
        share(e).compression_ratio = Some(0.97);
    }),
    ("chunk-length", Urgency::Soon, |e| {
        share(e).mean_partition_bytes = Some(300.0);
    }),
    ("row-cache", Urgency::Sometime, |e| {
        let caches = e.nodes[1].caches.as_mut().unwrap();
        caches[1].capacity_bytes = Some(0);
    }),
];

fn checked<'a>(diagnosis: &'a Diagnosis, rule: &str) -> &'a Outcome {
    let check = diagnosis.checks.iter().find(|check| check.rule == rule);
    &check.unwrap().outcome
}

#[test]
fn a_healthy_cluster_has_no_finding() {
    let diagnosis = diagnose(&healthy());
    let is_healthy = |check: &&Check| check.outcome == Outcome::Healthy;
    let others: Vec<_> = { diagnosis.checks.iter() }
        .filter(|check| !is_healthy(check))
        .collect();
    assert_eq!(others, Vec::<&Check>::new());
    assert_eq!(diagnosis.checks.len(), rules().count());
    assert!(!diagnosis.is_urgent());
}

#[test]
fn each_fault_is_found_by_its_rule_alone() {
    for (rule, urgency, fault) in FAULTS {
        let mut evidence = healthy();
        fault(&mut evidence);
        let diagnosis = diagnose(&evidence);
        let all = [Urgency::Now, Urgency::Soon, Urgency::Sometime];
        let found = all.iter().flat_map(|urgency| diagnosis.findings(*urgency));
        let found: Vec<_> = found.map(|(check, f)| (check.rule, f.urgency)).collect();
        assert_eq!(found, [(rule, urgency)]);
        assert_eq!(diagnosis.is_urgent(), urgency == Urgency::Now, "{rule}");
    }
    let mut evidence = healthy();
    evidence.tables[0].compaction_is_off = true;
    let diagnosis = diagnose(&evidence);
    let Outcome::Finding(off) = checked(&diagnosis, "compaction-off") else {
        panic!("compaction-off");
    };
    // Which strategy to switch on is a setting.
    assert!(
        off.designs
            .contains(&"cassandra/wide?compaction=UCS:T4".to_owned())
    );
    let named: std::collections::BTreeSet<_> = FAULTS.iter().map(|(rule, ..)| *rule).collect();
    let without: Vec<_> = rules().filter(|rule| !named.contains(rule)).collect();
    assert_eq!(without, ["compaction-off"], "rules without a fault here");
}

#[test]
fn fifty_thousand_sstables_and_partitions_of_gigabytes_are_findings_like_others() {
    let mut evidence = healthy();
    share(&mut evidence).sstables = Some(50_000);
    share(&mut evidence).max_partition_bytes = Some(2_874_382_626);
    let diagnosis = diagnose(&evidence);
    for (rule, urgency, value) in [
        ("sstable-count", Urgency::Soon, 50_000.0),
        ("partition-size", Urgency::Now, 2_874_382_626.0),
    ] {
        let Outcome::Finding(finding) = checked(&diagnosis, rule) else {
            panic!("{rule}");
        };
        assert_eq!(finding.urgency, urgency, "{rule}");
        assert_eq!(finding.evidence[0].value, value, "{rule}");
    }
}

#[test]
fn a_large_partition_is_seen_beside_the_usual_ones_of_the_worst_node() {
    let mut evidence = healthy();
    share(&mut evidence).max_partition_bytes = Some(300 << 20);
    let diagnosis = diagnose(&evidence);
    let Outcome::Finding(finding) = checked(&diagnosis, "partition-size") else {
        panic!("{diagnosis:?}");
    };
    let seen: Vec<_> = { finding.evidence.iter() }
        .map(|seen| (seen.figure.as_str(), seen.value))
        .collect();
    let expected = [
        ("largest partition", f64::from(300 << 20)),
        ("p99 of partitions", 900e3),
        ("most cells of a partition", 5e3),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn absurd_counts_of_keys_break_nothing() {
    let mut evidence = healthy();
    for key in share(&mut evidence).keys.as_mut().unwrap() {
        key.reads = u64::MAX;
    }
    assert_eq!(*checked(&diagnose(&evidence), "hot-key"), Outcome::Healthy);
}

#[test]
fn the_figures_of_a_finding_are_of_the_node_that_has_the_fault() {
    for (rule, _, fault) in FAULTS {
        let mut evidence = healthy();
        fault(&mut evidence);
        let diagnosis = diagnose(&evidence);
        let Outcome::Finding(finding) = checked(&diagnosis, rule) else {
            panic!("{rule}");
        };
        assert!(!finding.evidence.is_empty(), "{rule}");
        let is_of_all = ["token-awareness", "tail-latency", "index-selectivity"].contains(&rule);
        let is_other =
            |seen: &&Observed| { seen.node.as_ref() }.is_some_and(|n| n != "10.0.0.2:9042");
        let others = finding.evidence.iter().filter(is_other).count();
        assert!(is_of_all || others == 0, "{rule}: {:?}", finding.evidence);
    }
}

/// Nothing is known of nodes that are asked, and the reason is that of the first view.
#[test]
fn nothing_is_found_where_nothing_is_known() {
    let mut evidence = healthy();
    evidence.named_ips.clear();
    for node in &mut evidence.nodes {
        *node = Node {
            address: node.address.clone(),
            version: Some("5.0.9".to_owned()),
            tables: vec![Share::default()],
            missing: vec![Missing {
                figure: "local_read_latency".to_owned(),
                reason: "--username has no right to read it".to_owned(),
            }],
            ..Node::default()
        };
    }
    evidence.tables[0].unknown = Some("refused".to_owned());
    evidence.asked = Asked::default();
    let diagnosis = diagnose(&evidence);
    for check in &diagnosis.checks {
        let is_not_checked = matches!(check.outcome, Outcome::NotChecked(_));
        assert_eq!(is_not_checked, check.rule != "silent-node", "{check:?}");
    }
    let Outcome::NotChecked(not) = checked(&diagnosis, "tombstones") else {
        panic!("checked");
    };
    assert_eq!(
        not.reason,
        "local_read_latency: --username has no right to read it"
    );
    for (rule, option) in [
        ("garbage-collection", "--gc with --nodetool"),
        ("heap", "--metrics"),
        ("sstable-count", "--nodetool"),
        ("dropped-messages", "--nodetool"),
        ("hot-key", "--sample-keys"),
        ("read-ahead", "on the machine"),
    ] {
        let Outcome::NotChecked(not) = checked(&diagnosis, rule) else {
            panic!("{rule}");
        };
        assert!(not.brings.unwrap().contains(option), "{rule}: {not:?}");
    }
}

#[test]
fn nothing_but_the_schema_is_healthy_without_a_node() {
    let mut evidence = healthy();
    evidence.nodes.clear();
    evidence.named_ips.clear();
    for check in &diagnose(&evidence).checks {
        let is_of_schema = ["index-selectivity", "compaction-off"].contains(&check.rule);
        let is_not_checked = matches!(check.outcome, Outcome::NotChecked(_));
        assert_eq!(is_not_checked, !is_of_schema, "{check:?}");
    }
}

#[test]
fn a_table_that_nobody_reads_raises_no_alarm() {
    let mut evidence = healthy();
    for node in &mut evidence.nodes {
        let share = &mut node.tables[0];
        share.local_reads = Latency {
            count: Some(0),
            ..Latency::default()
        };
        share.coordinator_reads = share.local_reads;
        // What is left in a histogram of a table that was read before it was restored.
        share.tombstones_per_read.max = Some(1e6);
        share.mean_partition_bytes = Some(10.0);
    }
    let diagnosis = diagnose(&evidence);
    for rule in [
        "tombstones",
        "chunk-length",
        "tail-latency",
        "token-awareness",
        "sstables-per-read",
    ] {
        let Outcome::NotChecked(not) = checked(&diagnosis, rule) else {
            panic!("{rule}");
        };
        assert_eq!(not.reason, "no reads since the nodes started", "{rule}");
    }
}

/// Cassandra 4.0 has no latencies whose unit is known, and no UCS.
#[test]
fn what_a_version_lacks_is_neither_checked_nor_proposed() {
    let mut evidence = healthy();
    for node in &mut evidence.nodes {
        node.version = Some("4.0.17".to_owned());
        let share = &mut node.tables[0];
        for latency in [&mut share.local_reads, &mut share.coordinator_reads] {
            (latency.p50, latency.p99) = (None, None);
        }
        share.sstables_per_read_p95 = Some(20.0);
    }
    let diagnosis = diagnose(&evidence);
    for rule in ["coordinator-latency", "tail-latency", "slow-replica"] {
        assert!(
            matches!(checked(&diagnosis, rule), Outcome::NotChecked(_)),
            "{rule}"
        );
    }
    let Outcome::Finding(finding) = checked(&diagnosis, "sstables-per-read") else {
        panic!("not found");
    };
    let designs = [
        "cassandra-4/wide?compaction=STCS",
        "cassandra-4/wide?compaction=LCS",
    ];
    assert_eq!(finding.designs, designs);
}

/// Tables as they are in good order, each of another kind.
#[test]
fn six_healthy_tables_of_other_kinds_give_no_alarm() {
    let kinds: [Change; 6] = [
        |e| e.tables[0].compaction = Some("LeveledCompactionStrategy".to_owned()),
        |e| {
            // Many SSTables are normal in levels and windows.
            e.tables[0].compaction = Some("TimeWindowCompactionStrategy".to_owned());
            share(e).sstables = Some(45);
        },
        |e| {
            // A table of single small rows with the chunks that 5.0 has by default.
            e.tables[0].chunk_kib = Some(16);
            share(e).mean_partition_bytes = Some(90.0);
        },
        |e| {
            // Nothing is compressed, so that nothing is wasted.
            e.tables[0].chunk_kib = None;
            share(e).compression_ratio = None;
            share(e).mean_partition_bytes = Some(90.0);
        },
        |e| {
            // Scans by pages of 5,000 rows, whose latencies are longer, too.
            share(e).rows_per_read.p99 = Some(5000.0);
            share(e).rows_per_read.max = Some(5000.0);
            share(e).local_reads.p99 = Some(19e3);
        },
        |e| {
            // Reads of queues go through some tombstones.
            share(e).tombstones_per_read.p99 = Some(600.0);
            share(e).tombstones_per_read.max = Some(900.0);
            share(e).max_partition_bytes = Some(10 << 20);
        },
    ];
    for (place, kind) in kinds.into_iter().enumerate() {
        let mut evidence = healthy();
        kind(&mut evidence);
        let diagnosis = diagnose(&evidence);
        let is_finding = |check: &&Check| matches!(check.outcome, Outcome::Finding(_));
        let found: Vec<_> = diagnosis.checks.iter().filter(is_finding).collect();
        assert!(found.is_empty(), "table {place}: {found:?}");
    }
}

use std::path::Path as FilePath;

use bakeoff_stats::diagnose::evidence::{Index, Sample, Share, Table};
use bakeoff_stats::diagnose::{Outcome, diagnose};
use bakeoff_workload::Workload;

use super::*;
use crate::registry::engine;
use crate::{Context, EngineOptions};

/// A workload that every design which is proposed fits.
const WORKLOAD: &str = r#"
title = "t"

[table]
name = "orders"
partition_key = ["customer"]
order_key = ["time"]

[table.columns]
customer = "text"
time = "timestamp"
value = "double"
country = "text"

[data]
requires = "--data"

[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM orders"
"#;

fn answering(host: &str) -> NodeFigures {
    NodeFigures {
        host: host.to_owned(),
        version: Some("5.0.9".to_owned()),
        tables: vec![nodes::TableFigures::new("shop.orders".parse().unwrap())],
        ..NodeFigures::default()
    }
}

async fn called(command: &str, mut node: NodeFigures) -> (NodeFigures, Further) {
    let nodetool: Nodetool = command.parse().unwrap();
    let mut further = Further::default();
    call(&nodetool, &mut node, &mut further, &Request::default()).await;
    (node, further)
}

/// The time of this test passes whenever nothing but time is waited for.
#[tokio::test(start_paused = true)]
async fn a_nodetool_that_hangs_is_called_once_and_said() {
    let (node, further) = called("sh -c 'exec sleep 1000' {host}", answering("h")).await;
    assert_eq!(further.pending_compactions, None);
    for figure in [
        "nodetool compactionstats",
        "nodetool info",
        "nodetool tablestats",
    ] {
        let why = node.why(figure);
        assert!(
            why.ends_with("it did not end within 15s"),
            "{figure}: {why}"
        );
    }
    assert_eq!(node.nodetool, None);
    let node = joined(node, further);
    assert!(
        node.why("nodetool tablehistograms")
            .unwrap()
            .contains("compactionstats")
    );
}

#[tokio::test]
async fn nodetool_is_not_called_for_a_node_that_is_gone() {
    let mut gone = answering("h");
    gone.version = None;
    let (node, _) = called("false {host}", gone).await;
    assert_eq!(node.why("nodetool info"), "the node does not answer");
}

#[tokio::test]
async fn what_nodetool_prints_becomes_evidence() {
    let script = "sh -c 'case $1 in compactionstats) echo \"pending tasks: 44\" ;; \
                  tpstats) echo \"{\\\"DroppedMessage\\\": {\\\"READ_REQ\\\": 3}}\" ;; esac' {host}";
    let (node, further) = called(script, answering("h")).await;
    assert_eq!(further.pending_compactions, Some(44));
    assert!(node.why("nodetool info").contains("not understood"));
    let node = joined(node, further);
    assert_eq!(node.pending_compactions, Some(44));
    let dropped = node.dropped.unwrap();
    let dropped: Vec<_> = { dropped.iter() }
        .map(|message| (message.name.as_str(), message.count))
        .collect();
    assert_eq!(dropped, [("READ_REQ", 3)]);
}

#[test]
fn a_node_that_dies_between_two_reads_is_silent_and_keeps_what_it_showed() {
    let named = |address: &str| NodeFigures {
        address: address.to_owned(),
        ..answering(address)
    };
    let mut dead = named("10.0.0.2:9042");
    dead.version = None;
    dead.missing.push(Missing {
        figure: "version".to_owned(),
        reason: "the connection to the node broke".to_owned(),
    });
    let mut nodes = [named("10.0.0.1:9042"), named("10.0.0.2:9042")];
    join(
        &mut nodes,
        vec![named("10.0.0.1:9042"), dead, named("10.0.0.9:9042")],
        &["shop.orders".parse().unwrap()],
    );
    assert!(nodes.iter().all(|node| node.tables.len() == 2));
    let evidence = Evidence {
        nodes: nodes.map(|node| joined(node, Further::default())).into(),
        ..Evidence::default()
    };
    let diagnosis = diagnose(&evidence);
    let silent = diagnosis
        .checks
        .iter()
        .find(|check| check.rule == "silent-node");
    let Outcome::Finding(finding) = &silent.unwrap().outcome else {
        panic!("{silent:?}");
    };
    assert_eq!(finding.evidence.len(), 1);
    assert_eq!(finding.evidence[0].node.as_deref(), Some("10.0.0.2:9042"));
    assert!(
        finding.evidence[0]
            .figure
            .ends_with("the connection to the node broke")
    );
}

#[test]
fn a_node_that_was_gone_for_a_while_has_its_figures_at_their_tables() {
    let showing = |table: &str, bytes: u64| NodeFigures {
        tables: vec![nodes::TableFigures {
            disk_usage_bytes: Some(bytes),
            ..nodes::TableFigures::new(table.parse().unwrap())
        }],
        ..answering("10.0.0.1")
    };
    let mut all = [showing("shop.a", 1)];
    join(&mut all, Vec::new(), &["shop.b".parse().unwrap()]);
    let back = vec![showing("shop.c", 3)];
    join(&mut all, back, &["shop.c".parse().unwrap()]);
    let tables = { all[0].tables.iter() }.map(|t| (t.name.table.as_str(), t.disk_usage_bytes));
    let tables: Vec<_> = tables.collect();
    assert_eq!(tables, [("a", Some(1)), ("b", None), ("c", Some(3))]);
}

#[test]
fn the_folder_of_data_is_the_first_of_the_list() {
    assert_eq!(first_folder("[/data/1, /data/2]"), Some("/data/1"));
    assert_eq!(
        first_folder("/var/lib/cassandra/data"),
        Some("/var/lib/cassandra/data")
    );
    assert_eq!(first_folder("[]"), None);
}

/// Evidence in which every rule that proposes designs finds something.
fn faulty(version: &str, has_order_key: bool) -> Evidence {
    let latency = evidence::Latency {
        count: Some(5000),
        p50: Some(1e3),
        p99: Some(1e3),
    };
    let many = evidence::Spread {
        p50: Some(20e3),
        p99: Some(20e3),
        max: Some(20e3),
    };
    let rows = evidence::Cache {
        name: "rows".to_owned(),
        capacity_bytes: Some(0),
        ..evidence::Cache::default()
    };
    let key = evidence::Key {
        key: "k".to_owned(),
        reads: 5000,
    };
    let share = Share {
        max_partition_bytes: Some(1 << 30),
        mean_partition_bytes: Some(100.0),
        p99_partition_bytes: Some(200.0),
        max_partition_cells: Some(9e9),
        local_reads: latency,
        coordinator_reads: latency,
        tombstones_per_read: many,
        rows_per_read: many,
        sstables: Some(400),
        sstables_per_read_p95: Some(40.0),
        compression_ratio: Some(1.0),
        bloom_false_positives: Some(1_000_000),
        keys: Some(vec![key]),
    };
    let node = evidence::Node {
        version: Some(version.to_owned()),
        caches: Some(vec![rows]),
        tables: vec![share],
        ..evidence::Node::default()
    };
    let sample = Sample {
        rows: 1000,
        most_frequent: 900,
    };
    let index = Index {
        column: "country".to_owned(),
        sample: Ok(sample),
    };
    Evidence {
        nodes: vec![node],
        tables: vec![Table {
            name: "shop.orders".to_owned(),
            compaction: Some("SizeTieredCompactionStrategy".to_owned()),
            chunk_kib: Some(256),
            has_order_key,
            caches_rows: true,
            indexes: vec![index],
            ..Table::default()
        }],
        asked: Asked {
            nodetool: true,
            metrics: false,
            keys: true,
            gc: true,
        },
        ..Evidence::default()
    }
}

#[test]
fn every_design_that_is_proposed_is_one_that_can_be_measured() {
    let workload = Workload::parse(WORKLOAD, FilePath::new("w.toml")).unwrap();
    let context = Context {
        run_dir: "/nowhere/run".into(),
        token: None,
        threads: 1,
        keys_repeat: false,
        options: EngineOptions::default(),
    };
    for (version, has_order_key) in [("5.0.9", true), ("5.0.9", false), ("4.1.10", true)] {
        let diagnosis = diagnose(&faulty(version, has_order_key));
        let mut proposed = 0;
        for check in &diagnosis.checks {
            let Outcome::Finding(finding) = &check.outcome else {
                continue;
            };
            for design in &finding.designs {
                let id = design.parse().unwrap();
                let described = engine(&id).unwrap().describe(&id, &workload, &context);
                assert!(described.is_ok(), "{}: {design}: {described:?}", check.rule);
                proposed += 1;
            }
        }
        assert!(proposed > 15, "{version}: {proposed}");
    }
}

use bakeoff_engines::nodes::{
    Exposed, Histograms, Missing, Printed, PrintedStatistics, Rates, ReadRepairs,
};

use super::*;

const ALL: Asked = Asked {
    nodetool: true,
    gc: true,
    metrics: true,
};
const NEITHER: Asked = Asked {
    nodetool: false,
    gc: false,
    metrics: false,
};

fn node(address: &str) -> NodeFigures {
    NodeFigures {
        address: address.to_owned(),
        version: Some("5.0.9".to_owned()),
        ..NodeFigures::default()
    }
}

fn with_table(address: &str, bytes: Option<u64>) -> NodeFigures {
    let table = TableFigures {
        disk_usage_bytes: bytes,
        ..TableFigures::new("ks.t".parse().unwrap())
    };
    NodeFigures {
        tables: vec![table],
        ..node(address)
    }
}

/// The words of the line with this label.
fn line<'a>(text: &'a str, label: &str) -> Vec<&'a str> {
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| line.starts_with(label)).unwrap();
    line[label.len()..]
        .split("  ")
        .filter(|cell| !cell.is_empty())
        .map(str::trim)
        .collect()
}

#[test]
fn each_node_has_a_column() {
    let nodes = [
        with_table("10.0.0.1:9042", Some(3 << 20)),
        with_table("10.0.0.2:9042", Some(5 << 20)),
    ];
    let text = render(&nodes, &ALL);
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        "2 nodes of Cassandra 5.0.9: the tables asked for have 8.00 MiB together, with every copy"
    );
    assert!(text.contains("10.0.0.1:9042  10.0.0.2:9042"), "{text}");
    assert_eq!(line(&text, "bytes"), ["3.00 MiB", "5.00 MiB"]);
    assert!(text.contains("\nks.t\n"), "{text}");
    assert!(
        !text.contains("largest partition"),
        "no node has it: {text}"
    );
    assert!(!text.contains("More of it"), "{text}");
}

#[test]
fn what_one_node_lacks_is_no_figure_there() {
    let mut silent = with_table("10.0.0.2:9042", None);
    silent.version = None;
    silent.missing.push(Missing {
        figure: "disk_usage".to_owned(),
        reason: "the node gave no answer within 2s".to_owned(),
    });
    let nodes = [with_table("10.0.0.1:9042", Some(3 << 20)), silent];
    let text = render(&nodes, &ALL);
    assert!(text.starts_with("2 nodes of Cassandra 5.0.9, of which 1 did not answer\n"));
    assert_eq!(line(&text, "bytes"), ["3.00 MiB", "–"]);
    let reason = "disk_usage of 10.0.0.2:9042: the node gave no answer within 2s";
    assert!(text.contains(reason), "{text}");
}

#[test]
fn a_reason_that_all_nodes_share_is_given_once() {
    let lacking = |address: &str| {
        let mut node = with_table(address, None);
        node.missing = ["caches", "rows_per_read"]
            .map(|figure| Missing {
                figure: figure.to_owned(),
                reason: "this version of Cassandra has no such view".to_owned(),
            })
            .to_vec();
        node
    };
    let text = render(&[lacking("a:1"), lacking("b:1")], &ALL);
    let expected = "  caches, rows_per_read: this version of Cassandra has no such view\n";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn options_that_would_bring_more_are_named() {
    let text = render(&[node("a:1")], &NEITHER);
    for option in ["--table", "--nodetool", "--metrics"] {
        assert!(text.contains(option), "{text}");
    }
    assert!(!text.contains("--gc"), "it needs --nodetool: {text}");
    let without_gc = Asked { gc: false, ..ALL };
    let text = render(&[with_table("a:1", None)], &without_gc);
    assert!(text.contains("--gc: garbage collections"), "{text}");
    assert!(text.contains("resets its counts"), "{text}");
    let text = render(&[with_table("a:1", None)], &ALL);
    assert!(!text.contains("--"), "{text}");
}

#[test]
fn figures_of_nodetool_and_exporters_are_shown() {
    let mut node = with_table("a:1", None);
    let statistics = PrintedStatistics {
        compression_ratio: Some(0.25),
        sstables: Some(7),
        bloom_false_positives: Some(1234),
        bloom_false_ratio: Some(0.0025),
        ..PrintedStatistics::default()
    };
    let sstables_per_read = Percentiles {
        p50: Some(1.0),
        p99: Some(3.0),
        max: Some(9.0),
        ..Percentiles::default()
    };
    let cells_per_partition = Percentiles {
        p50: Some(103.0),
        p99: Some(1_234.0),
        max: Some(56_789.0),
        ..Percentiles::default()
    };
    node.nodetool = Some(Printed {
        tables: vec![PrintedTable {
            statistics: Some(statistics),
            histograms: Some(Histograms {
                sstables_per_read,
                cells_per_partition,
                ..Histograms::default()
            }),
        }],
        read_repairs: Some(ReadRepairs {
            blocking: 1234,
            ..ReadRepairs::default()
        }),
        ..Printed::default()
    });
    node.sent_to_nodes_bytes = Some(3 << 20);
    node.metrics = Some(Exposed {
        gc_count: Some(1234.0),
        load_average: Some(1.5),
        ..Exposed::default()
    });
    let text = render(&[node], &ALL);
    assert_eq!(line(&text, "compressed to"), ["25.0%"]);
    let false_positives = line(&text, "Bloom false positives");
    assert_eq!(false_positives, ["1,234, lately 0.25%"]);
    assert_eq!(line(&text, "SSTables read p50, p99"), ["1, 3"]);
    assert_eq!(line(&text, "cells p50, p99"), ["103, 1,234"]);
    assert_eq!(line(&text, "most SSTables, cells"), ["9, 56,789"]);
    assert_eq!(line(&text, "read repairs"), ["1,234 before the answer"]);
    assert_eq!(line(&text, "sent to other nodes"), ["3.00 MiB so far"]);
    assert!(!text.contains("received from them"), "{text}");
    assert_eq!(line(&text, "collections"), ["1,234 so far"]);
    assert_eq!(line(&text, "load average"), ["1.5"]);
}

#[test]
fn counters_of_exporters_have_their_rate_or_count_from_a_start() {
    let exposed = Exposed {
        machine_cpu_seconds: Some(42.0),
        disk_read_bytes: Some(f64::from(3 << 20)),
        disk_reads: Some(1234.0),
        disk_requests_now: Some(3.0),
        page_cache_bytes: Some(f64::from(5 << 20)),
        network_sent_bytes: Some(f64::from(7 << 20)),
        ..Exposed::default()
    };
    let looked_twice = Exposed {
        rates: Some(Rates {
            machine_cpus: Some(1.25),
            disk_read_bytes: Some(f64::from(2 << 20)),
            disk_reads: Some(20.5),
            disk_queue: Some(0.5),
            ..Rates::default()
        }),
        ..exposed
    };
    let nodes = [exposed, looked_twice].map(|exposed| NodeFigures {
        metrics: Some(exposed),
        ..with_table("a:1", None)
    });
    let text = render(&nodes, &ALL);
    let of = |label| line(&text, label);
    assert_eq!(
        of("read from disks"),
        ["3.00 MiB so far", "2.00 MiB/s, 3.00 MiB so far"]
    );
    assert_eq!(
        of("requests to read"),
        ["1,234 so far", "20.5/s, 1,234 so far"]
    );
    assert_eq!(of("queue of disks"), ["3 now", "0.50 in the mean, 3 now"]);
    assert_eq!(of("page cache"), ["5.00 MiB", "5.00 MiB"]);
    assert_eq!(
        of("sent by network"),
        ["7.00 MiB so far", "7.00 MiB so far"]
    );
    let of_machine = of("CPU time of machine");
    assert!(of_machine[1].starts_with("1.25 CPUs busy, "), "{text}");
    assert!(text.contains("--metrics of a JVM exporter"), "{text}");
    assert!(!text.contains("of a node exporter"), "{text}");
    assert!(
        text.contains("\nNot available:\n  network, page cache"),
        "{text}"
    );
}

fn pool(name: &str, pending: u64) -> ThreadPool {
    ThreadPool {
        name: name.to_owned(),
        active: Some(0),
        active_limit: None,
        pending: Some(pending),
        blocked: Some(0),
        completed: None,
        blocked_all_time: Some(0),
    }
}

#[test]
fn pools_that_nothing_waits_for_are_left_out() {
    let mut node = node("a:1");
    node.thread_pools = Some(vec![
        pool("ReadStage", 0),
        pool("GossipStage", 0),
        pool("MemtablePostFlush", 3),
    ]);
    let text = render(&[node], &ALL);
    assert_eq!(line(&text, "ReadStage"), ["0 pending"]);
    assert_eq!(line(&text, "MemtablePostFlush"), ["3 pending"]);
    assert!(!text.contains("GossipStage"), "{text}");
}

#[test]
fn names_of_a_server_do_nothing_to_a_terminal() {
    let mut node = node("a:1");
    node.version = Some("5.0\u{1b}[2J\n".to_owned());
    node.thread_pools = Some(vec![pool("Read\u{1b}[2J\nStage", 3)]);
    let text = render(&[node], &ALL);
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let lines = text.lines().filter(|line| line.starts_with("Stage"));
    assert_eq!(lines.count(), 0, "{text:?}");
    assert_eq!(text.lines().next().unwrap().matches("\\n").count(), 1);
}

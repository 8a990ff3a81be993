//! `bakeoff nodes`, and a run with nodetool on a cluster that Bakeoff did not start.

use serde_json::Value;

use crate::support::exporter::Exporter;
use crate::support::server::Server;
use crate::support::{Bench, READINGS, WORKLOAD};

const NODETOOL: &str = "ssh {host} nodetool";

#[test]
fn what_cannot_be_right_is_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let nodes = ["nodes", "--cassandra", "127.0.0.1:1"];
    let refused = |arguments: &[&str], code, why: &str| {
        bench.bakeoff(arguments).expect(code).says(why);
    };
    refused(&["nodes"], 2, "--cassandra");
    refused(&[&nodes[..], &["--gc"]].concat(), 2, "--nodetool");
    refused(&nodes, 1, "cannot connect to Cassandra at 127.0.0.1:1");
    for (option, value, why) in [
        ("--table", "orders", "KEYSPACE.TABLE"),
        ("--nodetool", "ssh nodetool", "{host}"),
        ("--nodetool", "nodetool -h {host} -pw x", "-pwf"),
        ("--metrics", "https://{host}/metrics", "plain http"),
    ] {
        refused(&[&nodes[..], &[option, value]].concat(), 2, why);
    }
    for (option, value) in [
        ("--nodetool", "nodetool -h {host} -pw hunter2"),
        ("--metrics", "http://ops:hunter2@{host}:9100/metrics"),
    ] {
        let arguments = [&nodes[..], &[option, value]].concat();
        let ended = bench.bakeoff(&arguments).expect(2);
        ended.says(option).says("password");
        assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    }
    for command in ["run", "drive", "sweep"] {
        let arguments = [command, "w.toml", "--nodetool", NODETOOL];
        refused(&arguments, 2, "--cassandra");
        let metrics = ["--metrics", "http://{host}:9100/metrics"];
        let metrics = [&[command, "w.toml"][..], &metrics].concat();
        refused(&metrics, 2, "--cassandra");
    }
    let theirs = [
        "w.toml",
        "--cassandra",
        "127.0.0.1:1",
        "--nodetool",
        NODETOOL,
    ];
    let of_others = [&["run"][..], &theirs, &["--designs", "parquet"]].concat();
    refused(&of_others, 2, "--cassandra would be ignored");
    for command in ["drive", "sweep"] {
        let of_several = [&[command][..], &theirs, &["--shard", "1/2"]].concat();
        refused(&of_several, 2, "none of several processes compacts");
    }
    let empty = [&["drive"][..], &theirs, &["--passes", "all", "--empty"]].concat();
    refused(&empty, 2, "--empty: tables without rows");
    let sweep = ["sweep", "w.toml", "--designs", "cassandra/wide"];
    for (option, secret) in [
        ("--nodetool", "nodetool -h {host} -pw hunter2"),
        ("--metrics", "http://ops:hunter2@{host}:9100/metrics"),
    ] {
        let secret = [&sweep[..], &theirs[1..3], &[option, secret], &["--dry-run"]].concat();
        let ended = bench.bakeoff(&secret).expect(2);
        ended.says(option).says("password");
        assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    }
}

#[test]
fn a_dry_run_shows_what_nodetool_would_do() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = ["run", "w.toml", "--designs", "cassandra/wide", "--dry-run"];
    let cluster = ["--cassandra", "db1.example"];
    let without = bench.bakeoff(&[&run[..], &cluster].concat()).expect(0);
    without.says("memtable_flush_period_in_ms");
    assert!(!without.stdout.contains("nodetool"), "{}", without.stdout);
    let nodetool = ["--nodetool", NODETOOL];
    let with = bench.bakeoff(&[&run[..], &cluster, &nodetool].concat());
    with.expect(0).says("nodetool compact bakeoff_");
}

#[test]
fn a_node_is_shown_with_nodetool_and_without() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(
        "CREATE KEYSPACE node_figures WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
        CREATE TABLE node_figures.t (k int PRIMARY KEY, v int);
        INSERT INTO node_figures.t (k, v) VALUES (1, 2);",
    );
    let table = ["nodes", "--table", "node_figures.t"];
    let shown = server.bakeoff(&table).expect(0);
    assert!(
        shown.stdout.starts_with("1 node of Cassandra 5.0."),
        "{}",
        shown.stdout
    );
    for words in [
        server.address.as_str(),
        "ReadStage",
        "local: writes",
        "sstables_per_read: this version of Cassandra has no such view",
        "--nodetool",
        "--metrics",
    ] {
        shown.says(words);
    }

    let nodetool = server.nodetool();
    let sign_in = Exporter::start(&server.address, |_| Some("<html>Sign in</html>".to_owned()));
    let more = [
        "--nodetool",
        &nodetool,
        "--metrics",
        "http://{host}:1/metrics",
        "--metrics",
        &sign_in.url,
    ];
    let shown = server.bakeoff(&[&table[..], &more].concat()).expect(0);
    shown.says("heap");
    shown.says("--gc: garbage collections");
    assert!(!shown.stdout.contains("GC since"), "{}", shown.stdout);
    shown.says("http://{host}:1/metrics: cannot be connected to");
    let html = format!("{}: it answers with a page of HTML", sign_in.url);
    shown.says(&html);
    assert!(!shown.stdout.contains("not understood"), "{}", shown.stdout);

    let json = ["--gc", "--json", "--prometheus", "nodes.prom"];
    let json = [&table[..], &more, &json].concat();
    let json = server.bakeoff(&json).expect(0).stdout;
    let nodes: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(nodes[0]["address"], server.address);
    let metrics = std::fs::read_to_string(server.bench.path("nodes.prom")).unwrap();
    let labels = format!(
        "{{node=\"{}\",keyspace=\"node_figures\",table=\"t\"}} 1\n",
        server.address
    );
    let writes = format!("bakeoff_node_tables_local_writes_count{labels}");
    assert!(metrics.contains(&writes), "{metrics}");
    let table = &nodes[0]["tables"][0];
    assert_eq!(table["local_writes"]["count"], 1, "{table}");
    let printed = &nodes[0]["nodetool"]["tables"][0]["statistics"];
    assert!(printed["sstables"].is_u64(), "{printed}");
    let gc = &nodes[0]["nodetool"]["gc"];
    assert!(gc["interval_ms"].is_f64(), "{gc}");
}

//! Nodes and money for rows per second, with the sweep, afterwards, and next to clusters of other sizes.

use serde_json::{Value, json};

use super::{HOSTS, sweep};
use crate::support::{self, Bench, READINGS, WORKLOAD};

const SWEPT: [&str; 2] = ["--designs", "local/columnar"];

/// Makes a folder with the log of the sweep in `out`, after a change of each record.
fn changed(bench: &Bench, name: &str, change: impl Fn(&mut Value)) {
    let mut records = support::records(&bench.path("out/sweep.jsonl"));
    records.iter_mut().for_each(change);
    let lines = records.iter().map(|record| format!("{record}\n"));
    let lines: String = lines.collect();
    std::fs::create_dir(bench.path(name)).unwrap();
    std::fs::write(bench.path(name).join("sweep.jsonl"), lines).unwrap();
}

/// Adds a setting to the record of each engine.
fn set(record: &mut Value, setting: &str, value: &str) {
    if record["record"] == "engine" {
        let settings = record["settings"].as_array_mut().unwrap();
        settings.push(json!([setting, value]));
    }
}

fn per_node(bench: &Bench) -> Value {
    let text = std::fs::read_to_string(bench.path("out/run.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    json["summary"]["per_node"].clone()
}

#[test]
fn a_needed_rate_and_prices_come_with_the_command_that_shows_them() {
    let bench = Bench::new(HOSTS, READINGS);
    let wanted = ["--need", "1000M", "--prices", "study-2018"];
    let swept = sweep(&bench, &[&SWEPT[..], &wanted].concat()).expect(0);
    swept
        .says("Nodes and money")
        .says("take the fewest nodes with local/columnar");
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("Several nodes of local/columnar are as many servers apart"));
    let with_the_sweep = per_node(&bench);
    let rate = &with_the_sweep["rates"][0];
    let of = |name: &str| rate[name].as_f64().unwrap();
    let nodes = rate["needed"]["nodes"].as_u64().unwrap();
    assert_eq!(nodes as f64, (1e9 / of("per_machine")).ceil());
    let month = rate["needed"]["month"].as_f64().unwrap();
    assert!((month - 616.85 * nodes as f64).abs() < 1e-6 * month);

    // They are not in the folder.
    let without = bench.bakeoff(&["report", "out"]).expect(0);
    assert!(!without.stdout.contains("Nodes and money"));
    assert_eq!(per_node(&bench)["need"], Value::Null);
    let again = [&["report", "out"][..], &wanted].concat();
    bench.bakeoff(&again).expect(0).says("Nodes and money");
    assert_eq!(per_node(&bench), with_the_sweep);
}

#[test]
fn sweeps_of_other_numbers_of_nodes_are_put_next_to_one() {
    let bench = Bench::new(HOSTS, READINGS);
    sweep(&bench, &SWEPT).expect(0);
    changed(&bench, "three", |record| set(record, "nodes", "3"));
    let report = ["report", "out", "--other-sizes"];
    let shown = bench.bakeoff(&[&report[..], &["three"]].concat()).expect(0);
    // The same rate on three times as many nodes.
    shown.says("By number of nodes").says("33%");
    let scaling = &per_node(&bench)["scaling"][0];
    assert_eq!(scaling["points"][1]["nodes"], 3);
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("By number of nodes"));

    let refused = |others: &str, words: &str| {
        let ended = bench.bakeoff(&[&report[..], &[others]].concat());
        ended.expect(2).says(words);
    };
    refused("out", "both had 1 node");
    refused("three,three", "both had 3 nodes");
    changed(&bench, "copies", |record| {
        set(record, "nodes", "3");
        set(record, "replication factor", "3");
    });
    refused("copies", "local/columnar kept 1 and 3 copies of each row");
    changed(&bench, "other", |record| {
        if record["record"] == "started" {
            record["workload_text"] = json!("title = \"another one\"");
        }
    });
    refused("other", "their workload files differ");
    changed(&bench, "data", |record| {
        set(record, "nodes", "3");
        if record["record"] == "started" {
            record["data"] = json!("other rows");
        }
    });
    refused("data", "they differ in data: ");
    changed(&bench, "limited", |record| {
        set(record, "nodes", "3");
        set(record, "rate limit", "at most 5 rows/s");
    });
    refused(
        "limited",
        "they differ in rate limit of local: none and at most 5 rows/s",
    );
    changed(&bench, "machine", |record| {
        set(record, "nodes", "3");
        if record["record"] == "started" {
            record["machine"]["cpu"] = json!("another one");
        }
    });
    let shown = bench
        .bakeoff(&[&report[..], &["machine"]].concat())
        .expect(0);
    shown.says("warning: out and machine were measured on different machines");
    changed(&bench, "shard", |record| {
        set(record, "nodes", "3");
        if record["record"] == "started" {
            record["shared"] = json!({
                "shard": [0, 2], "start_at_ms": 0, "pause_seconds": 1.0, "cluster": null, "keyspace": null
            });
        }
    });
    refused(
        "shard",
        "it is of some of the shards that measured together",
    );
    changed(&bench, "empty", |record| {
        if record["record"] == "cell" {
            record["inserted"] = Value::Null;
        }
    });
    refused(
        "empty",
        "empty has nothing to divide by nodes: no design has a setting",
    );
    bench
        .bakeoff(&["report", "empty", "--need", "5k"])
        .expect(2)
        .says("empty has nothing to divide by nodes");
    bench
        .bakeoff(&[
            "run",
            "w.toml",
            "--designs",
            "local/columnar",
            "--rows",
            "50",
            "--rounds",
            "1",
            "--out",
            "run",
        ])
        .expect(0);
    refused(
        "run",
        "run has nothing to divide by nodes: no design answered several clients",
    );
}

#[test]
fn what_cannot_be_needed_is_told_before_anything_is_done() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for need in ["0", "-5", "many", "inf"] {
        sweep(&bench, &["--need", need]).expect(2).says("--need");
    }
    sweep(&bench, &["--prices", "none.toml"])
        .expect(2)
        .says("cannot read price list none.toml");
    assert!(!bench.path("out").exists());
}

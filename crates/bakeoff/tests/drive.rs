//! `bakeoff drive`, `merge` and their reports, on the engine that does nothing: what is refused,
//! what is written, what can be joined.
#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use support::{Bench, Ended};

const MIX: &str = r#"
title = "Keys and values of a test"
designs = ["dry"]

[table]
name = "keyvalue"
columns = { key = "text", value = "text" }
partition_key = ["key"]

[data]
generator = "columns"
[data.columns]
key = { sequence = {}, prefix = "k" }
value = { characters = [10, 20] }

[scale]
rows = 1000

[mix]
[[mix.operations]]
name = "read"
action = "read-row"
weight = 75
[[mix.operations]]
name = "write"
action = "insert"
keys = "uniform"
weight = 25
"#;

fn drive(arguments: &[&str]) -> (Bench, Ended) {
    let bench = Bench::new(MIX, "");
    let mut all = vec!["drive", "w.toml"];
    all.extend(arguments);
    let ended = bench.bakeoff(&all);
    (bench, ended)
}

fn summary(bench: &Bench, run: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(bench.path(run).join("run.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Refused before anything is made.
#[track_caller]
fn refused(arguments: &[&str], code: i32, message: &str) {
    let (bench, ended) = drive(arguments);
    ended.expect(code).says(message);
    assert!(!bench.path("runs").exists());
}

#[test]
fn impossible_command_lines_are_refused_with_the_reason() {
    refused(&["--rate", "0"], 1, "rate");
    refused(&["--rate", "-5"], 1, "rate");
    refused(&["--rate", "fast"], 1, "5k");
    refused(&["--rate", "1k", "--within", "p99<10ms"], 2, "--within");
    refused(&["--in-flight", "0"], 2, "--in-flight");
    refused(&["--within", "p99<0ms"], 1, "0");
    refused(&["--within", "p101<1ms"], 1, "p101");
    refused(&["--within", "scan.p99<1ms"], 1, "scan");
    refused(&["--within", "soon"], 1, "p99<10ms");
    refused(&["--for", "0s"], 2, "--for");
    refused(&["--shard", "3/2"], 2, "3/2");
    refused(
        &["--shard", "1/2", "--designs", "cassandra/wide"],
        1,
        "--keyspace",
    );
    refused(&["--start-at", "noon"], 2, "--start-at");
    refused(&["--consistency", "most"], 2, "LOCAL_QUORUM");
}

#[test]
fn a_design_without_point_operations_fails_with_the_reason() {
    let (_bench, ended) = drive(&["--designs", "parquet,dry", "--rate", "100", "--for", "1s"]);
    ended.expect(3).says("parquet has no point operations");
}

#[test]
fn a_workload_without_a_mix_is_refused() {
    let bench = Bench::new(support::WORKLOAD, support::READINGS);
    let ended = bench.bakeoff(&["drive", "w.toml", "--designs", "dry"]);
    ended.expect(1).says("[mix]");
}

#[test]
fn weights_that_do_not_add_up_are_refused_with_their_sum() {
    let bench = Bench::new(&MIX.replace("weight = 25", "weight = 20"), "");
    let ended = bench.bakeoff(&["drive", "w.toml"]);
    ended.expect(1).says("95");
}

#[test]
fn a_rate_is_held_and_every_operation_is_counted_once() {
    let (bench, ended) = drive(&["--rate", "2k", "--for", "3s", "--out", "out"]);
    let ended = ended.expect(0);
    ended.says("dry").says("read").says("write");
    assert!(bench.path("out/report.html").is_file());
    let trial = summary(&bench, "out")["summary"]["trials"][0].clone();
    assert_eq!(trial["end"]["sent"], 6000);
    assert_eq!(trial["end"]["unsent"], 0);
    // Every line of the log is in the format that other tools read.
    let log = std::fs::read_to_string(bench.path("out/trials/001.hlog")).unwrap();
    assert!(log.contains("Tag=read,") && log.contains("Tag=write.service,"));
    let rendered = bench.bakeoff(&["report", "out"]).expect(0);
    let tables = |text: &str| text.split("Report:").next().unwrap().to_owned();
    assert_eq!(tables(&rendered.stdout), tables(&ended.stdout));
}

#[test]
fn two_shards_make_one_whole() {
    let bench = Bench::new(MIX, "");
    let start = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    let start = start
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
        .to_string();
    let children = ["1/2", "2/2"].map(|shard| {
        let out = format!("out-{}", &shard[..1]);
        let arguments = [
            "drive",
            "w.toml",
            "--rate",
            "1k",
            "--for",
            "3s",
            "--shard",
            shard,
            "--start-at",
            &start,
            "--out",
            &out,
        ];
        let mut command = bench.command(&arguments);
        command.stdout(std::process::Stdio::piped());
        command.spawn().unwrap()
    });
    for child in children {
        Ended::of(child.wait_with_output().unwrap()).expect(0);
    }
    let ended = bench.bakeoff(&["merge", "out-1", "out-2", "--out", "whole"]);
    ended.expect(0);
    let trial = summary(&bench, "whole")["summary"]["trials"][0].clone();
    assert_eq!(trial["end"]["sent"], 3000);
    // A shard twice is not the whole.
    let ended = bench.bakeoff(&["merge", "out-1", "out-1", "--out", "twice"]);
    ended.expect(1).says("counted twice");
}

#[test]
fn an_interruption_keeps_what_was_measured() {
    let bench = Bench::new(MIX, "");
    let arguments = [
        "drive", "w.toml", "--rate", "1k", "--for", "60s", "--out", "out",
    ];
    let child = bench.command(&arguments).spawn().unwrap();
    let log = bench.path("out/trials/001.hlog");
    let began = std::time::Instant::now();
    while !std::fs::read_to_string(&log).is_ok_and(|text| text.contains("Tag=read")) {
        assert!(began.elapsed() < std::time::Duration::from_secs(30));
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let ended = Ended::of(child.wait_with_output().unwrap());
    ended.expect(130);
    let trial = summary(&bench, "out")["summary"]["trials"][0].clone();
    assert!(trial["end"]["sent"].as_u64().unwrap() >= 1000);
}

#[test]
fn a_dry_run_touches_nothing() {
    let (bench, ended) = drive(&["--dry-run", "--designs", "cassandra/wide", "--rate", "10"]);
    ended
        .expect(0)
        .says("INSERT INTO")
        .says("SELECT")
        .says("Nothing is touched");
    assert!(!bench.path("runs").exists());
}

//! `--profile` of `run` and `drive`: which methods a Cassandra runs. What needs the server prints why it is skipped and
//! passes where it cannot be started, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use bakeoff_engines::servers::cassandra::check_recorder;
use bakeoff_testing::skipped;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::support::{Bench, READINGS, READS, WORKLOAD, of_kind, records};

const SENSOR: &str = r#"
title = "t"
designs = ["cassandra/wide", "parquet"]
[data]
generator = "sensor"
[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM sensor"
"#;

const RUN: [&str; 8] = [
    "run", "w.toml", "--rows", "5k", "--rounds", "1", "--out", "out",
];

/// Whether the Java here has what recording needs.
fn records_here() -> bool {
    match Runtime::new().unwrap().block_on(check_recorder()) {
        Ok(()) => true,
        Err(error) => {
            skipped(error);
            false
        }
    }
}

/// Checks what is on record of a profile.
#[track_caller]
fn check(bench: &Bench, profile: &Value) {
    assert_eq!(profile["design"], "cassandra/wide");
    assert!(profile["samples"].as_u64().unwrap() > 0, "{profile}");
    let methods = profile["methods"].as_array().unwrap();
    let is_named = |method: &Value| method["method"].as_str().unwrap().contains('.');
    assert!(
        !methods.is_empty() && methods.iter().all(is_named),
        "{profile}"
    );
    let file = format!("out/{}", profile["file"].as_str().unwrap());
    let stacks = std::fs::read_to_string(bench.path(&file)).unwrap();
    assert!(stacks.contains("java.lang.Thread.run;"), "{stacks}");
    let samples = stacks.lines().map(|line| {
        let (_, samples) = line.rsplit_once(' ').unwrap();
        samples.parse::<u64>().unwrap()
    });
    let samples: u64 = samples.sum();
    assert_eq!(profile["samples"].as_u64(), Some(samples));
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("<h2>Hottest methods</h2>"));
}

#[test]
fn a_run_has_a_profile_of_each_design_in_cassandra() {
    if !records_here() {
        return;
    }
    let Some(bench) = Bench::with_cassandra(SENSOR, READINGS) else {
        return;
    };
    bench
        .bakeoff(&[&RUN[..], &["--profile"]].concat())
        .expect(0);
    let records = bench.journal("out");
    let profiles: Vec<&Value> = of_kind(&records, "profile").collect();
    assert_eq!(
        profiles.len(),
        1,
        "{:?}",
        of_kind(&records, "warning").collect::<Vec<_>>()
    );
    check(&bench, profiles[0]);
}

/// Both nodes record, and tell their read repairs.
#[test]
fn a_load_on_two_nodes_has_a_profile_and_read_repairs() {
    if !records_here() {
        return;
    }
    let reads = READS.replace("[\"dry\"]", "[\"cassandra/wide\"]");
    let Some(bench) = Bench::with_nodes_of_cassandra(&reads, READINGS) else {
        return;
    };
    let drive = [
        "drive",
        "w.toml",
        "--profile",
        "--nodes",
        "2",
        "--for",
        "4s",
        "--out",
        "out",
    ];
    let ended = bench.bakeoff(&drive);
    if ended.code != Some(0) && ended.stderr.contains("memory") {
        skipped(ended.stderr);
        return;
    }
    ended.expect(0);
    let records = records(&bench.path("out/drive.jsonl"));
    let warnings: Vec<&Value> = of_kind(&records, "warning").collect();
    let profiles: Vec<&Value> = of_kind(&records, "profile").collect();
    assert_eq!(profiles.len(), 1, "{warnings:?}");
    assert!(profiles[0]["trial"].is_u64());
    check(&bench, profiles[0]);
    let repairs: Vec<&Value> = of_kind(&records, "read-repairs").collect();
    assert_eq!(repairs.len(), 1, "{repairs:?}");
    assert!(repairs[0]["repairs"].is_u64(), "{repairs:?}");
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("read repairs, over all loads: "));
}

#[test]
fn what_cannot_be_recorded_is_refused_before_anything_is_made() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let refused = |arguments: &[&str], why: &str| {
        bench.bakeoff(arguments).expect(2).says(why);
        assert!(!bench.path("runs").exists());
    };
    let none =
        "--profile would be ignored, since it is for designs of cassandra or cassandra-4, and none";
    refused(&["run", "w.toml", "--profile"], none);
    let cluster = ["--profile", "--cassandra", "db1.example"];
    for command in ["run", "drive"] {
        let arguments = [&[command, "w.toml"][..], &cluster].concat();
        refused(&arguments, "--cassandra");
    }
    let search = ["drive", "w.toml", "--profile", "--within", "p99<10ms"];
    refused(&search, "cannot be used with");
}

#[test]
fn a_java_that_cannot_record_is_refused_before_anything_is_started() {
    let bench = Bench::new(SENSOR, READINGS);
    let java = bench.path("jre/bin/java");
    std::fs::create_dir_all(java.parent().unwrap()).unwrap();
    let script = "#!/bin/sh\necho 'openjdk version \"17.0.15\"' >&2\n";
    std::fs::write(&java, script).unwrap();
    std::fs::set_permissions(&java, Permissions::from_mode(0o755)).unwrap();
    let mut command = bench.command(&[&RUN[..], &["--profile"]].concat());
    command.env("JAVA_HOME", bench.path("jre"));
    let ended = crate::support::Ended::of(command.output().unwrap()).expect(1);
    ended.says("--profile needs the programs `jcmd` and `jfr`");
    ended.says("there is no `jcmd` next to");
    assert!(!bench.path("out").exists());
}

//! Runs on a real PostgreSQL and TimescaleDB: to the end, killed and gone on with, and on a server
//! that runs already. Where they are not installed this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use crate::support::going_on::{all_is_right, kill_while_loading};
use crate::support::{Bench, READINGS, of_kind};

const HOSTS: &str = r#"
title = "t"
designs = ["postgres/plain", "timescale/hypertable?chunk=1h", "parquet"]
[data]
generator = "devops"
hosts = 5
[concurrent]
permutations = 5
[[queries]]
name = "highest"
sql = """
SELECT date_trunc('minute', time) AS minute, max(usage_user) AS highest FROM cpu
WHERE hostname = ${host} GROUP BY date_trunc('minute', time) ORDER BY minute
"""
parameters = { host = { column = "hostname" } }
[[queries]]
name = "newest"
sql = "SELECT DISTINCT ON (hostname) * FROM cpu ORDER BY hostname, time DESC"
[queries.engine_sql]
postgres = "SELECT newest.* FROM (SELECT DISTINCT hostname FROM cpu) AS hosts, LATERAL (SELECT * FROM cpu WHERE cpu.hostname = hosts.hostname ORDER BY time DESC LIMIT 1) AS newest"
"#;

/// Every query of every design has its rounds, and all are right.
#[track_caller]
fn is_complete(bench: &Bench, designs: usize, rounds: usize) {
    let records = bench.journal("out");
    all_is_right(&records, designs * 2 * rounds);
    let turns = 7;
    assert_eq!(of_kind(&records, "concurrent").count(), designs * turns);
    assert_eq!(of_kind(&records, "finished").count(), 1);
    bench
        .bakeoff(&["engines", "status"])
        .expect(0)
        .says("no server");
}

#[test]
fn a_run_that_is_killed_goes_on_to_its_end() {
    let Some(bench) = Bench::with_engine(HOSTS, "timescale") else {
        return;
    };
    let run = [
        "run", "w.toml", "--rows", "60k", "--rounds", "3", "--out", "out",
    ];
    kill_while_loading(&bench, &run, "postgres/plain");

    let ended = bench.bakeoff(&run).expect(0);
    ended.says("left behind").says("going on with the run");
    let records = bench.journal("out");
    let done = of_kind(&records, "loading-done").next().unwrap();
    assert_eq!(done["rows"], 60_000);
    is_complete(&bench, 3, 3);
    assert!(!bench.path("out/postgres").exists() && !bench.path("out/timescale").exists());
    let footprint = of_kind(&records, "footprint").find(|r| r["design"] == "postgres/plain");
    assert!(footprint.unwrap()["file_bytes"].as_u64().unwrap() > 1 << 20);
    let json = std::fs::read_to_string(bench.path("out/run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let accounts = json["summary"]["accounts"].as_array().unwrap();
    for engine in ["postgres", "timescale"] {
        let own = accounts.iter().filter(|at| at["engine"] == engine);
        let moments: Vec<_> = own.clone().map(|at| &at["moment"]).collect();
        assert_eq!(moments, ["before", "at-rest", "after"], "{engine}");
        for at in own {
            let account = &at["account"];
            assert!(
                account["database_bytes"].as_u64().unwrap() > 1 << 20,
                "{at}"
            );
            assert!(
                account["blocks_hit"].is_u64() && account["log_bytes"].is_u64(),
                "{at}"
            );
        }
    }
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("<h2>Servers before and after</h2>"));
    // The first step is always sampled.
    let samples = of_kind(&records, "server").flat_map(|r| r["samples"].as_array().unwrap());
    let mut samples = samples.map(|sample| &sample["server"]);
    assert!(samples.any(|s| s["database"]["commits"].is_u64() && s["resident_bytes"].is_u64()));
    assert!(page.contains("<h2>What servers did</h2>"));
    assert!(page.contains("Connections of clients: open light"));
}

#[test]
fn sql_that_a_server_refuses_is_an_error_of_that_query_and_no_other() {
    let workload = HOSTS.replace("LATERAL (SELECT *", "LATERAL (SELECT nothing");
    let Some(bench) = Bench::with_engine(&workload, "timescale") else {
        return;
    };
    let run = [
        "run", "w.toml", "--rows", "2k", "--rounds", "1", "--out", "out",
    ];
    let ended = bench.bakeoff(&run).expect(3);
    ended.says("column \"nothing\" does not exist");
    let records = bench.journal("out");
    let right = of_kind(&records, "timed").filter(|r| r["outcome"]["outcome"] == "right");
    assert_eq!(right.count(), 5);
}

#[test]
fn a_server_that_cannot_be_reached_is_told_and_harms_no_other_design() {
    let Some(bench) = Bench::with_engine(HOSTS, "timescale") else {
        return;
    };
    let run = |url| {
        [
            "run",
            "w.toml",
            "--rows",
            "2k",
            "--rounds",
            "1",
            "--out",
            "out",
            "--postgres",
            url,
        ]
    };
    let refused = bench
        .bakeoff(&run("postgresql://me:hunter2@127.0.0.1:1/db"))
        .expect(2);
    refused.says("BAKEOFF_POSTGRES_PASSWORD");
    assert!(!refused.stderr.contains("hunter2"));
    assert!(!bench.path("out").exists());
    let ended = bench
        .bakeoff(&run("postgresql://me@127.0.0.1:1/db"))
        .expect(3);
    ended.says("cannot connect to PostgreSQL at me@127.0.0.1:1/db");
    let records = bench.journal("out");
    let timed: Vec<_> = of_kind(&records, "timed").collect();
    assert_eq!(timed.len(), 2);
    assert!(timed.iter().all(|r| r["design"] == "parquet"));
}

#[test]
fn a_dry_run_tells_every_statement() {
    let bench = Bench::new(HOSTS, READINGS);
    let shown = bench.bakeoff(&["run", "w.toml", "--dry-run"]).expect(0);
    for words in [
        "start a TimescaleDB on loopback",
        "CREATE SCHEMA \"bakeoff_w_plain_",
        "create_hypertable(",
        "COPY ",
        "VACUUM (ANALYZE)",
        "CHECKPOINT",
        "newest of postgres: SELECT newest.* FROM",
    ] {
        shown.says(words);
    }
    let theirs = [
        "run",
        "w.toml",
        "--dry-run",
        "--postgres",
        "postgresql://me@db1/metrics",
    ];
    let shown = bench.bakeoff(&theirs).expect(0);
    shown
        .says("to the PostgreSQL at me@db1:5432/metrics")
        .says("DROP SCHEMA IF EXISTS");
    assert!(!shown.stdout.contains("CHECKPOINT"), "{}", shown.stdout);
}

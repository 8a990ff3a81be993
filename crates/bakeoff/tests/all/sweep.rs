//! Insert sweeps on real servers: figures of each setting, rows counted, what a server refuses.
//! Where an engine is not installed this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

mod nodetool;
mod per_node;

use crate::support::processes::{Going, signal};
use crate::support::{self, Bench, Ended, HOSTS, READINGS, WORKLOAD};
use serde_json::Value;

/// A small grid with cells of 0.3 s.
fn sweep(bench: &Bench, more: &[&str]) -> Ended {
    let grid = [
        "sweep",
        "w.toml",
        "--batches",
        "1,200",
        "--workers",
        "1,4",
        "--for",
        "300ms",
        "--warm-up",
        "50ms",
        "--out",
        "out",
    ];
    bench.bakeoff(&[&grid, more].concat())
}

fn records(bench: &Bench) -> Vec<Value> {
    support::records(&bench.path("out/sweep.jsonl"))
}

/// Every setting has a rate and no error, and the rows are those that were acknowledged.
#[track_caller]
fn all_inserted(bench: &Bench, designs: usize) {
    let records = records(bench);
    let cells: Vec<&Value> = { records.iter() }
        .filter(|r| r["record"] == "cell")
        .collect();
    assert_eq!(cells.len(), 4 * designs);
    for cell in cells {
        assert!(cell["inserted"]["rows"].as_u64().unwrap() > 0, "{cell}");
        assert!(cell["inserted"]["p50"].as_f64().unwrap() > 0.0, "{cell}");
        assert_eq!(cell["failures"]["kinds"], serde_json::json!([]), "{cell}");
        assert_eq!(cell["check"]["check"], "right", "{cell}");
        assert_eq!(cell["reason"], Value::Null, "{cell}");
    }
    assert_eq!(records.last().unwrap()["record"], "finished");
}

#[test]
fn a_server_that_others_may_depend_on_is_not_swept() {
    let bench = Bench::new(HOSTS, READINGS);
    sweep(&bench, &["--cassandra", "192.0.2.1"])
        .expect(2)
        .says("--rate-limit none");
    let limited = ["--cassandra", "192.0.2.1", "--rate-limit", "100"];
    sweep(&bench, &limited).expect(2).says("--rate-limit none");
    assert!(!bench.path("out").exists());
}

#[test]
fn postgres_and_timescale_are_swept() {
    let bench = Bench::new(HOSTS, READINGS);
    if !bench.has("timescale") {
        return;
    }
    let designs = "postgres/partitioned?width=1d,timescale/hypertable?chunk=12h";
    let swept = sweep(&bench, &["--designs", designs]).expect(0);
    swept
        .says("★ best: batches of")
        .says("had its highest rate with");
    all_inserted(&bench, 2);
    let html = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert_eq!(html.matches("class=\"best\"").count(), 2);
    let plans = bench.bakeoff(&["report", "out", "--plans"]).expect(2);
    plans.says("--plans is for folders of `bakeoff run`");
    let records = records(&bench);
    let sampled = records.iter().filter(|r| r["record"] == "server");
    let mut samples = sampled.flat_map(|r| r["samples"].as_array().unwrap());
    assert!(samples.any(|sample| sample["server"]["database"]["log_bytes"].is_u64()));
    let export = ["report", "out", "--prometheus", "out.prom"];
    bench.bakeoff(&export).expect(0);
    let metrics = std::fs::read_to_string(bench.path("out.prom")).unwrap();
    assert!(metrics.contains("bakeoff_server_log_bytes{"), "{metrics}");
    let again = bench.bakeoff(&["report", "out"]).expect(0);
    let told = |stdout: &str| stdout.split("\nReport:").next().map(str::to_owned);
    assert_eq!(told(&again.stdout), told(&swept.stdout));
    // A folder is used once.
    sweep(&bench, &["--designs", designs])
        .expect(1)
        .says("--out");
}

#[test]
fn more_workers_than_the_server_has_connections_are_told_and_the_others_measured() {
    let bench = Bench::new(HOSTS, READINGS);
    if !bench.has("postgres") {
        return;
    }
    // A server of our own has 600, of which 3 are kept for administrators.
    let more = ["--designs", "postgres/plain", "--workers", "2,700"];
    let more = [&more[..], &["--batches", "10"]].concat();
    let grid = [
        "sweep",
        "w.toml",
        "--for",
        "300ms",
        "--warm-up",
        "50ms",
        "--out",
        "out",
    ];
    let swept = bench.bakeoff(&[&grid, &more[..]].concat()).expect(0);
    swept
        .says("not all of 700 workers could connect")
        .says("max_connections");
    let records = records(&bench);
    let cell = |workers| {
        let is_it = |r: &&Value| r["record"] == "cell" && r["workers"] == workers;
        records.iter().find(is_it).unwrap()
    };
    assert_eq!(cell(2)["check"]["check"], "right");
    assert_eq!(cell(700)["inserted"], Value::Null);
    assert_eq!(cell(700)["failures"]["kinds"][0][0], "connection");
}

#[test]
fn cassandra_is_swept_in_every_layout() {
    let Some(bench) = Bench::with_cassandra(HOSTS, READINGS) else {
        return;
    };
    let designs = "cassandra/wide,cassandra/series,cassandra/columnar";
    sweep(&bench, &["--designs", designs]).expect(0);
    all_inserted(&bench, 3);
    let records = records(&bench);
    let sampled = records.iter().filter(|r| r["record"] == "server");
    let cpu = |sample: &Value| sample["server"]["cpu_seconds"].as_f64();
    let known = sampled.filter(|r| {
        r["samples"]
            .as_array()
            .unwrap()
            .iter()
            .all(|s| cpu(s).is_some())
    });
    assert!(known.count() > 0, "the first setting is always sampled");
    let html = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(html.contains("<h2>What servers did</h2>"));
    assert!(html.contains("Server CPU, cores in use"));
    bench
        .bakeoff(&["engines", "status"])
        .expect(0)
        .says("no server");
}

#[test]
fn batches_over_any_partition_are_swept_next_to_those_of_one() {
    let Some(bench) = Bench::with_cassandra(HOSTS, READINGS) else {
        return;
    };
    let more = [
        "--designs",
        "cassandra/wide,cassandra/series",
        "--batch-over",
        "partition,any",
        "--consistency",
        "quorum",
    ];
    let swept = sweep(&bench, &more).expect(0);
    swept
        .says("cassandra/series#any-partition")
        .says("cassandra/wide#any-partition");
    // Rows that went over any partitions are all there, too.
    all_inserted(&bench, 4);
}

#[test]
fn copies_consistency_and_what_batches_hold_are_checked_before_anything_is_started() {
    let bench = Bench::new(HOSTS, READINGS);
    let of = |design: &str, more: &[&str]| {
        sweep(
            &bench,
            &[&["--designs", design, "--dry-run"], more].concat(),
        )
    };
    let dry = of(
        "cassandra/series",
        &[
            "--batch-over",
            "any",
            "--nodes",
            "3",
            "--replication",
            "2",
            "--consistency",
            "quorum",
        ],
    );
    let dry = dry.expect(0);
    dry.says("\ncassandra/series#any-partition\n")
        .says("'replication_factor': 2")
        .says("CONSISTENCY QUORUM");
    assert!(
        !dry.stdout.contains("\ncassandra/series\n"),
        "{}",
        dry.stdout
    );
    let refused = |design: &str, more: &[&str], words: &str| {
        of(design, more).expect(2).says(words);
    };
    refused(
        "cassandra/wide",
        &["--nodes", "2", "--replication", "3"],
        "there are 2 nodes",
    );
    refused(
        "cassandra/wide",
        &["--consistency", "any"],
        "nothing can be read with it",
    );
    refused(
        "local/columnar",
        &["--batch-over", "any"],
        "--batch-over any: no design sends batches of rows of any partitions",
    );
    refused(
        "cassandra/wide?batch=64KiB",
        &["--batch-over", "any"],
        "choose batch= up to 48KiB",
    );
    refused("cassandra/wide", &["--batch-over", "many"], "--batch-over");
}

#[test]
fn a_server_that_cannot_be_reached_fails_its_designs_only() {
    let bench = Bench::new(HOSTS, READINGS);
    let more = [
        "--designs",
        "postgres/plain,local/columnar",
        "--postgres",
        "postgresql://me@127.0.0.1:1/db",
        "--rate-limit",
        "none",
    ];
    sweep(&bench, &more)
        .expect(3)
        .says("cannot connect to PostgreSQL at me@127.0.0.1:1/db");
    all_inserted(&bench, 1);
}

#[test]
fn a_server_that_is_killed_fails_its_design_only() {
    let bench = Bench::new(HOSTS, READINGS);
    if !bench.has("postgres") {
        return;
    }
    let mut command = bench.command(&[
        "sweep",
        "w.toml",
        "--designs",
        "postgres/plain,local/columnar",
        "--batches",
        "200",
        "--workers",
        "1,2,3,4,5,6",
        "--for",
        "500ms",
        "--warm-up",
        "50ms",
        "--out",
        "out",
    ]);
    let mut going = Going::start(&mut command);
    let cells = |records: &[Value], design: &str| -> Vec<Value> {
        let of_design = |r: &&Value| r["record"] == "cell" && r["design"] == design;
        records.iter().filter(of_design).cloned().collect()
    };
    going.wait_until("a setting was measured", || {
        !cells(&records(&bench), "postgres/plain").is_empty()
    });
    going.signal("-STOP"); // It gets no further while its server is looked up.
    let status = bench.bakeoff(&["engines", "status"]).expect(0).stdout;
    let process = status.split(", process ").nth(1).unwrap();
    let process = process.split(',').next().unwrap();
    signal("-KILL", process);
    going.signal("-CONT");

    let ended = going.end().expect(3);
    ended.says("postgres/plain").says("killed (SIGKILL)");
    let records = records(&bench);
    assert!(cells(&records, "postgres/plain").len() < 6, "{status}");
    let beside = cells(&records, "local/columnar");
    assert_eq!(beside.len(), 6);
    let is_right = |cell: &Value| cell["check"]["check"] == "right";
    assert!(beside.iter().all(is_right), "{beside:?}");
}

#[test]
fn every_setting_is_measured_in_each_round() {
    let bench = Bench::new(HOSTS, READINGS);
    let more = ["--designs", "local/columnar", "--rounds", "2"];
    sweep(&bench, &more)
        .expect(0)
        .says("Each setting was measured 2 times.");
    let of_round = |round: Option<u64>| {
        let records = records(&bench);
        let cells = records.iter().filter(|r| r["record"] == "cell");
        cells.filter(|cell| cell["round"].as_u64() == round).count()
    };
    assert_eq!((of_round(None), of_round(Some(2))), (4, 4));
    let dry = sweep(
        &bench,
        &["--designs", "local/columnar", "--rounds", "7", "--dry-run"],
    );
    dry.expect(0).says("in each of 7 rounds");
}

#[test]
fn what_cannot_be_swept_is_told() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let refused = |arguments: &[&str], words: &str| {
        sweep(&bench, arguments).expect(2).says(words);
    };
    refused(
        &["--designs", "postgres/plain,parquet"],
        "design parquet: it takes no inserts from several workers; leave it out of --designs",
    );
    refused(
        &["--designs", "cassandra/as-written"],
        "design cassandra/as-written: it takes no inserts from several workers",
    );
    refused(
        &["--designs", "local/columnar?columns=4"],
        "a sweep inserts whole rows, and columns=4 stores a part of them",
    );
    refused(&[], "w has no design that takes inserts");
    let wrong = WORKLOAD.replace("avg(value)", "avg(vlaue)");
    std::fs::write(bench.path("wrong.toml"), wrong).unwrap();
    let ended = bench.bakeoff(&["sweep", "wrong.toml"]).expect(2);
    ended.says("wrong.toml:").says("did you mean `value`?");
    for (option, value) in [
        ("--batches", "0"),
        ("--workers", "8,x"),
        ("--for", "0s"),
        ("--warm-up", "1000000y"),
    ] {
        bench
            .bakeoff(&["sweep", "w.toml", option, value])
            .expect(2)
            .says(option);
    }
    assert!(!bench.path("runs").exists() && !bench.path("out").exists());
}

#[test]
fn settings_of_which_none_can_be_measured_are_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let grid = |batches: &'static str, workers: &'static str| {
        let command = [
            "sweep",
            "w.toml",
            "--designs",
            "local/columnar",
            "--dry-run",
        ];
        let grid = ["--batches", batches, "--workers", workers];
        bench.bakeoff(&[&command[..], &grid].concat())
    };
    grid("1,10,100", "1,8").expect(0).says("6 settings");
    grid("3,10", "1")
        .expect(2)
        .says("smallest numbers of --batches and --workers, 3 and 1, two batches for each worker")
        .says("are 6 rows, and the data have 4");
    grid("100k", "4096")
        .expect(2)
        .says("409600000 rows, more than the 4000000 that may be in memory");
}

#[test]
fn designs_of_the_workload_that_take_no_inserts_are_left_out() {
    let workload = WORKLOAD.replace("\"memory\"]", "\"memory\", \"local/columnar\"]");
    let bench = Bench::new(&workload, READINGS);
    let shown = bench.bakeoff(&["sweep", "w.toml", "--dry-run"]).expect(0);
    shown
        .says("20 settings")
        .says("\nlocal/columnar\n")
        .says("memory is not swept: it takes no inserts");
    assert!(!shown.stdout.contains("\nparquet?codec=zstd\n"));
    assert!(!bench.path("runs").exists());
}

//! Loads on PostgreSQL and TimescaleDB: beside Cassandra, with a server that is killed, and what is refused. Where they
//! are not installed this prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use serde_json::Value;

use crate::drive::{refused, summary};
use crate::support::processes::{Going, signal};
use crate::support::{Bench, READS, of_kind, records, sensors};

const DESIGNS: [&str; 3] = [
    "cassandra/wide",
    "postgres/plain?unique=on",
    "timescale/hypertable?chunk=1000000",
];

const MIX: &str = r#"
[scale]
rows = 5_000

[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM readings WHERE sensor = 's7'"

[mix]
consistency = "LOCAL_ONE"
[[mix.operations]]
name = "insert"
action = "insert"
weight = 32
[[mix.operations]]
name = "read"
action = "read-row"
keys = { zipf = 0.99 }
weight = 28
[[mix.operations]]
name = "newest"
action = "read-partition"
limit = 10
newest_first = true
weight = 10
[[mix.operations]]
name = "from"
action = "read-range"
rows = 5
weight = 10
[[mix.operations]]
name = "correct"
action = "update"
columns = ["value"]
weight = 18
[[mix.operations]]
name = "mean"
action = "query"
query = "mean"
weight = 2
"#;

/// What a design says of the operations of this mix.
const ON_SIX: &str = "each a transaction, pipelined on 6 connections; queries on as many others";

#[test]
fn cassandra_and_postgresql_take_turns_and_every_reply_is_right() {
    let Some(bench) = Bench::with_cassandra(&sensors(&DESIGNS, MIX), "") else {
        return;
    };
    if !bench.has("timescale") {
        return;
    }
    let arguments = [
        "drive",
        "w.toml",
        "--rate",
        "200",
        "--for",
        "1s",
        "--rounds",
        "2",
        "--postgres-connections",
        "6",
        "--out",
        "out",
    ];
    bench.bakeoff(&arguments).expect(0);
    let run = summary(&bench, "out");
    let designs = run["summary"]["designs"].as_array().unwrap();
    assert_eq!(designs.len(), 3);
    for design in designs {
        assert_eq!(design["failures"], serde_json::json!([]), "{design}");
        assert_eq!(design["trials"].as_array().unwrap().len(), 2);
        for operation in design["figures"]["operations"].as_array().unwrap() {
            assert_eq!(operation["failures"], serde_json::json!([]), "{operation}");
            assert!(operation["count"].as_u64() > Some(0), "{operation}");
        }
        let cpu = &design["figures"]["server_cpu_micros_per_op"];
        assert!(cpu.as_f64() > Some(0.0), "{design}");
        let settings = design["info"]["settings"].as_array().unwrap();
        let told = settings.iter().any(|setting| setting[1] == ON_SIX);
        assert_eq!(
            told,
            design["info"]["engine"] != "cassandra",
            "{settings:?}"
        );
    }
    for folder in ["out/cassandra", "out/postgres", "out/timescale"] {
        assert!(!bench.path(folder).exists(), "{folder} is not removed");
    }
}

#[test]
fn a_load_as_fast_as_it_goes_on_one_thread_for_each_connection() {
    let Some(bench) = Bench::with_engine(&sensors(&["postgres/plain"], MIX), "postgres") else {
        return;
    };
    let arguments = [
        "drive",
        "w.toml",
        "--operations",
        "2000",
        "--threads",
        "2",
        "--postgres-connections",
        "2",
        "--out",
        "out",
    ];
    bench.bakeoff(&arguments).expect(0);
    let run = summary(&bench, "out");
    let design = &run["summary"]["designs"][0];
    assert_eq!(design["failures"], serde_json::json!([]), "{design}");
    let trials = run["summary"]["trials"].as_array().unwrap().iter();
    let measured = trials.filter(|trial| trial["start"]["warm_up"] != true);
    let sent: Vec<&Value> = measured.map(|trial| &trial["end"]["sent"]).collect();
    assert_eq!(sent, [2_000], "{run}");
}

#[test]
fn a_load_ends_when_its_postgresql_is_killed_and_says_so() {
    let Some(bench) = Bench::with_engine(&sensors(&["postgres/plain"], MIX), "postgres") else {
        return;
    };
    // Nothing waits that long: the load ends with its server.
    let drive = [
        "drive", "w.toml", "--rate", "200", "--for", "1h", "--out", "out",
    ];
    let mut going = Going::start(&mut bench.command(&drive));
    let measured = || {
        let records = records(&bench.path("out/drive.jsonl"));
        let is_measured = |trial: &&Value| trial["warm_up"] != true;
        let trial = of_kind(&records, "trial-started").find(is_measured);
        let number = trial.map(|trial| &trial["trial"]);
        let seconds = of_kind(&records, "second").filter(|s| Some(&s["trial"]) == number);
        number.is_some() && seconds.count() > 2
    };
    going.wait_until("two seconds of the load", measured);
    let status = bench.bakeoff(&["engines", "status"]).expect(0).stdout;
    let process = status.split(", process ").nth(1).unwrap();
    signal("-KILL", process.split([',', '\n']).next().unwrap());
    let ended = going.end().expect(3);
    ended
        .says("its server ended during the load: ")
        .says("SIGKILL");
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("its server ended during the load"));
    let records = records(&bench.path("out/drive.jsonl"));
    let seconds = of_kind(&records, "second").map(|second| &second["server"]);
    let mut full = seconds.filter(|server| server["resident_bytes"].is_u64());
    assert!(full.any(|server| server["database"]["commits"].is_u64()));
}

/// A question that would read a file of the server, if PostgreSQL answers.
const HOSTILE: &str = r#"
[[queries]]
name = "file"
sql = "SELECT count(*) AS n FROM keyvalue"
engine_sql = { postgres = "SELECT pg_read_file('postgresql.conf') AS n" }
"#;

#[test]
fn a_hostile_question_beside_a_load_is_asked_by_a_role_that_may_not() {
    let workload = format!("{READS}{HOSTILE}");
    let Some(bench) = Bench::with_engine(&workload, "postgres") else {
        return;
    };
    let arguments = [
        "drive",
        "w.toml",
        "--rate",
        "400",
        "--for",
        "1s",
        "--rounds",
        "2",
        "--beside-query",
        "file",
        "--beside-design",
        "postgres/plain",
        "--out",
        "out",
    ];
    bench
        .bakeoff(&arguments)
        .expect(3)
        .says("permission denied for function pg_read_file");
    let records = records(&bench.path("out/drive.jsonl"));
    let asked = of_kind(&records, "beside").map(|beside| &beside["questions"][0]);
    let asked: Vec<&Value> = asked.collect();
    assert!(!asked.is_empty());
    for question in asked {
        assert_eq!(question["answered"], 0, "{question}");
        assert!(question["failed"].as_u64() > Some(0), "{question}");
    }
}

#[test]
fn what_is_no_question_is_not_asked_beside_a_load() {
    for sql in [
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "SELECT 1; DROP TABLE keyvalue",
        "CREATE TABLE made (a int)",
    ] {
        let beside = ["--beside", sql, "--beside-design", "postgres/plain"];
        refused(&beside, 2, &format!("--beside {sql:?}: "));
    }
}

#[test]
fn options_of_cassandra_are_refused_for_designs_of_postgresql() {
    let unique = ["--designs", "postgres/plain?unique=on"];
    for (option, more) in [
        ("--shard", &["--shard", "1/2"][..]),
        ("--passes", &["--passes", "all"]),
        (
            "--beside",
            &["--beside", "SELECT count(*) AS n FROM keyvalue"],
        ),
        (
            "--add-node-after",
            &["--nodes", "2", "--add-node-after", "10s"],
        ),
        (
            "--nodetool",
            &["--cassandra", "db1", "--nodetool", "ssh {host} nodetool"],
        ),
        (
            "--metrics",
            &["--cassandra", "db1", "--metrics", "http://{host}:9100/"],
        ),
        ("--keyspace", &["--cassandra", "db1", "--keyspace", "ks"]),
    ] {
        let words = format!(
            "design postgres/plain?unique=on: {option} is for designs of cassandra: leave it out"
        );
        refused(&[&unique[..], more].concat(), 2, &words);
    }
    let few = ["--postgres-connections", "2", "--threads", "4"];
    let words = "--postgres-connections 2 is less than --threads 4";
    refused(&[&unique[..], &few].concat(), 2, words);
    let many = ["--threads", "300", "--in-flight", "300"];
    refused(
        &[&unique[..], &many].concat(),
        2,
        "at most 256: give it fewer",
    );
    let theirs = ["--postgres", "postgresql://me@db1/metrics"];
    refused(&[&unique[..], &theirs].concat(), 2, "--rate-limit none");
    let ignored = ["--designs", "dry", "--postgres-connections", "4"];
    refused(&ignored, 2, "--postgres-connections would be ignored");
}

#[test]
fn operations_that_postgresql_does_not_have_are_refused() {
    // The mix writes rows that are there.
    let words = "design postgres/plain: operation `write` inserts over rows that are there";
    refused(&["--designs", "postgres/plain"], 2, words);
    let designs = ["--designs", "dry,timescale/hypertable"];
    refused(&designs, 2, "design timescale/hypertable: ");
    let bench = Bench::new(&sensors(&["postgres/plain"], MIX), "");
    let again = ["drive", "w.toml", "--retries", "1"];
    let ended = bench.bakeoff(&again).expect(2);
    ended
        .says("--retries: operation `insert` tried again after a time-out may write its row twice");
    let parts = ["drive", "partitions", "--designs", "postgres/plain"];
    let ended = bench.bakeoff(&parts).expect(2);
    ended.says("reads a partition by several requests, which only designs of cassandra do");
    let written = ["drive", "models", "--designs", "postgres/plain"];
    let ended = bench.bakeoff(&written).expect(2);
    ended.says("the mix has statements in CQL");
    assert!(!bench.path("runs").exists());
}

#[test]
fn a_dry_run_shows_the_statement_of_each_operation() {
    let designs = [
        "postgres/plain",
        "timescale/hypertable?chunk=1000&unique=on",
    ];
    let bench = Bench::new(&sensors(&designs, MIX), "");
    let shown = bench.bakeoff(&["drive", "w.toml", "--dry-run"]).expect(0);
    for words in [
        "VALUES ($1, $2, $3, $4) -- insert",
        "ON CONFLICT (\"sensor\", \"time\") DO UPDATE SET \"value\" = EXCLUDED.\"value\"",
        "WHERE \"sensor\" = $1 AND \"time\" = $2 -- read",
        "WHERE \"sensor\" = $1 ORDER BY \"time\" DESC LIMIT 10 -- newest",
        "WHERE \"sensor\" = $1 AND \"time\" >= $2 ORDER BY \"time\" LIMIT 5 -- from",
        "SET \"value\" = $1 WHERE \"sensor\" = $2 AND \"time\" = $3 -- correct",
    ] {
        shown.says(words);
    }
    let readings = [
        "drive",
        "readings",
        "--designs",
        "postgres/plain",
        "--dry-run",
    ];
    bench.bakeoff(&readings).expect(0).says("-- hourly");
    let theirs = [
        "--dry-run",
        "--rate",
        "50",
        "--postgres",
        "postgresql://me@db1/metrics",
    ];
    let theirs = bench.bakeoff(&[&["drive", "w.toml"], &theirs[..]].concat());
    theirs
        .expect(0)
        .says("What the server of --postgres gets:")
        .says("50 operations/s (--rate), 50% of them writes")
        .says("DROP SCHEMA IF EXISTS");
}

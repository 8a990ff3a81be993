//! Cassandra 4.1 beside 5.0 in one command, which starts both and leaves neither behind. What needs the servers prints
//! why it is skipped and passes where they cannot be started, unless `BAKEOFF_REQUIRE_ENGINES=1`.
use serde_json::Value;

use crate::support::processes::Going;
use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

const OF_SENSORS: &str = "title = \"t\"\n\
     designs = [\"cassandra/wide\", \"cassandra-4/wide\", \"cassandra-4/narrow?compressor=Deflate\"]\n\
     [data]\ngenerator = \"sensor\"\n\
     [[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor WHERE sensor_id = 10\"\n\
     [[queries]]\nname = \"few\"\n\
     sql = \"SELECT time, value FROM sensor WHERE sensor_id = 10 AND time BETWEEN 50 AND 99 ORDER BY time\"\n";

/// Each design is loaded and driven on a server of its own release.
const UNDER_LOAD: &str = "\n[mix]\n[[mix.operations]]\nname = \"insert\"\naction = \"insert\"\n\
     keys = \"uniform\"\nweight = 50\n\
     [[mix.operations]]\nname = \"read\"\naction = \"read-row\"\nkeys = \"uniform\"\nweight = 50\n";

/// Tables and operations in CQL, whose reads are compared with the rows.
const IN_CQL: &str = r#"
title = "Notes"
designs = ["cassandra-4/as-written"]
[table]
name = "notes"
columns = { id = "bigint", bins = "blob" }
partition_key = ["id"]
[data]
generator = "columns"
[data.columns]
id = { sequence = {} }
bins = { doubles = { items = 10, normal = { mean = 50, deviation = 10 } } }
[scale]
rows = 200
[mix]
schema = ["CREATE TABLE ${keyspace}.notes (id bigint PRIMARY KEY, bins frozen<list<double>>)"]
populate = ["INSERT INTO ${keyspace}.notes (id, bins) VALUES (:id, :bins)"]
[[mix.operations]]
name = "read"
action = "cql"
weight = 100
statements = ["SELECT id, bins FROM ${keyspace}.notes WHERE id = :id"]
expect = ["id", "bins"]
expect_row = true
"#;

/// A folder in which both can be started; `None`, with the reason printed, where one cannot.
fn bench_with_both(workload: &str) -> Option<Bench> {
    let bench = Bench::with_nodes_of_cassandra(workload, READINGS)?;
    bench.has("cassandra-4").then_some(bench)
}

/// The versions of the engines that a run has started, in the order of their names.
fn versions(records: &[Value]) -> Vec<(&str, &str)> {
    let engines = of_kind(records, "engine");
    let named = engines.map(|engine| {
        let text = |field: &str| engine[field].as_str().unwrap();
        (text("engine"), text("version"))
    });
    let mut named: Vec<_> = named.collect();
    named.sort_unstable();
    named
}

#[track_caller]
fn leaves_nothing(bench: &Bench) {
    let left = bench.bakeoff(&["engines", "status"]).expect(0);
    left.says("no server that Bakeoff started");
}

#[test]
fn one_run_compares_both_versions() {
    let Some(bench) = bench_with_both(OF_SENSORS) else {
        return;
    };
    let arguments = [
        "run", "w.toml", "--rounds", "3", "--rows", "20k", "--out", "out",
    ];
    let run = bench.bakeoff(&arguments).expect(0);
    run.says("cassandra-4/wide").says("cassandra/wide");
    let records = bench.journal("out");
    let versions = versions(&records);
    let [("cassandra", five), ("cassandra-4", four)] = versions[..] else {
        panic!("{versions:?}");
    };
    assert!(
        five.starts_with("5.0.") && four.starts_with("4.1."),
        "{versions:?}"
    );
    let timed: Vec<&Value> = of_kind(&records, "timed").collect();
    assert_eq!(timed.len(), 3 * 2 * 3);
    assert!(timed.iter().all(|r| r["outcome"]["outcome"] == "right"));
    let report = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(report.contains(five) && report.contains(four));
    for folder in ["out/cassandra", "out/cassandra-4"] {
        assert!(!bench.path(folder).exists(), "{folder} is still there");
    }
    leaves_nothing(&bench);
}

#[test]
fn one_drive_compares_both_versions() {
    let workload = format!("{OF_SENSORS}{UNDER_LOAD}[scale]\nrows = 5000\n");
    let Some(bench) = bench_with_both(&workload) else {
        return;
    };
    let arguments = [
        "drive",
        "w.toml",
        "--rate",
        "100",
        "--for",
        "1s",
        "--rounds",
        "1",
        "--designs",
        "cassandra*/wide",
        "--out",
        "out",
    ];
    bench.bakeoff(&arguments).expect(0);
    let text = std::fs::read_to_string(bench.path("out/run.json")).unwrap();
    let run: Value = serde_json::from_str(&text).unwrap();
    let designs = run["summary"]["designs"].as_array().unwrap();
    assert_eq!(designs.len(), 2);
    for design in designs {
        assert_eq!(design["failures"], serde_json::json!([]), "{design}");
    }
    leaves_nothing(&bench);
}

#[test]
fn one_drive_of_a_workload_in_cql_is_right_on_the_older_version() {
    let Some(bench) = Bench::with_cassandra(IN_CQL, READINGS) else {
        return;
    };
    if !bench.has("cassandra-4") {
        return;
    }
    let arguments = [
        "drive", "w.toml", "--rate", "100", "--for", "1s", "--rounds", "1", "--out", "out",
    ];
    bench.bakeoff(&arguments).expect(0);
    let text = std::fs::read_to_string(bench.path("out/run.json")).unwrap();
    let run: Value = serde_json::from_str(&text).unwrap();
    let design = &run["summary"]["designs"][0];
    assert_eq!(design["info"]["id"], "cassandra-4/as-written");
    assert_eq!(design["failures"], serde_json::json!([]), "{design}");
    leaves_nothing(&bench);
}

#[test]
fn a_killed_run_leaves_both_servers_to_the_next_one_which_stops_them() {
    let Some(bench) = bench_with_both(OF_SENSORS) else {
        return;
    };
    let arguments = [
        "run", "w.toml", "--rounds", "12", "--rows", "20k", "--out", "out",
    ];
    let mut going = Going::start(&mut bench.command(&arguments));
    going.wait_until("timed", || {
        of_kind(&bench.journal("out"), "timed").next().is_some()
    });
    going.signal("-KILL");
    assert_eq!(going.end().code, None);
    let status = bench.bakeoff(&["engines", "status"]).expect(0).stdout;
    assert_eq!(status.matches(", process ").count(), 2, "{status}");
    bench
        .bakeoff(&arguments)
        .expect(0)
        .says("left behind")
        .says("going on");
    let timed = of_kind(&bench.journal("out"), "timed").count();
    assert_eq!(timed, 3 * 2 * 12);
    leaves_nothing(&bench);
}

#[test]
fn what_cassandra_4_lacks_is_said_before_anything_starts() {
    let with_format = format!("{WORKLOAD}\n[server.cassandra]\nsstable_format = \"bti\"\n");
    for (workload, options, words) in [
        (
            WORKLOAD,
            &["--designs", "cassandra-4/wide?compaction=UCS:T4"][..],
            "compaction=UCS is new in Cassandra 5.0, and 4.1 lacks it: write STCS, LCS or TWCS",
        ),
        (
            WORKLOAD,
            &["--designs", "cassandra-4/wide?index=value"],
            "a storage-attached index is new in Cassandra 5.0, and 4.1 lacks it: write index=value:2i",
        ),
        (
            with_format.as_str(),
            &["--designs", "cassandra-4/wide"],
            "`sstable_format` of [server.cassandra] is new in Cassandra 5.0, and 4.1 lacks it",
        ),
        (
            WORKLOAD,
            &["--designs", "cassandra-4/wide", "--nodes", "3"],
            "cassandra-4 is a single node of Cassandra 4.1: leave out --nodes",
        ),
        (
            WORKLOAD,
            &[
                "--designs",
                "cassandra-4/wide",
                "--cassandra",
                "127.0.0.1:1",
            ],
            "has the version that it has: leave out --cassandra",
        ),
    ] {
        let bench = Bench::new(workload, READINGS);
        let arguments = [&["run", "w.toml", "--out", "out"][..], options].concat();
        bench.bakeoff(&arguments).expect(2).says(words);
        assert!(!bench.path("out").exists() && !bench.path("home").exists());
    }
}

#[test]
fn a_dry_run_says_that_both_would_be_started() {
    let bench = Bench::new(OF_SENSORS, READINGS);
    let dry = bench.bakeoff(&["run", "w.toml", "--dry-run"]).expect(0);
    dry.says("start a Cassandra on loopback")
        .says("start a Cassandra 4.1 on loopback")
        .says("\ncassandra-4/wide\n");
    assert!(!bench.path("runs").exists());
}

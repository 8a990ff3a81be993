//! Runs on a Cassandra of several nodes. Without Java, Maven or the memory this prints why it is
//! skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use crate::support::processes::{Going, signal, wait_until};
use crate::support::{Bench, READINGS, WORKLOAD, of_kind};
use bakeoff_testing::skipped;
use serde_json::Value;

const DESIGNS: [&str; 3] = [
    "cassandra/wide",
    "cassandra/columnar",
    "cassandra/wide?replication=1",
];
const RUN: [&str; 13] = [
    "run",
    "w.toml",
    "--designs",
    "cassandra/wide,cassandra/columnar,cassandra/wide?replication=1",
    "--nodes",
    "3",
    "--replication",
    "3",
    "--consistency",
    "quorum",
    "--rounds",
    "10000",
    "--out=out",
];

/// One start of the nodes for all of it, which is most of the time.
#[test]
fn three_nodes_answer_rightly_until_one_is_killed() {
    let Some(bench) = Bench::with_nodes_of_cassandra(WORKLOAD, READINGS) else {
        return;
    };
    let mut going = Going::start(&mut bench.command(&RUN));
    let mut runs = true;
    wait_until("queries are timed, or there is an end", || {
        runs = going.is_running();
        !runs || of_kind(&bench.journal("out"), "timed").count() >= 20
    });
    if !runs {
        let ended = going.end();
        assert!(ended.stderr.contains("memory"), "{}", ended.stderr);
        skipped(ended.stderr);
        return;
    }
    signal("-KILL", &process_at(&bench, "127.0.0.2"));
    let ended = going.end().expect(3);

    ended.says("Cassandra ran as 3 nodes on this one machine with 3 copies of each row");
    let records = bench.journal("out");
    let answered: Vec<&Value> = of_kind(&records, "answered").collect();
    assert_eq!(answered.len(), 2 * DESIGNS.len());
    for answer in answered {
        assert_eq!(answer["outcome"]["outcome"], "right", "{answer}");
    }
    let failed: Vec<&Value> = of_kind(&records, "failed").collect();
    assert_eq!(failed.len(), DESIGNS.len(), "{failed:?}");
    for failure in failed {
        let reason = failure["reason"].as_str().unwrap();
        assert!(
            reason.contains("node 2 of 3 at 127.0.0.2 is gone"),
            "{reason}"
        );
    }
    let footprint_of = |design: &str| {
        let mut footprints = of_kind(&records, "footprint");
        footprints
            .find(|record| record["design"] == design)
            .unwrap()
    };
    let of_one_copy = footprint_of(DESIGNS[2]);
    assert!(
        of_one_copy["file_bytes"].as_u64() > Some(0),
        "{of_one_copy}"
    );
    let started = of_kind(&records, "started").next().unwrap();
    let own = started["designs"].as_array().unwrap();
    let own = own
        .iter()
        .find(|design| design["id"] == DESIGNS[2])
        .unwrap();
    let settings = own["settings"].as_array().unwrap();
    assert!(
        settings.contains(&serde_json::json!(["replication factor", "1"])),
        "{own}"
    );
    let footprint = footprint_of(DESIGNS[0]);
    assert_eq!(
        footprint["note"],
        "in 3 SSTables, of all 3 nodes together, with every copy"
    );
    let engine = of_kind(&records, "engine").next().unwrap();
    for setting in [
        ["nodes", "3"],
        ["replication factor", "3"],
        ["consistency", "QUORUM"],
    ] {
        let settings = engine["settings"].as_array().unwrap();
        assert!(settings.contains(&serde_json::json!(setting)), "{engine}");
    }
    let left = bench.bakeoff(&["engines", "status"]).expect(0);
    left.says("no server that Bakeoff started");
}

/// Process id of the node that answers there.
fn process_at(bench: &Bench, address: &str) -> String {
    let status = bench.bakeoff(&["engines", "status"]).expect(0).stdout;
    let line = status.lines().find(|line| line.contains(address)).unwrap();
    let rest = line.split(", process ").nth(1).unwrap();
    rest.split(',').next().unwrap().to_owned()
}

#[test]
fn what_a_cluster_cannot_be_is_a_wrong_command_line() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (options, words) in [
        (&["--nodes", "0"][..], "0 is not in 1..=16"),
        (&["--nodes", "200"], "200 is not in 1..=16"),
        (&["--replication", "0"], "0 is not in 1..=16"),
        (&["--replication", "2"], "there is 1 node"),
        (&["--nodes", "2", "--replication", "3"], "there are 2 nodes"),
        (&["--consistency", "most"], "not one of ANY, ONE"),
        (&["--consistency", "two"], "waits for 2 copies"),
        (
            &["--nodes", "3", "--consistency", "any"],
            "nothing can be read",
        ),
        (
            &[
                "--nodes",
                "3",
                "--designs",
                "cassandra/wide?consistency=one",
                "--dry-run",
            ],
            "write at --consistency all",
        ),
        (
            &[
                "--nodes",
                "2",
                "--designs",
                "cassandra/wide?replication=3",
                "--dry-run",
            ],
            "cassandra/wide?replication=3: --replication 3: each copy of a row needs its own node, and there are 2",
        ),
        (
            &[
                "--cassandra",
                "192.0.2.1",
                "--keyspace",
                "ks",
                "--designs",
                "cassandra/wide?replication=2",
                "--dry-run",
            ],
            "replication= needs a separate keyspace",
        ),
        (
            &["--nodes", "3", "--cassandra", "db1"],
            "cannot be used with",
        ),
        (
            &["--server-per-design", "--nodes", "3"],
            "cannot be used with",
        ),
        (
            &["--server-per-design", "--cassandra", "db1"],
            "cannot be used with",
        ),
    ] {
        let ended = bench.bakeoff(&[&["run", "w.toml"], options].concat());
        ended.expect(2).says(words);
    }
    assert!(!bench.path("runs").exists());
}

#[test]
fn a_dry_run_tells_nodes_copies_and_consistency() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let dry = bench
        .bakeoff(&[&RUN[..], &["--dry-run"]].concat())
        .expect(0);
    dry.says("start 3 nodes of Cassandra at 127.0.0.1 to 127.0.0.3");
    dry.says("'replication_factor': 3}");
    dry.says("CONSISTENCY QUORUM");
}

#[test]
fn designs_with_other_copies_have_keyspaces_of_their_own() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let designs = "cassandra/wide,cassandra/wide?replication=2,cassandra/narrow?replication=2";
    let dry = [
        "run",
        "w.toml",
        "--nodes",
        "3",
        "--designs",
        designs,
        "--dry-run",
    ];
    let dry = bench.bakeoff(&dry).expect(0).stdout;
    let made: Vec<&str> = { dry.lines() }
        .filter_map(|line| line.trim().strip_prefix("CREATE KEYSPACE IF NOT EXISTS "))
        .collect();
    let [three, two, again] = made[..] else {
        panic!("{dry}");
    };
    assert!(three.ends_with("'replication_factor': 3}"), "{three}");
    assert!(two.ends_with("'replication_factor': 2}"), "{two}");
    assert_eq!(two, again);
    let name = |statement: &str| statement.split(' ').next().unwrap().to_owned();
    assert_ne!(name(three), name(two));
}

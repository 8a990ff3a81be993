//! Insert sweeps that two processes make together: what is refused before anything is started, and what comes of two on
//! a real Cassandra. Where it is not installed this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_testing::times;
use serde_json::Value;

use crate::support::processes::Going;
use crate::support::server::Server;
use crate::support::shards::two_shards;
use crate::support::{Bench, HOSTS, READINGS, of_kind, records};

#[test]
fn shards_that_would_not_find_each_other_are_refused() {
    let bench = Bench::new(HOSTS, READINGS);
    let ended = |more: &str| {
        let sweep = ["sweep", "w.toml", "--out", "out"];
        let more: Vec<&str> = more.split(' ').collect();
        bench.bakeoff(&[&sweep[..], &more].concat())
    };
    let refused = |more: &str, words: &str| {
        ended(more).expect(2).says(words);
    };
    let wide = "--designs cassandra/wide";
    let cluster = "--cassandra 127.0.0.1:1 --keyspace k --rate-limit none";
    refused(&format!("{wide} --shard 3/2"), "3/2");
    refused(&format!("{wide} --shard 1/2"), "--keyspace");
    refused(
        "--designs postgres/plain --shard 1/2",
        "several processes cannot fill one table of postgres/plain",
    );
    refused(&format!("{wide} --shard 1/2 {cluster}"), "--start-at");
    refused(
        &format!("{wide} --shard 1/2 {cluster} --need 5k"),
        "--shard 1/2: --need and --prices are for the rate of all nodes",
    );
    let late = "--start-at 1000000000";
    refused(
        &format!("{wide} --shard 1/2 {cluster} {late}"),
        "--start-at was",
    );
    let start = "--start-at 4000000000";
    refused(&format!("{wide} {start}"), "--shard, for example 1/2");
    refused(&format!("{wide} --pause 5s"), "--shard, for example 1/2");
    refused(&format!("{wide} --keyspace k"), "--cassandra");
    let few = "--batches 100k --workers 10 --set days=1";
    refused(
        &format!("{wide} --shard 1/2 {cluster} {start} {few}"),
        "for shard 1/2",
    );
    ended(&format!(
        "{wide} --shard 2/2 {cluster} {start} --dry-run --batches 10 --workers 1,2"
    ))
    .expect(0)
    .says("2 settings of each design")
    .says("together with another process at the same moments; this is shard 2/2");
    assert!(!bench.path("out").exists());
}

#[test]
fn the_sweep_of_one_process_is_not_joined() {
    let bench = Bench::new(HOSTS, READINGS);
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs/sweep");
    let fixture = fixture.to_str().unwrap();
    let merged = bench.bakeoff(&["merge", fixture, fixture, "--out", "whole"]);
    merged.expect(1).says("holds the sweep of a single process");
    let merged = bench.bakeoff(&["merge", fixture, ".", "--out", "whole"]);
    merged.expect(1).says("join either sweeps or loads");
    assert!(!bench.path("whole").exists());
}

/// Records of a folder, of one kind.
fn records_of(bench: &Bench, folder: &str, kind: &str) -> Vec<Value> {
    let records = records(&bench.path(folder).join("sweep.jsonl"));
    of_kind(&records, kind).cloned().collect()
}

/// Sweeps by two processes whose folders begin with this name, with pauses that are longer where the machine needs
/// longer to recreate the tables. Returns once both have measured everything.
fn swept_by_two(server: &Server, designs: &str, name: &str) {
    for pause in ["4s", "10s", "20s"] {
        let arguments = [
            "sweep",
            "w.toml",
            "--designs",
            designs,
            "--batches",
            "100",
            "--workers",
            "2",
            "--for",
            "500ms",
            "--warm-up",
            "100ms",
            "--pause",
            pause,
            "--cassandra",
            &server.address,
            "--keyspace",
            "bakeoff_swept",
            "--rate-limit",
            "none",
        ];
        let begin_after = [8, 30, 120].map(Duration::from_secs);
        let ended = two_shards(&server.bench, &arguments, name, begin_after);
        let folders = [1, 2].map(|number| format!("{name}-{number}"));
        let cells = { folders.each_ref() }.map(|folder| records_of(&server.bench, folder, "cell"));
        let mut cells = cells.iter().flatten();
        if cells.all(|cell| cell["reason"].is_null()) {
            for ended in ended {
                ended.expect(0);
            }
            return;
        }
        for folder in folders {
            std::fs::remove_dir_all(server.bench.path(&folder)).unwrap();
        }
    }
    panic!("the tables of {name} were never recreated in time");
}

#[test]
fn two_processes_sweep_one_table_and_are_joined() {
    let Some(server) = Server::shared_for(HOSTS) else {
        return;
    };
    let bench = &server.bench;
    let (designs, number) = times(
        ("cassandra/wide,cassandra/series", 2),
        ("cassandra/wide,cassandra/series,cassandra/columnar", 3),
    );
    swept_by_two(&server, designs, "part");
    bench
        .bakeoff(&["merge", "part-1", "part-2", "--out", "whole"])
        .expect(0)
        .says("2 processes");
    let joined = records_of(bench, "whole", "cell");
    assert_eq!(joined.len(), number);
    let parts = ["part-1", "part-2"].map(|folder| records_of(bench, folder, "part"));
    for cell in &joined {
        assert_eq!(cell["workers"], 4, "{cell}");
        assert_eq!(cell["failures"]["kinds"], serde_json::json!([]), "{cell}");
        // A row that both had inserted would be there once, and be acknowledged twice.
        assert_eq!(cell["check"]["check"], "right", "{cell}");
        assert_eq!(
            cell["check"]["counted"], cell["check"]["acknowledged"],
            "{cell}"
        );
        let rows = parts.each_ref().map(|parts| {
            let own = parts.iter().find(|part| part["design"] == cell["design"]);
            own.unwrap()["inserts"]["rows"].as_u64().unwrap()
        });
        assert!(rows.iter().all(|rows| *rows > 0), "{cell}");
        assert_eq!(cell["inserted"]["rows"], rows[0] + rows[1], "{cell}");
        let counted = cell["check"]["counted"].as_u64().unwrap();
        assert!(
            counted > rows[0] + rows[1],
            "those of the warm-up are there, too: {cell}"
        );
    }
    assert!(server.has_keyspace("bakeoff_swept"), "it is shared");
    let twice = bench.bakeoff(&["merge", "part-1", "part-1", "--out", "twice"]);
    twice.expect(1).says("counted twice");
    assert!(!bench.path("twice").exists());
}

/// It waits until the first process gives the other one up.
#[test]
fn a_process_that_is_killed_leaves_the_other_one_to_its_end() {
    if !times(false, true) {
        return;
    }
    let Some(server) = Server::shared_for(HOSTS) else {
        return;
    };
    let bench = &server.bench;
    let begins = (SystemTime::now() + Duration::from_secs(60)).duration_since(UNIX_EPOCH);
    let begins = begins.unwrap().as_secs().to_string();
    let start = |number: u32| {
        let shard = format!("{number}/2");
        let out = format!("left-{number}");
        let arguments = [
            "sweep",
            "w.toml",
            "--designs",
            "cassandra/wide",
            "--batches",
            "50,100,200,400",
            "--workers",
            "2",
            "--for",
            "500ms",
            "--warm-up",
            "100ms",
            "--time-out",
            "1s",
            "--pause",
            "20s",
            "--cassandra",
            &server.address,
            "--keyspace",
            "bakeoff_left",
            "--rate-limit",
            "none",
            "--start-at",
            &begins,
            "--shard",
            &shard,
            "--out",
            &out,
        ];
        Going::start(&mut bench.command(&arguments))
    };
    let (first, mut second) = (start(1), start(2));
    second.wait_until("it had measured a setting", || {
        let cells = records_of(bench, "left-2", "cell");
        cells.iter().any(|cell| !cell["inserted"].is_null())
    });
    second.kill();
    first.end().expect(0);
    let cells = records_of(bench, "left-1", "cell");
    assert_eq!(cells.len(), 4, "it went on to the end");
    assert!(
        cells
            .iter()
            .any(|cell| cell["check"]["check"] == "not-done")
    );
    bench
        .bakeoff(&["merge", "left-1", "left-2", "--out", "left"])
        .expect(0)
        .says("shard 2/2 has not finished");
    let joined = records_of(bench, "left", "cell");
    let reasons = joined.iter().filter_map(|cell| cell["reason"].as_str());
    let left_out = reasons.filter(|reason| reason.contains("shard 2/2: it has no figures"));
    assert!(left_out.count() > 0, "{joined:?}");
}

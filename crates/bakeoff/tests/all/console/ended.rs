//! A server of its own that ends while it is driven.

use std::collections::BTreeSet;

use crate::support::processes::{Going, signal};
use crate::support::{Bench, Ended, READS, of_kind, records};

/// A load lasts much longer than the test, which would end it by its patience.
const LONG: &str = "600s";

/// Reads of rows by these designs.
fn reads(designs: &str) -> String {
    READS.replace("[\"dry\"]", designs)
}

/// The process of the one server on record.
fn server(bench: &Bench) -> String {
    let entries = std::fs::read_dir(bench.path("home/engines")).unwrap();
    let mut files = entries.flatten().map(|entry| entry.path());
    let record = files.find(|path| path.extension().is_some_and(|e| e == "json"));
    let text = std::fs::read_to_string(record.unwrap()).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["server"]["pid"].to_string()
}

/// Drives until a load has begun that `counts`, and so many of its seconds are written down, kills the server, and
/// waits for the end.
fn drive_and_kill(
    bench: &Bench,
    arguments: &[&str],
    counts: impl Fn(&&serde_json::Value) -> bool + Copy,
    least_seconds: usize,
) -> Ended {
    let common = ["drive", "w.toml", "--for", LONG, "--out", "out"];
    let mut going = Going::start(&mut bench.command(&[&common[..], arguments].concat()));
    going.wait_until("a load had gone on for long enough", || {
        let all = records(&bench.path("out/drive.jsonl"));
        let Some(begun) = of_kind(&all, "trial-started").find(counts) else {
            return false;
        };
        let seconds = of_kind(&all, "second").filter(|second| second["trial"] == begun["trial"]);
        seconds.count() >= least_seconds
    });
    signal("-KILL", &server(bench));
    going.end()
}

#[test]
fn a_load_ends_with_its_server_and_has_no_result() {
    let Some(bench) = Bench::with_cassandra(&reads("[\"cassandra/wide\"]"), "") else {
        return;
    };
    let is_measured = |load: &&serde_json::Value| load["warm_up"] != true;
    let ended = drive_and_kill(&bench, &["--rate", "200"], is_measured, 2).expect(3);
    let said = "cassandra/wide: its server ended during the load: it was killed (SIGKILL)";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    ended.says("No load came to its end, so there is no result: cassandra/wide failed.");
    let html = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(!html.contains("class=\"answers\""), "a headline");
    assert!(html.contains("it was killed (SIGKILL)"));
    let again = bench.bakeoff(&["report", "out"]).expect(3);
    again.says("No load came to its end");
}

#[test]
fn a_search_ends_with_the_server_and_designs_after_it_are_not_driven() {
    let designs = "[\"cassandra/wide\", \"cassandra/wide?chunk=64KiB\"]";
    let Some(bench) = Bench::with_cassandra(&reads(designs), "") else {
        return;
    };
    // Closed loops that warm it up come first, and last for a second each.
    let ended = drive_and_kill(&bench, &["--within", "p99<10s"], |_| true, 0).expect(1);
    assert_eq!(
        ended.stderr.matches("its server ended").count(),
        2,
        "{}",
        ended.stderr
    );
    let all = records(&bench.path("out/drive.jsonl"));
    let driven = of_kind(&all, "trial-started").map(|trial| trial["design"].to_string());
    let driven: BTreeSet<String> = driven.collect();
    assert_eq!(
        driven.len(),
        1,
        "the other design has no server to be driven on: {driven:?}"
    );
}

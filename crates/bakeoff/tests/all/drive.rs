//! `bakeoff drive`, `merge` and their reports, on the engine that does nothing: what is refused,
//! what is written, what can be joined.
use crate::support::processes::{Going, PATIENCE};
use crate::support::shards::two_shards;
use crate::support::{Bench, Ended, READINGS, READS, WORKLOAD};

/// Three reads of rows and one insert in four operations.
fn mix() -> String {
    let insert = "\
weight = 75
[[mix.operations]]
name = \"write\"
action = \"insert\"
keys = \"uniform\"
weight = 25";
    READS.replace("weight = 100", insert)
}

pub fn drive(arguments: &[&str]) -> (Bench, Ended) {
    let bench = Bench::new(&mix(), "");
    let mut all = vec!["drive", "w.toml"];
    all.extend(arguments);
    let ended = bench.bakeoff(&all);
    (bench, ended)
}

pub fn summary(bench: &Bench, run: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(bench.path(run).join("run.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Refused before anything is made.
#[track_caller]
pub fn refused(arguments: &[&str], code: i32, message: &str) {
    let (bench, ended) = drive(arguments);
    ended.expect(code).says(message);
    assert!(!bench.path("runs").exists());
}

#[test]
fn impossible_command_lines_are_refused_with_the_reason() {
    let no_rate = "operations/s is not possible: give one above 0";
    refused(&["--rate", "0"], 2, &format!("a rate of 0 {no_rate}"));
    refused(&["--rate", "-5"], 2, &format!("a rate of -5 {no_rate}"));
    refused(&["--rate", "fast"], 2, "5k");
    refused(&["--rate", "1k", "--within", "p99<10ms"], 2, "--within");
    refused(&["--in-flight", "0"], 2, "--in-flight");
    refused(&["--within", "p99<0ms"], 2, "can never hold");
    refused(&["--within", "p101<1ms"], 2, "p101");
    refused(&["--within", "scan.p99<1ms"], 2, "scan");
    refused(&["--within", "soon"], 2, "p99<10ms");
    refused(&["--for", "0s"], 2, "--for");
    refused(&["--shard", "3/2"], 2, "3/2");
    refused(
        &["--shard", "1/2", "--designs", "cassandra/wide"],
        2,
        "--keyspace",
    );
    refused(
        &["--shard", "1/2", "--prices", "study-2018"],
        2,
        "--need and --prices are for the rate of all nodes",
    );
    let shared = "--shard 1/2 --designs cassandra/wide --cassandra 127.0.0.1:1 --keyspace k";
    refused(&shared.split(' ').collect::<Vec<_>>(), 2, "--start-at");
    refused(&["--start-at", "noon"], 2, "--start-at");
    refused(&["--start-at", "1000000000"], 2, "--start-at was");
    let at = ["--start-at", "4000000000", "--within", "p99<10ms"];
    refused(&at, 2, "cannot be used with");
    refused(&["--consistency", "most"], 2, "LOCAL_QUORUM");
    refused(
        &["--passes", "scan"],
        2,
        "no operation `scan`; there are read, write",
    );
    let too_many = ["--passes", "read=2000"];
    refused(
        &too_many,
        2,
        "goes through 2000 rows, and there are only 1000",
    );
    refused(
        &["--passes", "read", "--rate", "5"],
        2,
        "cannot be used with",
    );
    refused(
        &["--passes", "read", "--shard", "1/2"],
        2,
        "goes through all rows",
    );
    refused(&["--empty"], 2, "--passes");
    refused(&["--operations", "0"], 2, "not a number of operations");
    refused(
        &["--operations", "5", "--for", "5s"],
        2,
        "cannot be used with",
    );
    refused(
        &["--operations", "5", "--shard", "1/2"],
        2,
        "would end at different times",
    );
}

#[test]
fn a_load_at_a_given_rate_says_nothing_of_nodes() {
    let need = ["--need", "5k"];
    refused(&[&["--rate", "1k"][..], &need].concat(), 2, "--need");
    refused(&[&["--passes", "all"][..], &need].concat(), 2, "--need");
    refused(&["--rate", "1k", "--prices", "study-2018"], 2, "--prices");
    let (bench, ended) = drive(&["--rate", "400", "--for", "1s", "--out", "out"]);
    ended.expect(0);
    let report = bench.bakeoff(&["report", "out", "--need", "5k"]).expect(2);
    report
        .says("out has nothing to divide by nodes")
        .says("at a given rate");
}

#[test]
fn a_design_without_point_operations_is_refused_with_the_reason() {
    let arguments = ["--designs", "parquet,dry", "--rate", "100", "--for", "1s"];
    refused(&arguments, 2, "parquet has no point operations");
    for layout in ["columnar", "series"] {
        let design = format!("cassandra/{layout}");
        let reason = format!("{layout} tables do not support single operations under load yet");
        refused(&["--designs", &design, "--rate", "100"], 2, &reason);
    }
}

#[test]
fn a_workload_without_a_mix_is_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ended = bench.bakeoff(&["drive", "w.toml", "--designs", "dry"]);
    ended.expect(2).says("[mix]");
}

#[test]
fn weights_that_do_not_add_up_are_refused_with_their_sum() {
    let bench = Bench::new(&mix().replace("weight = 25", "weight = 20"), "");
    let ended = bench.bakeoff(&["drive", "w.toml"]);
    ended.expect(2).says("95");
}

#[test]
fn a_rate_is_held_and_every_operation_is_counted_once() {
    let (bench, ended) = drive(&["--rate", "500", "--for", "3s", "--out", "out"]);
    let ended = ended.expect(0);
    ended.says("dry").says("read").says("write");
    assert!(bench.path("out/report.html").is_file());
    let trial = summary(&bench, "out")["summary"]["trials"][0].clone();
    assert_eq!(trial["end"]["sent"], 1500, "{trial}");
    assert_eq!(trial["end"]["unsent"], 0, "{trial}");
    // Every line of the log is in the format that other tools read.
    let log = std::fs::read_to_string(bench.path("out/trials/001.hlog")).unwrap();
    assert!(log.contains("Tag=read,") && log.contains("Tag=write.service,"));
    let rendered = bench.bakeoff(&["report", "out"]).expect(0);
    let tables = |text: &str| text.split("Report:").next().unwrap().to_owned();
    assert_eq!(tables(&rendered.stdout), tables(&ended.stdout));
}

#[test]
fn a_load_may_end_after_a_number_of_operations() {
    let (bench, ended) = drive(&["--operations", "2.5k", "--rounds", "2", "--out", "out"]);
    let ended = ended.expect(0);
    let summary = summary(&bench, "out");
    for place in 0..2_usize {
        let trial = &summary["summary"]["trials"][place];
        assert_eq!(trial["end"]["sent"], 2500, "{trial}");
        assert_eq!(trial["end"]["stopped"], false, "{trial}");
    }
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("2500 operations as fast as they go"));
    assert!(!page.contains("Each load"), "no time was planned");
    let rendered = bench.bakeoff(&["report", "out"]).expect(0);
    let tables = |text: &str| text.split("Report:").next().unwrap().to_owned();
    assert_eq!(tables(&rendered.stdout), tables(&ended.stdout));
}

#[test]
fn passes_go_through_the_rows_once_and_are_timed_as_a_whole() {
    let arguments = [
        "--passes",
        "write,read=100",
        "--empty",
        "--rounds",
        "2",
        "--out",
        "out",
    ];
    let (bench, ended) = drive(&arguments);
    let ended = ended.expect(0);
    ended.says("dry made 2 passes").says("System");
    let summary = summary(&bench, "out")["summary"].clone();
    for (place, operations) in [(0, 1000.0), (1, 100.0)] {
        let pass = &summary["passes"][place];
        assert_eq!(pass["operations"]["median"], operations, "{pass}");
        assert_eq!(pass["whole"], 2, "{pass}");
        assert_eq!(pass["failed"], 0, "{pass}");
        assert!(pass["real"]["median"].as_f64().unwrap() > 0.0, "{pass}");
        assert!(pass["user"]["median"].is_f64() && pass["server_cpu"].is_null());
    }
    assert!(
        bench.path("out/trials/004.hlog").is_file(),
        "one for each pass"
    );
    let rendered = bench.bakeoff(&["report", "out"]).expect(0);
    let tables = |text: &str| text.split("Report:").next().unwrap().to_owned();
    assert_eq!(tables(&rendered.stdout), tables(&ended.stdout));
}

#[test]
fn two_shards_make_one_whole() {
    let bench = Bench::new(&mix(), "");
    let arguments = ["drive", "w.toml", "--rate", "400", "--for", "3s"];
    let begin_after = [3, 20, 100].map(std::time::Duration::from_secs);
    for ended in two_shards(&bench, &arguments, "out", begin_after) {
        ended.expect(0);
    }
    let ended = bench.bakeoff(&["merge", "out-1", "out-2", "--out", "whole"]);
    ended.expect(0);
    let trial = summary(&bench, "whole")["summary"]["trials"][0].clone();
    assert_eq!(trial["end"]["sent"], 1200, "{trial}");
    // A log that is damaged leaves nothing behind.
    let log = bench.path("out-2/trials/001.hlog");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replace("Tag=read,", "Tag=read,x")).unwrap();
    let ended = bench.bakeoff(&["merge", "out-1", "out-2", "--out", "broken"]);
    ended.expect(1).says("out-2");
    assert!(!bench.path("broken").exists());
    // A shard twice is not the whole.
    let ended = bench.bakeoff(&["merge", "out-1", "out-1", "--out", "twice"]);
    ended.expect(1).says("counted twice");
}

#[test]
fn an_interruption_keeps_what_was_measured() {
    let bench = Bench::new(&mix(), "");
    let arguments = [
        "drive", "w.toml", "--rate", "1k", "--for", "10m", "--out", "out",
    ];
    let mut going = Going::start(&mut bench.command(&arguments));
    let log = bench.path("out/trials/001.hlog");
    going.wait_until("something was measured", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("Tag=read"))
    });
    going.interrupt();
    going.end().expect(130);
    let trial = summary(&bench, "out")["summary"]["trials"][0].clone();
    assert!(trial["end"]["sent"].as_u64().unwrap() > 0);
}

#[test]
fn a_cluster_that_others_may_depend_on_is_not_driven_as_fast_as_it_goes() {
    let theirs = ["--cassandra", "192.0.2.1", "--designs", "cassandra/wide"];
    for load in [&[][..], &["--within", "p99<10ms"], &["--rate-limit", "5k"]] {
        refused(&[&theirs, load].concat(), 2, "--rate-limit none");
    }
    refused(&["--rate-limit", "5k"], 2, "name one with --cassandra");
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

#[test]
fn a_dry_run_on_a_cluster_says_what_the_load_writes() {
    let theirs = ["--cassandra", "192.0.2.1", "--designs", "cassandra/wide"];
    let load = ["--dry-run", "--rate", "10", "--for", "90s"];
    let (_, ended) = drive(&[&theirs[..], &load].concat());
    ended
        .expect(0)
        .says("What the server of --cassandra gets:")
        .says("at most 2,000 rows/s are loaded")
        .says("10 operations/s (--rate), ")
        .says("for 1m 30s in all");
}

#[test]
fn rounds_have_rows_of_their_own_and_are_counted_apart() {
    let (bench, ended) = drive(&[
        "--rate",
        "1k",
        "--for",
        "1s",
        "--rounds",
        "2",
        "--arrivals",
        "poisson",
        "--out",
        "out",
    ]);
    ended.expect(0);
    let trials = summary(&bench, "out")["summary"]["trials"].clone();
    let scheduled = |trial: usize| trials[trial]["end"]["scheduled"].as_u64().unwrap();
    assert_ne!(scheduled(0), scheduled(1), "arrivals are drawn anew");
}

#[test]
fn a_log_that_cannot_be_written_ends_the_load() {
    let bench = Bench::new(&mix(), "");
    let began = std::time::Instant::now();
    // 8 KiB for each file, and an error beyond it instead of a signal.
    let limited =
        "trap '' XFSZ; ulimit -f 16; exec \"$0\" drive w.toml --rate 100 --for 10m --out out";
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", limited, env!("CARGO_BIN_EXE_bakeoff")])
        .current_dir(bench.dir.path())
        .env("BAKEOFF_HOME", bench.path("home"));
    let ended = Ended::of(command.output().unwrap());
    ended.expect(1).says("File too large");
    assert!(began.elapsed() < PATIENCE, "it went on to its end");
}

#[test]
fn a_second_interruption_ends_it_at_once() {
    let bench = Bench::new(&mix(), "");
    let arguments = [
        "drive", "w.toml", "--rate", "1k", "--for", "10m", "--out", "out",
    ];
    // Nobody reads what it prints, so that it cannot come to its end.
    let (_unread, full) = std::io::pipe().unwrap();
    let mut filling = full.try_clone().unwrap();
    std::thread::spawn(move || {
        use std::io::Write;
        while filling.write_all(&[b'.'; 4096]).is_ok() {}
    });
    let mut command = bench.command(&arguments);
    let mut going = Going::start_printing(command.stdout(full));
    drop(command);
    let there = |name: &str| bench.path(name).exists();
    going.wait_until("it was driven", || there("out/trials/001.hlog"));
    going.interrupt();
    going.wait_until("its report was written", || there("out/run.json"));
    assert!(going.is_running(), "it still prints");
    going.interrupt();
    going.end().expect(130).says("interrupted again");
}

#[test]
fn an_interrupted_search_keeps_its_probes_and_names_no_rate() {
    let bench = Bench::new(&mix(), "");
    let arguments = [
        "drive", "w.toml", "--within", "p99<10s", "--for", "1s", "--out", "out",
    ];
    let mut going = Going::start(&mut bench.command(&arguments));
    let log = bench.path("out/drive.jsonl");
    going.wait_until("something was probed", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains(r#""record":"probe""#))
    });
    going.interrupt();
    let ended = going.end().expect(130);
    ended.says("No search has finished");
    let design = summary(&bench, "out")["summary"]["designs"][0].clone();
    assert!(!design["probes"].as_array().unwrap().is_empty());
    assert_eq!(design["trials"], serde_json::json!([]));
    assert!(design["rate"].is_null() && design["highest_rate"].is_null());
}

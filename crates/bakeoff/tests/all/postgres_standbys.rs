//! Runs and sweeps on a PostgreSQL with standbys: killed and gone on with, and with a standby that is killed. Where
//! PostgreSQL is not installed this prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use serde_json::{Value, json};

use crate::support::processes::{Going, signal};
use crate::support::{Bench, READINGS, of_kind, records};

const HOSTS: &str = r#"
title = "t"
designs = ["postgres/plain", "postgres/brin"]
[data]
generator = "devops"
hosts = 5
[[queries]]
name = "highest"
sql = "SELECT hostname, max(usage_user) AS highest FROM cpu GROUP BY hostname ORDER BY hostname"
"#;

fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let run = ["run", "w.toml", "--out", "out", "--no-concurrent"];
    [&run, more].concat()
}

fn bench() -> Option<Bench> {
    let bench = Bench::new(HOSTS, READINGS);
    bench.has("postgres").then_some(bench)
}

/// The process of the server whose data are in that folder of the run.
fn process_of(bench: &Bench, folder: &str) -> String {
    let status = bench.bakeoff(&["engines", "status"]).expect(0).stdout;
    let lines: Vec<&str> = status.lines().collect();
    let data = format!("out/postgres/{folder}");
    let of_server = lines.windows(2).find(|pair| pair[1].ends_with(&data));
    let line = of_server.unwrap_or_else(|| panic!("no {folder} in {status}"))[0];
    let rest = line.split(", process ").nth(1).unwrap();
    rest.split(',').next().unwrap().to_owned()
}

#[test]
fn a_run_that_is_killed_goes_on_with_its_standbys() {
    let Some(bench) = bench() else {
        return;
    };
    let standbys = [
        "--postgres-standbys",
        "1",
        "--postgres-wait-for",
        "all",
        "--postgres-ask-standbys",
    ];
    let arguments = run(&[&standbys[..], &["--rows", "60k", "--rounds", "3"]].concat());
    let mut going = Going::start(&mut bench.command(&arguments));
    going.wait_until("a slice was loaded", || {
        let records = bench.journal("out");
        of_kind(&records, "loaded").any(|r| r["design"] == "postgres/plain")
    });
    for folder in ["primary", "standby1"] {
        process_of(&bench, folder);
    }
    going.kill();

    // Other standbys would be another run, and so would questions to their primary.
    let rows = ["--rows", "60k", "--rounds", "3"];
    for other in [&[][..], &standbys[..4]] {
        let other = run(&[other, &rows].concat());
        bench.bakeoff(&other).expect(1).says("--out");
    }
    let ended = bench.bakeoff(&arguments).expect(0);
    ended
        .says("standby 1 of 1' (process ")
        .says("left behind")
        .says("going on with the run")
        .says("postgres ran with 1 standby on this one machine");
    let records = bench.journal("out");
    assert_eq!(records[0]["standbys"]["standbys"], 1);
    assert_eq!(records[0]["standbys"]["commit_waits_for"], "it");
    let timed: Vec<&Value> = of_kind(&records, "timed").collect();
    assert_eq!(timed.len(), 2 * 3);
    let right = timed.iter().filter(|r| r["outcome"]["outcome"] == "right");
    assert_eq!(right.count(), timed.len(), "{timed:?}");
    for footprint in of_kind(&records, "footprint") {
        let note = footprint["note"].as_str().unwrap();
        assert!(
            note.ends_with("of all 2 servers together, with every copy"),
            "{note}"
        );
        let files = footprint["file_bytes"].as_u64().unwrap();
        let own = footprint["engine_bytes"].as_u64().unwrap();
        assert!(files > own / 2, "{footprint}");
    }
    assert!(!bench.path("out/postgres").exists());
    let left = bench.bakeoff(&["engines", "status"]).expect(0);
    left.says("no server");
}

#[test]
fn a_standby_that_is_killed_ends_what_is_measured_beside_it() {
    let Some(bench) = bench() else {
        return;
    };
    let standbys = ["--postgres-standbys", "2", "--postgres-wait-for", "any"];
    let arguments = run(&[&standbys[..], &["--rows", "20k", "--rounds", "10000"]].concat());
    let mut going = Going::start(&mut bench.command(&arguments));
    going.wait_until("queries are timed", || {
        of_kind(&bench.journal("out"), "timed").count() >= 8
    });
    signal("-KILL", &process_of(&bench, "standby2"));
    going.end().expect(3);

    let records = bench.journal("out");
    let failed: Vec<&Value> = of_kind(&records, "failed").collect();
    assert_eq!(failed.len(), 2, "{failed:?}");
    for failure in failed {
        let reason = failure["reason"].as_str().unwrap();
        assert!(reason.contains("standby 2 of 2 is gone"), "{reason}");
    }
    let engine = of_kind(&records, "engine").next().unwrap();
    let settings = engine["settings"].as_array().unwrap();
    for setting in [
        ["standbys", "2; a commit waits for any one of them"],
        ["synchronous_standby_names", "ANY 1 (standby1, standby2)"],
    ] {
        assert!(settings.contains(&json!(setting)), "{engine}");
    }
    let left = bench.bakeoff(&["engines", "status"]).expect(0);
    left.says("no server");
}

#[test]
fn inserts_are_swept_with_a_standby() {
    let Some(bench) = bench() else {
        return;
    };
    let sweep = [
        "sweep",
        "w.toml",
        "--set",
        "days=30",
        "--designs",
        "postgres/plain",
        "--batches",
        "10",
        "--workers",
        "2",
        "--for",
        "300ms",
        "--warm-up",
        "50ms",
        "--out",
        "out",
        "--postgres-standbys",
        "1",
        "--postgres-wait-for",
        "all",
    ];
    bench.bakeoff(&sweep).expect(0);
    let records = records(&bench.path("out/sweep.jsonl"));
    let cell = records.iter().find(|r| r["record"] == "cell").unwrap();
    assert_eq!(cell["check"]["check"], "right", "{cell}");
    let design = &records[0]["designs"][0];
    let settings = design["settings"].as_array().unwrap();
    let shown = json!(["standbys", "1; a commit waits for it"]);
    assert!(settings.contains(&shown), "{design}");
    let left = bench.bakeoff(&["engines", "status"]).expect(0);
    left.says("no server");
}

#[test]
fn standbys_that_there_cannot_be_are_a_wrong_command_line() {
    let bench = Bench::new(HOSTS, READINGS);
    let theirs = "postgresql://me@db1/metrics";
    for (options, words) in [
        (&["--postgres-standbys", "9"][..], "9 is not in 0..=8"),
        (&["--postgres-standbys", "-1"], "-1 is not in 0..=8"),
        (
            &["--postgres-standbys", "1", "--postgres", theirs],
            "cannot be used with",
        ),
        (&["--postgres-wait-for", "any"], "--postgres-standbys"),
        (
            &["--postgres-standbys", "0", "--postgres-wait-for", "any"],
            "there are no standbys that a commit could wait for",
        ),
        (
            &["--postgres-standbys", "2", "--postgres-wait-for", "most"],
            "[possible values: all, any, none]",
        ),
    ] {
        for command in ["run", "sweep"] {
            let all = [&[command, "w.toml"], options].concat();
            bench.bakeoff(&all).expect(2).says(words);
        }
    }
    for (options, words) in [
        (&["--postgres-ask-standbys"][..], "--postgres-standbys <N>"),
        (
            &["--postgres-standbys", "0", "--postgres-ask-standbys"],
            "there are no standbys to ask",
        ),
    ] {
        let run = [&["run", "w.toml"], options].concat();
        bench.bakeoff(&run).expect(2).says(words);
    }
    assert!(!bench.path("runs").exists());
}

#[test]
fn a_dry_run_tells_how_many_there_are_and_what_waits_for_them() {
    let bench = Bench::new(HOSTS, READINGS);
    let standbys = ["--postgres-standbys", "3", "--postgres-wait-for", "all"];
    let arguments = run(&[&standbys[..], &["--dry-run"]].concat());
    let shown = bench.bakeoff(&arguments).expect(0);
    for words in [
        "start a PostgreSQL with 3 standbys on loopback with its data in it",
        "CREATE ROLE bakeoff_standby LOGIN REPLICATION",
        "pg_create_physical_replication_slot('standby3', true)",
        "synchronous_standby_names = '3 (standby1, standby2, standby3)'",
        "CHECKPOINT -- on each standby",
    ] {
        shown.says(words);
    }
    let asking = [&arguments[..], &["--postgres-ask-standbys"]].concat();
    let shown = bench.bakeoff(&asking).expect(0);
    shown.says("with 3 standbys, which answer the questions, on loopback");
    let shown = bench.bakeoff(&run(&["--dry-run"])).expect(0);
    assert!(!shown.stdout.contains("standby"), "{}", shown.stdout);
}

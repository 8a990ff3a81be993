//! `bakeoff decide`: a file or a workload becomes a recommendation, and files that make it; what cannot is refused
//! before anything is made.

use std::path::Path;
use std::process::Command;

use crate::support::processes::Going;
use crate::support::{Bench, Ended, READINGS, WORKLOAD, of_kind};

/// Questions that call the table as the file is not called.
const QUESTIONS: &str = "\
-- What is asked of the rooms.
-- name: newest
SELECT max(time) AS newest FROM rooms;

SELECT room, avg(temperature) AS mean -- of all times
FROM rooms GROUP BY room ORDER BY room;
";

/// Temperatures of three rooms, in a file whose name a shell would take apart.
const FILE: &str = "green house's.csv";

const DECIDE: [&str; 8] = [
    "decide",
    FILE,
    "--questions",
    "q.sql",
    "--budget",
    "15s",
    "--out",
    "out",
];

fn bench() -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    let mut rows = "room,time,temperature\n".to_owned();
    for row in 0..600 {
        let (room, minute) = (["fern", "palm", "moss"][row % 3], row / 3);
        let (hour, minute) = (minute / 60, minute % 60);
        rows.push_str(&format!(
            "{room},2026-05-01T{hour:02}:{minute:02}:00Z,{row}.5\n"
        ));
    }
    std::fs::write(bench.path(FILE), rows).unwrap();
    std::fs::write(bench.path("q.sql"), QUESTIONS).unwrap();
    bench
}

/// Decides for the file and its questions, with further options.
fn decide(bench: &Bench, options: &[&str]) -> Ended {
    bench.without_servers(&[&DECIDE[..], options].concat())
}

/// Whether it said what to buy and how fast that is, wherever its lines are broken.
fn answers(ended: &Ended) -> bool {
    let words: Vec<&str> = ended.stdout.split_whitespace().collect();
    let words = words.join(" ");
    words.contains(" Buy ") && words.contains("; the slowest question takes ")
}

#[test]
fn a_file_and_questions_become_a_recommendation_and_files_that_make_it() {
    let bench = bench();
    let ended = decide(&bench, &["--adopt", "mine"]).expect(0);
    ended
        .says("600 rows, 3 columns, key (room, time)")
        .says("designs are left out: ")
        .says("Certainty: ")
        .says("What would change it: ")
        .says("Rules: ")
        .says("To fill them:\n")
        .says("mine/apply.sh");
    let workload = std::fs::read_to_string(bench.path("out/workload.toml")).unwrap();
    assert!(
        workload.contains("name = \"rooms\"") && workload.contains("name = \"newest\""),
        "{workload}"
    );
    assert!(workload.contains("name = \"question_2\""), "{workload}");
    let records = bench.journal("out/run");
    let designs = of_kind(&records, "started").next().unwrap()["designs"]
        .as_array()
        .unwrap()
        .len();
    assert!((2..=40).contains(&designs), "{designs}");
    assert_eq!(of_kind(&records, "failed").next(), None);
    // The files of it make and fill the design.
    let made = Path::new(env!("CARGO_BIN_EXE_bakeoff")).parent().unwrap();
    let output = Command::new("sh")
        .args(["mine/apply.sh", "kept table"])
        .current_dir(bench.dir.path())
        .env("BAKEOFF_HOME", &bench.home)
        .env("PATH", format!("{}:/usr/bin:/bin", made.display()))
        .output();
    Ended::of(output.unwrap()).expect(0);
    assert!(bench.path("kept table").is_dir());
    // The same command measures nothing again, and overwrites nothing. Files that are the same are fine.
    assert!(answers(&ended), "{}", ended.stdout);
    let again = decide(&bench, &[]).expect(0);
    assert!(answers(&again), "{}", again.stdout);
    assert_eq!(bench.journal("out/run").len(), records.len());
    decide(&bench, &["--adopt", "mine"])
        .expect(0)
        .says("mine has them already");
    std::fs::write(bench.path("mine/load.sh"), "# mine\n").unwrap();
    decide(&bench, &["--adopt", "mine"])
        .expect(2)
        .says("--adopt mine: there is something in it, and nothing is overwritten");
    let other = ["decide", FILE, "--budget", "15s", "--out", "out"];
    bench
        .without_servers(&other)
        .expect(2)
        .says("out holds the decision of another command, `");
    let rows = std::fs::read_to_string(bench.path(FILE)).unwrap();
    std::fs::write(bench.path(FILE), rows + "fern,2026-05-02T00:00:00Z,1.5\n").unwrap();
    decide(&bench, &[])
        .expect(2)
        .says("as it was before it changed: name a new folder with --out");
}

#[test]
fn a_decision_that_was_killed_goes_on_by_the_same_command() {
    let bench = bench();
    let mut going = Going::start(&mut bench.command_without_servers(&DECIDE));
    going.wait_until("a slice was loaded", || {
        let records = bench.journal("out/run");
        of_kind(&records, "loaded").next().is_some()
    });
    going.kill();
    let workload = std::fs::read_to_string(bench.path("out/workload.toml")).unwrap();
    let ended = decide(&bench, &[]).expect(0);
    ended
        .says("going on with the run in")
        .says("To fill them:\n");
    let again = std::fs::read_to_string(bench.path("out/workload.toml")).unwrap();
    assert_eq!(workload, again);
    let records = bench.journal("out/run");
    assert_eq!(of_kind(&records, "resumed").count(), 1);
    assert_eq!(of_kind(&records, "finished").count(), 1);
    // What keeps a run from its beginning is undone, so that the folder can be used for anything.
    std::fs::remove_dir_all(bench.path("out/run")).unwrap();
    let note = std::fs::read(bench.path("out/decide.txt")).unwrap();
    std::fs::write(bench.path("out/workload.toml"), "title = 1\n").unwrap();
    decide(&bench, &[]).expect(2).says("workload.toml");
    assert_eq!(std::fs::read_dir(bench.path("out")).unwrap().count(), 0);
    // One that had made no more than its note goes on, too.
    std::fs::write(bench.path("out/decide.txt"), note).unwrap();
    decide(&bench, &[]).expect(0).says("To fill them:\n");
}

#[test]
fn a_workload_is_decided_with_the_rows_beside_it() {
    let bench = bench();
    let asked = [
        "decide",
        "w.toml",
        "--budget",
        "15s",
        "--out",
        "elsewhere/out",
    ];
    std::fs::create_dir(bench.path("elsewhere")).unwrap();
    let ended = bench.without_servers(&asked).expect(0);
    ended.says("Its workload: ").says("To fill them:\n");
    let records = bench.journal("elsewhere/out/run");
    assert_eq!(of_kind(&records, "failed").next(), None);
}

#[test]
fn designs_of_real_servers_are_measured() {
    let Some(bench) = Bench::with_cassandra(WORKLOAD, READINGS) else {
        return;
    };
    let asked = [
        "decide", "w.toml", "--budget", "60s", "--out", "out", "--adopt", "mine",
    ];
    let ended = bench.bakeoff(&asked);
    // One design's trouble with so few rows would be its own.
    assert!(
        [Some(0), Some(3)].contains(&ended.code),
        "{}\n{}",
        ended.stdout,
        ended.stderr
    );
    assert!(answers(&ended), "{}", ended.stdout);
    let records = bench.journal("out/run");
    let of_cassandra = |design: &str| design.starts_with("cassandra/");
    let loaded =
        of_kind(&records, "loaded").any(|r| r["design"].as_str().is_some_and(of_cassandra));
    assert!(loaded, "{}", ended.stderr);
    for script in ["mine/load.sh", "mine/apply.sh"] {
        let checked = Command::new("sh")
            .arg("-n")
            .arg(bench.path(script))
            .status();
        assert!(checked.unwrap().success(), "{script}");
    }
}

/// Refused with a misuse before anything is made.
#[track_caller]
fn refused(arguments: &[&str], words: &str) {
    let bench = bench();
    for (name, text) in [
        ("bad.sql", "SELECT max(speed) AS m FROM rooms"),
        ("broken.sql", "SELECT max(time) AS t FROM rooms WHERE"),
        (
            "made.sql",
            "CREATE TABLE rooms (room text PRIMARY KEY); SELECT max(time) AS t FROM rooms",
        ),
        (
            "two.sql",
            "SELECT max(time) AS t FROM rooms; SELECT max(time) AS t FROM halls",
        ),
        ("spaced.sql", "SELECT max(time) AS t FROM ks.rooms"),
        ("empty.sql", "-- nothing\n"),
    ] {
        std::fs::write(bench.path(name), text).unwrap();
    }
    let all = [&["decide"][..], arguments].concat();
    bench.without_servers(&all).expect(2).says(words);
    assert!(!bench.path("out").exists() && !bench.path("runs").exists());
}

#[test]
fn mistakes_are_refused_before_anything_is_made() {
    let cases: &[(&[&str], &str)] = &[
        (&["nowhere.csv"], "there is no file nowhere.csv"),
        (&["formatz"], "did you mean `formats`"),
        (&["nowhere.toml"], "nowhere.toml"),
        (&["cassandra://127.0.0.1:1/ks"], "KEYSPACE.TABLE"),
        (
            &["cassandra://me:hunter2@127.0.0.1:1/ks.t"],
            "BAKEOFF_CASSANDRA_PASSWORD",
        ),
        (
            &["cassandra://127.0.0.1:1/ks.t", "--time", "at"],
            "--time says what a file is",
        ),
        (
            &["postgres://127.0.0.1:1/d"],
            "--table SCHEMA.TABLE: say which table",
        ),
        (&["mysql://db1/x"], "is no address of rows"),
        (&[FILE, "--sample", "10"], "--sample is for a table"),
        (&[FILE, "--from-ca", "ca.pem"], "--from-ca is for a table"),
        (&[FILE, "--data", FILE], "is a sample for a file of CREATE"),
        (
            &["w.toml", "--table", "t"],
            "--table is for a data file, and w.toml is a workload",
        ),
        (
            &["w.toml", "--key", "series"],
            "--key is for a data file, and w.toml is a workload",
        ),
        (
            &["w.toml", "--questions", "q.sql"],
            "--questions is for a data file",
        ),
        (
            &["ycsb/a"],
            "has no questions to decide by; its [mix] is for `bakeoff drive`",
        ),
        (&["metrics"], "does not say where its rows are"),
        (&[FILE, "--budget", "0s"], "not a duration"),
        (
            &[FILE, "--time", "tyme"],
            "--time tyme: the file has no such column",
        ),
        (
            &[FILE, "--questions", "none.sql"],
            "--questions none.sql: cannot read it",
        ),
        (
            &[FILE, "--questions", "bad.sql"],
            "--questions bad.sql: query question_1: there is no column `speed`",
        ),
        (
            &[FILE, "--questions", "broken.sql"],
            "--questions broken.sql",
        ),
        (
            &[FILE, "--questions", "made.sql"],
            "statement 1: tables are not made from statements",
        ),
        (
            &[FILE, "--questions", "two.sql"],
            "several tables, rooms, halls",
        ),
        (
            &[FILE, "--questions", "spaced.sql"],
            "call the table ks.rooms",
        ),
        (
            &[FILE, "--questions", "empty.sql"],
            "there is no question in it",
        ),
        (
            &[FILE, "--questions", "q.sql", "--question", "SELECT 1"],
            "cannot be used with",
        ),
        (&[FILE, "--prices", "nowhere"], "nowhere"),
        (
            &[FILE, "--postgres", "postgresql://me:hunter2@db1/db"],
            "BAKEOFF_POSTGRES_PASSWORD",
        ),
        (
            &[FILE, "--rate-limit", "100"],
            "--rate-limit is for servers that Bakeoff does not start",
        ),
        (
            &[FILE, "--adopt", "."],
            "--adopt .: there is something in it",
        ),
        (
            &[FILE, "--out", "."],
            "holds other files: name a new folder with --out",
        ),
    ];
    for (arguments, words) in cases {
        refused(arguments, words);
    }
}

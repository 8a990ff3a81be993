//! `bakeoff decide`: a file or a workload becomes a recommendation, and files that make it.

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
pub const FILE: &str = "green house's.csv";

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

/// A folder with this file and its questions.
pub fn bench() -> Bench {
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
    // Where no program is.
    std::fs::create_dir(bench.path("none")).unwrap();
    bench
}

/// Decides for the file and its questions, with further options.
fn decide(bench: &Bench, options: &[&str]) -> Ended {
    bench.without_servers(&[&DECIDE[..], options].concat())
}

/// The words of its standard output, wherever its lines are broken.
pub fn words(ended: &Ended) -> String {
    let words: Vec<&str> = ended.stdout.split_whitespace().collect();
    words.join(" ")
}

/// Whether it said what to buy and how fast that is, wherever its lines are broken.
pub fn answers(ended: &Ended) -> bool {
    let words = words(ended);
    let says_storage = words.contains(" Buy ") || words.contains(" to buy");
    says_storage && words.contains(" slowest question takes ")
}

#[test]
fn a_file_and_questions_become_a_recommendation_and_files_that_make_it() {
    let bench = bench();
    let planned = decide(&bench, &["--adopt", "mine", "--dry-run"]).expect(0);
    assert!(!bench.path("out").exists() && !bench.path("mine").exists());
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
    assert_eq!(designs_of(&planned), measured(&records));
    decide(&bench, &["--dry-run"])
        .expect(0)
        .says("out has ended: without --dry-run it is printed again");
    assert_eq!(of_kind(&records, "failed").next(), None);
    let questions = std::fs::read_to_string(bench.path("mine/questions.sql")).unwrap();
    assert!(
        questions.contains("\n-- name: newest\nSELECT max("),
        "{questions}"
    );
    let script = std::fs::read_to_string(bench.path("mine/load.sh")).unwrap();
    assert!(
        script.contains("# Rows: all rows of the workload.\n"),
        "{script}"
    );
    // They may be moved together with the workload and the file of rows.
    let root = bench.dir.path().display().to_string();
    assert!(!script.contains(&root), "{script}");
    assert!(
        script.contains("file=${ROWS_FILE:-$here/'../green house"),
        "{script}"
    );
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
    // The answer comes first, and the tables are left to the report.
    let begins = |words: &str| ended.stdout.starts_with(words);
    assert!(
        begins("Take ") || begins("Not settled between "),
        "{}",
        ended.stdout
    );
    assert!(
        !ended.stdout.contains("Storage and loading"),
        "{}",
        ended.stdout
    );
    ended.says("\nDesign: ").says("\nTables: bakeoff report ");
    bench
        .bakeoff(&["report", "out/run"])
        .expect(0)
        .says("Storage and loading");
    // The same command measures nothing again, and overwrites nothing. Files that are the same are fine.
    assert!(answers(&ended), "{}", ended.stdout);
    let again = decide(&bench, &[]).expect(0);
    assert!(answers(&again), "{}", again.stdout);
    assert_eq!(bench.journal("out/run").len(), records.len());
    decide(&bench, &["--adopt", "mine"])
        .expect(0)
        .says("mine has them already");
    // Nor does one after a command that was stopped before it noted that there is no final.
    let noted = || std::fs::read_to_string(bench.path("out/final.txt")).unwrap();
    assert_eq!(noted(), "none\n");
    std::fs::remove_file(bench.path("out/final.txt")).unwrap();
    decide(&bench, &["--dry-run"])
        .expect(0)
        .says("out would go on")
        .says("  final   none: the race forecasts all rows");
    let again = decide(&bench, &[]).expect(0);
    assert!(answers(&again), "{}", again.stdout);
    assert_eq!(noted(), "none\n");
    assert_eq!(bench.journal("out/run").len(), records.len());
    std::fs::write(bench.path("mine/load.sh"), "# mine\n").unwrap();
    decide(&bench, &["--adopt", "mine"])
        .expect(1)
        .says("--adopt mine: there is something in it, and nothing is overwritten");
    let other = ["decide", FILE, "--budget", "15s", "--out", "out"];
    bench
        .without_servers(&other)
        .expect(1)
        .says("out holds the decision of another command, `");
    let rows = std::fs::read_to_string(bench.path(FILE)).unwrap();
    std::fs::write(bench.path(FILE), rows + "fern,2026-05-02T00:00:00Z,1.5\n").unwrap();
    decide(&bench, &[])
        .expect(1)
        .says("as it was before it changed: name a new folder with --out");
}

/// The designs that a dry run lists, in the order of their names.
fn designs_of(planned: &Ended) -> Vec<String> {
    let lines = planned.stdout.lines();
    let listed = lines.skip_while(|line| *line != "Worth measuring").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let ids = listed.filter_map(|line| line.strip_prefix("  "));
    let mut ids: Vec<String> = ids
        .filter(|id| !id.starts_with(' '))
        .map(str::to_owned)
        .collect();
    ids.sort();
    ids
}

/// The designs that a run began with, in the order of their names.
pub fn measured(records: &[serde_json::Value]) -> Vec<String> {
    let started = of_kind(records, "started").next().unwrap();
    let designs = started["designs"].as_array().unwrap().iter();
    let mut ids: Vec<String> = designs
        .map(|design| design["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

#[test]
fn a_dry_run_says_what_would_be_measured_and_touches_nothing() {
    let bench = bench();
    let before = names(&bench);
    let planned = decide(&bench, &["--dry-run"]).expect(0);
    planned
        .says("Nothing is touched. The decision would write to ")
        .says("worth measuring for green_house_s, by ")
        .says("; by: ")
        .says("designs are left out: ")
        .says("  rows    as many of 600 rows as every design loads")
        .says("  budget  15s: rows are loaded until 3s, warm-up ends by 8s, and rounds of questions by 14s\n")
        .says("  race    two smaller tables of every design come first");
    assert!(planned.stdout.starts_with("Nothing is touched."));
    decide(&bench, &["--dry-run", "--grow", "10000 times the series"])
        .expect(0)
        .says(
            "  note    --budget 15s may be too short for a forecast of 6,000,000 rows by the race alone, for which ",
        )
        .says("  final   8s and what the race leaves of its time: the best two to four designs once more, ");
    let of_workload = ["decide", "w.toml", "--dry-run"];
    bench
        .without_servers(&of_workload)
        .expect(0)
        .says("worth measuring for w, by ")
        .says("  budget  6m: rows are loaded until 1m 12s")
        .says("  final   6m and what the race leaves of its time: ");
    let on_theirs = [&of_workload[..], &["--cassandra", "127.0.0.1:1"]].concat();
    bench
        .without_servers(&on_theirs)
        .expect(0)
        .says("and to the Cassandra at 127.0.0.1:1.")
        .says("What the server of --cassandra gets:");
    assert_eq!(names(&bench), before);
}

/// The names of all that is in the folder of the bench.
fn names(bench: &Bench) -> Vec<String> {
    let entries = std::fs::read_dir(bench.dir.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_decision_that_was_killed_goes_on_by_the_same_command() {
    let bench = bench();
    let mut going = Going::start(&mut bench.command_without_servers(&DECIDE));
    going.wait_until("a slice was loaded", || {
        let records = bench.journal("out/run");
        of_kind(&records, "loaded").next().is_some()
    });
    // The whole folder is the first command's, not only the run in it.
    decide(&bench, &[])
        .expect(1)
        .says("/out; wait for it to end, or name another folder with --out");
    going.kill();
    let workload = std::fs::read_to_string(bench.path("out/workload.toml")).unwrap();
    let begun = bench.journal("out/run").len();
    decide(&bench, &["--dry-run"])
        .expect(0)
        .says("out would go on")
        .says("of its workload, which says by which rules");
    assert_eq!(bench.journal("out/run").len(), begun);
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
fn of_two_equal_commands_at_once_one_decides_and_the_other_one_leaves_it_alone() {
    let bench = bench();
    let start = || Going::start(&mut bench.command_without_servers(&DECIDE));
    let both = [start(), start()].map(Going::end);
    let mut decided = 0;
    for ended in &both {
        if ended.code == Some(0) {
            // One that begins when the other one has ended prints the recommendation again.
            assert!(answers(ended), "{}", ended.stdout);
            decided += 1;
        } else {
            assert_eq!(ended.code, Some(1), "{}", ended.stderr);
            ended.says("another run is writing to ");
        }
    }
    assert!(decided > 0);
    let records = bench.journal("out/run");
    assert_eq!(of_kind(&records, "finished").count(), 1);
    for name in ["workload.toml", "decide.txt"] {
        assert!(bench.path("out").join(name).exists(), "{name}");
    }
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

//! `bakeoff decide` for workloads with operations, without questions and with them, on a real Cassandra.

use std::process::Command;

use crate::support::processes::Going;
use crate::support::{Bench, Ended, READINGS, READS, of_kind, records};

/// Decides within a budget and with further options, on the engines that this machine has without PostgreSQL.
fn decide_within(bench: &Bench, budget: &str, options: &[&str]) -> Command {
    let none = bench.path("none");
    std::fs::create_dir_all(&none).unwrap();
    let decide = ["decide", "w.toml", "--budget", budget, "--out", "out"];
    let mut command = bench.command(&[&decide[..], options].concat());
    command.env("BAKEOFF_POSTGRES_BIN", none);
    command
}

fn ended(command: &mut Command) -> Ended {
    Ended::of(command.output().unwrap())
}

/// The records of a load in the folder of the decision.
fn load(bench: &Bench, name: &str) -> Vec<serde_json::Value> {
    records(&bench.path("out").join(name).join("drive.jsonl"))
}

fn decide(bench: &Bench, options: &[&str]) -> Command {
    decide_within(bench, "10s", options)
}

#[test]
fn operations_are_driven_and_a_load_that_was_killed_begins_anew() {
    let Some(bench) = Bench::with_cassandra(READS, READINGS) else {
        return;
    };
    ended(&mut decide(&bench, &["--dry-run"]))
        .expect(0)
        .says("Nothing is touched. The decision would write to ")
        .says("worth measuring for w, by ")
        .says("  rows    1,000 rows are loaded first; that comes on top of the budget\n")
        .says("  budget  10s: 2 rounds of loads of 1s each on every design, after a warm-up")
        .says("  load    as fast as they go, compared by operations a second\n");
    assert!(!bench.path("out").exists());

    let mut going = Going::start(&mut decide(&bench, &[]));
    going.wait_until("a load began", || {
        of_kind(&load(&bench, "load"), "trial-started")
            .next()
            .is_some()
    });
    ended(&mut decide(&bench, &[]))
        .expect(1)
        .says("/out; wait for it to end, or name another folder with --out");
    going.kill();
    let kept = load(&bench, "load").len();
    ended(&mut decide(&bench, &["--dry-run"]))
        .expect(0)
        .says("out would go on")
        .says("Loads begin anew; what was measured until they were stopped stays in ");

    let decided = ended(&mut decide(&bench, &["--adopt", "mine"]));
    // One design's trouble with such short loads would be its own.
    assert!(
        [Some(0), Some(3)].contains(&decided.code),
        "{}\n{}",
        decided.stdout,
        decided.stderr
    );
    decided
        .says("note: loads do not go on where they were stopped: they begin anew in ")
        .says("\nNotes\n")
        .says("\nTables: bakeoff report ")
        .says("\nCertainty: not settled: 2 rounds of loads cannot show a difference")
        .says("\nRunner-up: cassandra")
        .says("\nIts tables:\n")
        .says("\nTo fill them:");
    assert_eq!(load(&bench, "load").len(), kept);
    let whole = load(&bench, "load-2");
    assert_eq!(of_kind(&whole, "finished").count(), 1);
    let started = of_kind(&whole, "started").next().unwrap();
    assert!(
        started["designs"].as_array().unwrap().len() > 1,
        "{started}"
    );
    assert!(bench.path("mine/schema.cql").exists());
    let checked = Command::new("sh")
        .arg("-n")
        .arg(bench.path("mine/apply.sh"))
        .status();
    assert!(checked.unwrap().success());

    // The same command measures nothing again.
    let again = ended(&mut decide(&bench, &[]));
    assert_eq!(again.code, decided.code, "{}", again.stderr);
    for ended in [&decided, &again] {
        let answer = "Not settled between cassandra";
        assert!(ended.stdout.starts_with(answer), "{}", ended.stdout);
    }
    assert_eq!(load(&bench, "load-2").len(), whole.len());
    assert!(!bench.path("out/load-3").exists() && !bench.path("out/run").exists());
    ended(&mut decide(&bench, &["--rate", "1k"]))
        .expect(1)
        .says("the decision of another command");
}

#[test]
fn questions_decide_between_designs_that_take_the_operations() {
    let questions = r#"
[[queries]]
name = "one"
sql = "SELECT key, value FROM keyvalue WHERE key = ${key}"
parameters = { key = { column = "key" } }
"#;
    let Some(bench) = Bench::with_cassandra(&format!("{READS}{questions}"), READINGS) else {
        return;
    };
    ended(&mut decide_within(&bench, "20s", &["--dry-run"]))
        .expect(0)
        .says("  budget  15s: rows are loaded until ")
        .says("  then    operations, with what is left:\n")
        .says("on the design that the questions lead to, and the next one, after a warm-up");
    let mut going = Going::start(&mut decide_within(&bench, "20s", &[]));
    going.wait_until("loads began", || {
        of_kind(&load(&bench, "load"), "started").next().is_some()
    });
    let killed = going.kill();
    killed.says("this engine or layout takes no operations of a mix");
    let asked = bench.journal("out/run");
    let started = of_kind(&asked, "started").next().unwrap();
    let designs = started["designs"].as_array().unwrap();
    let of_cassandra = |design: &serde_json::Value| {
        let id = design["id"].as_str();
        id.is_some_and(|id| id.starts_with("cassandra"))
    };
    assert!(designs.iter().all(of_cassandra), "{designs:?}");
    assert_eq!(of_kind(&asked, "finished").count(), 1);

    // The questions are not asked again.
    let decided = ended(&mut decide_within(&bench, "20s", &[]));
    // One design's trouble with so little time would be its own.
    assert!(
        [Some(0), Some(3)].contains(&decided.code),
        "{}\n{}",
        decided.stdout,
        decided.stderr
    );
    decided
        .says("\nOperations: cassandra")
        .says("\nCertainty: ")
        .says("\nTo fill them:");
    assert_eq!(bench.journal("out/run").len(), asked.len());
    let driven = load(&bench, "load-2");
    let started = of_kind(&driven, "started").next().unwrap();
    let few = started["designs"].as_array().unwrap().len();
    assert!((1..=2).contains(&few), "{started}");
    assert_eq!(of_kind(&driven, "finished").count(), 1);
}

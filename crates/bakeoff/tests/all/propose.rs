//! `bakeoff propose`: rules name designs for a workload, and what it writes is a workload that measures them.

use std::path::{Path, PathBuf};

use bakeoff_testing::times;
use serde_json::Value;

use crate::support::{Bench, Ended, READINGS, WORKLOAD};

/// Names of the shipped workloads.
fn shipped() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    let mut names = Vec::new();
    let mut folders: Vec<PathBuf> = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&folder).unwrap().with_extension("");
                names.push(name.display().to_string());
            }
        }
    }
    names.sort();
    names
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap()
}

fn designs(json: &Value) -> Vec<&str> {
    let designs = json["designs"].as_array().unwrap().iter();
    designs.map(|d| d["design"].as_str().unwrap()).collect()
}

#[test]
fn every_shipped_workload_has_proposals_that_can_be_described() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let names = shipped();
    assert!(names.len() > 40, "{names:?}");
    // All of them are looked at without the program in crates/engines.
    for name in names.iter().step_by(times(6, 1)) {
        let asked = ["propose", name, "--rows", "2000", "--json"];
        let json = json(&bench.bakeoff(&asked).expect(0));
        let designs = designs(&json);
        assert!((1..=40).contains(&designs.len()), "{name}: {designs:?}");
        assert_eq!(json["misfits"], Value::Array(Vec::new()), "{name}");
        let reason = &json["designs"][0]["reasons"][0];
        for part in ["rule", "says", "source"] {
            assert!(
                !reason[part].as_str().unwrap().is_empty(),
                "{name}: {reason}"
            );
        }
    }
}

#[test]
fn the_answer_comes_first_and_each_design_has_its_reasons() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ended = bench.bakeoff(&["propose", "w.toml"]).expect(0);
    let first = ended.stdout.lines().next().unwrap();
    assert!(
        first.contains("designs are worth measuring for w, by"),
        "{first}"
    );
    ended
        .says("What the rules know\n  key ((series), time); 3 columns\n  the first 4 rows: ")
        .says(
            "\n  parquet?codec=zstd\n    sorted-files: one file in the order of series, time; by: ",
        )
        .says("by_series: by a value of series")
        .says("add --out FILE");
    assert!(!ended.stdout.contains("CREATE TABLE"));
    let with_ddl = bench.bakeoff(&["propose", "w.toml", "--ddl"]).expect(0);
    with_ddl.says("CREATE TABLE");
}

#[test]
fn what_is_written_is_the_workload_with_other_designs() {
    let workload = WORKLOAD.replace("[table]", "# What is kept.\n[table]");
    let bench = Bench::new(&workload, READINGS);
    let ended = bench
        .bakeoff(&["propose", "w.toml", "--out", "better.toml"])
        .expect(0);
    ended.says("wrote better.toml; next: bakeoff run better.toml --race --budget 15m");
    let written = std::fs::read_to_string(bench.path("better.toml")).unwrap();
    let (before, after) = workload.split_once("designs = [").unwrap();
    let after = after.split_once("]\n").unwrap().1;
    assert!(
        written.starts_with(before) && written.ends_with(after),
        "{written}"
    );
    let zstd =
        "\n  \"parquet?codec=zstd\", # sorted-files: one file in the order of series, time\n";
    assert!(written.contains(zstd), "{written}");
    assert!(!written.contains("memory"), "{written}");
    bench
        .bakeoff(&["run", "better.toml", "--dry-run"])
        .expect(0)
        .says("\nlocal/columnar?profile=compact\n");
    // Whose file it is, nobody knows.
    bench
        .bakeoff(&["propose", "w.toml", "--out", "better.toml"])
        .expect(1)
        .says("better.toml of --out already exists");
}

#[test]
fn a_run_says_which_rules_held() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench
        .bakeoff(&["propose", "w.toml", "--out", "better.toml"])
        .expect(0);
    let designs = "parquet?codec=zstd,parquet?codec=snappy,local/columnar";
    let run = [
        "run",
        "better.toml",
        "--designs",
        designs,
        "--rounds",
        "3",
        "--out",
        "out",
    ];
    bench.bakeoff(&run).expect(0);
    let held = bench.bakeoff(&["report", "out", "--rules"]).expect(0);
    held.says("Rules that proposed designs")
        .says("codec: parquet?codec=snappy against parquet?codec=zstd");
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("<li>codec: parquet?codec=snappy against "));
    // Its own designs have no rules.
    let own = [
        "run",
        "w.toml",
        "--designs",
        "parquet?codec=zstd",
        "--rounds",
        "3",
        "--out",
        "own",
    ];
    bench.bakeoff(&own).expect(0);
    let none = bench.bakeoff(&["report", "own", "--rules"]).expect(0);
    none.says("has no rules beside its designs");
    bench
        .bakeoff(&["report", "own", "--rules", "--plans"])
        .expect(2)
        .says("cannot be used with");
}

#[test]
fn a_mix_without_questions_is_measured_by_drive() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let asked = ["propose", "ycsb/a", "--rows", "2000", "--json"];
    let json = json(&bench.bakeoff(&asked).expect(0));
    for design in json["designs"].as_array().unwrap() {
        assert_eq!(design["takes_operations"], true, "{design}");
        assert_eq!(design["answers_questions"], false, "{design}");
    }
    let ids = designs(&json);
    assert!(
        ids.iter().any(|id| id.contains("compaction=UCS:T4")),
        "{ids:?}"
    );
}

#[test]
fn without_its_file_a_workload_is_judged_by_its_questions_alone() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let alone = bench.bakeoff(&["propose", "metrics"]).expect(0);
    alone.says("no rows were read: name the file with --data");
    let asked = [
        "propose",
        "metrics",
        "--data",
        "readings.csv",
        "--out",
        "my own.toml",
    ];
    let with_rows = bench.bakeoff(&asked).expect(0);
    with_rows
        .says("the first 4 rows: ")
        .says("next: bakeoff run 'my own.toml' --data readings.csv --race");
}

#[test]
fn mistakes_say_what_to_do() {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::create_dir(bench.path("other")).unwrap();
    for (arguments, code, words) in [
        (
            vec!["propose", "w.toml", "--out", "other/better.toml"],
            2,
            "the workload's data files are found from its own folder: write the new file into .",
        ),
        (
            vec!["propose", "w.toml", "--out", "nowhere/better.toml"],
            1,
            "cannot write nowhere/better.toml",
        ),
        (vec!["propose", "nothing.toml"], 2, "nothing.toml"),
        (
            vec!["propose", "w.toml", "--data", "nothing.csv"],
            1,
            "nothing.csv",
        ),
        (
            vec!["propose", "w.toml", "--json", "--ddl"],
            2,
            "cannot be used with",
        ),
        (vec!["propose", "w.toml", "--rows", "0"], 2, "--rows"),
    ] {
        bench.bakeoff(&arguments).expect(code).says(words);
    }
    assert_eq!(std::fs::read_dir(bench.path("other")).unwrap().count(), 0);
}

//! Run folders of an earlier version are read, and their figures are what they were.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::support::{Bench, READINGS, WORKLOAD};

/// Fields of a design in the summary of each kind of measurement.
const KINDS: [(&str, &[&str]); 4] = [
    (
        "comparison",
        &[
            "rows_loaded",
            "load_seconds",
            "settle_seconds",
            "bytes_per_row",
        ],
    ),
    ("drive", &["rows", "rate", "response_p99"]),
    ("search", &["rows", "rate", "highest_rate"]),
    ("sweep", &["best", "cells"]),
];

#[test]
fn run_folders_of_an_earlier_version_are_reported_with_the_figures_that_they_had() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (kind, fields) in KINDS {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/runs")
            .join(kind);
        copy(&fixture, &bench.path(kind));
        bench.bakeoff(&["report", kind]).expect(0);
        let summary = &run_json(&bench, kind)["summary"];
        let expected = std::fs::read_to_string(fixture.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(figures(summary, fields), expected, "{kind}");
        assert!(bench.path(kind).join("report.html").exists(), "{kind}");
    }
}

#[test]
fn values_of_every_kind_of_run_are_written_for_other_tools() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (kind, metric) in [
        ("comparison", "bakeoff_query_seconds{"),
        ("drive", "bakeoff_operations_per_second{"),
        ("search", "bakeoff_highest_operations_per_second{"),
        ("sweep", "bakeoff_inserted_rows_per_second{"),
    ] {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR"));
        copy(
            &fixture.join("tests/fixtures/runs").join(kind),
            &bench.path(kind),
        );
        let arguments = [
            "report",
            kind,
            "--prometheus",
            "m.prom",
            "--parquet",
            "v.parquet",
        ];
        let ended = bench.bakeoff(&arguments).expect(0);
        ended.says("Metrics: m.prom").says("Values:  v.parquet");
        let metrics = std::fs::read_to_string(bench.path("m.prom")).unwrap();
        assert!(metrics.contains(metric), "{kind}: {metrics}");
        assert!(metrics.contains(&format!("run=\"{kind}\"")), "{metrics}");
        let values = std::fs::read(bench.path("v.parquet")).unwrap();
        assert!(
            values.starts_with(b"PAR1") && values.ends_with(b"PAR1"),
            "{kind}"
        );
    }
    let record = ["report", "drive", "--parquet", "drive/drive.jsonl"];
    bench.bakeoff(&record).expect(2).says("choose another name");
    let nowhere = ["report", "drive", "--prometheus", "nowhere/m.prom"];
    bench
        .bakeoff(&nowhere)
        .expect(1)
        .says("cannot write nowhere/m.prom");
}

#[test]
fn what_an_earlier_version_called_memory_is_a_yardstick_and_never_recommended() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs/comparison");
    copy(&fixture, &bench.path("comparison"));
    bench.bakeoff(&["report", "comparison"]).expect(0);
    let plans = bench.bakeoff(&["report", "comparison", "--plans"]);
    plans.expect(0).says("This run recorded no plans");
    let json = run_json(&bench, "comparison");
    let designs = json["summary"]["designs"].as_array().unwrap();
    let memory = designs
        .iter()
        .find(|d| d["info"]["id"] == "memory")
        .unwrap();
    assert_eq!(memory["info"]["role"], "volatile");
    assert_eq!(designs[0]["info"]["server"], true);
    assert!(!json["verdict"].as_str().unwrap().contains("memory"));
}

#[test]
fn run_folders_of_a_later_version_are_refused_with_it() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (kind, file) in [
        ("comparison", "journal.jsonl"),
        ("drive", "drive.jsonl"),
        ("sweep", "sweep.jsonl"),
    ] {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs");
        copy(&fixture.join(kind), &bench.path(kind));
        let log = bench.path(kind).join(file);
        let text = std::fs::read_to_string(&log).unwrap();
        let own = "\"bakeoff_version\":\"0.1.0";
        let text = text.replacen(own, "\"bakeoff_version\":\"999.0.0", 1);
        std::fs::write(&log, text + "{\"record\":\"of-tomorrow\"}\n").unwrap();
        let ended = bench.bakeoff(&["report", kind]).expect(1);
        ended
            .says("written by a newer Bakeoff (999.0.0)")
            .says("use that one");
        assert!(!ended.stderr.contains("--out"), "{}", ended.stderr);
    }
}

/// Returns the compared fields of each design.
fn figures(summary: &Value, fields: &[&str]) -> Value {
    let designs = summary["designs"].as_array().unwrap();
    let one = |design: &Value| {
        let mut figures = Map::new();
        figures.insert("design".to_owned(), design["info"]["id"].clone());
        let failures = design["failures"].as_array().unwrap().len();
        figures.insert("failures".to_owned(), json!(failures));
        for field in fields {
            figures.insert((*field).to_owned(), design[*field].clone());
        }
        if let Some(queries) = design["queries"].as_array() {
            let times: Vec<&Value> = queries.iter().map(|query| &query["time"]).collect();
            figures.insert("times".to_owned(), json!(times));
        }
        Value::Object(figures)
    };
    designs.iter().map(one).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn run_json(bench: &Bench, run: &str) -> Value {
    let text = std::fs::read_to_string(bench.path(run).join("run.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

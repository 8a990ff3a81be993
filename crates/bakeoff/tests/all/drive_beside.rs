//! Questions beside loads on the engine that does nothing, answered by Parquet files.

use std::path::Path;

use serde_json::Value;

use crate::between_loads::copy;
use crate::drive::{drive, refused, summary};

const QUESTION: &str = "SELECT count(*) AS n, max(value) AS last FROM keyvalue";

#[test]
fn questions_beside_a_load_that_cannot_be_asked_are_refused() {
    let question = ["--beside", QUESTION];
    refused(&question, 2, "dry answers no SQL");
    let other = |design: &'static str| [&question[..], &["--beside-design", design]].concat();
    refused(&other("dry"), 2, "--beside-design dry is driven itself");
    refused(
        &["--beside", "SELECT colour FROM keyvalue"],
        2,
        "dry answers",
    );
    let unknown = [
        "--beside",
        "SELECT colour FROM keyvalue",
        "--beside-design",
        "parquet",
    ];
    refused(&unknown, 2, "colour");
    refused(
        &["--beside-query", "month", "--beside-design", "parquet"],
        2,
        "no such query",
    );
    refused(&["--beside-design", "parquet"], 2, "it is asked nothing");
    refused(&other("duck*"), 2, "matches --beside-design duck*");
    refused(
        &other("parquet,dry"),
        2,
        "--beside-design dry is driven itself",
    );
    refused(
        &other("driven,parquet"),
        2,
        "--beside-design driven: dry answers no SQL",
    );
    let searched = [&other("parquet")[..], &["--within", "p99<10ms"]].concat();
    refused(&searched, 2, "cannot be used with");
    let sharded = [&other("parquet")[..], &["--shard", "1/2"]].concat();
    refused(&sharded, 2, "asked by one process");
}

#[test]
fn a_dry_run_shows_the_questions_and_who_answers_them() {
    let arguments = [
        "--beside",
        QUESTION,
        "--beside-design",
        "parquet",
        "--dry-run",
    ];
    let (bench, ended) = drive(&arguments);
    ended
        .expect(0)
        .says("Asked beside every second load, over and over, answered by parquet:")
        .says(QUESTION);
    assert!(!bench.path("runs").exists());
}

#[test]
fn what_questions_cost_a_load_is_in_the_report() {
    let arguments = [
        "--rate",
        "400",
        "--for",
        "1s",
        "--rounds",
        "2",
        "--beside",
        QUESTION,
        "--beside-design",
        "parquet",
        "--out",
        "out",
    ];
    let (bench, ended) = drive(&arguments);
    ended
        .expect(0)
        .says("Load beside questions")
        .says("Questions beside the load");
    let run = summary(&bench, "out");
    let verdict = run["verdict"].as_str().unwrap();
    assert!(
        verdict.contains("With the questions beside it, dry did"),
        "{verdict}"
    );
    let summary = &run["summary"];
    let trials = summary["trials"].as_array().unwrap();
    let beside = trials
        .iter()
        .filter(|trial| trial["start"]["beside"] == true);
    assert_eq!((trials.len(), beside.count()), (4, 2));
    let figures = &summary["beside"][0];
    assert_eq!(figures["pairs"], 2);
    assert!(figures["rate"]["ratio"]["median"].is_f64(), "{figures}");
    let question = &figures["questions"][0];
    assert_eq!(question["name"], "question 1");
    assert!(question["answered"].as_u64().unwrap() > 0, "{question}");
    // The rows of the other design stay as they are, so that its answers are compared.
    assert!(question["compared"].as_u64().unwrap() > 0, "{question}");
    assert_eq!(question["differing"], 0);
    assert_eq!(question["failed"], 0);
    assert_eq!(summary["header"]["beside"]["designs"][0]["id"], "parquet");
    assert_eq!(figures["answered_by"], "parquet");
    bench
        .bakeoff(&["report", "out"])
        .expect(0)
        .says("Load beside questions");
}

#[test]
fn several_designs_answer_in_turn_and_the_least_harm_comes_first() {
    let arguments = [
        "--rate",
        "400",
        "--for",
        "1s",
        "--rounds",
        "2",
        "--beside",
        QUESTION,
        "--beside-design",
        "parquet",
        "--beside-design",
        "local/columnar",
    ];
    let (_, ended) = drive(&[&arguments[..], &["--dry-run"]].concat());
    ended.expect(0).says(
        "Asked beside 2 of 3 loads in each round, over and over, answered in turn by parquet, local/columnar:",
    );
    let (bench, ended) = drive(&[&arguments[..], &["--out", "out"]].concat());
    ended
        .expect(0)
        .says("Designs that answer, least harm to the load first")
        .says("Load beside questions");
    let run = summary(&bench, "out");
    let trials = run["summary"]["trials"].as_array().unwrap().iter();
    let by = trials.map(|trial| trial["start"]["answered_by"].as_str());
    let by: Vec<Option<&str>> = by.collect();
    let (parquet, columnar) = (Some("parquet"), Some("local/columnar"));
    assert_eq!(by, [None, parquet, columnar, parquet, columnar, None]);
    let figures = run["summary"]["beside"].as_array().unwrap();
    assert_eq!(figures.len(), 2);
    for (figures, id) in figures.iter().zip(["parquet", "local/columnar"]) {
        assert_eq!(figures["answered_by"], id);
        assert_eq!(figures["pairs"], 2);
        let question = &figures["questions"][0];
        assert!(question["answered"].as_u64().unwrap() > 0, "{question}");
        // Both have the same rows, and so the same answers.
        assert!(question["compared"].as_u64().unwrap() > 0, "{question}");
        assert_eq!(question["differing"], 0);
        assert_eq!(question["failed"], 0);
    }
    let export = ["report", "out", "--prometheus", "out.prom"];
    bench.bakeoff(&export).expect(0);
    let metrics = std::fs::read_to_string(bench.path("out.prom")).unwrap();
    assert!(
        metrics.contains(r#"answered_by="local/columnar""#),
        "{metrics}"
    );
}

#[test]
fn a_load_that_was_recorded_when_one_design_answered_is_still_read() {
    let arguments = [
        "--rate",
        "400",
        "--for",
        "1s",
        "--rounds",
        "1",
        "--beside",
        QUESTION,
        "--beside-design",
        "parquet",
        "--out",
        "out",
    ];
    let (bench, ended) = drive(&arguments);
    ended.expect(0);
    let before = summary(&bench, "out")["summary"]["beside"].clone();
    change(&bench.path("out/drive.jsonl"), |record| {
        if let Some(beside) = record.get_mut("beside").and_then(Value::as_object_mut) {
            let designs = beside.remove("designs").unwrap();
            beside.insert("design".to_owned(), designs[0].clone());
        }
        if let Some(fields) = record.as_object_mut() {
            fields.remove("answered_by");
        }
    });
    bench
        .bakeoff(&["report", "out"])
        .expect(0)
        .says("Load beside questions");
    assert_eq!(summary(&bench, "out")["summary"]["beside"], before);
}

/// Changes the records of a load, each of which is a line.
fn change(log: &Path, change: impl Fn(&mut Value)) {
    let text = std::fs::read_to_string(log).unwrap();
    let changed = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        change(&mut record);
        format!("{record}\n")
    });
    let changed: String = changed.collect();
    assert_ne!(changed, text);
    std::fs::write(log, changed).unwrap();
}

/// Sets the answers of each round on record, so that they do not depend on the machine.
fn answered_within(log: &Path, seconds: f64) {
    change(log, |record| {
        if record["record"] != "beside" {
            return;
        }
        let more = 0.001 * record["round"].as_f64().unwrap();
        let question = &mut record["questions"][0];
        question["answered"] = 4.into();
        question["p50"] = (seconds * (1.0 + more)).into();
    });
}

#[test]
fn two_loads_with_questions_are_compared_by_the_answers_too() {
    let arguments = [
        "--rate",
        "400",
        "--for",
        "1s",
        "--rounds",
        "5",
        "--beside",
        QUESTION,
        "--beside-design",
        "parquet",
        "--out",
        "one",
    ];
    let (bench, ended) = drive(&arguments);
    ended.expect(0);
    for other in ["two", "without"] {
        copy(&bench.path("one"), &bench.path(other));
    }
    answered_within(&bench.path("one/drive.jsonl"), 0.01);
    answered_within(&bench.path("two/drive.jsonl"), 0.02);
    let compared = |other: &str, further: &[&str], code: i32| {
        let arguments = [&["compare", "one", other][..], further].concat();
        bench.bakeoff(&arguments).expect(code)
    };
    compared("two", &["--page", "page.html"], 0)
        .says("B is slower in 1 of ")
        .says("question 1 answer p50 by parquet");
    let page = std::fs::read_to_string(bench.path("page.html")).unwrap();
    for heading in [
        "read p50 with questions by parquet",
        "question 1 answers by parquet, /s",
    ] {
        let heading = format!("<h3>{heading}</h3>");
        assert!(page.contains(&heading), "{heading} is not in {page}");
    }
    let json = compared("two", &["--json"], 0);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let changes = json["comparison"]["changes"].as_array().unwrap();
    let answer =
        { changes.iter() }.find(|c| c["what"]["time"] == "question 1 answer p50 by parquet");
    assert_eq!(answer.unwrap()["shown"], "slower", "{json:#}");

    compared("two", &["--fail-if", "slower:50%"], 4)
        .says("question 1 answer p50 by parquet of dry is slower by more than 50%");
    compared("two", &["--fail-if-slower", "50%"], 1);
    let answers = ["--only", "question 1 answers by parquet"];
    let fewer = [&answers[..], &["--fail-if", "rate-lower:10%"]].concat();
    compared("two", &fewer, 0).says("B passes");

    // As if no questions had been asked.
    change(&bench.path("without/drive.jsonl"), |record| {
        if record["record"] == "started" {
            record.as_object_mut().unwrap().remove("beside");
        }
    });
    compared("without", &["--fail-if", "slower:50%"], 5)
        .says("B does not measure read p50 with questions by parquet with dry");
    compared("without", &fewer, 5)
        .says("B does not measure question 1 answers by parquet with dry");
}

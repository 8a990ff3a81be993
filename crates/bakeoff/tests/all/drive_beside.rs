//! Questions beside loads on the engine that does nothing, answered by Parquet files.

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
    assert_eq!(summary["header"]["beside"]["design"]["id"], "parquet");
    bench
        .bakeoff(&["report", "out"])
        .expect(0)
        .says("Load beside questions");
}

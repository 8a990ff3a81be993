//! Only some of the queries of a workload are asked.

use std::collections::BTreeSet;

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

/// The names in the records of answers of a run.
fn asked(bench: &Bench, run: &str) -> BTreeSet<String> {
    let records = bench.journal(run);
    let answered = of_kind(&records, "answered").chain(of_kind(&records, "timed"));
    let names = answered.map(|record| record["query"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn only_the_queries_that_are_asked_for_are_asked_and_reported() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = ["run", "w.toml", "--rounds", "1", "--queries"];
    let some = [&run[..], &["by_*"]].concat();
    bench.bakeoff(&some).expect(0);
    let name = |text: &str| BTreeSet::from([text.to_owned()]);
    assert_eq!(asked(&bench, "runs/w"), name("by_series"));
    let text = std::fs::read_to_string(bench.path("runs/w/run.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let queries = report["summary"]["header"]["queries"].as_array().unwrap();
    assert_eq!(queries.len(), 1);

    // Other queries are another run.
    let other = [&run[..], &["all"]].concat();
    bench.bakeoff(&other).expect(0);
    assert_eq!(asked(&bench, "runs/w-2"), name("all"));
}

#[test]
fn a_query_that_does_not_exist_is_a_wrong_command_line() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = ["run", "w.toml", "--queries", "by_serie"];
    let told = "no query of w matches --queries by_serie; it has all, by_series";
    bench.bakeoff(&run).expect(2).says(told);
    assert!(!bench.path("runs").exists());
}

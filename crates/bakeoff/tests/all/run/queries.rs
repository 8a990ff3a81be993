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

#[test]
fn a_query_is_asked_of_the_designs_that_are_named_with_it() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = [
        "run",
        "w.toml",
        "--rounds",
        "2",
        "--out",
        "out",
        "--queries",
    ];
    let some = [&run[..], &["all,by_series@parquet*"]].concat();
    let note = "by_series is not asked of memory, since it is asked of other designs only";
    let dry = [&some[..], &["--dry-run"]].concat();
    bench.bakeoff(&dry).expect(0).says(note);
    bench.bakeoff(&some).expect(0);
    let records = bench.journal("out");
    let answers = of_kind(&records, "answered").chain(of_kind(&records, "timed"));
    let pairs = answers.map(|record| {
        let of = |field: &str| record[field].as_str().unwrap().to_owned();
        (of("design"), of("query"))
    });
    let pairs: BTreeSet<(String, String)> = pairs.collect();
    let is_asked =
        |design: &str, query: &str| pairs.contains(&(design.to_owned(), query.to_owned()));
    assert!(is_asked("memory", "all") && !is_asked("memory", "by_series"));
    assert!(is_asked("parquet?codec=zstd", "by_series"));
    let text = std::fs::read_to_string(bench.path("out/run.json")).unwrap();
    assert!(text.contains(note), "{note}");

    let absent = [&run[..], &["all@cassandra/*"]].concat();
    let told = "no design of this run matches --queries all@cassandra/*";
    bench.bakeoff(&absent).expect(2).says(told);
    let race = [&some[..], &["--race"]].concat();
    bench
        .bakeoff(&race)
        .expect(2)
        .says("all of them are asked the same");
    let clients = [&some[..], &["--concurrent-clients", "2"]].concat();
    let told = "--concurrent-one-query-at-a-time or --no-concurrent";
    bench.bakeoff(&clients).expect(2).says(told);
}

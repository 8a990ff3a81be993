//! `bakeoff report --together`: two designs of a run that are kept at the same time.

use crate::support::{Bench, READINGS, WORKLOAD};

const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "5", "--out", "out"];
const PAIR: &str = "parquet?codec=zstd,parquet?codec=snappy";

#[test]
fn two_designs_are_shown_together_and_written_to_the_files() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench.bakeoff(&RUN).expect(0);
    let asked = ["report", "out", "--together", PAIR];
    let ended = bench.bakeoff(&asked).expect(0);
    ended.says("Two designs together").says(" together take ");
    let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
    assert!(read("out/report.html").contains("<h2>Two designs together</h2>"));
    let json: serde_json::Value = serde_json::from_str(&read("out/run.json")).unwrap();
    let both = &json["summary"]["together"]["both"];
    assert!(both["bytes_per_row"].as_f64().unwrap() > 0.0);
    // Another report has nothing of it.
    bench.bakeoff(&["report", "out"]).expect(0);
    assert!(!read("out/report.html").contains("Two designs together"));
}

#[test]
fn what_is_no_pair_of_a_comparison_is_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench.bakeoff(&RUN).expect(0);
    for (pair, words) in [
        (
            "parquet?codec=zstd",
            "--together needs two designs, and got 1",
        ),
        ("parquet?codec=zstd,parquet?codec=zstd", "is named twice"),
        (
            "parquet?codec=zstd,parquet",
            "the run has no design parquet, but ",
        ),
    ] {
        let ended = bench.bakeoff(&["report", "out", "--together", pair]);
        ended.expect(2).says(words);
    }
    let plans = ["report", "out", "--plans", "--together", PAIR];
    bench.bakeoff(&plans).expect(2).says("cannot be used with");
    bench.short_load();
    let of_load = bench.bakeoff(&["report", "load", "--together", PAIR]);
    of_load
        .expect(2)
        .says("--together is for folders of `bakeoff run`");
}

//! `bakeoff forecast --factors-of`: designs of an earlier run, by one that was measured again.

use std::sync::OnceLock;

use crate::support::kept::Kept;
use crate::support::{Bench, READINGS, SCANS};

const OTHER: &str = "local/columnar?rows=50";

/// With both designs measured in `there`, and one of them again in `here`, once for all tests.
fn measured() -> Bench {
    static RUNS: OnceLock<[Kept; 2]> = OnceLock::new();
    let measure = || {
        let bench = Bench::new(SCANS, READINGS);
        let run = ["run", "w.toml", "--rounds", "5", "--out"];
        bench.bakeoff(&[&run[..], &["there"]].concat()).expect(0);
        let one = ["here", "--designs", "parquet"];
        bench.bakeoff(&[&run[..], &one].concat()).expect(0);
        ["there", "here"].map(|run| Kept::of(&bench.path(run)))
    };
    let bench = Bench::new(SCANS, READINGS);
    let [there, here] = RUNS.get_or_init(measure);
    there.copy_to(&bench.path("there"));
    here.copy_to(&bench.path("here"));
    bench
}

#[test]
fn a_design_is_estimated_by_one_that_was_measured_again() {
    let bench = measured();
    let asked = ["forecast", "here", "--factors-of", "there"];
    let ended = bench.bakeoff(&asked).expect(0);
    assert!(
        ended.stdout.starts_with("Estimate, not measured: by "),
        "{}",
        ended.stdout
    );
    ended
        .says("parquet (base)")
        .says(OTHER)
        .says("Not checked: here measured no other design of the earlier run.");
    let json = bench.bakeoff(&[&asked[..], &["--json"]].concat()).expect(0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let design = &json["designs"][0];
    assert_eq!(design["design"], OTHER);
    assert_eq!(json["bases"].as_array().unwrap().len(), 2);
    let (base, time) = (&json["bases"][0], &design["times"][0]);
    let product = number(&base["seconds"]) * number(&time["factor"]);
    assert!((number(&time["seconds"]) / product - 1.0).abs() < 1e-9);
    assert!(number(&design["bytes_per_row"]) > 0.0);

    let records = ["--records", "8M", "--users", "2", "--cores", "4"];
    let ended = bench.bakeoff(&[&asked[..], &records].concat()).expect(0);
    ended.says("A question that reads 8,000,000 records, of 2 users on 4 cores");

    // Both have both of them: the base is named, and the other one checks the factors.
    let both = ["forecast", "there", "--factors-of", "there"];
    bench.bakeoff(&both).expect(2).says("--base, of ");
    let named = [&both[..], &["--base", "parquet"]].concat();
    bench
        .bakeoff(&named)
        .expect(0)
        .says("Checked by the designs that there measured, too: off by ");
    for other in [&["--rows", "8k"][..], &["--copies", "2"], &["--validate"]] {
        let refused = bench.bakeoff(&[&asked[..], other].concat());
        refused.expect(2).says("cannot be used with");
    }
    let alone = [&asked[..], &["--users", "2"]].concat();
    bench.bakeoff(&alone).expect(2).says("add --records");
}

#[test]
fn factors_of_other_rows_or_another_question_are_refused() {
    let bench = measured();
    let run = |out: &str, rows: &str| {
        let options = ["--designs", "parquet", "--rounds", "5", "--rows", rows];
        let all = [&["run", "w.toml", "--out", out][..], &options].concat();
        bench.bakeoff(&all).expect(0);
    };
    let refused = |out: &str, words: &str| {
        let ended = bench.bakeoff(&["forecast", out, "--factors-of", "there"]);
        ended
            .expect(2)
            .says("cannot be estimated by the factors of there")
            .says(words);
    };
    run("fewer", "2000");
    refused("fewer", "A has 4000 rows, B 2000");
    std::fs::write(
        bench.path("w.toml"),
        SCANS.replace("usage_idle > 1.0", "usage_idle > 2.0"),
    )
    .unwrap();
    run("another", "4000");
    refused("another", "few is another question in B");
}

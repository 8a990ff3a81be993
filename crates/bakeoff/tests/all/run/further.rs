//! Twins and smaller tables on real engines.

use std::collections::BTreeMap;

use bakeoff_testing::times;
use serde_json::Value;

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

/// 4,000 rows of five hosts; a question about one of them and one about all.
const HOSTS: &str = r#"
title = "Hosts of a test"
designs = ["cassandra/wide", "cassandra/columnar?rows=100", "parquet"]
[data]
generator = "devops"
hosts = 5
[scale]
rows = 4_000
full_rows = 64_000
[scale.grows]
time = 16
[[queries]]
name = "highest"
sql = """
SELECT date_trunc('minute', time) AS minute, max(usage_user) AS highest FROM cpu
WHERE hostname = ${host} GROUP BY date_trunc('minute', time) ORDER BY minute
"""
parameters = { host = { column = "hostname" } }
[[queries]]
name = "count"
sql = "SELECT count(*) AS n FROM cpu"
"#;

/// How often each table was asked with a right answer.
fn right_answers(records: &[Value]) -> BTreeMap<String, usize> {
    let mut right = BTreeMap::new();
    for timed in of_kind(records, "timed") {
        assert_eq!(timed["outcome"]["outcome"], "right", "{timed}");
        let design = timed["design"].as_str().unwrap().to_owned();
        *right.entry(design).or_default() += 1;
    }
    right
}

#[test]
fn tables_of_several_sizes_and_twins_are_measured_on_real_servers() {
    let Some(bench) = Bench::with_cassandra(HOSTS, READINGS) else {
        return;
    };
    let (scales, smaller) = times(
        ("3x2", &["#1000rows", "#2000rows"][..]),
        ("4x2", &["#500rows", "#1000rows", "#2000rows"][..]),
    );
    let run = [
        "run", "w.toml", "--rounds", "5", "--scales", scales, "--out", "out",
    ];
    let ended = bench.bakeoff(&run).expect(0);
    let right = right_answers(&bench.journal("out"));
    let twins = right.keys().filter(|id| id.ends_with("#twin")).count();
    assert_eq!(twins, 2);
    for design in ["cassandra/wide", "cassandra/columnar?rows=100", "parquet"] {
        for tag in [""].iter().chain(smaller) {
            let answers = right.get(&format!("{design}{tag}"));
            assert_eq!(answers, Some(&10), "2 queries in 5 rounds of {design}{tag}");
        }
    }
    ended.says("Twins");
    // Nothing of the further tables is left behind.
    let left = std::fs::read_dir(bench.path("out")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name == "parquet"), "{left:?}");
}

#[test]
fn a_table_of_few_rows_gets_twins_and_no_smaller_tables() {
    let bench = Bench::new(WORKLOAD, READINGS);
    // An option that is in force anyway, or the bench would leave twins out.
    let run = [
        "run", "w.toml", "--rounds", "1", "--out", "out", "--scales", "1",
    ];
    bench.bakeoff(&run).expect(0);
    let right = right_answers(&bench.journal("out"));
    let ids: Vec<&str> = right.keys().map(String::as_str).collect();
    assert_eq!(
        ids,
        [
            "memory",
            "parquet?codec=snappy",
            "parquet?codec=snappy#twin",
            "parquet?codec=zstd",
            "parquet?codec=zstd#twin"
        ]
    );
}

#[test]
fn a_dry_run_says_which_further_tables_there_would_be() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = [
        "run",
        "w.toml",
        "--dry-run",
        "--scales",
        "3x2",
        "--rows",
        "400",
    ];
    let ended = bench.bakeoff(&run).expect(0);
    ended
        .says("and load two of the designs a second time, as twins")
        .says("smaller tables of every design, of 100, 200 rows");
    let one = [&run[..], &["--designs", "parquet,memory"]].concat();
    let ended = bench.bakeoff(&one).expect(0);
    ended.says("and load one design a second time, as its twin");
    let none = [&run[..], &["--designs", "memory"]].concat();
    let ended = bench.bakeoff(&none).expect(0);
    for word in ["twin", "smaller tables"] {
        assert!(!ended.stdout.contains(word), "{word}: {}", ended.stdout);
    }
    let without = ["run", "w.toml", "--dry-run", "--scales", "1", "--no-twins"];
    let ended = bench.bakeoff(&without).expect(0);
    assert!(!ended.stdout.contains("twins") && !ended.stdout.contains("smaller tables"));
}

#[test]
fn impossible_scales_are_refused_before_anything_is_done() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for scales in ["0", "1x1", "5", "99x2", "2x99", "axb"] {
        let ended = bench.bakeoff(&["run", "w.toml", "--out", "out", "--scales", scales]);
        ended.says("such as 5x2");
        assert_eq!(ended.code, Some(2), "{scales}");
    }
    assert!(!bench.path("out").exists());
}

//! Answers that are too large to be held, which are compared by digests.

use crate::support::{Bench, WORKLOAD, of_kind};

/// Rows whose texts alone take 36 MB.
fn long_rows() -> String {
    let mut rows = "series,time,value\n".to_owned();
    for n in 0..9_000 {
        rows.push_str(&format!("{n:04000},2024-01-01T00:00:00,{n}.1\n"));
    }
    rows
}

#[test]
fn whole_rows_are_timed_and_compared() {
    let bench = Bench::new(WORKLOAD, &long_rows());
    let run = [
        "run", "w.toml", "--rows", "all", "--rounds", "1", "--out", "out",
    ];
    let designs = ["--designs", "parquet?codec=snappy,memory"];
    bench.bakeoff(&[&run[..], &designs].concat()).expect(0);
    let records = bench.journal("out");
    for kind in ["answered", "timed"] {
        let of_all = of_kind(&records, kind).filter(|record| record["query"] == "all");
        let outcomes: Vec<_> = of_all.map(|record| &record["outcome"]).collect();
        assert_eq!(outcomes.len(), 2, "{kind}");
        for outcome in outcomes {
            assert_eq!(outcome["outcome"], "right", "{outcome}");
            assert_eq!(outcome["rows"], 9_000, "{outcome}");
        }
    }
}

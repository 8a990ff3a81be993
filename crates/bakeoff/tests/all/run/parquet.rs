//! Parquet files that are sorted by a column or divided by one, and what their runs report.

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

const DESIGNS: &str = "[\"parquet?codec=zstd\", \"parquet?codec=snappy\", \"memory\"]";
const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "2", "--out", "out"];

/// The workload of these designs.
fn workload(designs: &str) -> String {
    assert!(WORKLOAD.contains(DESIGNS));
    WORKLOAD.replace(DESIGNS, designs)
}

#[test]
fn all_designs_answer_alike_and_the_report_has_their_speed_ups() {
    let designs = "[\"parquet\", \"parquet?sort=Time\", \"parquet?partition=series\"]";
    let bench = Bench::new(&workload(designs), READINGS);
    bench.bakeoff(&[&RUN[..], &["--keep"]].concat()).expect(0);
    let records = bench.journal("out");
    assert_eq!(of_kind(&records, "answered").count(), 6);
    for record in of_kind(&records, "timed").chain(of_kind(&records, "answered")) {
        assert_eq!(record["outcome"]["outcome"], "right", "{record}");
    }
    let selected: Vec<_> = of_kind(&records, "selected").collect();
    assert_eq!(selected.len(), 1);
    // Each series has two rows, in whichever round.
    let expected = serde_json::json!([{ "query": "by_series", "rows": [2, 2, 2, 2, 2, 2, 2] }]);
    assert_eq!(selected[0]["queries"], expected);
    let folder = bench.path("out/parquet/parquet-partition-series/table");
    for series in ["series=a", "series=b"] {
        assert!(folder.join(series).join("rows.parquet").is_file());
    }
    let html = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    let section = html.split("<h2>Speed-up by share of the rows</h2>").nth(1);
    let section = section.unwrap().split("</section>").next().unwrap();
    // One question has one share, so there is a table in place of a chart.
    assert_eq!(section.matches("<th scope=\"row\"").count(), 3);
    assert!(section.contains(">50%</td>"), "{section}");
}

#[test]
fn what_cannot_be_made_is_refused_before_a_folder_is() {
    let divided = "[\"parquet?partition=series\", \"memory\"]";
    let mut readings = "series,time,value\n".to_owned();
    for series in 0..1_001 {
        readings.push_str(&format!("s{series},2024-01-01T00:00:00,1\n"));
    }
    let bench = Bench::new(&workload(divided), &readings);
    let refused = "design parquet?partition=series: the rows have more than 1000 different values of \
                   `series`";
    for rows in ["1001", "all"] {
        let more = ["--rows", rows];
        bench
            .bakeoff(&[&RUN[..], &more].concat())
            .expect(2)
            .says(refused);
    }
    let bench_of = |designs: &str| Bench::new(&workload(designs), READINGS);
    for (designs, words) in [
        ("[\"parquet?sort=tme\"]", "did you mean `time`?"),
        ("[\"parquet?sort=value\"]", "sort=value is a double"),
        (
            "[\"parquet?partition=value\"]",
            "partition=value is a double",
        ),
        ("[\"parquet?sort=series\"]", "the key begins with it"),
    ] {
        let bench = bench_of(designs);
        bench.bakeoff(&RUN).expect(2).says(words);
        assert!(!bench.path("out").exists());
    }
    assert!(!bench.path("out").exists());
}

/// DataFusion would look for other names, and find no rows.
#[test]
fn a_run_folder_whose_name_is_a_pattern_is_refused() {
    let bench = Bench::new(&workload("[\"parquet\", \"memory\"]"), READINGS);
    let run = ["run", "w.toml", "--rounds", "2", "--out", "out [2]"];
    bench
        .bakeoff(&run)
        .expect(2)
        .says("has `[`, which makes it a pattern of names");
    assert!(!bench.path("out [2]").exists());
}

//! `bakeoff run --show-stored` and `bakeoff report --stored`: first rows as Cassandra stores them.

use crate::support::{Bench, READINGS, WORKLOAD};

/// Two layouts of rows, and one that tells nothing.
const SENSOR: &str = r#"
title = "t"
designs = ["cassandra/wide", "cassandra/narrow", "parquet"]
[data]
generator = "sensor"
[[queries]]
name = "count"
sql = "SELECT count(*) AS points FROM sensor"
"#;

const RUN: [&str; 8] = [
    "run", "w.toml", "--rounds", "1", "--rows", "100", "--out", "out",
];

#[test]
fn first_rows_are_kept_on_record_and_printed() {
    let Some(bench) = Bench::with_cassandra(SENSOR, READINGS) else {
        return;
    };
    bench
        .bakeoff(&[&RUN[..], &["--show-stored"]].concat())
        .expect(0);
    let stored = bench
        .bakeoff(&["report", "out", "--stored"])
        .expect(0)
        .stdout;
    for design in ["cassandra/wide", "cassandra/narrow"] {
        let headline = format!("{design}, by sstabledump of Cassandra");
        let (_, rows) = stored
            .split_once(&headline)
            .unwrap_or_else(|| panic!("{stored}"));
        let rows: Vec<&str> = rows
            .lines()
            .skip(1)
            .take_while(|line| !line.is_empty())
            .collect();
        assert_eq!(rows.len(), 12, "{stored}");
        assert!(
            rows.iter()
                .all(|row| row.contains("]@") && row.contains("value=")),
            "{stored}"
        );
    }
    assert!(!stored.contains("parquet,"), "{stored}");
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("<h2>Rows as they are stored</h2>"));
}

#[test]
fn without_the_option_nothing_is_on_record_and_loads_have_no_rows() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = ["run", "w.toml", "--rounds", "1", "--out", "out"];
    bench.bakeoff(&run).expect(0);
    let none = bench.bakeoff(&["report", "out", "--stored"]).expect(0);
    none.says("This run recorded none: repeat it in another folder with --show-stored");
    let both = ["report", "out", "--stored", "--plans"];
    bench.bakeoff(&both).expect(2).says("cannot be used with");
    bench.short_load();
    let of_load = bench.bakeoff(&["report", "load", "--stored"]);
    of_load
        .expect(2)
        .says("--stored is for folders of `bakeoff run`");
}

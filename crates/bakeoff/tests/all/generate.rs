//! Rows that are written as CSV, with no questions about them.

use crate::support::{Bench, READINGS};

/// A workload that has rows and asks nothing.
const ROWS: &str = "title = \"Rows\"\ndesigns = [\"memory\"]\n\
    [data]\ngenerator = \"devops\"\nhosts = 2\ndays = 1\ninterval = \"1h\"\n\
    [table]\nname = \"t\"\n[scale]\nrows = 3000\n";

#[test]
fn rows_are_written_as_csv() {
    let bench = Bench::new(ROWS, READINGS);
    let shown = bench.bakeoff(&["generate", "w.toml"]).expect(0);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines.len(), 1 + 48);
    assert!(lines[0].starts_with("time,hostname,"), "{}", lines[0]);
    assert!(
        lines[1].starts_with("2016-01-01T00:00:00Z,host_0,"),
        "{}",
        lines[1]
    );

    let to_file = [
        "generate", "w.toml", "--rows", "5", "--set", "hosts=3", "--out", "a.csv",
    ];
    bench.bakeoff(&to_file).expect(0);
    let file = std::fs::read_to_string(bench.path("a.csv")).unwrap();
    let hosts: Vec<&str> = file
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).unwrap())
        .collect();
    assert_eq!(hosts, ["host_0", "host_1", "host_2", "host_0", "host_1"]);
    bench.bakeoff(&to_file).expect(1).says("a.csv of --out");
    assert_eq!(std::fs::read_to_string(bench.path("a.csv")).unwrap(), file);
}

#[test]
fn what_measures_says_that_a_workload_asks_nothing() {
    let bench = Bench::new(ROWS, READINGS);
    for command in ["run", "drive"] {
        let refused = bench.without_servers(&[command, "w.toml", "--dry-run"]);
        refused
            .expect(2)
            .says("w.toml:1:1: the workload asks nothing: add [[queries]]");
    }
}

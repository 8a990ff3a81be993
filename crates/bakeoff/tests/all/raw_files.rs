//! Data files as they come, without a header, by options of the command line.

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "3", "--out", "out"];

#[test]
fn options_say_how_data_files_are_read() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let (_, rows) = READINGS.split_once('\n').unwrap();
    std::fs::write(bench.path("raw.txt"), rows.replace(',', "\t")).unwrap();
    let raw = ["--data", "raw.txt", "--no-header", "--delimiter", "tab"];
    bench.bakeoff(&[&RUN[..], &raw].concat()).expect(0);
    let records = bench.journal("out");
    let all = of_kind(&records, "answered").find(|r| r["query"] == "all");
    assert_eq!(all.unwrap()["outcome"]["rows"], 4);
    let twice = ["generate", "w.toml", "--rows", "all", "--data", "raw.txt"];
    let twice = bench.bakeoff(&[&twice[..], &raw].concat()).expect(0);
    assert_eq!(twice.stdout.lines().count(), 1 + 2 * 4);
    let mistaken = bench.bakeoff(&[
        "generate",
        "w.toml",
        "--data",
        "raw.txt",
        "--delimiter",
        ";",
    ]);
    mistaken.expect(1).says("names no column of the table");
    let generated = bench.bakeoff(&["generate", "sensor", "--no-header"]);
    generated.expect(2).says("name a file with --data");
    let letter = bench.bakeoff(&["generate", "w.toml", "--delimiter", "x"]);
    letter.expect(2).says("`x` cannot separate fields");
}

//! How the cells of files of text are written: numbers with marks between their digits, and times of a zone.

use super::{KEYS, rows};
use crate::support::{Bench, Ended, READINGS, WORKLOAD};

/// Ingests a file with this text into `dir:t`, with these further options, and returns what came of it.
fn ingest(bench: &Bench, name: &str, text: &str, more: &[&str]) -> Ended {
    std::fs::write(bench.path(name), text).unwrap();
    let ingest = ["ingest", name, "--into", "dir:t"];
    bench.bakeoff(&[&ingest[..], &KEYS[..], more].concat())
}

#[test]
fn marks_before_each_three_digits_are_ingested_where_they_are_said() {
    let text = "series,time,value,count\na,2024-01-01T00:00:00,\"1,234.5\",\"1,000\"\n\
                a,2024-01-02T00:00:00,2,\"2,000,000\"\na,2024-01-03T00:00:00,0.5,7\n";
    let bench = Bench::new(WORKLOAD, READINGS);
    let said = ["--thousands", ","];
    ingest(&bench, "x.csv", text, &said)
        .expect(0)
        .says("value double, count bigint");
    let sums = "SELECT sum(count) AS c, min(value) AS v FROM t";
    assert_eq!(rows(&bench, sums), ["2001007,0.5"]);
    std::fs::remove_dir_all(bench.path("t")).unwrap();
    // Without it they are texts, and as numbers they do not fit.
    ingest(&bench, "x.csv", text, &[])
        .expect(0)
        .says("count text");
    std::fs::remove_dir_all(bench.path("t")).unwrap();
    ingest(&bench, "x.csv", text, &["--types", "count=bigint"])
        .expect(1)
        .says("say `thousands = \",\"` in [data] (--thousands of ingest)");
    let wrong = text.replace("\"1,000\"", "\"1,00\"");
    let typed = [&said[..], &["--types", "count=bigint"]].concat();
    ingest(&bench, "x.csv", &wrong, &typed)
        .expect(1)
        .says("`1,00` is not a bigint (a whole number of 64 bits) with commas");
    let apostrophes = text
        .replace("\"1,000\"", "1'000")
        .replace("\"2,000,000\"", "2'000'000");
    let apostrophes = apostrophes.replace("\"1,234.5\"", "1'234.5");
    ingest(&bench, "x.csv", &apostrophes, &["--thousands", "'"]).expect(0);
    assert_eq!(rows(&bench, sums), ["2001007,0.5"]);
}

#[test]
fn marks_that_mean_two_things_and_those_of_files_with_types_are_refused() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let text = "series,time,value\na,2024-01-01T00:00:00,1\n";
    for (more, words) in [
        (
            &["--thousands", "."][..],
            "numbers have a decimal point, so that points",
        ),
        (
            &["--thousands", ",", "--decimal", ","],
            "numbers have a decimal comma, so that commas",
        ),
        (&["--thousands", "_"], "`_` is before no three digits"),
        (&["--zone", "Berlin"], "`Berlin` is no time zone"),
    ] {
        ingest(&bench, "x.csv", text, more).expect(2).says(words);
    }
    for option in [["--thousands", ","], ["--decimal", ","], ["--zone", "UTC"]] {
        let copied = ["ingest", "--from", "dir:u", "--into", "dir:t"];
        bench
            .bakeoff(&[&copied[..], &option].concat())
            .expect(2)
            .says("cannot be used with");
    }
    for (more, words) in [
        (["--thousands", ","], "--thousands: x.parquet has numbers"),
        (["--zone", "Europe/Berlin"], "--zone: x.parquet has times"),
    ] {
        ingest(&bench, "x.parquet", "PAR1", &more)
            .expect(2)
            .says(words);
    }
    assert!(!bench.path("t").exists());
}

#[test]
fn times_without_an_offset_are_those_of_the_zone_that_is_said() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let text = "series,time,value\na,2024-01-15 12:00:00,1\na,2024-07-15 12:00:00,2\n";
    let said = ["--zone", "Europe/Berlin"];
    ingest(&bench, "x.csv", text, &said).expect(0);
    let all = "SELECT time, value FROM t ORDER BY time";
    let expected = ["2024-01-15T11:00:00,1", "2024-07-15T10:00:00,2"];
    assert_eq!(rows(&bench, all), expected);
    std::fs::remove_dir_all(bench.path("t")).unwrap();
    let skipped = format!("{text}a,2024-03-31 02:30:00,3\n");
    ingest(&bench, "x.csv", &skipped, &said)
        .expect(1)
        .says("is a time that the clocks of Europe/Berlin skip");
    let finer = [&said[..], &["--types", "time=nanotime"]].concat();
    ingest(&bench, "x.csv", text, &finer)
        .expect(2)
        .says("`time` is a nanotime, and these are in UTC");
}

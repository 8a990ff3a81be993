//! Tests what is found in the first rows of a data file, and how many rows it has.

use std::io::Write;
use std::path::Path;

use bakeoff_workload::source::{FIRST_ROWS, check_first_rows};
use bakeoff_workload::{RowSource, Workload, source};
use flate2::Compression;
use flate2::write::GzEncoder;

const WORKLOAD: &str = "[data]\nrequires = '--data'\n[table]\nname = 't'\n\
    partition_key = ['series']\norder_key = ['time']\n[table.columns]\nseries = 'text'\n\
    time = 'timestamp'\nvalue = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

fn workload() -> Workload {
    Workload::parse(WORKLOAD, Path::new("folder/my-data.toml")).unwrap()
}

fn with_source<T>(name: &str, bytes: &[u8], see: impl FnOnce(&dyn RowSource) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    see(&*source::open(&workload(), Some(path)).unwrap())
}

/// Makes a file with this line after some good ones.
fn csv(good: usize, last: &str) -> String {
    let mut text = "series,time,value\n".to_owned();
    for row in 0..good {
        text.push_str(&format!("a,2024-01-01 00:00:{:02},{row}\n", row % 60));
    }
    text + last
}

fn found(name: &str, bytes: &[u8], rows: u64) -> Result<Vec<String>, String> {
    with_source(name, bytes, |source| {
        check_first_rows(source, &workload().table, rows).map_err(|e| e.to_string())
    })
}

#[test]
fn a_workload_without_a_title_has_the_name_of_its_file() {
    assert_eq!(workload().title, "my_data");
}

#[test]
fn a_bad_cell_is_found_within_the_rows_that_are_looked_at_and_wanted() {
    let bad = csv(998, "a,2024-01-01,NA\n");
    let error = found("x.csv", bad.as_bytes(), 5_000).unwrap_err();
    let wanted = "x.csv, line 1000: column `value`: `NA` is not a double; if it stands for no value, \
                  say `null = [\"NA\"]` in [data] (--null NA of ingest), or make the column `text`";
    assert!(error.ends_with(wanted), "{error}");
    // Rows beyond those that were requested, or too far away, are not examined.
    assert_eq!(found("x.csv", bad.as_bytes(), 998), Ok(vec![]));
    let far = csv(FIRST_ROWS as usize, "a,2024-01-01,NA\n");
    assert_eq!(found("x.csv", far.as_bytes(), 5_000), Ok(vec![]));
}

#[test]
fn compressed_files_are_looked_at_likewise() {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
    compressed
        .write_all(csv(5, ",2024-01-01,1\n").as_bytes())
        .unwrap();
    let error = found("x.csv.gz", &compressed.finish().unwrap(), 100).unwrap_err();
    assert!(
        error.contains("line 7: column `series`: no value"),
        "{error}"
    );
}

#[test]
fn dates_and_seconds_that_are_taken_for_milliseconds_are_reported() {
    let times = |times: [&str; 2]| {
        let rows = times.map(|time| format!("a,{time},1\n")).concat();
        found("x.csv", format!("series,time,value\n{rows}").as_bytes(), 9).unwrap()
    };
    let [dates] = &times(["19580329", "20011225"])[..] else {
        panic!("no doubt, or several");
    };
    assert!(
        dates.contains("column `time`") && dates.contains("[data.format]: \"%Y%m%d\""),
        "{dates}"
    );
    let seconds = times(["1700000000", "1700000060"]);
    assert!(seconds[0].contains("[data.format]: \"s\""), "{seconds:?}");
    for likely in [
        ["1958-03-29", "2001-12-25"],
        ["1700000000000", "0"],
        ["0", "86400000"],
    ] {
        assert_eq!(times(likely), [""; 0], "{likely:?}");
    }
}

#[test]
fn rows_are_counted_to_the_end_or_to_a_limit() {
    let count = |text: &str, most| {
        with_source("x.csv", text.as_bytes(), |source| {
            source.count_rows(most).unwrap()
        })
    };
    let text = csv(20_000, "\"a\nb\",2024-01-01,1\n");
    assert_eq!(count(&text, u64::MAX), Some(20_001));
    assert_eq!(count(&text, 20_001), Some(20_001));
    assert_eq!(count(&text, 9_000), Some(9_000));
}

#[test]
fn a_column_that_is_spelled_otherwise_in_the_file_is_named() {
    let workload = WORKLOAD.replace("value =", "cost_total =");
    let workload = Workload::parse(&workload, Path::new("x.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, "series,time,Cost Total $\na,1,2\n").unwrap();
    let error = source::open(&workload, Some(path))
        .err()
        .unwrap()
        .to_string();
    let wanted = "the file has no column `cost_total`; it has `Cost Total $`: say \
                  `cost_total = \"Cost Total $\"` in [data.from]";
    assert!(error.ends_with(wanted), "{error}");
}

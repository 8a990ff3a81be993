//! Tests windows of time and lists of different values.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::Path;

use bakeoff_workload::{RowSource, Workload, source};

const DAY_ROWS: u64 = 10 * 8640;

/// Makes a workload with one query and this parameter.
fn workload(data: &str, sql: &str, parameter: &str) -> Workload {
    let text = format!(
        "title = 'x'\nseed = 5\n[data]\n{data}\n[[queries]]\nname = 'q'\nsql = 'SELECT {sql}'\n\
         parameters = {{ p = {parameter} }}\n"
    );
    Workload::parse(&text, Path::new("x.toml")).unwrap()
}

fn draw(workload: &Workload, rows: u64, source: &dyn RowSource) -> Vec<BTreeMap<String, String>> {
    let drawn = workload.draw_all(&workload.queries[0], 0..50, rows, source);
    let drawn = drawn.unwrap().into_iter();
    drawn.map(|values| values.into_iter().collect()).collect()
}

fn of_generator(
    data: &str,
    sql: &str,
    parameter: &str,
    rows: u64,
) -> Vec<BTreeMap<String, String>> {
    let workload = workload(data, sql, parameter);
    draw(&workload, rows, &*source::open(&workload, None).unwrap())
}

/// Returns milliseconds since 2016-01-01.
fn milliseconds(literal: &str) -> i64 {
    let time = literal
        .strip_prefix("TIMESTAMP '")
        .unwrap()
        .trim_end_matches('\'');
    let time: jiff::Timestamp = format!("{time}Z").parse().unwrap();
    time.as_millisecond() - 1_451_606_400_000
}

const WINDOW: &str = "${p.begin}, ${p.end}";

#[test]
fn windows_lie_anywhere_within_the_rows_that_are_loaded() {
    let data = "generator = 'devops'\nhosts = 10\ndays = 2";
    let windows = of_generator(data, WINDOW, "{ window = '12h' }", DAY_ROWS);
    let begins: Vec<i64> = windows
        .iter()
        .map(|window| {
            let (begin, end) = (
                milliseconds(&window["p.begin"]),
                milliseconds(&window["p.end"]),
            );
            assert_eq!(end - begin, 12 * 3_600_000);
            // The last rows of the first day are of 23:59:50.
            assert!(begin >= 0 && end <= 86_390_001, "{begin}");
            begin
        })
        .collect();
    assert!(begins.iter().any(|b| *b < 10_800_000) && begins.iter().any(|b| *b > 32_400_000));
    assert!(begins.iter().any(|begin| begin % 10_000 != 0), "{begins:?}");
}

#[test]
fn a_window_that_is_too_long_is_all_there_is() {
    let data = "generator = 'devops'\nhosts = 10\ndays = 2";
    for window in of_generator(data, WINDOW, "{ window = '3d' }", 25) {
        let (begin, end) = (
            milliseconds(&window["p.begin"]),
            milliseconds(&window["p.end"]),
        );
        assert_eq!((begin, end), (0, 20_001));
    }
}

/// Tests that the last row is not late, but not always the newest either.
#[test]
fn the_newest_row_counts_where_rows_come_late() {
    let data = "generator = 'iot'\ntrucks = 3\ndays = 2";
    for rows in [17, 1_000, 1_801, 5_000, 7_203] {
        let workload = workload(data, WINDOW, "{ window = '9d' }");
        let source = source::open(&workload, None).unwrap();
        let times = source.read(0, rows).unwrap().next().unwrap().unwrap();
        let times = times.rows.column(0).clone();
        let times = arrow::array::AsArray::as_primitive::<arrow::datatypes::TimestampMillisecondType>(
            &times,
        );
        let first = times.values().iter().min().unwrap() - 1_451_606_400_000;
        let newest = times.values().iter().max().unwrap() - 1_451_606_400_000;
        let window = draw(&workload, rows as u64, &*source).remove(0);
        let drawn = (
            milliseconds(&window["p.begin"]),
            milliseconds(&window["p.end"]),
        );
        assert_eq!(drawn, (first, newest + 1), "{rows} rows");
    }
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

const COLUMNS: &str = "file = 'x.csv'\n[table]\nname = 't'\npartition_key = ['k']\n\
                       [table.columns]\nk = 'int'\nat = 'timestamp'";

#[test]
fn a_file_is_read_for_its_times() {
    let rows =
        file("k,at\n1,\n2,2016-01-02T00:00:00Z\n3,2016-01-01T00:00:01Z\n4,2016-02-01T00:00:00Z\n");
    let workload = workload(COLUMNS, WINDOW, "{ window = '2d', column = 'at' }");
    let source = source::open(&workload, Some(rows.path().to_owned())).unwrap();
    let window = draw(&workload, 3, &*source).remove(0);
    let drawn = (
        milliseconds(&window["p.begin"]),
        milliseconds(&window["p.end"]),
    );
    assert_eq!(drawn, (1_000, 86_400_001));
    let error = workload
        .draw(&workload.queries[0], 0, 1, &*source)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("from 1 rows: all of them are null there"),
        "{error}"
    );
}

#[test]
fn lists_have_so_many_different_values() {
    let data = "generator = 'devops'\nhosts = 100\ndays = 2";
    let lists = of_generator(data, "${p}", "{ column = 'hostname', distinct = 8 }", 5_000);
    let mut all = HashSet::new();
    for list in &lists {
        let hosts: HashSet<&str> = list["p"].split(", ").collect();
        assert_eq!(hosts.len(), 8, "{list:?}");
        all.extend(hosts);
    }
    assert!(all.len() > 90 && all.contains("'host_17'"), "{}", all.len());
}

#[test]
fn a_list_has_all_values_where_there_are_no_more() {
    let data = "generator = 'iot'\ntrucks = 50\ndays = 2";
    for list in of_generator(data, "${p}", "{ column = 'fleet', distinct = 9 }", 5_000) {
        let mut fleets: Vec<&str> = list["p"].split(", ").collect();
        fleets.sort();
        assert_eq!(fleets, ["'East'", "'North'", "'South'", "'West'"]);
    }
}

#[test]
fn a_list_finds_values_that_are_rare() {
    let text: String = (0..2000)
        .map(|k| format!("{},\n", i32::from(k == 1999)))
        .collect();
    let rows = file(&format!("k,at\n{text}"));
    let workload = workload(COLUMNS, "${p}", "{ column = 'k', distinct = 2 }");
    let source = source::open(&workload, Some(rows.path().to_owned())).unwrap();
    for list in draw(&workload, 2000, &*source) {
        assert!(["0, 1", "1, 0"].contains(&list["p"].as_str()), "{list:?}");
    }
    assert_eq!(draw(&workload, 1999, &*source)[0]["p"], "0");
}

#[test]
fn rounds_do_not_depend_on_each_other() {
    let data = "generator = 'devops'\nhosts = 100\ndays = 2";
    for (sql, parameter) in [
        (WINDOW, "{ window = '5m' }"),
        ("${p}", "{ column = 'hostname', distinct = 32 }"),
    ] {
        let workload = workload(data, sql, parameter);
        let source = source::open(&workload, None).unwrap();
        let query = &workload.queries[0];
        let all = workload.draw_all(query, 0..9, 4_000, &*source).unwrap();
        assert_eq!(all[7], workload.draw(query, 7, 4_000, &*source).unwrap());
        assert_ne!(all[7], all[8]);
    }
}

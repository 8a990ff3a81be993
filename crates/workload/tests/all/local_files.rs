//! Tests files that are written as in other countries: with decimal commas, and with the times of clocks there.

use std::path::Path;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Float64Type, TimestampMillisecondType};
use bakeoff_workload::{RowSource, Workload, source};

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['series']\norder_key = ['time']\n[table.columns]\n\
    series = 'text'\ntime = 'timestamp'\nvalue = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

const DAY: i64 = 86_400_000;

fn workload(data: &str) -> Result<Workload, String> {
    let text = format!("title = 'x'\n[data]\n{data}\n{TABLE}");
    Workload::parse(&text, Path::new("x.toml")).map_err(|error| error.to_string())
}

/// Opens a file that a workload describes so.
fn open(
    data: &str,
    name: &str,
    text: &[u8],
) -> Result<(tempfile::TempDir, Box<dyn RowSource>), String> {
    let workload = workload(&format!("requires = '--data'\n{data}")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let opened = source::open(&workload, Some(path));
    let opened = opened.map_err(|error| error.to_string())?;
    Ok((folder, opened))
}

/// Times and values of all rows.
fn rows(source: &dyn RowSource) -> Vec<(i64, Option<f64>)> {
    let mut rows = Vec::new();
    for batch in source.read(0, 3).unwrap() {
        let batch = batch.unwrap().rows;
        let times = batch.column(1).as_primitive::<TimestampMillisecondType>();
        let values = batch.column(2).as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let value = (!values.is_null(row)).then(|| values.value(row));
            rows.push((times.value(row), value));
        }
    }
    rows
}

#[test]
fn decimal_commas_are_read_from_text_and_json() {
    let data = "decimal = ','\nbad_rows = '50%'";
    let lines = "series;time;value\na;1970-01-02;1,5\na;1970-01-03;1.234,25\na;1970-01-04;2.5\n";
    let objects = "{\"series\":\"a\",\"time\":\"1970-01-02\",\"value\":\"1,5\"}\n\
                   {\"series\":\"a\",\"time\":\"1970-01-03\",\"value\":\"1.234,25\"}\n\
                   {\"series\":\"a\",\"time\":\"1970-01-04\",\"value\":2.5}\n";
    for (further, name, text) in [
        ("delimiter = ';'", "x.csv", lines),
        ("", "x.jsonl", objects),
    ] {
        let (_folder, source) = open(&format!("{data}\n{further}"), name, text.as_bytes()).unwrap();
        let expected = [(DAY, Some(1.5)), (2 * DAY, Some(1_234.25))];
        assert_eq!(rows(source.as_ref()), expected, "{name}");
        let bad = source.bad_rows().unwrap();
        let why = "column `value`: `2.5` is not a double with a decimal comma";
        assert_eq!(bad.count, 1, "{name}");
        assert!(bad.first[0].contains(why), "{:?}", bad.first);
    }
    let prices = "decimal = ','\ndelimiter = ';'\nsigns = { value = '\u{20ac}' }";
    let text = "series;time;value\na;1970-01-02;1.234,50 \u{20ac}\n";
    let (_folder, source) = open(prices, "x.csv", text.as_bytes()).unwrap();
    assert_eq!(rows(source.as_ref()), [(DAY, Some(1_234.5))]);
}

#[test]
fn marks_before_each_three_digits_are_read_from_text_and_json() {
    let data = "thousands = ','\nbad_rows = '50%'";
    let values = ["1,234.5", "12", "", "12,34,567", "-1,000,000"];
    let rows_with = |row: &dyn Fn(usize, &str) -> String| -> String {
        let rows = values.iter().enumerate();
        rows.map(|(day, value)| row(day + 2, value)).collect()
    };
    let quoted = rows_with(&|day, value| format!("a,1970-01-{day:02},\"{value}\"\n"));
    let unquoted = rows_with(&|day, value| format!("a;1970-01-{day:02};{value}\n"));
    let objects = rows_with(&|day, value| {
        format!("{{\"series\":\"a\",\"time\":\"1970-01-{day:02}\",\"value\":\"{value}\"}}\n")
    });
    for (further, name, text) in [
        ("", "x.csv", format!("series,time,value\n{quoted}")),
        (
            "delimiter = ';'",
            "x.csv",
            format!("series;time;value\n{unquoted}"),
        ),
        ("", "x.jsonl", objects),
    ] {
        let (_folder, source) = open(&format!("{data}\n{further}"), name, text.as_bytes()).unwrap();
        let expected = [
            (DAY, Some(1_234.5)),
            (2 * DAY, Some(12.0)),
            (3 * DAY, None),
            (5 * DAY, Some(-1_000_000.0)),
        ];
        assert_eq!(rows(source.as_ref()), expected, "{name} {further}");
        let bad = source.bad_rows().unwrap();
        let why = "column `value`: `12,34,567` is not a double with commas";
        assert_eq!(bad.count, 1, "{name}");
        assert!(bad.first[0].contains(why), "{:?}", bad.first);
    }
    for (data, value, read) in [
        ("thousands = ' '", "1 234.5", 1_234.5),
        ("thousands = ' '", "1\u{202f}234.5", 1_234.5),
        ("thousands = \"'\"", "1'000", 1_000.0),
        ("thousands = '.'\ndecimal = ','", "\"1.000,5\"", 1_000.5),
        ("thousands = ' '\ndecimal = ','", "\"1 000,5\"", 1_000.5),
        (
            "thousands = \"'\"\nsigns = { value = 'CHF' }",
            "CHF 1'234.50",
            1_234.5,
        ),
    ] {
        let text = format!("series,time,value\na,1970-01-02,{value}\n");
        let (_folder, source) = open(data, "x.csv", text.as_bytes()).unwrap();
        assert_eq!(rows(source.as_ref()), [(DAY, Some(read))], "{data} {value}");
    }
    // What is not said is no part of a number.
    let text = "series,time,value\na,1970-01-02,1 000\n";
    let (_folder, source) = open("thousands = ','", "x.csv", text.as_bytes()).unwrap();
    let error = source.read(0, 3).unwrap().find_map(Result::err).unwrap();
    let why = "`1 000` is not a double with commas";
    assert!(error.to_string().contains(why), "{error}");
}

#[test]
fn a_decimal_mark_is_a_point_or_a_comma_and_no_sign_of_thousands() {
    for (data, words) in [
        ("file = 'x.csv'\ndecimal = ';'", "`;` is before no decimals"),
        (
            "file = 'x.csv'\ndecimal = ','\nsigns = { value = '$,' }",
            "`$,` leaves commas out of numbers, but with `decimal = \",\"`",
        ),
        (
            "file = 'x.csv'\nthousands = '.'",
            "numbers have a decimal point, so that points cannot be before each three digits, too",
        ),
        (
            "file = 'x.csv'\ndecimal = ','\nthousands = ','",
            "numbers have a decimal comma, so that commas cannot be before each three digits, too",
        ),
        (
            "file = 'x.csv'\nthousands = '_'",
            "`_` is before no three digits",
        ),
        (
            "file = 'x.dat'\ndelimiter = 'spaces'\nthousands = ' '",
            "spaces are between the fields",
        ),
        (
            "file = 'x.csv'\nthousands = ' '\nsigns = { value = '$,' }",
            "with `thousands = \" \"` these have spaces before each three digits",
        ),
        (
            "generator = 'columns'\nthousands = ','",
            "`thousands` says how files are read",
        ),
        (
            "generator = 'columns'\ndecimal = ','",
            "`decimal` says how files are read",
        ),
    ] {
        let error = workload(data).unwrap_err();
        assert!(error.contains(words), "{words}: {error}");
    }
    assert!(workload("file = 'x.csv'\ndecimal = '.'").is_ok());
    // Numbers with what separates fields are in quotes.
    assert!(workload("file = 'x.csv'\ndelimiter = ','\nthousands = ','").is_ok());
    for (data, key) in [
        ("decimal = ','", "`decimal`"),
        ("thousands = ','", "`thousands`"),
    ] {
        let stored = open(data, "x.parquet", b"PAR1").map(drop).unwrap_err();
        assert!(stored.contains(key), "{stored}");
    }
}

/// Milliseconds since 1970 of an hour of the 27th of October 2024, on which clocks are put back in Europe, in UTC.
fn hour(hour: i64) -> i64 {
    1_729_987_200_000 + hour * 3_600_000
}

#[test]
fn local_times_are_those_of_their_zone_and_skipped_ones_are_set_aside() {
    let data = "zone = 'Europe/Berlin'\nbad_rows = '50%'";
    let lines = "series,time,value\n\
                 a,2024-10-27T01:30:00,1\n\
                 a,2024-10-27T02:30:00,2\n\
                 a,2024-10-27T03:30:00,3\n\
                 a,2024-10-27T04:00:00Z,4\n\
                 a,2024-10-27T04:00:00+02:00,5\n\
                 a,2024-03-31T02:30:00,6\n";
    let (_folder, source) = open(data, "x.csv", lines.as_bytes()).unwrap();
    let half = 1_800_000;
    // The second row was twice, and is the first of both times.
    let expected = [
        (hour(-1) + half, Some(1.0)),
        (hour(0) + half, Some(2.0)),
        (hour(2) + half, Some(3.0)),
        (hour(4), Some(4.0)),
        (hour(2), Some(5.0)),
    ];
    assert_eq!(rows(source.as_ref()), expected);
    let bad = source.bad_rows().unwrap();
    let why = "line 7: column `time`: `2024-03-31T02:30:00` is a time that the clocks of Europe/Berlin skip";
    assert_eq!(bad.count, 1);
    assert!(bad.first[0].contains(why), "{:?}", bad.first);
    // A form of the times, and lines of JSON, change nothing about that.
    let data = "zone = 'Europe/Berlin'\nformat = { time = '%d.%m.%Y %H:%M' }";
    let object = "{\"series\":\"a\",\"time\":\"27.10.2024 03:00\",\"value\":7}\n";
    let (_folder, source) = open(data, "x.jsonl", object.as_bytes()).unwrap();
    assert_eq!(rows(source.as_ref()), [(hour(2), Some(7.0))]);
}

#[test]
fn a_zone_is_one_that_there_is_and_of_files_of_text() {
    for (data, words) in [
        (
            "file = 'x.csv'\nzone = 'Berlin'",
            "`Berlin` is no time zone: it is a name such as `Europe/Berlin`",
        ),
        ("file = 'x.csv'\nzone = '+01:00'", "`Etc/GMT-1` for clocks"),
        (
            "generator = 'columns'\nzone = 'UTC'",
            "`zone` says how files are read",
        ),
    ] {
        let error = workload(data).unwrap_err();
        assert!(error.contains(words), "{words}: {error}");
    }
    let stored = open("zone = 'UTC'", "x.parquet", b"PAR1")
        .map(drop)
        .unwrap_err();
    assert!(stored.contains("`zone`"), "{stored}");
}

//! Tests lines of JSON as data files.

use std::io::Write;
use std::path::Path;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Float64Type, TimestampMillisecondType};
use bakeoff_workload::{RowSource, Workload, source};

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['series']\norder_key = ['time']\n[table.columns]\n\
    series = 'text'\ntime = 'timestamp'\nvalue = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

/// Opens a file that a workload describes so; an error comes without its folder.
fn open(
    data: &str,
    name: &str,
    bytes: &[u8],
) -> Result<(tempfile::TempDir, Box<dyn RowSource>), String> {
    let text = format!("title = 'x'\n[data]\nrequires = '--data'\n{data}\n{TABLE}");
    let workload = Workload::parse(&text, Path::new("x.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    match source::open(&workload, Some(path)) {
        Ok(source) => Ok((folder, source)),
        Err(error) => {
            let inside = format!("{}/", folder.path().display());
            Err(error.to_string().replace(&inside, ""))
        }
    }
}

type Row = (String, i64, Option<f64>);

/// Returns all rows, or the error of the first one that cannot be read.
fn rows(source: &dyn RowSource) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for batch in source.read(0, 2).map_err(|error| error.to_string())? {
        let batch = batch.map_err(|error| error.to_string())?.rows;
        let series = batch.column(0).as_string::<i32>();
        let times = batch.column(1).as_primitive::<TimestampMillisecondType>();
        let values = batch.column(2).as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let value = (!values.is_null(row)).then(|| values.value(row));
            rows.push((series.value(row).to_owned(), times.value(row), value));
        }
    }
    Ok(rows)
}

fn error(data: &str, name: &str, text: &[u8]) -> String {
    match open(data, name, text) {
        Err(error) => error,
        Ok((_folder, source)) => rows(source.as_ref()).unwrap_err(),
    }
}

const LINES: &str = "{\"time\": 1, \"Series\": \"a\", \"value\": 1.5, \"tags\": [\"x\"]}\n\
    {\"series\": \"a\", \"time\": \"1970-01-01T00:00:00.002Z\"}\n\n\
    {\"value\": \"3\", \"series\": \"b\\nc\", \"time\": 3}\n\
    {\"value\": null, \"series\": 7, \"time\": 4, \"more\": {\"a\": 1}}\n";

fn expected() -> Vec<Row> {
    vec![
        ("a".to_owned(), 1, Some(1.5)),
        ("a".to_owned(), 2, None),
        ("b\nc".to_owned(), 3, Some(3.0)),
        ("7".to_owned(), 4, None),
    ]
}

#[test]
fn objects_are_rows_however_they_are_packed() {
    let marked = format!("\u{feff}{}", LINES.replace('\n', "\r\n"));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(LINES.as_bytes()).unwrap();
    let without_end = LINES.trim_end();
    for (name, bytes) in [
        ("x.jsonl", LINES.as_bytes().to_vec()),
        ("x.ndjson", without_end.as_bytes().to_vec()),
        ("x.JSON", marked.into_bytes()),
        ("x.json.gz", gzip.finish().unwrap()),
        (
            "x.jsonl.zst",
            zstd::encode_all(LINES.as_bytes(), 3).unwrap(),
        ),
    ] {
        let (_folder, source) = open("", name, &bytes).unwrap();
        assert_eq!(rows(source.as_ref()).unwrap(), expected(), "{name}");
        assert_eq!(source.count_rows(100).unwrap(), Some(4), "{name}");
        assert_eq!(
            source
                .read(3, 5)
                .unwrap()
                .next()
                .unwrap()
                .unwrap()
                .first_row,
            3
        );
    }
}

#[test]
fn names_nulls_and_times_are_as_the_workload_says() {
    let data = "from = { value = 'Cost: $' }\nnull = ['NA']\nformat = { time = '%Y%m%d' }";
    let text = "{\"series\":\"a\",\"time\":19700102,\"Cost: $\":\"NA\"}\n\
                {\"series\":\"a\",\"time\":\"19700103\",\"cost: $\":2}\n";
    let (_folder, source) = open(data, "x.jsonl", text.as_bytes()).unwrap();
    let day = 86_400_000;
    let expected = [
        ("a".to_owned(), day, None),
        ("a".to_owned(), 2 * day, Some(2.0)),
    ];
    assert_eq!(rows(source.as_ref()).unwrap(), expected);
}

#[test]
fn lines_that_are_no_rows_are_set_aside_with_their_numbers() {
    let text = "{\"series\":\"a\\nb\",\"time\":1}\n\n{\"series\":\"a\",\n{\"series\":\"a\",\"time\":2}\n\
                {\"time\":3}\n{\"series\":\"a\",\"time\":3,\"value\":\"much\"}\n{\"series\":\"a\",\"time\":[4]}\n";
    let (_folder, source) = open("bad_rows = '80%'", "x.jsonl", text.as_bytes()).unwrap();
    let expected = [("a\nb".to_owned(), 1, None), ("a".to_owned(), 2, None)];
    assert_eq!(rows(source.as_ref()).unwrap(), expected);
    let bad = source.bad_rows().unwrap();
    assert_eq!((bad.count, bad.rows), (4, 6));
    let mut written = Vec::new();
    bad.write(&mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[0], "line,reason,series,time,value");
    for (line, start, words) in [
        (1, "3,", "not a JSON object"),
        (2, "5,", "column `series`: no value"),
        (3, "6,", "`much` is not a double"),
        (4, "7,", "`time` is a list, which no column can have"),
    ] {
        assert!(lines[line].starts_with(start), "{written}");
        assert!(lines[line].contains(words), "{written}");
    }
    assert!(
        lines[1].contains("\"\"series\"\""),
        "the line itself: {written}"
    );
    let refused = error("", "x.jsonl", text.as_bytes());
    assert!(refused.contains("line 3: not a JSON object"), "{refused}");
    let refused = error("bad_rows = '10%'", "x.jsonl", text.as_bytes());
    assert!(refused.contains("4 of 6 rows cannot be read"), "{refused}");
}

#[test]
fn values_of_another_type_are_named_by_their_line() {
    for (value, words) in [
        (
            "true",
            "x.jsonl, line 2: column `value`: `true` is not a double",
        ),
        ("\"soon\"", "line 2: column `value`: `soon` is not a double"),
        (
            "{\"a\":1}",
            "line 2: `value` is an object, which no column can have",
        ),
        (
            "1, \"Value\":2",
            "line 2: not a JSON object: `value` is in it twice",
        ),
        (
            "NaN",
            "line 2: not a JSON object: expected value at character",
        ),
    ] {
        let text = format!(
            "{{\"series\":\"a\",\"time\":1,\"value\":1}}\n{{\"series\":\"a\",\"time\":2,\"value\":{value}}}\n"
        );
        let said = error("", "x.jsonl", text.as_bytes());
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn files_that_are_no_lines_of_objects_say_what_to_do() {
    let long = format!("{{\"series\":\"{}\"}}\n", "x".repeat(9 << 20));
    let long_list = format!("[{}]", ["{\"series\":1}"; 800_000].join(","));
    for (data, text, words) in [
        ("", "", "x.json: the file is empty"),
        ("", "\n \n", "x.json: the file is empty"),
        ("", "\u{feff}", "x.json: the file is empty"),
        ("", "[{\"series\":1}]", "`jq -c '.[]' FILE"),
        ("", long_list.as_str(), "`jq -c '.[]' FILE"),
        ("", "{\n  \"series\": 1\n}\n", "`jq -c . FILE"),
        (
            "",
            "series,time\na,1\n",
            "no line has an object of JSON; line 1: not a JSON object",
        ),
        (
            "",
            "{\"series\":1,\"tyme\":2}\n",
            "no column `time`; did you mean `tyme`?",
        ),
        ("", long.as_str(), "line 1 takes more than 8 MiB"),
        (
            "header = false",
            "{\"series\":1}\n",
            "each line of JSON has its names",
        ),
        (
            "delimiter = ';'",
            "{\"series\":1}\n",
            "each line of JSON has its names",
        ),
        (
            "skip_lines = 1",
            "{\"series\":1}\n",
            "each line of JSON has its names",
        ),
    ] {
        let said = error(data, "x.json", text.as_bytes());
        assert!(said.contains(words), "{words}: {said}");
    }
    let torn = zstd::encode_all(LINES.as_bytes(), 3).unwrap();
    let said = error("", "x.json.zst", &torn[..torn.len() - 5]);
    assert!(
        said.starts_with("cannot read data file x.json.zst"),
        "{said}"
    );
}

#[test]
fn a_long_line_after_good_ones_is_an_error_with_its_number() {
    let text = format!("{LINES}{{\"series\":\"{}\"}}\n", "x".repeat(9 << 20));
    let said = error("", "x.jsonl", text.as_bytes());
    assert!(said.contains("line 6 takes more than 8 MiB"), "{said}");
}

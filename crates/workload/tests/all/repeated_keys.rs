//! Rows of text files whose key an earlier row has.

use std::path::Path;

use arrow::array::AsArray;
use arrow::datatypes::Float64Type;
use bakeoff_workload::{DuplicateKeys, RowSource, Workload, source};

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['series']\norder_key = ['time']\n[table.columns]\n\
    series = 'text'\ntime = 'timestamp'\nvalue = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";
const SET_ASIDE: &str = "repeated_keys = 'set aside'\nbad_rows = '80%'";

/// Opens files that a workload describes so, and returns their folder, too.
fn open(
    data: &str,
    files: &[(&str, &str)],
) -> Result<(tempfile::TempDir, Box<dyn RowSource>), String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let names: Vec<String> = files.iter().map(|(name, _)| format!("'{name}'")).collect();
    let text = format!(
        "title = 'x'\n[data]\nfiles = [{}]\n{data}\n{TABLE}",
        names.join(", ")
    );
    let path = folder.path().join("x.toml");
    let opened = Workload::parse(&text, &path).and_then(|workload| source::open(&workload, None));
    match opened {
        Ok(source) => Ok((folder, source)),
        Err(error) => Err(error.to_string()),
    }
}

/// Values of all rows.
fn values(source: &dyn RowSource) -> Vec<f64> {
    let mut values = Vec::new();
    for batch in source.read(0, 3).unwrap() {
        let batch = batch.unwrap().rows;
        let column = batch.column(2).as_primitive::<Float64Type>();
        values.extend(column.values().iter().copied());
    }
    values
}

const TWICE: &str = "series,time,value\na,1,1\nb,1,2\n,1,3\na,1970-01-01T00:00:00.001Z,4\na,2,5\n\"a\",1,x\nb,1,7\n\
                     a,3,8\n";

#[test]
fn later_rows_of_a_key_are_set_aside_with_their_lines_and_reasons() {
    let (_folder, source) = open(SET_ASIDE, &[("x.csv", TWICE)]).unwrap();
    assert_eq!(values(source.as_ref()), [1.0, 2.0, 5.0, 8.0]);
    assert_eq!(source.count_rows(u64::MAX).unwrap(), Some(4));
    assert!(!source.may_repeat_keys());
    let bad = source.bad_rows().unwrap();
    assert_eq!((bad.count, bad.rows), (4, 8));
    let counted = bad.counted();
    for words in [
        "4 of 8 rows cannot be read, lack their key or have that of an earlier row",
        "line 4: column `series`: no value",
        "line 5: its key is that of an earlier row",
        "line 7: column `value`",
        "line 8: its key is that of an earlier row",
    ] {
        assert!(counted.contains(words), "`{words}` is not in: {counted}");
    }
    let mut written = Vec::new();
    bad.write(&mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[4], "8,its key is that of an earlier row,b,1,7");
}

#[test]
fn rows_whose_key_repeats_are_kept_unless_the_workload_says_otherwise() {
    for data in ["", "repeated_keys = 'keep'"] {
        let text = TWICE.replace("\n,1,3", "").replace(",x\n", ",6\n");
        let (_folder, source) = open(data, &[("x.csv", &text)]).unwrap();
        assert_eq!(values(source.as_ref()), [1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert!(source.may_repeat_keys());
    }
    let data = "repeated_keys = 'keep'\nbad_rows = '50%'";
    let (_folder, source) = open(data, &[("x.csv", TWICE)]).unwrap();
    assert_eq!(values(source.as_ref()), [1.0, 2.0, 4.0, 5.0, 7.0, 8.0]);
    assert!(source.may_repeat_keys());
}

#[test]
fn files_without_repeats_are_read_whole_and_too_many_repeats_are_an_error() {
    let unique = "series,time,value\na,1,1\nb,1,2\n";
    let none = "repeated_keys = 'set aside'\nbad_rows = '0%'";
    let (_folder, source) = open(none, &[("x.csv", unique)]).unwrap();
    assert_eq!(values(source.as_ref()), [1.0, 2.0]);
    assert!(!source.may_repeat_keys());
    let twice = unique.to_owned() + "a,1,3\n";
    let error = open(none, &[("x.csv", &twice)]).err().unwrap();
    let expected =
        "1 of 3 rows have the key of an earlier row (line 4: its key is that of an earlier row)";
    assert!(error.contains(expected), "{error}");
    let to_do =
        "more than the 0% of `bad_rows`; mend them, or allow more; with `repeated_keys = \"keep\"`";
    assert!(error.contains(to_do), "{error}");
}

#[test]
fn keys_are_compared_across_files_and_lines_of_json() {
    let files = [
        ("a.csv", "series,time,value\na,1,1\nb,1,2\n"),
        ("b.csv", "series,time,value\nc,1,3\na,1,4\n"),
    ];
    let (_folder, source) = open(SET_ASIDE, &files).unwrap();
    assert_eq!(values(source.as_ref()), [1.0, 2.0, 3.0]);
    let first = &source.bad_rows().unwrap().first[0];
    assert!(
        first.contains("b.csv, line 3: its key is that of"),
        "{first}"
    );
    let lines = "{\"series\":\"a\",\"time\":1,\"value\":1}\n{\"value\":2,\"time\":\"1\",\"series\":\"a\"}\n\
                 {\"series\":\"a\",\"time\":2,\"value\":3}\n";
    let (_folder, source) = open(SET_ASIDE, &[("x.jsonl", lines)]).unwrap();
    assert_eq!(values(source.as_ref()), [1.0, 3.0]);
}

#[test]
fn columns_that_files_do_not_have_change_no_key() {
    let data = format!("constant = {{ series = 'all' }}\n{SET_ASIDE}");
    let (_folder, source) = open(&data, &[("x.csv", "value,time\n1,1\n2,2\n3,1\n")]).unwrap();
    assert_eq!(values(source.as_ref()), [1.0, 2.0]);
    assert!(!source.may_repeat_keys());
}

#[test]
fn a_sample_grows_without_the_rows_that_are_set_aside() {
    let data = format!("scale_sample = {{ rows = 12, along = 'series' }}\n{SET_ASIDE}");
    let text = "series,time,value\na-1,1000,1\na-1,2000,2\na-2,1000,3\na-2,2000,4\na-1,1000,99\n";
    let (_folder, source) = open(&data, &[("x.csv", text)]).unwrap();
    let values = values(source.as_ref());
    assert_eq!((values.len(), source.bad_rows().unwrap().count), (12, 1));
    assert!(!values.contains(&99.0), "{values:?}");
    let table = format!("title = 'x'\n[data]\nfile = 'x.csv'\n{TABLE}");
    let table = Workload::parse(&table, Path::new("x.toml")).unwrap().table;
    let repeated = DuplicateKeys::find(source.as_ref(), &table, None, 1 << 20);
    assert_eq!(repeated.unwrap().count(), 0);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (data, expected) in [
        (
            "repeated_keys = 'set aside'",
            "x.toml:4:17: `repeated_keys = \"set aside\"` needs the largest share",
        ),
        (
            "repeated_keys = 'drop'\nbad_rows = '1%'",
            "x.toml:4:17: `repeated_keys` is `drop`, but has to be \"keep\"",
        ),
    ] {
        let error = open(data, &[("x.csv", TWICE)]).err().unwrap();
        assert!(error.contains(expected), "{data}: {error}");
    }
    let error = open(SET_ASIDE, &[("x.parquet", "")]).err().unwrap();
    assert!(error.contains("`bad_rows`, `repeated_keys`"), "{error}");
    let made =
        format!("title = 'x'\n[data]\ngenerator = 'columns'\nrepeated_keys = 'keep'\n{TABLE}");
    let error = Workload::parse(&made, Path::new("x.toml")).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("`repeated_keys` says how files are read"),
        "{error}"
    );
}

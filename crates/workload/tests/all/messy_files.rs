//! Tests files that need to be described: other names, words for null, forms of times, bad rows.

use std::path::Path;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{Float64Type, TimestampMillisecondType};
use bakeoff_workload::{RowSource, TimeFormat, Workload, source};

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['series']\norder_key = ['time']\n[table.columns]\n\
    series = 'text'\ntime = 'timestamp'\nvalue = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

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
    match opened {
        Ok(source) => Ok((folder, source)),
        Err(error) => {
            let folder = format!("{}/", folder.path().display());
            Err(error.to_string().replace(&folder, ""))
        }
    }
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

const DAY: i64 = 86_400_000;

#[test]
fn spaces_around_quotes_are_no_part_of_fields_where_all_quotes_have_them() {
    let places = |text: &str| {
        let (_folder, source) = open("bad_rows = '50%'", "x.csv", text.as_bytes()).unwrap();
        let mut places = Vec::new();
        for batch in source.read(0, 3).unwrap() {
            let batch = batch.unwrap().rows;
            let series = batch.column(0).as_string::<i32>();
            places.extend((0..batch.num_rows()).map(|row| series.value(row).to_owned()));
        }
        (places, source.bad_rows().unwrap().count)
    };
    let all = "\"time\", \"series\", \"value\"\n1970-01-02,  \"a, b\" , 1.5\n1970-01-03, \"c \n d\", \"2\"\n\
               1970-01-04, plain, x\n";
    assert_eq!(
        places(all),
        (vec!["a, b".to_owned(), "c \n d".to_owned()], 1)
    );
    let some = "time,series,value\n1970-01-02, \"a\",1.5\n1970-01-03,\"b\",2\n";
    assert_eq!(places(some), (vec![" \"a\"".to_owned(), "b".to_owned()], 0));
}

#[test]
fn signs_are_left_out_of_numbers() {
    let data = "signs = { value = '%,' }\nbad_rows = '50%'";
    let text = "series,time,value\na,1970-01-02,95%\na,1970-01-03,\"1,234.5 %\"\na,1970-01-04,95\n";
    let (_folder, source) = open(data, "x.csv", text.as_bytes()).unwrap();
    let expected = [(DAY, Some(95.0)), (2 * DAY, Some(1_234.5))];
    assert_eq!(rows(source.as_ref()), expected);
    let bad = source.bad_rows().unwrap();
    let why = "line 4: column `value`: `95` is not a double with `%` and commas";
    assert!(bad.first[0].contains(why), "{:?}", bad.first);
}

#[test]
fn columns_that_files_do_not_have_are_the_same_in_all_rows() {
    let constant = "constant = { series = 'all' }";
    let lines = "1970-01-02,1.5\n1970-01-03,\nbad,2\n";
    let objects =
        "{\"time\":\"1970-01-02\",\"value\":1.5}\n{\"time\":\"1970-01-03\"}\n{\"time\":5.5}\n";
    for (data, name, text) in [
        ("", "x.csv", format!("Time,Value\n{lines}")),
        (
            "",
            "x.csv",
            format!("time,series,value\n{}", lines.replace(',', ",no,")),
        ),
        ("header = false", "x.csv", lines.to_owned()),
        (
            "header = false\nfields = ['*', 'note']",
            "x.csv",
            lines.replace('\n', ",x\n"),
        ),
        ("", "x.jsonl", objects.to_owned()),
    ] {
        let data = format!("{constant}\nbad_rows = '50%'\n{data}");
        let (_folder, source) = open(&data, name, text.as_bytes()).unwrap();
        let expected = [(DAY, Some(1.5)), (2 * DAY, None)];
        assert_eq!(rows(source.as_ref()), expected, "{text}");
        assert_eq!(source.bad_rows().unwrap().count, 1, "{text}");
        assert_eq!(source.count_rows(10).unwrap(), Some(2));
        for batch in source.read(1, 10).unwrap() {
            let batch = batch.unwrap();
            assert_eq!(batch.rows.schema(), source.schema());
            assert_eq!((batch.first_row, batch.rows.num_rows()), (1, 1));
            assert_eq!(batch.rows.column(0).as_string::<i32>().value(0), "all");
        }
    }
    let error = open(constant, "x.csv", b"series,value\na,1\n").map(drop);
    let error = error.unwrap_err();
    assert!(error.contains("the file has no column `time`"), "{error}");
}

#[test]
fn a_file_is_read_as_the_workload_describes_it() {
    let data = "null = ['NA', '\\N']\nfrom = { time = 'Flight Date', value = 'Cost: $' }\n\
                format = { time = '%Y%m%d' }";
    let text =
        "Series,Flight Date,Cost: $\na,19700102,1.5\na,19700103,NA\na,19700104,\\N\na,19700105,\n";
    let (_folder, source) = open(data, "x.csv", text.as_bytes()).unwrap();
    let expected = [
        (DAY, Some(1.5)),
        (2 * DAY, None),
        (3 * DAY, None),
        (4 * DAY, None),
    ];
    assert_eq!(rows(source.as_ref()), expected);
    assert!(source.bad_rows().is_none());
}

#[test]
fn a_column_that_is_not_there_under_its_other_name_is_told_by_that() {
    let error = open(
        "from = { value = 'Cost' }",
        "x.csv",
        b"series,time,costs\na,1,2\n",
    );
    let error = error.err().unwrap();
    assert!(
        error.contains("no column `cost`; did you mean `costs`?"),
        "{error}"
    );
}

const BAD: &str = "series,time,value\r\na,1,1\r\n,2,2\r\na,3,three\r\n\"a\nb\",4,4\r\na,5\r\na,6,6,6\r\na,7,7\r\n\
                   a,later,8\r\na,9,9";

#[test]
fn bad_rows_are_set_aside_with_their_lines_and_reasons() {
    let (_folder, source) = open("bad_rows = '60%'", "x.csv", BAD.as_bytes()).unwrap();
    let expected = [
        (1, Some(1.0)),
        (4, Some(4.0)),
        (7, Some(7.0)),
        (9, Some(9.0)),
    ];
    assert_eq!(rows(source.as_ref()), expected);
    assert_eq!(source.count_rows(u64::MAX).unwrap(), Some(4));
    let third = source.read(2, 1).unwrap().next().unwrap().unwrap();
    let times = third
        .rows
        .column(1)
        .as_primitive::<TimestampMillisecondType>();
    assert_eq!((third.first_row, times.value(0)), (2, 7));
    let bad = source.bad_rows().unwrap();
    assert_eq!((bad.count, bad.rows), (5, 9));
    for (shown, words) in bad.first.iter().zip([
        "line 3: column `series`: no value",
        "line 4: column `value`: `three` is not a double",
        "line 7: 2 fields instead of the 3",
        "line 8: 4 fields instead of the 3",
        "line 10: column `time`: `later` is not a timestamp",
    ]) {
        assert!(shown.contains(words), "{shown}");
    }
    // There is room for the names alone.
    let mut full: &mut [u8] = &mut [0; 40];
    assert!(bad.write(&mut full).is_err());
    let mut written = Vec::new();
    bad.write(&mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[0], "line,reason,series,time,value");
    assert_eq!(lines.len(), 6);
    assert!(
        lines[4].starts_with("8,") && lines[4].ends_with(",a,6,6,6"),
        "{}",
        lines[4]
    );
}

#[test]
fn more_bad_rows_than_allowed_are_an_error_that_shows_the_first_ones() {
    let error = open("bad_rows = '10%'", "x.csv", BAD.as_bytes())
        .err()
        .unwrap();
    for words in [
        "x.csv: 5 of 9 rows cannot be read or lack their key",
        "line 3: column `series`: no value",
        "more than the 10% of `bad_rows`",
    ] {
        assert!(error.contains(words), "`{words}` is not in: {error}");
    }
    let all = open("bad_rows = '99%'", "x.csv", b"series,time,value\n,1,2\n");
    assert!(all.err().unwrap().contains("1 of 1 rows"));
}

#[test]
fn a_quote_that_is_never_closed_loses_as_many_rows_as_it_takes_lines() {
    let text = b"series,time,value\na,1,1\na,2,\"2\na,3,3\na,4,4\na,5,5\n";
    let error = open("bad_rows = '60%'", "x.csv", text).err().unwrap();
    for words in ["1 of 2 rows", "line 3: column `value`", "take 4 lines"] {
        assert!(error.contains(words), "`{words}` is not in: {error}");
    }
    assert!(
        open("bad_rows = '80%'", "x.csv", text).is_ok(),
        "exactly the limit"
    );
}

#[test]
fn rows_of_packed_files_and_of_files_without_a_header_are_set_aside_too() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"a,1,1\n,2,2\na,3,3\n").unwrap();
    let packed = packed.finish().unwrap();
    let (_folder, source) = open("bad_rows = '50%'\nheader = false", "x.csv.gz", &packed).unwrap();
    assert_eq!(rows(source.as_ref()), [(1, Some(1.0)), (3, Some(3.0))]);
    let bad = source.bad_rows().unwrap();
    assert!(bad.first[0].starts_with("line 2: "), "{}", bad.first[0]);
}

/// All that was read of a torn file may be good, and nothing says how many rows the rest has.
#[test]
fn a_torn_file_is_an_error_and_no_bad_row() {
    let mut text = "series,time,value\n".to_owned();
    for row in 0..10_000 {
        text.push_str(&format!("a,{row},{}\n", row * 7919 % 10_007));
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    assert!(open("bad_rows = '50%'", "x.csv.gz", &packed).is_ok());
    let half = &packed[..packed.len() / 2];
    let error = open("bad_rows = '50%'", "x.csv.gz", half).err().unwrap();
    let expected = "cannot read data file x.csv.gz: ";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn the_places_of_at_most_a_million_rows_are_kept() {
    let mut text = "series,time,value\na,1,1\n".to_owned();
    text.push_str(&"x\n".repeat(1_000_001));
    let error = open("bad_rows = '99%'", "x.csv", text.as_bytes()).err();
    let error = error.unwrap();
    let expected = "more than 1000000 of its rows cannot be read or lack their key";
    assert!(error.contains(expected), "{error}");
}

/// Opens a file in which a row is bad, changes it so, and returns the errors of all that reads it again.
fn errors_after(change: impl FnOnce(&std::fs::File)) -> Vec<String> {
    let text = b"series,time,value\na,1,1\n,2,2\na,3,3\n";
    let (folder, source) = open("bad_rows = '50%'", "x.csv", text).unwrap();
    assert_eq!(rows(source.as_ref()), [(1, Some(1.0)), (3, Some(3.0))]);
    let path = folder.path().join("x.csv");
    change(&std::fs::File::options().write(true).open(path).unwrap());
    let read = source
        .read(0, 9)
        .and_then(|batches| batches.collect::<Result<Vec<_>, _>>());
    let written = source.bad_rows().unwrap().write(&mut std::io::sink());
    vec![
        read.err().unwrap().to_string(),
        source.count_rows(9).unwrap_err().to_string(),
        written.unwrap_err().to_string(),
    ]
}

#[test]
fn a_file_that_changes_after_its_bad_rows_were_found_is_not_read_on() {
    let shorter = errors_after(|file| file.set_len(30).unwrap());
    let rewritten = errors_after(|file| file.set_modified(std::time::UNIX_EPOCH).unwrap());
    for error in shorter.iter().chain(&rewritten) {
        assert!(error.contains("x.csv"), "{error}");
        assert!(
            error.contains("it has changed since it was first read"),
            "{error}"
        );
    }
}

#[test]
fn bad_rows_of_several_files_have_their_file_and_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let first = "series,time,value\na,1,1\n,2,2\n";
    let second = "series,time,value\na,3,3\na,4,four\n";
    for (name, text) in [("a.csv", first), ("b.csv", second)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let text =
        format!("title = 'x'\n[data]\nfiles = ['a.csv', 'b.csv']\nbad_rows = '50%'\n{TABLE}");
    let workload = Workload::parse(&text, &folder.path().join("w.toml")).unwrap();
    let source = source::open(&workload, None).unwrap();
    assert_eq!(rows(source.as_ref()), [(1, Some(1.0)), (3, Some(3.0))]);
    let bad = source.bad_rows().unwrap();
    assert!(bad.first[1].contains("b.csv, line 3: "), "{}", bad.first[1]);
    let mut written = Vec::new();
    bad.write(&mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[0], "file,line,reason,series,time,value");
    assert!(lines[1].contains("a.csv,3,"), "{written}");
    assert!(lines[2].contains("b.csv,3,"), "{written}");
}

#[test]
fn files_that_zstandard_packed_are_read() {
    let packed = zstd::encode_all(&b"series,time,value\na,1,2\n"[..], 1).unwrap();
    let (_folder, source) = open("", "x.csv.zst", &packed).unwrap();
    assert_eq!(rows(source.as_ref()), [(1, Some(2.0))]);
    let cut = open("", "x.csv.zst", &packed[..10]).err().unwrap();
    assert!(cut.contains("x.csv.zst"), "{cut}");
}

#[test]
fn good_files_are_read_whole_where_bad_rows_are_allowed() {
    let (_folder, source) =
        open("bad_rows = '0%'", "x.csv", b"series,time,value\na,1,2\n").unwrap();
    assert_eq!(rows(source.as_ref()), [(1, Some(2.0))]);
    assert_eq!(source.bad_rows().unwrap().count, 0);
}

#[test]
fn a_file_with_types_needs_no_description_but_names() {
    let error = open("null = ['NA']", "x.parquet", b"").err().unwrap();
    assert!(error.contains("leave `header`, `fields`"), "{error}");
}

#[test]
fn descriptions_are_checked_where_they_are() {
    for (data, expected) in [
        (
            "file = 'x.csv'\nbad_rows = '1'",
            "x.toml:4:12: `bad_rows` is `1`",
        ),
        (
            "file = 'x.csv'\nbad_rows = '100%'",
            "x.toml:4:12: `bad_rows` is `100%`",
        ),
        (
            "file = 'x.csv'\nfrom = { valu = 'V' }",
            "x.toml:4:10: column `valu` is not in the table; did you mean `value`?",
        ),
        (
            "file = 'x.csv'\nfrom = { value = 'V', time = ' v' }",
            "is the source of two columns",
        ),
        (
            "file = 'x.csv'\nheader = false\nfrom = { value = 'V' }",
            "has `fields`",
        ),
        (
            "file = 'x.csv'\nformat = { value = 's' }",
            "x.toml:4:20: `format` is for columns of the types `timestamp` and `date`",
        ),
        (
            "file = 'x.csv'\nformat = { time = 'days' }",
            "`iso`, `s`, `ms`, `us` or `ns`",
        ),
        (
            "generator = 'columns'\nnull = ['NA']",
            "`null` says how files are read",
        ),
    ] {
        let error = workload(data).unwrap_err();
        assert!(error.contains(expected), "{data}: {error}");
    }
    let form = workload("file = 'x.csv'\nbad_rows = '0.5%'\nformat = { TIME = 's' }").unwrap();
    assert_eq!(form.text_form.bad_rows, Some(5_000));
    assert_eq!(
        form.text_form.formats["time"],
        TimeFormat::parse("s").unwrap()
    );
}

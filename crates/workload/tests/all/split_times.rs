//! Tests times that stand in several columns of a file.

use std::path::Path;

use arrow::array::{Array, AsArray};
use arrow::datatypes::TimestampMillisecondType;
use bakeoff_workload::{RowSource, Workload, source};

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['series']\n[table.columns]\nseries = 'text'\n\
    time = 'timestamp'\nvalue = 'double'\n[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

fn workload(data: &str, table: &str) -> Result<Workload, String> {
    let text = format!("title = 'x'\n[data]\nrequires = '--data'\n{data}\n{table}");
    Workload::parse(&text, Path::new("x.toml")).map_err(|error| error.to_string())
}

/// Opens a file that a workload describes so.
fn open(
    data: &str,
    table: &str,
    name: &str,
    text: &str,
) -> Result<(tempfile::TempDir, Box<dyn RowSource>), String> {
    let workload = workload(data, table).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    match source::open(&workload, Some(path)) {
        Ok(source) => Ok((folder, source)),
        Err(error) => {
            let folder = format!("{}/", folder.path().display());
            Err(error.to_string().replace(&folder, ""))
        }
    }
}

/// Times of all rows, read a few at a time.
fn times(source: &dyn RowSource) -> Result<Vec<Option<i64>>, String> {
    let mut found = Vec::new();
    for batch in source.read(0, 2).unwrap() {
        let batch = batch.map_err(|error| error.to_string())?.rows;
        let times = batch.column(1).as_primitive::<TimestampMillisecondType>();
        found
            .extend((0..batch.num_rows()).map(|row| times.is_valid(row).then(|| times.value(row))));
    }
    Ok(found)
}

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

const DATED: &str = "join = { time = ['Date', 'Time'] }\nformat = { time = '%d/%m/%Y %H.%M.%S' }";
const NUMBERED: &str =
    "join = { time = ['year', 'month', 'day', 'hhmm'] }\nformat = { time = '%Y %m %d %H%M' }";

#[test]
fn a_date_and_a_time_of_day_are_read_as_one_time() {
    let expected = [Some(DAY + 18 * HOUR), None, None, Some(2 * DAY), None];
    let semicolons = "Date;series;Time;value\n02/01/1970;a;18.00.00;1\n02/01/1970;a;;2\n;a;18.00.00;3\n\
        02/01/1970;a; 24.00.00 ;4\nNA;a;18.00.00;5\n";
    let objects = "{\"date\":\"02/01/1970\",\"TIME\":\"18.00.00\",\"series\":\"a\"}\n\
        {\"date\":\"02/01/1970\",\"series\":\"a\"}\n{\"date\":null,\"time\":\"18.00.00\",\"series\":\"a\"}\n\
        {\"time\":\"24.00.00\",\"date\":\"02/01/1970\",\"series\":\"a\",\"value\":4}\n\
        {\"date\":\"NA\",\"time\":\"18.00.00\",\"series\":\"a\"}\n";
    let tabs = semicolons.replace(';', "\t");
    let headless = semicolons.split_once('\n').unwrap().1;
    for (data, name, text) in [
        ("delimiter = ';'", "x.csv", semicolons),
        ("", "x.tsv", tabs.as_str()),
        ("", "x.jsonl", objects),
        (
            "delimiter = ';'\nheader = false\nfields = ['date', 'series', 'time_of_day', 'value']",
            "x.csv",
            headless,
        ),
    ] {
        let dated = if data.contains("fields") {
            DATED.replace("'Time'", "'time_of_day'")
        } else {
            DATED.to_owned()
        };
        // Values are missing in lines of JSON.
        let data = format!("null = ['NA']\n{dated}\n{data}");
        let (_folder, source) = open(&data, TABLE, name, text).unwrap();
        assert_eq!(times(source.as_ref()).unwrap(), expected, "{name}");
        assert_eq!(source.count_rows(10).unwrap(), Some(5));
        let from_third = source.read(3, 10).unwrap().next().unwrap().unwrap();
        assert_eq!((from_third.first_row, from_third.rows.num_rows()), (3, 2));
    }
}

#[test]
fn numbers_of_years_to_minutes_are_read_as_one_time() {
    let text = "series,year,month,day,hhmm,value\na,1970,1,2,0,1\na,1970,01,02,5,2\na,1970,1,2,123,3\n\
        a,1970,1,2,2359,4\na,1970,1,2,2400,5\na,1970,1,,12,6\n";
    let (_folder, source) = open(NUMBERED, TABLE, "x.csv", text).unwrap();
    let minute = HOUR / 60;
    let expected = [0, 5, 83, 1439, 1440].map(|minutes| Some(DAY + minutes * minute));
    let found = times(source.as_ref()).unwrap();
    assert_eq!(found[..5], expected);
    assert_eq!(found[5..], [None]);
}

#[test]
fn a_time_in_two_columns_is_one_of_the_zone_that_is_said() {
    let text = "Date,Time,series,value\n02/01/1970,18.00.00,a,1\n02/01/1970,24.00.00,a,2\n02/07/2024,12.00.00,a,3\n";
    let data = format!("{DATED}\nzone = 'Europe/Berlin'");
    let (_folder, source) = open(&data, TABLE, "x.csv", text).unwrap();
    let expected = [DAY + 17 * HOUR, 2 * DAY - HOUR, 1_719_914_400_000].map(Some);
    assert_eq!(times(source.as_ref()).unwrap(), expected);
}

#[test]
fn the_parts_of_a_time_may_be_columns_themselves() {
    let table = TABLE.replace("value = 'double'", "year = 'int'");
    let text = "series,year,month,day,hhmm\na,1970,1,2,0\n";
    let objects = "{\"series\":\"a\",\"year\":1970,\"month\":1,\"day\":2,\"hhmm\":0}\n";
    for (name, text) in [("x.csv", text), ("x.jsonl", objects)] {
        let (_folder, source) = open(NUMBERED, &table, name, text).unwrap();
        assert_eq!(times(source.as_ref()).unwrap(), [Some(DAY)]);
        let batch = source.read(0, 1).unwrap().next().unwrap().unwrap();
        let years = batch
            .rows
            .column(2)
            .as_primitive::<arrow::datatypes::Int32Type>();
        assert_eq!(years.value(0), 1970);
    }
}

#[test]
fn rows_that_lack_their_time_or_have_another_one_are_set_aside() {
    let keyed = TABLE.replace(
        "partition_key = ['series']",
        "partition_key = ['series']\norder_key = ['time']",
    );
    let text = "Date,Time,series,value\n02/01/1970,18.00.00,a,1\n02/01/1970,,a,2\n1970-01-02,18.00.00,a,3\n\
        02/01/1970,24.30.00,a,4\n02/01/1970,18:00:00,a,5\n02/01/1970,18.00.00 CET,a,6\n31/12/1969,23.59.60,a,7\n";
    let data = format!("{DATED}\nbad_rows = '80%'");
    let (folder, source) = open(&data, &keyed, "x.csv", text).unwrap();
    let expected = [Some(DAY + 18 * HOUR), Some(-1_000)];
    assert_eq!(times(source.as_ref()).unwrap(), expected);
    let bad = source.bad_rows().unwrap();
    assert_eq!((bad.count, bad.rows), (5, 7));
    let reasons = bad.first.join("\n");
    for words in [
        "line 3: column `time`: no value, but it is in the key",
        "line 4: column `time`: `1970-01-02 18.00.00` is not a time of the form `%d/%m/%Y %H.%M.%S`",
        "line 7: column `time`: `02/01/1970 18.00.00 CET` is not a time",
    ] {
        assert!(reasons.contains(words), "{words}: {reasons}");
    }
    let mut written = Vec::new();
    bad.write(&mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    let heading = "line,reason,Date,Time,series,value\n";
    assert!(written.starts_with(heading), "{written}");
    drop(folder);
    // Without `bad_rows` the first of them is an error with its line.
    let (_folder, source) = open(DATED, &keyed, "x.csv", text).unwrap();
    let error = times(source.as_ref()).unwrap_err();
    assert!(
        error.contains("column `time`: no value, but it is in the key"),
        "{error}"
    );
}

#[test]
fn files_that_lack_a_part_or_have_types_are_refused() {
    let error = |name: &str, text: &str| open(DATED, TABLE, name, text).map(drop).unwrap_err();
    let lacking = error("x.csv", "date,series,value\n02/01/1970,a,1\n");
    assert!(
        lacking.contains("the file has no column `time`"),
        "{lacking}"
    );
    let twice = error("x.csv", "date,Time,time,series,value\n02/01/1970,1,1,a,1\n");
    assert!(twice.contains("column `time` appears twice"), "{twice}");
    let typed = error("x.parquet", "");
    let why = "write the parts of `time` to it as one timestamp, and leave `join` out";
    assert!(typed.contains(why), "{typed}");
}

#[test]
fn mistakes_in_join_are_told_with_their_place() {
    for (data, words) in [
        (
            "join = { value = ['a', 'b'] }",
            "x.toml:4:18: `join` is for columns of the type `timestamp`, but `value` is a double",
        ),
        (
            "join = { time = ['a'] }",
            "x.toml:4:17: a time is put together from 2 to 8 columns of the file, but `time` has 1",
        ),
        ("join = { time = [] }", "but `time` has 0"),
        (
            "join = { time = ['a', 'A '] }",
            "x.toml:4:23: `A ` is a part of `time` twice",
        ),
        (
            "join = { time = ['a', ' '] }",
            "a column of the file needs a name to be a part of a time",
        ),
        (
            "join = { tine = ['a', 'b'] }",
            "column `tine` is not in the table",
        ),
        (
            "join = { time = ['a', 'b'] }\nfrom = { time = 'c' }",
            "`time` is in `from`, too: leave it out of one of them",
        ),
        (
            "join = { time = ['a', 'b'] }\nformat = { time = 's' }",
            "x.toml:5:19: `s` is a single number, but `time` has several parts in `join`",
        ),
        (
            "join = { time = ['a', 'b'] }\nheader = false",
            "x.toml:4:8: `join` names columns of the file; one without a header needs `fields`",
        ),
        (
            "join = { time = ['a', 'b'] }\nheader = false\nfields = ['a', 'b', 'series']",
            "`fields` lacks column `value` of the table",
        ),
    ] {
        let error = workload(data, TABLE).unwrap_err();
        assert!(error.contains(words), "{data}: {error}");
    }
    let generated = format!(
        "title = 'x'\n[data]\ngenerator = 'columns'\njoin = {{ time = ['a', 'b'] }}\n{TABLE}"
    );
    let error = Workload::parse(&generated, Path::new("x.toml")).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("`join` says how files are read"), "{error}");
}

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::infer::{Asked, Grown, Origin, infer};
use crate::{ColumnType, Result, Workload};

fn inferred(name: &str, text: &str, asked: &Asked) -> Result<Inferred> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    infer(&path, asked)
}

pub fn designs() -> Vec<String> {
    ["parquet?codec=zstd", "memory"].map(str::to_owned).to_vec()
}

/// Writes the workload of a file, and reads it again.
fn written(name: &str, text: &str) -> (String, Workload) {
    let found = inferred(name, text, &Asked::default()).unwrap();
    let text = found.workload(name, &designs(), &[]);
    let workload = Workload::parse(&text, Path::new("w.toml"));
    let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
    (text, workload)
}

fn birds() -> String {
    let mut text = "Airport Name,Flight Date,Cost: Total $,Speed\n".to_owned();
    for row in 0..400 {
        let airport = ["north", "south"][row % 2];
        let (month, day) = (1 + row / 2 / 28 % 12, 1 + row / 2 % 28);
        let speed = if row % 10 == 0 {
            "NA".to_owned()
        } else {
            row.to_string()
        };
        text.push_str(&format!(
            "{airport},1990{month:02}{day:02},{row}.5,{speed}\n"
        ));
    }
    text + ",19910101,1.5,3\n"
}

#[test]
fn all_types_that_can_be_written_by_hand_are_named() {
    let (text, _) = written("birds.csv", &birds());
    let types = text.lines().find(|line| line.starts_with("# Types: "));
    for (name, kind) in ColumnType::ALL {
        // No question can be asked of bytes.
        let is_named = types.is_some_and(|types| types.contains(name));
        assert_eq!(is_named, kind != ColumnType::Blob, "{name}: {types:?}");
    }
}

#[test]
fn a_messy_file_becomes_a_workload_with_evidence() {
    let (text, workload) = written("bird strikes.csv", &birds());
    let table = &workload.table;
    assert_eq!(table.name, "bird_strikes");
    assert_eq!(
        (&table.partition_key[..], &table.order_key[..]),
        (
            &["airport_name".to_owned()][..],
            &["flight_date".to_owned()][..]
        )
    );
    let kinds: Vec<&str> = table
        .columns
        .iter()
        .map(|column| column.kind.name())
        .collect();
    assert_eq!(kinds, ["text", "timestamp", "double", "int"]);
    let form = &workload.text_form;
    assert_eq!(form.null, ["NA"]);
    assert_eq!(form.from["flight_date"], "Flight Date");
    assert_eq!(form.from["cost_total"], "Cost: Total $");
    assert_eq!(form.formats["flight_date"].written(), "%Y%m%d");
    assert!(form.bad_rows.is_some(), "a row lacks its key");
    for words in [
        "40 of 401 are `NA`",
        "1 of 401 are empty",
        "tell all rows apart",
        "whole numbers of 32 bits, from 1 to 399",
    ] {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
    assert!((3..=5).contains(&workload.queries.len()), "{text}");
    assert_eq!(workload.designs.len(), 2);
}

#[test]
fn keys_that_repeat_are_told() {
    let text = format!("{}north,19900101,7.5,8\n", birds());
    let found = inferred("b.csv", &text, &Asked::default()).unwrap();
    assert!(found.repeated > 0.0 && found.repeated < 0.01);
    let told = found.repeated_keys().unwrap();
    assert!(
        told.contains(
            "1 of 402 rows has a key (airport_name, flight_date) that an earlier row has"
        ),
        "{told}"
    );
    assert!(told.contains("--key"), "{told}");
    assert!(told.contains("cannot be chosen"), "{told}");
}

#[test]
fn what_is_asked_for_is_taken_and_what_is_not_there_is_an_error_with_its_option() {
    let asked = |time: Option<&str>, key: &[&str], null: Option<&[&str]>| Asked {
        time: time.map(str::to_owned),
        key: key.iter().map(|name| (*name).to_owned()).collect(),
        null: null.map(|words| words.iter().map(|word| (*word).to_owned()).collect()),
        ..Asked::default()
    };
    let found = inferred(
        "b.csv",
        &birds(),
        &asked(Some("Flight Date"), &["speed"], None),
    );
    assert_eq!(found.unwrap().partition_key, ["speed"]);
    let kept = inferred("b.csv", &birds(), &asked(None, &[], Some(&["none"]))).unwrap();
    let speed = kept
        .columns
        .iter()
        .find(|column| column.name == "speed")
        .unwrap();
    assert_eq!((speed.kind, kept.null.len()), (ColumnType::Text, 0));
    for (asked, words) in [
        (
            asked(Some("when"), &[], None),
            "--time when: the file has no such column",
        ),
        (
            asked(Some("airport_name"), &[], None),
            "--time airport_name: its values are neither times",
        ),
        (
            asked(None, &["airport_nam"], None),
            "did you mean `airport_name`?",
        ),
        (asked(None, &["speed", "Speed"], None), "twice"),
    ] {
        let error = inferred("b.csv", &birds(), &asked).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn files_of_every_kind_become_workloads() {
    let many: Vec<String> = (0..2_000).map(|number| format!("c{number}")).collect();
    let wide = format!("{}\n{}\n", many.join(","), vec!["1"; 2_000].join(","));
    for (name, text, names) in [
        (
            "semi.csv",
            "name;time;value\na;2024-01-01;1,5\nb;2024-01-01;2,5\n",
            "delimiter = \";\"",
        ),
        (
            "commas.csv",
            "place;time;value\na;01.01.2024 10:00;1,5\na;02.01.2024 10:00;2,5\na;03.01.2024 10:00;3,5\n\
             a;04.01.2024 10:00;4,5\na;13.01.2024 10:00;5,5\n",
            "delimiter = \";\"",
        ),
        (
            "plain.csv",
            "a,2024-01-01 00:00,1\na,2024-01-02 00:00,2\n",
            "header = false",
        ),
        (
            "quoted.csv",
            "name,time,note\na,2024-01-01,\"x\ny\"\na,2024-01-02,\"\"\"\"\n",
            "note = \"text\"",
        ),
        (
            "mark.csv",
            "\u{feff}name,time\r\na,2024-01-01\r\na,2024-01-02\r\n",
            "name = \"text\"",
        ),
        (
            "one.csv",
            "name,time,value\na,2024-01-01T00:00:00Z,1\n",
            "value = \"int\"",
        ),
        (
            "zones.csv",
            "name,time\na,2024-01-01T00:00:00Z\na,2024-01-01T01:00:00\n",
            "taken as UTC",
        ),
        (
            "series.csv",
            "time,value\n2024-01-01,1.5\n2024-01-02,\\N\n",
            "null = [\"\\\\N\"]",
        ),
        (
            "nothing.csv",
            "name,time,gap\na,2024-01-01,\na,2024-01-02,\n",
            "gap = \"text\" # no values",
        ),
        (
            "untimed.csv",
            "id,size\n1,5\n2,5\n",
            "partition_key = [\"id\"]",
        ),
        (
            "order.csv",
            "order,time,group\na,2024-01-01,1\na,2024-01-02,2\n",
            "order_ = \"order\"",
        ),
        (
            "tabs.tsv",
            "name\ttime\na\t2024-01-01\na\t2024-01-02\n",
            "name = \"text\"",
        ),
        (
            "wide.csv",
            wide.as_str(),
            "left out: 1500 of all 2000 columns",
        ),
        (
            "dash.csv",
            "name,time,value\na,2024-01-01,-\na,2024-01-02,5\n",
            "null = [\"-\"]",
        ),
        (
            "spaces.csv",
            "name,time,value\na,2024-01-01,  \na,2024-01-02,5\n",
            "null = [\"\"] # 1 spaces alone",
        ),
        (
            "counts.csv",
            "n,time\na,2024-01-01\na,2024-01-02\n",
            "SELECT n, count(*) AS number FROM counts",
        ),
        (
            "micro.csv",
            "name,time\na,2024-01-01T00:00:00.000001\n",
            "time = \"iso\"",
        ),
    ] {
        let (text, _) = written(name, text);
        assert!(text.contains(names), "{name}: `{names}` is not in: {text}");
    }
}

#[test]
fn files_of_which_nothing_can_be_made_say_what_to_mend() {
    for (name, text, words) in [
        ("empty.csv", "", "the file is empty"),
        ("header.csv", "name,time\n", "has no rows"),
        (
            "twice.csv",
            "a,b,A\nx,y,z\n",
            "columns 1 and 3 are both called `a`: give them different names in the first line, or number all columns \
             as `c_1`, `c_2` and so on with --no-header --skip-lines 1",
        ),
        ("same.csv", "a,b\nx,y\nx,y\n", "--key COLUMN"),
        ("broken.csv", "name,time\na\nb\n", "no row has the 2 fields"),
        (
            "title.csv",
            "Spectra of 2003,,\nlength,sun,sky\na,b,c\nd,e,f\n",
            "2 of the 3 fields of the first line are empty",
        ),
        (
            "station.csv",
            "7031,\"SAND POINT\",AK\nx,y,z,u\nx,y,z,u\nx,y,u,z\n",
            "3 of 4 rows do not have the 3 fields of the first line; most have 4: skip the lines",
        ),
        ("bad.parquet", "no", "not a Parquet file"),
        ("bad.arrow", "no Arrow at all", "not an Arrow file"),
        ("empty.arrow", "", "the file is empty"),
        ("book.xlsx", "no", "save it as CSV"),
    ] {
        let error = inferred(name, text, &Asked::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{name}: {error}");
    }
}

#[test]
fn a_first_line_with_numbers_is_a_row_unless_it_is_said_to_name_the_columns() {
    let text = "country,1960,1961\nchad,1,2\npalau,3,4\n";
    let names = |asked: &Asked| -> Vec<String> {
        let found = inferred("gdp.csv", text, asked).unwrap();
        let columns = found.columns.into_iter();
        columns.map(|column| column.name).collect()
    };
    assert_eq!(names(&Asked::default()), ["c_1", "c_2", "c_3"]);
    let asked = Asked {
        header: Some(true),
        ..Asked::default()
    };
    assert_eq!(names(&asked), ["country", "c_1960", "c_1961"]);
}

#[test]
fn what_cannot_be_read_twice_is_no_file() {
    let error = infer(Path::new("/dev/null"), &Asked::default()).unwrap_err();
    assert!(error.to_string().contains("no regular file"), "{error}");
}

#[test]
fn a_quote_that_is_never_closed_counts_as_the_lines_that_it_takes_in() {
    let text = "name,time,value\na,2024-01-01,1\na,2024-01-02,2\nc,2024-01-01,1\nc,2024-01-02,2\na,2024-01-03\"\n\
                b,\"2024-01-04,3\nb,1\nb,2\n";
    let found = inferred("quote.csv", text, &Asked::default()).unwrap();
    assert_eq!((found.rows, found.bad_rows), (8, 4));
}

fn asked_question(name: Option<&str>, sql: &str) -> AskedQuestion {
    AskedQuestion {
        name: name.map(str::to_owned),
        sql: sql.to_owned(),
        ..AskedQuestion::default()
    }
}

#[test]
fn questions_that_are_asked_for_replace_the_others() {
    let found = inferred("b.csv", &birds(), &Asked::default()).unwrap();
    let text = found.workload(
        "b.csv",
        &designs(),
        &[
            asked_question(None, "SELECT max(speed) AS \"m\" FROM b;"),
            asked_question(Some("how_many"), "SELECT count(*) AS n\nFROM b"),
        ],
    );
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    let queries: Vec<(&str, &str)> = workload
        .queries
        .iter()
        .map(|query| (query.name.as_str(), query.sql.as_str()))
        .collect();
    assert_eq!(
        queries,
        [
            ("question_1", "SELECT max(speed) AS \"m\" FROM b"),
            ("how_many", "SELECT count(*) AS n\nFROM b"),
        ]
    );
}

#[test]
fn texts_are_written_so_that_toml_reads_them() {
    for text in ["a\"b", "\\N", "x\ny\tz", "\u{1}", "ü"] {
        let written = format!("x = {}", quoted(text));
        let read: toml::Table = toml::from_str(&written).unwrap();
        assert_eq!(read["x"].as_str(), Some(text));
    }
    assert_eq!(clean("a\nb"), "a b");
}

#[test]
fn a_sample_grows_with_all_rows_of_its_table() {
    let text = "name,time,value\na,2024-01-01,1\na,2024-01-02,2\nb,2024-01-01,3\nb,2024-01-02,4\n";
    let mut found = inferred("sample.csv", text, &Asked::default()).unwrap();
    let scale = |found: &Inferred| {
        let text = found.workload("sample.csv", &designs(), &[]);
        let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
        (workload.scale.default_rows, workload.scale.full_rows, text)
    };
    let (rows, all, text) = scale(&found);
    assert_eq!((rows, all), (4, 4));
    assert!(!text.contains("grow"), "{text}");
    found.grown = Some(Grown {
        words: "50 times the series".to_owned(),
        rows: 200,
    });
    let (rows, all, text) = scale(&found);
    assert_eq!((rows, all), (200, 200));
    assert!(
        text.contains("\ngrow = \"50 times the series\"\n"),
        "{text}"
    );
    assert!(
        text.contains("full_rows = 200 # that there will be, as `grow` says"),
        "{text}"
    );
    // It is a part of a table with more rows.
    found.origin = Some(Origin {
        name: "ks.t at db1".to_owned(),
        table: "t".to_owned(),
        about: Vec::new(),
        columns: BTreeMap::new(),
        left_out: Vec::new(),
        rows: Some((1_000, "an estimate".to_owned())),
        design: None,
        descending: None,
    });
    let (rows, all, _) = scale(&found);
    assert_eq!((rows, all), (200, 50_000));
}

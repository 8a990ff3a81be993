//! Tests workloads that are written for files of other forms than plain CSV.

use arrow::array::AsArray;
use arrow::datatypes::TimestampMillisecondType;

use crate::infer::{Asked, infer};
use crate::{Result, Workload, source};

/// Writes the workload of a file, and loads all rows as it says; returns the text, and the rows.
fn loaded(name: &str, text: &str, asked: &Asked) -> Result<(String, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let found = infer(&path, asked)?;
    let text = found.workload(name, &["memory".to_owned()], &[]);
    let workload = Workload::parse(&text, &folder.path().join("w.toml"));
    let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let source = source::open(&workload, None)?;
    let mut rows = 0;
    for batch in source.read(0, 100)? {
        rows += batch?.rows.num_rows() as u64;
    }
    Ok((text, rows))
}

/// Returns the workload of a file that is loaded whole but for so many rows.
fn written(name: &str, text: &str, rows: u64) -> String {
    let (text, loaded) = loaded(name, text, &Asked::default()).unwrap();
    assert_eq!(loaded, rows, "{text}");
    text
}

fn error(name: &str, text: &str, asked: &Asked) -> String {
    loaded(name, text, asked).map(drop).unwrap_err().to_string()
}

fn says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "`{line}` is not in: {text}");
    }
}

#[test]
fn lines_of_json_get_types_from_all_lines() {
    let mut lines = String::new();
    for row in 0..400 {
        let size = if row == 7 { "\"none\"" } else { "5" };
        let room = ["a", "b"][row % 2];
        lines.push_str(&format!(
            "{{\"Room\":\"{room}\",\"time\":\"2024-01-01T{:02}:{:02}:00Z\",\"size\":{size},\"tags\":[1],\
             \"digits\":\"7\",\"id\":12345678901234567890123}}\n",
            row / 2 / 60,
            row / 2 % 60
        ));
    }
    lines
        .push_str("{\"Room\":\"a\",\"time\":\"2024-01-02T00:00:00Z\",\"late\":true,\"mixed\":1}\n");
    lines.push_str("{\"Room\":\"b\",\"time\":\"2024-01-02T00:00:00Z\",\"mixed\":\"x\"}\nbroken\n");
    let text = written("x.jsonl", &lines, 401);
    says(
        &text,
        &[
            "room = \"text\"",
            "time = \"timestamp\"",
            "size = \"int\" # whole numbers of 32 bits, from 5 to 5",
            "1 other values, the first `none` in line 8",
            "digits = \"int\"",
            "id = \"text\" # whole numbers, some of more than 64 bits",
            "late = \"boolean\"",
            "mixed = \"text\"",
            "# left out: `tags`, which is a list in line 1",
            "bad_rows = \"2%\"",
            "partition_key = [\"room\"]",
        ],
    );
    assert!(!text.contains("delimiter"), "{text}");
}

#[test]
fn json_of_which_no_rows_can_be_read_says_what_to_do() {
    let object = "{\"a\":1}\n";
    let delimited = Asked {
        delimiter: Some(b','),
        ..Asked::default()
    };
    for (text, asked, words) in [
        ("", Asked::default(), "the file is empty"),
        ("[\n{\"a\":1}\n]\n", Asked::default(), "`jq -c '.[]' FILE"),
        ("{\n\"a\":1\n}\n", Asked::default(), "`jq -c . FILE"),
        (
            "a\nb\n{\"a\":1}\n",
            Asked::default(),
            "2 of its 3 lines are no objects of JSON",
        ),
        (
            "{\"a\":{\"b\":1}}\n",
            Asked::default(),
            "none of its names has a value",
        ),
        (
            "{\"a\":1,\"A\":2}\n",
            Asked::default(),
            "`a` is in it twice",
        ),
        (object, delimited, "leave them out"),
    ] {
        let said = error("x.json", text, &asked);
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn titles_units_and_spaces_are_said_in_the_workload() {
    let mut rows = String::new();
    for row in 0..40 {
        rows.push_str(&format!("2024-01-{:02},{row},1.5,7,8,9\n", 1 + row % 30));
    }
    let names = "day,hour,sun,wind,a,b\n";
    let station = format!("703165,\"SAND POINT\",AK,-9.0\n{names}{rows}");
    let text = written("tmy.csv", &station, 40);
    says(
        &text,
        &["skip_lines = 1", "day = \"timestamp\"", "sun = \"double\""],
    );
    let units = format!("{names},h,W/m2,m/s,[m],[s]\n");
    let text = written("units.csv", &format!("a title\n{units}{rows}"), 40);
    says(
        &text,
        &["skip_lines = 1", "units_line = true", "wind = \"int\""],
    );
    let others = format!("{names},h,W/m2,m/s,[m],[s]\n[0],lib_h,lib_sun,lib_wind,lib_a,lib_b\n");
    let text = written("others.csv", &format!("{others}{rows}"), 40);
    says(
        &text,
        &[
            "lines_after_names = 2",
            "wind = \"int\"",
            "day = \"timestamp\"",
        ],
    );
    assert!(!text.contains("skip_lines"), "{text}");
    let spaces = |text: &str| text.replace(',', "   ");
    let text = written("nino.dat", &spaces(&format!("{names}{rows}")), 40);
    says(&text, &["delimiter = \"spaces\"", "sun = \"double\""]);
    let text = written("headless.dat", &spaces(&rows), 40);
    says(&text, &["delimiter = \"spaces\"", "header = false"]);
    let asked = Asked {
        skip_lines: Some(3),
        ..Asked::default()
    };
    let (text, loaded) = loaded("x.csv", &format!("x,y\nx,z\nu,v\n{names}{rows}"), &asked).unwrap();
    assert_eq!(loaded, 40);
    says(&text, &["skip_lines = 3", "hour = \"int\""]);
    let said = error("short.csv", "a,b\n1,2\n", &asked);
    assert!(
        said.contains("it has only 2 of the 3 lines that are skipped"),
        "{said}"
    );
}

#[test]
fn signs_of_numbers_are_said_in_the_workload_unless_they_are_ambiguous() {
    let mut text = "day,share,price,count,area,mixed\n".to_owned();
    for row in 0..30 {
        let mixed = if row % 2 == 0 { "%" } else { "" };
        text.push_str(&format!(
            "2024-01-{:02},{row}%,$5.{row:02},\"1,{row:03}\",\"{row},000,000\",{row}{mixed}\n",
            1 + row
        ));
    }
    let text = text.replace("\"0,000,000\"", "0");
    let text = written("money.csv", &text, 30);
    says(
        &text,
        &[
            "share = \"int\" # whole numbers of 32 bits, from 0 to 29, without `%`, as [data.signs] says",
            "price = \"double\" # numbers, without `$`, as [data.signs] says",
            "thousands = \",\" # before each three digits, as `1,000,000` of `area` in line 3 has",
            "count = \"int\" # whole numbers of 32 bits, from 1000 to 1029, with commas before each three digits",
            "area = \"int\" # whole numbers of 32 bits, from 0 to 29000000, with commas before each three digits",
            "mixed = \"text\" # numbers, some with `%`",
            "# What is left out of numbers.\n[data.signs]\nshare = \"%\"\nprice = \"$\"\n",
            "avg(price) AS avg_price",
            "WHERE price > 5.",
        ],
    );
    assert!(!text.contains("bad_rows"), "{text}");
}

#[test]
fn times_without_a_year_order_rows_as_text_until_their_year_is_said() {
    let mut text = "date,delay,origin,destination\n".to_owned();
    for row in 0..300 {
        let (month, minute) = (1 + row / 60, row / 3 % 60);
        let (origin, destination) = (["a", "b", "c"][row % 3], ["x", "y"][row % 2]);
        text.push_str(&format!(
            "{month:02}3100{minute:02},{row},{origin},{destination}\n"
        ));
    }
    let of_text = written("flights.csv", &text, 300);
    says(
        &of_text,
        &[
            "date = \"text\" # month, day, hour and minute without a year",
            "--time-format 'COLUMN=%m%d%H%M of 2001' would say their year",
            "partition_key = [\"origin\"]",
            "order_key = [\"date\"]",
        ],
    );
    let formats = |column: &str| {
        let format = crate::TimeFormat::parse("%m%d%H%M of 2001").unwrap();
        vec![(column.to_owned(), format)]
    };
    let asked = |column: &str| Asked {
        formats: formats(column),
        ..Asked::default()
    };
    // Of five months two have 30 days at most, whose times are none.
    let few_days = text.replace("3100", "0100");
    let (of_times, rows) = loaded("flights.csv", &few_days, &asked("Date")).unwrap();
    assert_eq!(rows, 300);
    says(
        &of_times,
        &[
            "date = \"timestamp\" # times written as %m%d%H%M of 2001",
            "[data.format]\ndate = \"%m%d%H%M of 2001\"",
            "SELECT max(date) AS newest FROM flights WHERE origin = ${origin}",
        ],
    );
    let said = error("flights.csv", &text, &asked("delay"));
    assert!(
        said.contains("--time-format delay=%m%d%H%M of 2001: only 0 of its 300"),
        "{said}"
    );
    let said = error("flights.csv", &text, &asked("dat"));
    assert!(
        said.contains("no such column; did you mean `date`?"),
        "{said}"
    );
}

#[test]
fn one_series_gets_a_column_that_is_the_same_in_all_rows() {
    let mut rows = String::new();
    for row in 0..60 {
        let (month, day) = (1 + row / 28, 1 + row % 28);
        rows.push_str(&format!("1958-{month:02}-{day:02},{row}.5\n"));
    }
    let names = format!("Date,CO2\n{rows}");
    let text = written("co2.csv", &names, 60);
    says(
        &text,
        &[
            "partition_key = [\"series\"]",
            "order_key = [\"date\"]",
            "series = \"text\" # not in the file",
            "[data.constant]\nseries = \"all\"",
            "SELECT max(date) AS newest FROM co2 WHERE series = ${series}\"",
            "SELECT date, co2 FROM co2 WHERE series = ${series} AND date >= ",
            "SELECT count(*) AS n, avg(co2) AS avg_co2 FROM co2 WHERE date >= ",
        ],
    );
    let text = written("headless.csv", &rows, 60);
    says(&text, &["fields = [\"c_1\", \"c_2\"]", "series = \"all\""]);
    let lines = rows.lines().map(|line| {
        let (date, value) = line.split_once(',').unwrap();
        format!("{{\"date\":\"{date}\",\"series\":{value}}}\n")
    });
    let text = written("co2.jsonl", &lines.collect::<String>(), 60);
    says(
        &text,
        &["partition_key = [\"series_2\"]", "series = \"double\""],
    );
    // Whoever names the time as the key has each row for itself.
    let asked = Asked {
        key: vec!["Date".to_owned()],
        ..Asked::default()
    };
    let (text, _) = loaded("co2.csv", &names, &asked).unwrap();
    says(&text, &["partition_key = [\"date\"]", "order_key = []"]);
    // Without a timestamp one row is asked for, not the whole series.
    let steps: String = (0..60).map(|row| format!("{row},{row}.5\n")).collect();
    let steps = format!("step,co2\n{steps}");
    let asked = Asked {
        time: Some("step".to_owned()),
        ..Asked::default()
    };
    let (text, _) = loaded("steps.csv", &steps, &asked).unwrap();
    says(
        &text,
        &["SELECT step, co2 FROM steps WHERE series = ${series} AND step = ${step}\""],
    );
    // Times that repeat are told, as other keys are.
    let twice = format!("{names}{rows}");
    let text = written("twice.csv", &twice, 120);
    says(
        &text,
        &["of the rows repeat the key (series, date) of an earlier row"],
    );
}

#[test]
fn samples_that_say_little_become_workloads_or_errors_with_an_option() {
    let wide: Vec<String> = (0..10_000).map(|number| format!("c{number}")).collect();
    let ones = vec!["1"; 10_000].join(",");
    let wide = format!("{}\n{ones}\n{ones}\n", wide.join(",")).replacen("\n1,", "\n2,", 1);
    let line = |first: u32| {
        let others: String = (1..10_000)
            .map(|number| format!(",\"c{number}\":1"))
            .collect();
        format!("{{\"c0\":{first}{others}}}\n")
    };
    let wide_lines = line(1) + &line(2);
    for (name, text, rows, words) in [
        (
            "row.csv",
            "name,time,value\na,2024-01-01,1\n",
            1,
            "rows = 1 ",
        ),
        (
            "series.csv",
            "time,value\n2024-01-01,1\n2024-01-02,2\n",
            2,
            "partition_key = [\"series\"]",
        ),
        (
            "untimed.csv",
            "id,size\n1,5\n2,5\n",
            2,
            "partition_key = [\"id\"]",
        ),
        (
            "zones.csv",
            "id,time\na,2024-01-01T00:00:00Z\na,2024-01-01T01:30:00+02:00\na,2024-01-01 09:00:00\n",
            3,
            "2 have a zone, and the other 1 are taken as UTC",
        ),
        (
            "nulls.csv",
            "id,gap\n1,\n2,\n",
            2,
            "no values, so that nothing tells its type",
        ),
        ("wide.csv", wide.as_str(), 2, "9500 of all 10000 columns"),
        (
            "wide.jsonl",
            wide_lines.as_str(),
            2,
            "9500 of all 10000 columns",
        ),
        ("row.jsonl", "{\"id\":1}\n", 1, "rows = 1 "),
        (
            "nulls.jsonl",
            "{\"id\":1,\"gap\":null}\n{\"id\":2,\"gap\":null}\n",
            2,
            "no values",
        ),
    ] {
        says(&written(name, text, rows), &[words]);
    }
    let said = error("twice.csv", "a,b,A\nx,y,z\nu,v,w\n", &Asked::default());
    assert!(
        said.contains("columns 1 and 3 are both called `a`"),
        "{said}"
    );
    let said = error("same.jsonl", "{\"a\":1}\n{\"a\":1}\n", &Asked::default());
    assert!(said.contains("--key COLUMN"), "{said}");
}

#[test]
fn times_with_offsets_and_without_are_moments_of_one_column() {
    let text =
        "id,time\na,2024-01-01T00:00:00Z\na,2024-01-01T01:30:00+02:00\na,2024-01-01 09:00:00\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zones.csv");
    std::fs::write(&path, text).unwrap();
    let found = infer(&path, &Asked::default()).unwrap();
    let text = found.workload("zones.csv", &["memory".to_owned()], &[]);
    let workload = Workload::parse(&text, &folder.path().join("w.toml")).unwrap();
    let source = source::open(&workload, None).unwrap();
    let rows = source.read(0, 100).unwrap().next().unwrap().unwrap().rows;
    let times = rows.column_by_name("time").unwrap();
    let times = times.as_primitive::<TimestampMillisecondType>().values();
    // Midnight, half an hour before it, and nine hours after it.
    let midnight = 1_704_067_200_000;
    assert_eq!(
        times.to_vec(),
        [midnight, midnight - 1_800_000, midnight + 32_400_000]
    );
}

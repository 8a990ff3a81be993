//! Tests workloads that are written for files as other countries write them.

use crate::infer::{Asked, infer};
use crate::{DecimalMark, Result, ThousandsMark, Workload, Zone, source};

/// Writes the workload of a file, and loads all rows as it says; returns the text, and the rows.
fn loaded(name: &str, text: &str, asked: &Asked) -> Result<(String, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let found = infer(&path, asked)?;
    let text = found.workload(name, &["memory".to_owned()], &[]);
    let workload = Workload::parse(&text, &folder.path().join("w.toml"));
    let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut rows = 0;
    for batch in source::open(&workload, None)?.read(0, 100)? {
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

fn says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "`{line}` is not in: {text}");
    }
}

/// A file of two stations with semicolons, decimal commas and points before three digits.
fn of_stations() -> String {
    let mut text = "Station;Zeit;Temperatur;Energie;Anzahl\n".to_owned();
    for row in 0..40 {
        text.push_str(&format!(
            "{};{:02}.01.2024 00:00;{},{};1.{row:03},25;{}\n",
            ["Nord", "S\u{fc}d"][row % 2],
            1 + row / 2,
            row / 2,
            row % 10,
            if row % 3 == 0 { "1.500" } else { "70" }
        ));
    }
    text
}

#[test]
fn decimal_commas_are_found_and_said_in_the_workload() {
    let text = written("stationen.csv", &of_stations(), 40);
    says(
        &text,
        &[
            "delimiter = \";\"",
            "decimal = \",\" # as `0,0` of `temperatur` in line 2 has one; points and spaces may be before three digits",
            "temperatur = \"double\" # numbers with a decimal comma",
            "energie = \"double\" # numbers with a decimal comma",
            "anzahl = \"int\" # whole numbers of 32 bits, from 70 to 1500",
            "avg(temperatur) AS avg_temperatur",
        ],
    );
    assert!(!text.contains("bad_rows"), "{text}");
    // The first row is told from names, and the comma from what separates fields.
    let stations = of_stations();
    let (_, rows) = stations.split_once('\n').unwrap();
    let text = written("ohne.csv", rows, 40);
    says(
        &text,
        &["header = false", "decimal = \",\"", "c_3 = \"double\""],
    );
    let tabs = written("x.tsv", &of_stations().replace(';', "\t"), 40);
    says(&tabs, &["decimal = \",\"", "anzahl = \"int\""]);
}

#[test]
fn numbers_in_lines_of_json_have_a_point_unless_a_comma_is_said() {
    let mut lines = String::new();
    for row in 0..40 {
        let room = ["a", "b"][row % 2];
        let weight = ["1.500", "70"][row / 2 % 2];
        lines.push_str(&format!(
            "{{\"room\":\"{room}\",\"time\":\"2024-01-{:02}\",\"size\":\"{row},5\",\"weight\":{weight}}}\n",
            1 + row / 2
        ));
    }
    let text = written("x.jsonl", &lines, 40);
    assert!(!text.contains("decimal = "), "{text}");
    says(&text, &["size = \"text\"", "weight = \"double\""]);
}

#[test]
fn decimal_commas_are_not_taken_for_granted() {
    // Another column has points, so that nothing is certain until it is said.
    let mixed = of_stations().replace(";70\n", ";70.5\n");
    let text = written("mixed.csv", &mixed, 40);
    assert!(!text.contains("decimal = "), "{text}");
    says(
        &text,
        &["temperatur = \"text\" # numbers with a decimal comma, beside others"],
    );
    let said = |mark: DecimalMark| Asked {
        decimal: Some(mark),
        ..Asked::default()
    };
    let (text, rows) = loaded("mixed.csv", &mixed, &said(DecimalMark::Comma)).unwrap();
    assert_eq!(rows, 40);
    says(
        &text,
        &[
            "decimal = \",\" # as --decimal says",
            "temperatur = \"double\"",
            "anzahl = \"text\" # ",
        ],
    );
    let (text, rows) = loaded("x.csv", &of_stations(), &said(DecimalMark::Point)).unwrap();
    assert_eq!(rows, 40);
    assert!(!text.contains("decimal = "), "{text}");
    says(&text, &["temperatur = \"text\""]);
}

/// A file of visitors of two places, whose numbers have this before each three digits, with this between its fields.
fn of_visitors(mark: &str, delimiter: &str) -> String {
    let mut text = "place,time,visitors,share\n".replace(',', delimiter);
    for row in 0..40 {
        let visitors = row * 317;
        let visitors = match visitors {
            ..1_000 => visitors.to_string(),
            _ => format!("{}{mark}{:03}", visitors / 1_000, visitors % 1_000),
        };
        let quote = if mark == delimiter { "\"" } else { "" };
        let fields = [
            ["north", "south"][row % 2].to_owned(),
            format!("2024-01-{:02}", 1 + row / 2),
            format!("{quote}{visitors}{quote}"),
            format!("{row}.5"),
        ];
        text.push_str(&fields.join(delimiter));
        text.push('\n');
    }
    text
}

#[test]
fn marks_before_each_three_digits_are_found_and_said_in_the_workload() {
    for (mark, delimiter, name, shown, described) in [
        (",", ",", "x.csv", ",", "commas"),
        (" ", ";", "x.csv", " ", "spaces"),
        ("\u{202f}", ",", "x.csv", " ", "spaces"),
        ("'", "\t", "x.tsv", "'", "apostrophes"),
        ("\u{2019}", ",", "x.csv", "'", "apostrophes"),
    ] {
        let text = written(name, &of_visitors(mark, delimiter), 40);
        let first = format!(
            "thousands = \"{shown}\" # before each three digits, as `1{mark}268` of `visitors` in line 6 has"
        );
        let kind = format!(
            "visitors = \"int\" # whole numbers of 32 bits, from 0 to 12363, with {described} before each three digits"
        );
        says(&text, &[&first, &kind, "share = \"double\""]);
        assert!(
            !text.contains("[data.signs]") && !text.contains("bad_rows"),
            "{text}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, of_visitors(",", ",")).unwrap();
    let found = infer(&path, &Asked::default()).unwrap();
    let note = "numbers of this file have commas before each three digits, as `1,268` of `visitors` in line 6 has; if \
                they are decimal ones, say --decimal ,";
    assert!(
        found.notes.iter().any(|found| found == note),
        "{:?}",
        found.notes
    );
}

#[test]
fn marks_before_each_three_digits_are_not_taken_for_granted() {
    // Between other fields a comma may as well be before decimals.
    let open = of_visitors(",", ";").replace(".5\n", "\n");
    let text = written("open.csv", &open, 40);
    assert!(!text.contains("thousands = "), "{text}");
    says(
        &text,
        &[
            "visitors = \"text\" # numbers with a comma or point before each three digits, or a decimal one",
        ],
    );
    let thousands = |mark: ThousandsMark| Asked {
        thousands: Some(mark),
        ..Asked::default()
    };
    let with_point = Asked {
        decimal: Some(DecimalMark::Point),
        ..Asked::default()
    };
    // In quotes they may be decimals with three digits, too, unless shorter numbers have none.
    let short = ["\"0\"", "\"317\"", "\"634\"", "\"951\""];
    let quoted = { short.iter() }.fold(of_visitors(",", ","), |text, number| {
        text.replace(number, "\"1,268\"")
    });
    let text = written("quoted.csv", &quoted, 40);
    assert!(!text.contains("thousands = "), "{text}");
    let both = "if commas are before three digits, --thousands , says so, or [data.signs] with a unit; if they are \
                before decimals, --decimal , does";
    says(&text, &["visitors = \"text\" # ", both]);
    // Another column shows what they are.
    let beside = quoted.replace(".5\n", ",\"1,234,567\"\n");
    let beside = beside.replace("share\n", "share,total\n");
    let text = written("beside.csv", &beside, 40);
    let first =
        "thousands = \",\" # before each three digits, as `1,234,567` of `total` in line 2 has";
    says(&text, &[first, "visitors = \"int\"", "total = \"int\""]);
    let lacking = beside.replacen("\"1,268\"", "3500", 1);
    let text = written("lacking.csv", &lacking, 40);
    assert!(!text.contains("thousands = "), "{text}");
    says(
        &text,
        &["visitors = \"text\"", "total = \"int\"", "total = \",\""],
    );
    for asked in [thousands(ThousandsMark::Comma), with_point] {
        let (text, rows) = loaded("open.csv", &open, &asked).unwrap();
        assert_eq!(rows, 40);
        says(&text, &["thousands = \",\" # ", "visitors = \"int\""]);
    }
    // A comma that is before decimals somewhere is none, and neither is one that a number of four digits lacks.
    for (from, to) in [("\"1,268\"", "\"1,5\""), ("\"1,268\"", "1268")] {
        let other = of_visitors(",", ",").replace(from, to);
        let text = written("other.csv", &other, 40);
        assert!(!text.contains("thousands = "), "{text}");
        says(&text, &["visitors = \"text\""]);
    }
    // Neither is one that is before decimals in another column.
    let mixed = of_visitors(",", ",").replace(".5\n", ",\"1,5\"\n");
    let mixed = mixed.replace("share\n", "share,rate\n");
    let text = written("mixed.csv", &mixed, 40);
    assert!(
        !text.contains("thousands = ") && !text.contains("decimal = "),
        "{text}"
    );
    says(&text, &["visitors = \"text\"", "rate = \"text\""]);
    // With another mark in another column nothing is certain until one is said.
    let two = of_visitors("'", ",").replace(",0.5\n", ",5\n");
    let two = two.replace(".5\n", " 000\n");
    let text = written("two.csv", &two, 40);
    assert!(!text.contains("thousands = "), "{text}");
    says(
        &text,
        &["visitors = \"text\" # numbers with apostrophes before each three digits"],
    );
    let (text, _) = loaded("two.csv", &two, &thousands(ThousandsMark::Apostrophe)).unwrap();
    says(
        &text,
        &[
            "thousands = \"'\" # before each three digits, as --thousands says",
            "visitors = \"int\"",
        ],
    );
    let error = loaded("x.csv", &open, &thousands(ThousandsMark::Point))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("--thousands .: numbers have a decimal point"),
        "{error}"
    );
    // Points before three digits leave a comma for decimals.
    let points = of_visitors(".", ";")
        .replace("1.268", "1.268.000")
        .replace(".5\n", "\n");
    let text = written("points.csv", &points, 40);
    let why = "decimal = \",\" # since the points of `1.268.000` of `visitors` in line 6 are before three digits";
    says(
        &text,
        &[
            why,
            "visitors = \"int\" # whole numbers of 32 bits, from 0 to 1268000",
        ],
    );
    let both = Asked {
        decimal: Some(DecimalMark::Comma),
        ..thousands(ThousandsMark::Point)
    };
    let (text, rows) = loaded("points.csv", &points, &both).unwrap();
    assert_eq!(rows, 40);
    says(
        &text,
        &[
            "decimal = \",\" # as --decimal says\n",
            "thousands = \".\" # before each three digits, as --thousands says",
        ],
    );
}

/// A file of one meter whose clock is that of Berlin, each half an hour over the day on which clocks are put back, with
/// one time that there was never.
fn of_a_meter() -> String {
    let mut text = "meter,time,energy\na,2024-03-31 02:30:00,0.5\n".to_owned();
    let mut add = |day: u32, half_hours: std::ops::Range<u32>| {
        for half in half_hours {
            text.push_str(&format!(
                "a,2024-10-{day} {:02}:{:02}:00,{half}.25\n",
                half / 2,
                half % 2 * 30
            ));
        }
    };
    for day in 20..27 {
        add(day, 0..48);
    }
    // From two to three in the night twice.
    add(27, 0..6);
    add(27, 4..48);
    text
}

#[test]
fn times_of_a_zone_are_counted_that_clocks_show_twice_or_never() {
    let asked = Asked {
        zone: Some(Zone::parse("Europe/Berlin").unwrap()),
        ..Asked::default()
    };
    let rows = 1 + 7 * 48 + 50;
    let (text, loaded_rows) = loaded("meter.csv", &of_a_meter(), &asked).unwrap();
    assert_eq!(loaded_rows, rows - 1 - 2, "{text}");
    says(
        &text,
        &[
            "zone = \"Europe/Berlin\" # of times that say no offset from UTC",
            "time = \"timestamp\" # times as ISO 8601 has them, those of Europe/Berlin; 4 times in an hour \
             that its clocks show twice, taken as the first one; 1 time in an hour that its clocks skip, and so none",
            "# 2 of 387 rows have a key that an earlier row has.",
            "# 1 of 387 rows does not fit, or lacks its key.",
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meter.csv");
    std::fs::write(&path, of_a_meter()).unwrap();
    let found = infer(&path, &asked).unwrap();
    let noted = { found.notes.iter() }.any(|note| note.contains("its clocks show twice"));
    assert!(noted, "{:?}", found.notes);
    // 2024-10-19T22:00:00Z, and 2024-10-27T22:30:00Z
    let (first, last) = (1_729_375_200_000, 1_730_068_200_000);
    assert_eq!(found.span, Some(first..last + 1));
    let text = written("meter.csv", &of_a_meter(), rows - 2);
    assert!(!text.contains("zone = "), "{text}");
}

#[test]
fn few_times_that_clocks_skip_are_bad_rows_of_a_short_file_and_many_make_a_text_that_says_why() {
    let asked = Asked {
        zone: Some(Zone::parse("Europe/Berlin").unwrap()),
        ..Asked::default()
    };
    let short =
        "meter,time,energy\na,2024-03-31 01:30,1\na,2024-03-31 02:30,2\na,2024-03-31 03:30,3\n";
    let (text, rows) = loaded("short.csv", short, &asked).unwrap();
    assert_eq!(rows, 2, "{text}");
    says(
        &text,
        &[
            "time = \"timestamp\" # times as ISO 8601 has them, those of Europe/Berlin; 1 time in an hour that its \
             clocks skip",
            "# 1 of 3 rows does not fit, or lacks its key.",
            "bad_rows = \"35%\"",
        ],
    );
    let skipped = "meter,time,energy\na,31.03.2024 02:10,1\na,31.03.2024 02:30,2\n";
    let (text, rows) = loaded("skipped.csv", skipped, &asked).unwrap();
    assert_eq!(rows, 2, "{text}");
    let why = "2 of 2 times are in an hour that the clocks of Europe/Berlin skip, and so they are text: correct them, \
               or name the zone of the clocks that showed them, such as --zone Etc/GMT-1";
    says(&text, &[&format!("time = \"text\" # {why}")]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("skipped.csv");
    std::fs::write(&path, skipped).unwrap();
    let found = infer(&path, &asked).unwrap();
    let note = format!("column `time`: {why}");
    assert!(
        found.notes.iter().any(|found| found.starts_with(&note)),
        "{:?}",
        found.notes
    );
    let form = crate::TimeFormat::parse("%d.%m.%Y %H:%M").unwrap();
    let said = Asked {
        formats: vec![("time".to_owned(), form)],
        ..asked
    };
    let error = loaded("skipped.csv", skipped, &said)
        .unwrap_err()
        .to_string();
    let begin = "--time-format time=%d.%m.%Y %H:%M: 2 of 2 times are in an hour";
    assert!(error.contains(begin), "{error}");
}

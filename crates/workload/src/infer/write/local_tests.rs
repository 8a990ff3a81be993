//! Tests workloads that are written for files as other countries write them.

use crate::infer::{Asked, infer};
use crate::{DecimalMark, Result, Workload, Zone, source};

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
    assert_eq!(loaded_rows, rows - 1, "{text}");
    says(
        &text,
        &[
            "zone = \"Europe/Berlin\" # of times that say no offset from UTC",
            "time = \"timestamp\" # times as ISO 8601 has them, those of Europe/Berlin; 4 times in an hour \
             that its clocks show twice, taken as the first one; 1 time in an hour that its clocks skip, and so none",
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
    let text = written("meter.csv", &of_a_meter(), rows);
    assert!(!text.contains("zone = "), "{text}");
}

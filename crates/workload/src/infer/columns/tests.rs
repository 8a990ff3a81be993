//! Tests what all columns of a file together say of its numbers.

use crate::infer::{Asked, Inferred, infer};
use crate::{ColumnType, TimeFormat};

fn inferred(text: &str) -> Inferred {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, text).unwrap();
    infer(&path, &Asked::default()).unwrap()
}

/// A file of amounts whose points have three digits behind them, beside prices.
fn amounts(prices: [&str; 3]) -> String {
    let mut text = "item;day;price;amount\n".to_owned();
    let rows = prices.iter().zip(["2.100", "1.950", "12.400"]).enumerate();
    for (row, (price, amount)) in rows {
        text.push_str(&format!("a;0{}.03.2024;{price};{amount}\n", row + 1));
    }
    text
}

#[test]
fn times_with_offsets_are_said_to_be_in_utc() {
    let row = |row: usize| {
        let (month, offset) = [(1, "+01:00"), (7, "+02:00")][row % 2];
        let day = 1 + row / 2;
        format!(
            "r{},2014-{month:02}-{day:02}T01:00:00{offset},{row}\n",
            row % 4
        )
    };
    let rows: String = (0..40).map(row).collect();
    let text = format!("turbine,date_time,power\n{rows}");
    let days = "days and months of questions are in UTC: `date_time AT TIME ZONE 'Europe/Berlin'`, or another zone, \
                makes them local";
    let told = format!("offsets +01:00 and +02:00; {days}");
    let found = inferred(&text);
    let notes: Vec<&String> = { found.notes.iter() }
        .filter(|note| note.contains("offsets"))
        .collect();
    assert_eq!(notes, [&format!("column `date_time`: {told}")]);
    let evidence = "times as ISO 8601 has them; offsets +01:00 and +02:00; 40 different";
    let written = found.workload("x.csv", &["memory".to_owned()], &[]);
    let comments = format!("date_time = \"timestamp\" # {evidence}\n# {days}\n");
    assert!(written.contains(&comments), "{written}");
    for utc in ["Z", "+00:00", ""] {
        let text = text.replace("+01:00", utc).replace("+02:00", utc);
        let found = inferred(&text);
        assert!(
            !found.notes.iter().any(|note| note.contains("offsets")),
            "{:?}",
            found.notes
        );
    }
}

#[test]
fn days_that_are_not_the_time_of_the_rows_say_that_they_may_be_dates() {
    let row = |row: u32| {
        let (hour, day) = (row % 24, 1 + row / 24);
        let room = ["a", "b"][hour as usize % 2];
        format!(
            "{room},2024-02-{day:02}T{hour:02}:00:00,2024-03-{day:02},2024-03-{day:02}T00:00:00\n"
        )
    };
    let rows: String = (0..48).map(row).collect();
    let found = inferred(&format!("room,time,leaves,returns\n{rows}"));
    let days: Vec<&str> = { found.columns.iter() }
        .filter(|column| column.days.is_some())
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(days, ["leaves"]);
    let written = found.workload("x.csv", &["memory".to_owned()], &[]);
    let comment = "\n# days: `date` instead takes 4 bytes, not 8; they are `timestamp` since";
    assert!(written.contains(comment), "{written}");
    // Days by which rows are ordered are no dates.
    let rows: String = (1..=28)
        .map(|day| format!("a,2024-02-{day:02},{day}\n"))
        .collect();
    let found = inferred(&format!("room,day,heat\n{rows}"));
    assert!(found.columns.iter().all(|column| column.days.is_none()));
}

fn kinds(found: &Inferred) -> Vec<ColumnType> {
    let is_number = |name: &str| matches!(name, "price" | "amount");
    let numbers = { found.columns.iter() }.filter(|column| is_number(&column.name));
    numbers.map(|column| column.kind).collect()
}

#[test]
fn a_point_that_one_column_shows_before_thousands_is_so_in_all() {
    use ColumnType::{Double, Int, Text};
    // Also where it is not the first number that shows it.
    for prices in [
        ["1.234,50", "999,00", "12.500,00"],
        ["0,99", "1.100,00", "5,00"],
    ] {
        let found = inferred(&amounts(prices));
        assert_eq!(kinds(&found), [Double, Int], "{:?}", found.notes);
        assert!(found.decimal_comma.is_some());
    }
    let says = |found: &Inferred| {
        let note = "`amount`: each number has a point and three digits behind it";
        let mut notes = found.notes.iter();
        notes.any(|told| told.starts_with(note) && told.contains("--decimal ,"))
    };
    // A comma alone says nothing of points, and neither do semicolons; but both make them doubtful.
    let found = inferred(&amounts(["0,99", "1,50", "5,00"]));
    assert_eq!(kinds(&found), [Text, Double]);
    assert!(says(&found), "{:?}", found.notes);
    let found = inferred(&amounts(["1", "2", "5"]));
    assert_eq!(kinds(&found), [Int, Double]);
    assert!(says(&found), "{:?}", found.notes);
    let found = inferred(&amounts(["1", "2", "5"]).replace(';', ","));
    assert_eq!(kinds(&found), [Int, Double]);
    assert!(!says(&found), "{:?}", found.notes);
    // Other points are decimal ones beyond doubt, so that the file has no one mark.
    let found = inferred(&amounts(["1.234,50", "999,00", "0,99"]).replace("1.950", "1.95"));
    assert_eq!(kinds(&found), [Text, Double]);
    assert!(!says(&found), "{:?}", found.notes);
}

#[test]
fn years_of_two_digits_are_told_with_the_form_that_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, "host,time,v\nh0,13.02.70,0\nh1,14.02.68,1\n").unwrap();
    let with_form = |form: &str| {
        let asked = Asked {
            formats: vec![("time".to_owned(), TimeFormat::parse(form).unwrap())],
            ..Asked::default()
        };
        infer(&path, &asked).map_err(|error| error.to_string())
    };
    let error = with_form("%d.%m.%Y").unwrap_err();
    let words = "`13.02.70` in line 2 has a year of two digits, for which it is %d.%m.%y";
    assert!(error.contains(words), "{error}");
    let error = with_form("%d/%m/%Y").unwrap_err();
    assert!(error.contains("values have this form"), "{error}");
    let found = with_form("%d.%m.%y").unwrap();
    assert_eq!(found.time.as_deref(), Some("time"));
}

use super::*;

fn inferred(name: &str, text: &str, asked: &Asked) -> Inferred {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    infer(&path, asked).unwrap()
}

#[test]
fn a_time_that_many_rows_lack_is_in_no_key_that_can_do_without_it() {
    let text = "id,day,size\n1,2024-01-01,5\n2,,5\n3,,6\n4,2024-01-02,7\n";
    let found = inferred("parts.csv", text, &Asked::default());
    assert_eq!(found.partition_key, ["id"]);
    assert_eq!(
        (found.order_key.len(), found.time, found.bad_rows),
        (0, None, 0)
    );
    let asked = Asked {
        time: Some("day".to_owned()),
        ..Asked::default()
    };
    let found = inferred("parts.csv", text, &asked);
    assert_eq!((found.time.as_deref(), found.bad_rows), (Some("day"), 2));
}

#[test]
fn a_name_in_plain_letters_belongs_to_the_column_that_has_it() {
    let text = "Stra\u{df}e,strasse,Zeit \u{e4},zeit_a\na,x,01-02-2024,2024-03-01\nb,x,02-02-2024,2024-03-02\n";
    let asked = Asked {
        key: vec!["strasse".to_owned()],
        time: Some("zeit_a".to_owned()),
        formats: vec![("zeit_a".to_owned(), TimeFormat::parse("%Y-%m-%d").unwrap())],
        ..Asked::default()
    };
    let found = inferred("x.csv", text, &asked);
    assert_eq!(found.fields, ["strasse_2", "strasse", "zeit_a_2", "zeit_a"]);
    let from: Vec<Option<&str>> = { found.columns.iter() }
        .map(|column| column.from.as_deref())
        .collect();
    assert_eq!(from, [Some("Stra\u{df}e"), None, Some("Zeit \u{e4}"), None]);
    assert_eq!(
        (found.partition_key, found.series),
        (vec!["strasse".to_owned()], 1)
    );
    assert_eq!(found.time.as_deref(), Some("zeit_a"));
    let note = "`Stra\u{df}e` is `strasse_2`, `Zeit \u{e4}` is `zeit_a_2`, since";
    assert!(found.notes[0].starts_with(note), "{:?}", found.notes);
}

fn error(text: &str, asked: &Asked) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, text).unwrap();
    infer(&path, asked).unwrap_err().to_string()
}

#[test]
fn times_that_need_their_form_are_named_with_it_in_the_first_error() {
    let text = "taken,value\n13-02-2024 14:30,1\n13-02-2024 14:30,1\n";
    let option = "--time-format 'taken=%d-%m-%Y %H:%M' says so";
    let first = error(text, &Asked::default());
    assert!(first.contains("no column is a time"), "{first}");
    assert!(first.contains(option), "{first}");
    let of_time = Asked {
        time: Some("taken".to_owned()),
        ..Asked::default()
    };
    let second = error(text, &of_time);
    assert!(
        second.contains("--time taken: text; if values such as"),
        "{second}"
    );
    assert!(second.contains(option), "{second}");
    let said = Asked {
        formats: vec![(
            "taken".to_owned(),
            TimeFormat::parse("%d-%m-%Y %H:%M").unwrap(),
        )],
        ..Asked::default()
    };
    let found = inferred("x.csv", text, &said);
    assert_eq!(found.time.as_deref(), Some("taken"));
    // Where something else tells rows apart, a note names it.
    let keyed = "id,taken\n1,13-02-2024 14:30\n2,13-02-2024 14:30\n";
    let found = inferred("x.csv", keyed, &Asked::default());
    assert_eq!(found.partition_key, ["id"]);
    let noted = { found.notes.iter() }.any(|note| note.contains(option));
    assert!(noted, "{:?}", found.notes);
    // No form of a time has the names of months in other languages.
    let german = "date,value\n13. Februar 2024,1\n13. Februar 2024,1\n";
    let first = error(german, &Asked::default());
    let like = "if `13. Februar 2024` of `date` in line 2 is a time, --time-format 'date=%d.%m.%Y %H:%M' or the like";
    assert!(first.contains(like), "{first}");
    let none = error("a,b\nx,y\nx,y\n", &Asked::default());
    assert!(!none.contains("--time-format"), "{none}");
}

#[test]
fn a_file_of_one_column_says_how_to_divide_its_lines() {
    let found = inferred("one.csv", "note\nrain\nno sun\n", &Asked::default());
    let option = "--delimiter spaces";
    assert!(found.notes[0].contains(option), "{:?}", found.notes);
}

#[test]
fn a_time_and_a_number_with_a_space_between_them_are_two_columns() {
    let rows = "2026-03-01T00:00:00 11.819\n2026-03-01T00:01:00 11.9\n2026-03-01T00:02:00 12\n";
    for (head, columns) in [
        ("", ["series", "c_1", "c_2"]),
        ("time value\n", ["series", "time", "value"]),
    ] {
        let found = inferred("x.txt", &format!("{head}{rows}"), &Asked::default());
        let names: Vec<&str> = { found.columns.iter() }
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!((&names[..], found.rows), (&columns[..], 3));
        let kinds: Vec<ColumnType> = found.columns.iter().map(|column| column.kind).collect();
        assert_eq!(kinds[1..], [ColumnType::Timestamp, ColumnType::Double]);
        assert_eq!(found.order_key, columns[1..2]);
    }
}

#[test]
fn spaces_before_some_quotes_are_told_and_before_all_are_left_out() {
    let workload = |text: &str| {
        let found = inferred("people.csv", text, &Asked::default());
        let text = found.workload("people.csv", &["memory".to_owned()], &[]);
        (found, text)
    };
    let some = "Name,  Country, Size\nAnn,  \"JAM\", 5\nBob,\"USA\", 7\n";
    let (found, text) = workload(some);
    let note = "column `country`: 1 values have spaces before their quotes";
    assert!(found.notes[0].starts_with(note), "{:?}", found.notes);
    assert!(
        text.contains("1 keep the spaces before their quotes, and the quotes"),
        "{text}"
    );
    let all = "Name,  Country, Size\n\"Ann\",  \"JAM, KGN\", 5\n\"Bob\",  \"USA\", 7\n";
    let (found, text) = workload(all);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    assert_eq!((found.rows, found.bad_rows), (2, 0));
    assert!(
        text.contains("# Spaces around the quotes of a field are no part of it."),
        "{text}"
    );
    let plain = "Name,Country,Size\n\"Ann\",\"JAM\",5\n\"Bob\",\"USA\",7\n";
    let (found, text) = workload(plain);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    assert!(!text.contains("Spaces around"), "{text}");
}

#[test]
fn what_separates_fields_is_found_between_quotes_after_spaces() {
    let text = "name; note; size\n\"Ann\"; \"x; y\"; 5\n\"Bob\"; \"z\"; 7\n";
    let found = inferred("people.csv", text, &Asked::default());
    assert_eq!((found.delimiter, found.columns.len()), (Some(b';'), 3));
    assert_eq!((found.rows, found.bad_rows), (2, 0));
}

#[test]
fn lines_that_are_skipped_are_told() {
    let text = "title\nroom,time,heat\n-,[s],[K]\na,1,2.5\na,2,2.5\nb,3,2.5\n";
    let found = inferred("rooms.csv", text, &Asked::default());
    assert_eq!((found.skip_lines, found.lines_after_names), (1, 1));
    let (title, units) = (&found.notes[0], &found.notes[1]);
    assert!(title.starts_with("the first line is skipped"), "{title}");
    assert!(units.contains("since it has units"), "{units}");
    let asked = Asked {
        skip_lines: Some(1),
        ..Asked::default()
    };
    let found = inferred("rooms.csv", text, &asked);
    let is_title = |note: &String| note.contains("title");
    assert!(!found.notes.iter().any(is_title), "{:?}", found.notes);
}

#[test]
fn columns_of_the_same_name_can_be_numbered() {
    let asked = Asked {
        header: Some(false),
        skip_lines: Some(1),
        ..Asked::default()
    };
    let found = inferred("twice.csv", "a,b,A\nx,y,z\nu,v,w\n", &asked);
    let names: Vec<&str> = { found.columns.iter() }
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!((names, found.rows), (vec!["c_1", "c_2", "c_3"], 2));
}

#[test]
fn questions_name_the_whole_partition_key() {
    let asked = Asked {
        key: vec!["source".to_owned(), "target".to_owned()],
        ..Asked::default()
    };
    let workload = |text: &str| {
        let found = inferred("routes.csv", text, &asked);
        found.workload("routes.csv", &["memory".to_owned()], &[])
    };
    let mut sparse = "source,target,value\n".to_owned();
    let mut dense = "source,target,value\n".to_owned();
    let mut timed = "source,target,time\n".to_owned();
    for row in 0..40 {
        sparse.push_str(&format!("s{},t{},5\n", row % 20, row / 2));
        dense.push_str(&format!("s{},t{},5\n", row % 4, row / 4 % 5));
        let minute = row % 60;
        timed.push_str(&format!(
            "s{},t{},2024-01-01 00:{minute:02}\n",
            row % 20,
            row / 2
        ));
    }
    for text in [sparse, dense] {
        let text = workload(&text);
        assert!(
            text.contains("WHERE source = ${source} AND target = ${target}\""),
            "{text}"
        );
    }
    // Of two columns that are drawn, no row would have both.
    let text = workload(&timed);
    assert!(
        text.contains("SELECT max(time) AS newest FROM routes\""),
        "{text}"
    );
    assert!(!text.contains("source = $"), "{text}");
}

#[test]
fn questions_are_about_measured_numbers_rather_than_years_and_groups() {
    let mut text = "place,year,age,size,value\n".to_owned();
    for row in 0..40 {
        let (place, year, size, value) = (row % 4, 2000 + row / 4, row % 3, row / 2 * 7);
        text.push_str(&format!("p{place},{year},{row},{size},{value}\n"));
    }
    let asked = Asked {
        key: vec!["place".to_owned()],
        ..Asked::default()
    };
    let found = inferred("people.csv", &text, &asked);
    let text = found.workload("people.csv", &["memory".to_owned()], &[]);
    assert!(text.contains("max(value) AS max_value"), "{text}");
    assert!(text.contains("WHERE value > "), "{text}");
}

#[test]
fn nan_is_a_missing_value_unless_the_words_for_null_are_said_without_it() {
    let mut text = "name,time,value\n".to_owned();
    for (row, value) in ["1.5", "NaN", "nan", "2.5", "NAN", "NA", "NaN"]
        .iter()
        .enumerate()
    {
        text.push_str(&format!("a,2024-01-{:02},{value}\n", row + 1));
    }
    let found = inferred("x.csv", &text, &Asked::default());
    let value = &found.columns[2];
    assert_eq!((value.kind, value.distinct), (ColumnType::Double, 2));
    let is_told = |note: &String| note.starts_with("1 `NAN`, 2 `NaN`, 1 `nan`: read as null");
    assert!(found.notes.iter().any(is_told), "{:?}", found.notes);
    let written = found.workload("x.csv", &["memory".to_owned()], &[]);
    assert!(
        written.contains("null = [\"NA\", \"NAN\", \"NaN\", \"nan\"] # 1 `NA`, 1 `NAN`, 2 `NaN`, 1 `nan`; without NaN"),
        "{written}"
    );
    let asked = Asked {
        null: Some(vec!["NA".to_owned()]),
        ..Asked::default()
    };
    let found = inferred("x.csv", &text, &asked);
    assert_eq!(found.columns[2].kind, ColumnType::Double);
    assert_eq!(found.null, [("NA".to_owned(), 1)]);
    assert!(!found.notes.iter().any(is_told), "{:?}", found.notes);
}

#[test]
fn a_date_and_a_time_of_day_order_one_series() {
    let mut german = "Datum;Zeit;Wert\n".to_owned();
    let mut american = "Date (MM/DD/YYYY),Time (HH:MM),Sun\n".to_owned();
    for row in 0..72 {
        let (day, hour) = (13 + row / 24, row % 24);
        german.push_str(&format!("{day}.01.2024;{hour:02}:00;{row},5\n"));
        american.push_str(&format!("01/{day}/2024,{:02}:00,{}.5\n", hour + 1, row % 7));
    }
    for (name, text, order) in [
        ("a.csv", german, ["datum", "zeit"]),
        ("b.csv", american, ["date_mm_dd_yyyy", "time_hh_mm"]),
    ] {
        // Unless they are said to be no time together.
        let asked = Asked {
            time: Some(order[0].to_owned()),
            ..Asked::default()
        };
        let found = inferred(name, &text, &asked);
        assert_eq!(
            (&found.partition_key[..], found.repeated),
            (&["series".to_owned()][..], 0.0)
        );
        assert_eq!(found.order_key, order);
        let note = format!(
            "`{}`, as a part of the time, orders rows behind `{}`",
            order[1], order[0]
        );
        let is_told = |told: &String| told.starts_with(&note);
        assert!(found.notes.iter().any(is_told), "{:?}", found.notes);
        let text = found.workload(name, &["memory".to_owned()], &[]);
        assert!(text.contains("[data.constant]\nseries = \"all\""), "{text}");
    }
}

#[test]
fn a_text_that_changes_with_the_days_is_no_series() {
    let mut text = "date,precipitation,temp_max,weather\n".to_owned();
    for day in 0..56 {
        let (month, day_of_month) = (1 + day / 28, 1 + day % 28);
        let weather = ["rain", "sun", "fog", "snow", "drizzle"][day * day % 5];
        text.push_str(&format!(
            "2012-{month:02}-{day_of_month:02},{}.5,{day}.1,{weather}\n",
            day % 9
        ));
    }
    let found = inferred("weather.csv", &text, &Asked::default());
    assert_eq!(
        (found.partition_key, found.order_key),
        (vec!["series".to_owned()], vec!["date".to_owned()])
    );
}

#[test]
fn notes_name_the_option_for_times_without_a_year_and_since_1970() {
    let told = |name: &str, text: &str| inferred(name, text, &Asked::default()).notes.join("\n");
    let notes = told(
        "log.csv",
        "stamp,load\nMar 01 00:00:00,1.5\nMar 01 00:01:00,2.5\n",
    );
    assert!(
        notes.contains("--time-format 'stamp=%b %d %H:%M:%S of 2001'"),
        "{notes}"
    );
    let lines = "{\"t\":1700000000,\"v\":1.5}\n{\"t\":1700000060,\"v\":2.5}\n";
    let notes = told("x.jsonl", lines);
    assert!(
        notes.contains("column `t`: its numbers may be times since 1970 (s): --time t"),
        "{notes}"
    );
}

#[test]
fn a_file_is_as_long_as_its_times_unless_its_rows_go_on() {
    let row = |row: usize| {
        let name = ["a", "b"][row / 3];
        format!("{name},2024-01-01T0{}:00:00Z,{row}.5\n", row % 3)
    };
    let rows: String = (0..6).map(row).collect();
    let text = format!("name,time,value\n{rows}");
    let mut found = inferred("x.csv", &text, &Asked::default());
    assert_eq!(found.order_key, ["time"]);
    // The end is after the last time.
    assert_eq!(found.milliseconds_of_file(), Some(2 * 3_600_000 + 1));
    found.grown = Some(Grown {
        words: "three years".to_owned(),
        rows: 0,
    });
    assert_eq!(found.milliseconds_of_file(), None);
    found.grown = None;
    found.order_key = vec!["value".to_owned()];
    assert_eq!(found.milliseconds_of_file(), None);
}

use std::path::Path;

use crate::infer::{Asked, Inferred, infer};
use crate::{RowSource, Workload, source};

/// Infers a file, and checks that its workload reads as many rows of it as were found to be good.
fn inferred(name: &str, text: &str, asked: &Asked) -> (Inferred, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let found = infer(&path, asked).unwrap();
    let written = found.workload(&path.display().to_string(), &["memory".to_owned()], &[]);
    let workload = Workload::parse(&written, Path::new("w.toml"));
    let workload = workload.unwrap_or_else(|error| panic!("{error}\n{written}"));
    let rows: Box<dyn RowSource> =
        source::open(&workload, None).unwrap_or_else(|error| panic!("{error}\n{written}"));
    let batches = rows.read(0, 100).unwrap();
    let loaded: usize = batches.map(|batch| batch.unwrap().rows.num_rows()).sum();
    assert_eq!(loaded as u64, found.rows - found.bad_rows, "{written}");
    (found, written)
}

fn names(found: &Inferred) -> Vec<&str> {
    let columns = found.columns.iter();
    columns.map(|column| column.name.as_str()).collect()
}

/// Rows of two days, each hour one, in which these are what a form makes of day and hour.
fn rows(first: &str, row: impl Fn(usize, usize) -> String) -> String {
    let mut text = format!("{first}\n");
    for hour in 0..48 {
        text.push_str(&row(14 + hour / 24, hour % 24));
        text.push('\n');
    }
    text
}

#[test]
fn a_date_and_a_time_of_day_become_one_time() {
    for (name, text, join, format) in [
        (
            "air.csv",
            rows("Date;Time;CO", |day, hour| {
                format!("{day}/03/2004;{hour:02}.00.00;2,6")
            }),
            r#"["Date", "Time"]"#,
            "%d/%m/%Y %H.%M.%S",
        ),
        (
            "power.csv",
            rows("Date;Time;Power", |day, hour| {
                format!("{day}/12/2006;{hour:02}:24:00;4.216")
            }),
            r#"["Date", "Time"]"#,
            "%d/%m/%Y %H:%M:%S",
        ),
        (
            "ends.csv",
            rows("Date,Hour Of Day,Time (HH:MM),Sun", |day, hour| {
                format!("2024-01-{day},{hour},{}:00,1.5", hour + 1)
            }),
            r#"["Date", "Time (HH:MM)"]"#,
            "%Y-%m-%d %H:%M",
        ),
        (
            "hours.csv",
            rows("date,hr,count", |day, hour| {
                format!("2011-01-{day},{hour},{}", hour * 7)
            }),
            r#"["date", "hr"]"#,
            "%Y-%m-%d %H",
        ),
        (
            "extremes.csv",
            rows("date,hour,min,max", |day, hour| {
                format!("2011-01-{day},{hour},{},{}", hour + 3, hour + 9)
            }),
            r#"["date", "hour"]"#,
            "%Y-%m-%d %H",
        ),
        (
            "isd.csv",
            rows("Date,HrMn,Temp", |day, hour| {
                format!("201301{day},{},{hour}.5", hour * 100 + 5)
            }),
            r#"["Date", "HrMn"]"#,
            "%Y%m%d %H%M",
        ),
        (
            "half.csv",
            rows("Date,Time,Temp", |day, hour| {
                let half = if hour < 12 { "AM" } else { "PM" };
                format!("{day}.01.2013,{}:30 {half},{hour}.5", (hour + 11) % 12 + 1)
            }),
            r#"["Date", "Time"]"#,
            "%d.%m.%Y %I:%M %p",
        ),
        (
            "x.jsonl",
            rows("", |day, hour| {
                format!("{{\"Date\":\"{day}/03/2004\",\"Time\":\"{hour:02}:00\",\"v\":{hour}}}")
            }),
            r#"["Date", "Time"]"#,
            "%d/%m/%Y %H:%M",
        ),
    ] {
        let text = text.trim_start();
        let (found, written) = inferred(name, text, &Asked::default());
        assert_eq!(found.time.as_deref(), Some("date_time"), "{written}");
        assert_eq!((found.order_key.len(), found.repeated), (1, 0.0), "{name}");
        for words in [
            format!("[data.join]\ndate_time = {join}\n"),
            format!("date_time = \"{format}\"\n"),
            format!("together, times written as {format}; 48 different"),
        ] {
            assert!(written.contains(&words), "{words}: {written}");
        }
        let told =
            "together are the time `date_time`; if they are not that of the row, say --time ";
        assert!(
            found.notes.iter().any(|note| note.contains(told)),
            "{:?}",
            found.notes
        );
        assert!(!names(&found).contains(&"date"), "{written}");
    }
}

#[test]
fn years_months_and_days_become_one_time() {
    let flights = rows(
        "year,month,day,dep_time,arr_time,carrier,hour,minute",
        |day, hour| {
            format!(
                "2013,1,{day},{},{},UA,{hour},15",
                hour * 100 + 17,
                hour * 100 + 55
            )
        },
    );
    let (found, written) = inferred("flights.csv", &flights, &Asked::default());
    let join = "date_time = [\"year\", \"month\", \"day\", \"hour\", \"minute\"]\n";
    assert!(written.contains(join), "{written}");
    assert!(
        written.contains("date_time = \"%Y %m %d %H %M\"\n"),
        "{written}"
    );
    let told = "`year`, `month`, `day`, `hour` and `minute` together are the time `date_time`";
    assert!(
        found.notes.iter().any(|note| note.starts_with(told)),
        "{:?}",
        found.notes
    );
    let others = ["date_time", "dep_time", "arr_time", "carrier"];
    let own: Vec<&str> = { names(&found).into_iter() }
        .filter(|name| *name != "series")
        .collect();
    assert_eq!(own, others);
    // Of several times of day none is that of the row.
    let several = rows(
        "Year,Month,DayofMonth,DepTime,CRSDepTime,Tail",
        |day, hour| {
            format!(
                "2008,Jan,{day},{},{},N{hour}",
                hour * 100 + 17,
                hour * 100 + 15
            )
        },
    );
    let (_, written) = inferred("2008.csv", &several, &Asked::default());
    let join = "date_time = [\"Year\", \"Month\", \"DayofMonth\"]\n";
    assert!(written.contains(join), "{written}");
    assert!(written.contains("date_time = \"%Y %b %d\"\n"), "{written}");
}

#[test]
fn files_without_a_header_name_the_parts_by_their_fields() {
    let text = rows("", |day, hour| {
        format!("{day}/03/2004 {hour:02}:00:00 1.5 7")
    });
    let (found, written) = inferred("x.dat", text.trim_start(), &Asked::default());
    // Nothing but its name says whether a time of day is that of the row.
    assert_eq!(found.time.as_deref(), Some("c_1"), "{written}");
    let named = format!("Date Time a b{text}");
    let (_, written) = inferred("x.dat", &named, &Asked::default());
    assert!(
        written.contains("date_time = [\"Date\", \"Time\"]"),
        "{written}"
    );
}

#[test]
fn rows_that_lack_a_part_or_have_another_form_are_set_aside() {
    let mut text = "Date;Time;Value\n".to_owned();
    for row in 0..1_000 {
        let (day, hour) = (13 + row / 24 % 15, row % 24);
        let (month, year) = (1 + row / 360, 2004);
        text.push_str(&format!("{day}/{month:02}/{year};{hour:02}:00:00;{row}\n"));
    }
    let hostile = "16/05/2004;;1\n;10:00:00;2\nNA;10:00:00;3\n17/05/2004;NA;4\n2004-05-17;10:00:00;5\n\
        17/05/2004;24:00:00;6\n18/05/2004;24:30:00;7\n30/06/2015;23:59:60;8\n28/03/2004;02:30:00;9\n";
    let (found, written) = inferred("x.csv", &format!("{text}{hostile}"), &Asked::default());
    assert!(written.contains("[data.join]"), "{written}");
    // Four lack a part, one has another date, and one an hour beyond the end of the day.
    assert_eq!((found.rows, found.bad_rows), (1_009, 6), "{written}");
    assert!(written.contains("null = [\"NA\"]"), "{written}");
    // A zone by its letters is no time of day, so that nothing says how the parts are read.
    let summer = text.replace(":00:00;", ":00:00 CEST;");
    let (_, written) = inferred("x.csv", &summer, &Asked::default());
    assert!(!written.contains("[data.join]"), "{written}");
}

#[test]
fn what_may_be_something_else_is_not_put_together() {
    let asked = |time: Option<&str>, key: &[&str]| Asked {
        time: time.map(str::to_owned),
        key: key.iter().map(|name| (*name).to_owned()).collect(),
        ..Asked::default()
    };
    let usual = || {
        rows("Date,Time,v", |day, hour| {
            format!("2024-01-{day},{hour}:00,{hour}.5")
        })
    };
    for (text, asked) in [
        // Days that may be months.
        (
            rows("Date,Time,v", |day, hour| {
                format!("0{}/02/2024,{hour}:00,{hour}.5", day - 12)
            }),
            asked(None, &[]),
        ),
        // A time of its own.
        (
            rows("date,time,at", |day, hour| {
                format!("2024-01-{day},{hour}:00,2024-01-{day}T{hour:02}:00:00")
            }),
            asked(None, &[]),
        ),
        // Two times of day, and one that is not that of the row.
        (
            rows("date,time,clock", |day, hour| {
                format!("2024-01-{day},{hour}:00,{hour}:30")
            }),
            asked(None, &[]),
        ),
        (
            rows("date,sunrise,v", |day, hour| {
                format!("2024-01-{day},7:{:02},{hour}.5", hour + 10)
            }),
            asked(None, &[]),
        ),
        // Numbers that are no hours, or may be parts of some.
        (
            rows("date,hr,v", |day, hour| {
                format!("2024-01-{day},{},{hour}.5", 60 + hour)
            }),
            asked(None, &[]),
        ),
        (
            rows("date,time,v", |day, hour| {
                format!("2024-01-{day},{hour},{hour}.5")
            }),
            asked(None, &[]),
        ),
        // Years that are none, and days that no month has.
        (
            rows("year,month,day,v", |day, hour| format!("13,1,{day},{hour}")),
            asked(None, &["v"]),
        ),
        (
            rows("year,month,day,v", |day, hour| {
                format!("2013,2,{},{hour}", day + 15)
            }),
            asked(None, &["v"]),
        ),
        // What the user says.
        (usual(), asked(Some("Date"), &[])),
        (
            rows("Date,Time,number", |day, hour| {
                format!("2024-01-{day},{hour}:00,{}", day * 24 + hour)
            }),
            asked(Some("number"), &[]),
        ),
        (usual(), asked(None, &["time"])),
    ] {
        let (found, written) = inferred("x.csv", &text, &asked);
        assert!(!written.contains("[data.join]"), "{written}");
        let is_told = |note: &String| note.contains("together are the time");
        assert!(!found.notes.iter().any(is_told), "{:?}", found.notes);
    }
}

#[test]
fn the_time_that_is_put_together_can_be_named_as_the_time() {
    let text = rows("Date,Time,v", |day, hour| {
        format!("2024-01-{day},{hour}:00,{hour}.5")
    });
    let asked = Asked {
        time: Some("date_time".to_owned()),
        ..Asked::default()
    };
    let (found, written) = inferred("x.csv", &text, &asked);
    assert_eq!(found.time.as_deref(), Some("date_time"), "{written}");
}

#[test]
fn columns_that_questions_name_remain() {
    let text = rows("Date,Time,v", |day, hour| {
        format!("2024-01-{day},{hour}:00,{hour}.5")
    });
    let of = |named: &[&str]| {
        let asked = Asked {
            named: named.iter().map(|name| (*name).to_owned()).collect(),
            ..Asked::default()
        };
        let (found, written) = inferred("x.csv", &text, &asked);
        assert!(
            written.contains("date_time = [\"Date\", \"Time\"]"),
            "{written}"
        );
        let names: Vec<String> = names(&found).into_iter().map(str::to_owned).collect();
        names
            .into_iter()
            .filter(|name| name != "series")
            .collect::<Vec<String>>()
    };
    assert_eq!(of(&["v"]), ["date_time", "v"]);
    assert_eq!(of(&["v", "time"]), ["date_time", "time", "v"]);
    assert_eq!(of(&["date", "date_time"]), ["date_time", "date", "v"]);
}

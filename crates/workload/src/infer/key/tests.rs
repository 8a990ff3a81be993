use crate::infer::{Asked, Inferred, infer};

/// Trips whose ends have more different times than their begins, and half of which lack when they were paid.
fn trips() -> String {
    let rows = (0..12).map(|trip| {
        let (vendor, begin) = (trip % 2, trip / 2);
        let paid = if vendor == 0 {
            "2024-01-02T00:00:00"
        } else {
            ""
        };
        format!("{vendor},2024-01-01T10:{begin:02}:00,2024-01-01T11:{trip:02}:00,{paid},{trip}\n")
    });
    let rows: String = rows.collect();
    format!("vendor,begin_time,end_time,paid_time,number\n{rows}")
}

/// Returns what is found of a file if questions have these names and `--time` has that one.
fn found(text: &str, named: &str, time: Option<&str>) -> Inferred {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trips.csv");
    std::fs::write(&path, text).unwrap();
    let asked = Asked {
        named: named.split(',').map(str::to_owned).collect(),
        time: time.map(str::to_owned),
        ..Asked::default()
    };
    infer(&path, &asked).unwrap()
}

#[test]
fn the_only_one_of_several_times_that_questions_name_orders_rows() {
    let text = trips();
    let is_named = "; of the times, the only one that questions name";
    for (named, asked, time, is_told) in [
        ("begin_time,vendor", None, "begin_time", true),
        ("begin_time,paid_time", None, "begin_time", true),
        ("end_time", None, "end_time", true),
        ("number", None, "end_time", false),
        ("vendor,begin,begin_time_2", None, "end_time", false),
        ("begin_time,end_time", None, "end_time", false),
        // Half of the rows lack it.
        ("paid_time", None, "end_time", false),
        ("begin_time", Some("end_time"), "end_time", false),
    ] {
        let found = found(&text, named, asked);
        assert_eq!(found.time.as_deref(), Some(time), "{named}");
        for column in &found.columns {
            let is_expected = is_told && column.name == time;
            let evidence = &column.evidence;
            assert_eq!(evidence.contains(is_named), is_expected, "{evidence}");
        }
    }
}

#[test]
fn questions_may_name_a_time_as_the_file_does() {
    let text = trips().replace("begin_time", "Begin Time");
    let found = found(&text, "begin time", None);
    assert_eq!(found.time.as_deref(), Some("begin_time"));
}

#[test]
fn a_single_time_needs_no_question() {
    let text = trips().replace("begin_time,end_time", "begin_time,end_text");
    let text = text
        .replace("2024-01-01T11", "x")
        .replace("2024-01-02T00:00:00", "y");
    let found = found(&text, "begin_time", None);
    assert_eq!(found.time.as_deref(), Some("begin_time"));
    let mut columns = found.columns.iter();
    assert!(!columns.any(|column| column.evidence.contains("questions")));
}

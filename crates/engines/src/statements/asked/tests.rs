use bakeoff_workload::infer::{
    Asked, Declared, DeclaredColumn, DeclaredForm, Inferred, Origin, infer,
};

use super::*;

fn column(name: &str, kind: ColumnType) -> DeclaredColumn {
    DeclaredColumn {
        name: name.to_owned(),
        kind,
        form: DeclaredForm::Plain,
    }
}

/// A table whose rows are made.
fn made() -> Inferred {
    Inferred::declared(Declared {
        origin: Origin {
            table: "Readings".to_owned(),
            ..Origin::default()
        },
        columns: vec![
            column("The Room", ColumnType::Text),
            column("time", ColumnType::Timestamp),
            column("heat", ColumnType::Double),
        ],
        partition_key: vec!["The Room".to_owned()],
        order_key: vec!["time".to_owned()],
        notes: Vec::new(),
    })
}

/// The same table with rows of a file.
fn with_rows() -> Inferred {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("readings.csv");
    let rows = "The Room,time,heat\na,2026-05-01,1.5\na,2026-05-02,2.5\nb,2026-05-02,2.5\n";
    std::fs::write(&path, rows).unwrap();
    infer(&path, &Asked::default()).unwrap()
}

fn asked(sql: &str, found: &Inferred, language: Language) -> Result<AskedQuestion, String> {
    let asking = Asking {
        found,
        table: "readings",
        language,
        descending: Some(vec!["time".to_owned()]),
    };
    question(sql, &asking)
}

#[test]
fn constants_stay_where_there_are_rows_and_names_are_those_of_the_workload() {
    let found = with_rows();
    let sql = "SELECT r.\"The Room\", Heat AS h FROM shop.Readings r -- all\n\
               WHERE \"The Room\" = 'a' AND time >= '2026-05-01 00:00:00+00' AND heat > '2.5'";
    let question = asked(sql, &found, Language::Sql).unwrap();
    assert_eq!(
        question.sql,
        "SELECT r.the_room, Heat AS h FROM readings r  \n\
         WHERE the_room = 'a' AND time >= TIMESTAMP '2026-05-01T00:00:00.000' AND heat > 2.5"
    );
    assert!(question.parameters.is_empty() && question.about.is_empty());
}

#[test]
fn uuids_are_written_as_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("readings.csv");
    let uuid = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";
    let rows = format!("id,time,heat\n{uuid},2026-05-01,1.5\n{uuid},2026-05-02,2.5\n");
    std::fs::write(&path, rows).unwrap();
    let found = infer(&path, &Asked::default()).unwrap();
    let upper = uuid.to_uppercase();
    let sql = format!("SELECT heat FROM readings WHERE id = '{{{upper}}}' OR id IN ('{upper}')");
    let question = asked(&sql, &found, Language::Sql).unwrap();
    let expected = format!("SELECT heat FROM readings WHERE id = '{uuid}' OR id IN ('{uuid}')");
    assert_eq!(question.sql, expected);
}

#[test]
fn markers_are_drawn_from_the_rows() {
    let found = with_rows();
    let sql =
        "SELECT * FROM readings WHERE \"The Room\" = $1 AND time BETWEEN $2 AND $3 AND heat IN ?";
    let question = asked(sql, &found, Language::Sql).unwrap();
    assert_eq!(
        question.sql,
        "SELECT * FROM readings WHERE the_room = ${the_room} AND time BETWEEN ${span.begin} AND ${span.end} \
         AND heat IN (${heat})"
    );
    assert_eq!(
        question.parameters,
        [
            "span = { window = \"1h\", column = \"time\" }",
            "the_room = { column = \"the_room\" }",
            "heat = { column = \"heat\", distinct = 3 }",
        ]
    );
    assert!(question.about[0].starts_with("Bound values are drawn"));
    let long = format!("SELECT {}heat AS h FROM readings", "heat + ".repeat(10_000));
    for (sql, words) in [
        (
            "SELECT heat FROM readings ORDER BY heat LIMIT ?",
            "behind `LIMIT`",
        ),
        ("SELECT heat + :more AS h FROM readings", "behind `+`"),
        ("SELECT heat FROM readings FOR UPDATE", "locks rows"),
        ("DELETE FROM readings", "not a query"),
        ("SELECT 'heat FROM readings", "does not end"),
        (long.as_str(), "at most 250 are read"),
    ] {
        let why = asked(sql, &found, Language::Sql).unwrap_err();
        assert!(why.contains(words), "{sql}: {why}");
    }
}

#[test]
fn bounds_of_a_range_of_numbers_are_drawn_together() {
    let found = Inferred::declared(Declared {
        origin: Origin {
            table: "readings".to_owned(),
            ..Origin::default()
        },
        columns: vec![
            column("room", ColumnType::Text),
            column("t", ColumnType::Bigint),
            column("state", ColumnType::Int),
        ],
        partition_key: vec!["room".to_owned()],
        order_key: vec!["t".to_owned()],
        ..Declared::default()
    });
    for (conditions, expected) in [
        ("t BETWEEN 1 AND 100", "t BETWEEN ${t} AND ${t} + 99"),
        ("t < 500 AND t >= '-20'", "t < ${t} + 520 AND t >= ${t}"),
        ("t >= ? AND t < ?", "t >= ${t} AND t < ${t} + 100"),
        (
            "state > $1 AND state < $2",
            "state > ${state} AND state < ${state} + 90",
        ),
        ("state > 5 AND state < 9", "state > 5 AND state < 9"),
        ("t < ? OR t > ?", "t < ${t} OR t > ${t_2}"),
    ] {
        let sql = format!("SELECT state FROM readings WHERE {conditions}");
        let question = asked(&sql, &found, Language::Sql).unwrap();
        let expected = format!("SELECT state FROM readings WHERE {expected}");
        assert_eq!(question.sql, expected);
    }
    let of_texts = "SELECT state FROM readings WHERE room BETWEEN 'a' AND 'f'";
    let why = asked(of_texts, &found, Language::Sql).unwrap_err();
    assert!(why.contains("not one of numbers"), "{why}");
    // Where there are rows, constants stay, and a length that is not written is not known.
    let found = with_rows();
    let sql = "SELECT heat FROM readings WHERE heat > 1 AND heat < 2.5";
    assert_eq!(asked(sql, &found, Language::Sql).unwrap().sql, sql);
    let why = asked(
        "SELECT time FROM readings WHERE heat > ? AND heat < ?",
        &found,
        Language::Sql,
    )
    .unwrap_err();
    assert!(why.contains("write numbers in place of both"), "{why}");
}

#[test]
fn columns_that_differ_in_case_alone_are_told_apart() {
    let found = Inferred::declared(Declared {
        columns: vec![
            column("value", ColumnType::Int),
            column("Value", ColumnType::Int),
        ],
        partition_key: vec!["value".to_owned()],
        ..Declared::default()
    });
    let sql = "SELECT \"Value\" FROM readings WHERE value IS NOT NULL";
    let question = asked(sql, &found, Language::Sql).unwrap();
    let other = &found.columns[1].name;
    assert_eq!(
        question.sql,
        format!(
            "SELECT {other} FROM {} WHERE value IS NOT NULL",
            found.table
        )
    );
}

#[test]
fn numbers_of_rows_have_no_quotes() {
    let found = with_rows();
    let sql = "SELECT heat FROM readings ORDER BY heat, time LIMIT '10' OFFSET '5'";
    let question = asked(sql, &found, Language::Sql).unwrap();
    assert_eq!(question.sql, sql.replace('\'', ""));
}

#[test]
fn constants_that_made_rows_lack_are_drawn() {
    let found = made();
    let sql = "SELECT heat FROM readings WHERE \"The Room\" IN ('a', 'b') AND time >= '2026-05-01' \
               AND time < '2026-05-08' AND heat > 30";
    let question = asked(sql, &found, Language::Sql).unwrap();
    assert_eq!(
        question.sql,
        "SELECT heat FROM readings WHERE the_room IN (${the_room}, ${the_room_2}) AND time >= ${span.begin} \
         AND time < ${span.end} AND heat > 30"
    );
    assert_eq!(
        question.parameters[0],
        "span = { window = \"7d\", column = \"time\" }"
    );
    assert!(question.about[0].starts_with("Values of conditions are drawn"));
}

#[test]
fn a_limit_of_cql_is_of_the_order_of_the_partition() {
    let found = made();
    let sql = "SELECT * FROM ks.readings WHERE \"The Room\" = ? LIMIT 10 ALLOW FILTERING;";
    let question = asked(sql, &found, Language::Cql).unwrap();
    assert_eq!(
        question.sql,
        "SELECT * FROM readings WHERE the_room = ${the_room} ORDER BY time DESC LIMIT 10"
    );
    // Rows of several partitions, or in an order that is not known, have none.
    let sql = "SELECT * FROM readings WHERE \"The Room\" IN ('a', 'b') LIMIT 10";
    let several = asked(sql, &found, Language::Cql).unwrap();
    assert!(!several.sql.contains("ORDER BY"), "{}", several.sql);
    let unknown = Asking {
        found: &found,
        table: "readings",
        language: Language::Cql,
        descending: None,
    };
    let sql = "SELECT * FROM readings WHERE \"The Room\" = ? LIMIT 10";
    let without = super::question(sql, &unknown).unwrap();
    assert!(!without.sql.contains("ORDER BY"), "{}", without.sql);
    let all = asked("SELECT * FROM readings LIMIT 10", &found, Language::Cql).unwrap();
    assert_eq!(all.sql, "SELECT * FROM readings LIMIT 10");
    let sql = "SELECT * FROM readings PER PARTITION LIMIT 1";
    let why = asked(sql, &found, Language::Cql).unwrap_err();
    assert!(why.contains("row_number()"), "{why}");
}

#[test]
fn what_is_no_plain_comparison_is_left_as_it_is() {
    let found = with_rows();
    for sql in [
        "SELECT heat FROM readings WHERE heat > 1 + 2 AND heat <> 5",
        "SELECT count(*) AS n FROM readings WHERE time > TIMESTAMP '2026-05-01' AT TIME ZONE 'UTC'",
    ] {
        assert_eq!(asked(sql, &found, Language::Sql).unwrap().sql, sql);
    }
}

#[test]
fn a_single_date_is_drawn_and_a_range_of_dates_is_told() {
    let mut found = made();
    found.columns[2].kind = ColumnType::Date;
    let of_day = "SELECT * FROM readings WHERE heat = '2026-05-01'";
    let question = asked(of_day, &found, Language::Sql).unwrap();
    assert_eq!(question.sql, "SELECT * FROM readings WHERE heat = ${heat}");
    let range = "SELECT * FROM readings WHERE heat >= '2026-05-01' AND heat < '2026-06-01'";
    let why = asked(range, &found, Language::Sql).unwrap_err();
    assert!(why.contains("not one of numbers"), "{why}");
}

#[test]
fn constants_that_are_midnights_are_days_where_the_column_has_some() {
    let mut found = with_rows();
    let time = found
        .columns
        .iter_mut()
        .find(|column| column.name == "time");
    time.unwrap().kind = ColumnType::Date;
    let sql =
        "SELECT heat FROM readings WHERE time >= '2026-05-01 00:00:00' AND time < '2026-05-03'";
    let question = asked(sql, &found, Language::Sql).unwrap();
    let expected =
        "SELECT heat FROM readings WHERE time >= DATE '2026-05-01' AND time < DATE '2026-05-03'";
    assert_eq!(question.sql, expected);
}

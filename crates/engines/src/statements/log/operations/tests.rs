use bakeoff_workload::ColumnType;
use bakeoff_workload::infer::{
    Asked, Declared, DeclaredColumn, DeclaredForm, Inferred, Origin, infer,
};

use super::*;
use crate::statements::asking::Language;
use crate::statements::log::forms::Forms;
use crate::statements::words::{kind, words};

/// Conditions that name a row.
const ROW: &str = "WHERE room = 'a' AND time = $1";

fn made() -> Inferred {
    let column = |name: &str, kind| DeclaredColumn {
        name: name.to_owned(),
        kind,
        form: DeclaredForm::Plain,
    };
    Inferred::declared(Declared {
        origin: Origin {
            table: "readings".to_owned(),
            ..Origin::default()
        },
        columns: vec![
            column("Room", ColumnType::Text),
            column("time", ColumnType::Timestamp),
            column("heat", ColumnType::Double),
            column("state", ColumnType::Int),
        ],
        partition_key: vec!["Room".to_owned()],
        order_key: vec!["time".to_owned()],
        notes: Vec::new(),
    })
}

fn of(sql: &str, language: Language, found: &Inferred) -> Result<Option<Operation>, String> {
    let mut forms = Forms::default();
    let all = words(sql).unwrap();
    forms.add(kind(&all), sql, &all, None);
    let form = forms.all().next().unwrap();
    let asking = Asking {
        found,
        table: "readings",
        language,
        descending: Some(vec!["time".to_owned()]),
    };
    operation(form, &words(&form.example).unwrap(), &asking)
}

fn read(sql: &str, language: Language) -> Option<Operation> {
    of(sql, language, &made()).unwrap()
}

#[test]
fn queries_by_the_key_are_reads() {
    let partition = |limit, newest_first| Operation::ReadPartition {
        limit,
        newest_first,
    };
    let ten = Some(Rows::Limited(10));
    let of_a = "SELECT time, heat FROM readings WHERE room = 'a'";
    for (sql, expected) in [
        (
            format!("SELECT * FROM shop.readings {ROW}"),
            Operation::ReadRow,
        ),
        (
            "SELECT count(*) FROM readings AS r WHERE (r.time = ?) AND (\"Room\" = (?)) AND heat > 5 LIMIT 1"
                .to_owned(),
            Operation::ReadRow,
        ),
        (
            "SELECT heat FROM readings WHERE room = :room::text AND time = timestamp '2026-05-01';"
                .to_owned(),
            Operation::ReadRow,
        ),
        (of_a.to_owned(), partition(None, false)),
        (
            format!("{of_a} ORDER BY time DESC LIMIT 10"),
            partition(ten, true),
        ),
        (
            format!("{of_a} ORDER BY room, time ASC FETCH FIRST 10 ROWS ONLY"),
            partition(ten, false),
        ),
        (
            format!("{of_a} LIMIT $2"),
            partition(Some(Rows::Unknown), false),
        ),
        (
            format!("{of_a} AND time > now() - interval '1 hour' ORDER BY time"),
            Operation::ReadRange(Rows::Unknown),
        ),
        (
            format!("{of_a} AND time BETWEEN $2 AND $3 LIMIT '10'"),
            Operation::ReadRange(Rows::Limited(10)),
        ),
    ] {
        assert_eq!(read(&sql, Language::Sql), Some(expected), "{sql}");
    }
    let cql = "SELECT heat FROM ks.readings WHERE room = ? LIMIT 10 ALLOW FILTERING";
    assert_eq!(read(cql, Language::Cql), Some(partition(ten, true)));
}

#[test]
fn other_queries_are_heavier() {
    let of_a = "SELECT heat FROM readings WHERE room = 'a'";
    for sql in [
        "SELECT heat FROM readings".to_owned(),
        "SELECT heat FROM readings WHERE time > 5".to_owned(),
        "SELECT heat FROM readings WHERE room IN ('a', 'b')".to_owned(),
        "SELECT heat FROM readings WHERE room IN ('a')".to_owned(),
        "SELECT heat FROM readings WHERE room = ANY($1)".to_owned(),
        "SELECT heat FROM readings WHERE room = lower(room)".to_owned(),
        "SELECT max(heat) FROM readings WHERE room = 'a'".to_owned(),
        "SELECT DISTINCT heat FROM readings WHERE room = 'a'".to_owned(),
        "WITH w AS (SELECT 1) SELECT heat FROM readings WHERE room = 'a'".to_owned(),
        format!("{of_a} AND state = 5"),
        format!("{of_a} AND NOT time > 5"),
        format!("{of_a} AND time <> 5"),
        format!("{of_a} OR time = 5"),
        format!("{of_a} AND time = (SELECT max(time) FROM readings)"),
        format!("{of_a} ORDER BY heat LIMIT 5"),
        format!("{of_a} ORDER BY time NULLS FIRST"),
        format!("{of_a} ORDER BY 1"),
        format!("{of_a} GROUP BY heat"),
        format!("{of_a} LIMIT 5 OFFSET 5"),
        format!("{of_a} PER PARTITION LIMIT 5"),
        format!("SELECT heat FROM readings {ROW} FOR UPDATE"),
    ] {
        for language in [Language::Sql, Language::Cql] {
            assert_eq!(read(&sql, language), None, "{sql}");
        }
    }
    let nested = format!(
        "SELECT heat FROM readings WHERE {}room = 'a'{}",
        "(".repeat(50),
        ")".repeat(50)
    );
    assert_eq!(read(&nested, Language::Sql), None);
}

#[test]
fn rows_of_a_range_are_estimated_by_the_times_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("readings.csv");
    let mut rows = "room,time,heat\n".to_owned();
    for minute in 0..600 {
        for room in ["a", "b"] {
            let (hour, minute) = (minute / 60, minute % 60);
            rows.push_str(&format!(
                "{room},2026-05-01T{hour:02}:{minute:02}:00Z,{minute}.5\n"
            ));
        }
    }
    std::fs::write(&path, rows).unwrap();
    let found = infer(&path, &Asked::default()).unwrap();
    let range = |end: &str| {
        let sql = format!(
            "SELECT heat FROM readings WHERE room = 'a' AND time >= '2026-05-01 01:00:00+00' AND time < {end}"
        );
        of(&sql, Language::Sql, &found).unwrap()
    };
    assert_eq!(
        range("'2026-05-01 02:00:00+00'"),
        Some(Operation::ReadRange(Rows::Estimated(60)))
    );
    assert_eq!(
        range("'2126-05-01 02:00:00+00'"),
        Some(Operation::ReadRange(Rows::Estimated(10_000)))
    );
    assert_eq!(range("now()"), Some(Operation::ReadRange(Rows::Unknown)));
}

#[test]
fn statements_that_write_by_the_key_are_operations() {
    let update = |columns: &[&str]| Operation::Update {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
    };
    let set = format!("UPDATE readings SET state = 2, heat = heat + 1 {ROW} AND state = 1");
    let with_ttl = format!("UPDATE ks.readings USING TTL 5 SET heat = ?, tags['a'] = 1 {ROW}");
    let deletes = format!("DELETE FROM readings {ROW} RETURNING heat");
    let timestamp = "DELETE FROM readings USING TIMESTAMP 5 WHERE room = ?";
    use Language::{Cql, Sql};
    for (sql, language, expected) in [
        (
            "INSERT INTO readings VALUES ('a', now(), 1)",
            Sql,
            Operation::Insert,
        ),
        (
            "INSERT INTO readings (room, time) VALUES ('a', now()), ('b', now())",
            Sql,
            Operation::InsertSeveral,
        ),
        ("INSERT INTO ks.readings JSON '{}'", Cql, Operation::Insert),
        (set.as_str(), Sql, update(&["heat", "state"])),
        (with_ttl.as_str(), Cql, update(&["heat"])),
        (deletes.as_str(), Sql, Operation::DeleteRow),
        (timestamp, Cql, Operation::DeletePartition),
    ] {
        let found = of(sql, language, &made());
        assert_eq!(found, Ok(Some(expected)), "{sql}");
    }
}

#[test]
fn statements_that_write_otherwise_are_refused_with_the_reason() {
    use Language::{Cql, Sql};
    let cases = [
        (
            "INSERT INTO readings SELECT * FROM old",
            Sql,
            "from a query",
        ),
        ("INSERT INTO readings DEFAULT", Sql, "has no values"),
        (
            "INSERT INTO readings (room) VALUES (?) IF NOT EXISTS",
            Cql,
            "lightweight transaction",
        ),
        ("UPDATE readings SET heat = 1", Sql, "changes all rows"),
        (
            "UPDATE readings SET heat = 1 WHERE room = ?",
            Sql,
            "one row by the whole key",
        ),
        (
            "UPDATE readings SET heat = 1 WHERE heat = 1",
            Sql,
            "one row by the whole key",
        ),
        (
            "UPDATE readings SET tags = ? WHERE room = ?",
            Sql,
            "no column that the workload has",
        ),
        (
            "UPDATE readings SET time = ? WHERE room = ?",
            Sql,
            "changes the key",
        ),
        (
            "UPDATE readings SET heat = heat + 1 WHERE room = ?",
            Cql,
            "a counter",
        ),
        (
            "UPDATE readings SET heat = o.heat FROM old o WHERE room = o.room",
            Sql,
            "another table",
        ),
        (
            "UPDATE readings SET heat = 1 WHERE room = ? OR time = ?",
            Sql,
            "have an OR",
        ),
        ("DELETE FROM readings", Sql, "deletes all rows"),
        (
            "DELETE heat FROM readings WHERE room = ?",
            Cql,
            "single columns",
        ),
        (
            "DELETE FROM readings USING old WHERE room = 'a'",
            Sql,
            "another table",
        ),
        (
            "DELETE FROM readings WHERE room = ? AND time < ?",
            Cql,
            "neither one row nor one partition",
        ),
    ];
    for (sql, language, words) in cases {
        let why = of(sql, language, &made()).unwrap_err();
        assert!(why.contains(words), "{sql}: {why}");
    }
}

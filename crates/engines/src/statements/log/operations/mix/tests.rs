use std::path::Path;

use bakeoff_workload::infer::{Declared, DeclaredColumn, DeclaredForm, Origin};
use bakeoff_workload::{Action, ColumnType, Workload};

use super::*;
use crate::statements::asking::Language;
use crate::statements::log::LogKind;

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
            column("room", ColumnType::Text),
            column("time", ColumnType::Timestamp),
            column("heat", ColumnType::Double),
        ],
        partition_key: vec!["room".to_owned()],
        order_key: vec!["time".to_owned()],
        notes: Vec::new(),
    })
}

fn log(statements: &[(u64, &str)]) -> QueryLog {
    let mut text = String::new();
    for (number, sql) in statements {
        for index in 0..*number {
            let second = index % 60;
            text.push_str(&format!(
                "2026-05-01 10:{:02}:{second:02} UTC LOG:  statement: {sql}\n",
                index / 60
            ));
        }
    }
    QueryLog::read(LogKind::PostgresText, Language::Sql, text.as_bytes()).unwrap()
}

#[test]
fn a_log_becomes_a_mix_that_a_workload_can_have() {
    let log = log(&[
        (130, "INSERT INTO readings VALUES ('secret', now(), 1)"),
        (
            10,
            "INSERT INTO readings VALUES ('a', now(), 1), ('a', now(), 1), ('a', now(), 1)",
        ),
        (
            40,
            "SELECT heat FROM readings WHERE room = 'secret' ORDER BY time DESC LIMIT 5",
        ),
        (
            20,
            "UPDATE readings SET heat = 1 WHERE room = 'secret' AND time = '2026-05-01'",
        ),
        (7, "UPDATE readings SET heat = 1 WHERE heat = 'secret'"),
        (3, "SELECT max(heat) FROM readings"),
    ]);
    let mut found = made();
    let table = log.table(None).unwrap();
    let mixed = log.mix(&table, &found);
    assert_eq!(mixed.asked, 40);
    let notes = mixed.notes.join("\n");
    for words in [
        "operations of the mix for `bakeoff drive`: 4, which stand for 200 statements about `readings`",
        "the log has 200 of these statements in its 2 minutes: 2.2 a second at its busiest minute",
        "no operation: 7 × `UPDATE readings SET heat = ? WHERE heat = ?`: its conditions do not",
    ] {
        assert!(notes.contains(words), "`{words}` is not in {notes}");
    }
    let questions: Vec<u64> = log
        .candidates(&table, &found, Some(&mixed))
        .map(|(number, _)| number)
        .collect();
    assert_eq!(questions, [3]);
    found.mix = mixed.mix;
    let text = found.workload("readings.sql", &["cassandra/wide".to_owned()], &[]);
    for words in [
        "with their shares of 200 statements",
        "(--rate 3)",
        "# Other SELECTs of the log: 3.",
        "# 130 of 200: `INSERT INTO readings VALUES (?, now(), ?)`\n",
        "batch = 3 # rows of a statement, on average",
        "keys = \"new\"",
    ] {
        assert!(text.contains(words), "`{words}` is not in {text}");
    }
    assert!(
        !text.contains("secret") && !notes.contains("secret"),
        "{text}\n{notes}"
    );
    let workload = Workload::parse(&text, Path::new("w.toml"));
    let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let operations = workload.mix.unwrap().operations;
    let told: Vec<(&str, &Action, f64, u32)> = { operations.iter() }
        .map(|of| (of.name.as_str(), &of.action, of.weight, of.batch))
        .collect();
    let newest = Action::ReadPartition {
        limit: Some(5),
        newest_first: true,
    };
    let heat = Action::Update {
        columns: vec!["heat".to_owned()],
    };
    assert_eq!(
        told,
        [
            ("insert", &Action::Insert, 0.65, 1),
            ("read-partition", &newest, 0.2, 1),
            ("update", &heat, 0.1, 1),
            ("insert-several", &Action::Insert, 0.05, 3),
        ]
    );
}

#[test]
fn a_log_of_heavier_statements_has_no_mix() {
    let log = log(&[
        (2, "SELECT max(heat) FROM readings"),
        (1, "DELETE FROM readings"),
    ]);
    let mixed = log.mix(&log.table(None).unwrap(), &made());
    assert_eq!((mixed.mix, mixed.asked), (None, 0));
    assert_eq!(
        mixed.notes,
        ["no operation: 1 × `DELETE FROM readings`: it deletes all rows"]
    );
}

#[test]
fn the_most_frequent_operations_are_kept() {
    let mut found = made();
    let heat = found.columns[2].clone();
    let mut text = String::new();
    for number in 0..20 {
        found.columns.push(bakeoff_workload::infer::InferredColumn {
            name: format!("c{number}"),
            ..heat.clone()
        });
        let update = format!("UPDATE readings SET c{number} = 1 WHERE room = 'a' AND time = 1\n");
        text.push_str(&update.repeat(number + 1));
    }
    let log = QueryLog::read(LogKind::Plain, Language::Sql, text.as_bytes()).unwrap();
    let mixed = log.mix(&log.table(None).unwrap(), &found);
    let operations = mixed.mix.unwrap().operations;
    assert_eq!(operations.len(), MOST_OPERATIONS);
    assert_eq!(operations[1].name, "update-2");
    let told = mixed.notes.join("\n");
    assert!(
        told.contains("no operation: 8 × `UPDATE readings SET c7 = ?"),
        "{told}"
    );
    assert!(
        told.contains("no operation: 15 further statements that write"),
        "{told}"
    );
}

#[test]
fn shares_add_up_and_none_is_nothing() {
    for numbers in [
        vec![1],
        vec![1, 1, 1],
        vec![1 << 60, 5, 1],
        vec![u64::MAX, u64::MAX],
    ] {
        let shares = shares(&numbers);
        assert_eq!(shares.iter().sum::<u64>(), 100_000, "{numbers:?}");
        assert!(!shares.contains(&0), "{shares:?}");
    }
    let written = [100_000, 33_334, 50, 1].map(percent);
    assert_eq!(written, ["100", "33.334", "0.05", "0.001"]);
}

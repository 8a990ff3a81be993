use bakeoff_workload::ColumnType;
use bakeoff_workload::infer::{Declared, DeclaredColumn, DeclaredForm, Origin};

use super::forms::{MOST_FORMS, MOST_HELD};
use super::*;

fn plain(text: &str) -> QueryLog {
    QueryLog::read(LogKind::Plain, Language::Sql, text.as_bytes()).unwrap()
}

fn readings() -> Inferred {
    let column = |name: &str, kind| DeclaredColumn {
        name: name.to_owned(),
        kind,
        form: DeclaredForm::Plain,
    };
    let declared = Declared {
        origin: Origin {
            table: "readings".to_owned(),
            ..Origin::default()
        },
        columns: vec![
            column("room", ColumnType::Text),
            column("heat", ColumnType::Double),
        ],
        partition_key: vec!["room".to_owned()],
        ..Declared::default()
    };
    let mut found = Inferred::declared(declared);
    // As if the rows were there.
    found.made = None;
    found
}

fn readings_of(schema: Option<&str>) -> AskedTable {
    AskedTable {
        schema: schema.map(str::to_owned),
        name: "readings".to_owned(),
    }
}

#[test]
fn tables_of_several_schemas_are_told_apart() {
    let log = plain(
        "SELECT a FROM old.readings\nSELECT b FROM shop.readings\nSELECT b FROM shop.readings\n\
         SELECT c FROM readings\n",
    );
    let number =
        |table: &AskedTable| -> u64 { log.of(table).iter().map(|asked| asked.number).sum() };
    let most = log.table(None).unwrap();
    assert_eq!(
        (most.to_string().as_str(), number(&most)),
        ("shop.readings", 3)
    );
    let old = log.table(Some(&readings_of(Some("Old")))).unwrap();
    assert_eq!(
        (old.to_string().as_str(), number(&old)),
        ("old.readings", 2)
    );
    let any = log.table(Some(&readings_of(None))).unwrap();
    assert_eq!(any, most);
    let notes = log.notes(&most, 3, 2, 0);
    assert_eq!(notes[2], "others ask `old.readings` (1)");
    let only_old = plain("SELECT a FROM old.readings\n");
    let why = only_old
        .table(Some(&readings_of(Some("shop"))))
        .unwrap_err();
    assert!(why.contains("asks the table shop.readings alone"), "{why}");
}

#[test]
fn several_databases_of_a_log_are_told() {
    let line = |database: &str| {
        let behind = [""; 9].join(",");
        format!(
            "t,me,{database},x,x,x,x,x,x,x,x,LOG,00000,\"statement: SELECT heat FROM readings\",,{behind}\n"
        )
    };
    let notes = |text: String| {
        let log = QueryLog::read(LogKind::PostgresCsv, Language::Sql, text.as_bytes()).unwrap();
        log.notes(&readings_of(None), 1, 1, 0).join("\n")
    };
    let both = notes(line("shop") + &line("old"));
    assert!(
        both.contains("several databases, old, shop, whose"),
        "{both}"
    );
    let one = notes(line("shop") + &line("shop"));
    assert!(!one.contains("several databases"), "{one}");
}

#[test]
fn statements_that_were_sent_together_are_counted_one_by_one() {
    let log = plain("BEGIN; SELECT heat FROM readings; CREATE ROLE me PASSWORD 'secret'; COMMIT\n");
    assert_eq!(
        log.in_words(),
        "4 statements: 1 BEGIN, 1 COMMIT, 1 CREATE, 1 SELECT"
    );
    let found = readings();
    let table = readings_of(None);
    let candidates: Vec<(u64, Candidate)> = log.candidates(&table, &found, None).collect();
    let [(1, only)] = &candidates[..] else {
        panic!("{candidates:?}")
    };
    assert_eq!(only.shown, "SELECT heat FROM readings");
}

#[test]
fn all_statements_of_a_batch_are_counted() {
    let batch = "BEGIN UNLOGGED BATCH INSERT INTO t (a) VALUES (1); INSERT INTO t (a) VALUES (2);\
        \nINSERT INTO t (a) VALUES (3); APPLY BATCH;";
    let line = batch.replace('\n', " ");
    let plain = QueryLog::read(LogKind::Plain, Language::Cql, line.as_bytes()).unwrap();
    let entry = format!("Type: single-query\nQuery start time: 1\nQuery: {batch}\nValues: \n\n");
    let full = QueryLog::read(LogKind::FullQueryLog, Language::Cql, entry.as_bytes()).unwrap();
    for log in [plain, full] {
        assert_eq!(log.in_words(), "4 statements: 3 INSERT, 1 other");
        let forms: Vec<&Form> = log.forms.all().collect();
        assert_eq!((forms.len(), forms[0].number), (1, 3));
        assert_eq!(forms[0].example, "INSERT INTO t (a) VALUES (1)");
    }
}

#[test]
fn the_table_of_a_log_that_only_writes_is_the_one_that_is_written_most() {
    let log = plain("INSERT INTO a VALUES (1)\nDELETE FROM s.b\nINSERT INTO b VALUES (1)\n");
    assert_eq!(log.table(None).unwrap().to_string(), "s.b");
    let wanted = AskedTable::parse("A");
    assert_eq!(log.table(Some(&wanted)).unwrap().to_string(), "a");
    // One that is asked comes first, however seldom.
    let asked = plain("INSERT INTO a VALUES (1)\nINSERT INTO a VALUES (2)\nSELECT c FROM b\n");
    assert_eq!(asked.table(None).unwrap().to_string(), "b");
}

const LOG: &str = "-- begin\nSELECT heat FROM readings WHERE room = 'a';\nBEGIN\n\
    select  heat from Readings where room = 'b'\nINSERT INTO readings VALUES ('a', 1)\n\n\
    SELECT max(heat) AS m FROM readings\nSELECT heat FROM readings WHERE room IN ('a')\n\
    SELECT heat FROM readings WHERE room = 'c'\nSELECT 1 FROM rooms\nSELECT 'a\nVACUUM readings\n\
    SELECT now()\nSELECT 1 FROM readings JOIN rooms ON true\n";

#[test]
fn forms_are_counted_and_the_most_frequent_come_first() {
    let log = plain(LOG);
    let table = log.table(None).unwrap();
    assert_eq!(table.to_string(), "readings");
    let found = readings();
    let candidates: Vec<(u64, Candidate)> = log.candidates(&table, &found, None).collect();
    let numbers: Vec<u64> = candidates.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [3, 1, 1]);
    let first = candidates[0].1.question.as_ref().unwrap();
    assert_eq!(first.sql, "SELECT heat FROM readings WHERE room = 'a'");
    assert_eq!(first.about, ["Asked 3 of 5 times in the log."]);
    let notes = log.notes(&table, 4, 2, 0);
    assert_eq!(
        notes[0],
        "the log has 12 statements: 8 SELECT, 1 BEGIN, 1 INSERT, 1 other, 1 too long or without end"
    );
    assert!(
        notes[1].starts_with(
            "statements that ask `readings` alone: 5; forms of these: 3; questions: 2"
        ),
        "{notes:?}"
    );
    assert!(notes[1].ends_with("; left out: 1"), "{notes:?}");
    assert_eq!(
        notes[2],
        "others ask `readings` with `rooms` (1), `rooms` (1), no table (1)"
    );
}

#[test]
fn another_table_may_be_wanted() {
    let log = plain(LOG);
    let of = |wanted: &str| log.table(Some(&AskedTable::parse(wanted)));
    assert_eq!(of("public.Rooms").unwrap().name, "rooms");
    let why = of("room").unwrap_err();
    assert!(why.contains("did you mean `rooms`?"), "{why}");
    let why = plain("BEGIN\nBEGIN\n").table(None).unwrap_err();
    assert!(
        why.starts_with("no statement in it asks one table (2 statements: 2 BEGIN)"),
        "{why}"
    );
    let why = plain("").table(None).unwrap_err();
    assert!(why.contains("(no statement)"), "{why}");
}

#[test]
fn uuids_and_comments_of_cassandra_are_constants() {
    let entry =
        |cql: &str| format!("Type: single-query\nQuery start time: 1\nQuery: {cql}\nValues: \n\n");
    let text = entry(
        "SELECT heat FROM ks.readings WHERE room = 123e4567-e89b-12d3-a456-426614174000 // don't",
    ) + &entry(
        "SELECT heat FROM ks.readings WHERE room = 00000000-0000-0000-0000-00000000000a",
    );
    let log = QueryLog::read(LogKind::FullQueryLog, Language::Sql, text.as_bytes()).unwrap();
    let found = readings();
    let table = readings_of(None);
    let candidates: Vec<(u64, Candidate)> = log.candidates(&table, &found, None).collect();
    assert_eq!(candidates.len(), 1);
    let question = candidates[0].1.question.as_ref().unwrap();
    assert!(
        question
            .sql
            .contains("room = '123e4567-e89b-12d3-a456-426614174000'"),
        "{}",
        question.sql
    );
}

#[test]
fn hostile_logs_are_read_in_bounded_memory() {
    let forms: String = (0..MOST_FORMS + 5)
        .map(|number| format!("SELECT c{number} FROM t\n"))
        .collect();
    let log = plain(&forms);
    assert_eq!((log.forms.all().count(), log.forms.beyond), (MOST_FORMS, 5));
    let name = "x".repeat(60_000);
    let forms: String = (0..700)
        .map(|number| format!("SELECT {name}{number} FROM t\n"))
        .collect();
    let log = plain(&forms);
    let held = log.forms.held;
    assert!(held <= MOST_HELD && log.forms.beyond > 0, "{held}");
    assert_eq!(log.forms.all().count() as u64 + log.forms.beyond, 700);
    let long = format!(
        "SELECT '{}' FROM t\nSELECT a FROM t\n",
        "x".repeat(MOST_BYTES)
    );
    let log = plain(&long);
    assert_eq!((log.forms.all().count(), log.unreadable), (1, 1));
    let endless = "x".repeat(3 << 20);
    let log = plain(&endless);
    assert_eq!((log.forms.all().count(), log.unreadable), (0, 1));
    let bytes: Vec<u8> = (0..=255).cycle().take(1 << 16).collect();
    for kind in [
        LogKind::Plain,
        LogKind::FullQueryLog,
        LogKind::PostgresText,
        LogKind::PostgresCsv,
        LogKind::PostgresJson,
    ] {
        let log = QueryLog::read(kind, Language::Cql, &bytes[..]).unwrap();
        assert!(log.table(None).is_err());
    }
}

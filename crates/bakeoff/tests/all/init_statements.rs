//! `bakeoff init` of files with CREATE TABLE, and of logs of queries: what becomes of them, and what cannot.

use std::fs::File;

use crate::support::going_on::run_without_servers;
use crate::support::{Bench, READINGS, WORKLOAD};

const SCHEMA: &str = "-- From cqlsh.\nCREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy'};\n\
    CREATE TABLE shop.rooms (id uuid PRIMARY KEY, name text);\n\
    CREATE TABLE shop.readings (\n  \"Room Name\" text,\n  time timestamp,\n  heat double,\n  state int,\n\
      tags set<text>,\n  shape geometry,\n  PRIMARY KEY (\"Room Name\", time)\n)\n\
    WITH CLUSTERING ORDER BY (time DESC) AND compression = {'class': 'ZstdCompressor'} AND comment = 'it''s; all';\n\
    CREATE CUSTOM INDEX by_state ON shop.readings (state) USING 'sai';\n\
    -- name: newest\nSELECT time, heat FROM shop.readings WHERE \"Room Name\" = ? LIMIT 10;\n\
    SELECT avg(heat) AS mean FROM readings WHERE \"Room Name\" = 'fern' AND time >= '2026-05-01' \
    AND time < '2026-05-02'; // don't\n\
    SELECT heat FROM readings WHERE token(\"Room Name\") > 5;\nSELECT name FROM rooms;\n\
    INSERT INTO shop.rooms (id, name) VALUES (123e4567-e89b-12d3-a456-426614174000, 'a');\n";

fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (name, text) in files {
        std::fs::write(bench.path(name), text).unwrap();
    }
    bench
}

fn text(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.path(name)).unwrap()
}

#[test]
fn a_table_of_cql_becomes_a_workload_that_runs_with_made_rows() {
    let bench = bench(&[("schema.cql", SCHEMA)]);
    let init = [
        "init",
        "schema.cql",
        "--table",
        "readings",
        "--out",
        "new.toml",
    ];
    let ended = bench.bakeoff(&init).expect(0);
    ended
        .says("shop.readings in schema.cql: no rows, 4 columns, key (room_name, time)")
        .says("its rows are made by guesses")
        .says("left out: `tags` (set<text>): a collection")
        .says("left out: `shape` (geometry): it is a type of users")
        .says("queries of the file that ask another table, or several: 1")
        .says("no question: `SELECT heat FROM readings WHERE token");
    let written = text(&bench, "new.toml");
    for words in [
        "# Table shop.readings in schema.cql",
        "bakeoff init schema.cql --data ROWS.csv",
        "partition_key = [\"room_name\"]",
        "order_key = [\"time\"]",
        "generator = \"columns\"",
        "room_name = { sequence = { cycle = 100 }, prefix = \"room_name_\" } # a guess",
        "baseline = \"cassandra/wide?compressor=Zstd&gc_grace=10d&index=state&order=desc\"",
        "name = \"newest\"",
        "sql = \"SELECT time, heat FROM readings WHERE room_name = ${room_name} ORDER BY time DESC LIMIT 10\"",
        "window = \"1d\"",
        "# Values of conditions are drawn from the rows",
    ] {
        assert!(written.contains(words), "`{words}` is not in: {written}");
    }
    assert_eq!(written.matches("[[queries]]").count(), 2, "{written}");
    let dry = ["run", "new.toml", "--rows", "10000", "--dry-run"];
    bench.bakeoff(&dry).expect(0).says("Nothing is touched");
    run_without_servers(&bench, "new.toml");
}

#[test]
fn a_table_of_sql_takes_its_rows_from_a_sample() {
    let schema = "CREATE TABLE public.readings (\"Series\" varchar(8) NOT NULL, time timestamptz NOT NULL, \
                  value double precision, note jsonb, more text);\n\
                  ALTER TABLE ONLY public.readings ADD CONSTRAINT k PRIMARY KEY (\"Series\", time);\n\
                  SELECT \"Series\", max(value) AS highest FROM readings WHERE \"Series\" = 'a' GROUP BY \"Series\";\n";
    let rows = "series,time,value,other\na,2024-01-01T00:00:00Z,1,x\na,2024-01-01T00:01:00Z,2,y\n\
                b,2024-01-01T00:00:00Z,3,z\n";
    let bench = bench(&[("s.sql", schema), ("rows.csv", rows)]);
    let init = ["init", "s.sql", "--data", "rows.csv", "--out", "new.toml"];
    let ended = bench.bakeoff(&init).expect(0);
    ended
        .says("public.readings in s.sql: 3 sampled rows, 3 columns, key (series, time)")
        .says("left out: `other` of the sample, which the declared table lacks");
    let written = text(&bench, "new.toml");
    for words in [
        "the rows are those of rows.csv",
        "file = \"rows.csv\"",
        "value = \"double\" # double precision in the table",
        "# left out: `note` (jsonb): a document",
        "# left out: `more`, which the sample lacks",
        "WHERE series = 'a' GROUP BY series",
        "baseline = \"postgres/plain\"",
    ] {
        assert!(written.contains(words), "`{words}` is not in: {written}");
    }
    run_without_servers(&bench, "new.toml");
    // Without a sample the same table has made rows.
    bench
        .bakeoff(&["init", "s.sql"])
        .expect(0)
        .says("generator = \"columns\"");
}

#[test]
fn the_most_frequent_statements_of_a_log_are_the_questions() {
    let prefix = "2026-05-01 10:00:00 UTC [7] me@shop";
    let mut log = String::new();
    for number in 0..30 {
        log.push_str(&format!(
            "{prefix} LOG:  duration: 0.{number} ms  execute <unnamed>: SELECT max(value) AS m\n\t\
             FROM public.readings WHERE series = $1\n{prefix} DETAIL:  parameters: $1 = 'a'\n\
             {prefix} LOG:  statement: SELECT count(*) AS n FROM readings WHERE value > {number}\n\
             {prefix} LOG:  statement: INSERT INTO readings VALUES ('a', now(), {number})\n"
        ));
    }
    log.push_str(&format!(
        "{prefix} LOG:  statement: SELECT value FROM readings LIMIT 5\n"
    ));
    log.push_str(&format!(
        "{prefix} LOG:  statement: SELECT 1 AS n FROM places\n"
    ));
    let bench = bench(&[("queries.log", log.as_str())]);
    let init = [
        "init",
        "readings.csv",
        "--questions",
        "queries.log",
        "--out",
        "new.toml",
    ];
    let ended = bench.bakeoff(&init).expect(0);
    ended
        .says("the log has 92 statements: 62 SELECT, 30 INSERT")
        .says("statements that ask `public.readings` alone: 61; forms of these: 3; questions: 2")
        .says("questions have texts of the log, which may be secrets")
        .says("others ask `places` (1)")
        .says(
            "no question: `SELECT value FROM readings LIMIT 5`: it has a LIMIT without an ORDER BY",
        );
    let written = text(&bench, "new.toml");
    for words in [
        "name = \"readings\"",
        "# Asked 30 of 61 times in the log.",
        "FROM readings WHERE series = 'a'",
        "WHERE value > 0",
    ] {
        assert!(written.contains(words), "`{words}` is not in: {written}");
    }
    run_without_servers(&bench, "new.toml");
    let other = [&init[..4], &["--table", "places"]].concat();
    bench
        .bakeoff(&other)
        .expect(0)
        .says("SELECT 1 AS n FROM places");
    let unknown = [&init[..4], &["--table", "plates"]].concat();
    bench
        .bakeoff(&unknown)
        .expect(2)
        .says("--questions queries.log: no statement in it asks the table plates alone");
}

#[test]
fn a_full_query_log_asks_the_table_of_a_schema() {
    let entry = |cql: &str| {
        format!(
            "Type: single-query\nQuery start time: 1\nProtocol version: 5\nQuery: {cql}\nValues: \n00000000 61\n\n"
        )
    };
    let log =
        entry("SELECT heat FROM shop.readings WHERE \"Room Name\" = ? AND time >= ? AND time < ?")
            + &entry(
                "SELECT heat FROM shop.readings WHERE \"Room Name\" = ? AND time >= ? AND time < ?",
            )
            + &entry("SELECT state, heat FROM shop.readings WHERE state = 5 ALLOW FILTERING")
            + &entry("UPDATE shop.readings SET heat = 1 WHERE \"Room Name\" = 'a' AND time = 1");
    let bench = bench(&[("schema.cql", SCHEMA), ("fql.txt", log.as_str())]);
    let init = [
        "init",
        "schema.cql",
        "--table",
        "shop.readings",
        "--questions",
        "fql.txt",
        "--out",
        "new.toml",
    ];
    bench
        .bakeoff(&init)
        .expect(0)
        .says("the log has 4 statements: 3 SELECT, 1 UPDATE")
        .says("forms of these: 2; questions: 1, which stand for 1 of the statements; operations of the mix: 2");
    let written = text(&bench, "new.toml");
    for words in [
        "# Asked 1 of 3 times",
        "WHERE state = ${state}\"",
        "action = \"read-range\"\nrows = 100 # a guess",
        "action = \"update\"\ncolumns = [\"heat\"]",
    ] {
        assert!(written.contains(words), "`{words}` is not in: {written}");
    }
    run_without_servers(&bench, "new.toml");
}

#[test]
fn mistakes_say_what_to_name_or_to_mend() {
    let twice = "CREATE TABLE t (a int PRIMARY KEY);\nCREATE TABLE t (b int PRIMARY KEY);\n";
    let files = [
        ("schema.cql", SCHEMA),
        ("twice.sql", twice),
        ("none.sql", "SELECT 1 FROM t;\n"),
        ("keyless.sql", "CREATE TABLE t (a int, b int);\n"),
        ("broken.sql", "CREATE TABLE t (a int PRIMARY KEY;\n"),
        (
            "open.sql",
            "CREATE TABLE t (a int PRIMARY KEY);\nSELECT 'a FROM t;\n",
        ),
        ("bytes.cql", "CREATE TABLE t (a\0 int PRIMARY KEY);\n"),
        ("writes.log", "BEGIN\nBEGIN\n"),
        (
            "unasked.log",
            "SELECT now() FROM readings\nSELECT now() FROM readings\n",
        ),
    ];
    let bench = bench(&files);
    for (arguments, words) in [
        (
            vec!["init", "schema.cql"],
            "schema.cql: it makes 2 tables, shop.rooms, shop.readings: say which one",
        ),
        (
            vec!["init", "schema.cql", "--table", "reading"],
            "--table reading: it makes no such table",
        ),
        (
            vec!["init", "twice.sql"],
            "it makes the table t twice, in line 1 and in line 2",
        ),
        (
            vec!["init", "none.sql"],
            "none.sql: there is no CREATE TABLE in it",
        ),
        (
            vec!["init", "keyless.sql"],
            "name the columns whose rows belong together with --key",
        ),
        (
            vec!["init", "keyless.sql", "--key", "c"],
            "--key c: table t has no such column",
        ),
        (
            vec!["init", "broken.sql"],
            "line 1: cannot read this CREATE TABLE as SQL",
        ),
        (vec!["init", "open.sql"], "does not end: close it"),
        (vec!["init", "bytes.cql"], "it has bytes that are no text"),
        (
            vec!["init", "keyless.sql", "--null", "NA"],
            "--null says what a file of rows is",
        ),
        (
            vec!["init", "readings.csv", "--data", "readings.csv"],
            "leave it out",
        ),
        (
            vec!["init", "readings.csv", "--table", "t"],
            "--table is for a table of a running server",
        ),
        (
            vec!["init", "readings.csv", "--questions", "writes.log"],
            "(2 statements: 2 BEGIN)",
        ),
        (
            vec!["init", "readings.csv", "--questions", "unasked.log"],
            "none of the statements that ask readings",
        ),
        (
            vec!["init", "readings.csv", "--questions", "bytes.cql"],
            "bytes that are no text",
        ),
        (
            vec!["decide", "schema.cql"],
            "schema.cql: it makes 2 tables, shop.rooms, shop.readings: say which one",
        ),
    ] {
        bench.bakeoff(&arguments).expect(2).says(words);
    }
    let keyed = ["init", "keyless.sql", "--key", "B"];
    bench
        .bakeoff(&keyed)
        .expect(0)
        .says("partition_key = [\"b\"]");
    bench
        .bakeoff(&["init", "nowhere.sql"])
        .expect(1)
        .says("cannot read the statements in nowhere.sql");
}

#[test]
fn hostile_files_are_refused_or_counted() {
    let bench = bench(&[]);
    for name in ["large.sql", "large.log"] {
        let file = File::create(bench.path(name)).unwrap();
        file.set_len(100 << 20).unwrap();
    }
    bench
        .bakeoff(&["init", "large.sql"])
        .expect(2)
        .says("it has 104857600 bytes, and a file of statements has at most 4194304");
    let asked = |log: &str| bench.bakeoff(&["init", "readings.csv", "--questions", log]);
    asked("large.log")
        .expect(2)
        .says("it has bytes that are no text");
    // A line without end is none of the statements, and no reason to stop.
    let endless = "x".repeat(3 << 20);
    let select = "SELECT max(value) AS m FROM readings\n".repeat(3);
    std::fs::write(
        bench.path("endless.log"),
        format!("{select}SELECT {endless}\n{select}"),
    )
    .unwrap();
    asked("endless.log")
        .expect(0)
        .says("7 statements: 6 SELECT, 1 too long or without end");
    std::fs::write(bench.path("only.log"), &endless).unwrap();
    asked("only.log")
        .expect(2)
        .says("a file of questions has at most");
    let bytes: Vec<u8> = (1..=255).collect();
    std::fs::write(bench.path("bytes.sql"), bytes).unwrap();
    bench
        .bakeoff(&["init", "bytes.sql"])
        .expect(2)
        .says("no text in UTF-8");
}

#[test]
fn nesting_without_end_is_refused_with_the_reason() {
    let deep = format!(
        "CREATE TABLE t (a int PRIMARY KEY, b {}int{});",
        "ARRAY<".repeat(100_000),
        ">".repeat(100_000)
    );
    let select = "SELECT max(value) AS m FROM readings\n".repeat(2);
    let chain = format!(
        "{select}SELECT max({}value) AS m FROM readings\n",
        "value + ".repeat(5_000)
    );
    let bench = bench(&[("deep.sql", deep.as_str()), ("chain.log", chain.as_str())]);
    bench
        .bakeoff(&["init", "deep.sql"])
        .expect(2)
        .says("within each other or in one chain");
    bench
        .bakeoff(&["init", "readings.csv", "--questions", "chain.log"])
        .expect(0)
        .says("no question: `SELECT max(value + value")
        .says("at most 250 are read");
}

#[test]
fn secrets_in_statements_that_are_no_questions_are_neither_written_nor_shown() {
    let log: String = [
        "SELECT max(value) AS m FROM readings",
        "SELECT max(value) AS m FROM readings; CREATE ROLE me PASSWORD 'hunter2'",
        "ALTER ROLE me PASSWORD 'hunter2'",
        "SELECT value FROM readings WHERE series <> 'hunter2' LIMIT 5",
        "SELECT value FROM readings WHERE series = 'hunter2' LIMIT 5",
        "UPDATE readings SET value = 5 WHERE series = 'hunter2'",
    ]
    .map(|sql| format!("me@shop LOG:  statement: {sql}\n"))
    .concat();
    let bench = bench(&[("queries.log", log.as_str())]);
    let ended = bench
        .bakeoff(&["init", "readings.csv", "--questions", "queries.log"])
        .expect(0);
    ended
        .says("the log has 7 statements: 4 SELECT, 1 ALTER, 1 CREATE, 1 UPDATE")
        .says("no question: `SELECT value FROM readings WHERE series <> '...' LIMIT 5`")
        .says("`SELECT value FROM readings WHERE series = ? LIMIT ?`")
        .says("no operation: 1 × `UPDATE readings SET value = ? WHERE series = ?`");
    let all = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!all.contains("hunter2"), "{all}");
}

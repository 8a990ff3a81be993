//! The operations that a log of queries has, as the mix of the workload that `bakeoff init` writes: what they become,
//! and whether `bakeoff drive` takes them as they are.

use crate::support::going_on::run_without_servers;
use crate::support::{Bench, READINGS, WORKLOAD};

const INIT: [&str; 6] = [
    "init",
    "readings.csv",
    "--questions",
    "queries.log",
    "--out",
    "new.toml",
];

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

#[track_caller]
fn contains(written: &str, all: &[&str]) {
    for words in all {
        assert!(written.contains(words), "`{words}` is not in: {written}");
    }
}

/// A log of PostgreSQL with so many of these statements, of which there is one in each second.
fn log(statements: &[(u64, &str)]) -> String {
    let mut log = String::new();
    for (number, sql) in statements {
        for index in 0..*number {
            let (minute, second) = (index / 60, index % 60);
            log.push_str(&format!(
                "2026-05-01 10:{minute:02}:{second:02} UTC [7] LOG:  statement: {sql}\n"
            ));
        }
    }
    log
}

/// Statements about the readings: 200 operations, of which 5 are of the heavier kind, and 4 cannot be operations.
fn statements() -> String {
    log(&[
        (
            120,
            "INSERT INTO readings (series, time, value) VALUES ('hunter2', now(), 1)",
        ),
        (
            40,
            "SELECT value FROM readings WHERE series = 'a' AND time = '2024-01-01'",
        ),
        (
            20,
            "SELECT time, value FROM readings WHERE series = 'a' ORDER BY time DESC LIMIT 2",
        ),
        (
            11,
            "UPDATE readings SET value = 5 WHERE series = 'a' AND time = '2024-01-01'",
        ),
        (
            9,
            "SELECT value FROM readings WHERE series = 'a' AND time >= '2024-01-01' LIMIT 3",
        ),
        (
            5,
            "SELECT series, max(value) AS m FROM readings GROUP BY series ORDER BY series",
        ),
        (4, "UPDATE readings SET value = 5 WHERE series = 'hunter2'"),
    ])
}

#[test]
fn a_log_of_postgresql_becomes_a_mix_over_the_rows_of_a_file() {
    let bench = bench(&[("queries.log", &statements())]);
    let ended = bench.bakeoff(&INIT).expect(0);
    ended
        .says("operations of the mix for `bakeoff drive`: 5, which stand for 200 statements about `readings`")
        .says("the log has 200 of these statements in its 119 seconds: 2.3 a second at its busiest minute")
        .says("no operation: 4 × `UPDATE readings SET value = ? WHERE series = ?`: its conditions do not name one row")
        .says("forms of these: 4; questions: 1, which stand for 5 of the statements; operations of the mix: 69")
        .says("next: bakeoff run new.toml --dry-run, and bakeoff drive new.toml --dry-run");
    let written = text(&bench, "new.toml");
    let all = format!("{written}{}{}", ended.stdout, ended.stderr);
    assert!(!all.contains("hunter2"), "{all}");
    contains(
        &written,
        &[
            "#   bakeoff drive THIS.toml --for 60s",
            "# Operations of the log for `bakeoff drive THIS.toml`, with their shares of 200 statements.",
            "(--rate 3)",
            "# 120 of 200: `INSERT INTO readings (series, time, value) VALUES (?, now(), ?)`\n\
             [[mix.operations]]\nname = \"insert\"\naction = \"insert\"\nkeys = \"uniform\" #",
            "weight = 60\n",
            "action = \"read-partition\"\nlimit = 2\nnewest_first = true\nweight = 10\n",
            "action = \"update\"\ncolumns = [\"value\"]\nweight = 5.5\n",
            "action = \"read-range\"\nrows = 3\nweight = 4.5\n",
            "# Other SELECTs of the log: 5.",
            "# no operation: 4 × `UPDATE",
        ],
    );
    run_without_servers(&bench, "new.toml");
    // All of its designs that can be driven take the mix as it is.
    let dry = bench.bakeoff(&["drive", "new.toml", "--dry-run"]).expect(0);
    dry.says("designs that take no single operations are not driven: ")
        .says("cassandra/wide");
    if cfg!(feature = "postgres") {
        ended.says("postgres/plain?unique=on takes the place of postgres/plain");
        dry.says("postgres/plain?unique=on").says("ON CONFLICT");
    }
    let named = ["drive", "new.toml", "--dry-run", "--designs", "parquet"];
    bench
        .bakeoff(&named)
        .expect(2)
        .says("parquet has no point operations");
    let load = [
        "drive",
        "new.toml",
        "--designs",
        "dry",
        "--rate",
        "400",
        "--for",
        "1s",
    ];
    bench.bakeoff(&load).expect(0);
}

#[test]
fn a_full_query_log_becomes_a_mix_over_made_rows() {
    let entry = |at: u64, cql: &str| {
        format!("Type: single-query\nQuery start time: {at}\nQuery: {cql}\nValues: \n\n")
    };
    let insert = "INSERT INTO shop.readings (sensor, time, heat) VALUES (?, ?, ?) USING TTL 60";
    let mut log = String::new();
    for number in 0..6 {
        log += &entry(number * 1_000, insert);
    }
    log += &entry(
        1,
        "SELECT time, heat FROM shop.readings WHERE sensor = ? LIMIT 7",
    );
    log += &entry(2, "DELETE FROM shop.readings WHERE sensor = ?");
    log += &entry(
        3,
        "UPDATE shop.readings SET heat = ? WHERE sensor = ? AND time = ? IF heat = ?",
    );
    let schema = "CREATE TABLE shop.readings (sensor text, time timestamp, heat double, PRIMARY KEY (sensor, time)) \
                  WITH CLUSTERING ORDER BY (time DESC);\n";
    let bench = bench(&[("schema.cql", schema), ("fql.txt", &log)]);
    let init = [
        "init",
        "schema.cql",
        "--questions",
        "fql.txt",
        "--out",
        "new.toml",
    ];
    bench
        .bakeoff(&init)
        .expect(0)
        .says("the log has 8 of these statements in its 5 seconds: 1.6 a second")
        .says("IF heat = ?`: it is a lightweight transaction, which only a mix in CQL can have");
    let written = text(&bench, "new.toml");
    contains(
        &written,
        &[
            "keys = \"new\"\nweight = 75\n",
            "# USING TTL is left out",
            "limit = 7\nnewest_first = true\nweight = 12.5\n",
            "action = \"delete-partition\"\nweight = 12.5\n",
            // Nothing is heavier, so that what is asked is a question, too.
            "WHERE sensor = ${sensor} ORDER BY time DESC LIMIT 7",
        ],
    );
    run_without_servers(&bench, "new.toml");
    let dry = ["drive", "new.toml", "--rows", "1000", "--dry-run"];
    let dry = bench.bakeoff(&dry).expect(0);
    dry.says("order=desc").says("DELETE FROM");
    if cfg!(feature = "postgres") {
        dry.says("postgres/plain\n");
    }
}

#[test]
fn a_log_that_only_writes_has_questions_of_the_columns() {
    let bench = bench(&[(
        "queries.log",
        "INSERT INTO readings VALUES ('a', 1, 2), ('b', 3, 4)\nDELETE FROM readings\n",
    )]);
    bench
        .bakeoff(&INIT)
        .expect(0)
        .says("no SELECT of the log is a question of the workload")
        .says("no operation: 1 × `DELETE FROM readings`: it deletes all rows");
    contains(
        &text(&bench, "new.toml"),
        &[
            "name = \"insert-several\"\naction = \"insert\"\nbatch = 2 #",
            "weight = 100\n",
            "[[queries]]",
        ],
    );
    run_without_servers(&bench, "new.toml");
    // A decision is one by questions.
    let decide = ["decide", "readings.csv", "--questions", "queries.log"];
    bench
        .bakeoff(&[&decide[..], &["--dry-run"]].concat())
        .expect(2)
        .says("--questions queries.log: no statement in it asks readings alone");
}

#[test]
fn a_design_that_keeps_rows_with_equal_keys_is_left_out() {
    let twice = format!("{READINGS}a,2024-01-01T00:00:00,3.5\n");
    let bench = bench(&[("twice.csv", &twice), ("queries.log", &statements())]);
    let init = [
        "init",
        "twice.csv",
        "--key",
        "series",
        "--time",
        "time",
        "--questions",
        "queries.log",
        "--out",
        "new.toml",
    ];
    let ended = bench.bakeoff(&init).expect(0);
    if cfg!(feature = "postgres") {
        ended.says("postgres/plain is not among the designs, since it does not take the operations of the log");
    }
    let written = text(&bench, "new.toml");
    assert!(!written.contains("\"postgres/plain"), "{written}");
    bench
        .bakeoff(&["drive", "new.toml", "--dry-run"])
        .expect(0)
        .says("cassandra/wide");
}

#[cfg(feature = "postgres")]
#[test]
fn cassandra_and_postgresql_perform_the_operations_of_a_log() {
    let mut rows = "series,time,value\n".to_owned();
    for minute in 0..60 {
        for series in 0..10 {
            rows += &format!("s{series},2024-01-01T00:{minute:02}:00,{series}.5\n");
        }
    }
    let Some(bench) = Bench::with_cassandra(WORKLOAD, &rows) else {
        return;
    };
    if !bench.has("postgres") {
        return;
    }
    std::fs::write(bench.path("queries.log"), statements()).unwrap();
    bench.bakeoff(&INIT).expect(0);
    let written = text(&bench, "new.toml") + crate::support::SMALL_SERVER;
    std::fs::write(bench.path("new.toml"), written).unwrap();
    let drive = [
        "drive",
        "new.toml",
        "--designs",
        "cassandra/wide,postgres/plain*",
        "--operations",
        "4000",
        "--out",
        "load",
    ];
    bench.bakeoff(&drive).expect(0);
    let summary = crate::drive::summary(&bench, "load");
    let designs = summary["summary"]["designs"].as_array().unwrap();
    assert_eq!(designs.len(), 2);
    for design in designs {
        assert_eq!(design["failures"], serde_json::json!([]), "{design}");
        let operations = design["figures"]["operations"].as_array().unwrap();
        assert_eq!(operations.len(), 5, "{design}");
        for operation in operations {
            assert_eq!(operation["failures"], serde_json::json!([]), "{operation}");
            assert!(operation["count"].as_u64() > Some(0), "{operation}");
        }
    }
}

//! Workloads, data and command lines that say something impossible: the message names the place,
//! and what was probably meant.
use crate::support::{Bench, Ended, READINGS, WORKLOAD, of_kind};

const ALL: &str = "\"SELECT series, time, value FROM readings\"";

/// Line and column of the first place where `word` stands in `text`, both from 1 on.
fn place(text: &str, word: &str) -> String {
    let at = text.find(word).unwrap();
    let line = text[..at].matches('\n').count() + 1;
    let column = text[..at].chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{line}:{column}")
}

/// Refused with the place of `word` and with this message; nothing is made.
#[track_caller]
fn refused(workload: &str, word: &str, message: &str) {
    let bench = Bench::new(workload, READINGS);
    let ended = bench.bakeoff(&["run", "w.toml"]).expect(2);
    let wanted = format!("error: w.toml:{}: {message}", place(workload, word));
    assert!(
        ended.stderr.starts_with(&wanted),
        "{wanted}\nis not how this starts:\n{}",
        ended.stderr
    );
    assert!(!bench.path("runs").exists());
}

/// The workload with another first query, a TOML string that more keys may follow.
fn with_query(sql: &str) -> String {
    assert!(WORKLOAD.contains(ALL));
    WORKLOAD.replace(ALL, sql)
}

#[test]
fn keys_and_types_of_a_workload() {
    let change = |from: &str, to: &str| {
        assert!(WORKLOAD.contains(from));
        WORKLOAD.replace(from, to)
    };
    refused(
        &change("order_key", "order_keys"),
        "order_keys",
        "unknown key `order_keys`; did you mean `order_key`?",
    );
    refused(
        &change("rows = 1000\n", "rows = \"many\"\n"),
        "\"many\"",
        "expected a whole number",
    );
    refused(
        &change("\"timestamp\"", "\"date\""),
        "\"date\"",
        "there is no type `date`: a date is a `timestamp`, at midnight UTC, and is written \
         1958-03-29 in a file. Types are `boolean`, `int`, `bigint`, `float`, `double`, `text`, \
         `uuid`, `timestamp`, `blob`",
    );
    refused(
        &change("[\"time\"]", "[\"tiem\"]"),
        "\"tiem\"",
        "key column `tiem` is not in the table; did you mean `time`?",
    );
    refused(
        &change("\"memory\"", "\"memory/?\""),
        "\"memory/?\"",
        "`memory/?` is not a design id",
    );
}

#[test]
fn settings_of_the_server() {
    let with = |table: &str, line: &str| format!("{WORKLOAD}\n[{table}]\n{line}\n");
    refused(
        &with("server.cassandra", "row_cach_size = \"64MiB\""),
        "row_cach_size",
        "`row_cach_size` is not among the keys of cassandra.yaml that may be set",
    );
    refused(
        &with(
            "server.cassandra",
            "authenticator = \"AllowAllAuthenticator\"",
        ),
        "authenticator",
        "`authenticator` cannot be set: it is a part of what keeps other users",
    );
    refused(
        &with("server.cassandra", "row_cache_size = 64"),
        "64",
        "`row_cache_size` is `64`, but has to be a size in MiB or GiB",
    );
    refused(
        &with("server.jvm", "collector = \"CMS\""),
        "\"CMS\"",
        "there is no collector = `CMS`",
    );
}

#[test]
fn a_column_that_is_missing() {
    let message = "query all: there is no column `vlaue`; did you mean `value`?";
    refused(
        &with_query("\"SELECT avg(vlaue) AS mean FROM readings\""),
        "vlaue",
        message,
    );
    refused(
        &with_query("'SELECT \"vlaue\" FROM readings'"),
        "\"vlaue\"",
        message,
    );
    let lines = "\"\"\"\nSELECT series,\n       avg(value) AS mean\nFROM readings\n  \
                 WHERE value > 1 AND vlaue < 2 GROUP BY series\n\"\"\"";
    refused(&with_query(lines), "vlaue", message);
    refused(
        &with_query("\"SELECT r.vlaue FROM readings r\""),
        "r.vlaue",
        "query all: there is no column `r.vlaue`; did you mean `value`?",
    );
}

#[test]
fn a_parameter_before_it_on_the_line_moves_nothing() {
    for name in ["p", "a_parameter_with_a_long_name"] {
        let sql = format!(
            "\"\"\"\nSELECT count(*) AS n FROM readings\nWHERE value > ${{{name}}} AND \
             vlaue < ${{{name}}}\n\"\"\"\nparameters = {{ {name} = {{ uniform = [1, 2] }} }}"
        );
        let message = "query all: there is no column `vlaue`; did you mean `value`?";
        refused(&with_query(&sql), "vlaue", message);
    }
    let sql = "\"SELECT avg(value) AS mean FROM readings WHERE value > ${form}\"\n\
               parameters = { from = { uniform = [1, 2] } }";
    refused(
        &with_query(sql),
        "${form}",
        "the query has no parameter `form`; did you mean `from`?",
    );
}

#[test]
fn sql_that_is_broken_or_no_query() {
    for (sql, word, message) in [
        (
            "SELECT avg(value FROM readings",
            "FROM readings\"",
            "this is not SQL: Expected: ), found: FROM",
        ),
        (
            "SELECT avgg(value) FROM readings",
            "avgg",
            "Invalid function 'avgg'. Did you mean 'avg'?",
        ),
        (
            "SELECT value FROM raedings",
            "raedings",
            "there is no table `raedings`; the workload's table is `readings`",
        ),
        (
            "SELECT avg(series) FROM readings",
            "SELECT avg(series)",
            "No function matches the given name and argument types 'avg(Utf8)'",
        ),
        (
            "SELECT value FROM readings LIMIT 3",
            "SELECT value",
            "it has a LIMIT without an ORDER BY",
        ),
        ("COPY readings TO 'x.csv'", "COPY", "this is not a query"),
        ("DROP TABLE readings", "DROP", "this is not a query"),
        ("EXPLAIN SELECT 1", "EXPLAIN", "this is not a query"),
    ] {
        let workload = with_query(&format!("\"{sql}\""));
        refused(&workload, word, &format!("query all: {message}"));
    }
}

#[test]
fn sql_for_one_engine() {
    let sql = "\"SELECT avg(value) AS mean FROM readings\"\n\
               engine_sql = { cassandra = \"SELECT avg(vlaue) AS mean FROM readings\" }";
    refused(
        &with_query(sql),
        "SELECT avg",
        "query all: its SQL for cassandra, line 1, column 12: there is no column `vlaue`",
    );
}

#[test]
fn sql_for_an_engine_that_there_is_not() {
    let sql = |place: &str| {
        let own = "SELECT last(value, time) AS newest FROM readings";
        let all = "SELECT value FROM readings";
        with_query(&format!(
            "\"{all}\"\nengine_sql = {{ {place} = \"{own}\" }}"
        ))
    };
    for place in ["postgress", "\"postgres/btree\""] {
        let name = place.trim_matches('"');
        let message = format!("query all: it has SQL for `{name}`, which is neither");
        refused(&sql(place), "SELECT value", &message);
    }
    // What DataFusion does not know, PostgreSQL may.
    let bench = Bench::new(&sql("\"timescale/hypertable\""), READINGS);
    bench.bakeoff(&["run", "w.toml", "--dry-run"]).expect(0);
}

#[test]
#[cfg(feature = "postgres")]
fn sql_for_a_server_that_is_no_question() {
    let sql = |own: &str| {
        let all = "SELECT value FROM readings";
        with_query(&format!(
            "\"{all}\"\nengine_sql = {{ postgres = \"{own}\" }}"
        ))
    };
    for (own, why) in [
        (
            "COPY (SELECT 1) TO PROGRAM 'id > made'",
            "this is not a query",
        ),
        ("/* SELECT */ DO $$ BEGIN END $$", "this is not a query"),
        (
            "SET default_transaction_read_only TO off",
            "this is not a query",
        ),
        (
            "SELECT 1; DROP TABLE readings",
            "these are several statements",
        ),
        ("SELECT 1 AS a INTO kept", "this query writes"),
        ("SELECT 1 FOR UPDATE", "this query locks rows"),
    ] {
        let message = format!("query all: its SQL for postgres: {why}");
        refused(&sql(own), "SELECT value", &message);
    }
}

#[test]
fn a_missing_file_is_told_once() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ended = bench.bakeoff(&["run", "nowhere.toml"]).expect(2);
    assert_eq!(
        ended.stderr,
        "error: cannot read workload file nowhere.toml: No such file or directory (os error 2)\n"
    );
}

#[test]
fn a_row_that_does_not_fit_is_named_by_its_line_however_late_it_comes() {
    let header = "series,time,value\n";
    let many = "a,2020-01-01T00:00:00,1.5\n".repeat(12_000);
    for (row, message) in [
        ("b,5\n", "line 12002: 2 fields instead of the 3"),
        ("b,5,1,2\n", "line 12002: 4 fields instead of the 3"),
        (
            "b,5,warm\n",
            "line 12002: column `value`: `warm` is not a double",
        ),
        (
            "b,noon,1\n",
            "line 12002: column `time`: `noon` is not a timestamp",
        ),
        (
            ",5,1\n",
            "line 12002: column `series`: no value, but it is in the key",
        ),
    ] {
        let bench = Bench::new(WORKLOAD, &format!("{header}{many}{row}"));
        let ended = bench.bakeoff(&["run", "w.toml", "--rows", "20k"]).expect(1);
        ended.says(message);
        assert!(ended.stdout.is_empty(), "{}", ended.stdout);
    }
}

#[test]
fn rows_of_data_that_have_changed_are_never_mixed() {
    // After the rows that are looked at before a folder is made.
    let good = "a,2020-01-01T00:00:00,1.5\n".repeat(1_200);
    let bench = Bench::new(WORKLOAD, &format!("series,time,value\n{good}a,1,warm\n"));
    let run = ["run", "w.toml", "--budget", "1s", "--out", "out"];
    bench.bakeoff(&run).expect(1).says("`warm` is not a double");
    std::fs::write(bench.path("readings.csv"), READINGS).unwrap();
    bench.bakeoff(&run).expect(1).says("--out");
    let elsewhere = ["run", "w.toml", "--budget", "1s", "--out", "other"];
    bench.bakeoff(&elsewhere).expect(0);
}

#[test]
fn an_answer_expected_over_a_whole_file_is_checked() {
    let expecting = |rows: u32| {
        let query =
            format!("\"SELECT count(*) AS n FROM readings\"\nexpect = {{ answer = [[{rows}]] }}");
        Bench::new(&with_query(&query), READINGS)
    };
    let whole = ["run", "w.toml", "--budget", "1s", "--out", "out"];
    expecting(4).bakeoff(&whole).expect(0);
    let wrong = expecting(5);
    let ended: Ended = wrong.bakeoff(&whole).expect(1);
    ended.says("query all: over all rows the workload file expects another answer: (4)");
    assert!(!wrong.path("out").exists(), "it is known before");
    // Of a part, the workload file says nothing.
    let part = [&whole[..], &["--rows", "3"]].concat();
    expecting(5).bakeoff(&part).expect(0);
}

#[test]
fn an_expected_answer_that_the_sql_cannot_give() {
    let expecting = |select: &str, answer: &str| {
        let sql = format!("SELECT {select} FROM readings");
        with_query(&format!("\"{sql}\"\nexpect = {{ answer = {answer} }}"))
    };
    let wrong = |select: &str, answer: &str, message: &str| {
        let message = format!("query all: the expected answer has {message}");
        refused(&expecting(select, answer), "{ answer", &message);
    };
    let counted = "count(*) AS n";
    wrong(
        counted,
        "[[4, 1]]",
        "rows of 2 cells, and those of the SQL have 1",
    );
    wrong(
        counted,
        "[[\"four\"]]",
        "`four` for `n`, which is a whole number",
    );
    wrong(counted, "[[4.0]]", "`4.0` for `n`, which is a whole number");
    wrong(
        "avg(value) AS mean",
        "[[\"-\"]]",
        "`-` for `mean`, which is a number",
    );
    wrong(
        "count(*) > 1 AS many",
        "[[1]]",
        "`1` for `many`, which is true or false",
    );
    wrong(
        "series",
        "[[\"a\"], [\"b\"]]",
        "several rows, which are compared in order",
    );
    for (select, answer) in [
        ("avg(value) AS mean", "[[\"NaN\"]]"),
        (
            "max(value) AS most, count(*) > 1 AS many",
            "[[\"NULL\", true]]",
        ),
        ("value", "[]"),
    ] {
        let bench = Bench::new(&expecting(select, answer), READINGS);
        bench.bakeoff(&["run", "w.toml", "--dry-run"]).expect(0);
    }
}

#[test]
fn odd_values_are_answered_rightly() {
    let rows = "series,time,value\n\
                a,1969-12-31T23:59:59.999,-inf\n\
                a,-5,inf\n\
                \"b, \"\"ü\"\"\",0,\n\
                a,2020-01-01T00:00:00Z,NaN\n";
    let bench = Bench::new(WORKLOAD, rows);
    bench
        .bakeoff(&["run", "w.toml", "--budget", "1s", "--out", "out"])
        .expect(0);
    let records = bench.journal("out");
    let mut answered = of_kind(&records, "answered");
    assert!(answered.all(|r| r["outcome"]["outcome"] == "right"));
}

#[test]
fn a_command_line_is_refused_in_its_own_words() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (option, value, words) in [
        ("--rows", "many", "not a number of rows such as"),
        ("--rows", "-5", "not a number of rows such as"),
        ("--rows", "0", "not a number of rows such as"),
        ("--scale", "0%", "not a share of the full scale such as 5%"),
        ("--budget", "soon", "not a duration such as"),
        ("--budget", "0s", "not a duration such as"),
        ("--limit", "0s", "not a duration such as"),
        ("--threads", "0", "--threads"),
        ("--memory", "0", "--memory"),
        ("--username", "me", "--cassandra"),
    ] {
        let ended = bench.bakeoff(&["run", "w.toml", option, value]).expect(2);
        ended.says(words);
    }
    for (pattern, words) in [
        ("x*", "no design of w matches --designs x*; it has parquet"),
        ("cassandra/tall", "there are narrow, wide, blob, compact"),
        ("parquet?codec=gzip", "codec=gzip is not one of zstd"),
        (
            "cassandra/wide?chunk=5KiB",
            "chunk=5KiB is not a power of two",
        ),
        ("cassandra/wide?colour=red", "unknown setting `colour`"),
        ("[", "--designs ["),
    ] {
        let ended = bench
            .bakeoff(&["run", "w.toml", "--designs", pattern])
            .expect(2);
        ended.says(words);
    }
    assert!(!bench.path("runs").exists());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = bench.command(&["run", "w.toml", "--dry-run"]);
    let ended = Ended::of(command.stdout(writer).output().unwrap()).expect(0);
    assert!(!ended.stderr.contains("error"), "{}", ended.stderr);
}

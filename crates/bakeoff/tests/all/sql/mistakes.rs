//! Mistakes in questions and on the command line, and statements that are not run.

use super::rows;
use crate::support::server::Server;
use crate::support::{Bench, READINGS, WORKLOAD};

pub fn mistakes(server: &Server) {
    for (sql, code, message) in [
        (
            "SELECT vlaue FROM ks.wide",
            2,
            "error: SQL 1:8: there is no column `vlaue`; did you mean `value`?\n  SELECT vlaue FROM ks.wide\n         ^",
        ),
        (
            "SELECT id FROM ks.\"Cased\"",
            2,
            "there is no column `id`; did you mean `\"Id\"`? SQL reads names without double quotes in lower case",
        ),
        (
            "SELECT avg(value FROM ks.wide",
            2,
            "error: SQL 1:18: this is not SQL: Expected: ), found: FROM",
        ),
        ("SELECT\n  nope(1)", 2, "Invalid function 'nope'"),
        ("SELECT year(1)", 2, "write extract(year FROM t)"),
        (
            "SELECT count(*) FROM ks.wide WHERE 'a' SIMILAR TO 'a%'",
            2,
            "error: SQL 1:40: SIMILAR TO has other patterns in DataFusion",
        ),
        (
            "SELECT 1; SELECT vlaue FROM ks.wide",
            2,
            "error: question 2: SQL 1:18: there is no column `vlaue`; did you mean `value`?\n  \
             SELECT 1; SELECT vlaue FROM ks.wide\n                   ^",
        ),
        (
            "SELECT 1 FROM ks.wied",
            2,
            "keyspace ks has no table `wied`; did you mean `wide`?",
        ),
        (
            "SELECT 1 FROM sk.wide",
            2,
            "there is no keyspace `sk`; did you mean `ks`?",
        ),
        (
            "SELECT 1 FROM wide",
            2,
            "there is no table `wide`; name it with --table KEYSPACE.wide",
        ),
        ("SELECT sum(a) FROM ks.wide", 2, "error:"),
        (
            "SELECT count(*) FROM ks.wide TABLESAMPLE BERNOULLI (10)",
            2,
            "DataFusion would leave TABLESAMPLE out",
        ),
        (
            "SELECT TIMESTAMP '2026-05-03' - TIMESTAMP '2026-05-01' > INTERVAL '1 day'",
            2,
            "write hours where they are compared, such as INTERVAL '24 hours'",
        ),
        (
            "SELECT CAST(a AS INT) FROM ks.wide",
            1,
            "error: Cast error: Cannot cast string '",
        ),
    ] {
        server.bakeoff(&["sql", sql]).expect(code).says(message);
    }
    let with = |sql: &str, more: &[&str]| server.bakeoff(&[&["sql", sql], more].concat());
    with("SELECT 1 FROM wid", &["--table", "ks.wide"])
        .expect(2)
        .says("there is no table `wid`; did you mean `wide`?");
    with("SELECT 1", &["--table", "ks.wied"])
        .expect(2)
        .says("did you mean `wide`?");
    with("SELECT 1", &["--table", "wide"])
        .expect(2)
        .says("a table is KEYSPACE.TABLE or dir:FOLDER");
    // Nothing is left of a result that did not come to its end.
    with("SELECT CAST(a AS INT) FROM ks.wide", &["--out", "no.csv"]).expect(1);
    let left = std::fs::read_dir(server.bench.dir.path()).unwrap();
    let left = left.filter(|f| {
        f.as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains("no.csv")
    });
    assert_eq!(left.count(), 0);
}

pub fn nothing_is_written(server: &Server) {
    for sql in [
        "INSERT INTO ks.counters VALUES ('x', 1)",
        "DELETE FROM ks.statics",
        "UPDATE ks.statics SET v = 1",
        "CREATE TABLE x (a INT)",
        "CREATE TABLE x AS SELECT 1",
        "DROP TABLE ks.wide",
        "COPY ks.statics TO 'stolen.csv'",
        "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION 'readings.csv'",
        "SET datafusion.execution.batch_size = 1",
        "EXPLAIN INSERT INTO ks.counters VALUES ('x', 1)",
        "EXPLAIN ANALYZE INSERT INTO ks.counters VALUES ('x', 1)",
    ] {
        let ended = server.bakeoff(&["sql", sql]).expect(2);
        ended.says("this is not a query: only statements that read are run");
    }
    assert_eq!(rows(server, "SELECT count(*) FROM ks.counters"), ["1"]);
    assert!(!server.bench.path("stolen.csv").exists());
}

#[test]
fn command_lines_that_cannot_be() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for (arguments, code, message) in [
        (
            &["sql", "SELECT 1", "--format", "parquet"][..],
            2,
            "--format parquet needs a file: --out FILE",
        ),
        (
            &["sql", "SELECT 1; SELECT 2", "--format", "csv"],
            2,
            "these are 2 questions, and only --format table on the standard output takes the answers",
        ),
        (
            &["sql", "SELECT 1; SELECT 2", "--out", "x.txt"],
            2,
            "leave --out and other formats out, or ask one question at a time",
        ),
        (
            &["sql", "SELECT 1", "--out", "x.doc"],
            2,
            "does not end in .csv, .json or .parquet; name the format with --format",
        ),
        (
            &["sql", "SELECT 1", "--out", "no/such/x.csv"],
            1,
            "cannot write no/such/x.csv",
        ),
        (
            &["sql", "SELECT 1", "--format", "xml"],
            2,
            "[possible values: table, csv, json, parquet]",
        ),
        (
            &["sql", "SELECT 1 FROM ks.t"],
            2,
            "ks.t is a table of a Cassandra cluster: name the cluster with --cassandra",
        ),
        (
            &["sql", "SELECT 1", "--table", "=ks.t"],
            2,
            "there is no name before `=`",
        ),
        (
            &["sql", "SELECT 1", "--rows", "0"],
            2,
            "not a number of rows",
        ),
        (
            &["sql", "SELECT 1 FROM ks.t", "--cassandra", "127.0.0.1:1"],
            1,
            "cannot connect to Cassandra at 127.0.0.1:1",
        ),
        (
            &["sql", "SELECT 1 FROM t"],
            2,
            "there is no table `t`; name it with --table KEYSPACE.t or --table dir:FOLDER",
        ),
        (&["sql", "SELECT x"], 2, "there is no column `x`"),
    ] {
        bench.bakeoff(arguments).expect(code).says(message);
    }
}

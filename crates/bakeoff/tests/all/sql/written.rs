//! What is written of an answer, and of its plan.

use std::fs;

use super::functions::bench;
use crate::support::Ended;
use crate::support::server::Server;

pub fn formats(server: &Server) {
    let sql = "SELECT p, c, v FROM ks.statics ORDER BY p, c";
    let table = server.bakeoff(&["sql", sql, "--format", "table"]).expect(0);
    let expected = " p               c     v\n\
                    ─────────────────────────\n \
                    rows            1    10\n \
                    rows            2    20\n \
                    static only  NULL  NULL\n";
    assert_eq!(table.stdout, expected);
    table.says("3 rows in ").says("; 3 rows scanned, ");
    let json = server.bakeoff(&["sql", sql, "--format", "json"]).expect(0);
    let last = json.stdout.lines().last().unwrap();
    assert_eq!(last, r#"{"p":"static only","c":null,"v":null}"#);
    let empty = server
        .bakeoff(&["sql", "SELECT p FROM ks.statics WHERE v < 0"])
        .expect(0);
    assert_eq!(empty.stdout, "p\n");
    for (name, wanted) in [
        ("o.csv", "p,c,v\nrows,1,10"),
        ("o.json", "{\"p\":\"rows\""),
        ("o.txt", " p "),
    ] {
        let ended = server.bakeoff(&["sql", sql, "--out", name]).expect(0);
        assert_eq!(ended.stdout, "");
        let text = std::fs::read_to_string(server.bench.path(name)).unwrap();
        assert!(text.starts_with(wanted), "{name}: {text}");
    }
    server
        .bakeoff(&["sql", sql, "--out", "o.parquet"])
        .expect(0);
    let bytes = std::fs::read(server.bench.path("o.parquet")).unwrap();
    assert_eq!(
        (&bytes[..4], &bytes[bytes.len() - 4..]),
        (&b"PAR1"[..], &b"PAR1"[..])
    );
}

pub fn a_table_is_cut(server: &Server) {
    let sql = "SELECT n FROM ks.wide";
    let cut = server.bakeoff(&["sql", sql, "--format", "table"]).expect(0);
    assert_eq!(cut.stdout.lines().count(), 102);
    cut.says("100 rows in ")
        .says("note: only the first 100 rows are shown; --rows all shows all of them");
    let all = server
        .bakeoff(&["sql", sql, "--format", "table", "--rows", "all"])
        .expect(0);
    assert_eq!(all.stdout.lines().count(), 602);
    assert!(!all.stderr.contains("note"), "{}", all.stderr);
    // What is just as long is not cut.
    let same = server
        .bakeoff(&["sql", sql, "--format", "table", "--rows", "600"])
        .expect(0);
    assert!(!same.stderr.contains("note"), "{}", same.stderr);
}

pub fn plans(server: &Server) {
    let sql = "EXPLAIN SELECT avg(value) FROM ks.wide WHERE a = 'x' AND b = 1 AND value > 3";
    let plan = server.bakeoff(&["sql", sql, "--format", "table"]).expect(0);
    assert!(plan.stdout.contains("physical plan\n  "), "{}", plan.stdout);
    plan.says("AggregateExec")
        .says("FilterExec: value")
        .says("cql=[SELECT \"value\" FROM");
    plan.says("planned in ");
    let analyzed = sql.replace("EXPLAIN", "EXPLAIN ANALYZE");
    server
        .bakeoff(&["sql", &analyzed, "--format", "table"])
        .expect(0)
        .says("requests_done=1");
}

#[test]
fn questions_of_a_file_are_answered_one_below_the_other() {
    let bench = bench();
    let questions = "-- All of them; really.\n-- name: Highest\nSELECT room, max(value) AS v FROM t\n\
                     GROUP BY room ORDER BY room; -- done;\n;\nSELECT ';' AS a;\n\
                     -- name: wrong\nSELECT vlaue FROM t;\nSELECT 4 AS never;\n";
    fs::write(bench.path("questions.sql"), questions).unwrap();
    let mut command = bench.command(&["sql", "--table", "t=dir:t", "-"]);
    let file = fs::File::open(bench.path("questions.sql")).unwrap();
    let ended = Ended::of(command.stdin(file).output().unwrap()).expect(2);
    let expected = "highest\n room    v\n───────────\n fern  2.5\n palm  4.5\n\n\
                    question 2\n a\n───\n ;\n";
    assert_eq!(ended.stdout, expected);
    ended
        .says("2 rows in ")
        .says("1 row in ")
        .says(" 0 of 2 blobs from memory")
        .says("error: question wrong: SQL 8:8: there is no column `vlaue`; did you mean `value`?\n  SELECT vlaue ");
}

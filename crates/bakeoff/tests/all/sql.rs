//! `bakeoff sql` on tables of a real Cassandra: what is read, what is pushed down, how it is
//! written, and what is said of mistakes.

use std::collections::BTreeSet;

use crate::support::processes::{Going, interrupt_while_it_computes};
use crate::support::server::Server;
use crate::support::{Bench, READINGS, WORKLOAD};

/// Rows of 100 kB in a large partition, which are nine pages.
const LARGE_ROWS: usize = 400;
/// Scans of a whole table until one of them splits its large partition.
const TRIES: usize = 20;
const TABLES: &str = "
CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TYPE ks.address (street text, number int);
CREATE TABLE ks.kinds (id int PRIMARY KEY, a ascii, b bigint, c boolean, d date, e decimal,
  f double, g float, h inet, i smallint, j tinyint, k time, l timestamp, m timeuuid, n uuid,
  o varint, p blob, q varchar, r duration, s list<int>, t map<text, int>, u set<text>,
  v frozen<address>, w tuple<int, text>, x vector<float, 2>, y address);
INSERT INTO ks.kinds (id, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y)
  VALUES (1, 'a', -5, true, '1969-12-31', -12.50, 1.5, 0.25, '10.0.0.1', -300, -7,
  '08:30:00.000000001', '2024-02-29T12:00:00.5Z', 50554d6e-29bb-11e5-b345-feff819cdc9f,
  6a1f0b0c-8a7e-41ee-b962-0242ac120002, 123456789012345678901234567890, 0xcafe, 'it''s',
  1mo2d3ns, [1, 2], {'x': 1}, {'y'}, {street: 'Hof', number: 3}, (4, 'z'), [0.5, 1], {street: 'Au'});
INSERT INTO ks.kinds (id) VALUES (2);
CREATE TABLE ks.wide (a text, b int, day date, n int, value double, PRIMARY KEY ((a, b), day, n))
  WITH CLUSTERING ORDER BY (day DESC, n ASC);
CREATE TABLE ks.\"Cased\" (\"Id\" uuid, \"When\" timeuuid, \"select\" text, PRIMARY KEY (\"Id\", \"When\"));
INSERT INTO ks.\"Cased\" (\"Id\", \"When\", \"select\")
  VALUES (6a1f0b0c-8a7e-41ee-b962-0242ac120002, 50554d6e-29bb-11e5-b345-feff819cdc9f, 'x');
CREATE TABLE ks.statics (p text, c int, s text static, v int, PRIMARY KEY (p, c));
INSERT INTO ks.statics (p, c, s, v) VALUES ('rows', 1, 'both', 10);
INSERT INTO ks.statics (p, c, v) VALUES ('rows', 2, 20);
INSERT INTO ks.statics (p, s) VALUES ('static only', 'alone');
CREATE TABLE ks.counters (page text PRIMARY KEY, views counter);
UPDATE ks.counters SET views = views + 3 WHERE page = 'home';
CREATE TABLE ks.hex (k blob PRIMARY KEY, v int);
INSERT INTO ks.hex (k, v) VALUES (0x00ff, 1);
";

/// All of this file that needs a server, on one of them.
#[test]
fn on_a_real_cassandra() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(TABLES);
    for a in ["x", "y"] {
        for n in 0..300 {
            server.cql(&format!(
                "INSERT INTO ks.wide (a, b, day, n, value) VALUES ('{a}', {}, '2024-01-{:02}', {n}, {n}.5);\n",
                n % 3,
                1 + n % 28
            ));
        }
    }
    server.cql("CREATE TABLE ks.long (p int, c int, PRIMARY KEY (p, c));\n");
    for c in 0..700 {
        server.cql(&format!("INSERT INTO ks.long (p, c) VALUES (1, {c});\n"));
    }
    limits_leave_no_row_twice(&server);
    every_type_of_cql(&server);
    keys_of_several_columns(&server);
    names_with_capitals(&server);
    static_columns(&server);
    counters_and_bytes(&server);
    several_tables(&server);
    formats(&server);
    a_table_is_cut(&server);
    plans(&server);
    mistakes(&server);
    nothing_is_written(&server);
    large_rows_come_in_small_pages(&server);
    large_partitions_are_read_by_ranges(&server);
    interrupted(&server);
}

/// The rows as CSV, without their header.
#[track_caller]
fn rows(server: &Server, sql: &str) -> Vec<String> {
    let ended = server.bakeoff(&["sql", sql]).expect(0);
    ended.stdout.lines().skip(1).map(str::to_owned).collect()
}

fn every_type_of_cql(server: &Server) {
    let ended = server
        .bakeoff(&[
            "sql",
            "SELECT * FROM ks.kinds ORDER BY id",
            "--format",
            "json",
        ])
        .expect(0);
    let lines: Vec<serde_json::Value> = { ended.stdout.lines() }
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = serde_json::json!({
        "id": 1, "a": "a", "b": -5, "c": true, "d": "1969-12-31", "e": "-12.5", "f": 1.5,
        "g": 0.25, "h": "10.0.0.1", "i": -300, "j": -7, "k": "08:30:00.000000001",
        "l": "2024-02-29T12:00:00.500", "m": "50554d6e-29bb-11e5-b345-feff819cdc9f",
        "n": "6a1f0b0c-8a7e-41ee-b962-0242ac120002", "o": "123456789012345678901234567890",
        "p": "cafe", "q": "it's", "r": "1mo2d3ns", "s": "[1,2]", "t": "{'x':1}", "u": "{'y'}",
        "v": "{street:'Hof',number:3}", "w": "(4,'z')", "x": "[0.5,1]",
        "y": "{street:'Au',number:null}",
    });
    assert_eq!(lines[0], expected);
    assert!(
        lines[1]
            .as_object()
            .unwrap()
            .iter()
            .all(|(k, v)| k == "id" || v.is_null())
    );
    ended.says("note: read as text, as CQL writes it: r, s, t, u, v, w, x, y");
    let sum = "SELECT sum(CAST(e AS DECIMAL(10, 2))) AS s FROM ks.kinds WHERE i < 0";
    assert_eq!(rows(server, sum), ["-12.50"]);
    numbers_of_any_length(server);
    let quiet = server
        .bakeoff(&["sql", "SELECT count(*) FROM ks.kinds"])
        .expect(0);
    assert!(!quiet.stderr.contains("note"), "{}", quiet.stderr);
}

/// Decimals and varints are compared and added up as numbers, and need a type in a columnar table.
fn numbers_of_any_length(server: &Server) {
    server.cql(
        "CREATE TABLE ks.prices (k text, t int, price decimal, n varint, PRIMARY KEY (k, t));
         INSERT INTO ks.prices (k, t, price, n) VALUES ('a', 1, -999.43, 9);
         INSERT INTO ks.prices (k, t, price, n) VALUES ('a', 2, -0.0397, 10);
         INSERT INTO ks.prices (k, t, price, n) VALUES ('b', 1, 99999.68, 100000000000000000000);
         INSERT INTO ks.prices (k, t, price, n) VALUES ('b', 2, 100000.10, -3);\n",
    );
    for (sql, answer) in [
        ("max(price), min(price)", "100000.1,-999.43"),
        ("max(n), min(n)", "100000000000000000000,-3"),
        ("sum(price), sum(n)", "199000.3103,100000000000000000016"),
    ] {
        let asked = format!("SELECT {sql} FROM ks.prices");
        assert_eq!(rows(server, &asked), [answer], "{sql}");
    }
    for (condition, count) in [
        ("price > 1000", "2"),
        ("price > 1000.5", "2"),
        ("price = 100000.1", "1"),
        ("n > 9", "2"),
        ("n = '10'", "1"),
    ] {
        let asked = format!("SELECT count(*) FROM ks.prices WHERE {condition}");
        assert_eq!(rows(server, &asked), [count], "{condition}");
    }
    let ordered = "SELECT price FROM ks.prices ORDER BY price";
    let expected = ["-999.43", "-0.0397", "99999.68", "100000.1"];
    assert_eq!(rows(server, ordered), expected);
    let copied = ["ingest", "--from", "ks.prices", "--into", "ks.copied"];
    let refused = server.bakeoff(&copied).expect(2);
    refused.says("column `n` is a CQL varint, which a columnar table cannot keep as it is");
    refused.says("--types n=double or n=text");
    let typed = [&copied[..], &["--types", "price=double,n=text"]].concat();
    server.bakeoff(&typed).expect(0);
    let highest = "SELECT max(price) FROM ks.copied";
    assert_eq!(rows(server, highest), ["100000.1"]);
    server.cql(
        "INSERT INTO ks.prices (k, t, price) VALUES ('c', 1, 12345678901234567890123456789.5);\n",
    );
    let too_long = server.bakeoff(&["sql", ordered]).expect(1);
    too_long.says(
        "column price holds 12345678901234567890123456789.5; numbers of up to 28 digits before",
    );
}

fn keys_of_several_columns(server: &Server) {
    assert_eq!(
        rows(server, "SELECT count(*), sum(value) FROM ks.wide"),
        ["600,90000.0"]
    );
    let one = "SELECT n FROM ks.wide WHERE a = 'x' AND b = 1 AND day = '2024-01-05' ORDER BY n";
    assert_eq!(rows(server, one), ["4", "88", "172", "256"]);
    pushed(
        server,
        one,
        "\"a\" = ? AND \"b\" = ? AND \"day\" = ?], partitions=1",
    );
    // The order is the other way round, ranges are not.
    let range = "SELECT count(*) FROM ks.wide WHERE a = 'x' AND b IN (0, 2) AND day > '2024-01-27'";
    assert_eq!(rows(server, range), ["7"]);
    pushed(server, range, "\"day\" > ?], partitions=2");
    let half = "SELECT count(*) FROM ks.wide WHERE a = 'x' AND n < 10";
    assert_eq!(rows(server, half), ["10"]);
    pushed(server, half, "token(\"a\", \"b\") > ? AND");
    assert_eq!(rows(server, "SELECT 1 FROM ks.wide LIMIT 7").len(), 7);
    assert_eq!(
        rows(server, "SELECT 1 AS one FROM ks.wide WHERE n < 0"),
        Vec::<String>::new()
    );
}

/// That the scan has this in its line of the plan.
#[track_caller]
fn pushed(server: &Server, sql: &str, scan: &str) {
    let explained = format!("EXPLAIN {sql}");
    let ended = server
        .bakeoff(&["sql", &explained, "--format", "table"])
        .expect(0);
    let line = ended.stdout.lines().find(|l| l.contains("CassandraScan"));
    let line = line.unwrap_or_default();
    assert!(line.contains(scan), "`{scan}` is not in {}", ended.stdout);
}

fn names_with_capitals(server: &Server) {
    let id = "6a1f0b0c-8a7e-41ee-b962-0242ac120002";
    let sql = format!("SELECT \"select\" FROM ks.\"Cased\" WHERE \"Id\" = '{id}'");
    assert_eq!(rows(server, &sql), ["x"]);
    pushed(
        server,
        &sql,
        "FROM \"ks\".\"Cased\" WHERE \"Id\" = ?], partitions=1",
    );
    let whole = format!("{sql} AND \"When\" = '50554d6e-29bb-11e5-b345-feff819cdc9f'");
    assert_eq!(rows(server, &whole), ["x"]);
    pushed(server, &whole, "\"Id\" = ? AND \"When\" = ?");
    // As text it is less, as a time it is not asked.
    let range = format!("{sql} AND \"When\" > '4'");
    assert_eq!(rows(server, &range), ["x"]);
    let named = ["sql", "SELECT \"Id\" FROM t", "--table", "t=ks.Cased"];
    let ended = server.bakeoff(&named).expect(0);
    assert_eq!(ended.stdout, format!("Id\n{id}\n"));
}

fn static_columns(server: &Server) {
    // The partition without rows is one row in CQL, whatever is asked of it.
    let all = ["rows,1,both,10", "rows,2,both,20", "static only,,alone,"];
    assert_eq!(rows(server, "SELECT * FROM ks.statics ORDER BY p, c"), all);
    for column in ["*", "p", "s"] {
        let sql = format!("SELECT count({column}) FROM ks.statics");
        assert_eq!(rows(server, &sql), ["3"], "{sql}");
    }
    assert_eq!(rows(server, "SELECT count(c) FROM ks.statics"), ["2"]);
    let one = "SELECT s FROM ks.statics WHERE p = 'rows' AND c >= 2";
    assert_eq!(rows(server, one), ["both"]);
    let none = "SELECT s FROM ks.statics WHERE p = 'static only' AND c >= 0";
    assert_eq!(rows(server, none), Vec::<String>::new());
}

fn counters_and_bytes(server: &Server) {
    assert_eq!(
        rows(server, "SELECT page, views + 1 FROM ks.counters"),
        ["home,4"]
    );
    let sql = "SELECT v FROM ks.hex WHERE k = X'00ff'";
    assert_eq!(rows(server, sql), ["1"]);
    pushed(server, sql, "\"k\" = ?], partitions=1");
    assert_eq!(
        rows(server, "SELECT v FROM ks.hex WHERE k = X''"),
        Vec::<String>::new()
    );
}

fn several_tables(server: &Server) {
    let join = "SELECT s.v, k.id FROM statics s JOIN kinds k ON s.c = k.id ORDER BY 1";
    let ended = server
        .bakeoff(&["sql", join, "--table", "ks.statics", "--table", "ks.kinds"])
        .expect(0);
    assert_eq!(ended.stdout, "v,id\n10,1\n20,2\n");
    let both = [
        "sql",
        "SELECT 1",
        "--table",
        "ks.wide",
        "--table",
        "wide=ks.kinds",
    ];
    server
        .bakeoff(&both)
        .expect(2)
        .says("two tables would be called `wide`; name one of them with --table NAME=ks.kinds");
    let shown = server
        .bakeoff(&["sql", "DESCRIBE statics", "--table", "ks.statics"])
        .expect(0);
    assert!(shown.stdout.contains("s,Utf8,YES"), "{}", shown.stdout);
    server
        .bakeoff(&["sql", "SHOW TABLES", "--table", "ks.statics"])
        .expect(0)
        .says("ks,statics");
}

fn formats(server: &Server) {
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

/// Of the whole table, and of a partition with 100 rows, which the first page has.
fn limits_leave_no_row_twice(server: &Server) {
    for (table, rows) in [
        ("ks.wide", 600),
        ("ks.wide WHERE a = 'x' AND b = 1", 100),
        ("ks.long", 700),
        ("ks.long WHERE p = 1", 700),
    ] {
        for limit in [50, 99, 100, 101, 350, 601, 1000, 1001, 9999] {
            let sql = format!("SELECT * FROM {table} LIMIT {limit}");
            assert_eq!(different_rows(server, &sql), rows.min(limit), "{sql}");
        }
    }
}

fn a_table_is_cut(server: &Server) {
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

fn plans(server: &Server) {
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

fn mistakes(server: &Server) {
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
        (
            "SELECT 1; SELECT 2",
            2,
            "only supports a single SQL statement",
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

fn nothing_is_written(server: &Server) {
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

fn large_rows_come_in_small_pages(server: &Server) {
    server.cql("CREATE TABLE ks.large (p int, c int, v blob, PRIMARY KEY (p, c));\n");
    let value = "00".repeat(100_000);
    for c in 0..LARGE_ROWS {
        server.cql(&format!(
            "INSERT INTO ks.large (p, c, v) VALUES (1, {c}, 0x{value});\n"
        ));
    }
    // 100 rows, and then 41 of 100 kB in each 4 MiB.
    let sql = "SELECT * FROM ks.large WHERE p = 1";
    assert_eq!(measured(server, sql, "pages", "1"), 9);
    // 40 MB do not come in pages of a millisecond each.
    let hasty = ["sql", sql, "--format", "csv", "--time-out", "1ms"];
    let ended = server.bakeoff(&hasty).expect(1);
    ended.says("more time with --time-out");
    let patient = ["sql", "SELECT max(c) FROM ks.large", "--time-out", "10m"];
    server.bakeoff(&patient).expect(0);
    let never = ["sql", sql, "--time-out", "0s"];
    server
        .bakeoff(&never)
        .expect(2)
        .says("--time-out <DURATION>");
}

/// A number that `EXPLAIN ANALYZE` shows of the scan, or 0 if it does not.
fn measured(server: &Server, sql: &str, metric: &str, threads: &str) -> u32 {
    let sql = format!("EXPLAIN ANALYZE {sql}");
    let shown = ["sql", &sql, "--format", "table", "--threads", threads];
    let plan = server.bakeoff(&shown).expect(0).stdout;
    let line = plan.lines().find(|line| line.contains("CassandraScan"));
    let metrics = line.and_then(|line| line.split("metrics=[").nth(1));
    let name = format!("{metric}=");
    let values = metrics.unwrap_or_default().split([',', ']']);
    let mut values = values.filter_map(|value| value.trim().strip_prefix(&name));
    values.next().map_or(0, |value| value.parse().unwrap())
}

/// One partition among small ones, in both orders, with two threads.
fn large_partitions_are_read_by_ranges(server: &Server) {
    server.cql(
        "CREATE TABLE ks.newest (p int, c timestamp, s text static, v blob, PRIMARY KEY (p, c))
           WITH CLUSTERING ORDER BY (c DESC);\n",
    );
    let value = "00".repeat(100_000);
    for c in 0..LARGE_ROWS {
        server.cql(&format!(
            "INSERT INTO ks.newest (p, c, s, v) VALUES (1, {}, 'one', 0x{value});\n",
            c * 1000
        ));
    }
    for p in 2..40 {
        server.cql(&format!(
            "INSERT INTO ks.large (p, c, v) VALUES ({p}, 0, 0x00);
             INSERT INTO ks.newest (p, c, v) VALUES ({p}, 0, 0x00);\n"
        ));
    }
    for table in ["ks.large", "ks.newest"] {
        let one = format!("SELECT c FROM {table} WHERE p = 1 AND v IS NOT NULL");
        assert_eq!(different_rows(server, &one), LARGE_ROWS, "{table}");
        // Four requests at the same time, and four ranges for each.
        assert_eq!(measured(server, &one, "ranges", "2"), 16);
        let all = format!("SELECT p, c FROM {table} WHERE v IS NOT NULL");
        // It is split when the other thread has read all that it has to, which is soon.
        let splits = |_| measured(server, &all, "ranges", "2") > 0;
        assert!((0..TRIES).any(splits), "{table}");
        assert_eq!(different_rows(server, &all), LARGE_ROWS + 38, "{table}");
        let whole = format!("EXPLAIN SELECT v FROM {table}");
        let plan = server.bakeoff(&["sql", &whole, "--format", "table"]);
        let plan = plan.expect(0).stdout;
        // No column is read for it that a question does not want.
        assert!(!plan.contains("if large by ranges"), "{plan}");
    }
    let statics = "SELECT DISTINCT s FROM ks.newest WHERE p = 1 AND v IS NOT NULL";
    assert_eq!(rows(server, statics), ["one"]);
}

/// The number of rows with two threads, none of which comes twice.
#[track_caller]
fn different_rows(server: &Server, sql: &str) -> usize {
    let ended = server.bakeoff(&["sql", sql, "--threads", "2"]).expect(0);
    let rows: Vec<&str> = ended.stdout.lines().skip(1).collect();
    let different: BTreeSet<&str> = rows.iter().copied().collect();
    assert_eq!(different.len(), rows.len(), "{sql}");
    rows.len()
}

fn interrupted(server: &Server) {
    // A million rows out of a few: enough for a signal to come in between.
    let sql = "SELECT count(*) FROM ks.wide a, ks.wide b, ks.wide c, ks.wide d WHERE a.n < b.n + c.n + d.n";
    let mut command = server
        .bench
        .command(&["sql", sql, "--cassandra", &server.address]);
    let going = Going::start(&mut command);
    let ended = interrupt_while_it_computes(going).expect(130);
    ended.says("interrupted");
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

#[test]
fn without_any_table() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ended = bench.bakeoff(&["sql", "SELECT 1 + 1 AS two"]).expect(0);
    assert_eq!(ended.stdout, "two\n2\n");
    assert!(!ended.stderr.contains("scanned"), "{}", ended.stderr);
}

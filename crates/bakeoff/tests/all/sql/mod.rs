//! `bakeoff sql` on tables of a real Cassandra: what is read, what is pushed down, how it is
//! written, and what is said of mistakes.

mod functions;
mod large;
mod mistakes;
mod values;
mod written;

use std::collections::BTreeSet;

use crate::support::processes::{Going, interrupt_while_it_computes};
use crate::support::server::Server;
use crate::support::{Bench, READINGS, WORKLOAD};

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

/// All that needs a server, on one of them.
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
    values::every_type_of_cql(&server);
    keys_of_several_columns(&server);
    values::names_with_capitals(&server);
    values::static_columns(&server);
    values::counters_and_bytes(&server);
    several_tables(&server);
    written::formats(&server);
    written::a_table_is_cut(&server);
    written::plans(&server);
    mistakes::mistakes(&server);
    mistakes::nothing_is_written(&server);
    large::large_rows_come_in_small_pages(&server);
    large::large_partitions_are_read_by_ranges(&server);
    interrupted(&server);
}

/// The rows as CSV, without their header.
#[track_caller]
fn rows(server: &Server, sql: &str) -> Vec<String> {
    let ended = server.bakeoff(&["sql", sql]).expect(0);
    ended.stdout.lines().skip(1).map(str::to_owned).collect()
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
fn without_any_table() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ended = bench.bakeoff(&["sql", "SELECT 1 + 1 AS two"]).expect(0);
    assert_eq!(ended.stdout, "two\n2\n");
    assert!(!ended.stderr.contains("scanned"), "{}", ended.stderr);
}

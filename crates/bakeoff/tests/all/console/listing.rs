//! `SHOW TABLES` and what users of CQL type instead; what is said of other words of CQL.

use crate::support::server::Server;
use crate::support::{Bench, READINGS, WORKLOAD};

const TABLES: &str = "
CREATE KEYSPACE prod WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE KEYSPACE \"Col\" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE prod.readings (site text, time timestamp, value double, note text, vendor text static,
  PRIMARY KEY (site, time));
CREATE TABLE prod.\"Other\" (id int PRIMARY KEY);
CREATE MATERIALIZED VIEW prod.by_note AS SELECT note, site, time, value FROM prod.readings
  WHERE note IS NOT NULL AND site IS NOT NULL AND time IS NOT NULL PRIMARY KEY (note, site, time);
INSERT INTO prod.readings (site, time, value) VALUES ('north', '2026-01-01T00:00:00Z', 1);
";

const KEYS: [&str; 4] = ["--partition-key", "series", "--order-key", "time"];

#[test]
fn on_a_real_cassandra() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(TABLES);
    let ingest = ["ingest", "readings.csv", "--into", "Col.events"];
    server.bakeoff(&[&ingest[..], &KEYS[..]].concat()).expect(0);
    tables_are_listed(&server);
    keyspaces_are_listed(&server);
    a_table_is_described(&server);
    words_of_cql_are_told(&server);
    tables_that_are_no_columnar_ones(&server);
    why_a_column_is_read(&server);
}

#[track_caller]
fn shown(server: &Server, arguments: &[&str]) -> String {
    let sql = [&["sql"][..], arguments].concat();
    server.bakeoff(&sql).expect(0).stdout
}

/// As [`shown`], but only what is said of the keyspaces of this test: others share the server.
#[track_caller]
fn shown_of_ours(server: &Server, sql: &str) -> String {
    let all = shown(server, &[sql]);
    let ours = |line: &&str| {
        let keyspace = line.split(',').next().unwrap_or_default();
        ["keyspace", "Col", "prod"].contains(&keyspace)
    };
    all.lines()
        .filter(ours)
        .map(|line| format!("{line}\n"))
        .collect()
}

const HEAD: &str = "keyspace,table,kind,called\n";

fn tables_are_listed(server: &Server) {
    let all = "Col,events,columnar table,\"\"\"Col\"\".events\"\n\
               prod,Other,CQL table,\"prod.\"\"Other\"\"\"\n\
               prod,by_note,CQL view,prod.by_note\n\
               prod,readings,CQL table,prod.readings\n";
    for sql in ["SHOW TABLES", "DESCRIBE TABLES", "desc tables;"] {
        assert_eq!(shown_of_ours(server, sql), format!("{HEAD}{all}"), "{sql}");
    }
    // What it says a table is called can be asked.
    assert_eq!(
        shown(server, &["SELECT count(*) AS n FROM \"Col\".events"]),
        "n\n4\n"
    );
    for sql in [
        "SHOW TABLES IN prod LIKE 'read%'",
        "SHOW TABLES LIKE 'read%'",
    ] {
        let one = format!("{HEAD}prod,readings,CQL table,prod.readings\n");
        assert_eq!(shown_of_ours(server, sql), one, "{sql}");
    }
    let named = ["DESCRIBE KEYSPACE prod", "--table", "r=prod.readings"];
    let named = shown(server, &named);
    assert_eq!(named.matches("readings").count(), 1, "{named}");
    assert!(named.contains("prod,readings,CQL table,r\n"), "{named}");
    let of_system = shown(server, &["SHOW TABLES", "--table", "system_schema.tables"]);
    assert!(
        of_system.contains("system_schema,tables,CQL table,tables\n"),
        "{of_system}"
    );
    assert_eq!(of_system.matches("system_schema").count(), 1, "{of_system}");
    let limited = shown(server, &["SHOW TABLES", "--format", "table", "--rows", "1"]);
    assert!(
        limited.contains("events") && !limited.contains("readings"),
        "{limited}"
    );
    server
        .bakeoff(&["sql", "SHOW TABLES IN prd"])
        .expect(2)
        .says("there is no keyspace `prd`; did you mean `prod`?");
}

fn keyspaces_are_listed(server: &Server) {
    for sql in ["DESCRIBE KEYSPACES", "SHOW KEYSPACES", "SHOW SCHEMAS"] {
        let ours = shown_of_ours(server, sql);
        assert_eq!(ours, "keyspace\nCol\nprod\n", "{sql}");
    }
    // Unless a table is called so.
    let own = ["DESCRIBE keyspaces", "--table", "system_schema.keyspaces"];
    assert!(shown(server, &own).contains("keyspace_name,Utf8"));
}

fn a_table_is_described(server: &Server) {
    for sql in ["DESCRIBE TABLE prod.readings", "DESCRIBE prod.readings"] {
        assert!(
            shown(server, &[sql]).contains("value,Float64,YES\n"),
            "{sql}"
        );
    }
    let other = shown(server, &["DESC TABLE prod.\"Other\""]);
    assert_eq!(other, "column_name,data_type,is_nullable\nid,Int32,NO\n");
    server
        .bakeoff(&["sql", "DESCRIBE TABLE prod.reading"])
        .expect(2)
        .says("keyspace prod has no table `reading`; did you mean");
}

fn words_of_cql_are_told(server: &Server) {
    for (sql, message) in [
        (
            "SELECT value FROM prod.readings WHERE value > 0 ALLOW FILTERING",
            "error: SQL 1:49: ALLOW FILTERING is CQL, and is not needed here: leave it out",
        ),
        (
            "SELECT ttl(value) FROM prod.readings",
            "SQL 1:8: ttl() is CQL: write times",
        ),
        (
            "SELECT * FROM prod.readings PER PARTITION LIMIT 1",
            "row_number() OVER",
        ),
        (
            "SELECT value FROM prod.readings WHERE site = \"north\"",
            "there is no column `north`; there are `site`, `time`, `vendor`, `note`, `value`; text \
             is written 'north'",
        ),
        (
            "SELECT value\nFROM prod.readings WHERE time > 'soon'",
            "error: SQL 2:33: 'soon' is not a time such as '2026-01-31' or '2026-01-31T12:00:00Z'\n  \
             FROM prod.readings WHERE time > 'soon'\n                                  ^",
        ),
        (
            "SELECT CAST('x' AS INT) FROM prod.readings",
            "error: SQL 1:13: Cast error",
        ),
    ] {
        let ended = server.bakeoff(&["sql", sql]).expect(2);
        ended.says(message);
        assert_eq!(ended.stdout, "", "a heading before the error");
    }
    // A value that is stored is no mistake of the SQL.
    let stored = "SELECT CAST(site AS INT) FROM prod.readings";
    server.bakeoff(&["sql", stored]).expect(1).says("north");
    assert_eq!(
        shown(server, &["SELECT 'allow filtering' AS t"]),
        "t\nallow filtering\n"
    );
}

fn tables_that_are_no_columnar_ones(server: &Server) {
    for (table, message) in [
        (
            "Col.event",
            "Col.event is not a columnar table; did you mean `events`?",
        ),
        (
            "Colt.events",
            "there is no keyspace `Colt`; did you mean `Col`?",
        ),
        (
            "prod.readings",
            "prod.readings is not a columnar table, but an ordinary one; `bakeoff ingest --from \
             prod.readings` copies it into one",
        ),
        (
            "prod.none",
            "prod.none is not a columnar table; `bakeoff ingest` makes one",
        ),
    ] {
        // Before it asks for --yes.
        for action in ["seal", "drop"] {
            server
                .bakeoff(&["table", action, table])
                .expect(2)
                .says(message);
        }
    }
    let drop = server.bakeoff(&["table", "drop", "Col.events"]).expect(2);
    drop.says("this removes Col.events with all its rows: confirm with --yes");
}

fn why_a_column_is_read(server: &Server) {
    let explained = "EXPLAIN SELECT time, value FROM prod.readings";
    let plan = shown(server, &[explained, "--format", "table"]);
    assert!(
        plan.contains("only to learn which rows exist=[\"vendor\"]"),
        "{plan}"
    );
}

#[test]
fn tables_in_folders_are_listed_and_nothing_is_an_answer_in_words() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let ingest = ["ingest", "readings.csv", "--into", "dir:data/events"];
    bench.bakeoff(&[&ingest[..], &KEYS[..]].concat()).expect(0);
    let listed = bench.bakeoff(&["sql", "SHOW TABLES", "--table", "e=dir:data/events"]);
    assert_eq!(
        listed.expect(0).stdout,
        format!("{HEAD},events,columnar table,e\n")
    );
    for sql in ["SHOW TABLES", "DESCRIBE KEYSPACES"] {
        let ended = bench.bakeoff(&["sql", sql]).expect(2);
        ended.says("there is nothing to show: name a cluster with --cassandra HOST[:PORT]");
    }
    let of_folders = ["sql", "SHOW KEYSPACES", "--dir", "data/events"];
    bench
        .bakeoff(&of_folders)
        .expect(2)
        .says("there is nothing to show");
    bench
        .bakeoff(&["sql", "SHOW TABLES LIKE 'x%'", "--dir", "data/events"])
        .expect(0);
}

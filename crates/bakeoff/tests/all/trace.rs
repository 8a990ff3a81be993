//! `bakeoff trace` on a real Cassandra, and what is said of mistakes.

mod questions;
mod short_run;

use serde_json::Value;

use crate::support::server::Server;
use crate::support::{Bench, Ended, READINGS, WORKLOAD};

const TABLE: &str = "
CREATE KEYSPACE traced WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE traced.t (k int, c int, v text, PRIMARY KEY (k, c));
CREATE TABLE traced.\"Cased\" (k int PRIMARY KEY, v int);
";
const ONE_PARTITION: &str = "SELECT * FROM t WHERE k = 1";

const MIX: &str = r#"
title = "Readings of a test"
designs = ["cassandra/wide"]

[table]
name = "readings"
columns = { sensor = "text", time = "bigint", value = "double" }
partition_key = ["sensor"]
order_key = ["time"]

[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 5 }, prefix = "s" }
time = { sequence = { every = 5 } }
value = { normal = { mean = 20.0, deviation = 5.0 } }

[scale]
rows = 500

[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM readings WHERE sensor = 's3'"

[mix]
[[mix.operations]]
name = "insert"
action = "insert"
weight = 50
[[mix.operations]]
name = "newest"
action = "read-partition"
limit = 10
newest_first = true
weight = 50
"#;

/// All that needs a server, on one of them.
#[test]
fn on_a_real_cassandra() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(TABLE);
    for c in 0..30 {
        server.cql(&format!(
            "INSERT INTO traced.t (k, c, v) VALUES (1, {c}, 'x');\n"
        ));
    }
    server.cql("DELETE FROM traced.t WHERE k = 1 AND c = 3;\n");
    a_read_of_a_partition(&server);
    pages_and_times(&server);
    a_scan(&server);
    beside_an_earlier_one(&server);
    a_request_that_takes_too_long(&server);
    mistakes_that_only_a_server_notices(&server);
    short_run::each_step_is_timed(&server);
}

/// The program with these options on the table `t`.
fn trace(server: &Server, statement: &str, options: &[&str]) -> Ended {
    let command = ["trace", statement, "--table", "traced.t"];
    server.bakeoff(&[&command[..], options].concat())
}

fn json(server: &Server, statement: &str, options: &[&str]) -> Value {
    let ended = trace(server, statement, &[options, &["--json"]].concat()).expect(0);
    serde_json::from_str(&ended.stdout).unwrap()
}

fn a_read_of_a_partition(server: &Server) {
    let ended = trace(server, ONE_PARTITION, &[]).expect(0);
    let first = ended.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("The only node is reachable, one schema, Cassandra 5.0."),
        "{first}"
    );
    for words in [
        "at LOCAL_ONE, coordinated by 127.0.0.1",
        "Asked     1 node: 127.0.0.1 (data)",
        "29 rows, 1 tombstone on 127.0.0.1",
        "Slowest ",
        "; 29 rows\n",
        "Request ",
        "queue before sending",
        "Executing single-partition query on t",
        "Read 29 live rows and 1 tombstone cells",
    ] {
        ended.says(words);
    }
    // Names keep their case where they have quotes, and need no option with their keyspace.
    let cased = "SELECT v FROM traced.\"Cased\" WHERE k = 1";
    server
        .bakeoff(&["trace", cased])
        .expect(0)
        .says("; 0 rows\n");
}

fn pages_and_times(server: &Server) {
    let traced = json(
        server,
        ONE_PARTITION,
        &["--page", "10", "--times", "5", "--at", "p100"],
    );
    let times: Vec<u64> = serde_json::from_value(traced["client"]["times_micros"].clone()).unwrap();
    assert_eq!(times.len(), 5);
    let shown = traced["client"]["shown_time"].as_u64().unwrap() as usize;
    assert_eq!(times[shown], *times.iter().max().unwrap());
    let pages = traced["client"]["pages"].as_array().unwrap();
    let rows: Vec<u64> = pages
        .iter()
        .map(|page| page["rows"].as_u64().unwrap())
        .collect();
    assert_eq!(rows.iter().sum::<u64>(), 29);
    assert!(
        rows.len() >= 3 && rows.iter().all(|rows| *rows <= 10),
        "{rows:?}"
    );
    assert_eq!(traced["summary"]["complete"], true);
    let shown = &pages[traced["client"]["shown_page"].as_u64().unwrap() as usize];
    let request = shown["request_micros"].as_u64().unwrap();
    let queue = shown["queue_micros"].as_u64().unwrap();
    let wire = traced["wire_micros"].as_u64().unwrap();
    assert!(queue + wire <= request, "{shown}, wire {wire}");
    assert!(traced["client"]["plan_micros"].is_null(), "{traced}");
    assert_eq!(traced["cluster"]["attempts"].as_array().unwrap().len(), 1);
}

fn a_scan(server: &Server) {
    let traced = json(server, "SELECT count(*) FROM traced.t", &[]);
    let summary = &traced["summary"];
    assert_eq!(summary["work"][0]["live_rows"], 29, "{summary}");
    assert_eq!(summary["replicas"][0]["node"], "127.0.0.1", "{summary}");
}

fn beside_an_earlier_one(server: &Server) {
    trace(server, ONE_PARTITION, &["--save", "one.json"]).expect(0);
    trace(server, ONE_PARTITION, &["--beside", "one.json"])
        .expect(0)
        .says("Beside    in all ");
    trace(
        server,
        "SELECT v FROM t WHERE k = 2",
        &["--beside", "one.json"],
    )
    .expect(0)
    .says("the other one is of another statement")
    .says("rows returned: 0 here, 29 there");
}

/// One of a thousand takes longer than a microsecond and the clock's step together.
fn a_request_that_takes_too_long(server: &Server) {
    let hasty = ["--times", "1000", "--time-out", "1us"];
    let ended = trace(server, ONE_PARTITION, &hasty).expect(1);
    ended.says("the request failed after").says("--time-out");
}

fn mistakes_that_only_a_server_notices(server: &Server) {
    for (statement, table, words) in [
        ("SELECT * FROM traced.u", None, "there is no table traced.u"),
        (
            "SELECT * FROM trased.t",
            None,
            "there is no keyspace trased; did you mean `traced`?",
        ),
        (
            "SELECT w FROM t",
            Some("traced.t"),
            "Cassandra refuses the statement: Undefined column name w",
        ),
        (
            "SELECT v FROM t WHERE k = :k",
            Some("traced.t"),
            "no value for a marker",
        ),
        (
            "SELECT v FROM t WHERE v = 'x'",
            Some("traced.t"),
            "ALLOW FILTERING",
        ),
    ] {
        let table = table.map_or_else(Vec::new, |table| vec!["--table", table]);
        let ended = server.bakeoff(&[&["trace", statement], &table[..]].concat());
        ended.expect(2).says(words);
    }
}

#[test]
fn a_read_of_a_mix_is_traced_as_its_design_sends_it() {
    let Some(server) = Server::shared_for(MIX) else {
        return;
    };
    let load = [
        "drive",
        "w.toml",
        "--design",
        "cassandra/wide",
        "--keyspace",
        "traced_mix",
        "--operations",
        "20",
        "--out",
        "out",
    ];
    server.bakeoff(&load).expect(0);
    let newest = [
        "trace",
        "w.toml",
        "--operation",
        "newest",
        "--design",
        "cassandra/wide",
    ];
    let trace = |options: &[&str]| server.bakeoff(&[&newest[..], options].concat());
    let options = [
        "--keyspace",
        "traced_mix",
        "--times",
        "20",
        "--at",
        "p99",
        "--json",
    ];
    let ended = trace(&options).expect(0);
    let traced: Value = serde_json::from_str(&ended.stdout).unwrap();
    let cql = traced["cql"].as_str().unwrap();
    assert!(
        cql.contains("\"sensor\" = ?") && cql.ends_with("LIMIT 10"),
        "{cql}"
    );
    assert_eq!(traced["consistency"], "LOCAL_ONE");
    assert_eq!(
        traced["client"]["times_micros"].as_array().unwrap().len(),
        20
    );
    assert_eq!(traced["client"]["pages"][0]["rows"], 10);
    assert_eq!(traced["summary"]["complete"], true);

    trace(&["--keyspace", "traced_mux"])
        .expect(2)
        .says("there is no keyspace traced_mux");
    questions::a_question_is_traced_by_its_rows(&server);
}

#[test]
fn only_reads_of_cassandra_in_a_mix_are_traced() {
    let bench = Bench::new(MIX, READINGS);
    let at_design = |operation: &str, design: &str| {
        bench.bakeoff(&[
            "trace",
            "w.toml",
            "--operation",
            operation,
            "--design",
            design,
            "--keyspace",
            "ks",
            "--cassandra",
            "127.0.0.1:1",
        ])
    };
    for (operation, design, words) in [
        (
            "insert",
            "cassandra/wide",
            "operation `insert` is no read by one statement",
        ),
        (
            "newst",
            "cassandra/wide",
            "no operation `newst`; did you mean `newest`?",
        ),
        (
            "newest",
            "cassandra/series",
            "do not support single operations",
        ),
        (
            "newest",
            "parquet?codec=zstd",
            "only designs of cassandra are traced",
        ),
        ("newest", "", "--design: "),
    ] {
        at_design(operation, design).expect(2).says(words);
    }
    let without_design = [
        "trace",
        "w.toml",
        "--operation",
        "newest",
        "--cassandra",
        "127.0.0.1:1",
    ];
    bench.bakeoff(&without_design).expect(2).says("--design");
    let without_operation = [
        "trace",
        "SELECT * FROM ks.t",
        "--set",
        "a=1",
        "--cassandra",
        "127.0.0.1:1",
    ];
    bench
        .bakeoff(&without_operation)
        .expect(2)
        .says("--operation");
}

#[test]
fn mistakes_are_noticed_before_a_server_is_asked() {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::write(bench.path("other.json"), "{}").unwrap();
    let select = "SELECT * FROM ks.t";
    let none: &[&str] = &[];
    for (statement, options, code, words) in [
        ("DELETE FROM ks.t WHERE k = 1", none, 2, "not a SELECT"),
        (
            "SELECT * FROM ks.t; TRUNCATE ks.t",
            &[],
            2,
            "several statements",
        ),
        (
            "SELECT * FROM ks.t WHERE k = ?",
            &[],
            2,
            "write the value in its place",
        ),
        ("SELECT * FROM t", &[], 2, "give --table KEYSPACE.t"),
        (select, &["--table", "ks.u"], 2, "the statement reads ks.t"),
        (
            select,
            &["--table", "dir:t"],
            2,
            "only statements of Cassandra",
        ),
        (
            select,
            &["--consistency", "any"],
            2,
            "nothing can be read at ANY",
        ),
        (select, &["--at", "99"], 2, "not a percentile"),
        (select, &["--times", "0"], 2, "0 is not in 1..=1000"),
        (select, &["--page", "0"], 2, "0 is not in 1..=1000000"),
        (
            select,
            &["--beside", "none.json"],
            2,
            "cannot read --beside none.json",
        ),
        (
            select,
            &["--beside", "other.json"],
            2,
            "no trace that --save wrote",
        ),
        (
            select,
            &["--save", "no/such/folder.json"],
            1,
            "cannot write no/such/folder.json",
        ),
        (select, &[], 1, "cannot connect to Cassandra at 127.0.0.1:1"),
    ] {
        let command = ["trace", statement, "--cassandra", "127.0.0.1:1"];
        let ended = bench.bakeoff(&[&command[..], options].concat());
        ended.expect(code).says(words);
    }
    bench
        .bakeoff(&["trace", select])
        .expect(2)
        .says("--cassandra");
}

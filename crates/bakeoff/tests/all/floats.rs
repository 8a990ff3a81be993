//! Columns of floats of 32 bits: every engine stores them in four bytes and answers as with doubles. And columns of
//! UUIDs, which are texts in questions whatever an engine stores. Where an engine is not installed its test prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use bakeoff_testing::times;

use crate::support::going_on::all_is_right;
use crate::support::{Bench, READINGS};

const TABLE: &str = r#"
[table]
name = "readings"
partition_key = ["room"]
order_key = ["time"]
[table.columns]
room = "text"
time = "timestamp"
heat = "float"
flow = "float"
level = "double"
device = "uuid"
[data]
generator = "columns"
[data.columns]
room = { sequence = { cycle = 5 }, prefix = "r" }
time = { sequence = { start = 2024-01-01T00:00:00Z, step = "1m", every = 5 } }
heat = { normal = { mean = 20, deviation = 5 } }
flow = { choice = [0.1, 0.2, 0.7, 5] }
level = { uniform = [0, 40] }
device = { zipf = { items = 50, exponent = 0.99 } }
"#;

/// Questions whose answers differ in their last digits, or more, where an engine computes with floats of 32 bits. That
/// a flow of 0.1 is above 0.1 and does not equal it is what a comparison of doubles says. Levels have 16 and 17 digits,
/// and each has to be found that is asked for.
const QUESTIONS: [&str; 22] = [
    "SELECT room, avg(heat) AS mean, sum(heat) AS total, stddev(heat) AS deviation FROM readings GROUP BY room ORDER BY
     room",
    "SELECT sum(heat * 3) AS three, sum(heat * flow) AS product, max(heat - flow) AS most, min(heat / 7) AS seventh
     FROM readings",
    "SELECT count(*) AS n FROM readings WHERE flow > 0.1",
    "SELECT count(*) AS n FROM readings WHERE flow = 0.1 OR flow IN (0.2, 0.7)",
    "SELECT count(*) AS n FROM readings WHERE flow = ${flow}",
    "SELECT count(*) AS n, max(level) AS most FROM readings WHERE level IN (${level})",
    "SELECT flow, count(*) AS n, max(heat) AS most, min(heat) AS least FROM readings GROUP BY flow ORDER BY flow",
    "SELECT room, time, heat FROM readings ORDER BY heat DESC, room, time LIMIT 20",
    "SELECT room, percentile_cont(0.9) WITHIN GROUP (ORDER BY heat) AS p, median(heat) AS m FROM readings
     GROUP BY room",
    "SELECT max(heat) AS most, sqrt(max(heat)) AS root, round(max(heat), 2) AS rounded, max(heat) - min(heat) AS spread
     FROM readings",
    "SELECT room, last_value(heat ORDER BY time) AS newest FROM readings GROUP BY room ORDER BY room",
    "SELECT count(*) AS n FROM readings WHERE heat BETWEEN flow AND level",
    "SELECT room, max(most) - min(most) AS spread FROM (SELECT room, flow, max(heat) AS most FROM readings
     GROUP BY room, flow) AS q GROUP BY room ORDER BY room",
    "SELECT CAST(heat AS INT) AS whole, count(*) AS n FROM readings GROUP BY whole ORDER BY whole",
    "SELECT date_trunc('day', time) AS day, avg(heat) AS mean, count(heat) AS n FROM readings GROUP BY day
     ORDER BY day",
    "SELECT * FROM readings WHERE room = ${room} ORDER BY time",
    "SELECT device, count(*) AS n, count(DISTINCT device) AS one FROM readings GROUP BY device ORDER BY device",
    "SELECT count(*) AS n, max(level) AS most FROM readings WHERE device = ${device} AND device IN (${device}, 'none')",
    "SELECT min(device) AS least, max(upper(device)) AS most, count(DISTINCT device) AS n FROM readings",
    "SELECT room, time, device FROM readings WHERE device LIKE '%a%' AND device > '4' AND device <> 'none'
     ORDER BY device DESC, room, time LIMIT 20",
    "SELECT a.device, count(*) AS n FROM readings a JOIN readings b ON a.device = b.device AND a.time = b.time
     WHERE a.room = b.room GROUP BY a.device ORDER BY a.device",
    "SELECT CASE WHEN device = ${device} THEN device ELSE substr(device, 1, 8) END AS named, count(*) AS n FROM readings
     WHERE device IN (SELECT device FROM readings WHERE flow > 0.5) GROUP BY named ORDER BY named",
];

/// A workload that asks these questions of some designs.
fn workload(designs: &[&str]) -> String {
    let mut text = format!("title = \"t\"\ndesigns = {designs:?}\n{TABLE}");
    for (number, sql) in QUESTIONS.iter().enumerate() {
        text += &format!("[[queries]]\nname = \"q{number}\"\nsql = \"\"\"\n{sql}\n\"\"\"\n");
        for (name, more) in [
            ("flow", ""),
            ("room", ""),
            ("device", ""),
            ("level", ", distinct = 50"),
        ] {
            if sql.contains(&format!("${{{name}}}")) {
                text += &format!("parameters = {{ {name} = {{ column = \"{name}\"{more} }} }}\n");
            }
        }
    }
    text
}

/// Asks all questions of designs, and compares the answers.
fn all_are_right(bench: &Bench, designs: &[&str]) {
    // Each is also asked before it is timed, and while designs warm up.
    let (rounds, asked) = times(("1", 1), ("2", 2));
    let run = [
        "run",
        "w.toml",
        "--rows",
        "2k",
        "--no-concurrent",
        "--out",
        "out",
        "--rounds",
        rounds,
    ];
    bench.bakeoff(&run).expect(0);
    let answers = designs.len() * QUESTIONS.len() * asked;
    all_is_right(&bench.journal("out"), answers);
}

#[test]
fn designs_without_a_server_answer_as_with_doubles() {
    let designs = [
        "local/columnar",
        "parquet?codec=zstd",
        "parquet?codec=snappy",
        "memory",
    ];
    let bench = Bench::new(&workload(&designs), READINGS);
    all_are_right(&bench, &designs);
}

#[test]
fn layouts_of_cassandra_answer_as_with_doubles() {
    let designs = [
        "cassandra/narrow",
        "cassandra/wide",
        "cassandra/wide?aggregate=server",
        "cassandra/wide?summary=1d",
        "cassandra/blob",
        "cassandra/compact",
        "cassandra/columnar",
        "parquet",
    ];
    let Some(bench) = Bench::with_cassandra(&workload(&designs), READINGS) else {
        return;
    };
    all_are_right(&bench, &designs);
}

#[test]
fn postgresql_and_timescaledb_answer_as_with_doubles() {
    let designs = ["postgres/plain", "timescale/hypertable?chunk=1h", "parquet"];
    let Some(bench) = Bench::with_engine(&workload(&designs), "timescale") else {
        return;
    };
    all_are_right(&bench, &designs);
}

#[test]
fn duckdb_answers_as_with_doubles() {
    let designs = ["duckdb/table", "duckdb/parquet", "parquet"];
    let Some(bench) = Bench::with_engine(&workload(&designs), "duckdb") else {
        return;
    };
    all_are_right(&bench, &designs);
}

#[test]
fn spark_answers_as_with_doubles() {
    let designs = ["spark/parquet", "parquet"];
    let Some(bench) = Bench::with_engine(&workload(&designs), "spark") else {
        return;
    };
    all_are_right(&bench, &designs);
}

#[test]
fn a_dry_run_shows_that_floats_are_widened() {
    let designs = ["postgres/plain", "cassandra/wide", "parquet"];
    let bench = Bench::new(&workload(&designs), READINGS);
    let ended = bench
        .bakeoff(&["run", "w.toml", "--dry-run", "--out", "out"])
        .expect(0);
    ended
        .says("\"heat\" real")
        .says("\"heat\" float")
        .says("\"device\" uuid")
        .says("min((CAST(device AS TEXT) COLLATE \"C\")) AS least")
        .says("SELECT room, avg(CAST(heat AS DOUBLE)) AS mean, sum(CAST(heat AS DOUBLE)) AS total")
        .says("SELECT room, avg(cast(heat AS double precision)) AS mean");
    assert!(!bench.path("out").exists());
}

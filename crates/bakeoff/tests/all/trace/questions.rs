//! `bakeoff trace --query`: a query of a workload, by the first statement of its design.

use serde_json::Value;

use super::MIX;
use crate::support::server::Server;
use crate::support::{Bench, READINGS};

/// On the table of a mix that was driven in the keyspace `traced_mix`.
pub fn a_question_is_traced_by_its_rows(server: &Server) {
    let mean = [
        "trace",
        "w.toml",
        "--query",
        "mean",
        "--design",
        "cassandra/wide",
        "--keyspace",
        "traced_mix",
    ];
    let options = ["--times", "3", "--at", "p100", "--json"];
    let ended = server.bakeoff(&[&mean[..], &options].concat()).expect(0);
    let traced: Value = serde_json::from_str(&ended.stdout).unwrap();
    let cql = traced["cql"].as_str().unwrap();
    assert!(cql.contains("\"sensor\" = ?"), "{cql}");
    assert_eq!(traced["of"], "mean: the only request of its statement");
    assert!(traced["client"]["pages"][0]["rows"].as_u64().unwrap() >= 100);
    let times = traced["client"]["times_micros"].as_array().unwrap();
    assert_eq!(times.len(), 3);
    assert!(traced["client"]["plan_micros"].is_u64(), "{traced}");
    // It takes the one request that is traced.
    assert!(traced["client"]["compute_micros"].is_u64(), "{traced}");
    assert_eq!(traced["summary"]["complete"], true);
    let shown = server.bakeoff(&mean).expect(0);
    shown.says("Question  mean: the only request of its statement");
}

#[test]
fn a_question_that_cassandra_aggregates_is_traced_as_one_statement() {
    let Some(server) = Server::shared_for(MIX) else {
        return;
    };
    let design = ["--design", "cassandra/wide?aggregate=server"];
    let keyspace = ["--keyspace", "traced_aggregate"];
    let load = ["drive", "w.toml", "--operations", "20", "--out", "out"];
    server
        .bakeoff(&[&load[..], &design, &keyspace].concat())
        .expect(0);
    let mean = ["trace", "w.toml", "--query", "mean", "--json"];
    let ended = server.bakeoff(&[&mean[..], &design, &keyspace].concat());
    let traced: Value = serde_json::from_str(&ended.expect(0).stdout).unwrap();
    let cql = traced["cql"].as_str().unwrap();
    assert!(cql.starts_with("SELECT count(*), "), "{cql}");
    assert_eq!(traced["client"]["pages"][0]["rows"], 1);
}

#[test]
fn only_questions_that_a_design_reads_rows_for_are_traced() {
    let bench = Bench::new(MIX, READINGS);
    let trace = |query: &str, design: &str, more: &[&str]| {
        let query = ["trace", "w.toml", "--query", query, "--design", design];
        let place = ["--keyspace", "ks", "--cassandra", "127.0.0.1:1"];
        bench.bakeoff(&[&query[..], &place, more].concat())
    };
    for (query, design, words) in [
        (
            "men",
            "cassandra/wide",
            "has no query `men`; did you mean `mean`?",
        ),
        (
            "mean",
            "cassandra/columnar",
            "only layouts that keep rows as rows of a table",
        ),
        ("mean", "parquet", "only designs of cassandra are traced"),
    ] {
        trace(query, design, &[]).expect(2).says(words);
    }
    trace("mean", "cassandra/wide", &["--operation", "newest"])
        .expect(2)
        .says("cannot be used with");
    trace("mean", "cassandra/wide", &[])
        .expect(1)
        .says("cannot connect to Cassandra at 127.0.0.1:1");
}

#[test]
fn a_question_is_checked_before_a_server_is_asked() {
    let bench = Bench::new(MIX, READINGS);
    let workload = std::fs::read_to_string(bench.path("w.toml")).unwrap();
    let long = format!("sensor = 's3'{}", " OR sensor = 's4'".repeat(50_000));
    for (changed, words) in [
        (
            workload.replace("sensor = 's3'", &long),
            "query mean: it has about 50001 operators",
        ),
        (
            workload.replace("avg(value)", "avg(vlaue)"),
            "query mean: there is no column `vlaue`; did you mean `value`?",
        ),
    ] {
        std::fs::write(bench.path("w.toml"), changed).unwrap();
        let query = ["trace", "w.toml", "--query", "mean", "--keyspace", "ks"];
        let place = ["--design", "cassandra/wide", "--cassandra", "127.0.0.1:1"];
        let ended = bench.bakeoff(&[&query[..], &place].concat());
        ended.expect(2).says(words);
    }
}
